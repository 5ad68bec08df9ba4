"""The session and the protection of a seat: how they begin, leave with a ticket and come back with one."""

from typing import assert_never

from msgspec import UNSET

from roundhouse.table.care_events import BreakTaken, CheckAcknowledged, ProtectionSet
from roundhouse.table.events import ConcealedRedemption, TicketRedeemed
from roundhouse.table.names import Millis
from roundhouse.table.protection import (
    NO_LIMITS,
    CarriedProtection,
    HouseProtection,
    PendingLimit,
    Protection,
    house_limits_of,
    merged,
    refuse_play,
    refuse_stake,
    strictest,
)
from roundhouse.table.refusals import Refused
from roundhouse.table.sessions import (
    NOTHING,
    CarriedSession,
    Figures,
    Session,
    merge_figures,
    merged_ids,
    session_id,
)
from roundhouse.table.state import Seat


def _totals(seat: Seat) -> Figures:
    """Return the net result and the stakes of all sessions of a seat."""
    return Figures(seat.returned + seat.won - seat.staked + seat.on_layout, seat.staked - seat.returned)


def figures_of(seat: Seat) -> Figures:
    """Return the figures of a seat's session."""
    return _totals(seat) - seat.session.before if seat.session else NOTHING


def has_ended(seat: Seat, at: Millis, house: HouseProtection, by_staff: bool = False) -> bool:
    """Return whether the seat's session is over, so that money which arrives begins a new one.

    A break is not over because the seat is empty, unless staff see who sits there.
    """
    session = seat.session
    if session is UNSET or session.emptied_at is UNSET or seat.credits or seat.on_layout:
        return False
    on_break = not by_staff and seat.protection is not UNSET and at < seat.protection.break_until
    return at - session.emptied_at >= house.new_session_after and not on_break


def is_replaced(seat: Seat, brought: CarriedSession | None) -> bool:
    """Return whether the session of a ticket takes the place of the seat's session.

    It does so at an empty seat, unless both are parts of one session: the ticket could be redeemed at any other seat.
    """
    if seat.session is UNSET or brought is None or seat.credits or seat.on_layout:
        return False
    return not set(seat.session.ids) & set(brought.ids)


def begin(seat: Seat, at: Millis) -> Session:
    session = seat.session = Session((session_id(seat.id, at),), at, _totals(seat))
    seat.protection = UNSET
    return session


def receive(seat: Seat, at: Millis, new: bool, house: HouseProtection | None) -> None:
    """Note that money has arrived at a seat: continue its session, or begin one."""
    if seat.session is UNSET or new:
        begin(seat, at)
    if house is not None:
        require(seat, at, house)
    seat.session.emptied_at = UNSET  # type: ignore[union-attr]


def require(seat: Seat, at: Millis, house: HouseProtection) -> None:
    """Put a seat's session under the limits of the house."""
    protection = seat.protection or Protection(NO_LIMITS, at)
    if protection.check_due_at(at) is None:
        protection.checked_at = at
    protection.limits = house_limits_of(protection.limits, house)
    protection.pending = {
        name: PendingLimit(strictest(one.value, house.limits.of(name)), one.begins)
        for name, one in protection.pending.items()
    }
    protection.required = house.required
    seat.protection = protection


def carried(seat: Seat, at: Millis) -> CarriedSession | None:
    """Return the session that a ticket of all credits carries along. Chips left on the layout count as lost."""
    session = seat.session
    if session is UNSET:
        return None
    figures, played = figures_of(seat), Millis(at - session.began)
    if seat.on_layout:
        left = Figures(figures.net - seat.on_layout, figures.staked)
        return CarriedSession(session.ids, left, played, left)
    return CarriedSession(session.ids, figures, played, session.shared or None)


def carried_protection(seat: Seat, at: Millis) -> CarriedProtection | None:
    protection = seat.protection
    if protection is UNSET:
        return None
    pending = {name: one for name, one in protection.pending.items() if at < one.begins}
    break_until = protection.break_until if at < protection.break_until else Millis(0)
    since_check = Millis(at - protection.checked_at)
    return CarriedProtection(protection.limits_at(at), since_check, pending, break_until, protection.required)


def leave(seat: Seat, at: Millis) -> None:
    """Note that a ticket took the session along. The seat keeps a copy, for money that arrives soon."""
    session = seat.session
    if session is UNSET or seat.on_layout:
        return
    session.shared = figures_of(seat)
    session.emptied_at = at


def go_on(seat: Seat) -> None:
    """Note that a correction, a decision or goodwill may have left credits at a seat, so that its session goes on."""
    if seat.session is not UNSET and seat.credits:
        seat.session.emptied_at = UNSET


def bring(seat: Seat, session: CarriedSession, protection: CarriedProtection | None, at: Millis) -> None:
    """Join the session of a redeemed ticket with that of the seat, which has just received the money."""
    here = seat.session
    assert here is not UNSET, "money that arrives begins a session"
    figures, shared = merge_figures(here.ids, figures_of(seat), here.shared or None, session)
    same = bool(set(here.ids) & set(session.ids))
    here.began = Millis(min(here.began, at - session.millis) if same else here.began - session.millis)
    here.before = _totals(seat) - figures
    here.shared = shared or UNSET
    here.ids = merged_ids(here.ids, session.ids)
    if protection is not None:
        seat.protection = merged(seat.protection or Protection(NO_LIMITS, at), protection, at)


def refuse_bet(seat: Seat, total: int, at: Millis) -> Refused | None:
    """Refuse bets of ``total`` cents, if the seat's protection does not allow them."""
    protection, session = seat.protection, seat.session
    assert protection is not UNSET
    assert session is not UNSET, "protection belongs to a session"
    if refused := refuse_play(protection, session.began, at):
        return refused
    figures = _totals(seat) - session.before
    return refuse_stake(protection.limits_at(at), total, seat.on_layout, figures.staked, figures.net)


def redeem(seat: Seat, event: TicketRedeemed, at: Millis) -> None:
    """Note that a seat has redeemed a ticket. Its session is that of the ticket, or contains it."""
    alone = seat.session is UNSET or event.new_session
    receive(seat, at, event.new_session, event.house)
    if not isinstance(event, ConcealedRedemption) or event.session is None:
        return
    if alone:
        continue_session(seat, event.session, at)
        if event.protection is not None:
            seat.protection = merged(seat.protection or Protection(NO_LIMITS, at), event.protection, at)
    else:
        bring(seat, event.session, event.protection, at)


def continue_session(seat: Seat, brought: CarriedSession, at: Millis) -> None:
    """Give a seat without a session that of a ticket."""
    began = Millis(at - brought.millis)
    seat.session = Session(brought.ids, began, _totals(seat) - brought.figures, brought.shared or UNSET)


def protect(seat: Seat, event: ProtectionSet | BreakTaken | CheckAcknowledged, at: Millis) -> None:
    """Apply a request of the Player. It begins a session at a seat that has none."""
    if seat.session is UNSET or (isinstance(event, ProtectionSet) and event.new_session):
        begin(seat, at)
    protection = seat.protection
    if protection is UNSET:
        protection = seat.protection = Protection(NO_LIMITS, at)
    match event:
        case ProtectionSet(_, limits, pending, required):
            if protection.check_due_at(at) is None:
                protection.checked_at = at
            protection.limits, protection.pending, protection.required = limits, dict(pending), required
        case BreakTaken(_, until):
            protection.break_until = until
        case CheckAcknowledged():
            protection.checked_at = at
        case _:
            assert_never(event)
