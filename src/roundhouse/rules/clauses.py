"""The clause register: each clause of a rule document, what it demands and how it is met.

A rulebook states what each clause demands. Values of type ``Clause`` elsewhere in the rulebook are citations;
they show which data meets a clause. A register file per game adds the clauses that code or people meet.
"""

import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, convert

from roundhouse.rules.errors import UserError
from roundhouse.rules.names import Clause
from roundhouse.rules.rulebook import PayTable, Rulebook


class Citation(NamedTuple):
    """A clause and the path in the rulebook that cites it."""

    place: str
    clause: Clause


def citations(rulebook: Rulebook) -> Iterator[Citation]:
    return cited_in(rulebook, Rulebook, "")


def cited_in(value: object, kind: Any, place: str) -> Iterator[Citation]:
    """Find the citations in a part of a rulebook. The keys of ``clauses`` do not count as citations."""
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
    """Return the fields of a struct that can contain a citation. An optional field gets its type without ``None``."""
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
    # Only the values of a mapping count: the keys of ``clauses`` are the register, not citations.
    inner = args[1:] if origin is dict else args
    return origin is not None and any(_can_cite(_without_none(of)) for of in inner if of is not Ellipsis)


class MetBy(StrEnum):
    """Means by which a clause is met: rulebook data, code, a later part of the system, or people."""

    DATA = "data"
    CODE = "code"
    LATER = "later"
    PEOPLE = "people"


class Means(Struct, frozen=True, forbid_unknown_fields=True):
    by: MetBy
    at: str
    """A path in the rulebook, a module, a later part of the system, or a role such as ``dealer``."""
    so: str
    """How the clause is met. If people meet it, what the system records of their action."""


class RegisterEntry(Struct, frozen=True):
    clause: Clause
    demands: str
    met: tuple[Means, ...]

    @property
    def needs_test(self) -> bool:
        """Whether a test must cite this clause: true if data or code meets it."""
        return any(means.by in (MetBy.DATA, MetBy.CODE) for means in self.met)


class _RegisterFile(Struct, frozen=True, forbid_unknown_fields=True):
    clauses: dict[Clause, tuple[Means, ...]]


class RegisterDiffers(UserError):
    """A register file lists other clauses than its rulebook, or in another order."""


def register_of(rulebook: Rulebook, register_toml: str | None) -> tuple[RegisterEntry, ...]:
    """Build the register of a game, in the document's order, from its rulebook and its register file."""
    by_hand = convert(tomllib.loads(register_toml), _RegisterFile).clauses if register_toml is not None else {}
    if register_toml is not None and list(by_hand) != list(rulebook.clauses):
        different = ", ".join(sorted(by_hand.keys() ^ rulebook.clauses.keys()))
        raise RegisterDiffers(f"register and rulebook of {rulebook.id} differ in {different or 'their order'}")
    cited: dict[Clause, list[Means]] = {}
    for place, clause in citations(rulebook):
        cited.setdefault(clause, []).append(Means(MetBy.DATA, place, "Stated there."))
    return tuple(
        RegisterEntry(clause, demands, (*cited.get(clause, ()), *by_hand.get(clause, ())))
        for clause, demands in rulebook.clauses.items()
    )
