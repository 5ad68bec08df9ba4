"""Alerts about money: large amounts, reversed purchases, cash-outs by staff, changed limits, replaced terminals."""

from typing import Final

from roundhouse.rules.currency import PLAY_MONEY, format_amount
from roundhouse.rules.names import StaffPosition
from roundhouse.table import events as e
from roundhouse.table.evidence import Source

MONEY_EVENTS: Final = frozenset(
    {
        e.CreditsBought,
        e.CashedOut,
        e.ConcealedCashOut,
        e.TicketRedeemed,
        e.ConcealedRedemption,
        e.PurchaseReversed,
        e.EnrolmentAllowed,
        e.LimitsChanged,
    }
)


def money_alert(event: e.AnyEvent, report_from: int, currency: str = PLAY_MONEY) -> tuple[str, str] | None:
    """Return the code and the text of the alert about an event; ``None`` if the pit need not know of it."""

    def amount(cents: int) -> str:
        return format_amount(cents, currency)

    match event:
        case e.CreditsBought(seat, cents, _, source) if cents >= report_from:
            return "large_amount", f"seat {seat} bought {amount(cents)}{_by(source)}"
        case e.TicketRedeemed(seat, cents, _, source) if cents >= report_from:
            return "large_amount", f"seat {seat} redeemed a ticket of {amount(cents)}{_by(source)}"
        case e.CashedOut(seat, cents, _, _, source):
            by_staff = source is not None and source.by is not StaffPosition.PLAYER
            if by_staff and source is not None and source.second is not None:
                return "cash_out", f"seat {seat} was cashed out: {amount(cents)}{_by(source)}"
            if cents >= report_from:
                return "large_amount", f"seat {seat} cashed out {amount(cents)}{_by(source)}"
        case e.PurchaseReversed(seat, cents, number, source, reason):
            because = f": {reason}" if reason else ""
            text = f"purchase {number} of seat {seat} was reversed, {amount(cents)}{_by(source)}{because}"
            return "reversal", text
        case e.EnrolmentAllowed(seat, cents, _, reason, source):
            text = f"another terminal is allowed at seat {seat} with {amount(cents)}{_by(source)}: {reason}"
            return "terminal_replaced", text
        case e.LimitsChanged(reason=reason, source=source, above_configuration=above):
            over = ", above the configuration" if above else ""
            return "limits_changed", f"the limits change from the next round on{over}{_by(source)}: {reason}"
    return None


def _by(source: Source | None) -> str:
    if source is None or source.by is StaffPosition.PLAYER:
        return ""
    names = " and ".join(name for name in (source.who, source.second) if name)
    return f" by {names or source.by}"
