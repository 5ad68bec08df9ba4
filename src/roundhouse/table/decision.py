"""What every decision on a command has in common: its answer, its facts, and who may ask for what."""

from msgspec import Struct

from roundhouse.rules.authority import may_act_as
from roundhouse.rules.names import Cents, Clause, StaffPosition
from roundhouse.table.events import AnyEvent, TableStopped
from roundhouse.table.names import Millis, Phase, TicketNumber
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.state import Table

P = StaffPosition


class Ticket(Struct, frozen=True):
    """A ticket as the store knows it."""

    number: TicketNumber
    cents: Cents
    expires: Millis
    redeemed: bool


class Facts(Struct, frozen=True, omit_defaults=True, gc=False):
    """What a decision needs from the world. It is recorded, so that the decision can be made again."""

    at: Millis
    fresh_ticket: TicketNumber | None = None
    """An unguessable number, for a command that issues a ticket."""
    ticket: Ticket | None = None
    """The ticket that a command names, if the store has it."""


class Decision(Struct, frozen=True, gc=False):
    """Events that happened, or a refusal; a late bet is both, refused and on record; so is what stops the table."""

    events: list[AnyEvent]
    refused: Refused | None = None


def refuse(refusal: Refusal, clause: Clause | None = None, reason: str | None = None) -> Decision:
    return Decision([], Refused(refusal, clause, reason))


def stopping(wrong: str) -> Decision:
    """The table's money is wrong: what was asked for does not happen, and nothing more will."""
    return Decision([TableStopped(wrong)], Refused(Refusal.TABLE_IS_STOPPED, None, wrong))


STAFF = (P.DEALER, P.PIT_SUPERVISOR, P.PIT_MANAGER, P.SHIFT_MANAGER, P.CASINO_MANAGER)
PLAYER = (P.PLAYER,)
DEALER = (P.DEALER,)
AT_THE_CAGE = (P.PLAYER, P.CASHIER, P.DEALER)
ANYONE = tuple(position for position in P if position is not P.SYSTEM)


def authorised(table: Table, by: StaffPosition, offices: tuple[StaffPosition, ...]) -> bool:
    """May this position do what these offices do? A higher one may, where the rulebook says so."""
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
