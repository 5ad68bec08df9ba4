"""A wheel at a table that people deal: it is prepared, launched by ``start_spin``, and its number goes on record."""

import asyncio
from dataclasses import replace
from functools import partial

import pytest

from roundhouse import rulebooks
from roundhouse.dealer.attended import LAUNCH_SECONDS, NOT_LAUNCHED, AttendedWheel
from roundhouse.dealer.loop import DealerWaiting
from roundhouse.dealer.steps import CommandWheel, TableSummary
from roundhouse.dealer.wheel_state import Prepared, WheelState
from roundhouse.rules.rulebook import Moment, Spun
from roundhouse.table.names import Phase, RoundNumber
from roundhouse.table.refusals import Refusal
from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.commands import Mode
from roundhouse.wheel.protocol import State
from tests.support.deal_acts import RESULT
from tests.support.dealt_table import DealtTable, outcome, run_dealt_table
from tests.support.tables import each_game

GAMES = rulebooks.SHIPPED


async def _spin(house: DealtTable, **fields: object) -> None:
    """Let people take the table over and deal until the spin has started and bets are closed."""
    house.sit()
    await house.until("bets_opened")
    assert house.ask("dealer", "take_over", reason="people deal", who="dee").ok
    await asyncio.sleep(10)
    steps = ["close_bets", "start_spin"]
    if house.game.rulebook.betting.closes.moment is Moment.WHILE_SPINNING:
        steps.reverse()
    for do in steps:
        assert house.ask("dealer", do, who="dee", **(fields if do == "start_spin" else {})).ok


def _attest(house: DealtTable) -> None:
    ball = {} if house.game.rulebook.wheel.spun is Spun.WHEEL else {"ball": "clockwise"}
    report = {"revolutions": 9, "wheel": "anticlockwise", **ball}
    assert house.ask("dealer", "observe_spin", who="dee", **report).ok


@pytest.mark.parametrize("game", GAMES)
def test_start_spin_launches_a_ready_wheel_and_its_number_goes_on_record(game: str) -> None:
    async def script(house: DealtTable) -> None:
        await _spin(house)
        rested = await house.until("ball_rested")
        shown = outcome(house, house.played[0].established)
        assert (rested["outcome"], rested["read_by"], rested["source"]) == (shown, "wheel", {"by": "system"})
        assert [event["line"] for event in house.named("wheel_command")].count("*u 1") == 1
        await asyncio.sleep(600)
        assert house.state.phase is Phase.AT_REST, "only people register a result while they deal"
        assert house.ask("dealer", "ball_at_rest", outcome=shown, who="dee").ok
        assert house.ask("dealer", "register_result", outcome=shown, who="dee").ok
        assert house.ask("dealer", "confirm_result", who="dee").refusal is Refusal.SPIN_NOT_ATTESTED
        _attest(house)
        assert house.ask("dealer", "confirm_result", who="dee").ok
        assert (await house.until("round_settled"))["outcome"] == shown

    run_dealt_table(game, script)


@pytest.mark.parametrize("game", GAMES)
def test_people_who_are_faster_than_the_wheel_have_it_launched_when_it_is_ready(game: str) -> None:
    """The spin starts while the mode of the wheel is being set. The wheel is opened during the spin."""

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("automatic_mode_entered")
        assert house.ask("dealer", "take_over", reason="people deal", who="dee").ok
        steps = ["open_bets", "close_bets", "start_spin"]
        if house.game.rulebook.betting.closes.moment is Moment.WHILE_SPINNING:
            steps = ["open_bets", "start_spin", "close_bets"]
        for do in steps:
            assert house.ask("dealer", do, who="dee").ok
        assert [line[:2] for line in house.wheel_commands] == ["*o"], "only its mode is set"
        rested = await house.until("ball_rested")
        assert (rested["outcome"], rested["read_by"]) == (outcome(house, house.played[0].established), "wheel")
        assert len(house.played) == 1, "a start that the wheel refuses is repeated, and one ball is launched"
        assert not any(isinstance(notice, DealerWaiting) and notice.why == NOT_LAUNCHED for notice in house.notices)

    run_dealt_table(game, script)


@pytest.mark.parametrize("game", GAMES)
def test_a_wheel_that_launches_no_ball_in_time_is_reported_once(game: str) -> None:
    async def script(house: DealtTable) -> None:
        house.unplug()
        await _spin(house)
        await asyncio.sleep(600)
        waits = [notice.why for notice in house.notices if isinstance(notice, DealerWaiting)]
        assert (waits.count(NOT_LAUNCHED), waits[-1]) == (1, NOT_LAUNCHED)
        assert "*u 1" not in house.wheel_commands

    async def connected(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        await script(house)

    run_dealt_table(game, connected)


@each_game(RESULT)
def test_the_wheels_number_is_a_further_reading_after_the_dealers(game: str) -> None:
    """The Dealer reads another number first. Nothing is settled until two persons resolve it to one of the readings."""

    async def script(house: DealtTable) -> None:
        await _spin(house)
        while house.writer.facts.ball_round != 1:
            await asyncio.sleep(0.5)
        shown = outcome(house, house.played[0].established)
        other = next(pocket for pocket in house.game.wheel.pockets if pocket != shown)
        assert house.ask("dealer", "ball_at_rest", outcome=other, who="dee").ok
        assert house.ask("dealer", "register_result", outcome=other, who="dee").ok
        _attest(house)
        read = await house.until("outcome_read")
        assert (read["outcome"], read["read_by"]) == (shown, "wheel")
        assert house.ask("dealer", "confirm_result", who="dee").refusal is Refusal.READINGS_DISAGREE
        two = {"who": "max", "second": "pam"}
        assert house.ask("pit_manager", "correct_result", round=1, outcome=shown, **two).ok
        assert house.ask("dealer", "confirm_result", who="dee").ok
        assert (await house.until("round_settled"))["outcome"] == shown

    run_dealt_table(game, script)


@each_game(RESULT)
def test_a_result_is_not_confirmed_before_the_line_has_read_the_number(game: str) -> None:
    """The Dealer is faster than the line. Confirming waits until the wheel's number is on record."""

    async def script(house: DealtTable) -> None:
        await _spin(house)
        while house.writer.facts.ball_round != 1:
            await asyncio.sleep(0.5)
        shown = outcome(house, house.played[0].established)
        _attest(house)
        assert house.ask("dealer", "ball_at_rest", outcome=shown, who="dee").ok
        assert house.ask("dealer", "register_result", outcome=shown, who="dee").ok
        assert house.ask("dealer", "confirm_result", who="dee").refusal is Refusal.AWAITING_WHEEL
        await house.until("outcome_read")
        assert house.ask("dealer", "confirm_result", who="dee").ok

    run_dealt_table(game, script)


def test_a_lost_line_and_a_decision_end_the_wait_for_the_number() -> None:
    async def script(house: DealtTable, decided: bool) -> None:
        await _spin(house)
        while house.writer.facts.ball_round != 1:
            await asyncio.sleep(0.5)
        _attest(house)
        for do in ("ball_at_rest", "register_result"):
            assert house.ask("dealer", do, outcome="17", who="dee").ok
        assert house.ask("dealer", "confirm_result", who="dee").refusal is Refusal.AWAITING_WHEEL
        if decided:
            assert house.ask("dealer", "refer", round=1, question="Is the number 17?", who="dee").ok
            settles = {"round": 1, "ruling": "settle", "reason": "The camera shows 17."}
            assert house.ask("shift_manager", "decide", who="sam", **settles).ok
        else:
            house.unplug()
            await asyncio.sleep(5)
            assert house.ask("dealer", "confirm_result", who="dee").ok
        assert house.named("round_settled")[0]["outcome"] == "17"

    for decided in (True, False):
        run_dealt_table("rws-double-zero", partial(script, decided=decided))


def test_a_number_read_while_people_have_bets_open_closes_them_and_refers_the_round() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        assert house.ask("dealer", "take_over", reason="people deal").ok
        await asyncio.sleep(10)
        assert house.ask("dealer", "start_spin").ok
        referred = await house.until("matter_referred")
        assert "while bets were still open" in referred["question"]
        position = next(iter(house.game.layouts.values())).positions[0].id
        late = house.ask("player", "place_bets", seat="s", bets=[{"position": position, "cents": 500}])
        assert not late.ok
        await asyncio.sleep(600)
        assert (house.state.phase, house.state.layout) == (Phase.REFERRED, 0)

    run_dealt_table("mbs-sands", script)


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_result_without_a_ball_on_the_line_needs_a_reason(by_hand: bool) -> None:
    async def script(house: DealtTable) -> None:
        house.unplug()
        await _spin(house, by_hand=by_hand)
        if by_hand:
            house.plug()
        await asyncio.sleep(60)
        assert "*u 1" not in house.wheel_commands
        for reason in ({}, {"reason": "  "}):
            refused = house.ask("dealer", "ball_at_rest", outcome="17", who="dee", **reason)
            assert (refused.refusal, house.state.phase) == (Refusal.NO_REASON_GIVEN, Phase.SPINNING)
        assert house.ask("dealer", "ball_at_rest", outcome="17", who="dee", reason="the line is dead").ok
        assert house.named("ball_rested")[0]["reason"] == "the line is dead"

    async def connected(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        await script(house)

    run_dealt_table("rws-double-zero", connected)


@pytest.mark.parametrize(("now", "launched"), [(0.0, True), (LAUNCH_SECONDS - 0.1, True), (LAUNCH_SECONDS, False)])
def test_a_wheel_that_becomes_ready_late_is_not_launched(now: float, launched: bool) -> None:
    game = rulebooks.find("rws-double-zero")
    attended = AttendedWheel(game.rulebook, codes_for(game.wheel), Mode.WAIT_FOR_START)
    ready = WheelState(connected=True, state=State.PLACE_YOUR_BETS, prepared=Prepared.YES)
    view = TableSummary(Phase.SPINNING, RoundNumber(1))
    assert isinstance(attended.next(view, ready, 0.0, now), CommandWheel) == launched
    assert not isinstance(attended.next(view, ready, None, now), CommandWheel), "the spin began before this process"
    for other in (replace(view, by_hand=True), replace(view, started_by_program=True)):
        assert not isinstance(attended.next(other, ready, 0.0, now), CommandWheel)
