"""Packages: named sets of pieces (equal chips) that a player places with one touch.

Each piece lies on one position of the layout. Settlement and limits apply to the single pieces, never to a
package. This module also builds the terminals of a rulebook with their packages.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from roundhouse.rules.checks import SLUG, duplicates
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
    """A type of Player Terminal, or the live table, with its layout and the packages it offers."""

    plan: TerminalPlan
    layout: Layout
    packages: tuple[Package, ...]

    def package(self, id: PackageId) -> Package | None:
        return next((package for package in self.packages if package.id == id), None)


def packages_of(plan: TerminalPlan, wheel: Wheel) -> Iterator[Package]:
    """Yield the packages that this terminal offers."""
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
    """Yield packages of one piece straight up on a number and on each of its neighbours on the wheel."""
    for each_side in offer.each_side:
        for centre in wheel.pockets:
            yield Package(
                PackageId(f"neighbours:{centre}:{each_side}"),
                f"{centre} and {each_side} {'neighbour' if each_side == 1 else 'neighbours'} each side",
                _straight_up(wheel.around(centre, each_side)),
                number_of(offer.clause),
            )


def _finales(offer: FinalesOffer, wheel: Wheel) -> Iterator[Package]:
    """Yield packages of one piece straight up on each number that ends in a digit. All zeros end in 0."""
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
    """Check the terminals and build them. ``planned`` lists all layouts of the file, ``layouts`` the valid ones."""
    terminals = {}
    if not plans and not faults.omitted_in("terminals"):
        faults.add("terminals", "no terminal", "add the terminal or table at which the game is played")
    for id in duplicates(plan.id for plan in plans):
        faults.add("terminals", f"terminal '{id}' is listed twice", "give every terminal a different id")
    for i, plan in enumerate(plans):
        place = f"terminals[{i}]"
        if not SLUG.fullmatch(plan.id):
            faults.add(f"{place}.id", f"'{plan.id}' is not a valid terminal id", "write words joined by dashes")
        if plan.layout not in planned and not faults.omitted_in("layouts"):
            faults.add(f"{place}.layout", f"there is no layout '{plan.layout}'", f"use one of {', '.join(planned)}")
        if layout := layouts.get(plan.layout):
            _check_series(place, plan, layout, faults)
            _check_neighbours(place, plan, layout, faults)
            _check_finales(place, plan, layout, faults)
            if not faults.found:
                terminals[plan.id] = Terminal(plan, layout, tuple(packages_of(plan, layout.wheel)))
    return terminals


def _check_series(place: str, plan: TerminalPlan, layout: Layout, faults: Faults) -> None:
    for id in duplicates(series.id for series in plan.series):
        faults.add(f"{place}.series", f"package '{id}' is listed twice", "give every package a different id")
    for i, series in enumerate(plan.series):
        at = f"{place}.series[{i}]"
        if not SLUG.fullmatch(series.id) or series.id in ("neighbours", "finales"):
            faults.add(f"{at}.id", f"'{series.id}' is not a valid package id", "write words joined by underscores")
        if (
            not series.pieces
            or not all(map(_COUNT.fullmatch, series.pieces))
            or not all(positions.split() for positions in series.pieces.values())
        ):
            faults.add(
                f"{at}.pieces",
                "invalid number of pieces, or no positions",
                "use 1 to 999 as keys, each with a list of positions",
            )
            continue
        _check_pieces(at, series, layout, faults)


def _check_pieces(place: str, series: Series, layout: Layout, faults: Faults) -> None:
    pieces = pieces_of(series)
    for position in duplicates(piece.position for piece in pieces):
        faults.add(f"{place}.pieces", f"{position} is listed twice", "list it once, under its number of pieces")
    for piece in pieces:
        if piece.position not in layout.by_id:
            known = canonical_name(layout, piece.position)
            faults.add(
                f"{place}.pieces.{piece.pieces}",
                f"layout {layout.id} has no position {piece.position}",
                f"write {known}" if known else "use positions of the terminal's layout",
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
    if not widths or duplicates(map(str, widths)) or not all(width > 0 and 2 * width < rim for width in widths):
        faults.add(
            at, "a number of neighbours is duplicate or out of range", f"list each once, from 1 to {(rim - 1) // 2}"
        )
    if layout.wheel.spun is Spun.WHEEL or not _has_straights(layout):
        faults.add(at, "the layout has no straight up bets", "remove 'neighbours'")


def _check_finales(place: str, plan: TerminalPlan, layout: Layout, faults: Faults) -> None:
    if plan.finales is None:
        return
    endings = {pocket[-1] for pocket in layout.wheel.pockets}
    at = f"{place}.finales.digits"
    digits = list(map(str, plan.finales.digits))
    if not digits or duplicates(digits) or not endings.issuperset(digits):
        faults.add(
            at, "a digit is duplicate, or no number of the wheel ends in it", "list each digit once, from 0 to 9"
        )
    if not _has_straights(layout):
        faults.add(at, "the layout has no straight up bets", "remove 'finales'")


def _has_straights(layout: Layout) -> bool:
    """Return whether the layout has any straight up bet. The checks of the layout report single missing ones."""
    return any(f"straight:{pocket}" in layout.by_id for pocket in layout.wheel.pockets)
