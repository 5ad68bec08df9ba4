"""Describes the evidence of a round in English: who or what started the spin, reported it and read its outcome.

A value that a program reported is *measured*. A value that a person reported is *attested*. Any other value is *not
measured*. Names of persons are left out of a description for one seat.
"""

from collections.abc import Iterable

from msgspec import Struct

from roundhouse.rules.currency import PLAY_MONEY, format_amount
from roundhouse.rules.names import Clause, StaffPosition
from roundhouse.rules.rulebook import Rulebook, Spun
from roundhouse.table import events as e
from roundhouse.table.evidence import Source
from roundhouse.table.names import PersonName, ReadBy, SeatId

Description = tuple[str, tuple[Clause, ...]]
"""Text, and the clauses it cites."""

_PROGRAMS = {StaffPosition.AUTOMATIC_DEALER: "the automatic dealer", StaffPosition.SYSTEM: "the system"}


def title(rulebook: Rulebook, by: StaffPosition) -> str:
    return rulebook.authority.titles.get(by) or by.replace("_", " ").capitalize()


class Reader(Struct, frozen=True):
    """For whom events are described, and the rulebook whose titles are used."""

    rulebook: Rulebook
    seat: SeatId | None = None
    """The only seat that reads the description. It learns no names of staff and nothing about other seats."""
    currency: str = PLAY_MONEY
    """Currency of the table, for the decimals of amounts."""

    def amount(self, cents: int) -> str:
        return format_amount(cents, self.currency)

    def person(self, by: StaffPosition, who: PersonName | None, second: PersonName | None) -> str:
        """Return a position with the names of its persons.

        The names are in brackets: ``the Pit Supervisor (arun, with lena)``.
        """
        position = _PROGRAMS.get(by) or f"the {title(self.rulebook, by)}"
        if self.seat is not None:
            return f"{position} with a second person" if second else position
        names = [name for name in (who, f"with {second}" if second else None) if name]
        return f"{position} ({', '.join(names)})" if names else position

    def source(self, source: Source) -> str:
        return self.person(source.by, source.who, source.second)

    def reason(self, reason: str) -> str:
        """Return a reason as part of a sentence. The house does not show reasons to a seat."""
        return f", because “{reason}”" if reason and self.seat is None else ""

    def seats(self, seats: Iterable[SeatId]) -> str:
        shown = [seat for seat in seats if self.seat in (None, seat)]
        return f"{'seat' if len(shown) == 1 else 'seats'} {', '.join(shown)}"


Evidential = (
    e.SpinStarted
    | e.SpinObserved
    | e.BallRested
    | e.OutcomeRead
    | e.ReadingAmended
    | e.ResultRegistered
    | e.ResultConfirmed
)


def describe_evidence(event: Evidential, source: Source, reader: Reader) -> Description:
    """Describe an event with its source. Events of the first procedure have none."""
    by = reader.source(source)
    match event:
        case e.SpinStarted():
            return f"the spin is started by {by}{', by hand' if event.by_hand else ''}", ()
        case e.SpinObserved():
            return _observed(event, source, reader), ()
        case e.BallRested(_, outcome, clause):
            without = f"; the wheel's line reported no ball{reader.reason(event.reason)}" if event.reason else ""
            return f"at rest: {outcome}{_segment(event)}, read by {_reads(event, by)}{without}", (clause,)
        case e.OutcomeRead(_, outcome):
            return f"a further reading: {outcome}{_segment(event)}, read by {_reads(event, by)}", ()
        case e.ReadingAmended(_, was, outcome):
            before = "" if event.was_segment is None else f" (segment {event.was_segment})"
            return f"the reading {was}{before} is amended to {outcome}{_segment(event)} by {by}", ()
        case e.ResultRegistered(_, outcome):
            before = f"; {event.was} was registered before" if event.was else ""
            clauses = (event.clause,) if event.clause else ()
            if event.resolved_by is not None:
                return f"readings that differ are resolved to {outcome} by {by}{before}", clauses
            return f"{outcome} is registered at the Game Console by {by}{before}", clauses
        case e.ResultConfirmed(_, dolly):
            missing = f"; not measured: {', '.join(event.not_measured)}" if event.not_measured else ""
            return f"{dolly} is confirmed by {by} and marked on the layout{missing}", ()


def _reads(event: e.BallRested | e.OutcomeRead, by: str) -> str:
    return "the wheel's line" if event.read_by is ReadBy.WHEEL else by


def _segment(event: e.BallRested | e.OutcomeRead | e.ReadingAmended) -> str:
    return "" if event.segment is None else f" (segment {event.segment})"


def _observed(event: e.SpinObserved, source: Source, reader: Reader) -> str:
    """List the values of a report: those that were measured or attested, then those that were not measured."""
    turns = "" if event.revolutions is None else f"{event.revolutions} revolutions"
    values = {"revolutions": turns}
    if reader.rulebook.wheel.spun is Spun.BALL:
        ways = (("ball", event.ball), ("wheel", event.wheel))
        values = {**{part: f"{part} {way}" if way else "" for part, way in ways}, **values}
    known = [text for text in values.values() if text] + ([f"seen: {', '.join(event.seen)}"] if event.seen else [])
    missing = [name for name, text in values.items() if not text]
    how = "measured" if source.is_program else "attested"
    parts = [f"{how} by {reader.source(source)}: {', '.join(known)}"] if known else []
    if missing:
        parts.append(f"not measured: {', '.join(missing)}")
    return f"spin {'; '.join(parts)}"
