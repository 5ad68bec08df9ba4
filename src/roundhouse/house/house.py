"""The house of a server, composed of a writer, sessions, staff, terminals, approvals and permissions.

A change is durable when its coroutine returns. Readers use the committed state and never wait.
"""

from collections.abc import Iterator, Mapping

from roundhouse.config.loading import Configuration
from roundhouse.house.approvals import Approvals
from roundhouse.house.draft import Draft
from roundhouse.house.passwords import PasswordHashing, Passwords
from roundhouse.house.permissions import Permissions
from roundhouse.house.session import Session
from roundhouse.house.sessions import Sessions, must
from roundhouse.house.staff import StaffDirectory
from roundhouse.house.terminals import EnrolledTerminal, Terminals
from roundhouse.house.writer import HouseWriter, Submit
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Store
from roundhouse.people import events as e
from roundhouse.people.events import HOUSE, Actor, ActorKind, HouseEntry
from roundhouse.people.names import AlertId, HouseRefused, PersonId, Severity
from roundhouse.people.state import AlertRecord, PastAlert
from roundhouse.table.names import Millis, TableId


class House:
    def __init__(
        self,
        store: Store,
        key: Key,
        config: Configuration,
        submit: Submit | None = None,
        passwords: Passwords | None = None,
    ) -> None:
        """Open the house. ``submit`` commits a batch in another thread; without it the house commits inline."""
        self.config = config
        self.hashing = PasswordHashing(passwords or Passwords())
        self.writer = HouseWriter(store, key, submit)
        self.sessions = Sessions(self.writer, config, self.hashing)
        self.staff = StaffDirectory(self.writer, self.sessions, self.hashing)
        self.terminals = Terminals(self.writer, config, self.sessions)
        self.approvals = Approvals(self.writer, self.sessions)
        self.permissions = Permissions(self.sessions)

    @property
    def currency(self) -> str:
        """The currency of the house; empty before its first start."""
        return self.writer.state.currency

    def alerts(self) -> Mapping[AlertId, AlertRecord]:
        return self.writer.state.alerts

    def past_alerts(self) -> dict[AlertId, PastAlert]:
        """Return the last alerts that were acknowledged or cleared, in the order of their ends."""
        return self.writer.state.past_alerts

    def entries(self, after: int = 0) -> Iterator[HouseEntry]:
        """Read the house's entries from the journal."""
        return self.writer.entries(after)

    async def start(self, version: str, software: str, at: Millis) -> None:
        """Record that the house starts, and end all sessions of the last run."""
        currency = self.config.plan.house.currency
        event = e.HouseStarted(version, software, self.config.hash, currency)

        def decide(draft: Draft) -> None:
            must(draft.record(at, [(HOUSE, event)]))
            draft.when_committed(self.sessions.forget_all)

        await self.writer.record(decide)

    async def alert(
        self,
        about: str,
        text: str,
        at: Millis,
        table: TableId | None = None,
        person: PersonId | None = None,
        caller: Session | EnrolledTerminal | None = None,
        severity: Severity = Severity.WARNING,
    ) -> AlertId | HouseRefused:
        """Raise an alert, which the pit shows until it is acknowledged. Without ``caller``, the house raises it."""

        def decide(draft: Draft) -> AlertId | HouseRefused:
            alert = AlertId(draft.state.fresh("n"))
            raised = e.AlertRaised(alert, about, text, table, person, severity)
            return self._record(draft, raised, at, caller) or alert

        return await self.writer.record(decide)

    async def acknowledge(self, session: Session, alert: AlertId, at: Millis) -> HouseRefused | None:
        return await self.writer.record(
            lambda draft: self.sessions.record_as(draft, session, e.AlertAcknowledged(alert), at)
        )

    async def clear_alerts(self, about: str, table: TableId | None, at: Millis, text: str | None = None) -> None:
        """Record that the condition which these alerts report has ended. With ``text``, only those with that text."""

        def decide(draft: Draft) -> None:
            found = [
                id
                for id, one in draft.state.alerts.items()
                if (one.about, one.table) == (about, table) and text in (None, one.text)
            ]
            if found:
                must(draft.record(at, [(HOUSE, e.AlertCleared(id)) for id in found]))

        await self.writer.record(decide)

    async def note(
        self, event: e.Note, at: Millis, caller: Session | EnrolledTerminal | Actor | None = None
    ) -> HouseRefused | None:
        """Record a note, such as a setting, a self-check or a refusal. Without ``caller``, the house records it."""
        by = Actor(ActorKind.PERSON, caller.person) if isinstance(caller, Session) else None
        caller = by if by is not None and isinstance(event, e.RequestRefused) else caller
        return await self.writer.record(lambda draft: self._record(draft, event, at, caller))

    def _record(
        self,
        draft: Draft,
        event: e.AlertRaised | e.Note,
        at: Millis,
        caller: Session | EnrolledTerminal | Actor | None,
    ) -> HouseRefused | None:
        match caller:
            case None:
                by = HOUSE
            case Actor():
                by = caller
            case EnrolledTerminal():
                by = Actor(ActorKind.TERMINAL, terminal=caller.number)
            case Session():
                return self.sessions.record_as(draft, caller, event, at)
        return draft.record(at, [(by, event)])
