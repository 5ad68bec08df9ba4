"""Invalid input to the command line: one clear line on standard error, exit status 2, never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from roundhouse import rulebooks
from tests.support.command_line import Calling

SETTLE = ("settle", "rws-double-zero", "--layout", "A", "--outcome", "17", "--bet")

BETS = [
    ("split:00-0=500", "'split:0-00'"),
    ("straight:01=500", "'straight:1'"),
    ("top_line=500", "no position 'top_line'"),
    ("street:00-2-3=500", "no position"),
    ("tiers=500", "no position 'tiers'"),
    ("red=0", "whole number of cents"),
    ("red=-5", "whole number of cents"),
    ("red=5.5", "whole number of cents"),
    ("red=5e3", "whole number of cents"),
    ("red=05", "whole number of cents"),
    ("red=+5", "whole number of cents"),
    ("red=٥", "whole number of cents"),
    ("red= 5", "whole number of cents"),
    ("red=", "whole number of cents"),
    ("red", "POSITION=CENTS"),
    ("=5", "no position"),
    ("red=100000000001", "1 to 100000000000 cents"),
    ("red=" + "9" * 18, "1 to 100000000000 cents"),
    ("red=" + "9" * 5000, "whole number of cents"),
    ("red=5=5", "whole number of cents"),
]


@pytest.mark.parametrize(("bet", "message"), BETS, ids=[bet[:30] for bet, _ in BETS])
def test_a_malformed_or_unknown_bet_is_refused_in_one_line(call: Calling, bet: str, message: str) -> None:
    assert message in call.refused(*SETTLE, bet)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("settle", "rws-double-zero", "--layout", "A", "--outcome", "37", "--bet", "red=5"), "no outcome '37'"),
        (("settle", "rws-double-zero", "--layout", "A", "--outcome", "000", "--bet", "red=5"), "no outcome '000'"),
        (("settle", "rws-double-zero", "--layout", "A", "--outcome", "17"), "at least one --bet"),
        (("settle", "rws-double-zero", "--outcome", "17", "--bet", "red=5"), "choose one with --layout"),
        (("settle", "rws-double-zero", "--layout", "C", "--outcome", "17", "--bet", "red=5"), "no layout 'C'"),
        (("settle", "rws-money-wheel", "--outcome", "rws", "--bet", "symbol:RWS=5"), "no outcome 'rws'"),
        (
            ("settle", "rws-double-zero", "--outcome", "17", "--terminal", "rapid-b", "--package", "tiers=5"),
            "no package 'tiers'",
        ),
        (
            (
                "settle",
                "rws-double-zero",
                "--layout",
                "A",
                "--outcome",
                "17",
                "--terminal",
                "rapid-b",
                "--bet",
                "red=5",
            ),
            "not A",
        ),
        (
            ("settle", "rws-double-zero", "--outcome", "17", "--terminal", "rapid-a", "--package", "tiers=0"),
            "whole number",
        ),
        (
            (
                "settle",
                "rws-double-zero",
                "--outcome",
                "17",
                "--terminal",
                "alfastreet-b",
                "--package",
                f"big_series={10**11}",
            ),
            "1 to",
        ),
        (("settle", "mbs-sands", "--bet", "red=5"), "--outcome"),
        (("positions", "roulette"), "no game 'roulette'"),
        (("positions", "rws-double-zero"), "A, B"),
        (("positions",), "GAME"),
        (("packages", "rws-double-zero"), "rapid-a, rapid-b, alfastreet-b"),
        (("packages", "rws-double-zero", "--terminal", "table"), "no terminal 'table'"),
        (("packages", "no/such/file.toml"), "cannot read"),
        (("packages", "/"), "cannot read"),
        (("odds", "mbs-sands", "--layout", "B"), "no layout 'B'"),
        (("odds", "mbs-sands", "--of", "split:00-0"), "no position"),
        (("odds", "mbs-sands", "--terminal", "rapid-a"), "no terminal"),
        (("layout", "mbs-sands"), "-o"),
        (("layout", "mbs-sands", "-o", "/no/such/folder/x.svg"), "Could not write"),
        (("trace", "nothing"), "no game"),
        (("check", "no-such-file.toml"), "cannot read"),
        (("games", "no-such-file.toml"), "cannot read"),
        (("frobnicate",), "frobnicate"),
        (("games", "--frobnicate"), "--frobnicate"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_an_unknown_game_layout_terminal_or_option_is_refused_in_one_line(
    call: Calling, arguments: tuple[str, ...], message: str
) -> None:
    assert message in call.refused(*arguments)


@pytest.mark.parametrize(
    "spin",
    [
        b"",
        b"17",
        b"{",
        b"[]",
        b"\xff",
        b"null",
        b'{"revolutions": 4}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "rest": "17"}',
        b'{"ball": "up", "wheel": "anticlockwise", "revolutions": 4, "rest": "17"}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": "4", "rest": "17"}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": true, "rest": "17"}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 1e400, "rest": "17"}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": -1, "rest": "17"}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 4, "rest": 17}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 4, "rest": "37"}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 4, "rest": "17", "seen": ["ghost"]}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 4, "rest": "17", "seen": "no_spin"}',
        b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 4, "rest": "17", "sen": []}',
        b'{"wheel": "anticlockwise", "revolutions": 4, "rest": "17", "seen": []}',
    ],
)
def test_a_malformed_spin_description_is_refused(call: Calling, spin: bytes) -> None:
    call.refused("judge", "rws-double-zero", "--json", stdin=spin)


def test_check_lists_every_fault_of_a_rulebook(call: Calling, tmp_path: Path) -> None:
    text = rulebooks.shipped(rulebooks.SHIPPED[2]).read_text()
    text = text.replace("least_revolutions = 4", "least_revolutions = 0").replace("pays = 35", "pays = 39")
    file = tmp_path / "mine.toml"
    file.write_text(text)
    status, out, err = call("check", str(file))
    assert status == 2
    assert len(out.splitlines()) == 2
    assert "favours the player" in out
    assert "line " in out
    assert err == f"roundhouse: '{file}' is not valid: 2 faults\n"
    status, out, _ = call("check", str(file), "--json")
    answer = json.loads(out)
    assert (answer["sound"], answer["hash"]) == (False, None)
    assert [sorted(row) for row in answer["faults"]] == [["line", "place", "remedy", "wrong"]] * 2
    assert "2 faults" in call.refused("positions", str(file))


def test_an_internal_error_is_reported_as_a_bug_with_status_70(call: Calling, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("roundhouse.rulebooks.games_and_errors", broken)
    monkeypatch.delenv("ROUNDHOUSE_DEBUG", raising=False)
    status, _, err = call("games")
    assert status == 70
    assert err.count("\n") == 1
    assert "bug in roundhouse" in err


def test_faulty_custom_rulebooks_are_reported_and_the_others_are_listed(
    call: Calling, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(rulebooks.FOLDER, str(tmp_path / "none"))
    assert "not a folder" in call.refused("games")
    monkeypatch.setenv(rulebooks.FOLDER, str(tmp_path))
    (tmp_path / "copy.toml").write_bytes(rulebooks.shipped(rulebooks.SHIPPED[0]).read_bytes())
    (tmp_path / "broken.toml").write_text("id = 1")
    status, out, err = call("games", "--json")
    assert (status, len(json.loads(out))) == (0, 5), "the valid games are still listed"
    assert "both have the id" in err
    assert "broken.toml has" in err


def test_the_command_exits_silently_when_its_reader_closes_the_pipe() -> None:
    command = [sys.executable, "-m", "roundhouse", "trace"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_the_installed_command_exits_with_status_2_on_bad_input() -> None:
    command = [sys.executable, "-m", "roundhouse", *SETTLE, "split:00-0=5"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
