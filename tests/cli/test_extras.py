"""Without the optional extras, most commands work and each of the others names its extra in one line.

The libraries are hidden in a separate process, as if they were not installed. The process must not have imported them
before.
"""

import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

from roundhouse.cli import COMMANDS
from tests.support.fork_server import run_forked

LAB = ("numpy", "numba", "llvmlite", "matplotlib")
EVERY = (*LAB, "typst", "distributed", "dask", "pyarrow")
RED = ("rws-double-zero", "--layout", "A", "--bet", "red=100")
SPIN = b'{"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 4, "rest": "17", "seen": []}'
OPEN = b'{"id": "1", "by": "dealer", "do": "open_table"}\n{"id": "2", "by": "dealer", "do": "open_bets"}\n'

WORK = {
    "play": ["--folder", "{new}", "--port", "0", "--for", "0.5", "--speed", "50"],
    "deal": ["--game", "mbs-sands", "--journal", "{new}.db"],
    "game list": [],
    "game positions": ["mbs-sands"],
    "game packages": ["mbs-sands"],
    "game layout": ["mbs-sands", "-o", "-"],
    "game settle": [*RED, "--outcome", "17"],
    "game judge": ["rws-double-zero"],
    "game check": ["mbs-sands"],
    "game trace": ["mbs-sands"],
    "game new": ["-o", "-"],
    "lab odds": ["rws-money-wheel", "--rank"],
    "lab slip": [*RED],
    "lab session": [*RED, "--rounds", "20", "--bankroll", "1000"],
    "house init": ["{new}"],
    "house serve": ["--check", "--config", "{house}/house.toml"],
    "house unit": ["--config", "{house}"],
    "house staff add": ["eve", "--position", "dealer", "--config", "{house}"],
    "house staff list": ["--config", "{house}"],
    "house staff position": ["anna", "dealer", "--config", "{house}"],
    "house staff password": ["anna", "--config", "{house}"],
    "house staff lock": ["anna", "--config", "{house}"],
    "house staff unlock": ["anna", "--config", "{house}"],
    "house report": ["{house}"],
    "house cage": ["{house}"],
    "house export": ["{house}"],
    "house rounds": ["{house}"],
    "house backup": ["{house}", "{new}.db"],
    "house restore": ["{backup}", "{new}"],
    "house rekey": ["--config", "{house}/house.toml"],
    "house selfcheck": [],
    "audit verify": ["--config", "{house}"],
    "audit explain": ["{journal}", "--round", "1"],
    "audit capsule": ["{journal}", "--round", "1", "-o", "{new}"],
    "witness init": ["{new}"],
    "witness trust": ["{witness}", "{journal}.pub"],
    "witness run": ["{witness}", "--listen", "127.0.0.1:0", "--for", "0.5"],
    "witness forget": ["{witness}", "roundhouse/0", "--yes"],
    "witness list": ["{witness}"],
    "wheel decode": ["{recording}"],
    "wheel watch": ["{recording}"],
    "wheel record": ["{recording}", "{new}"],
    "wheel simulate": ["--speed", "0", "--games", "2", "--seed", "1"],
    "wheel health": ["{recording}"],
}
NEED = {
    "lab simulate": [*RED, "--sessions", "10"],
    "lab floor": ["rws-double-zero", "--layout", "A"],
    "lab parsheet": ["rws-double-zero", "-o", "{new}.json"],
}


def call(arguments: Sequence[str], hidden: Sequence[str] = EVERY, stdin: bytes = b"") -> tuple[int, str, str]:
    done = run_forked(*arguments, stdin=stdin, timeout=120, hidden=hidden)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A house with one locked person, its backup, a journal and a recording, created without the extras."""
    folder = tmp_path_factory.mktemp("extras")
    paths = {name: str(folder / name) for name in ("house", "backup", "journal", "recording", "witness")}
    position = ["--position", "auditor", "--config", paths["house"]]
    for arguments, stdin in (
        (["init", paths["house"]], b""),
        (["staff", "add", "anna", *position], b"correct horse battery\n"),
        (["staff", "lock", "anna", "--config", paths["house"]], b""),
        (["backup", paths["house"], paths["backup"]], b""),
        (["deal", "--game", "mbs-sands", "--journal", paths["journal"]], OPEN),
        (["witness", "init", paths["witness"]], b""),
    ):
        assert call(arguments, stdin=stdin)[0] == 0, arguments
    status, recorded, _ = call(["wheel", "simulate", "--speed", "0", "--games", "3", "--seed", "1"])
    assert status == 0
    Path(paths["recording"]).write_text(recorded, newline="")
    return paths


def test_every_command_is_in_one_of_the_two_lists() -> None:
    assert sorted([*WORK, *NEED]) == sorted(COMMANDS)


@pytest.mark.parametrize("name", WORK)
def test_most_commands_work_without_extras(name: str, files: dict[str, str], tmp_path: Path) -> None:
    if name in ("house staff lock", "house staff add"):
        assert call(["staff", "unlock", "anna", "--config", files["house"]])[0] in (0, 2)
    if name == "house staff unlock":
        assert call(["staff", "lock", "anna", "--config", files["house"]])[0] in (0, 2)
    arguments = [argument.format(**files, new=tmp_path / "new") for argument in WORK[name]]
    stdin = SPIN if name == "game judge" else OPEN if name == "deal" else b"correct horse battery\n"
    status, out, err = call([*name.split(), *arguments], stdin=stdin)
    assert status == 0, err
    assert "Traceback" not in err
    assert out or err or name == "game layout"


@pytest.mark.parametrize(
    ("arguments", "hidden", "name", "extra"),
    [
        *((name.split() + given, EVERY, name, "lab") for name, given in NEED.items()),
        (["simulate", *RED], EVERY, "simulate", "lab"),
        (["lab", "simulate", *RED], ("numba",), "lab simulate", "lab"),
        (["lab", "session", *RED, "--rounds", "20", "--method", "fast"], LAB, "lab session", "lab"),
        (["odds", "rws-double-zero", "--layout", "A", "--liability", "--max", "500"], LAB, "odds", "lab"),
        (["lab", "odds", "rws-double-zero", "--layout", "A", "--plot", "x.svg"], ("matplotlib",), "lab odds", "lab"),
        (["lab", "parsheet", "rws-money-wheel", "-o", "x.pdf"], ("typst",), "lab parsheet", "print"),
        (["house", "report", "x.db", "--parquet", "{new}"], ("pyarrow",), "house report", "data"),
        (["house", "rounds", "x.db", "-o", "{new}.parquet"], ("pyarrow",), "house rounds", "data"),
    ],
    ids=lambda value: "_".join(value)[:40] if isinstance(value, list) else None,
)
def test_a_command_without_its_extra_names_it_in_one_line(
    arguments: list[str], hidden: Sequence[str], name: str, extra: str, tmp_path: Path
) -> None:
    given = [argument.format(new=tmp_path / "new") for argument in arguments]
    line = f"roundhouse: '{name}' needs the extra \"{extra}\": pip install 'roundhouse-games[{extra}]', "
    assert call(given, hidden) == (2, "", f"{line}or 'make lab' in a checkout\n")
    assert not Path("x.svg").exists()


def test_a_cluster_run_without_its_extra_names_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = Thread(target=lambda: server.accept()[0].close(), daemon=True)
        answering.start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        few = ["--sessions", "10", "--rounds", "10", "--cluster", address]
        status, out, err = call(["lab", "simulate", *RED, *few], ("distributed", "dask"))
        answering.join()
    assert (status, out) == (2, "")
    assert err.startswith(
        "roundhouse: 'lab simulate' needs the extra \"cluster\": pip install 'roundhouse-games[cluster]'"
    )


HIDE = """
import sys
sys.modules["apsw"] = None
from roundhouse.cli import run
sys.exit(run(sys.argv[1:]))
"""


def test_a_missing_required_library_is_named() -> None:
    """Not forked, because a forked process has imported every required library."""
    done = subprocess.run([sys.executable, "-c", HIDE, "deal", "--help"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "roundhouse: Python module 'apsw' is missing; 'make setup' installs it\n"
