"""Finds the events with which the evidence of a round begins to differ: readings of the outcome or reports of the spin.

No single event tells it. An export that resumes in the middle of a round therefore reads the round's earlier entries.
"""

from collections.abc import Callable, Iterable
from enum import Enum, auto

from roundhouse.journal.entry import Entry, Seq
from roundhouse.journal.index import round_key
from roundhouse.office.records import Records
from roundhouse.rules.names import Pocket, StaffPosition
from roundhouse.table import events as e
from roundhouse.table.evidence import Evidence, Reading, Source, SpinReport
from roundhouse.table.names import ReadBy, RoundNumber, TableId


class Differs(Enum):
    """The part of a round's evidence that differs."""

    READINGS = auto()
    """Readings of the outcome differ, or the registered outcome differs from them."""
    REPORTS = auto()


class _RoundEvidence:
    """The evidence of one round, collected from its events."""

    def __init__(self, number: RoundNumber) -> None:
        self.number = number
        self._evidence = Evidence()
        self._registered: Pocket | None = None
        self._resolved = False

    def add(self, event: e.AnyEvent) -> None:
        match event:
            case e.SpinObserved(source=source) if source is not None:
                report = SpinReport(source, event.revolutions, event.ball, event.wheel, event.seen)
                self._evidence.reports.append(report)
            case e.BallRested():
                by = StaffPosition.SYSTEM if event.read_by is ReadBy.WHEEL else StaffPosition.DEALER
                self._evidence.readings.append(Reading(event.source or Source(by), event.outcome))
            case e.OutcomeRead():
                self._evidence.readings.append(Reading(event.source, event.outcome))
            case e.ReadingAmended():
                if (own := self._evidence.reading_of(event.source)) is not None:
                    self._evidence.readings.remove(own)
                self._evidence.readings.append(Reading(event.source, event.outcome))
            case e.ResultRegistered():
                self._registered = event.outcome
                self._resolved = self._resolved or event.resolved_by is not None

    @property
    def differs(self) -> frozenset[Differs]:
        named = self._evidence.outcomes | ({self._registered} if self._registered is not None else frozenset())
        readings = {Differs.READINGS} if len(named) > 1 and not self._resolved else set()
        return frozenset(readings | ({Differs.REPORTS} if self._evidence.reports_differ else set()))


class Disagreements:
    """Follows the events of one table in order."""

    def __init__(self, earlier: Callable[[RoundNumber], Iterable[Entry]]) -> None:
        """Begin before any event. ``earlier`` returns the entries about a round, from its opening on."""
        self._earlier = earlier
        self._round: _RoundEvidence | None = None

    def begun_by(self, event: e.AnyEvent, seq: Seq) -> frozenset[Differs]:
        """Return what begins to differ with an event of the entry ``seq``."""
        if isinstance(event, e.BetsOpened):
            self._round = _RoundEvidence(event.round)
        if not isinstance(event, e.SpinObserved | e.BallRested | e.OutcomeRead | e.ReadingAmended | e.ResultRegistered):
            return frozenset()
        if self._round is None or self._round.number != event.round:
            self._round = self._before(event.round, seq)
        before = self._round.differs
        self._round.add(event)
        # The first procedure has no sources, and it did not compare evidence.
        return self._round.differs - before if event.source is not None else frozenset()

    def _before(self, number: RoundNumber, seq: Seq) -> _RoundEvidence:
        evidence = _RoundEvidence(number)
        for entry in self._earlier(number):
            if entry.seq < seq:
                for event in entry.events:
                    evidence.add(event)
        return evidence


def disagreements_of(records: Records, table: TableId) -> Disagreements:
    return Disagreements(lambda number: records.entries_about(table, round_key(number)))
