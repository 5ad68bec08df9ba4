"""Metrics in Prometheus' text format: counters, gauges and histograms of one running house.

No label ever holds what somebody sent, a person's name or an amount: routes, tables and refusals are ours.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

from roundhouse.journal.store import COMMIT_BOUNDS

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[str, ...]


class Counted:
    """A number for each set of labels: only upwards for a counter, either way for a gauge."""

    def __init__(self, kind: str, name: str, about: str, labels: Labels = ()) -> None:
        self.kind = kind
        self.name = name
        self.about = about
        self.labels = labels
        self.values: dict[Labels, float] = {} if labels else {(): 0}

    def add(self, *of: str, by: float = 1) -> None:
        assert len(of) == len(self.labels)
        self.values[of] = self.values.get(of, 0) + by

    def set(self, *of: str, to: float) -> None:
        assert len(of) == len(self.labels)
        self.values[of] = to

    def lines(self) -> Iterator[str]:
        for of, value in sorted(self.values.items()):
            yield f"{self.name}{_written(self.labels, of)} {_number(value)}"


class Timed:
    """A histogram of seconds for each set of labels."""

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

    def took(self, seconds: float, *of: str) -> None:
        assert len(of) == len(self.labels)
        if (counts := self._counts.get(of)) is None:
            counts = self._counts[of] = [0] * (len(self._bounds) + 1)
        counts[bisect_left(self._bounds, seconds)] += 1
        self._sums[of] = self._sums.get(of, 0.0) + seconds

    def replace(self, counts: list[int], seconds: float) -> None:
        """Set a histogram without labels that was counted elsewhere, with the same bounds."""
        self._counts[()], self._sums[()] = list(counts), seconds

    def lines(self) -> Iterator[str]:
        for of, counts in sorted(self._counts.items()):
            so_far = 0
            for bound, count in zip((*map(_number, self._bounds), "+Inf"), counts):
                so_far += count
                yield f"{self.name}_bucket{_written((*self.labels, 'le'), (*of, bound))} {so_far}"
            yield f"{self.name}_sum{_written(self.labels, of)} {_number(self._sums[of])}"
            yield f"{self.name}_count{_written(self.labels, of)} {so_far}"


class Metrics:
    """Everything that a running house counts. Who connects and who asks says so here."""

    def __init__(self) -> None:
        of_table = ("table",)
        self.http = Counted(
            "counter", "roundhouse_http_requests_total", "HTTP requests.", ("route", "method", "status")
        )
        self.http_seconds = Timed("roundhouse_http_seconds", "Time until an HTTP answer was complete.")
        self.bets = Counted("counter", "roundhouse_bets_total", "Bet requests that were accepted.", of_table)
        self.refusals = Counted(
            "counter", "roundhouse_refusals_total", "Requests that a table refused.", ("table", "refusal")
        )
        self.answers = Timed("roundhouse_answer_seconds", "From a request's arrival to its durable answer.", of_table)
        self.commits = Timed("roundhouse_commit_seconds", "Time of one commit to the journal.")
        self.rounds = Counted("counter", "roundhouse_rounds_total", "Rounds that were settled.", of_table)
        self.voids = Counted("counter", "roundhouse_voids_total", "Rounds that were void.", of_table)
        self.corrections = Counted("counter", "roundhouse_corrections_total", "Rounds that were corrected.", of_table)
        self.late = Counted("counter", "roundhouse_late_bets_total", "Bets that came after closing.", of_table)
        self.connected = Counted(
            "gauge", "roundhouse_terminals_connected", "Sockets that are connected.", ("table", "kind")
        )
        self.journal = Counted("gauge", "roundhouse_journal_bytes", "Size of the journal, its log included.")
        self.entries = Counted("gauge", "roundhouse_journal_entries", "Entries of a table's chain.", of_table)
        self.up = Counted("gauge", "roundhouse_table_running", "1 while the table's writer is alive.", of_table)

    def families(self) -> Iterator[Counted | Timed]:
        for family in vars(self).values():
            if isinstance(family, Counted | Timed):
                yield family

    def answered(self, table: str, bet: bool, refusal: str | None, seconds: float) -> None:
        """A table has answered a request."""
        self.answers.took(seconds, table)
        if refusal is not None:
            self.refusals.add(table, refusal)
        elif bet:
            self.bets.add(table)


def exposition(families: Iterable[Counted | Timed]) -> str:
    lines: list[str] = []
    for family in families:
        lines += [f"# HELP {family.name} {family.about}", f"# TYPE {family.name} {family.kind}", *family.lines()]
    return "\n".join(lines) + "\n"


def _written(names: Iterable[str], values: Iterable[str]) -> str:
    pairs: Mapping[str, str] = dict(zip(names, values))
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in pairs.items()) + "}" if pairs else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
