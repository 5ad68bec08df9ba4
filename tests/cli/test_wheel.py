"""The ``roundhouse wheel`` commands, run as a user runs them."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from roundhouse.cli import run
from tests.support.recordings import lines

RECORDING = "2 011 34\n3 011 34 x3\n4 011 34 x9\n=27\n5 011 27 x2\n3 012 27 2 x4\n2 012 27 x3\n3 013 27 x4"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "wheel.log"
    path.write_bytes(b"".join(line + b"\r\n" for line in lines(RECORDING)))
    return path


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["wheel", *arguments]) == 0
    return capsys.readouterr().out


def test_decode_lists_each_game_of_a_recording(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third = json.loads(answer(capsys, "decode", str(recording), "--game", "rws-double-zero", "--json"))
    assert first == {"game": "011", "outcome": "27"}
    assert second == {"game": "012", "void": ["5.3.6"], "flags": [2]}
    assert third["game"] == "013"
    assert "recording ended" in third["unresolved"]
    assert third.keys() == {"game", "unresolved"}
    table = answer(capsys, "decode", str(recording))
    assert "unresolved" in table
    assert "[bold]" not in table


def test_decode_of_an_empty_recording_is_an_empty_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert json.loads(answer(capsys, "decode", str(tmp_path / "empty"), "--json")) == []


def test_simulate_decode_and_health_agree(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    truth, angles, log = (tmp_path / name for name in ("truth", "angles", "log"))
    options = ["--speed", "0", "--games", "40", "--seed", "3", "--irregularities", "0.2"]
    assert run(["wheel", "simulate", *options, "--truth", str(truth), "--angles", str(angles)]) == 0
    log.write_bytes(capfdbinary.readouterr().out)
    assert run(["wheel", "decode", str(log), "--json"]) == 0
    readings = json.loads(capfdbinary.readouterr().out)
    truths = [json.loads(line) for line in truth.read_text().splitlines()]
    assert len(truths) == 40
    assert [one["outcome"].rjust(2) for one in readings if "outcome" in one] == [
        one["established"] for one in truths if one["established"]
    ]
    assert {"game", "seconds", "rotor", "ball", "radius"} == json.loads(angles.read_text().splitlines()[0]).keys()
    book = tmp_path / "alerts"
    assert run(["wheel", "health", str(log), "--json", "--alerts", str(book)]) == 0
    health = json.loads(capfdbinary.readouterr().out)
    assert health["spins"] == sum("outcome" in one for one in readings)
    assert health["power"]["statement"].startswith(f"with {health['spins']} spins, a single pocket ")
    assert len(health["findings"]) == 5
    key = health["alerts"][0]["key"]
    assert run(["wheel", "health", str(log), "--alerts", str(book), "--acknowledge", key, "--by", "Lim"]) == 0
    assert b"acknowledged by Lim" in capfdbinary.readouterr().out


def test_watch_prints_what_happens_in_a_recording(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = answer(capsys, "watch", str(recording))
    assert "011  outcome 27" in text
    assert "did the ball complete 4 revolutions (3.6)?" in text
    assert "012  void under 5.3.6" in text
    assert "warning: the ball travels with the rotor" in text
    assert "013  unresolved" in text


def test_a_simulated_wheel_behind_a_pseudo_terminal_is_recorded(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "roundhouse", "wheel"]
    log = tmp_path / "log"
    with subprocess.Popen(
        [*command, "simulate", "--pty", "--speed", "200", "--seed", "1"], stdout=subprocess.PIPE, text=True
    ) as wheel:
        assert wheel.stdout is not None
        path = wheel.stdout.readline().strip()
        with subprocess.Popen(
            [*command, "record", path, str(log), "--no-rtscts"], stderr=subprocess.DEVNULL
        ) as recorder:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not (log.exists() and log.read_bytes().count(b"*X;5;") > 5):
                time.sleep(0.05)
            recorder.terminate()
        wheel.terminate()
    assert log.read_bytes().count(b"*X;5;") > 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decode", "no-such-file"], "cannot read 'no-such-file'"),
        (["decode", "{file}", "--game", "chess"], "there is no game 'chess'"),
        (["decode", "{file}", "--code", "000"], "write POCKET=CODE"),
        (["decode", "{file}", "--code", "99=12"], "this wheel has no place '99'"),
        (["watch", "no-such-port"], "not a serial device, a recording or tcp://host:port"),
        (["record", "{file}", "{file}"], "exists; name another file"),
        (["simulate", "--produce", "clapper_on_pin"], "no irregularity or fault 'clapper_on_pin'"),
        (["simulate", "--irregularities", "2"], "0<=x<=1"),
        (["health", "{file}", "--acknowledge", "x"], "--acknowledge needs"),
        (["health", "{file}", "--alerts", "{file}"], "cannot read the alerts in"),
    ],
)
def test_invalid_wheel_arguments_are_refused_in_one_line(
    recording: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["wheel", *(argument.format(file=recording) for argument in arguments)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
