"""Counters, gauges and histograms of one server, in the Prometheus text format and in OpenMetrics 1.0.

Labels hold only values that the server defines: routes, tables, codes. They never hold client input, names or amounts.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping

from roundhouse.journal.store import COMMIT_BOUNDS

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

Labels = tuple[str, ...]


def _format_number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


class CounterOrGauge:
    """A counter or gauge, with one number per set of label values."""

    def __init__(self, kind: str, name: str, about: str, labels: Labels = (), optional: bool = False) -> None:
        """Create a metric of the ``kind`` counter, gauge or info. If ``optional``, it has no sample until it is set."""
        self.kind = kind
        self.name = name
        self.about = about
        self.labels = labels
        self.values: dict[Labels, float] = {} if labels or optional else {(): 0}

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

    def lines(self, format_bound: Callable[[float], str] = _format_number) -> Iterator[str]:
        for values, counts in sorted(self._counts.items()):
            total = 0
            for bound, count in zip((*map(format_bound, self._bounds), "+Inf"), counts):
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
        self.wheels = CounterOrGauge(
            "gauge", "roundhouse_wheel_ready", "1 while the table's wheel can be relied on.", of_table
        )
        self.alerts = CounterOrGauge("gauge", "roundhouse_alerts_open", "Open alerts.", ("severity",))
        self.proposals = CounterOrGauge(
            "gauge", "roundhouse_proposals_open", "Proposals that wait for a second person."
        )
        self.staff = CounterOrGauge(
            "gauge", "roundhouse_staff_sockets", "Open sockets of staff: consoles of tables and pit desks.", ("kind",)
        )
        self.uptime = CounterOrGauge("gauge", "roundhouse_uptime_seconds", "Time since the server started.")
        self.stopping = CounterOrGauge("gauge", "roundhouse_stopping", "1 while the house is stopping.")
        self.clock_ahead = CounterOrGauge(
            "gauge", "roundhouse_clock_ahead_seconds", "How far the system clock is ahead of the house's clock."
        )
        self.disk_free = CounterOrGauge("gauge", "roundhouse_disk_free_bytes", "Free space on the disk of the journal.")
        self.certificate = CounterOrGauge(
            "gauge", "roundhouse_tls_expires_seconds", "Time until the TLS certificate expires.", optional=True
        )
        self.backup = CounterOrGauge(
            "gauge", "roundhouse_backup_timestamp_seconds", "Time of the last scheduled backup.", optional=True
        )
        self.build = CounterOrGauge(
            "info", "roundhouse_build_info", "Versions of the software.", ("version", "python", "sqlite")
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
    """Return the metrics in the Prometheus text format."""
    lines: list[str] = []
    for family in families:
        # This format has no type for information. A gauge with the value 1 is customary.
        kind = "gauge" if family.kind == "info" else family.kind
        lines += [f"# HELP {family.name} {family.about}", f"# TYPE {family.name} {kind}", *family.lines()]
    return "\n".join(lines) + "\n"


_SUFFIXES = {"counter": "_total", "info": "_info"}
"""Suffixes that OpenMetrics adds to the name of a family in its samples."""
_UNITS = ("seconds", "bytes")


def openmetrics(families: Iterable[CounterOrGauge | Histogram]) -> str:
    """Return the metrics in the OpenMetrics format, version 1.0."""
    lines: list[str] = []
    for family in families:
        name = family.name.removesuffix(_SUFFIXES.get(family.kind, ""))
        lines.append(f"# TYPE {name} {family.kind}")
        if (unit := name.rpartition("_")[2]) in _UNITS:
            lines.append(f"# UNIT {name} {unit}")
        lines.append(f"# HELP {name} {_escape(family.about)}")
        # Bounds of buckets are written as floating-point numbers: "1.0", where the other format has "1".
        lines += family.lines(repr) if isinstance(family, Histogram) else family.lines()
    return "\n".join([*lines, "# EOF"]) + "\n"


def accepts_openmetrics(accept: str) -> bool:
    """Return whether the value of an ``Accept`` header names OpenMetrics 1.0 and does not refuse it.

    >>> accepts_openmetrics("text/plain;q=0.2, application/openmetrics-text;version=1.0.0;q=0.5")
    True
    >>> accepts_openmetrics("*/*"), accepts_openmetrics("application/openmetrics-text;q=0")
    (False, False)
    """
    for choice in accept.split(","):
        media, *parameters = (part.strip().lower() for part in choice.split(";"))
        named = dict(part.split("=", 1) for part in parameters if "=" in part)
        if media == "application/openmetrics-text" and named.get("version", "1.0.0") in ("1.0.0", "0.0.1"):
            return named.get("q", "1").strip("0.") != ""
    return False


def _format_labels(names: Iterable[str], values: Iterable[str]) -> str:
    pairs: Mapping[str, str] = dict(zip(names, values))
    return "{" + ",".join(f'{name}="{_escape(value)}"' for name, value in pairs.items()) + "}" if pairs else ""


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
