"""``roundhouse deal --auto`` and ``--wheel`` as real processes: pseudo-terminals, signals and kills."""

import json
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from roundhouse.cli import run
from tests.support.deal_process import Deal
from tests.support.fork_server import ForkedProcess, run_forked
from tests.support.random_script import CLAUSES, TERMINALS, entries_of, in_round, money
from tests.support.soak import Counted, Tally, times

SPEED = "150"
PACE = ("--betting-seconds", "12", "--look-seconds", "2", "--pause-seconds", "2")
SIMULATED = ("--wheel", f"simulated:{SPEED}", "--auto", *PACE)
TIMEOUT_SECONDS = 120
PHASES = ("bets_opened", "bets_closed", "spin_started", "ball_rested", "round_settled")
PARTS = times(1, 6)
"""Nights of five kills each for a game. `make soak` plays more of them."""


class Automatic(Deal):
    """A table with the automatic dealer, whose lines arrive between answers. Killed after TIMEOUT_SECONDS."""

    def __init__(self, journal: Path, game: str, *options: str) -> None:
        super().__init__(journal, game, *options)
        self.received: list[dict[str, Any]] = []
        self._count = 0
        self._timer = Timer(TIMEOUT_SECONDS, self.process.kill)
        self._timer.start()

    def _close(self) -> None:
        self._timer.cancel()
        super()._close()

    def request(self, do: str, by: str = "dealer", **fields: Any) -> dict[str, Any]:
        """Send a request and return its answer. Lines of the dealer before it are stored in ``received``."""
        self._count += 1
        id = f"{self.ready['version']}:{self._count}"
        self.send({"id": id, "by": by, "do": do, **fields})
        return self.wait(lambda line: line.get("id") == id)

    def event(self, name: str) -> dict[str, Any]:
        """Wait for the dealer's next event with this name."""
        line = self.wait(lambda line: any(e["event"].startswith(name) for e in line.get("events", [])))
        return next(event for event in line["events"] if event["event"].startswith(name))

    def wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            line = self.answer()
            self.received.append(line)
            if wanted(line):
                return line

    def sit(self, game: str) -> None:
        terminal = TERMINALS.get(game, "table")
        self.request("open_table", "pit_manager")
        self.request("take_seat", "player", seat="s", terminal=terminal)
        assert self.request("buy_credits", "cashier", seat="s", cents=1_000_000)["ok"]


@contextmanager
def dealing(journal: Path, game: str, *options: str) -> Iterator[Automatic]:
    table = Automatic(journal, game, *options)
    try:
        yield table
    finally:
        table.process.kill()
        table._close()


def verifies(path: Path, capsys: pytest.CaptureFixture[str]) -> bool:
    status = run(["verify", str(path), "--json"])
    capsys.readouterr()
    return status == 0


def test_the_command_line_deals_rounds_automatically(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "j.db"
    with dealing(path, "rws-double-zero", *SIMULATED) as table:
        table.sit("rws-double-zero")
        for _ in range(2):
            table.event("bets_opened")
            assert table.request("place_bets", "player", seat="s", bets=[{"position": "red", "cents": 500}])["ok"]
            table.event("round_settled")
        countdowns = [line["countdown"] for line in table.received if "countdown" in line]
        assert countdowns
        assert set(countdowns) <= {10, 5, 4, 3, 2, 1}
        dealt = [line for line in table.received if line.get("auto") and line["events"]]
        assert all(line.keys() == {"auto", "version", "events"} for line in dealt)
        state = table.request("show", "player")["state"]
        assert state["mode"] == "automatic"
        assert table.end() == (0, "")
    assert verifies(path, capsys)


def test_bets_stay_open_for_the_configured_seconds(tmp_path: Path) -> None:
    """The countdown shows 10 only if bets are open for more than 10 seconds."""
    with dealing(
        tmp_path / "j.db", "mbs-sands", "--wheel", "simulated:20", "--auto", "--betting-seconds", "4"
    ) as table:
        table.sit("mbs-sands")
        table.event("bets_opened")
        table.event("bets_closed")
        assert {line["countdown"] for line in table.received if "countdown" in line} <= {4, 3, 2, 1}


def test_without_auto_the_dealer_starts_after_a_hand_back(tmp_path: Path) -> None:
    with dealing(tmp_path / "j.db", "mbs-sands", *SIMULATED[:2], *PACE) as table:
        table.sit("mbs-sands")
        assert table.request("show", "player")["state"]["phase"] == "idle"
        assert table.request("hand_back")["ok"]
        table.event("round_settled")
        assert not any(line.get("auto") for line in table.received[:5])


def test_a_sigterm_lets_the_dealer_finish_the_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "j.db"
    with dealing(path, "mbs-electronic-double-zero", *SIMULATED) as table:
        table.sit("mbs-electronic-double-zero")
        table.event("spin_started")
        table.process.send_signal(signal.SIGTERM)
        table.event("round_settled")
        assert table.process.wait(TIMEOUT_SECONDS) == 0
    assert in_round(entries_of(path, "mbs-electronic-double-zero")) == (False, False)
    assert verifies(path, capsys)


VOID_CLAUSES = {"rws-double-zero": "5.1.2", "mbs-electronic-double-zero": "5.13.1"}


@pytest.mark.clause("rws-double-zero", "5.1.1", "5.1.2")
@pytest.mark.clause("mbs-electronic-double-zero", "5.13.1", "5.13.2")
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("game", ["rws-double-zero", "mbs-electronic-double-zero"])
def test_a_kill_during_dealing_is_recovered_by_the_clause_of_the_phase(
    game: str, part: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], tally: Tally
) -> None:
    """Kill the process in each phase: the round is recovered, credits are right and dealing continues."""
    path, dice = tmp_path / "j.db", random.Random(f"{game} {part}")
    table = Automatic(path, game, *SIMULATED)
    table.sit(game)
    for name in PHASES:
        table.event("bets_opened")
        bets = [{"position": "red", "cents": 100 * dice.randint(1, 9)}]
        assert table.request("place_bets", "player", seat="s", bets=bets)["ok"]
        if name != "bets_opened":
            table.event(name)
        table.kill()
        tally.add(Counted.DEALER_KILLED, detail=f"after {name}")
        open_round, rested = in_round(entries_of(path, game))
        table = Automatic(path, game, *SIMULATED)
        recovered = table.ready["recovered"]
        assert bool(recovered) == open_round
        if open_round:
            concluded, asks = CLAUSES[game]
            # Without an outcome on record the house asks what the wheel shows, and the simulated wheel answers.
            (interrupted,) = recovered
            assert interrupted["clause"] == (concluded if rested else asks)
            ended = table.event("round_settled" if rested else "round_voided")
            assert rested or ended["clauses"] == [VOID_CLAUSES[game]]
        state = table.request("show", "player")["state"]
        if state["phase"] in ("idle", "closed"):
            assert state["seats"]["s"]["credits"] == money(entries_of(path, game))["s"]
        assert sum(state["accounts"].values()) == 0
    table.event("round_settled")
    table.kill()
    assert verifies(path, capsys)


class Wheel:
    """A simulated wheel in a separate process, on a pseudo-terminal that is linked under a fixed name."""

    def __init__(self, name: Path, *options: str) -> None:
        self._process = ForkedProcess("wheel", "simulate", "--pty", "--closed", "--speed", SPEED, *options)
        path = self._process.stdout.readline().decode().strip()
        name.unlink(missing_ok=True)
        name.symlink_to(path)

    def vanish(self) -> None:
        self._process.close()


def test_a_wheel_that_disconnects_leads_to_manual_mode_until_it_is_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, name = tmp_path / "j.db", tmp_path / "wheel"
    wheel = Wheel(name, "--game", "rws-double-zero")
    options = ("--wheel", str(name), "--no-rtscts", "--speed", SPEED, "--auto", *PACE)
    try:
        with dealing(path, "rws-double-zero", *options) as table:
            table.sit("rws-double-zero")
            table.event("round_settled")
            table.event("spin_started")
            wheel.vanish()
            reason = table.event("manual_mode_entered")["reason"]
            assert reason
            state = table.request("show", "player")["state"]
            assert (state["mode"], state["mode_reason"]) == ("manual", reason)
            assert table.request("declare", irregularity="ball_did_not_drop")["ok"]
            wheel = Wheel(name, "--game", "rws-double-zero")
            while not _handed_back(table):
                pass
            table.event("round_settled")
            assert table.end() == (0, "")
    finally:
        wheel.vanish()
    assert verifies(path, capsys)


def _handed_back(table: Automatic) -> bool:
    """Hand the table back and return whether the dealer opened bets. False if the wheel is still missing."""
    assert table.request("hand_back")["ok"]
    names = ("bets_opened", "manual_mode_entered")
    line = table.wait(lambda line: any(e["event"].startswith(names) for e in line.get("events", [])))
    return any(event["event"].startswith("bets_opened") for event in line["events"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--auto"], "needs a wheel"),
        (["--wheel", "simulated:0", "--auto"], "not a simulated wheel"),
        (["--wheel", "simulated:fast", "--auto"], "not a simulated wheel"),
        (["--wheel", "simulated:5000", "--auto"], "up to 1000"),
        (["--wheel", "nowhere", "--auto"], "is not a serial device, a recording or tcp://host:port"),
        (["--wheel", "simulated", "--code", "17=1"], "two places of the wheel have the same code"),
        (["--wheel", "simulated", "--betting-seconds", "nan"], "not a number of seconds"),
        (["--wheel", "simulated", "--look-seconds", "inf"], "range"),
    ],
)
def test_invalid_wheel_options_are_refused_in_one_line(options: list[str], message: str, tmp_path: Path) -> None:
    found = run_forked(
        "deal", "--game", "mbs-sands", "--journal", str(tmp_path / "j.db"), *options, timeout=TIMEOUT_SECONDS
    )
    assert found.returncode == 2
    assert message in found.stderr.decode()
    assert found.stderr.count(b"\n") == 1
    assert [json.loads(line).get("ready") for line in found.stdout.splitlines()] in ([], [True])
    if "not a simulated wheel" in message:
        assert not (tmp_path / "j.db").exists(), "the mistake is reported before any file is created"
