"""Types and helpers shared by all deciders: decisions, facts, refusals and groups of positions."""

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from roundhouse.rules.authority import may_act_as
from roundhouse.rules.currency import format_amount
from roundhouse.rules.names import Cents, Clause, PackageId, StaffPosition
from roundhouse.table.commands import Command, OpenTable
from roundhouse.table.events import AnyEvent, CashedOut, ConcealedCashOut, TableStopped
from roundhouse.table.evidence import PROGRAMS, Source, same_name
from roundhouse.table.names import Millis, PersonName, Phase, TicketId
from roundhouse.table.protection import CarriedProtection, HouseProtection
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.sessions import CarriedSession
from roundhouse.table.state import Table
from roundhouse.table.terms import HouseTerms as HouseTerms
from roundhouse.table.terms import MoneyTerms

P = StaffPosition


class Ticket(Struct, frozen=True):
    """A ticket as stored in the journal."""

    number: TicketId
    """Id of the ticket in the journal. It is the number itself only in journals before format 3."""
    cents: Cents
    expires: Millis
    redeemed: bool
    disputed: bool | UnsetType = UNSET
    """Whether the ticket may have been paid in the span that a restored journal has lost."""
    session: CarriedSession | UnsetType = UNSET
    """Session that the ticket carries along."""
    protection: CarriedProtection | UnsetType = UNSET
    """Protection that the ticket carries along."""


def issued_ticket(event: CashedOut, redeemed: bool) -> Ticket:
    """Return the ticket that an event issued, with the session that it carries along."""
    issued = Ticket(event.ticket, event.cents, event.expires, redeemed)
    if not isinstance(event, ConcealedCashOut):
        return issued
    return replace(issued, session=event.session or UNSET, protection=event.protection or UNSET)


class Facts(Struct, frozen=True, omit_defaults=True, gc=False):
    """External input of a decision, such as the time. The journal stores it so that the decision can be replayed."""

    at: Millis
    fresh_ticket: TicketId | None = None
    """Id of the new ticket, if the command issues one. Its number is unguessable."""
    ticket: Ticket | None = None
    """The ticket that the command names, if it exists."""
    house: HouseTerms | None = None
    """Terms of the house, for ``open_table`` and for a recovery that adopts the current procedure.

    Without them the table opens under the first procedure.
    """
    ball_on_line: bool | None = None
    """Whether the wheel's line saw a ball in this round, for ``ball_at_rest``; ``None`` if the table has no wheel."""
    number_awaited: bool = False
    """Whether the wheel's line follows this round's ball and has not read its number, for ``confirm_result``."""
    offers: tuple[PackageId, ...] | None = None
    """Packages that the house offers at the terminal that takes a seat; ``None`` for all of its type."""
    salt: str | None = None
    """Random text from which the house's key derives the number of the new ticket. ``None`` before format 3."""
    carries_session: bool = False
    """Whether the new ticket carries the seat's session along. Entries of earlier versions do not."""
    protection: HouseProtection | None = None
    """Settings of the house for the protection of Players; ``None`` for the defaults."""
    ticket_life: Millis | None = None
    """Time for which the new ticket can be redeemed; ``None`` for ``TICKET_LIFE``."""
    money: MoneyTerms | None = None
    """Authority of the sender over the money that the command moves. ``None`` in entries of earlier versions."""
    head: str | None = None
    """Hash of the entry before, for ``dispute``. It freezes what the dispute is about."""
    goodwill_max: Cents | None = None
    """Largest payment of goodwill, for ``close_dispute``; ``None`` if the house sets none."""
    dealer_gone: bool = False
    """Whether the session of the Dealer of record has ended, for ``take_table``."""


_NO_TICKET = TicketId("-")
"""Stands for the id of a ticket that is not issued."""


def dry_run_facts(table: Table, command: Command, at: Millis) -> Facts:
    """Return the facts to try a command on a table without recording it, as the current version decides it."""
    house = None if table.state.by_evidence and not isinstance(command, OpenTable) else table.terms
    return Facts(at, fresh_ticket=_NO_TICKET, house=house, money=table.money.terms_for(command))


class Decision(Struct, frozen=True, gc=False):
    """Result of a command: events or a refusal. A late bet and a command that stops the table have both."""

    events: list[AnyEvent]
    refused: Refused | None = None


def amount_at(table: Table, cents: int) -> str:
    """Format an amount in the currency of a table, for the reason of a refusal."""
    return format_amount(cents, table.state.terms.currency)


def refuse(refusal: Refusal, clause: Clause | None = None, reason: str | None = None) -> Decision:
    return Decision([], Refused(refusal, clause, reason))


def source_of(command: Command | None) -> Source:
    """Return who sent a command. ``None`` stands for the table itself."""
    if command is None:
        return Source(P.SYSTEM)
    return Source(command.by, _name(command.who), _name(command.second))


def _name(name: PersonName | UnsetType) -> PersonName | None:
    return None if name is UNSET or not name.strip() else name


def with_second_person(command: Command, decision: Decision, action: str) -> Decision:
    """Return the decision if two different persons are named in the command, else refuse it.

    Programs of the house need no second person. A decision that is a refusal is returned as it is.
    """
    source = source_of(command)
    two = source.who is not None and source.second is not None and not same_name(source.who, source.second)
    if two or source.is_program or decision.refused is not None:
        return decision
    return refuse(Refusal.NEEDS_SECOND_PERSON, reason=f"{action} needs a second person's approval")


def stopping(wrong: str) -> Decision:
    """Refuse the command and stop the table, because its accounts do not balance."""
    return Decision([TableStopped(wrong)], Refused(Refusal.TABLE_IS_STOPPED, None, wrong))


STAFF = (P.DEALER, P.PIT_SUPERVISOR, P.PIT_MANAGER, P.SHIFT_MANAGER, P.CASINO_MANAGER)
SUPERVISORS = STAFF[1:]
PLAYER = (P.PLAYER,)
DEALER = (P.DEALER,)
AT_THE_CAGE = (P.PLAYER, P.CASHIER, P.DEALER)
ANYONE = tuple(position for position in P if position not in PROGRAMS)


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
