"""Packages: several pieces placed with one touch, each piece a position of the layout.

A package has no price and no limit of its own. It is its pieces, and is settled and limited as they are.
"""

from collections.abc import Iterator
from typing import NamedTuple

from roundhouse.rules.layout import Layout
from roundhouse.rules.names import Clause, PackageId, Pieces, Pocket, PositionId, number_of
from roundhouse.rules.rulebook import FinalesOffer, NeighboursOffer, Series, TerminalPlan
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
