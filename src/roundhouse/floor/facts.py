"""Facts that the house supplies with a command: tickets, terms of the table, and packages of a terminal."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from roundhouse.floor.clock import Clock
from roundhouse.floor.tickets import TicketDesk
from roundhouse.journal.entry import ChainHash
from roundhouse.rules.names import Cents, PackageId
from roundhouse.table.commands import (
    AnyCommand,
    BallAtRest,
    BuyCredits,
    CashOut,
    ChangeLimits,
    CloseDispute,
    ConfirmResult,
    CorrectResult,
    Dispute,
    OpenTable,
    RedeemTicket,
    RequestCashOut,
    ReversePurchase,
    SetProtection,
    TakeBreak,
    TakeSeat,
    TakeTable,
)
from roundhouse.table.decision import Facts, HouseTerms
from roundhouse.table.names import Millis, PersonName, RoundNumber, SeatId, TicketId
from roundhouse.table.protection import HouseProtection
from roundhouse.table.state import TableState
from roundhouse.table.terms import UNBOUNDED

_ABOUT_MONEY: Final = (
    BuyCredits,
    CashOut,
    ChangeLimits,
    CorrectResult,
    OpenTable,
    RedeemTicket,
    RequestCashOut,
    ReversePurchase,
)
_ABOUT_THE_DESK: Final = (CloseDispute, Dispute, TakeTable)
_ABOUT_PROTECTION: Final = (SetProtection, TakeBreak)
NEEDS_FACTS: Final = frozenset(
    {BallAtRest, ConfirmResult, TakeSeat, type(None), *_ABOUT_MONEY, *_ABOUT_THE_DESK, *_ABOUT_PROTECTION}
)
"""Commands that are decided on more than the time. ``None`` stands for a recovery."""

Offers = Mapping[SeatId, tuple[PackageId, ...]]
"""Packages offered at the terminals of seats, where the house does not offer all of the terminal's type."""


class FactSource:
    """Supplies what the commands to one table are decided on besides its state and its journal."""

    def __init__(self, clock: Clock, terms: HouseTerms) -> None:
        self.clock = clock
        self.terms = terms
        """Terms of the house, which apply from the table's next opening on."""
        self.money = UNBOUNDED
        """Authority over money, as configured."""
        self.offers: Offers = {}
        self.is_disputed: Callable[[TicketId], bool] = lambda _: False
        """Tells whether a ticket is in dispute since the journal was restored."""
        self.ticket_life: Millis | None = None
        """Time for which new tickets can be redeemed; ``None`` for the default."""
        self.goodwill_max: Cents | None = None
        """Largest payment of goodwill for one dispute; ``None`` if the house sets none."""
        self.is_gone: Callable[[PersonName], bool] = lambda _: False
        """Tells whether a person has no session at this table any more."""
        self.protection: HouseProtection | None = None
        """Settings of the house for the protection of Players; ``None`` for the defaults."""
        self.ball_round: RoundNumber | None = None
        """The last round in which the wheel's line saw a ball. The dealer sets it; ``None`` without a wheel."""
        self.ball_rolls = False
        """Whether the wheel has not ended the game of that ball. The dealer sets it."""

    def facts(
        self,
        command: AnyCommand | None,
        at: Millis,
        state: TableState,
        tickets: TicketDesk,
        adopts: bool,
        head: ChainHash,
    ) -> Facts:
        """Return the facts of a command. ``adopts`` is whether the table may adopt the current procedure with it.

        ``head`` is the hash of the entry before. A ticket that the command names must be concealed already
        (``TicketDesk.conceal``).
        """
        opens = isinstance(command, OpenTable)
        facts = Facts(at, house=self.terms if opens or (adopts and not state.by_evidence) else None)
        if isinstance(command, _ABOUT_MONEY):
            facts = replace(facts, money=self.money.terms_for(command))
        match command:
            case RedeemTicket(ticket=number):
                found = tickets.find(TicketId(number))
                if found is not None and self.is_disputed(found.number):
                    found = replace(found, disputed=True)
                return replace(facts, ticket=found, protection=self.protection)
            case CashOut():
                salt = self.clock.fresh_salt()
                life, id = self.ticket_life, tickets.id_for(salt)
                return replace(facts, fresh_ticket=id, salt=salt, ticket_life=life, carries_session=True)
            case BuyCredits() | SetProtection() | TakeBreak():
                return replace(facts, protection=self.protection)
            case BallAtRest():
                on_line = None if self.ball_round is None else self.ball_round == state.round
                return replace(facts, ball_on_line=on_line)
            case ConfirmResult():
                return replace(facts, number_awaited=self._awaits_number(state))
            case TakeSeat(seat=seat):
                return replace(facts, offers=self.offers.get(seat))
            case Dispute():
                return replace(facts, head=head.hex())
            case CloseDispute():
                return replace(facts, goodwill_max=self.goodwill_max)
            case TakeTable():
                gone = state.dealer is not UNSET and self.is_gone(state.dealer.name)
                return replace(facts, dealer_gone=gone)
            case _:
                return facts

    def _awaits_number(self, state: TableState) -> bool:
        """Return whether the line follows this round's ball, and has no reading of it on record."""
        if not self.ball_rolls or self.ball_round != state.round or state.evidence is UNSET:
            return False
        return not any(reading.source.is_program for reading in state.evidence.readings)
