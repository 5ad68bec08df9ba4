"""``roundhouse deal`` as a separate process, driven through standard input and output."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Calling
from tests.support.fork_server import ForkedProcess
from tests.support.tables import (
    DEFAULT_POSITION,
    GAMES,
    SPUN_FIRST,
    TERMINALS,
    TWO,
    Json,
    chips,
    each_game,
    evens,
    loses,
    wins,
)

REFERS = ("mbs-sands", "rws-money-wheel")
"""Games without a clause on interruptions or on wrong results: the round is referred."""
LATE = {
    "rws-double-zero": ("3.5", "5.7"),
    "rws-triple-zero": ("3.5", "5.7"),
    "mbs-sands": ("5.11", "5.12"),
    "mbs-electronic-double-zero": ("5.12", "5.11"),
    "rws-money-wheel": ("5.2", "5.2"),
}
"""Clauses on a late bet and on a late withdrawal."""
INTERRUPTED = {
    "rws-double-zero": ("5.1.2", "5.1.1"),
    "rws-triple-zero": ("5.1.2", "5.1.1"),
    "mbs-electronic-double-zero": ("5.13.1", "5.13.2"),
}
"""Clauses on an interruption without and with an outcome."""


class Dealing:
    """A running ``roundhouse deal``."""

    def __init__(self, process: ForkedProcess) -> None:
        self.process = process
        self.ready: Json = self.read()
        self._n = 0

    def read(self) -> Json:
        line: Json = json.loads(self.process.stdout.readline())
        return line

    def write(self, *lines: bytes) -> None:
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def ask(self, do: str, by: str = "", id: str = "", **fields: Any) -> Json:
        if isinstance(fields.get("bets"), dict):
            fields["bets"] = chips(fields["bets"])
        self._n += 1
        request = {"id": id or f"{self.process.pid}-{self._n}", "by": by or DEFAULT_POSITION[do], "do": do, **fields}
        self.write(json.dumps(request).encode())
        answer = self.read()
        assert answer["id"] == request["id"]
        return answer

    def ok(self, do: str, by: str = "", **fields: Any) -> Json:
        answer = self.ask(do, by, **fields)
        assert answer["ok"], answer
        return answer

    def credits(self, seat: str) -> int:
        cents: int = self.ok("show")["state"]["seats"][seat]["credits"]
        return cents

    def end(self) -> None:
        """End the input, and wait until the process has ended in order."""
        self.process.stdin.close()
        self.process.wait()


@contextmanager
def dealing(game: str, journal: Path, *more: str) -> Iterator[Dealing]:
    process = ForkedProcess("deal", "--game", game, "--journal", str(journal), *more)
    try:
        yield Dealing(process)
    finally:
        process.close()


def sit_down(dealt: Dealing, game: str) -> None:
    dealt.ok("open_table")
    dealt.ok("take_seat", seat="a", terminal=TERMINALS[game])
    dealt.ok("buy_credits", seat="a", cents=1000)


@each_game(
    {
        "rws-double-zero": "5.1.1, 5.1.2, 5.5, 5.9",
        "rws-triple-zero": "5.1.1, 5.1.2, 5.5, 5.9",
        "mbs-sands": "5.11, 5.12, general law",
        "mbs-electronic-double-zero": "5.11, 5.12, 5.13.1, 5.13.2, 6.3",
        "rws-money-wheel": "5.2, general law",
    }
)
def test_a_session_survives_two_kills_and_recovers_each_round_by_its_clause(game: str, tmp_path: Path) -> None:
    journal, bet = tmp_path / "journal", evens(game)
    first, then = ("start_spin", "close_bets") if game in SPUN_FIRST else ("close_bets", "start_spin")
    with dealing(game, journal, "--clock", "1700000000000") as dealt:
        assert dealt.ready == {"ready": True, "version": 0, "recovered": []}
        sit_down(dealt, game)
        dealt.ok("open_bets")
        placed = dealt.ask("place_bets", id="my bet", seat="a", bets={bet: 100})
        assert placed == {
            "id": "my bet", "ok": True, "version": 5,
            "events": [{"event": "bets_placed.v1", "seat": "a", "bets": {bet: 100}}],
        }  # fmt: skip
    with dealing(game, journal) as dealt:
        [recovered, *referred] = [event["event"] for event in dealt.ready["recovered"]]
        assert (recovered, referred) == ("interruption_recovered.v1", ["matter_referred.v1"] if game in REFERS else [])
        assert (dealt.ready["version"], dealt.credits("a")) == (6, 900)
        none_stands, one_stands = INTERRUPTED.get(game, ("general law", "general law"))
        if game in REFERS:
            ended = dealt.ok("decide", round=1, ruling="void", reason="the wheel was not spun")
        else:
            ended = dealt.ok("declare", irregularity="interrupted_without_outcome", **TWO)
        assert ended["events"][-1]["clauses"] == [none_stands]
        assert ended["events"][-1]["returns"] == ("5.9" if game.endswith("-zero") and game[0] == "r" else "general law")
        assert dealt.credits("a") == 1000
        assert dealt.ask("place_bets", id="my bet", seat="a", bets={bet: 100}) == placed
        dealt.ok("open_bets")
        dealt.ok("place_bets", seat="a", bets={bet: 100})
        dealt.ok(first)
        dealt.ok(then)
        late = dealt.ask("place_bets", seat="a", bets={bet: 900})
        assert (late["ok"], late["refusal"], late["clause"]) == (False, "bets_are_closed", LATE[game][0])
        withdrawn = dealt.ask("clear", seat="a")
        assert (withdrawn["refusal"], withdrawn["clause"]) == ("bets_are_closed", LATE[game][1])
        spun = {} if game == "rws-money-wheel" else {"ball": "clockwise", "wheel": "anticlockwise"}
        dealt.ok("observe_spin", revolutions=5, **spun)
        dealt.ok("ball_at_rest", outcome=wins(game))
    with dealing(game, journal) as dealt:
        recovery = dealt.ready["recovered"][0]
        assert (recovery["irregularity"], recovery["clause"]) == ("interrupted_with_outcome", one_stands)
        assert dealt.credits("a") == 900
        if game in REFERS:
            dealt.ok("decide", round=2, ruling="stand", reason="the ball rests")
        dealt.ok("register_result", outcome=wins(game))
        dealt.ok("confirm_result")
        assert dealt.credits("a") == 1100
        again = dealt.ask("correct_result", round=2, outcome=loses(game), **TWO)
        assert again["ok"] is (game not in REFERS)
        assert dealt.credits("a") == (1100 if game in REFERS else 900)


def test_malformed_lines_are_answered_in_order_and_the_table_continues(tmp_path: Path) -> None:
    lines = {
        b"nonsense": "not_understood",
        b"{}": "not_understood",
        b'{"id":"x","by":"dealer","do":"open_table"}': None,
        b'{"id":"y","do":"fly","z":' + b"[" * 50_000 + b"]" * 50_000 + b"}": "not_understood",
        b'{"id":"z","by":"dealer","do":"open_table","limits":7}': "not_understood",
        b'{"id":"q","by":"dealer","do":"refer","round":' + b"9" * 40 + b',"question":"?"}': "no_such_round",
        b'{"id":"r","by":"dealer","do":"open_bets"}': None,
        b"": "not_understood",
        b" \r": "not_understood",
    }
    with dealing(GAMES[0], tmp_path / "journal") as dealt:
        dealt.write(*lines)
        for refusal in lines.values():
            answer = dealt.read()
            assert answer["ok"] is (refusal is None)
            assert answer.get("refusal") == refusal
            assert ("reason" in answer) is (refusal == "not_understood")
        assert dealt.ok("show")["state"]["phase"] == "bets_open"


def test_a_ticket_of_one_table_is_redeemed_once_at_another(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with dealing("mbs-sands", journal) as dealt:
        sit_down(dealt, "mbs-sands")
        ticket = dealt.ok("cash_out", seat="a")["events"][0]["ticket"]
    with dealing("rws-money-wheel", journal) as dealt:
        assert dealt.ready["version"] == 0
        sit_down(dealt, "rws-money-wheel")
        dealt.ok("redeem_ticket", seat="a", ticket=ticket)
        assert dealt.ask("redeem_ticket", seat="a", ticket=ticket)["refusal"] == "ticket_is_redeemed"
        assert dealt.credits("a") == 2000
    with dealing("mbs-sands", journal) as dealt:
        assert dealt.ask("redeem_ticket", seat="a", ticket=ticket)["refusal"] == "ticket_is_redeemed"
        assert dealt.credits("a") == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--game", "mbs-sands", "--clock", "noon"], "--clock"),
        (["--game", "no-game"], "no-game"),
        (["--game", "rws-money-wheel", "--table", "mbs-sands"], "plays mbs-sands"),
    ],
)
def test_a_table_that_cannot_be_opened_is_reported_in_one_line(
    options: list[str], message: str, tmp_path: Path
) -> None:
    journal = tmp_path / "journal"
    with dealing("mbs-sands", journal) as dealt:
        dealt.ok("open_table")
    command = [sys.executable, "-m", "roundhouse", "deal", "--journal", str(journal), *options]
    done = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_opening_a_journal_in_use_is_refused_with_a_json_line(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with dealing("mbs-sands", journal):
        command = [sys.executable, "-m", "roundhouse", "deal", "--game", "mbs-sands", "--journal", str(journal)]
        second = subprocess.run(command, input=b"", capture_output=True, check=False)
        assert second.returncode == 2
        assert b"in use" in second.stderr
        answer = json.loads(second.stdout)
        assert (answer["ready"], answer["refusal"]) == (False, "journal_unavailable")
        assert "in use" in answer["reason"]


@pytest.mark.parametrize("with_witness", [False, True])
def test_a_copy_of_a_journal_goes_on_unless_a_witness_has_seen_more(with_witness: bool, tmp_path: Path) -> None:
    """A script may branch from a copy, even without its signing key. A witness takes it for a roll-back."""
    options = ("--witness", str(tmp_path / "witness")) if with_witness else ()
    journal, copy = tmp_path / "journal", tmp_path / "copy"
    with dealing("mbs-sands", journal, *options) as dealt:
        dealt.ok("open_table")
    for ending in ("", "-wal", ".key", *((".signing",) if with_witness else ())):
        if Path(f"{journal}{ending}").exists():
            shutil.copy(f"{journal}{ending}", f"{copy}{ending}")
    with dealing("mbs-sands", journal, *options) as dealt:
        dealt.ok("open_bets")
        dealt.end()
    with dealing("mbs-sands", copy, *options) as branch:
        if with_witness:
            assert branch.ready["ready"] is False
            assert "set back to an older state" in branch.ready["reason"]
        else:
            branch.ok("open_bets")


def test_a_restored_journal_is_not_dealt_while_its_tickets_are_in_dispute(tmp_path: Path, call: Calling) -> None:
    """Only the house knows the disputes. Without the signing key no witness can be asked."""
    (tmp_path / "data").mkdir()
    journal, backup = tmp_path / "data" / "house.db", str(tmp_path / "copy.db")
    with dealing("mbs-sands", journal) as dealt:
        dealt.ok("open_table")
        dealt.end()
    assert call("backup", str(journal), backup)[0] == 0
    shutil.rmtree(tmp_path / "data")
    assert call("restore", backup, str(tmp_path / "data"))[0] == 0
    arguments = ("deal", "--game", "mbs-sands", "--journal", str(journal))
    assert "its tickets are in dispute" in call.refused(*arguments)
    Path(f"{journal}.signing").unlink()
    status, out, err = call(*arguments)
    assert (status, json.loads(out)["ready"]) == (2, False)
    assert "restore the key" in err


def test_a_name_that_the_disk_refuses_is_reported_in_one_line(tmp_path: Path, call: Calling) -> None:
    status, out, err = call("deal", "--game", "mbs-sands", "--journal", str(tmp_path / ("x" * 300)))
    assert (status, json.loads(out)["ready"]) == (2, False)
    assert err.count("\n") == 1
