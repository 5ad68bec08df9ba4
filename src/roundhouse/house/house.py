"""The house as the server holds it: people, sessions, terminals, second persons, alerts, and what it notes.

Every method that changes something has recorded it, durably, when it returns. Which person or terminal asks comes
from a session or a key, never from a message.
"""

from collections.abc import Callable, Iterator
from typing import Final

from roundhouse.config.loading import Configuration
from roundhouse.house.approvals import ApprovalNeeded, Approvals, approval_needed, dry_run
from roundhouse.house.passwords import Passwords
from roundhouse.house.sessions import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.house.writer import HouseWriter
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Batch, Store
from roundhouse.people import events as e
from roundhouse.people.events import HOUSE, Actor, ActorKind, HouseEntry
from roundhouse.people.names import AlertId, PersonId, Refusal, Refused
from roundhouse.people.state import AlertRecord
from roundhouse.rules.names import StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.decide import MAY_NEED_APPROVAL, may_ask
from roundhouse.table.names import Millis, TableId
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.table.state import Table

_PLAYER: Final = StaffPosition.PLAYER
AT_A_SEAT: Final[frozenset[type[c.Command]]] = frozenset(
    {
        c.TakeSeat,
        c.BuyCredits,
        c.PlaceBets,
        c.PlacePackage,
        c.WithdrawBets,
        c.Undo,
        c.Clear,
        c.Repeat,
        c.Double,
        c.CashOut,
        c.RedeemTicket,
    }
)
"""What a terminal may ask for, of its own seat."""


def commands_of(terminal: EnrolledTerminal) -> frozenset[type[c.Command]]:
    """The commands that the house takes from a terminal; credits are bought only where it takes bills."""
    return AT_A_SEAT if terminal.bill_acceptor else AT_A_SEAT - {c.BuyCredits}


class House(Approvals):
    def __init__(
        self,
        store: Store,
        key: Key,
        configuration: Configuration,
        commit: Callable[[Batch], None] | None = None,
        passwords: Passwords | None = None,
    ) -> None:
        """``commit`` makes a batch durable before it returns; without one, the store's own."""
        super().__init__(HouseWriter(store, key, commit), configuration, passwords or Passwords())
        self._codes = {}

    def position_for(
        self,
        who: Session | EnrolledTerminal,
        table: TableId,
        state: Table,
        command: c.AnyCommand,
        at: Millis,
        asked: StaffPosition | None = None,
    ) -> StaffPosition | ApprovalNeeded | Refused:
        """In which position a request is put to a table; what the table makes of it is the table's to say.

        ``command.by`` is not looked at; ``asked`` is the position that somebody says he acts in.
        """
        if isinstance(who, EnrolledTerminal):
            return self._terminal_may(who, table, command, asked)
        with self.chain.lock:
            now = self.current(who, at)
        if isinstance(now, Refused):
            return now
        if now.auditor:
            return StaffPosition.PLAYER if isinstance(command, c.Show) else _only_looks()
        here = now.positions_at(table)
        if not here:
            return Refused(Refusal.OTHER_TABLE, f"your console is that of {now.console}")
        if asked is not None and asked not in here:
            return Refused(Refusal.NOT_AUTHORISED, f"you do not act as {asked} at this table")
        position = asked or _fitting(here, state, command, at)
        return approval_needed(state, command, position, at) or position

    def _terminal_may(
        self, who: EnrolledTerminal, table: TableId, command: c.AnyCommand, asked: StaffPosition | None
    ) -> StaffPosition | Refused:
        """Asked for every bet, so that what is usual comes first; and without the lock, which a commit may hold."""
        if who.number not in self.chain.state.terminals:
            return Refused(Refusal.TERMINAL_IS_REVOKED)
        if who.table != table:
            return Refused(Refusal.OTHER_TABLE, f"this terminal belongs to {who.table}")
        if asked is not None and asked is not _PLAYER:
            return Refused(Refusal.NOT_AUTHORISED, "at a terminal everybody is a player")
        kind = type(command)
        if kind not in AT_A_SEAT:
            return _PLAYER if kind is c.Show else Refused(Refusal.NOT_AUTHORISED, "this is not for terminals")
        if command.seat != who.seat:  # type: ignore[union-attr]
            return Refused(Refusal.OTHER_SEAT, f"this terminal is seat {who.seat}")
        if isinstance(command, c.TakeSeat) and command.terminal != who.terminal:
            return Refused(Refusal.NO_SUCH_TERMINAL, f"this terminal is a {who.terminal}")
        if kind is c.BuyCredits and not who.bill_acceptor:
            return Refused(Refusal.NO_BILL_ACCEPTOR, "credits are bought from the cashier")
        return _PLAYER

    def alert(
        self,
        about: str,
        text: str,
        at: Millis,
        table: TableId | None = None,
        person: PersonId | None = None,
        who: Session | EnrolledTerminal | None = None,
    ) -> AlertId | Refused:
        """For the pit to see, until somebody there has acknowledged it. Without ``who``, by the house itself."""
        with self.chain.lock:
            alert = AlertId(self.chain.current().fresh("n"))
            event = e.AlertRaised(alert, about, text, table, person)
            match who:
                case None:
                    refused = self.chain.record(at, [(HOUSE, event)])
                case EnrolledTerminal():
                    refused = self.chain.record(at, [(Actor(ActorKind.TERMINAL, terminal=who.number), event)])
                case Session():
                    refused = self.record_as(who, event, at)
            return refused or alert

    def acknowledge(self, asking: Session, alert: AlertId, at: Millis) -> Refused | None:
        return self.record_as(asking, e.AlertAcknowledged(alert), at)

    def alerts(self) -> dict[AlertId, AlertRecord]:
        with self.chain.lock:
            return dict(self.chain.current().alerts)

    def note(self, event: e.Note, at: Millis, who: Session | EnrolledTerminal | Actor | None = None) -> Refused | None:
        """Settings, self-checks, backups, refusals, start and stop. Without ``who``, by the house itself."""
        match who:
            case None:
                by = HOUSE
            case Actor():
                by = who
            case EnrolledTerminal():
                by = Actor(ActorKind.TERMINAL, terminal=who.number)
            case Session():
                if not isinstance(event, e.RequestRefused):
                    return self.record_as(who, event, at)
                by = Actor(ActorKind.PERSON, who.person)
        return self.chain.record(at, [(by, event)])

    def start(self, version: str, software: str, at: Millis) -> None:
        """The first thing that a running house does: whoever was logged in before is not any more."""
        with self.chain.lock:
            self._live.clear()
            self._must(
                self.note(
                    e.HouseStarted(version, software, self.configuration.hash, self.configuration.plan.house.currency),
                    at,
                )
            )

    @property
    def currency(self) -> str:
        """What its cents are of; nothing before its first start."""
        with self.chain.lock:
            return self.chain.current().currency

    def entries(self, after: int = 0) -> Iterator[HouseEntry]:
        """The house's own history, for whoever reports or audits it."""
        return self.chain.entries(after)


def _only_looks() -> Refused:
    return Refused(Refusal.NOT_AUTHORISED, "an auditor sees everything and changes nothing")


def _fitting(positions: tuple[StaffPosition, ...], state: Table, command: c.AnyCommand, at: Millis) -> StaffPosition:
    """The highest of somebody's positions in which the table would hear him; else his highest, to be refused in."""
    for position in positions:
        if isinstance(command, c.Show) or _heard(state, command, position, at):
            return position
    return positions[0]


def _heard(state: Table, command: c.AnyCommand, position: StaffPosition, at: Millis) -> bool:
    if not isinstance(command, (*MAY_NEED_APPROVAL, c.CallNoSpin)):
        return may_ask(state, command, position)
    refused = dry_run(state, command, position, at).refused
    return refused is None or refused.refusal is not TableRefusal.NOT_AUTHORISED
