"""Terms of the house that commands are decided under: what a table opens with, and what a position may do alone.

The writer of a table supplies them as facts, and the journal records them with each entry, so that a replay decides
the same. Entries of earlier versions have no terms about money and are decided without bounds.
"""

from typing import Final

from msgspec import Struct, field

from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.limits import Limits


class HouseTerms(Struct, frozen=True, omit_defaults=True):
    """Terms that the house has configured for a table. The writer supplies it when the table opens."""

    limits: Limits | None = None
    """Limits for ``open_table`` without limits."""
    chips: tuple[Cents, ...] = ()
    """Values of the cash chips for ``open_table`` without chips."""
    currency: str = ""
    opens_phrase: str = ""
    """Chosen among the rulebook's phrases; the first of them if empty."""
    closes_phrase: str = ""


class MoneyTerms(Struct, frozen=True, omit_defaults=True):
    """Authority of the sender's position over the money that one command moves. ``None`` stands for no bound."""

    alone: Cents | None = None
    """Most that one seat gets within an hour without a second person."""
    hour: Cents | None = None
    """Most that one person does within an hour at the table without a second person, at all seats together."""
    max: Cents | None = None
    """Most that one seat gets within an hour at all."""
    protects_seats: bool = False
    """Whether staff move the credits of a seat only with its Player or with a second person."""
    limits: Limits | None = None
    """Configured limits of the table. Limits above them need a second person."""
    limits_times: int | None = None
    """Limits above this multiple of the configured ones are refused."""
    needs_reason: bool = False
    """Whether the correction of a settled round needs a reason."""


class MoneyBound(Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds of one position for one kind of movement, in minor units. ``None`` stands for no bound."""

    alone: Cents | None = None
    hour: Cents | None = None
    max: Cents | None = None


Bounds = dict[StaffPosition, MoneyBound]
P = StaffPosition
_LADDER: Final = (P.DEALER, P.PIT_SUPERVISOR, P.PIT_MANAGER, P.SHIFT_MANAGER, P.CASINO_MANAGER)
_NO_BOUND: Final = MoneyBound()


class HouseMoney(Struct, frozen=True):
    """Authority over money at one table, as configured. The default has no bounds, as in ``roundhouse deal``."""

    buy_in: Bounds = field(default_factory=dict)
    cash_out: Bounds = field(default_factory=dict)
    ticket: Bounds = field(default_factory=dict)
    protects_seats: bool = False
    limits: Limits | None = None
    limits_times: int | None = None

    def terms_for(self, command: object) -> MoneyTerms | None:
        """Return the terms under which a command is decided; ``None`` if it moves no money."""
        match command:
            case c.BuyCredits(by=by):
                return _terms(self.buy_in, by, self.protects_seats)
            case c.ReversePurchase(by=by):
                return _terms(self.buy_in, by, self.protects_seats)
            case c.CashOut(by=by):
                return _terms(self.cash_out, by, self.protects_seats)
            case c.RequestCashOut():
                return MoneyTerms(protects_seats=self.protects_seats)
            case c.RedeemTicket(by=by):
                return _terms(self.ticket, by, self.protects_seats)
            case c.OpenTable() | c.ChangeLimits():
                return MoneyTerms(limits=self.limits, limits_times=self.limits_times)
            case c.CorrectResult():
                return MoneyTerms(needs_reason=self.protects_seats)
            case _:
                return None


def _terms(bounds: Bounds, by: StaffPosition, protects_seats: bool) -> MoneyTerms:
    bound = bound_of(bounds, by)
    return MoneyTerms(bound.alone, bound.hour, bound.max, protects_seats)


def bound_of(bounds: Bounds, by: StaffPosition) -> MoneyBound:
    """Return the bound of a position. A higher position without a bound has that of the next lower one.

    >>> bounds = {StaffPosition.DEALER: MoneyBound(Cents(5)), StaffPosition.CASHIER: MoneyBound(Cents(9))}
    >>> [bound_of(bounds, one).alone for one in (StaffPosition.PIT_MANAGER, StaffPosition.CASHIER)]
    [5, 9]
    """
    if by in bounds:
        return bounds[by]
    if by in _LADDER:
        for lower in reversed(_LADDER[: _LADDER.index(by)]):
            if lower in bounds:
                return bounds[lower]
    return _NO_BOUND


UNBOUNDED: Final = HouseMoney()
