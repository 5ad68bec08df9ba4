"""Differences between the PAR sheets of two rulebooks."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from statistics import NormalDist

from roundhouse.lab.parsheet.figures import Figures, Par


@dataclass(frozen=True, slots=True)
class Change:
    """A changed bet or package, before and after. A value is None where the bet did not exist."""

    where: str
    id: str
    before: Figures | None
    after: Figures | None
    pays: tuple[int | None, int | None]
    of: tuple[str | None, str | None]
    """Pockets that a bet covers, or pieces of a package."""

    @property
    def edge_change(self) -> Fraction | None:
        if self.before is None or self.after is None:
            return None
        return self.after.edge - self.before.edge

    @property
    def bands_part_after(self) -> int | None:
        """Number of rounds after which the 95 % bands of the old and the new hold no longer overlap.

        Each band is edge ± z·deviation/√n (normal approximation). The bands touch where the difference of the edges
        equals the sum of the half widths. None if the edge is unchanged.
        """
        change = self.edge_change
        if not change or self.before is None or self.after is None:
            return None
        z = NormalDist().inv_cdf(0.975)
        spread = float(self.before.moments.deviation) + float(self.after.moments.deviation)
        return ceil((z * spread / float(abs(change))) ** 2)


@dataclass(frozen=True, slots=True)
class Changes:
    """All differences between two PAR sheets."""

    old: Par
    new: Par
    facts: tuple[tuple[str, str, str], ...]
    """Changed facts: name, value before, value after."""
    bets: tuple[Change, ...]
    """Bets and packages with different figures, numbers or pieces, or that exist in only one of the sheets."""
    same: int
    """Number of unchanged bets and packages."""
    clauses: tuple[tuple[str, str | None, str | None], ...]
    """(clause, text before, text after) for each changed text; None where the clause did not exist."""
    dominated: tuple[tuple[str, str, bool], ...]
    """Layout and bet, then True if the bet became dominated, False if it is no longer dominated."""


def changes_between(old: Par, new: Par) -> Changes:
    before, after = _all_bets(old), _all_bets(new)
    changed = []
    same = 0
    for key in [*after, *(key for key in before if key not in after)]:
        was, now = before.get(key), after.get(key)
        if was == now:
            same += 1
            continue
        pays = (was[1] if was else None, now[1] if now else None)
        of = (was[2] if was else None, now[2] if now else None)
        changed.append(Change(key[0], key[1], was[0] if was else None, now[0] if now else None, pays, of))
    return Changes(
        old, new, tuple(_facts(old, new)), tuple(changed), same, tuple(_clauses(old, new)), tuple(_dominated(old, new))
    )


def _clauses(old: Par, new: Par) -> Iterator[tuple[str, str | None, str | None]]:
    before, after = old.game.rulebook.clauses, new.game.rulebook.clauses
    for clause in [*after, *(clause for clause in before if clause not in after)]:
        if before.get(clause) != after.get(clause):
            yield clause, before.get(clause), after.get(clause)


def _dominated(old: Par, new: Par) -> Iterator[tuple[str, str, bool]]:
    before, after = ({(layout.id, bet.id) for layout in par.layouts for bet in layout.dominated} for par in (old, new))
    for layout, bet in sorted(before ^ after):
        yield f"layout {layout}", bet, (layout, bet) in after


def _all_bets(par: Par) -> dict[tuple[str, str], tuple[Figures, int | None, str]]:
    bets: dict[tuple[str, str], tuple[Figures, int | None, str]] = {}
    for layout in par.layouts:
        for bet in layout.bets:
            bets[f"layout {layout.id}", bet.id] = (bet.figures, bet.pays, bet.covers)
    for terminal in par.terminals:
        for kind in terminal.packages:
            for id, made_of in zip(kind.ids, kind.made_of):
                bets[f"terminal {terminal.id}", id] = (kind.figures, None, made_of)
    return bets


def _facts(old: Par, new: Par) -> list[tuple[str, str, str]]:
    a, b = old.game, new.game
    pairs = (
        ("id", a.id, b.id),
        ("title", a.rulebook.title, b.rulebook.title),
        ("version", a.rulebook.version, b.rulebook.version),
        ("effective", a.rulebook.effective.isoformat(), b.rulebook.effective.isoformat()),
        ("sha256", a.hash, b.hash),
        ("segments of the wheel", str(len(a.wheel.order)), str(len(b.wheel.order))),
        ("order of the wheel", " ".join(a.wheel.order), " ".join(b.wheel.order)),
        ("least return of any bet", str(old.minimum_returns[0].least), str(new.minimum_returns[0].least)),
    )
    return [(name, before, after) for name, before, after in pairs if before != after]
