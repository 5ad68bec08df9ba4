"""The evidence of a round as rows for screens: the spin, readings, the registration, decisions and interruptions.

A row has the words of its event, and the parts of it that a screen shows separately. No row has more than the step of
its event tells the same reader.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from roundhouse.audit.evidence_wording import Reader
from roundhouse.journal.entry import Entry, Seq
from roundhouse.rules.names import Pocket
from roundhouse.rules.rulebook import Rulebook, Spun
from roundhouse.table import events as e
from roundhouse.table.evidence import Source
from roundhouse.table.names import Millis, ReadBy


class EvidenceKind(StrEnum):
    START = "start"
    SPIN = "spin"
    """A value of the spin: ``name`` is ``ball``, ``wheel``, ``revolutions`` or ``seen``."""
    READING = "reading"
    AMENDMENT = "amendment"
    REGISTRATION = "registration"
    RESOLUTION = "resolution"
    """Readings that differed were resolved to one of them."""
    CONFIRMATION = "confirmation"
    REFERRAL = "referral"
    DECISION = "decision"
    CHANGE = "change"
    """The round was void, or a settled round was corrected, reversed or reinstated."""
    INTERRUPTION = "interruption"


class Measurement(StrEnum):
    """How a value of the spin came on record."""

    MEASURED = "measured"
    ATTESTED = "attested"
    NOT_MEASURED = "not_measured"
    WITHOUT_SOURCE = "without_source"
    """Recorded in the first procedure, which did not record who measured or attested a value."""


class EvidenceRow(Struct, frozen=True, omit_defaults=True):
    kind: EvidenceKind
    words: str
    """Description of the event, as in the steps. Empty for a value that was not measured."""
    entry: Seq | None = None
    at: Millis | None = None
    by: str = ""
    """Person or program that gave the evidence. Empty if it is not on record."""
    name: str = ""
    value: str | None = None
    was: Pocket | None = None
    """Outcome before an amendment, a new registration or a resolution."""
    segment: int | None = None
    was_segment: int | None = None
    how: Measurement | None = None
    """``None`` if the row is no value of the spin, or if its source is withheld from a seat."""
    by_hand: bool = False
    reason: str = ""
    """Why an outcome was read although the wheel's line reported no ball. Only for staff."""


def spin_values(rulebook: Rulebook) -> tuple[str, ...]:
    """List the values that make a spin of this wheel valid."""
    return ("ball", "wheel", "revolutions") if rulebook.wheel.spun is Spun.BALL else ("revolutions",)


class EvidenceRows:
    """Collects the evidence of one round for one reader."""

    def __init__(self) -> None:
        self.rows: list[EvidenceRow] = []
        self._spun = False

    def add(self, event: e.AnyEvent, words: str, entry: Entry, reader: Reader) -> None:
        """Add the rows of an event. Most events are no evidence."""
        for row in _rows(event, words, _sender(entry), reader):
            self.rows.append(replace(row, entry=entry.seq, at=entry.facts.at))
        self._spun = self._spun or (isinstance(event, e.SpinStarted) and event.source is not None)

    def complete(self, rulebook: Rulebook) -> list[EvidenceRow]:
        """Return all rows, with one for each value of the spin that was neither measured nor attested."""
        known = {row.name for row in self.rows if row.kind is EvidenceKind.SPIN}
        missing = [name for name in spin_values(rulebook) if name not in known] if self._spun else []
        rows = [EvidenceRow(EvidenceKind.SPIN, "", name=name, how=Measurement.NOT_MEASURED) for name in missing]
        return [*self.rows, *rows]


def _sender(entry: Entry) -> Source | None:
    """Return the persons whose request caused an entry; ``None`` if the table itself did."""
    request = entry.request
    return None if request is None else Source(request.by, request.who or None, request.second or None)


def _rows(event: e.AnyEvent, words: str, sender: Source | None, reader: Reader) -> Iterator[EvidenceRow]:
    kind = EvidenceKind
    match event:
        case e.SpinStarted(source=source):
            yield EvidenceRow(kind.START, words, by=_by(source, reader), by_hand=event.by_hand)
        case e.SpinObserved():
            yield from _observed(event, words, reader)
        case e.BallRested(outcome=outcome, source=source) | e.OutcomeRead(outcome=outcome, source=source):
            by = "the wheel's line" if event.read_by is ReadBy.WHEEL else _by(source, reader)
            reason = event.reason if isinstance(event, e.BallRested) and reader.seat is None else ""
            yield EvidenceRow(kind.READING, words, by=by, value=outcome, segment=event.segment, reason=reason)
        case e.ReadingAmended(was=was, outcome=outcome, source=source):
            row = EvidenceRow(kind.AMENDMENT, words, by=_by(source, reader), value=outcome, was=was)
            yield replace(row, segment=event.segment, was_segment=event.was_segment)
        case e.ResultRegistered(outcome=outcome, was=was, source=source):
            resolved = event.resolved_by is not None
            found = kind.RESOLUTION if resolved else kind.REGISTRATION
            yield EvidenceRow(found, words, by=_by(source, reader), value=outcome, was=was)
        case e.ResultConfirmed(dolly=outcome, source=source):
            yield EvidenceRow(kind.CONFIRMATION, words, by=_by(source, reader), value=outcome)
        case e.MatterReferred():
            yield EvidenceRow(kind.REFERRAL, words, by=_by(event.source, reader))
        case e.DecisionMade():
            yield EvidenceRow(kind.DECISION, words, by=_by(sender, reader), value=event.outcome)
        case e.RoundVoided() | e.RoundReversed():
            yield EvidenceRow(kind.CHANGE, words, by=_by(sender, reader))
        case e.RoundCorrected(outcome=outcome) | e.RoundReinstated(outcome=outcome):
            was = event.was if isinstance(event, e.RoundCorrected) else None
            yield EvidenceRow(kind.CHANGE, words, by=_by(sender, reader), value=outcome, was=was)
        case e.InterruptionRecovered() | e.TerminalsInterrupted() | e.SoftwareStopped():
            yield EvidenceRow(kind.INTERRUPTION, words)


def _observed(event: e.SpinObserved, words: str, reader: Reader) -> Iterator[EvidenceRow]:
    by, source = _by(event.source, reader), event.source
    # The house does not tell a seat who gave evidence.
    how = Measurement.WITHOUT_SOURCE if reader.seat is None else None
    if source is not None:
        how = Measurement.MEASURED if source.is_program else Measurement.ATTESTED
    reported = {"ball": event.ball, "wheel": event.wheel, "revolutions": event.revolutions}
    for name in spin_values(reader.rulebook):
        if (value := reported[name]) is not None:
            yield EvidenceRow(EvidenceKind.SPIN, words, by=by, name=name, value=str(value), how=how)
    if event.seen:
        seen = ", ".join(event.seen)
        yield EvidenceRow(EvidenceKind.SPIN, words, by=by, name="seen", value=seen, how=how)


def _by(source: Source | None, reader: Reader) -> str:
    return reader.source(source) if source is not None else ""
