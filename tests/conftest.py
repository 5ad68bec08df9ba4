"""Fixtures with the loaded games, and the check that every clause implemented by code or data has a passing test."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from hypothesis import settings

from roundhouse import rulebooks
from roundhouse.rules.clauses import RegisterEntry
from roundhouse.rules.game import Game
from tests.support.clauses import Cited, complaints, misnamed_tests, write_tests_file
from tests.support.soak import SOAK, SoakSummary, Tally

pytest_plugins = ["pytester", "tests.support.fixtures"]

CITES = "clauses"
MEMORY = Path("/dev/shm")
NEEDED_BYTES = 2**30
"""The disk space that the temporary files of a whole run need, with a wide margin."""

# Every run uses the same examples, so a failure comes from a code change.
settings.register_profile("test", deadline=None, max_examples=300, derandomize=True, database=None)
settings.load_profile("test")


@pytest.fixture(scope="session")
def games() -> dict[str, Game]:
    return {game.id: game for game in rulebooks.games()}


@pytest.fixture(scope="session")
def registers(games: dict[str, Game]) -> dict[str, tuple[RegisterEntry, ...]]:
    return {id: rulebooks.register(game) for id, game in games.items()}


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Iterator[Tally]:
    """Counts what a test of the soak has done."""
    found = Tally()
    yield found
    counts = [[name, detail, number] for (name, detail), number in found.counts.items()]
    request.node.user_properties.append(("tally", counts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the soak before pytest deselects by markers."""
    for item in items:
        if "tally" in getattr(item, "fixturenames", ()):
            item.add_marker("soak")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-soak", action="store_true", help="write the summary of a whole soak to its page")
    parser.addoption("--write-clause-tests", action="store_true", help="write the names of tests that cite clauses")


def pytest_collection_finish(session: pytest.Session) -> None:
    if session.config.getoption("write_clause_tests"):
        write_tests_file(
            Cited(item.nodeid, mark.args[0], clause)
            for item in session.items
            for mark in item.iter_markers("clause")
            for clause in mark.args[1:]
        )


def pytest_configure(config: pytest.Config) -> None:
    # Remove an inherited terminal size, because it would change the width of printed tables.
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
    # Every commit waits milliseconds for a disk. In memory, tests of journals take a third of the time.
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > NEEDED_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    # Houses and tables of the tests use a local witness of their own, not that of the user.
    state = tempfile.mkdtemp(prefix="roundhouse-state-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT"))
    os.environ["XDG_STATE_HOME"] = state
    config.add_cleanup(lambda: shutil.rmtree(state, ignore_errors=True))
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(ClauseCoverage(config), "clause-coverage")
        if SOAK:
            config.pluginmanager.register(SoakSummary(config), "soak-summary")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Attach the cited clauses to the test's report, because xdist workers run tests in other processes."""
    for mark in item.iter_markers("clause"):
        item.user_properties.append((CITES, [mark.args[0], *mark.args[1:]]))


class ClauseCoverage:
    """Fail a test run that cites an unknown clause or leaves an implemented clause without a passing test."""

    def __init__(self, config: pytest.Config) -> None:
        self._whole = (
            config.args_source is pytest.Config.ArgsSource.TESTPATHS
            and not (config.option.keyword or config.option.markexpr or getattr(config.option, "lf", False))
            and not config.option.collectonly
        )
        self._cited: list[Cited] = []
        self._passed: set[str] = set()
        self._complaints: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "setup":
            for name, cited in report.user_properties:
                if name == CITES:
                    game, *clauses = cast("list[str]", cited)
                    self._cited += [Cited(report.nodeid, game, clause) for clause in clauses]
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)
        elif report.failed:
            self._passed.discard(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        registers = {str(game.id): rulebooks.register(game) for game in rulebooks.games()}
        self._complaints = complaints(
            {game: [entry.clause for entry in register if entry.needs_test] for game, register in registers.items()},
            {game: [entry.clause for entry in register] for game, register in registers.items()},
            self._cited,
            self._passed if self._whole else None,
        )
        if self._whole:
            self._complaints += misnamed_tests(registers, self._cited)
        if self._complaints and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._complaints:
            terminalreporter.section("clauses", red=True)
            for complaint in self._complaints:
                terminalreporter.line(complaint)
        elif self._whole:
            tested = {(cite.game, cite.clause) for cite in self._cited if cite.test in self._passed}
            terminalreporter.line(f"clauses covered by a passing test: {len(tested)}")
