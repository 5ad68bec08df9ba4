"""Packages: several pieces placed with one touch, each piece a position of the layout.

A package has no price and no limit of its own. It is its pieces, and is settled and limited as they are.

Terminals brought to life: each with its layout and its packages, or the faults that stand in the way.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from roundhouse.rules.checks import SLUG, twice
from roundhouse.rules.errors import Faults
from roundhouse.rules.layout import Layout, canonical_name
from roundhouse.rules.names import Clause, LayoutId, PackageId, Pieces, Pocket, PositionId, TerminalId, number_of
from roundhouse.rules.rulebook import FinalesOffer, NeighboursOffer, Series, Spun, TerminalPlan
from roundhouse.rules.wheel import Wheel


class Piece(NamedTuple):
    position: PositionId
    pieces: Pieces


class Package(NamedTuple):
    id: PackageId
    name: str
    pieces: tuple[Piece, ...]
    clause: Clause

    @property
    def total(self) -> Pieces:
        return Pieces(sum(piece.pieces for piece in self.pieces))


class Terminal(NamedTuple):
    """A kind of Player Terminal, or the live table: its layout and the packages it offers."""

    plan: TerminalPlan
    layout: Layout
    packages: tuple[Package, ...]

    def package(self, id: PackageId) -> Package | None:
        return next((package for package in self.packages if package.id == id), None)


def packages_of(plan: TerminalPlan, wheel: Wheel) -> Iterator[Package]:
    """Everything that this terminal offers under one button, and nothing of another terminal."""
    for series in plan.series:
        yield Package(series.id, series.name, pieces_of(series), number_of(series.clause))
    if plan.neighbours is not None:
        yield from _neighbours(plan.neighbours, wheel)
    if plan.finales is not None:
        yield from _finales(plan.finales, wheel)


def pieces_of(series: Series) -> tuple[Piece, ...]:
    return tuple(
        Piece(PositionId(position), Pieces(int(count)))
        for count, positions in series.pieces.items()
        for position in positions.split()
    )


def _neighbours(offer: NeighboursOffer, wheel: Wheel) -> Iterator[Package]:
    """One piece straight up on a number and on so many to its left and to its right on the wheel."""
    for each_side in offer.each_side:
        for centre in wheel.pockets:
            yield Package(
                PackageId(f"neighbours:{centre}:{each_side}"),
                f"{centre} and {each_side} {'neighbour' if each_side == 1 else 'neighbours'} each side",
                _straight_up(wheel.around(centre, each_side)),
                number_of(offer.clause),
            )


def _finales(offer: FinalesOffer, wheel: Wheel) -> Iterator[Package]:
    """One piece straight up on each number that ends in the digit; every zero ends in 0."""
    for digit in offer.digits:
        ending = tuple(pocket for pocket in wheel.pockets if pocket[-1] == str(digit))
        yield Package(PackageId(f"finales:{digit}"), f"Finales {digit}", _straight_up(ending), number_of(offer.clause))


def _straight_up(pockets: tuple[Pocket, ...]) -> tuple[Piece, ...]:
    return tuple(Piece(PositionId(f"straight:{pocket}"), Pieces(1)) for pocket in pockets)


_COUNT = re.compile(r"[1-9][0-9]{0,2}")


def build_terminals(
    plans: tuple[TerminalPlan, ...],
    layouts: Mapping[LayoutId, Layout],
    planned: Collection[LayoutId],
    faults: Faults,
) -> Mapping[TerminalId, Terminal]:
    """``planned`` names every layout of the file, also those that could not be laid out."""
    terminals = {}
    if not plans and not faults.lost_in("terminals"):
        faults.add("terminals", "no terminal", "add the terminal or table at which the game is played")
    for id in twice(plan.id for plan in plans):
        faults.add("terminals", f"terminal '{id}' stands twice", "give every terminal its own id")
    for i, plan in enumerate(plans):
        place = f"terminals[{i}]"
        if not SLUG.fullmatch(plan.id):
            faults.add(f"{place}.id", f"'{plan.id}' is not a terminal's name", "write words joined by dashes")
        if plan.layout not in planned and not faults.lost_in("layouts"):
            faults.add(f"{place}.layout", f"there is no layout '{plan.layout}'", f"name one of {', '.join(planned)}")
        if layout := layouts.get(plan.layout):
            _check_series(place, plan, layout, faults)
            _check_neighbours(place, plan, layout, faults)
            _check_finales(place, plan, layout, faults)
            if not faults.found:
                terminals[plan.id] = Terminal(plan, layout, tuple(packages_of(plan, layout.wheel)))
    return terminals


def _check_series(place: str, plan: TerminalPlan, layout: Layout, faults: Faults) -> None:
    for id in twice(series.id for series in plan.series):
        faults.add(f"{place}.series", f"the package '{id}' stands twice", "give every package its own id")
    for i, series in enumerate(plan.series):
        at = f"{place}.series[{i}]"
        if not SLUG.fullmatch(series.id) or series.id in ("neighbours", "finales"):
            faults.add(f"{at}.id", f"'{series.id}' is not a package's name", "write words joined by underscores")
        if (
            not series.pieces
            or not all(map(_COUNT.fullmatch, series.pieces))
            or not all(positions.split() for positions in series.pieces.values())
        ):
            faults.add(f"{at}.pieces", "how many pieces?", "use 1, 2, … up to 999 as the keys of 'pieces'")
            continue
        _check_pieces(at, series, layout, faults)


def _check_pieces(place: str, series: Series, layout: Layout, faults: Faults) -> None:
    pieces = pieces_of(series)
    for position in twice(piece.position for piece in pieces):
        faults.add(f"{place}.pieces", f"{position} stands twice", "name it once, under its number of pieces")
    for piece in pieces:
        if piece.position not in layout.by_id:
            known = canonical_name(layout, piece.position)
            faults.add(
                f"{place}.pieces.{piece.pieces}",
                f"the package names {piece.position}, which layout {layout.id} does not offer",
                f"its one name is {known}" if known else "name positions of the terminal's layout",
            )
    total = sum(piece.pieces for piece in pieces)
    if total != series.total:
        faults.add(
            f"{place}.total", f"the pieces add up to {total}, not {series.total}", "correct the pieces or the total"
        )


def _check_neighbours(place: str, plan: TerminalPlan, layout: Layout, faults: Faults) -> None:
    if plan.neighbours is None:
        return
    widths, rim = plan.neighbours.each_side, len(layout.wheel.order)
    at = f"{place}.neighbours.each_side"
    if not widths or twice(map(str, widths)) or not all(width > 0 and 2 * width < rim for width in widths):
        faults.add(at, "not every width fits the wheel", f"name widths once each, from 1 to {(rim - 1) // 2}")
    if layout.wheel.spun is Spun.WHEEL or not _has_straights(layout):
        faults.add(at, "the layout has no number to place straight up", "remove 'neighbours'")


def _check_finales(place: str, plan: TerminalPlan, layout: Layout, faults: Faults) -> None:
    if plan.finales is None:
        return
    endings = {pocket[-1] for pocket in layout.wheel.pockets}
    at = f"{place}.finales.digits"
    digits = list(map(str, plan.finales.digits))
    if not digits or twice(digits) or not endings.issuperset(digits):
        faults.add(at, "not every digit ends a number of the wheel", "name digits once each, from 0 to 9")
    if not _has_straights(layout):
        faults.add(at, "the layout has no number to place straight up", "remove 'finales'")


def _has_straights(layout: Layout) -> bool:
    """Whether numbers can be bet on singly; that one of them is missing is told where the layout is checked."""
    return any(f"straight:{pocket}" in layout.by_id for pocket in layout.wheel.pockets)
