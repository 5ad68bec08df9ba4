"""Which clauses a rulebook cites, and where: every value whose type is ``Clause``, found by its type."""

from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from roundhouse.rules.names import Clause
from roundhouse.rules.rulebook import PayTable, Rulebook


class Citation(NamedTuple):
    place: str
    clause: Clause


def citations(rulebook: Rulebook) -> Iterator[Citation]:
    return cited_in(rulebook, Rulebook, "")


def cited_in(value: object, kind: Any, place: str) -> Iterator[Citation]:
    """The citations in a part of a rulebook. The register itself (``clauses``) is cited, it does not cite."""
    if value is None:
        return
    if kind is Clause:
        yield Citation(place, Clause(str(value)))
    elif isinstance(value, Struct):
        for name, of in _citing_fields(type(value)):
            yield from cited_in(getattr(value, name), of, f"{place}.{name}".lstrip("."))
        if isinstance(value, PayTable):
            for i, row in enumerate(value.rows):
                yield Citation(f"{place}.rows[{i}]", Clause(f"{value.clause} / {row.row}"))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from cited_in(item, get_args(kind)[1], f"{place}.{key}")
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from cited_in(item, get_args(kind)[0], f"{place}[{i}]")


@cache
def _citing_fields(struct: type[Struct]) -> tuple[tuple[str, Any], ...]:
    """The fields of a section that can hold a citation, with their types, ``None`` taken off."""
    hints = {name: _without_none(kind) for name, kind in get_type_hints(struct).items()}
    return tuple((name, kind) for name, kind in hints.items() if name in struct.__struct_fields__ and _can_cite(kind))


def _without_none(kind: Any) -> Any:
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (of for of in get_args(kind) if of is not type(None))
    return kind


def _can_cite(kind: Any) -> bool:
    if kind is Clause or (isinstance(kind, type) and issubclass(kind, Struct)):
        return True
    origin, args = get_origin(kind), get_args(kind)
    # A mapping cites by its values: the keys of ``clauses`` are the register that is cited.
    inner = args[1:] if origin is dict else args
    return origin is not None and any(_can_cite(_without_none(of)) for of in inner if of is not Ellipsis)
