"""Decides chips: which amounts the chips of a table can make, and colour chips issued to one seat.

Cash chips have the values that the table was opened with. Colour chips have no value until they are issued to one
seat, and they belong to one table.
"""

from collections.abc import Iterable
from math import gcd

from roundhouse.rules.names import MAX_STAKE_CENTS, Cents
from roundhouse.rules.rulebook import ChipsRule
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import Decision, Facts, amount_at, refuse
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import ColourChips, Seat, Table


def fault_of_chips(chips: tuple[Cents, ...]) -> str:
    """Return why these values cannot be the cash chips of a table, or an empty text if they can.

    >>> fault_of_chips((Cents(100), Cents(500))), fault_of_chips((Cents(200), Cents(500)))
    ('', 'each chip must be worth a multiple of the smallest, 200')
    """
    if not chips or any(not 0 < chip <= MAX_STAKE_CENTS for chip in chips):
        return "give the values of the cash chips in minor units of the currency"
    if list(chips) != sorted(set(chips)):
        return "give each value once, the smallest first"
    if any(chip % chips[0] for chip in chips):
        return f"each chip must be worth a multiple of the smallest, {chips[0]}"
    return ""


def can_make(chips: tuple[Cents, ...], colour: ColourChips | None, cents: int) -> bool:
    """Return whether cash chips, with or without colour chips, make this amount.

    >>> can_make((Cents(100), Cents(500)), None, 1200), can_make((Cents(100),), None, 1234)
    (True, False)
    >>> pink = ColourChips("pink", 250)
    >>> can_make((Cents(100),), pink, 350), can_make((Cents(100),), pink, 150)
    (True, False)
    """
    smallest = chips[0]
    if cents % smallest == 0:
        return True
    if colour is None:
        return False
    value = colour.value_cents
    step = gcd(value, smallest)
    if cents % step:
        return False
    # The fewest colour chips that leave a multiple of the smallest cash chip.
    fewest = cents // step * pow(value // step, -1, smallest // step) % (smallest // step)
    return fewest * value <= cents


def refuse_amounts(table: Table, seat: Seat, amounts: Iterable[int]) -> Decision | None:
    """Refuse amounts that the chips of the table cannot make; ``None`` if they can, or without chips."""
    chips = table.state.terms.chips
    if not chips:
        return None
    colour = seat.colour or None
    for cents in amounts:
        if not can_make(chips, colour, cents):
            own = f" and colour chips of {amount_at(table, colour.value_cents)}" if colour else ""
            values = ", ".join(amount_at(table, chip) for chip in chips)
            reason = f"{amount_at(table, cents)} cannot be made of cash chips of {values}{own}"
            return refuse(Refusal.NOT_IN_CHIPS, _rule(table).clause, reason)
    return None


def _rule(table: Table) -> ChipsRule:
    rule = table.game.rulebook.chips
    assert rule is not None, "only a game with chips has values of chips"
    return rule


def issue_colour(table: Table, command: c.IssueColour, facts: Facts) -> Decision:
    state, rule = table.state, table.game.rulebook.chips
    if rule is None:
        return refuse(Refusal.NO_SUCH_COLOUR, reason="this game is not played with chips")
    seat = state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if command.colour not in rule.colours:
        return refuse(Refusal.NO_SUCH_COLOUR, rule.colour_clause, f"this table's colours are {', '.join(rule.colours)}")
    if seat.colour:
        reason = f"the seat has {seat.colour.colour}; redeem it first"
        return refuse(Refusal.SEAT_HAS_COLOUR, rule.colour_clause, reason)
    if any(other.colour and other.colour.colour == command.colour for other in state.seats.values()):
        return refuse(Refusal.COLOUR_IS_TAKEN, rule.colour_clause, "another seat has chips of this colour")
    smallest = state.terms.chips[0] if state.terms.chips else 1
    if not smallest <= command.value_cents <= MAX_STAKE_CENTS:
        reason = f"a colour chip is worth at least the smallest cash chip, {amount_at(table, smallest)}"
        return refuse(Refusal.BAD_AMOUNT, rule.colour_clause, reason)
    return Decision([e.ColourIssued(command.seat, command.colour, command.value_cents, rule.colour_clause)])


def redeem_colour(table: Table, command: c.RedeemColour, facts: Facts) -> Decision:
    """Take back the colour of a seat. Its value stays in the seat's credits, now in cash chips."""
    rule = table.game.rulebook.chips
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if rule is None or not seat.colour:
        return refuse(Refusal.NO_COLOUR, rule.colour_clause if rule else None)
    if seat.bets:
        return refuse(Refusal.COLOUR_IS_ON_LAYOUT, rule.colour_clause, "the seat has bets on the layout")
    own = seat.colour
    return Decision([e.ColourRedeemed(command.seat, own.colour, own.value_cents, rule.colour_clause)])
