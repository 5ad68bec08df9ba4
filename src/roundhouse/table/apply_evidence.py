"""Applies events of the spin and of readings to the evidence of the round in progress."""

from msgspec import UNSET

from roundhouse.rules.names import StaffPosition
from roundhouse.table import events as e
from roundhouse.table.evidence import Evidence, Reading, Source, SpinReport
from roundhouse.table.names import Phase, ReadBy
from roundhouse.table.state import TableState


def keep_entries(state: TableState) -> None:
    """Take what the first procedure recorded of the round in progress as evidence: no report of the spin."""
    phase = state.phase_before_stop
    if phase is Phase.REFERRED:
        phase = state.before_referral or phase
    if phase in (Phase.CLOSED, Phase.IDLE, Phase.STOPPED):
        return
    state.evidence = Evidence()
    dealer = Source(StaffPosition.DEALER)
    if phase not in (Phase.BETS_OPEN, Phase.BETS_CLOSED):
        state.evidence.started_by = dealer
    if state.wheel_outcome is not None:
        source = Source(StaffPosition.SYSTEM) if state.rested_by is ReadBy.WHEEL else dealer
        state.evidence.readings = [Reading(source, state.wheel_outcome, state.rested_by)]


def start_spin(state: TableState, event: e.SpinStarted) -> None:
    if state.evidence is not UNSET and event.source is not None:
        state.evidence.started_by, state.evidence.by_hand = event.source, event.by_hand
        state.evidence.started_from = event.from_segment


def add_report(state: TableState, event: e.SpinObserved) -> None:
    """Add a report of the spin. A report that differs ends an earlier acceptance of the spin."""
    if state.evidence is UNSET or event.source is None:
        return
    report = SpinReport(event.source, event.revolutions, event.ball, event.wheel, event.seen)
    if any(report.contradicts(earlier) for earlier in state.evidence.reports):
        state.evidence.spin_accepted = False
    state.evidence.reports.append(report)


def accept_spin(state: TableState) -> None:
    """Accept a spin of which the reports differ, because a decision lets the round stand."""
    if state.evidence is not UNSET and state.evidence.reports_differ:
        state.evidence.spin_accepted = True


def add_reading(state: TableState, reading: Reading) -> None:
    """Add a reading of the outcome. One that differs from a resolved result reopens the question."""
    assert state.evidence is not UNSET, "the current procedure keeps evidence from the opening of bets"
    state.evidence.readings.append(reading)
    segments = state.evidence.segments
    if state.resolved and (reading.outcome != state.registered_outcome or len(segments) > 1):
        state.resolved = False
    _name_wheel_outcome(state)


def amend_reading(state: TableState, event: e.ReadingAmended) -> None:
    assert state.evidence is not UNSET, "an amended reading is on record"
    readings, own = state.evidence.readings, state.evidence.reading_of(event.source)
    assert own is not None, "a person amends their own reading"
    readings[readings.index(own)] = Reading(own.source, event.outcome, own.read_by, event.segment)
    _name_wheel_outcome(state)


def _name_wheel_outcome(state: TableState) -> None:
    """Take the wheel's own reading as its outcome, or else the first reading."""
    assert state.evidence is not UNSET, "a reading is evidence"
    readings = state.evidence.readings
    chosen = next((one for one in readings if one.read_by is ReadBy.WHEEL), readings[0])
    state.wheel_outcome, state.rested_by = chosen.outcome, chosen.read_by
