"""Reads the golden journals, and runs the program on copies of them by command line and HTTP only."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.support.fork_server import run_forked

ARCHIVE: Final = Path(__file__).parents[1] / "journal" / "commit-9882772.tar.xz"
GAMES: Final = ("rws-double-zero", "rws-triple-zero", "mbs-sands", "mbs-electronic-double-zero", "rws-money-wheel")
JOURNALS: Final = (*(f"deal-{game}" for game in GAMES), "house")
"""Names of the journals, which are also the folder names under ``expected/``."""
BET: Final = {"rws-money-wheel": ("symbol:5", "5", 5)}
"""Bet for a new round: position, winning outcome and odds. Other games use ``straight:17``."""
MINUTE: Final = 60_000
DAY: Final = 24 * 60 * MINUTE

AT_TIME: Final = """
import runpy, sys, time
real = time.time_ns
offset = int(sys.argv[1]) * 1_000_000 - real()
time.time_ns = lambda: real() + offset
time.time = lambda: time.time_ns() / 1_000_000_000
sys.argv = ["roundhouse", *sys.argv[2:]]
runpy.run_module("roundhouse", run_name="__main__", alter_sys=True)
"""
"""Runs the program with a changed clock, because archived tickets expire after 30 days."""

EACH: Final = """
import json, os, runpy, sys
for arguments, file in json.load(sys.stdin):
    out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.close(out)
    sys.argv = ["roundhouse", *arguments]
    try:
        runpy.run_module("roundhouse", run_name="__main__", alter_sys=True)
    except SystemExit as left:
        if left.code:
            sys.exit(f"{arguments}: status {left.code}")
    sys.stdout.flush()
"""
"""Runs many commands in one process, each with its standard output in a separate file."""


def copy_of(golden: Path, name: str, tmp_path: Path) -> Path:
    """Copy a journal with all files in its folder, and return the path of the copy."""
    kind, _, game = name.partition("-")
    source = golden / "house" if kind == "house" else golden / "deal" / game
    folder = tmp_path / source.name
    shutil.copytree(source, folder)
    return folder / "data" / "house.db" if kind == "house" else folder / "journal.db"


def archived(golden: Path, name: str, file: str) -> Any:
    """Read the stored output of the old version."""
    return json.loads((golden / "expected" / name / file).read_text(encoding="utf-8"))


# Running the program.


def roundhouse(*arguments: str) -> str:
    done = run_forked(*arguments, timeout=120)
    assert done.returncode == 0, (arguments, done.returncode, done.stdout[-1000:], done.stderr[-1000:])
    return done.stdout.decode()


def verified(journal: Path) -> Any:
    return json.loads(roundhouse("verify", str(journal), "--json"))


def each(commands: Mapping[str, Sequence[str]], folder: Path) -> dict[str, Any]:
    """Run many commands in one process and return their JSON output by name."""
    folder.mkdir()
    files = {name: folder / f"{number}.json" for number, name in enumerate(commands)}
    calls = json.dumps([[list(commands[name]), str(file)] for name, file in files.items()])
    done = subprocess.run([sys.executable, "-c", EACH], input=calls, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items()}


def deal(journal: Path, game: str, table: str, clock: int, lines: Sequence[str]) -> list[str]:
    """Send lines to ``roundhouse deal`` and return the lines of its answers."""
    arguments = ["deal", "--game", game, "--table", table, "--journal", str(journal), "--clock", str(clock)]
    text = "".join(f"{line}\n" for line in lines)
    done = run_forked(*arguments, stdin=text.encode(), timeout=120)
    assert done.returncode == 0, (done.stdout[-1000:], done.stderr[-1000:])
    return done.stdout.decode().splitlines()


def sessions_by_table(golden: Path, game: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for session in json.loads((golden / "deal" / game / "sessions.json").read_text()):
        found.setdefault(session["table"], []).append(session)
    return found


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def assert_holds(expected: Any, found: Any, without: Sequence[str] = (), where: str = "") -> None:
    """Assert that every expected value is still there. A newer version may add values."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), where
        for name, value in expected.items():
            if name not in without:
                assert name in found, f"{where}.{name} is missing"
                assert_holds(value, found[name], without, f"{where}.{name}")
    elif isinstance(expected, list):
        assert isinstance(found, list), where
        assert len(expected) == len(found), f"{where}: expected {len(expected)} items, found {len(found)}"
        for number, (one, other) in enumerate(zip(expected, found)):
            assert_holds(one, other, without, f"{where}[{number}]")
    else:
        assert expected == found, f"{where}: expected {expected!r}, found {found!r}"


# Building requests.


def request(id: str, do: str, by: str, **fields: object) -> str:
    return json.dumps({"id": id, "by": by, "do": do, **fields})


def a_round(game: str, outcome: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the dealer's requests from closing bets to settlement, in the order of the game's rules."""
    closing = ["start_spin", "close_bets"] if game == "mbs-sands" else ["close_bets", "start_spin"]
    ball = {} if game == "rws-money-wheel" else {"ball": "clockwise"}
    seen = {**ball, "wheel": "anticlockwise", "revolutions": 5}
    read = {"outcome": outcome}
    asked: list[tuple[str, dict[str, Any]]] = [(do, {}) for do in closing]
    return [*asked, ("observe_spin", seen), ("ball_at_rest", read), ("register_result", read), ("confirm_result", {})]
