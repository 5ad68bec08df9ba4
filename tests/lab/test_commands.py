"""The lab's commands print an answer or one clear error line."""

import contextlib
import json
import os
import pty
import socket
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from threading import Thread
from xml.etree import ElementTree

import numpy as np
import pytest

from roundhouse import rulebooks
from roundhouse.cli import run
from roundhouse.lab.simulate.estimates import simulate
from roundhouse.lab.simulate.plan import make_plan
from roundhouse.lab.simulate.tally import even_edges
from roundhouse.lab.slip import make_slip
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, LayoutId, PositionId
from roundhouse.rules.settlement import Bet

RED = ["rws-double-zero", "--layout", "A", "--bet", "red=100"]


def _json(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> dict[str, object]:
    assert run([*arguments, "--json"]) == status
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("name", rulebooks.SHIPPED)
def test_every_lab_command_works_for_every_game(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    game = rulebooks.find(name)
    layout = next(iter(game.layouts.values()))
    slip = [name, "--layout", layout.id, "--bet", f"{layout.positions[-1].id}=100"]
    one = _json(capsys, "slip", *slip)
    assert one["hash"] == game.hash
    many = _json(capsys, "session", *slip, "--rounds", "50", "--bankroll", "1000")
    assert many["mean_cents"] == str(50 * 100 * -Fraction(str(one["edge"])))
    played = _json(capsys, "simulate", *slip, "--sessions", "50", "--rounds", "20", "--seed", "1")
    assert played["spins"] == 1000
    evenings = _json(capsys, "floor", name, "--layout", layout.id, "--evenings", "3", "--seed", "1")
    assert evenings["evenings"] == 3
    for arguments in (["--rank"], ["--dominated"], ["--liability", "--max", "500"]):
        assert run(["odds", name, "--layout", layout.id, *arguments]) == 0
    assert game.rulebook.title in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["odds", "rws-double-zero", "--layout", "A", "--rank"],
        ["slip", *RED],
        ["session", *RED, "--rounds", "50"],
        ["simulate", *RED, "--sessions", "50", "--rounds", "20", "--seed", "1"],
        ["floor", "rws-double-zero", "--layout", "A", "--evenings", "3", "--seed", "1"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_full_name_gives_the_same_answer_as_the_old_name(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _json(capsys, "lab", *arguments) == _json(capsys, *arguments)


def test_parsheet_writes_the_same_file_under_both_names(tmp_path: Path) -> None:
    for name, arguments in (("old", ["parsheet"]), ("full", ["lab", "parsheet"])):
        assert run([*arguments, "rws-money-wheel", "-o", str(tmp_path / f"{name}.json")]) == 0
    assert (tmp_path / "old.json").read_bytes() == (tmp_path / "full.json").read_bytes()


def test_commands_accept_the_path_of_a_sixth_game(my_game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = _json(capsys, "slip", str(my_game), "--bet", "straight:0=100", "--package", "tiers=50")
    assert Fraction(str(answer["edge"])) == Fraction(1, 37)
    assert run(["check", str(my_game)]) == 0
    assert run(["floor", str(my_game), "--evenings", "2", "--seed", "1"]) == 0


def test_printed_tables_show_exact_figures_and_mark_rounded_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["slip", *RED]) == 0
    out = capsys.readouterr().out
    assert "1/19  ≈ 0.052632" in out
    assert "√(1/90)" in out
    assert run(["session", *RED, "--rounds", "100", "--bankroll", "1000", "--target", "2000"]) == 0
    out = capsys.readouterr().out
    assert "ruined before the target, in any number of rounds" in out
    assert "-100/19  ≈ -5.26" in out
    assert "100 rounds of 1.00 on 1 bet\n" in out
    assert run(["simulate", *RED, "--strategy", "labouchere", "--bankroll", "5000", "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert "1/19" in out
    assert "sessions that ended" in out
    assert "cents" not in out


def test_the_exact_and_the_fast_method_agree(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["session", *RED, "--rounds", "200", "--bankroll", "900"]
    exact, fast = (_json(capsys, *arguments, "--method", method) for method in ("exact", "fast"))
    assert (exact["exact"], fast["exact"]) == (True, False)
    assert exact["quantiles_cents"] == fast["quantiles_cents"]
    for name in ("ahead", "even", "ruined"):
        a, b = exact["chances"][name], fast["chances"][name]  # type: ignore[index]
        assert a["error"] == 0
        assert 0 < b["error"] < 1e-10
        assert abs(a["decimal"] - b["decimal"]) <= b["error"]
    assert Fraction(exact["chances"]["ahead"]["exact"]) < Fraction(1, 2)  # type: ignore[index]


def test_plots_are_written_as_svg_pdf_and_png(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = [
        ["slip", *RED],
        ["session", *RED, "--rounds", "300"],
        ["simulate", *RED, "--sessions", "100", "--seed", "1"],
        ["floor", "rws-double-zero", "--layout", "A", "--evenings", "10", "--seed", "1"],
        ["odds", "rws-double-zero", "--layout", "B"],
    ]
    for number, arguments in enumerate(commands):
        path = tmp_path / f"{number}.svg"
        assert run([*arguments, "--plot", str(path)]) == 0
        picture = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        assert sum(1 for _ in picture.iter("{http://www.w3.org/2000/svg}path")) > 10
    for kind, begins in ((".pdf", b"%PDF-"), (".png", b"\x89PNG")):
        path = tmp_path / f"slip{kind}"
        assert run([*commands[0], "--plot", str(path)]) == 0
        assert path.read_bytes().startswith(begins)
    again = tmp_path / "again.svg"
    run([*commands[0], "--plot", str(again)])
    assert again.read_bytes() == (tmp_path / "0.svg").read_bytes()
    capsys.readouterr()


def test_a_failed_minimum_return_check_exits_with_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    failed = _json(capsys, "odds", "rws-money-wheel", "--floor", "new-jersey", status=1)
    assert failed["below"] == [{"layout": "A", "id": "symbol:20", "returned": "21/26"}]
    assert _json(capsys, "odds", "rws-double-zero", "--floor", "nevada")["passed"] is True


def test_a_custom_strategy_gives_the_same_result_on_two_cores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def stake(units, net, bankroll, memory):\n    return 2 if net < 0 else 1\n")
    arguments = ["simulate", *RED, "--strategy", str(path), "--sessions", "20", "--rounds", "30", "--seed", "5"]
    one = _json(capsys, *arguments)
    assert one == _json(capsys, *arguments, "--cores", "2")
    assert one["largest_stake_cents"] == 200


BAD = [
    (["slip", "rws-double-zero", "--layout", "A", "--bet", "purple=5"], "no position 'purple'"),
    (["slip", *RED, "--max", "50"], "100 cents on red is over the limit of 50 cents"),
    (["slip", *RED, "--min", "500"], "below the minimum"),
    (["slip", *RED, "--min", "-5"], "table limits -5 to"),
    (["slip", *RED, "--limit", "purple=5"], "no bet type 'purple'"),
    (["slip", "rws-double-zero", "--layout", "A"], "at least one bet"),
    (["slip", "rws-double-zero", "--layout", "A", "--bet", "red=-5"], "whole number of cents"),
    (["slip", *RED, "--pace", "0"], "--pace"),
    (["slip", *RED, "--plot", "/no/such/folder/x.svg"], "Could not write"),
    (["session", *RED, "--rounds", "-10"], "1 to 1000000000 rounds, not -10"),
    (["session", *RED, "--rounds", "10", "--target", "100"], "--bankroll"),
    (["session", *RED, "--rounds", "10", "--bankroll", "-1"], "the bankroll must be at least 0 cents"),
    (["session", *RED, "--rounds", "10000000", "--method", "exact"], "use the fast method"),
    (["simulate", *RED, "--sessions", "-1"], "must be at least 1"),
    (["simulate", *RED, "--strategy", "luck"], "there is no strategy 'luck'"),
    (["simulate", *RED, "--strategy", "/no/such/file.py"], "cannot read"),
    (["simulate", *RED, "--parameter", "0"], "parameter of 1"),
    (["simulate", *RED, "--bankroll", "10", "--target", "5"], "must be above"),
    (["simulate", *RED, "--cluster", "nonsense://x"], "no cluster answers"),
    (["simulate", *RED, "--cluster", "nonsense"], "the address as tcp://HOST:PORT"),
    (["simulate", *RED, "--cluster", "tcp://127.0.0.1:1"], "no cluster answers at 'tcp://127.0.0.1:1': Connection"),
    (["floor", "rws-double-zero", "--layout", "A", "--cluster", "tcp://x:70000"], "the port must be a number"),
    (["slip", *RED, "--plot", "-", "--json"], "--plot - prints only the SVG"),
    (["session", *RED, "--json", "--rounds", "9", "--plot", "-"], "name a file for the plot"),
    (["slip", *RED, "--plot", "x.jpg"], "'x.jpg' must end in one of .svg, .pdf, .png"),
    (["session", *RED, "--rounds", "9", "--bankroll", "100", "--target", "50"], "must be above the bankroll of 100"),
    (["odds", "rws-money-wheel", "--rank", "--dominated"], "--rank and --dominated cannot be combined"),
    (["odds", "rws-money-wheel", "--liability", "--floor", "nevada"], "cannot be combined; choose one"),
    (["odds", "rws-double-zero", "--layout", "B", "--terminal", "rapid-a"], "terminal rapid-a has the layout A, not B"),
    (
        ["slip", "rws-double-zero", "--layout", "B", "--package", "tiers=50"],
        "layout B of rws-double-zero has the terminals rapid-b, alfastreet",
    ),
    (["floor", "rws-double-zero", "--layout", "A", "--evenings", "0"], "the number of evenings must be 1 to"),
    (["floor", "rws-double-zero", "/no/such/scenario.toml", "--layout", "A"], "cannot read"),
    (["odds", "rws-double-zero", "--floor", "atlantis"], "no profile 'atlantis'"),
    (["odds", "rws-double-zero", "--layout", "A", "--liability"], "give --max"),
    (["parsheet", "rws-double-zero", "-o", "x.docx"], "must end in one of"),
    (["new-game", "-o", "-", "--id", "My Game"], "is not a valid id"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_invalid_arguments_are_reported_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_a_strategy_that_raises_is_reported_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def stake(units, net, bankroll, memory):\n    return memory['nothing']\n")
    assert run(["simulate", *RED, "--strategy", str(path), "--seed", "1"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "KeyError at line 2" in error


def test_output_of_a_strategy_goes_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def stake(units, net, bankroll, memory):\n    print('thinking')\n    return 1\n")
    few = ["--sessions", "2", "--rounds", "3", "--seed", "1"]
    assert run(["simulate", *RED, "--strategy", str(path), *few, "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["spins"] == 6
    assert captured.err.count("thinking") == 6


def test_new_game_never_overwrites_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.toml"
    assert run(["new-game", "-o", str(path), "--id", "night-wheel", "--title", "Night Wheel"]) == 0
    assert run(["check", str(path)]) == 0
    assert "Night Wheel, version 1" in capsys.readouterr().out
    assert run(["new-game", "-o", str(path)]) == 2
    assert "already exists" in capsys.readouterr().err
    broken = path.read_text(encoding="utf-8").replace("pays = 35", "pays = 40")
    path.write_text(broken, encoding="utf-8")
    assert run(["check", str(path)]) == 2
    assert "favours the player" in capsys.readouterr().out


def test_simple_commands_load_no_heavy_library() -> None:
    code = (
        "import sys; from roundhouse.cli import run; run(['games']); run(['odds', 'rws-money-wheel']);"
        "run(['slip', 'rws-money-wheel', '--bet', 'symbol:1=100']);"
        "sys.exit(bool({'numpy', 'numba', 'matplotlib', 'typst', 'distributed', 'dask'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_slips_and_par_sheets_use_the_same_names_and_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slip with a single bet has the same figures as that bet on the PAR sheet."""
    slip = _json(capsys, "slip", "rws-money-wheel", "--bet", "symbol:20=1")
    path = tmp_path / "sheet.json"
    assert run(["parsheet", "rws-money-wheel", "-o", str(path)]) == 0
    sheet = json.loads(path.read_text(encoding="utf-8"))
    (bet,) = (bet for bet in sheet["layouts"][0]["bets"] if bet["id"] == "symbol:20")
    names = ("hit", "edge", "return", "variance", "deviation", "skewness", "kurtosis", "net", "staked")
    assert {name: slip[name] for name in names} == {name: bet[name] for name in names}
    assert slip["hash"] == sheet["hash"]


def test_liability_lists_all_worst_outcomes(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["odds", "rws-money-wheel", "--liability", "--max", "100"]
    assert _json(capsys, *arguments)["worst"] == {"outcomes": ["RWS", "CROCKFORDS"], "cents": 4500, "staked": 100}
    assert run(arguments) == 0
    assert "RWS or CROCKFORDS, where one Player wins 45.00" in capsys.readouterr().out


def test_every_bar_of_a_plot_covers_the_same_number_of_results() -> None:
    """A bar with fewer possible results than its neighbours would look like a gap."""
    for lowest, highest, step in ((-1000, 1000, 200), (-7, 930, 1), (0, 0, 5), (-35_000, 361_000, 3_600)):
        edges = even_edges(lowest, highest, step, 60)
        results = list(range(lowest, highest + 1, step))
        counts = [sum(low < result < high for result in results) for low, high in pairwise(edges)]
        full = [count for count in counts if count]
        assert sum(counts) == len(results)
        assert set(full[:-1]) <= {full[0]}
        assert full[-1] <= full[0]


def test_session_results_are_aligned_with_the_bars(double_zero: Game) -> None:
    slip = make_slip(double_zero, double_zero.layouts[LayoutId("A")], [Bet(PositionId("red"), Cents(100))])
    tally = simulate(make_plan(slip, double_zero.wheel, sessions=20_000, rounds=31, seed=1)).tally
    assert tally.edges is not None
    counts = [count for count in tally.histogram.tolist() if count]
    assert set(np.diff(tally.edges)) == {200.0}
    assert len(counts) > 15
    # The distribution is binomial, so no bar is clearly lower than both of its neighbours.
    assert not [b for a, b, c in zip(counts, counts[1:], counts[2:]) if b < 0.9 * min(a, c)]


def test_a_long_session_shows_its_progress_on_a_terminal() -> None:
    """Standard error shows a progress bar on a (pseudo-)terminal and stays empty in a pipe."""
    arguments = ["session", *RED, "--rounds", "3000", "--bankroll", "50000", "--method", "fast"]
    main, terminal = pty.openpty()
    code = f"import sys; from roundhouse.cli import run; sys.exit(run({arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], check=False, stdout=subprocess.PIPE, stderr=terminal)
    os.close(terminal)
    seen = b""
    while chunk := _read(main):
        seen += chunk
    os.close(main)
    assert done.returncode == 0
    assert b"counting" in seen
    quiet = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert quiet.stderr == b""


def _read(file: int) -> bytes:
    try:
        return os.read(file, 65536)
    except OSError:  # the other end is closed
        return b""


def test_a_server_that_is_not_a_cluster_is_reported_in_one_line() -> None:
    """Runs in a separate process, so that output of libraries at exit is checked too."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        arguments = ["simulate", *RED, "--cluster", f"tcp://127.0.0.1:{port}"]
        thread = Thread(target=_hang_up, args=(server,), daemon=True)
        thread.start()
        code = f"import sys; from roundhouse.cli import run; sys.exit(run({arguments!r}))"
        done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no cluster answers" in done.stderr


def _hang_up(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            server.accept()[0].close()
