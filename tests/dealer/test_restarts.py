"""Restarts of a table with an automatic dealer: a kill in every phase of every game, and planned stops."""

import asyncio
from random import Random

import pytest

from roundhouse import rulebooks
from roundhouse.dealer.steps import Pace
from roundhouse.rules.names import StaffPosition
from roundhouse.rules.rulebook import Moment
from roundhouse.table.names import Phase
from roundhouse.table.refusals import Refusal
from tests.support.clauses import shows
from tests.support.dealt_table import DealtTable, outcome, run_dealt_table

GAMES = rulebooks.SHIPPED
WITHOUT_CLAUSE = ("mbs-sands", "rws-money-wheel")
PACE = Pace(betting_seconds=8, look_seconds=3, pause_seconds=1)
VOID_CLAUSES = {
    "rws-double-zero": "5.1.2",
    "rws-triple-zero": "5.1.2",
    "mbs-electronic-double-zero": "5.13.1",
}
CREDITS = 1_000_000


def _bet(house: DealtTable) -> tuple[str, int]:
    """Place one bet and return its position and stake."""
    position = next(iter(house.game.layouts.values())).positions[0].id
    assert house.ask("player", "place_bets", seat="s", bets=[{"position": position, "cents": 500}]).ok
    return position, 500


def _credits(house: DealtTable) -> int:
    return house.state.seats["s"].credits  # type: ignore[index]


def _returned(house: DealtTable, number: str, bet: tuple[str, int]) -> int:
    layout = next(iter(house.game.layouts))
    return house.game.prices(layout).all_times(number)[bet[0]] * bet[1]  # type: ignore[arg-type,index]


@pytest.mark.parametrize("moment", ["bets_opened", "bets_closed", "spin_started", "rolling"])
@pytest.mark.parametrize("game", [pytest.param(game, marks=shows(game, VOID_CLAUSES)) for game in GAMES])
def test_a_simulated_wheel_answers_after_a_kill_before_the_ball_rests(game: str, moment: str) -> None:
    """Its ball is gone with the process. The round is void by its clause, or by the decision of what was referred.

    A referred round without a spin goes on, because no ball was lost.
    """

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        _bet(house)
        await house.until("spin_started" if moment == "rolling" else moment)
        if moment == "rolling":
            while house.writer.facts.ball_round != 1:
                await asyncio.sleep(0.5)
        phase = house.state.phase
        await house.restart()
        recovered = house.named("interruption_recovered")
        assert [event["phase"] for event in recovered] == [phase]
        if game in WITHOUT_CLAUSE and phase in (Phase.BETS_OPEN, Phase.BETS_CLOSED):
            settled = await house.until("round_settled")
            assert (settled["round"], [event["ruling"] for event in house.named("decision_made")]) == (1, ["stand"])
            assert house.named("round_voided") == []
            return
        void = await house.until("round_voided")
        assert (void["round"], _credits(house), house.state.layout) == (1, CREDITS, 0)
        decides = house.game.rulebook.authority.decides
        if game in WITHOUT_CLAUSE:
            (referred,), (decided,) = house.named("matter_referred"), house.named("decision_made")
            assert (referred["source"], referred["clause"]) == ({"by": "system"}, decides.clause)
            assert (decided["ruling"], decided["by"]) == ("void", StaffPosition.AUTOMATIC_DEALER)
            assert "The simulated wheel shows no outcome." in decided["reason"]
            assert void["clauses"] == (decides.clause,)
        else:
            assert recovered[0]["asks"]
            assert void["clauses"] == (VOID_CLAUSES[game],)
        assert (await house.until("round_settled"))["round"] == 2
        assert house.named("manual_mode_entered") == []

    run_dealt_table(game, script, PACE)


@pytest.mark.parametrize("game", GAMES)
def test_an_outcome_on_record_is_settled_after_a_kill(game: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        bet = _bet(house)
        read = (await house.until("result_registered"))["outcome"]
        await house.restart()
        (recovered,) = house.named("interruption_recovered")
        assert (recovered["irregularity"], recovered["phase"]) == ("interrupted_with_outcome", "registered")
        settled = await house.until("round_settled")
        assert (settled["round"], settled["outcome"]) == (1, read)
        assert _credits(house) == CREDITS - bet[1] + _returned(house, read, bet)
        assert [event["ruling"] for event in house.named("decision_made")] == ["stand"] * (game in WITHOUT_CLAUSE)
        assert house.named("result_confirmed")[0]["not_measured"][-1] == "revolutions"
        assert (await house.until("round_settled", 2))["round"] == 2

    run_dealt_table(game, script, PACE)


@pytest.mark.parametrize("game", GAMES)
def test_a_physical_wheel_is_left_to_people_after_a_kill(game: str) -> None:
    """The ball came to rest while the server was down, so the line has no certain answer."""

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        bet = _bet(house)
        await house.until("bets_closed")
        await house.until("spin_started")
        house.running.cancel()
        await asyncio.sleep(60)
        await house.restart()
        await asyncio.sleep(1000)
        assert (house.named("round_voided"), house.named("round_settled")) == ([], [])
        shown = outcome(house, house.played[0].established)
        if game in WITHOUT_CLAUSE:
            assert house.state.phase is Phase.REFERRED
            two = {"who": "sue", "second": "tom"}
            assert house.ask("shift_manager", "decide", round=1, ruling="stand", reason="it rests", **two).ok
            assert house.ask("dealer", "take_over", reason="the ball rests", who="dee").ok
            reading = {"outcome": shown, "who": "dee", "reason": "the server was down"}
            assert house.ask("dealer", "ball_at_rest", **reading).refusal is Refusal.NEEDS_SECOND_PERSON
            assert house.ask("dealer", "ball_at_rest", **reading, second="pam").ok
        else:
            assert house.state.phase is Phase.INTERRUPTED
            alone = house.ask("dealer", "ball_at_rest", outcome=shown, who="dee")
            assert alone.refusal is Refusal.NEEDS_SECOND_PERSON
            assert house.ask("dealer", "ball_at_rest", outcome=shown, who="dee", second="pam").ok
        if not house.state.automatic:
            assert house.ask("dealer", "hand_back").ok
        settled = await house.until("round_settled")
        assert (settled["round"], settled["outcome"]) == (1, shown)
        assert _credits(house) == CREDITS - bet[1] + _returned(house, shown, bet)

    run_dealt_table(game, script, PACE, simulated=False)


@pytest.mark.parametrize("game", GAMES)
def test_a_ball_that_still_rolls_after_a_kill_is_read_by_the_line(game: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_closed")
        await house.until("spin_started")
        while house.writer.facts.ball_round != 1:
            await asyncio.sleep(0.5)
        await house.restart()
        shown = outcome(house, house.played[0].established)
        if game in WITHOUT_CLAUSE:
            await asyncio.sleep(1)
            two = {"who": "sue", "second": "tom"}
            assert house.ask("shift_manager", "decide", round=1, ruling="stand", reason="it rolls", **two).ok
        rested = await house.until("ball_rested")
        assert (rested["outcome"], rested["read_by"]) == (shown, "wheel")
        settled = await house.until("round_settled")
        assert (settled["round"], settled["outcome"]) == (1, shown)
        assert house.named("round_voided") == []

    run_dealt_table(game, script, PACE, simulated=False)


def _refer_at_stop(house: DealtTable) -> None:
    """Record a planned stop, which refers the round."""
    assert house.writer.stop_software()


@pytest.mark.parametrize("moment", ["bets_opened", "bets_closed", "spin_started", "result_registered"])
@pytest.mark.parametrize("game", GAMES)
def test_a_round_referred_at_a_planned_stop_is_decided_and_not_interrupted(game: str, moment: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        bet = _bet(house)
        await house.until(moment)
        goes_on = moment == "result_registered" or house.state.phase in (Phase.BETS_OPEN, Phase.BETS_CLOSED)
        _refer_at_stop(house)
        await house.restart()
        assert house.named("interruption_recovered") == []
        decided = await house.until("decision_made")
        assert decided["by"] == StaffPosition.AUTOMATIC_DEALER
        if goes_on:
            settled = await house.until("round_settled")
            assert (decided["ruling"], settled["round"]) == ("stand", 1)
            assert _credits(house) == CREDITS - bet[1] + _returned(house, settled["outcome"], bet)
        else:
            assert (decided["ruling"], "The server stopped" in decided["reason"]) == ("void", True)
            assert house.named("round_voided")[0]["clauses"] == (house.game.rulebook.authority.decides.clause,)
            assert (_credits(house), house.state.layout) == (CREDITS, 0)
        assert (await house.until("round_settled", 2))["round"] == (2 if goes_on else 3)

    run_dealt_table(game, script, PACE)


@pytest.mark.clause("mbs-electronic-double-zero", "5.14", "6.1")
@pytest.mark.parametrize("moment", ["bets_opened", "result_registered"])
def test_a_planned_stop_is_decided_although_the_matter_of_a_seat_is_open(moment: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        bet = _bet(house)
        dark = {"irregularity": "terminals_interrupted", "seats": ["s"]}
        assert house.ask("pit_manager", "declare", **dark, who="pam").ok
        await house.until(moment)
        _refer_at_stop(house)
        await house.restart()
        decided = await house.until("decision_made")
        assert decided["by"] == StaffPosition.AUTOMATIC_DEALER
        assert decided["ruling"] == "stand"
        ended = await house.until("round_settled")
        assert (ended["round"], _credits(house)) == (1, CREDITS - bet[1] + _returned(house, ended["outcome"], bet))
        assert (await house.until("bets_opened", 2))["round"] == 2

    run_dealt_table("mbs-electronic-double-zero", script, PACE)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("game", GAMES)
def test_a_night_of_kills_and_planned_stops_needs_no_people(game: str, seed: int) -> None:
    """At random moments the server is killed or stopped. Every round ends once, and the money is right to the cent."""
    dice = Random(seed)

    async def script(house: DealtTable) -> None:
        house.sit()
        slips: dict[int, tuple[str, int]] = {}
        for _ in range(25):
            for _ in range(dice.randint(1, 40)):
                await asyncio.sleep(1)
                if house.state.phase is Phase.BETS_OPEN and house.state.round not in slips:
                    slips[house.state.round] = _bet(house)
            if dice.random() < 0.4 and house.state.phase not in (Phase.IDLE, Phase.REFERRED, Phase.INTERRUPTED):
                _refer_at_stop(house)
            await house.restart()
        await house.until("round_settled", len(house.named("round_settled")) + 2)
        assert house.state.automatic
        settled = {event["round"]: event["outcome"] for event in house.named("round_settled")}
        voided = [event["round"] for event in house.named("round_voided")]
        assert sorted([*settled, *voided]) == list(range(1, max(settled) + 1))
        assert len(voided) >= 5
        returned = {
            number: _returned(house, settled[number], bet) for number, bet in slips.items() if number in settled
        }
        staked = sum(slips[number][1] for number in returned)
        on_layout = house.state.layout
        assert _credits(house) == CREDITS - staked + sum(returned.values()) - on_layout

    run_dealt_table(game, script, PACE, seed=seed)


def test_the_games_without_a_clause_on_interruptions_are_the_two_named_here() -> None:
    """The other tests of this module distinguish the games by this list."""
    found = [game for game in GAMES if "interrupted_with_outcome" not in rulebooks.find(game).rulebook.irregularities]
    assert sorted(found) == sorted(WITHOUT_CLAUSE)
    sands = rulebooks.find("mbs-sands").rulebook.betting.closes.moment
    assert sands is Moment.WHILE_SPINNING, "a kill at bets_closed is a kill during the spin there"
