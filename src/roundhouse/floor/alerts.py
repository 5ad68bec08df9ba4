"""Alerts for people: written to the log at once, and shown in the pit until they are acknowledged or cleared.

An alert is an entry of the house's chain. While the journal cannot be written, alerts are queued in memory; a table
never waits for them. An alert about a condition, such as a lost wheel, is cleared when the condition ends.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from msgspec import UNSET

from roundhouse.floor.clock import Clock
from roundhouse.house.house import House
from roundhouse.journal.entry import Entry
from roundhouse.journal.store import JournalUnavailable
from roundhouse.logs import log, log_bug
from roundhouse.people.events import Note
from roundhouse.people.names import Severity
from roundhouse.rules.names import GENERAL_LAW, Clause
from roundhouse.table import events as e
from roundhouse.table.evidence import Reading
from roundhouse.table.irregularities import interrupted_terminals
from roundhouse.table.lifecycle import WHEN_INTERRUPTED
from roundhouse.table.names import HELD, Millis, Phase, ReadBy, RoundNumber, TableId
from roundhouse.table.state import TableState
from roundhouse.table.view import is_withheld, reports_disagree

DEDUP_SECONDS: Final = 60.0
"""An alert that repeats within this time, with the same text and table, is dropped. Otherwise a loose cable could fill
the journal with alerts."""
_MAX_TEXT_LENGTH: Final = 1000
_MAX_QUEUED: Final = 1000
_POLL_SECONDS: Final = 1.0


SEVERITIES: Final = {
    "journal": Severity.CRITICAL,
    "stopped": Severity.CRITICAL,
    "self_check": Severity.CRITICAL,
    "disk": Severity.CRITICAL,
    "limits": Severity.INFO,
    "terminals": Severity.INFO,
}
"""Severity of an alert by its code. Other alerts are warnings."""
_CONDITIONS: Final = frozenset({"clock", "backup", "disk", "certificate"})
"""Alerts about one condition of a table or of the house. While one is open, another text adds nothing."""
CANNOT_WRITE: Final = "the table cannot write to the journal"
"""The only alert about the journal that ends without a person. All others mean that the journal was changed."""
_COVERED_BY: Final = {"manual_mode": "wheel"}
"""Alerts that are not raised while another one is open, because they have the same cause."""

Key = tuple[str, str, TableId | None]


def severity_of(about: str) -> Severity:
    return SEVERITIES.get(about, Severity.WARNING)


@dataclass(frozen=True)
class Alert:
    about: str
    text: str
    table: TableId | None
    at: Millis

    @property
    def severity(self) -> Severity:
        return severity_of(self.about)


@dataclass(frozen=True)
class Clearing:
    """The end of the condition that alerts about a table, or about the house, report."""

    about: str
    table: TableId | None
    at: Millis
    text: str | None = None
    """If given, only alerts with this text are cleared."""


class Disputes(NamedTuple):
    """The disputes about a round in progress. A text or a flag is empty if there is none."""

    round: RoundNumber
    readings: str = ""
    """The readings and the registered outcome, if they differ."""
    reports: bool = False


def disputes_of(state: TableState) -> Disputes:
    evidence = state.evidence
    if not evidence:
        return Disputes(state.round)
    readings = ""
    if is_withheld(state):
        read = ", ".join(f"{one.outcome} by {_reader(one)}" for one in evidence.readings)
        readings = f"read {read}" + (f"; registered {state.registered_outcome}" if state.registered_outcome else "")
    return Disputes(state.round, readings, reports_disagree(state))


def _reader(reading: Reading) -> str:
    """Return who read an outcome: the wheel, or a person."""
    if reading.read_by is ReadBy.WHEEL:
        return "the wheel"
    return str(reading.source.who or reading.source.by)


class WatchedTable(Protocol):
    """A table that the alert queue monitors: ``running`` is false while its journal cannot be written."""

    @property
    def id(self) -> TableId: ...

    @property
    def running(self) -> bool: ...


Queued = Alert | Clearing | tuple[Note, Millis]


class AlertQueue:
    def __init__(self, house: House, clock: Clock) -> None:
        self._house, self._clock = house, clock
        self._queue: OrderedDict[int, Queued] = OrderedDict()
        self._count = 0
        self._last_raised: dict[Key, float] = {}
        self.on_change: Callable[[Alert | Clearing], None] = lambda _: None
        """Called at once for every alert that is raised or cleared here, also while the journal cannot be written."""
        self._not_empty = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    def raise_alert(self, about: str, text: str, table: TableId | None = None) -> None:
        """Log an alert and queue it for the journal. ``about`` is its machine-readable code. Never blocks."""
        # People may type the text, so it may be too long or empty. The house would refuse such an alert.
        text = text[:_MAX_TEXT_LENGTH] if text.strip() else about
        key, now = (about, text, table), time.monotonic()
        if now - self._last_raised.get(key, -DEDUP_SECONDS) < DEDUP_SECONDS:
            return
        self._last_raised = {old: at for old, at in self._last_raised.items() if now - at < DEDUP_SECONDS} | {key: now}
        alert = Alert(about, text, table, self._clock.now())
        level = logging.ERROR if alert.severity is Severity.CRITICAL else logging.WARNING
        log("alert", level, about=about, text=text, table=table, severity=alert.severity)
        if not self._is_covered(key):
            self._enqueue(alert)
            self.on_change(alert)

    def replace_alert(self, about: str, text: str, table: TableId | None = None) -> None:
        """Raise an alert in place of open ones about the same condition, which have another text."""
        if not self._is_open(about, table, text):
            self.clear(about, table)
        self.raise_alert(about, text, table)

    def clear(self, about: str, table: TableId | None = None, text: str | None = None) -> None:
        """Clear all open alerts about a condition that has ended, or only those with ``text``. Never blocks."""
        if self._is_open(about, table, text):
            log("alert_cleared", about=about, table=table)
            self._last_raised = {key: at for key, at in self._last_raised.items() if (key[0], key[2]) != (about, table)}
            clearing = Clearing(about, table, self._clock.now(), text)
            self._enqueue(clearing)
            self.on_change(clearing)

    def _is_covered(self, key: Key) -> bool:
        """Return whether an open alert already tells what this one would."""
        about, text, table = key
        cause = _COVERED_BY.get(about)
        if cause is not None and self._is_open(cause, table):
            return True
        return self._is_open(about, table, None if about in _CONDITIONS else text)

    def _is_open(self, about: str, table: TableId | None, text: str | None = None) -> bool:
        """Return whether an alert is open or queued. Without ``text``, its text does not matter."""
        found = any(
            (one.about, one.table) == (about, table) and text in (None, one.text)
            for one in self._house.alerts().values()
        )
        for queued in self._queue.values():
            match queued:
                case Alert() if (queued.about, queued.table) == (about, table) and text in (None, queued.text):
                    found = True
                case Clearing() if (queued.about, queued.table) == (about, table) and queued.text in (None, text):
                    found = False
        return found

    def note(self, event: Note) -> None:
        """Queue an event for the house's chain."""
        self._enqueue((event, self._clock.now()))

    def report_recovery(self, table: TableId, events: Iterable[e.AnyEvent]) -> None:
        given = list(events)
        referred = any(isinstance(event, e.MatterReferred) for event in given)
        for event in given:
            if isinstance(event, e.InterruptionRecovered):
                self.raise_alert("interruption", describe_interruption(event, referred), table)

    def report_event(self, table: TableId, entry: Entry, event: e.AnyEvent) -> None:
        match event:
            case e.TableStopped(reason):
                self.raise_alert("stopped", f"the table has stopped: {reason}", table)
            case e.ManualModeEntered(reason) if entry.request is None or entry.request.who is UNSET:
                self.raise_alert("manual_mode", f"manual mode: {reason}", table)
            case e.BallRested(round=round, outcome=outcome, reason=reason) if entry.facts.ball_on_line is False:
                text = f"round {round}: {outcome} was read although the wheel's line reported no ball: {reason}"
                self.raise_alert("no_ball", text, table)
            case e.MatterReferred(question=question):
                self.raise_alert("referred", question, table)
            case e.AutomaticModeEntered():
                self.clear("manual_mode", table)
                self.clear("dealer", table)
            case e.TableResumed():
                self.clear("stopped", table)
            case e.TableOpened():
                self.clear("limits", table)
            case e.InterruptionRecovered(asks=True):
                self.raise_alert("interruption", describe_interruption(event), table)
            case e.TerminalsInterrupted(round, seats, clause):
                by = format_clause(clause)
                text = f"the {interrupted_terminals(seats)} in round {round}; {by}"
                self.raise_alert("terminals", text, table)

    def report_disputes(self, table: TableId, before: Disputes, now: Disputes) -> None:
        """Raise an alert for readings or reports of a round that have begun to differ. Clear it when they agree."""
        if now.readings and now.readings != before.readings:
            self.raise_alert("readings", f"round {now.round}: {now.readings}; nothing is settled", table)
        if now.reports and not before.reports:
            self.raise_alert("reports", f"round {now.round}: the reports of the spin differ; refer the round", table)
        if before.readings and not now.readings:
            self.clear("readings", table)
        if before.reports and not now.reports:
            self.clear("reports", table)

    async def run(self, tables: Sequence[WatchedTable]) -> None:
        """Record queued alerts and monitor the tables until cancelled."""
        recording = asyncio.create_task(self._record_queued())
        watching = asyncio.create_task(self._watch_tables(tables))
        try:
            await asyncio.gather(recording, watching)
        finally:
            for task in (recording, watching):
                task.cancel()
            await asyncio.gather(recording, watching, return_exceptions=True)

    async def wait_until_recorded(self) -> None:
        """Wait until the queue is empty."""
        await self._empty.wait()

    async def _watch_tables(self, tables: Sequence[WatchedTable]) -> None:
        running = {table.id: True for table in tables}
        for table in tables:
            if table.running:
                self.clear("journal", table.id, CANNOT_WRITE)  # an alert of the last run
        while True:
            for table in tables:
                if running[table.id] and not table.running:
                    self.raise_alert("journal", CANNOT_WRITE, table.id)
                elif not running[table.id] and table.running:
                    self.clear("journal", table.id, CANNOT_WRITE)
                running[table.id] = table.running
            await asyncio.sleep(_POLL_SECONDS)

    def _enqueue(self, item: "Queued") -> None:
        self._count += 1
        self._queue[self._count] = item
        if len(self._queue) > _MAX_QUEUED:
            self._queue.popitem(last=False)
        self._not_empty.set()
        self._empty.clear()

    async def _record_queued(self) -> None:
        while True:
            await self._not_empty.wait()
            self._not_empty.clear()
            while self._queue:
                number, item = next(iter(self._queue.items()))
                try:
                    await self._record(item)
                except JournalUnavailable:
                    await asyncio.sleep(_POLL_SECONDS)
                    continue
                self._queue.pop(number, None)
            self._empty.set()

    async def _record(self, item: "Queued") -> None:
        match item:
            case Alert(about, text, table, at):
                await self._house.alert(about, text, at, table, severity=item.severity)
            case Clearing(about, table, at, text):
                await self._house.clear_alerts(about, table, at, text)
            case (event, at):
                await self._house.note(event, at)


def log_failure(task: "asyncio.Task[None]") -> None:
    """Log the exception of a background task. Used as its done callback."""
    if not task.cancelled() and (bug := task.exception()) is not None:
        log_bug(f"{task.get_name()} failed", bug)


def describe_interruption(event: e.InterruptionRecovered, referred: bool = False) -> str:
    """Describe an interruption. ``referred`` is whether the table referred the round because of it."""
    by = format_clause(event.clause)
    held = event.phase == HELD
    when = "while the readings differed" if held else WHEN_INTERRUPTED.get(Phase(event.phase), "")
    if referred:
        return f"round {event.round} was interrupted {when}; it is suspended and referred for a decision ({by})"
    if held:
        return f"round {event.round} was interrupted {when}; once they agree, {by} ends it"
    if event.waits:
        return f"round {event.round} was interrupted while it waited for a decision; if it stands, {by} applies"
    if event.asks:
        return f"round {event.round} was interrupted {when}; report what the wheel shows ({by})"
    if event.phase in (Phase.AT_REST, Phase.REGISTERED):
        return f"round {event.round} was interrupted {when}; its outcome is on record and it goes on ({by})"
    return f"round {event.round} was interrupted {when}; {by} applies"


def format_clause(clause: Clause) -> str:
    return "general law" if clause == GENERAL_LAW else f"clause {clause}"
