"""The clause register: every number of a rule document, what it demands, and how it is met.

What a clause demands stands in the rulebook; that data meets it is *found*, wherever the rulebook cites it.
Only what code, later parts and people do is written down by hand, in a register file for each game.
"""

import tomllib
from enum import StrEnum

from msgspec import Struct, convert

from roundhouse.rules.citations import citations
from roundhouse.rules.mistakes import Mistake
from roundhouse.rules.names import Clause
from roundhouse.rules.rulebook import Rulebook


class MetBy(StrEnum):
    DATA = "data"
    CODE = "code"
    LATER = "later"
    PEOPLE = "people"


class Means(Struct, frozen=True, forbid_unknown_fields=True):
    by: MetBy
    at: str
    """A place of the rulebook, a module, a later part of the system, or who does it."""
    so: str
    """What is done; for people, what the system records of it."""


class Entry(Struct, frozen=True):
    clause: Clause
    demands: str
    met: tuple[Means, ...]

    @property
    def needs_test(self) -> bool:
        """A clause that data or code meets is only met as far as a test shows it."""
        return any(means.by in (MetBy.DATA, MetBy.CODE) for means in self.met)


class _RegisterFile(Struct, frozen=True, forbid_unknown_fields=True):
    clauses: dict[Clause, tuple[Means, ...]]


class RegisterDiffers(Mistake):
    """A register file that is not about the clauses of its rulebook."""


def register_of(rulebook: Rulebook, written: str | None) -> tuple[Entry, ...]:
    """The register of a game, in the document's order. ``written`` is its register file, if it has one."""
    by_hand = convert(tomllib.loads(written), _RegisterFile).clauses if written is not None else {}
    if written is not None and list(by_hand) != list(rulebook.clauses):
        odd = ", ".join(sorted(by_hand.keys() ^ rulebook.clauses.keys()))
        raise RegisterDiffers(f"register and rulebook of {rulebook.id} differ in {odd or 'their order'}")
    cited: dict[Clause, list[Means]] = {}
    for place, clause in citations(rulebook):
        cited.setdefault(clause, []).append(Means(MetBy.DATA, place, "Stated there."))
    return tuple(
        Entry(clause, demands, (*cited.get(clause, ()), *by_hand.get(clause, ())))
        for clause, demands in rulebook.clauses.items()
    )
