"""A view of a seat's session for its Player: the net result, the limits and what is left of them."""

from msgspec import Struct

from roundhouse.table.names import Millis
from roundhouse.table.protection import MINUTE, NO_LIMITS, LimitName, PendingLimit, PlayLimits
from roundhouse.table.seat_sessions import figures_of
from roundhouse.table.state import Seat


class SessionView(Struct, frozen=True, omit_defaults=True):
    began: Millis
    """When the session began, if it was played without a pause."""
    net_cents: int
    """Net win of the Player; negative for a loss. Chips on the layout still count as theirs."""
    staked_cents: int
    """Stakes of settled rounds."""
    limits: PlayLimits = NO_LIMITS
    """Limits in force."""
    pending: dict[LimitName, PendingLimit] = {}
    """Looser limits, each with the time at which it begins."""
    required: tuple[LimitName, ...] = ()
    """Limits that the Player must set before the next bet."""
    loss_left_cents: int | None = None
    """The most that may still be lost, if all chips on the layout are lost. Missing without a limit of loss."""
    stake_left_cents: int | None = None
    """The most that may still be staked in this round. Missing without a limit of stakes."""
    ends_at: Millis | None = None
    """When the time limit is reached."""
    check_due_at: Millis | None = None
    """When bets are refused until a reality check is acknowledged."""
    break_until: Millis | None = None


def session_view(seat: Seat, at: Millis) -> SessionView | None:
    """Return the view of a seat's session after an entry at this time; ``None`` if the seat has none."""
    session, protection = seat.session, seat.protection
    if not session:
        return None
    figures = figures_of(seat)
    settled = figures.staked - seat.on_layout
    if not protection:
        return SessionView(session.began, figures.net, settled)
    limits = protection.limits_at(at)
    loss, on_layout = limits.loss_cents, seat.on_layout
    stakes = []
    if limits.stake_cents is not None:
        stakes.append(limits.stake_cents - on_layout)
    if limits.session_stake_cents is not None:
        stakes.append(limits.session_stake_cents - figures.staked)
    return SessionView(
        session.began,
        figures.net,
        settled,
        limits,
        {name: one for name, one in protection.pending.items() if at < one.begins},
        protection.missing_at(at),
        None if loss is None else max(0, loss + figures.net - on_layout),
        max(0, min(stakes)) if stakes else None,
        None if limits.minutes is None else Millis(session.began + limits.minutes * MINUTE),
        protection.check_due_at(at),
        protection.break_until if at < protection.break_until else None,
    )
