"""The automatic dealer with real simulated wheels: whole rounds of every game, irregularities, failures, people."""

import asyncio
import os
from pathlib import Path

import pytest

from roundhouse import rulebooks
from roundhouse.floor.dealer import Settings
from roundhouse.rules.names import Pocket
from roundhouse.rules.rulebook import Moment
from roundhouse.table.events import InterruptionRecovered
from roundhouse.table.names import Phase
from roundhouse.table.refusals import Refusal
from roundhouse.wheelhead.line import Code
from tests.floor.house import House, in_house

GAMES = rulebooks.SHIPPED
pytestmark = pytest.mark.skipif(
    os.environ.get("ROUNDHOUSE_TESTS") != "soak",
    reason="the dealer can wait for ever after an unresolved game: run by make soak until that is mended",
)

PATIENT = Settings(betting_seconds=8, look_seconds=1, pause_seconds=1, patience_seconds=10_000)
LONG_LOOK = Settings(betting_seconds=8, look_seconds=100_000, pause_seconds=1)


def outcome(house: House, code: Code | None) -> Pocket:
    assert code is not None
    return house.game.wheel.at(house.codes.segment_of[code])


def order(house: House, *names: str) -> list[str]:
    """The events of these names, in the order in which they came."""
    found = [e["line"] if e["event"] == "told" else e["event"].partition(".")[0] for e in house.events]
    return [name for name in found if name in names]


@pytest.mark.parametrize("name", GAMES)
def test_whole_rounds_settled_to_the_cent(name: str, tmp_path: Path) -> None:
    async def script(house: House) -> None:
        house.sit()
        layout = next(iter(house.game.layouts.values()))
        prices = house.game.prices(layout.id)
        credits = 1_000_000
        for number in range(1, 4):
            await house.until("bets_opened", number)
            slip = {position.id: 100 + i for i, position in enumerate(layout.positions[number::7])}
            bets = [{"position": id, "cents": cents} for id, cents in slip.items()]
            assert house.ask("player", "place_bets", seat="s", bets=bets).ok
            settled = await house.until("round_settled", number)
            shown = outcome(house, house.played[number - 1].established)
            assert settled["outcome"] == shown
            times = prices.all_times(shown)
            credits += sum(cents * times[id] for id, cents in slip.items()) - sum(slip.values())
            assert house.keeper.table.memory.seats["s"].credits == credits  # type: ignore[index]
        assert set(house.countdown) <= {50, 40, 30, 20, 10}
        assert house.countdown
        directions = [event["wheel"] for event in house.named("spin_observed")[:3]]
        ball = house.game.rulebook.wheel.spun == "ball"
        assert (directions[0] != directions[1] != directions[2]) == ball

    in_house(
        tmp_path / "j", name, script, Settings(betting_seconds=80, countdown=(50, 40, 30, 20, 10), pause_seconds=1)
    )


@pytest.mark.parametrize("name", GAMES)
def test_bets_close_at_the_moment_of_the_game(name: str, tmp_path: Path) -> None:
    async def script(house: House) -> None:
        house.sit()
        await house.until("round_settled", 2)
        words = ("bets_closed", "*u 1", "spin_started", "ball_rested")
        found = order(house, *words)
        once = [word for i, word in enumerate(found) if not i or found[i - 1] != word][:8]
        while_spinning = house.game.rulebook.betting.closes.moment is Moment.WHILE_SPINNING
        assert once == (
            ["*u 1", "spin_started", "bets_closed", "ball_rested"] * 2
            if while_spinning
            else ["bets_closed", "*u 1", "spin_started", "ball_rested"] * 2
        )

    in_house(tmp_path / "j", name, script)


def test_the_operator_may_choose_to_close_while_spinning(tmp_path: Path) -> None:
    async def script(house: House) -> None:
        house.sit()
        await house.until("ball_rested")
        expected = ["spin_started", "bets_closed", "ball_rested"]
        assert order(house, *expected) == expected

    in_house(tmp_path / "j", "rws-double-zero", script, Settings(betting_seconds=4, closes_while_spinning=True))


@pytest.mark.parametrize("word", ["same_direction", "ball_left_wheel"])
@pytest.mark.parametrize("name", [name for name in GAMES if name != "rws-money-wheel"])
def test_an_irregularity_is_void_under_its_clause(name: str, word: str, tmp_path: Path) -> None:
    async def script(house: House) -> None:
        house.sit()
        void = await house.until("round_voided")
        assert void["clauses"] == (house.game.rulebook.irregularities[word].clause,)  # type: ignore[index]
        assert void["causes"] == (word,)
        assert (await house.until("round_settled"))["round"] == 2

    in_house(tmp_path / "j", name, script, words=(word,))


@pytest.mark.parametrize("word", ["ball_did_not_drop", "sensor_failed", "wheel_stopped", "power_cut"])
def test_what_the_wheel_cannot_tell_is_a_question_for_people(word: str, tmp_path: Path) -> None:
    async def script(house: House) -> None:
        house.sit()
        manual = await house.until("manual_mode_entered")
        assert "what does the wheel show?" in manual["reason"]
        assert house.keeper.table.memory.phase is Phase.SPINNING
        shown = house.ask("player", "show").state
        assert shown is not None
        assert (shown.mode, shown.mode_reason) == ("manual", manual["reason"])
        irregularity = word if word in house.game.rulebook.irregularities else "ball_did_not_drop"
        assert house.ask("dealer", "declare", irregularity=irregularity).ok
        assert house.ask("dealer", "hand_back").ok
        assert (await house.until("round_settled"))["round"] == 2

    in_house(tmp_path / "j", "rws-double-zero", script, words=(word,))


def test_a_wheel_that_falls_silent_ends_the_dealing(tmp_path: Path) -> None:
    async def script(house: House) -> None:
        house.sit()
        await house.until("spin_started", 2)
        house.unplug()
        manual = await house.until("manual_mode_entered")
        assert "silent" in manual["reason"]
        assert house.keeper.table.memory.phase is Phase.SPINNING
        assert house.ask("dealer", "call_no_spin").ok
        assert house.ask("dealer", "hand_back").ok
        assert (await house.until("manual_mode_entered", 2))["reason"]
        assert len(house.named("bets_opened")) == 2

    in_house(tmp_path / "j", "mbs-electronic-double-zero", script, PATIENT)


def test_people_take_over_and_hand_back_in_mid_round(tmp_path: Path) -> None:
    async def script(house: House) -> None:
        house.sit()
        await house.until("spin_started")
        assert house.ask("dealer", "take_over", reason="a chip fell").ok
        assert house.ask("dealer", "take_over", reason="again").refusal is Refusal.MODE_IS_MANUAL
        version = house.keeper.version
        while not house.played:
            await asyncio.sleep(0.001)
        told = len(house.heard)
        await asyncio.sleep(0.3)
        assert (house.keeper.version, len(house.heard)) == (version, told)
        assert house.ask("dealer", "hand_back").ok
        assert house.ask("dealer", "hand_back").refusal is Refusal.MODE_IS_AUTOMATIC
        first = await house.until("round_settled")
        assert (first["round"], first["outcome"]) == (1, outcome(house, house.played[0].established))
        await house.until("round_settled", 2)

    in_house(tmp_path / "j", "rws-triple-zero", script)


@pytest.mark.parametrize("names_the_wheels", [True, False])
def test_readings_that_disagree_hold_the_round(names_the_wheels: bool, tmp_path: Path) -> None:
    async def script(house: House) -> None:
        house.sit()
        read = (await house.until("result_registered"))["outcome"]
        other = next(pocket for pocket in house.game.wheel.pockets if pocket != read)
        assert house.ask("dealer", "register_result", outcome=other).ok
        refused = house.ask("dealer", "confirm_result")
        assert (refused.refusal, refused.clause) == (Refusal.READINGS_DISAGREE, "5.5")
        assert house.ask("dealer", "correct_result", round=1, outcome=read).refusal is Refusal.NOT_AUTHORISED
        chosen = read if names_the_wheels else other
        assert house.ask("pit_supervisor", "correct_result", round=1, outcome=chosen).ok
        assert house.ask("dealer", "confirm_result").ok
        assert house.named("round_settled")[0]["outcome"] == chosen

    in_house(tmp_path / "j", "rws-double-zero", script, LONG_LOOK)


def test_the_dealer_ends_the_hold_by_agreeing_with_the_wheel(tmp_path: Path) -> None:
    async def script(house: House) -> None:
        house.sit()
        read = (await house.until("result_registered"))["outcome"]
        other = next(pocket for pocket in house.game.wheel.pockets if pocket != read)
        house.ask("dealer", "register_result", outcome=other)
        assert house.ask("dealer", "confirm_result").refusal is Refusal.READINGS_DISAGREE
        house.ask("dealer", "register_result", outcome=read)
        assert house.ask("dealer", "confirm_result").ok

    in_house(tmp_path / "j", "mbs-sands", script, LONG_LOOK)


def test_a_restart_does_not_resolve_what_people_must(tmp_path: Path) -> None:
    async def before(house: House) -> None:
        house.sit()
        read = (await house.until("result_registered"))["outcome"]
        other = next(pocket for pocket in house.game.wheel.pockets if pocket != read)
        house.ask("dealer", "register_result", outcome=other)

    async def after(house: House) -> None:
        assert house.keeper.recovered == []
        assert house.ask("dealer", "confirm_result").refusal is Refusal.READINGS_DISAGREE

    in_house(tmp_path / "j", "rws-double-zero", before, LONG_LOOK)
    in_house(tmp_path / "j", "rws-double-zero", after, LONG_LOOK)


def test_restarted_in_mid_spin_the_round_is_void_by_its_clause_and_play_goes_on(tmp_path: Path) -> None:
    async def before(house: House) -> None:
        house.sit()
        await house.until("spin_started")

    async def after(house: House) -> None:
        recovered = house.keeper.recovered[0]
        assert isinstance(recovered, InterruptionRecovered)
        assert recovered.clause == "5.1.2"
        assert (await house.until("round_settled"))["round"] == 2

    in_house(tmp_path / "j", "rws-double-zero", before)
    in_house(tmp_path / "j", "rws-double-zero", after)
