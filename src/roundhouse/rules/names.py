"""The kinds of name and number that the rules speak of, one type each.

No bare ``str`` or ``int`` crosses a module boundary: a pocket is not a position, a piece is not a cent.
"""

from enum import StrEnum
from typing import Final, NewType

GameId = NewType("GameId", str)
LayoutId = NewType("LayoutId", str)
TerminalId = NewType("TerminalId", str)

Pocket = NewType("Pocket", str)
"""What a spin can give: a numbered compartment ``17``, ``00``, ``S``, or a symbol of the Money Wheel."""

Segment = NewType("Segment", int)
"""A place on the rim, counted clockwise from 0. Several segments of a Money Wheel carry one symbol."""

Colour = NewType("Colour", str)

BetType = NewType("BetType", str)
"""``straight``, ``split``, ``top_line``, ``dozen``, ``symbol``: the part of a position's id before its colon."""

PositionId = NewType("PositionId", str)
PackageId = NewType("PackageId", str)
Pieces = NewType("Pieces", int)

IrregularityId = NewType("IrregularityId", str)
"""What can go wrong, and the word under which it is reported: ``foreign_object``, ``no_spin``."""

Clause = NewType("Clause", str)
"""A number of the rule document (``5.3.2``, ``Appendix C``), or a row of it (``Appendix C / Tiers Bet``)."""

GENERAL_LAW: Final = Clause("general law")
"""Cited where a document is silent and the law of the place supplies the answer: a void returns the stakes."""

Cents = NewType("Cents", int)

MAX_STAKE_CENTS: Final = Cents(100_000_000_000)
"""No single bet may be larger. A million such bets, all won at 46 for 1, still fit a signed 64-bit sum."""


class StaffPosition(StrEnum):
    """The offices that the rule documents name, from the Dealer up, and those that serve the money."""

    PLAYER = "player"
    CASHIER = "cashier"
    DEALER = "dealer"
    PIT_SUPERVISOR = "pit_supervisor"
    PIT_MANAGER = "pit_manager"
    SHIFT_MANAGER = "shift_manager"
    CASINO_MANAGER = "casino_manager"
    SYSTEM = "system"


def format_amount(cents: int) -> str:
    """An amount of cents as people read it.

    >>> format_amount(123456), format_amount(-5)
    ('1,234.56', '-0.05')
    """
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def number_of(clause: Clause) -> Clause:
    """The document's own number for a clause or for the table that a row stands in.

    >>> number_of(Clause("Appendix C / Tiers Bet"))
    'Appendix C'
    """
    return Clause(clause.partition(" / ")[0])


def type_of(position: PositionId) -> BetType:
    """
    >>> type_of(PositionId("split:0-00")), type_of(PositionId("low"))
    ('split', 'low')
    """
    return BetType(position.partition(":")[0])
