"""The clause register: each clause of a rule document, what it demands and how it is met.

A rulebook states what each clause demands. Values of type ``Clause`` elsewhere in the rulebook are citations;
they show which data meets a clause. A register file per game adds the clauses that code or people meet. One more
file names the tests that cite each clause.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, convert

from roundhouse.rules.errors import UserError
from roundhouse.rules.names import Clause
from roundhouse.rules.rulebook import Inferred, PayTable, Rulebook


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
    """Means by which a clause is met: rulebook data, code, or people."""

    DATA = "data"
    CODE = "code"
    PEOPLE = "people"


class Means(Struct, frozen=True, forbid_unknown_fields=True):
    by: MetBy
    at: str
    """A path in the rulebook; a function or class with its module, or the source file of a screen; or a role.

    Examples: ``wheel.segments.20``, ``table.round.confirm_result``, ``web/src/layout/Dolly.svelte``, ``dealer``.
    """
    so: str
    """How the clause is met. If people meet it, what the system records of their action."""


class RegisterEntry(Struct, frozen=True):
    clause: Clause
    demands: str
    met: tuple[Means, ...]
    tests: tuple[str, ...] = ()
    """Tests that cite the clause, such as ``tests/rules/test_judge.py::test_a_valid_spin``."""

    @property
    def needs_test(self) -> bool:
        """Whether a test must cite this clause: true if data or code meets it."""
        return any(means.by in (MetBy.DATA, MetBy.CODE) for means in self.met)


Tests = Mapping[Clause, tuple[str, ...]]
"""Tests that cite a clause, by clause."""


class _RegisterFile(Struct, frozen=True, forbid_unknown_fields=True):
    clauses: dict[Clause, tuple[Means, ...]]


def readings(rulebook: Rulebook) -> dict[Clause | None, tuple[Inferred, ...]]:
    """Group the inferred values of a rulebook by the clauses whose data they are. ``None``: no clause cites them."""
    cited = [(_with_ids(rulebook, place), clause) for place, clause in citations(rulebook)]
    places = {place for place, _ in cited}
    found: dict[Clause | None, list[Inferred]] = {}
    for note in rulebook.inferred:
        table, _, key = note.at.partition(".")
        if table == "clauses":
            found.setdefault(Clause(key), []).append(note)
            continue
        related = (_states if note.at in places else _concerns)(note.at)
        clauses = dict.fromkeys(clause for place, clause in cited if related.fullmatch(place))
        for clause in clauses or (None,):
            found.setdefault(clause, []).append(note)
    return {clause: tuple(notes) for clause, notes in found.items()}


def _states(at: str) -> re.Pattern[str]:
    return re.compile(re.escape(at))


def _concerns(at: str) -> re.Pattern[str]:
    """Match citations inside the value, and the clause of the table that contains it."""
    table = at.rpartition(".")[0]
    return re.compile(rf"{re.escape(at)}[.\[].*|{re.escape(table)}\.(\w+_)?clause")


def _with_ids(rulebook: Rulebook, place: str) -> str:
    """Name terminals and series by their ids, as inferred values do: ``terminals.rapid-a.series.tiers.clause``."""
    if not (found := re.fullmatch(r"terminals\[(\d+)\](?:\.series\[(\d+)\])?(.*)", place)):
        return place
    terminal = rulebook.terminals[int(found[1])]
    series = f".series.{terminal.series[int(found[2])].id}" if found[2] else ""
    return f"terminals.{terminal.id}{series}{found[3]}"


class RegisterDiffers(UserError):
    """A register file lists other clauses than its rulebook, or in another order."""


def register_of(rulebook: Rulebook, register_toml: str | None, tests: Tests | None = None) -> tuple[RegisterEntry, ...]:
    """Build the register of a game, in the document's order, from its rulebook and its register file."""
    tests = tests or {}
    by_hand = convert(tomllib.loads(register_toml), _RegisterFile).clauses if register_toml is not None else {}
    if register_toml is not None and list(by_hand) != list(rulebook.clauses):
        different = ", ".join(sorted(by_hand.keys() ^ rulebook.clauses.keys()))
        raise RegisterDiffers(f"register and rulebook of {rulebook.id} differ in {different or 'their order'}")
    cited: dict[Clause, list[Means]] = {}
    for place, clause in citations(rulebook):
        at = _with_ids(rulebook, place).removesuffix(".clause")
        cited.setdefault(clause, []).append(Means(MetBy.DATA, at, "Stated there."))
    return tuple(
        RegisterEntry(clause, demands, (*cited.get(clause, ()), *by_hand.get(clause, ())), tests.get(clause, ()))
        for clause, demands in rulebook.clauses.items()
    )
