"""Alerts about the desk of a table: disputes, questioned displays and a float that differs from its count."""

from roundhouse.floor.alerts import AlertQueue
from roundhouse.rules.names import format_amount
from roundhouse.table import events as e
from roundhouse.table.names import DisputeNumber, RoundNumber, SeatId, TableId
from roundhouse.table.state import TableState


def report_desk_event(alerts: AlertQueue, table: TableId, event: e.AnyEvent, variance_from: int) -> None:
    """Raise or clear the alert that an event causes. ``variance_from`` is the least variance of a float to tell."""
    match event:
        case e.Disputed(dispute, round, seat):
            alerts.raise_alert("dispute", _dispute(dispute, round, seat), table)
        case e.DisputeClosed(dispute, round, seat):
            alerts.clear("dispute", table, _dispute(dispute, round, seat))
        case e.DisplayQuestioned(words, round):
            where = f"round {round}: " if round else ""
            alerts.raise_alert("display", f"{where}a display is in question: {words}", table)
        case e.FloatCounted() if abs(event.variance) >= variance_from:
            alerts.raise_alert("float", describe_variance(event), table)
        case e.FloatCounted():
            alerts.clear("float", table)


def clear_old_disputes(alerts: AlertQueue, table: TableId, state: TableState) -> None:
    """Clear the alerts of a table whose disputes are all closed."""
    if not state.disputes or not state.disputes.open:
        alerts.clear("dispute", table)


def _dispute(number: DisputeNumber, round: RoundNumber, seat: SeatId) -> str:
    return f"dispute {number}: seat {seat} contests round {round}"


def describe_variance(event: e.FloatCounted) -> str:
    """Describe the difference between a count of the float and what is due.

    >>> from roundhouse.rules.names import Cents
    >>> from roundhouse.table.names import Count
    >>> describe_variance(e.FloatCounted(Count.CLOSER, Cents(9_900), 10_000, -100))
    'the closer of the float is 99.00 where 100.00 is due: 1.00 short'
    """
    short = "short" if event.variance < 0 else "over"
    counted, due, differs = map(format_amount, (event.cents, event.expected, abs(event.variance)))
    return f"the {event.count} of the float is {counted} where {due} is due: {differs} {short}"
