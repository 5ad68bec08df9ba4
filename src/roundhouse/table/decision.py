"""Types and helpers shared by all deciders: decisions, facts, refusals and groups of positions."""

from msgspec import Struct

from roundhouse.rules.authority import may_act_as
from roundhouse.rules.names import Cents, Clause, StaffPosition
from roundhouse.table.events import AnyEvent, TableStopped
from roundhouse.table.names import Millis, Phase, TicketNumber
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.state import Table

P = StaffPosition


class Ticket(Struct, frozen=True):
    """A ticket as stored in the journal."""

    number: TicketNumber
    cents: Cents
    expires: Millis
    redeemed: bool


class Facts(Struct, frozen=True, omit_defaults=True, gc=False):
    """External input of a decision, such as the time. The journal stores it so that the decision can be replayed."""

    at: Millis
    fresh_ticket: TicketNumber | None = None
    """Unguessable number for the new ticket, if the command issues one."""
    ticket: Ticket | None = None
    """The ticket that the command names, if it exists."""


class Decision(Struct, frozen=True, gc=False):
    """Result of a command: events or a refusal. A late bet and a command that stops the table have both."""

    events: list[AnyEvent]
    refused: Refused | None = None


def refuse(refusal: Refusal, clause: Clause | None = None, reason: str | None = None) -> Decision:
    return Decision([], Refused(refusal, clause, reason))


def stopping(wrong: str) -> Decision:
    """Refuse the command and stop the table, because its accounts do not balance."""
    return Decision([TableStopped(wrong)], Refused(Refusal.TABLE_IS_STOPPED, None, wrong))


STAFF = (P.DEALER, P.PIT_SUPERVISOR, P.PIT_MANAGER, P.SHIFT_MANAGER, P.CASINO_MANAGER)
PLAYER = (P.PLAYER,)
DEALER = (P.DEALER,)
AT_THE_CAGE = (P.PLAYER, P.CASHIER, P.DEALER)
ANYONE = tuple(position for position in P if position is not P.SYSTEM)


def authorised(table: Table, by: StaffPosition, offices: tuple[StaffPosition, ...]) -> bool:
    """Return whether a position is one of ``offices``, or a higher one if the rulebook lets higher positions act."""
    if by in offices:
        return True
    authority = table.game.rulebook.authority
    return any(may_act_as(authority, by, office) for office in offices)


def not_authorised(table: Table, reason: str) -> Decision:
    authority = table.game.rulebook.authority
    return refuse(Refusal.NOT_AUTHORISED, authority.higher_may_act or authority.acting, reason)


BETTING = (Phase.BETS_OPEN, Phase.SPINNING_BETS_OPEN)
AFTER_CLOSING = (Phase.BETS_CLOSED, Phase.SPINNING, Phase.AT_REST, Phase.REGISTERED)
IN_ROUND = (*BETTING, *AFTER_CLOSING)
