"""Types for the names and numbers in the rules: pockets, positions, pieces, clauses, cents.

Each has its own type, so that the type checker notices when a pocket is passed as a position.
"""

from enum import StrEnum
from typing import Final, NewType

from roundhouse.rules.currency import format_amount as format_amount

GameId = NewType("GameId", str)
LayoutId = NewType("LayoutId", str)
TerminalId = NewType("TerminalId", str)

Pocket = NewType("Pocket", str)
"""A possible outcome of a spin: a numbered compartment (``17``, ``00``, ``S``) or a Money Wheel symbol."""

Segment = NewType("Segment", int)
"""Index of a place on the rim, counted clockwise from 0. On a Money Wheel several segments share a symbol."""

Colour = NewType("Colour", str)

BetType = NewType("BetType", str)
"""The part of a position id before the colon: ``straight``, ``split``, ``top_line``, ``dozen``, ``symbol``."""

PositionId = NewType("PositionId", str)
PackageId = NewType("PackageId", str)
Pieces = NewType("Pieces", int)

IrregularityId = NewType("IrregularityId", str)
"""Code under which an irregularity is reported: ``foreign_object``, ``no_spin``."""

Clause = NewType("Clause", str)
"""A clause of the rule document (``5.3.2``, ``Appendix C``), or a row in one (``Appendix C / Tiers Bet``)."""

GENERAL_LAW: Final = Clause("general law")
"""Cited in place of a clause where the rule document has none. By general law, a void round returns all stakes."""

Cents = NewType("Cents", int)
"""An amount in minor units of its currency: cents of SGD, yen, fils of KWD. See ``rules.currency``."""

MAX_STAKE_CENTS: Final = Cents(100_000_000_000)
"""Largest stake of one bet. The sum of a million such bets, all won at 46 for 1, fits in a signed 64-bit integer."""


class StaffPosition(StrEnum):
    """Positions that the rule documents name, and the roles of cashier, Player and the programs of the house."""

    PLAYER = "player"
    CASHIER = "cashier"
    DEALER = "dealer"
    PIT_SUPERVISOR = "pit_supervisor"
    PIT_MANAGER = "pit_manager"
    SHIFT_MANAGER = "shift_manager"
    CASINO_MANAGER = "casino_manager"
    AUTOMATIC_DEALER = "automatic_dealer"
    """The program that deals an unattended table. It is not a person, and no client can act as it."""
    SYSTEM = "system"


def number_of(clause: Clause) -> Clause:
    """Return the number of a clause, without the name of a row in its table.

    >>> number_of(Clause("Appendix C / Tiers Bet"))
    'Appendix C'
    """
    return Clause(clause.partition(" / ")[0])


def type_of(position: PositionId) -> BetType:
    """Return the bet type that a position id begins with.

    >>> type_of(PositionId("split:0-00")), type_of(PositionId("low"))
    ('split', 'low')
    """
    return BetType(position.partition(":")[0])
