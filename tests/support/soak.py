"""Counts the faults that ``make soak`` injects, and writes its summary.

A test that requests the fixture ``tally`` belongs to ``make soak``, which repeats it more often than ``make test``. The
counts travel with the test's report, because xdist runs tests in other processes.
"""

import os
import platform
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

import apsw
import pytest

SOAK = os.environ.get("ROUNDHOUSE_TESTS") == "soak"
PAGE = Path(__file__).parents[2] / "docs/explanation/reliability.md"
_BLOCK = re.compile(r"(<!-- written by the soak -->\n).*?(<!-- end -->)", re.DOTALL)
_TIMES = int(os.environ.get("ROUNDHOUSE_SOAK_TIMES", "1"))
_PROGRESS_SECONDS = 30.0


def times(test: int, soak: int) -> int:
    """Return how often ``make test`` or ``make soak`` repeats something. ``TIMES=3`` makes the soak longer."""
    return soak * _TIMES if SOAK else test


class Counted(Enum):
    """The faults and checks that the soak counts, in the order of its summary, each with the tests' assertion.

    A kill ends a process by SIGKILL: everything that it has written stays. A power cut is simulated: writes that were
    not synced are lost, cut off or out of order.
    """

    TABLE_KILLED = "SIGKILL of a table", "every acknowledged request is in the journal, once; credits are right"
    DEALER_KILLED = "SIGKILL of a table with an automatic dealer", "the round is recovered by the clause of its phase"
    HOUSE_KILLED = "SIGKILL of a house with 200 sockets", "every accepted bet once; each seat right to the cent"
    WITNESS_KILLED = "SIGKILL of a witness", "it refuses whatever is behind its last cosignature"
    ACKNOWLEDGED_FOUND = "acknowledged requests found after a kill", "none is missing"
    BETS_FOUND = "of these, accepted bets", "none is missing, none is there twice"
    RESENT = "requests sent again after a kill", "each gets its first answer and is carried out once"
    POWER_CUT = "simulated power cuts", "every acknowledged request is in the journal; it opens and verifies"
    WRITE_LOST = "unsynced writes lost in a power cut", "as above"
    WRITE_TORN = "unsynced writes torn in a power cut", "as above"
    WRITE_FAILED = "writes that failed (I/O error, part of them written)", "refused or in doubt, never wrong"
    DISK_FULL = "writes that found the disk full", "`journal_unavailable`; works again when there is room"
    SYNC_FAILED = "syncs that failed", "refused or in doubt, never wrong"
    READ_FAILED = "reads that failed", "`journal_unavailable`, then the right answer"
    COMMIT_FAILED = "commits that failed before or after writing", "every answer matches the journal"
    PRELOADED = "faults of the C library's file functions (preloaded library)", "as above, in a real process"
    JOURNAL_ALTERED = "alterations of a closed journal", "none pays a cent more; each is refused, found or harmless"
    LOG_ALTERED = "alterations of a write-ahead log", "none pays a cent more; each is refused, found or harmless"
    BIT_FLIPPED = "single bits flipped in a journal", "each is found by `audit verify` or harmless"
    ROLLED_BACK = "journals set back", "each is refused at opening by the witness"
    FORKED = "journals forked", "each is refused at opening by the witness"
    WITNESS_ATTACKED = "roll-backs and forks signed with the right key", "each is refused by the witness"
    NIGHT = "random nights with faults of wheels, cables and people", "each round ends by the rules; money adds up"
    ROUND = "rounds in these nights", "as above"
    MIXED_NIGHT = (
        "random nights of purchases, tickets, limits, disputes and floats",
        "reports, exports and `audit verify` agree with sums of their own",
    )
    CLOCK_JUMPED = "jumps of the system clock", "no lifetime stretches; no entry goes back in time"

    def __init__(self, text: str, holds: str) -> None:
        self.text = text
        self.holds = holds


class Tally:
    """The counts of one test, by what was counted and a detail, such as the phase."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()

    def add(self, counted: Counted, times: int = 1, detail: str = "") -> None:
        # A plain text: xdist cannot send a member of an enumeration.
        self.counts[counted.name, str(detail)] += times


def rows(counts: Counter[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield text, number with details, and what held, for everything that was counted."""
    for counted in Counted:
        details = {detail: number for (name, detail), number in counts.items() if name == counted.name and number}
        named = [f"{detail} {number:,}" for detail, number in sorted(details.items()) if detail]
        total = f"{sum(details.values()):,}"
        yield counted.text, f"{total} ({', '.join(named)})" if named else total, counted.holds


def missing(counts: Counter[tuple[str, str]]) -> list[str]:
    found = {name for (name, _), number in counts.items() if number}
    return [counted.text for counted in Counted if counted.name not in found]


def page_with(content: str, summary: Iterable[str]) -> str:
    """Return the page with another summary."""
    replaced, found = _BLOCK.subn(lambda match: f"{match[1]}{chr(10).join(summary)}\n{match[2]}", content)
    assert found == 1, "the page has one place for the summary"
    return replaced


class SoakSummary:
    """Collects the counts of all tests in the process that started them, shows progress and writes the summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._counts: Counter[tuple[str, str]] = Counter()
        self._tests: Counter[str] = Counter()
        self._began, self._shown = time.monotonic(), time.monotonic()
        self._commit = _commit()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.failed:
            self._tests[report.outcome] += 1
        elif report.skipped:
            self._tests["skipped"] += 1
        if report.when == "teardown":
            for name, counts in report.user_properties:
                if name == "tally":
                    for kind, detail, number in counts:  # type: ignore[attr-defined]
                        self._counts[kind, detail] += number
            if time.monotonic() - self._shown > _PROGRESS_SECONDS:
                self._shown = time.monotonic()
                self._line(self._progress())

    def _progress(self) -> str:
        totals: Counter[str] = Counter()
        for (kind, _), number in self._counts.items():
            totals[kind] += number
        kills = sum(number for kind, number in totals.items() if kind.endswith("_KILLED"))
        alterations = totals["JOURNAL_ALTERED"] + totals["LOG_ALTERED"]
        return (
            f"\n{self._minutes()} min, {self._tests['passed']} tests, {self._tests['failed']} failed: {kills:,} kills, "
            f"{totals['POWER_CUT']:,} power cuts, {alterations:,} alterations, {totals['NIGHT']:,} nights "
        )

    def _minutes(self) -> str:
        return f"{(time.monotonic() - self._began) / 60:.0f}"

    def _line(self, text: str) -> None:
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(text)
            reporter.flush()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.OK and missing(self._counts) and not self._is_part():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _is_part(self) -> bool:
        return self._config.args_source is not pytest.Config.ArgsSource.TESTPATHS or bool(self._config.option.keyword)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
        terminalreporter.section("soak")
        for text, number, holds in rows(self._counts):
            terminalreporter.line(f"{number:>12}  {text}: {holds}")
        for text in missing(self._counts):
            terminalreporter.line(f"not counted: {text}")
        if self._config.getoption("write_soak") and exitstatus == pytest.ExitCode.OK:
            PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), self._summary()), encoding="utf-8")
            terminalreporter.line(f"written to {PAGE}")

    def _summary(self) -> Iterator[str]:
        yield f"- **Date**: {datetime.now(UTC):%d %B %Y}, {self._minutes()} minutes, {self._tests['passed']} tests."
        yield f"- **Code**: commit {self._commit}, `make soak TIMES={_TIMES}`."
        yield f"- **Machine**: {_machine()}."
        yield f"- **Result**: {self._tests['failed']} tests failed, {self._tests['skipped']} were skipped."
        yield ""
        yield from ("| injected or checked | number | what held in each case |", "|---|---|---|")
        for row in rows(self._counts):
            yield f"| {' | '.join(row)} |"


def _commit() -> str:
    """Return the commit that is checked out, marked if files differ from it."""
    command = ("git", "describe", "--always", "--dirty", "--exclude=*")
    found = subprocess.run(command, cwd=PAGE.parent, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def _machine() -> str:
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} cores, {gib:.0f} GiB, "
        f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}; journals "
        f"{'in memory' if os.environ.get('PYTEST_DEBUG_TEMPROOT') else 'on disk'}"
    )
