"""The explanation of a round: steps, times, stakes, results, and the wording of each clause applied."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Calling
from tests.support.forgery import rewrite
from tests.support.journals import ROULETTE, SANDS, JournalHouse


def explain(call: Calling, day: Path, table: str, number: int, *more: str) -> Any:
    return call.json("explain", str(day), "--table", table, "--round", str(number), *more)


def test_a_round_is_explained_bet_by_bet(day: Path, call: Calling) -> None:
    story = explain(call, day, ROULETTE, 1)
    (verdict,) = story["verdicts"]
    bets = {(bet["seat"], bet["position"]): bet for bet in verdict["bets"]}
    assert {key: (bet["staked"], bet["result"], bet["returned"]) for key, bet in bets.items()} == {
        ("a", "straight:17"): (500, "won", 18_000),
        ("a", "red"): (1000, "lost", 0),
        ("b", "black"): (2000, "won", 4000),
    }
    assert bets["a", "straight:17"]["clauses"] == ["4.1.1 / Straight Up"]
    assert "35 to 1" in story["clauses"]["4.1.1 / Straight Up"]
    assert verdict["disagrees"] == []
    assert story["standing"] == {"a": {"straight:17": 500, "red": 1000}, "b": {"black": 2000}}


def test_late_bets_undone_steps_and_refusals_are_listed(day: Path, call: Calling) -> None:
    _, out, _ = call("explain", str(day), "--table", ROULETTE, "--round", "1")
    for text in (
        "Steps (time zone UTC)",
        "2023-11-14 22:13:22.250",
        "took back the last step: 1.00 on straight:5",
        "seat b came 0.250 s late with 7.00 on red",
        "seat a came 0.500 s late to take back",
        "no_such_position: layout B has no position 'straight:99'",
        "bets are closed: “No More Bets”; 35.00 stand on the layout",
        "Dealer",
        "5.7: Chips count where they lie",
    ):
        assert text in out, text


def test_a_correction_shows_the_verdicts_before_and_after(day: Path, call: Calling) -> None:
    first, second = explain(call, day, ROULETTE, 2)["verdicts"]
    assert (first["outcome"], second["outcome"]) == ("8", "9")
    assert [bet["result"] for bet in first["bets"]] == ["won", "won"]
    assert [bet["result"] for bet in second["bets"]] == ["lost", "lost"]
    assert second["clauses"] == ["5.5"]
    a, b = second["changes"]
    assert (a["was"], a["now"], a["taken"], a["shortfall"], a["owes"]) == (36_000, 0, 0, 36_000, 36_000)
    assert (b["was"], b["now"], b["taken"], b["shortfall"]) == (2000, 0, 2000, 0)


def test_a_correction_of_another_round_is_a_step_without_a_verdict(day: Path, call: Calling) -> None:
    story = explain(call, day, ROULETTE, 3)
    assert [verdict["outcome"] for verdict in story["verdicts"]] == ["00", None]
    assert any("round 2 is corrected" in step["did"] for step in story["steps"])
    assert not any(verdict["disagrees"] for verdict in story["verdicts"])
    assert story["verdicts"][1]["clauses"] == ["5.4"]


def test_decisions_voids_and_recoveries_include_their_reasons(day: Path, call: Calling) -> None:
    steps = " ".join(step["did"] for step in explain(call, day, ROULETTE, 4)["steps"])
    assert "The lights went out." in steps
    assert "void, because “The ball was not seen.”" in steps
    recovered = explain(call, day, ROULETTE, 5)
    assert any(step["by"] == "The table itself" and "interruption" in step["did"] for step in recovered["steps"])
    void = explain(call, day, SANDS, 1)["verdicts"][0]
    assert (void["outcome"], void["bets"][0]["result"], void["bets"][0]["returned"]) == (None, "returned", 5000)
    assert void["clauses"] == ["5.3", "general law"]


def test_an_unfinished_round_is_explained_as_not_over(day: Path, call: Calling) -> None:
    status, out, _ = call("explain", str(day), "--table", SANDS, "--round", "2")
    assert status == 0
    assert "The round is not over" in out
    assert "seat x repeated 50.00 on green" in out


def test_a_round_without_bets_says_so(tmp_path: Path, call: Calling) -> None:
    house = JournalHouse(tmp_path / "j")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, {"do": "open_bets"}, {"do": "close_bets"})
    house.close()
    status, out, _ = call("explain", str(house.path), "--round", "1")
    assert (status, "Bets at closing: none" in out) == (0, True)


def test_the_seat_option_limits_the_explanation_to_one_seat(day: Path, call: Calling) -> None:
    story = explain(call, day, ROULETTE, 1, "--seat", "b")
    assert {step["seat"] for step in story["steps"]} == {None, "b"}
    assert list(story["standing"]) == ["b"]
    assert {bet["seat"] for bet in story["verdicts"][0]["bets"]} == {"b"}
    assert story["verdicts"][0]["disagrees"] == []


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_a_capsule_and_the_journal_give_the_same_explanation(
    day: Path, tmp_path: Path, call: Calling, number: int
) -> None:
    path = tmp_path / "capsule.json"
    call("capsule", str(day), "--table", ROULETTE, "--round", str(number), "-o", str(path))
    assert call.json("explain", str(path), "--round", str(number)) == explain(call, day, ROULETTE, number)


def test_amounts_that_differ_from_the_computed_returns_are_reported(copy: Path, call: Calling) -> None:
    def pay_more(entry: dict[str, Any]) -> None:
        entry["events"][-1]["seats"]["a"][1] += 1

    rewrite(copy, ROULETTE, 19, pay_more)
    _, out, _ = call("explain", str(copy), "--table", ROULETTE, "--round", "1")
    assert "The recorded amounts of a differ from the returns of these bets." in out


def test_typed_text_is_escaped_before_it_is_printed(tmp_path: Path, call: Calling) -> None:
    house = JournalHouse(tmp_path / "j")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, {"do": "open_bets"})
    house.do(ROULETTE, {"do": "refer", "round": 1, "question": "[red]\x1b[2Jwho?[/nothing]"})
    house.close()
    status, out, err = call("explain", str(house.path), "--round", "1")
    assert (status, err) == (0, "")
    assert "[red]\\x1b[2Jwho?[/nothing]" in out
    assert "\x1b" not in out
