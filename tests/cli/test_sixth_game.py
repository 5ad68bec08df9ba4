"""A sixth game needs only a rulebook file: every command accepts it without a change of the code."""

import json
from pathlib import Path

import pytest

from roundhouse import rulebooks
from tests.support.command_line import Calling
from tests.support.layout_arithmetic import bets, columns, corners, dozens, lines, splits, straights, streets

HERE = Path(__file__).parents[1] / "rulebooks"
SINGLE_ZERO = str(HERE / "single-zero.toml")
BIG_SIX = str(HERE / "big-six-54.toml")


def test_single_zero_offers_its_157_positions(call: Calling) -> None:
    found = {row["id"]: frozenset(row["covers"]) for row in call.json("positions", SINGLE_ZERO)}
    inside = straights("0") | splits() | bets("split", "0-1", "0-2", "0-3") | streets()
    inside |= bets("street", "0-1-2", "0-2-3") | corners() | bets("corner", "0-1-2-3") | lines() | columns() | dozens()
    assert {id: covers for id, covers in found.items() if ":" in id} == inside
    assert len(found) == 157


def test_single_zero_odds_are_the_published_ones(call: Calling) -> None:
    assert {row["edge"] for row in call.json("odds", SINGLE_ZERO)} == {"1/37"}
    assert {row["edge"] for row in call.json("odds", SINGLE_ZERO, "--terminal", "table")} == {"1/37"}


def test_single_zero_packages_are_complete(call: Calling) -> None:
    packages = {row["id"]: row for row in call.json("packages", SINGLE_ZERO)}
    assert len(packages) == 1 + 2 * 37 + 10
    assert packages["voisins"]["total"] == 9
    assert packages["neighbours:0:9"]["total"] == 19
    assert [piece["position"] for piece in packages["finales:0"]["pieces"]] == [
        f"straight:{n}" for n in (0, 10, 20, 30)
    ]


def test_single_zero_is_settled_and_judged_by_its_own_rules(call: Calling) -> None:
    answer = call.json("settle", SINGLE_ZERO, "--outcome", "0", "--bet", "corner:0-1-2-3=100", "--bet", "even=100")
    assert [bet["returned"] for bet in answer["bets"]] == [900, 0]
    clean = {"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 3, "rest": "17", "seen": []}

    def judged(**changes: object) -> object:
        return call.json("judge", SINGLE_ZERO, stdin=json.dumps({**clean, **changes}).encode())

    assert judged() == {"verdict": "valid", "outcome": "17"}
    # An irregularity that only this rulebook has, then a standard one, then spins that its rule on valid spins voids.
    assert judged(seen=["fire_alarm"]) == {"verdict": "void", "clauses": ["5"]}
    assert judged(ball="anticlockwise") == {"verdict": "void", "clauses": ["5"]}
    assert judged(ball="anticlockwise", seen=["fire_alarm"]) == {"verdict": "void", "clauses": ["5"]}, (
        "each clause once"
    )
    assert judged(revolutions=2) == {"verdict": "void", "clauses": ["1"]}
    assert judged(rest=None) == {"verdict": "void", "clauses": ["1"]}
    assert judged(wheel=None) == {"verdict": "void", "clauses": ["1"]}
    assert judged(seen=["ball_broke"]) == {"verdict": "valid", "outcome": "17"}


def test_big_six_has_the_published_edges_and_is_settled_and_judged(call: Calling) -> None:
    edges = {row["position"]: row["edge"] for row in call.json("odds", BIG_SIX)}
    assert edges == {
        "symbol:joker": "13/54",
        "symbol:logo": "13/54",
        "symbol:20": "2/9",
        "symbol:10": "5/27",
        "symbol:5": "2/9",
        "symbol:2": "1/6",
        "symbol:1": "1/9",
    }
    answer = call.json("settle", BIG_SIX, "--outcome", "joker", "--bet", "symbol:joker=100", "--bet", "symbol:1=100")
    assert answer["returned"] == 4100
    assert call.json("judge", BIG_SIX, stdin=b'{"revolutions": 2, "rest": 53}')["verdict"] == "valid"
    assert call.json("judge", BIG_SIX, stdin=b'{"revolutions": 1, "rest": 53}') == {"verdict": "void", "clauses": ["A"]}
    call.refused("judge", BIG_SIX, stdin=b'{"revolutions": 2, "rest": 54}')


@pytest.mark.parametrize("file", [SINGLE_ZERO, BIG_SIX], ids=["single-zero", "big-six-54"])
def test_every_command_accepts_a_rulebook_file(call: Calling, tmp_path: Path, file: str) -> None:
    assert call.json("check", file)["sound"] is True
    assert [game["id"] for game in call.json("games", file)][:5] == list(rulebooks.SHIPPED)
    assert len(call.json("games", file)) == 6
    assert call.json("trace", file)
    for arguments in (("positions",), ("packages",), ("odds",), ("trace",)):
        assert call(arguments[0], file)[0] == 0
    assert call("layout", file, "-o", str(tmp_path / "x.svg"))[0] == 0


def test_rulebooks_in_the_custom_folder_are_found_by_id(call: Calling, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(rulebooks.FOLDER, str(HERE))
    assert [game["id"] for game in call.json("games")] == [*rulebooks.SHIPPED, "big-six-54", "single-zero"]
    assert len(call.json("positions", "single-zero")) == 157
