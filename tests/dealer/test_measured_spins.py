"""The automatic dealer reports only what its wheel measured, and decides only what the house referred."""

from dataclasses import replace

import pytest

from roundhouse import rulebooks
from roundhouse.dealer.dealer import Dealer
from roundhouse.dealer.steps import Pace, SendCommands, Wait
from roundhouse.dealer.wheel_state import observe
from roundhouse.rules.names import Pocket, StaffPosition
from roundhouse.table.commands import BallAtRest, Decide, ObserveSpin, TakeOver
from roundhouse.table.lifecycle import question_after_restart
from roundhouse.table.names import Phase, Ruling
from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.driver import Event
from roundhouse.wheel.facts import NumberEstablished
from roundhouse.wheel.protocol import Code, Flag
from tests.support.wheel_states import CW, OUTCOME, READY, SLOWED, G, dealer, ended, game_of, view


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=pytest.mark.clause(game, "5.3.2")) for game in ("rws-double-zero", "rws-triple-zero")],
)
def test_a_failed_launch_is_a_question_because_revolutions_are_not_counted(game: str) -> None:
    failed = observe(SLOWED, ended(None, Flag.LAUNCH_FAILED))
    step = dealer(game).next(view("spinning"), failed, 0, 50)
    assert isinstance(step, SendCommands)
    (taken,) = step.commands
    assert isinstance(taken, TakeOver)
    assert taken.reason == "the wheel reports a failed launch: did the ball complete 4 revolutions?"


_MEASURED: dict[str, Event] = {
    "outcome": ended("17"),
    "number": NumberEstablished(G, Code("17")),
    "with the rotor": replace(ended(None), launch_flags=Flag.WITH_ROTOR, flags=Flag.WITH_ROTOR),
    "gone": ended(None, Flag.BALL_GONE),
}


@pytest.mark.parametrize(
    ("game", "name"),
    [
        (game, name)
        for game in rulebooks.SHIPPED
        for name in _MEASURED
        if game != "rws-money-wheel" or name in ("outcome", "number")
    ],
)
def test_a_report_of_the_spin_contains_only_what_the_line_measured(game: str, name: str) -> None:
    step = dealer(game).next(view("spinning"), observe(SLOWED, _MEASURED[name]), 0, 50)
    assert isinstance(step, SendCommands)
    observed = step.commands[0]
    assert isinstance(observed, ObserveSpin)
    assert {command.by for command in step.commands} == {StaffPosition.AUTOMATIC_DEALER}
    assert observed.revolutions is None
    assert observed.wheel is CW, "the rotor's direction is in every status"
    assert (observed.ball or None) is (CW if name == "with the rotor" else None)
    assert observed.seen == (("ball_left_wheel",) if name == "gone" else ())


def test_a_money_wheel_is_read_with_its_segment() -> None:
    step = dealer("rws-money-wheel").next(view("spinning"), OUTCOME, 0, 50)
    assert isinstance(step, SendCommands)
    rested = step.commands[1]
    assert isinstance(rested, BallAtRest)
    assert (rested.segment, rested.outcome) == (17, game_of("rws-money-wheel").wheel.order[17])


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase not in (Phase.CLOSED, Phase.STOPPED)])
def test_with_real_money_the_automatic_dealer_leaves_the_table_to_people(phase: Phase) -> None:
    step = dealer("rws-double-zero").next(replace(view(phase), is_play_money=False), OUTCOME, 0, 50)
    assert isinstance(step, SendCommands)
    (taken,) = step.commands
    assert isinstance(taken, TakeOver)
    assert taken.reason == "with real money a person deals"


RESTARTED = question_after_restart(Phase.SPINNING)


@pytest.mark.parametrize(
    ("by_house", "stopped", "simulated", "outcome", "ruling"),
    [
        (True, True, True, None, Ruling.VOID),
        (True, True, True, "17", Ruling.STAND),
        (True, True, False, None, None),
        (True, True, False, "17", None),
        # The ball came to rest while bets were open.
        (True, False, True, "17", Ruling.VOID),
        (True, False, False, "17", None),
        (True, False, True, None, None),
        # A person referred the round.
        (False, True, True, None, None),
        (False, False, True, "17", None),
    ],
)
def test_the_dealer_decides_only_what_the_house_referred_for_a_simulated_wheel(
    by_house: bool, stopped: bool, simulated: bool, outcome: str | None, ruling: Ruling | None
) -> None:
    game = game_of("mbs-sands")
    one = Dealer(game.rulebook, codes_for(game.wheel), Pace(), simulated)
    pocket = None if outcome is None else Pocket(outcome)
    referred = replace(view("referred"), referred_by_house=by_house, server_stopped=stopped, wheel_outcome=pocket)
    step = one.next(referred, READY, 0, 50)
    if ruling is None:
        assert isinstance(step, Wait)
        return
    assert isinstance(step, SendCommands)
    (decided,) = step.commands
    assert isinstance(decided, Decide)
    assert (decided.ruling, decided.by, decided.round) == (ruling, StaffPosition.AUTOMATIC_DEALER, 1)
