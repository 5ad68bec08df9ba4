"""Counters, gauges and histograms of one server, in the Prometheus text format.

Labels hold only values that the server defines: routes, tables, codes. They never hold client input, names or amounts.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

from roundhouse.journal.store import COMMIT_BOUNDS

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[str, ...]


class CounterOrGauge:
    """A counter or gauge, with one number per set of label values."""

    def __init__(self, kind: str, name: str, about: str, labels: Labels = ()) -> None:
        self.kind = kind
        self.name = name
        self.about = about
        self.labels = labels
        self.values: dict[Labels, float] = {} if labels else {(): 0}

    def add(self, *values: str, by: float = 1) -> None:
        assert len(values) == len(self.labels)
        self.values[values] = self.values.get(values, 0) + by

    def set(self, *values: str, to: float) -> None:
        assert len(values) == len(self.labels)
        self.values[values] = to

    def lines(self) -> Iterator[str]:
        for values, number in sorted(self.values.items()):
            yield f"{self.name}{_format_labels(self.labels, values)} {_format_number(number)}"


class Histogram:
    """A histogram of seconds, one per set of label values."""

    kind = "histogram"

    def __init__(self, name: str, about: str, labels: Labels = (), bounds: tuple[float, ...] = COMMIT_BOUNDS) -> None:
        self.name = name
        self.about = about
        self.labels = labels
        self._bounds = bounds
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}
        if not labels:
            self._counts[()], self._sums[()] = [0] * (len(bounds) + 1), 0.0

    def observe(self, seconds: float, *values: str) -> None:
        assert len(values) == len(self.labels)
        if (counts := self._counts.get(values)) is None:
            counts = self._counts[values] = [0] * (len(self._bounds) + 1)
        counts[bisect_left(self._bounds, seconds)] += 1
        self._sums[values] = self._sums.get(values, 0.0) + seconds

    def replace(self, counts: list[int], seconds: float) -> None:
        """Replace the counts of a histogram without labels by counts that the store collected with the same bounds."""
        self._counts[()], self._sums[()] = list(counts), seconds

    def lines(self) -> Iterator[str]:
        for values, counts in sorted(self._counts.items()):
            total = 0
            for bound, count in zip((*map(_format_number, self._bounds), "+Inf"), counts):
                total += count
                yield f"{self.name}_bucket{_format_labels((*self.labels, 'le'), (*values, bound))} {total}"
            yield f"{self.name}_sum{_format_labels(self.labels, values)} {_format_number(self._sums[values])}"
            yield f"{self.name}_count{_format_labels(self.labels, values)} {total}"


class Metrics:
    """All metrics of one server."""

    def __init__(self) -> None:
        of_table = ("table",)
        self.http = CounterOrGauge(
            "counter", "roundhouse_http_requests_total", "HTTP requests.", ("route", "method", "status")
        )
        self.http_seconds = Histogram("roundhouse_http_seconds", "Time from an HTTP request to its complete response.")
        self.bets = CounterOrGauge("counter", "roundhouse_bets_total", "Accepted bet requests.", of_table)
        self.refusals = CounterOrGauge(
            "counter", "roundhouse_refusals_total", "Requests refused by a table.", ("table", "refusal")
        )
        self.answers = Histogram("roundhouse_answer_seconds", "Time from a request to its committed answer.", of_table)
        self.commits = Histogram("roundhouse_commit_seconds", "Duration of a commit to the journal.")
        self.rounds = CounterOrGauge("counter", "roundhouse_rounds_total", "Settled rounds.", of_table)
        self.voids = CounterOrGauge("counter", "roundhouse_voids_total", "Void rounds.", of_table)
        self.corrections = CounterOrGauge("counter", "roundhouse_corrections_total", "Corrected rounds.", of_table)
        self.late_bets = CounterOrGauge(
            "counter", "roundhouse_late_bets_total", "Bets and withdrawals refused after closing.", of_table
        )
        self.connected = CounterOrGauge("gauge", "roundhouse_terminals_connected", "Open sockets.", ("table", "kind"))
        self.journal = CounterOrGauge(
            "gauge", "roundhouse_journal_bytes", "Size of the journal, including its write-ahead log."
        )
        self.entries = CounterOrGauge("gauge", "roundhouse_journal_entries", "Entries in a table's chain.", of_table)
        self.running = CounterOrGauge(
            "gauge", "roundhouse_table_running", "1 while the table's writer is running.", of_table
        )

    def families(self) -> Iterator[CounterOrGauge | Histogram]:
        for family in vars(self).values():
            if isinstance(family, CounterOrGauge | Histogram):
                yield family

    def record_answer(self, table: str, bet: bool, refusal: str | None, seconds: float) -> None:
        """Count a table's answer to a request."""
        self.answers.observe(seconds, table)
        if refusal is not None:
            self.refusals.add(table, refusal)
        elif bet:
            self.bets.add(table)


def exposition(families: Iterable[CounterOrGauge | Histogram]) -> str:
    lines: list[str] = []
    for family in families:
        lines += [f"# HELP {family.name} {family.about}", f"# TYPE {family.name} {family.kind}", *family.lines()]
    return "\n".join(lines) + "\n"


def _format_labels(names: Iterable[str], values: Iterable[str]) -> str:
    pairs: Mapping[str, str] = dict(zip(names, values))
    return "{" + ",".join(f'{name}="{_escape(value)}"' for name, value in pairs.items()) + "}" if pairs else ""


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _format_number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
