"""Manual mode: events that lead to it, and taking over and handing back at any moment."""

import asyncio
from collections.abc import Callable

import pytest

from roundhouse import rulebooks
from roundhouse.dealer.loop import DealerWaiting, WheelReliability
from roundhouse.dealer.steps import Pace
from roundhouse.rules.judge import Direction
from roundhouse.rules.rulebook import Moment
from roundhouse.table.events import InterruptionRecovered
from roundhouse.table.names import Phase
from roundhouse.table.refusals import Refusal
from roundhouse.wheel.protocol import opposite
from roundhouse.wheel.simulator.scenario import REGULAR, Scenario
from tests.support import virtual_time
from tests.support.clauses import shows
from tests.support.dealt_table import DealtTable, outcome, run_dealt_table
from tests.support.memory_store import MemoryStore

LONG_LOOK = Pace(betting_seconds=8, look_seconds=100_000, pause_seconds=1)


def _irregularities_the_wheel_cannot_see() -> list[object]:
    clauses = {"ball_did_not_drop": "5.3.3", "wheel_stopped": "5.3.9", "wheel_not_rotating": "5.3.5"}
    faults = [*clauses, "sensor_failed", "power_cut"]
    return [
        pytest.param(game, fault, marks=shows(game, {game: clauses[fault]} if fault in clauses else {}))
        for game in ("rws-double-zero", "rws-triple-zero")
        for fault in faults
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("game", "fault"), _irregularities_the_wheel_cannot_see())
def test_a_fault_that_the_wheel_cannot_report_enters_manual_mode(game: str, fault: str, seed: int) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        manual = await house.until("manual_mode_entered")
        assert "what does the wheel show?" in manual["reason"] or fault == "power_cut"
        assert house.state.phase is Phase.SPINNING
        state = house.ask("player", "show").state
        assert state is not None
        assert (state.mode, state.mode_reason) == ("manual", manual["reason"])
        # People may take any time: the wheel can still be closed or be open again.
        await asyncio.sleep(seed * 6.6)
        irregularity = fault if fault in house.game.rulebook.irregularities else "ball_did_not_drop"
        assert house.ask("dealer", "declare", irregularity=irregularity).ok
        await house.return_to_automatic()
        assert (await house.until("round_settled"))["round"] == 2

    run_dealt_table(game, script, faults=(fault,), seed=seed)


def test_a_silent_wheel_enters_manual_mode() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("spin_started", 2)
        house.silence()
        manual = await house.until("manual_mode_entered")
        assert "no message from the wheel" in manual["reason"]
        assert house.state.phase is Phase.SPINNING
        assert house.ask("dealer", "call_no_spin", reason="the ball wobbles").ok
        assert house.ask("dealer", "hand_back").ok
        assert "no message from the wheel" in (await house.until("manual_mode_entered", 2))["reason"]
        assert len(house.named("bets_opened")) == 2

    run_dealt_table("mbs-electronic-double-zero", script)


@pytest.mark.parametrize("game", rulebooks.SHIPPED)
def test_a_game_finished_during_a_disconnection_is_settled_after_the_hand_back(game: str) -> None:
    """The wheel finishes its game while disconnected. Its result is read after it reconnects."""

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("spin_started")
        while not house.played:
            await asyncio.sleep(0.5)
        house.unplug()
        manual = await house.until("manual_mode_entered")
        assert "connection to the wheel lost" in manual["reason"]
        assert WheelReliability(False, False, manual["reason"]) in house.notices
        await asyncio.sleep(2)
        house.plug()
        await asyncio.sleep(2)
        assert house.state.automatic is False
        assert house.ask("dealer", "hand_back").ok
        first = await house.until("round_settled")
        assert (first["round"], first["outcome"]) == (1, outcome(house, house.played[0].established))
        assert (await house.until("round_settled", 2))["round"] == 2

    run_dealt_table(game, script)


def test_a_hand_back_with_a_disconnected_wheel_returns_to_manual_mode() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("round_settled")
        house.unplug()
        await house.until("manual_mode_entered")
        for count in range(2, 5):
            assert house.ask("dealer", "hand_back").ok
            assert "connection to the wheel lost" in (await house.until("manual_mode_entered", count))["reason"]
        house.plug()
        await asyncio.sleep(2)
        assert house.ask("dealer", "hand_back").ok
        await house.until("round_settled", 2)

    run_dealt_table("mbs-sands", script)


MOMENTS = {
    "bets_opened": Phase.BETS_OPEN,
    "bets_closed": None,
    "spin_started": None,
    "ball_rested": Phase.REGISTERED,
    "round_settled": Phase.IDLE,
}


@pytest.mark.parametrize("pause", [0.0, 45.0])
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("game", rulebooks.SHIPPED)
def test_people_can_take_over_and_hand_back_at_every_event_of_a_round(game: str, moment: str, pause: float) -> None:
    """In manual mode the dealer sends no command. Afterwards it continues from the current phase with the same ball."""

    async def script(house: DealtTable) -> None:
        house.sit()
        while_spinning = house.game.rulebook.betting.closes.moment is Moment.WHILE_SPINNING
        await house.until(moment)
        if (phase := MOMENTS[moment]) is not None:
            assert house.state.phase is phase
        assert house.ask("dealer", "take_over", reason="a chip fell").ok
        assert house.ask("dealer", "take_over", reason="again").refusal is Refusal.MODE_IS_MANUAL
        version = house.writer.version
        await asyncio.sleep(0)
        sent = len(house.wheel_commands)
        await asyncio.sleep(pause)
        if pause and moment in ("spin_started", "bets_closed") and house.named("spin_started"):
            # Only the wheel's number has gone on record.
            (rested,) = house.named("ball_rested")
            assert (rested["read_by"], rested["source"]["by"]) == ("wheel", "system")
            version = house.writer.version
        assert (house.writer.version, len(house.wheel_commands)) == (version, sent)
        assert house.ask("dealer", "hand_back").ok
        assert house.ask("dealer", "hand_back").refusal is Refusal.MODE_IS_AUTOMATIC
        if while_spinning and (moment, pause) == ("spin_started", 45.0):
            # Bets were still open when the ball came to rest, so the question is referred.
            assert "bets were still open" in (await house.until("matter_referred"))["question"]
            assert (await house.until("decision_made"))["ruling"] == "void"
            assert (await house.until("round_settled"))["round"] == 2
            return
        await house.until("round_settled", 2)
        settled = [event["outcome"] for event in house.named("round_settled")]
        assert settled == [outcome(house, played.established) for played in house.played[:2]]
        assert len(house.named("manual_mode_entered")) == 1

    run_dealt_table(game, script)


def test_the_dealer_settles_a_round_whose_result_people_entered() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        assert house.ask("dealer", "take_over", reason="the ball is worn").ok
        assert house.ask("dealer", "close_bets").ok
        assert house.ask("dealer", "start_spin", by_hand=True).ok
        assert house.ask("dealer", "observe_spin", revolutions=6, ball="clockwise", wheel="anticlockwise").ok
        await asyncio.sleep(60)
        assert house.ask("dealer", "ball_at_rest", outcome="17").refusal is Refusal.NO_REASON_GIVEN
        assert house.ask("dealer", "ball_at_rest", outcome="17", reason="the launcher is empty").ok
        assert house.named("ball_rested")[0]["reason"] == "the launcher is empty"
        assert house.ask("dealer", "hand_back").ok
        assert (await house.until("round_settled"))["outcome"] == "17"
        assert (await house.until("round_settled", 2))["outcome"] == outcome(house, house.played[-1].established)

    run_dealt_table("rws-double-zero", script)


def test_the_result_of_a_spin_started_by_people_is_read_from_the_wheel() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        assert house.ask("dealer", "take_over", reason="people launch").ok
        assert house.ask("dealer", "close_bets").ok
        await asyncio.sleep(8)
        assert house.wheel.machine.obey(b"*u 1") == (b"*u OK",)
        assert house.ask("dealer", "start_spin").ok
        assert house.ask("dealer", "hand_back").ok
        assert (await house.until("round_settled"))["outcome"] == outcome(house, house.played[0].established)
        assert len(house.named("manual_mode_entered")) == 1

    run_dealt_table("rws-double-zero", script)


def test_a_launch_without_a_command_never_counts_for_a_round() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        while house.wheel.machine.obey(b"*u 1") != (b"*u OK",):
            await asyncio.sleep(1)
        assert "without a command of the table" in (await house.until("manual_mode_entered"))["reason"]
        assert house.state.phase is Phase.BETS_OPEN
        assert house.ask("dealer", "hand_back").ok
        settled = await house.until("round_settled")
        assert len(house.played) == 2, "the round waited until the stray ball was gone, then used its own ball"
        assert settled["outcome"] == outcome(house, house.played[1].established)

    run_dealt_table("mbs-electronic-double-zero", script, Pace(betting_seconds=25))


@pytest.mark.clause("rws-double-zero", "5.3.5", "5.3.9")
def test_a_rotor_at_a_standstill_enters_manual_mode_before_the_result() -> None:
    """The wheel's number goes on record, but nothing is registered before people have looked at the wheel."""

    async def main() -> None:
        plans = iter([Scenario(None, rotor_stops=True)])
        house = DealtTable(MemoryStore(), "rws-double-zero", plan=lambda: next(plans, REGULAR))
        house.sit()
        reason = (await house.until("manual_mode_entered"))["reason"]
        # Players see the reason, and the Dealer reads the wheel independently, so it has no number.
        assert reason == "the wheel read a number, but its rotor was reported at a standstill: did it stop?"
        assert house.named("result_registered") == []
        await asyncio.sleep(5)
        assert house.named("ball_rested")[0]["read_by"] == "wheel"
        assert house.ask("dealer", "declare", irregularity="wheel_stopped").ok
        await house.return_to_automatic()
        assert (await house.until("round_settled"))["round"] == 2
        await house.close()

    virtual_time.run(main())


def test_the_dealer_continues_after_a_void_while_the_ball_rolls() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("spin_started")
        while not house.played:
            await asyncio.sleep(0.5)
        await asyncio.sleep(6)
        assert house.ask("dealer", "call_no_spin", reason="the ball wobbles").ok
        settled = await house.until("round_settled")
        assert (settled["round"], settled["outcome"]) == (2, outcome(house, house.played[1].established))
        assert house.named("manual_mode_entered") == []

    run_dealt_table("mbs-electronic-double-zero", script)


def _another(house: DealtTable, read: str) -> str:
    return next(pocket for pocket in house.game.wheel.pockets if pocket != read)


@pytest.mark.parametrize("chooses_the_wheels", [True, False])
def test_readings_that_disagree_hold_the_round_until_a_correction(chooses_the_wheels: bool) -> None:
    """The wheel reads one number and the Dealer enters another: the round waits until the result is corrected."""

    async def script(house: DealtTable) -> None:
        house.sit()
        read = (await house.until("result_registered"))["outcome"]
        other = _another(house, read)
        assert house.ask("dealer", "register_result", outcome=other).ok
        refused = house.ask("dealer", "confirm_result")
        assert (refused.refusal, refused.clause) == (Refusal.READINGS_DISAGREE, "5.5")
        assert refused.reason == f"read: {read} (wheel); registered: {other}"
        assert house.ask("dealer", "correct_result", round=1, outcome=read).refusal is Refusal.NOT_AUTHORISED
        await asyncio.sleep(1000)
        assert house.state.readings_disagree
        assert house.state.automatic
        assert any(isinstance(news, DealerWaiting) and "correct the result" in news.why for news in house.notices)
        if not chooses_the_wheels:
            answer = house.ask("pit_supervisor", "correct_result", round=1, outcome=other, who="pam", second="max")
            assert answer.refusal is Refusal.NOT_A_READING, "a registration is not a reading"
        assert house.ask("pit_supervisor", "correct_result", round=1, outcome=read, who="pam", second="max").ok
        settled = await house.until("round_settled")
        assert settled["outcome"] == read
        assert house.named("manual_mode_entered") == []
        await house.until("round_settled", 2)

    run_dealt_table("rws-double-zero", script)


def test_a_result_that_matches_the_wheel_ends_the_disagreement() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        read = (await house.until("result_registered"))["outcome"]
        house.ask("dealer", "register_result", outcome=_another(house, read))
        assert house.ask("dealer", "confirm_result").refusal is Refusal.READINGS_DISAGREE
        house.ask("dealer", "register_result", outcome=read)
        # The wheel measured its direction only, so the Dealer who confirms attests the rest.
        assert house.ask("dealer", "confirm_result").refusal is Refusal.SPIN_NOT_ATTESTED
        turned = Direction(house.named("spin_observed")[0]["wheel"])
        assert house.ask("dealer", "observe_spin", revolutions=5, ball=opposite(turned), wheel=turned).ok
        assert house.ask("dealer", "confirm_result").ok
        assert house.named("result_confirmed")[0].get("not_measured", ()) == ()

    run_dealt_table("mbs-sands", script, LONG_LOOK)


def test_a_result_that_differs_from_the_wheel_is_not_confirmed() -> None:
    """People take over and enter a number that differs from the one the wheel reads."""

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("spin_started")
        assert house.ask("dealer", "take_over", reason="I read it myself").ok
        while house.writer.facts.ball_round != 1:
            await asyncio.sleep(0.5)
        wheels = outcome(house, house.played[0].established)
        other = _another(house, wheels)
        house.ask("dealer", "observe_spin", revolutions=6, ball="clockwise", wheel=Direction.ANTICLOCKWISE)
        assert house.ask("dealer", "ball_at_rest", outcome=other).ok
        assert house.ask("dealer", "register_result", outcome=other).ok
        assert house.ask("dealer", "hand_back").ok
        read = await house.until("outcome_read")
        assert (read["outcome"], read["read_by"]) == (wheels, "wheel")
        await asyncio.sleep(1000)
        assert house.state.readings_disagree
        assert house.named("round_settled") == []
        assert house.ask("pit_manager", "correct_result", round=1, outcome=wheels, who="max", second="pam").ok
        assert (await house.until("round_settled"))["outcome"] == wheels

    run_dealt_table("rws-double-zero", script)


def _run_and_restart(
    before: Callable[[DealtTable], object], after: Callable[[DealtTable], object], settings: Pace
) -> None:
    store = MemoryStore()
    run_dealt_table("rws-double-zero", before, settings, store=store)  # type: ignore[arg-type]
    run_dealt_table("rws-double-zero", after, settings, store=store, seed=8)  # type: ignore[arg-type]


def test_a_restart_does_not_resolve_disagreeing_readings() -> None:
    async def before(house: DealtTable) -> None:
        house.sit()
        read = (await house.until("result_registered"))["outcome"]
        house.ask("dealer", "register_result", outcome=_another(house, read))

    async def after(house: DealtTable) -> None:
        (noted,) = house.writer.recovered
        assert isinstance(noted, InterruptionRecovered)
        assert (noted.phase, noted.waits) == ("held", True)
        assert house.ask("dealer", "confirm_result").refusal is Refusal.READINGS_DISAGREE

    _run_and_restart(before, after, LONG_LOOK)


def test_a_restart_during_a_spin_voids_the_round_by_its_clause() -> None:
    async def before(house: DealtTable) -> None:
        house.sit()
        await house.until("spin_started")

    async def after(house: DealtTable) -> None:
        recovered = house.writer.recovered[0]
        assert isinstance(recovered, InterruptionRecovered)
        assert (recovered.clause, recovered.asks) == ("5.1", True)
        void = await house.until("round_voided")
        assert (void["clauses"], void["causes"]) == (("5.1.2",), ("interrupted_without_outcome",))
        assert (await house.until("round_settled"))["round"] == 2

    _run_and_restart(before, after, Pace())


@pytest.mark.parametrize("moment", ["bets_opened", "spin_started", "ball_rested", "round_settled"])
def test_an_orderly_stop_finishes_the_round(moment: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until(moment)
        house.table.stop()
        await house.running
        assert house.state.phase is Phase.IDLE
        assert len(house.named("bets_opened")) == len(house.named("round_settled")) == 1

    run_dealt_table("mbs-sands", script)


def test_a_stop_in_manual_mode_does_not_wait_for_people() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("spin_started")
        house.table.stop()
        house.unplug()
        await house.running
        assert house.state.phase is Phase.SPINNING_BETS_OPEN
        assert not house.state.automatic

    run_dealt_table("mbs-sands", script)
