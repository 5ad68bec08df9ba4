"""The automatic dealer's next step: each phase of the table against each thing that the wheel can have told."""

from dataclasses import replace
from functools import cache, reduce

import pytest

from roundhouse import rulebooks
from roundhouse.dealer.dealer import Dealer
from roundhouse.dealer.preparation import preparation_step
from roundhouse.dealer.steps import CommandWheel, Finish, Pace, SendCommands, Step, TableSummary, Wait
from roundhouse.dealer.wheel_state import (
    Prepared,
    WheelState,
    command_answered,
    observe,
    reset_after_hand_back,
    start_round,
)
from roundhouse.rules.game import Game
from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Pocket
from roundhouse.table.commands import ObserveSpin
from roundhouse.table.names import Phase, ReadBy, RoundNumber
from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.commands import OpenWheel, Reply, SetMode, StartGame
from roundhouse.wheel.driver import Connected, Disconnected, Event, NoAnswer, Silent
from roundhouse.wheel.facts import BallInRim, BallSlowed, Ending, GameEnded, NumberEstablished
from roundhouse.wheel.protocol import BLANK, Code, Flag, GameNumber, State, Status

G = GameNumber("011")
CW = Direction.CLOCKWISE


def status(state: State, flags: Flag = Flag.NONE, game: GameNumber = G) -> Status:
    return Status(state, game, BLANK, flags, 150, CW)


def heard(sight: WheelState, *events: Event) -> WheelState:
    return reduce(observe, events, sight)


def shown(sight: WheelState, state: State, flags: Flag = Flag.NONE) -> WheelState:
    """Twice, so that it is believed."""
    return heard(sight, status(state, flags), status(state, flags))


def ended(number: str | None, last: Flag = Flag.NONE, game: GameNumber = G) -> GameEnded:
    ending = Ending.NUMBER if number else Ending.FELL_BACK
    code = Code(number) if number else None
    return GameEnded(game, ending, code, "", True, True, Flag.NONE, last, last, CW, 150, 40, None)


HEARD = observe(WheelState(), Connected("w", 0))
READY = shown(replace(HEARD, prepared=Prepared.MODE_SET), State.PLACE_YOUR_BETS)
STARTED = command_answered(READY, StartGame(), Reply.DONE, 0)
RIM = shown(observe(STARTED, BallInRim(G, CW)), State.BALL_IN_RIM)
SLOWED = shown(observe(RIM, BallSlowed(G)), State.NO_MORE_BETS)
NUMBER = shown(observe(SLOWED, NumberEstablished(G, Code("17"))), State.WINNING_NUMBER)
OUTCOME = shown(observe(NUMBER, ended("17")), State.PLACE_YOUR_BETS)
SIGHTS = {
    "ready": READY,
    "started": STARTED,
    "rim": RIM,
    "slowed": SLOWED,
    "number": NUMBER,
    "outcome": OUTCOME,
    "gone": shown(observe(SLOWED, ended(None, Flag.BALL_GONE)), State.PLACE_YOUR_BETS),
    "unresolved": shown(observe(SLOWED, ended(None)), State.PLACE_YOUR_BETS),
    "stray": shown(READY, State.BALL_IN_RIM),
    "broken": shown(READY, State.PLACE_YOUR_BETS, Flag.FAILURE),
    "closed": shown(READY, State.CLOSED),
    "lost": observe(READY, Disconnected("unplugged")),
    "silent": observe(READY, Silent(3)),
}

# The table has stood there for 50 s: every pause is over, and no patience is.
BEFORE_SPIN = {
    #                      ready    started  rim      slowed   number   outcome  gone     unresolved stray broken   closed   lost     silent
    "closed":             "wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait",
    "idle":               "OPEN     wait     wait     wait     wait     OPEN     OPEN     OPEN     PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "bets_open":          "CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "bets_closed":        "*start   SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "spinning":           "wait     wait     wait     wait     rest     rest     OBSERVE  PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "at_rest":            "REGISTER REGISTER REGISTER REGISTER REGISTER REGISTER REGISTER REGISTER PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "registered":         "CONFIRM  wait     wait     wait     wait     CONFIRM  PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "referred":           "wait     wait     wait     wait     wait     wait     wait     wait     PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "stopped":            "wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait",
}  # fmt: skip
WHILE_SPINNING = {
    "bets_open":          "*start   SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "spinning_bets_open": "wait     wait     wait     CLOSE    REFER    REFER    OBSERVE  PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
}  # fmt: skip
_SHORT = {
    "take_over": "PEOPLE",
    "register_result": "REGISTER",
    "confirm_result": "CONFIRM",
    "start_spin": "SPIN",
    "close_bets": "CLOSE",
    "open_bets": "OPEN",
    "observe_spin": "OBSERVE",
    "refer": "REFER",
}


@cache
def _found(game: str) -> Game:
    return rulebooks.find(game)


def dealer(game: str, settings: Pace | None = None) -> Dealer:
    found = _found(game)
    return Dealer(found.rulebook, codes_for(found.wheel), settings or Pace())


def view(phase: str, held: bool = False) -> TableSummary:
    return TableSummary(
        Phase(phase), RoundNumber(1), Pocket("17"), Pocket("17"), ReadBy.WHEEL, readings_disagree=held, version=7
    )


def word(step: Step) -> str:
    match step:
        case SendCommands(requests):
            words = [type(request).__struct_config__.tag for request in requests]
            return "rest" if words == ["observe_spin", "ball_at_rest", "register_result"] else _SHORT[str(*words)]
        case CommandWheel(StartGame(), _):
            return "*start"
        case CommandWheel(command):
            return type(command).__name__
        case Wait():
            return "wait"
        case Finish():
            return "rest of the night"


@pytest.mark.parametrize(
    ("game", "phase", "row"),
    [("rws-double-zero", phase, row) for phase, row in BEFORE_SPIN.items()]
    + [("mbs-electronic-double-zero", phase, row) for phase, row in BEFORE_SPIN.items()]
    + [("mbs-sands", phase, row) for phase, row in (BEFORE_SPIN | WHILE_SPINNING).items()],
)
def test_next_step(game: str, phase: str, row: str) -> None:
    found = {name: word(dealer(game).next(view(phase), sight, 0.0, 50.0)) for name, sight in SIGHTS.items()}
    assert found == dict(zip(SIGHTS, row.split(), strict=True))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("phase", Phase)
def test_nothing_is_awaited_for_ever_but_people(phase: Phase, sight: str) -> None:
    """Whatever is asked of the wheel and whatever it shows: when patience is over, people are asked."""
    for now in (0.0, 50.0, 199.0):
        step = dealer("mbs-sands").next(view(phase), SIGHTS[sight], 0.0, now)
        if isinstance(step, Wait) and step.until is None:
            assert phase in (Phase.CLOSED, Phase.STOPPED, Phase.REFERRED)
        assert not (isinstance(step, Wait) and step.until is not None and step.until <= now)
    if phase not in (Phase.CLOSED, Phase.STOPPED, Phase.REFERRED):
        assert isinstance(dealer("mbs-sands").next(view(phase), SIGHTS[sight], 0.0, 199.0), SendCommands)
        for asked in (OpenWheel(), None):
            unready = replace(SIGHTS[sight], unanswered_command=asked, prepared=Prepared.NO, ball=None, fault="")
            assert isinstance(dealer("mbs-sands").next(view(phase), unready, 0.0, 199.0), SendCommands)


def test_the_countdown_counts_down() -> None:
    at = {left: dealer("mbs-sands").next(view("bets_open"), READY, 0, 20 - left) for left in (12, 10, 7, 4.5, 1, 0.5)}
    assert [step.countdown for step in at.values() if isinstance(step, Wait)] == [None, 10, 10, 5, 1, 1]
    assert at[12] == Wait(10, "bets are open", None, 20)
    assert at[0.5] == Wait(20, "bets are open", 1, 20)


def test_a_held_round_waits_for_people() -> None:
    step = dealer("rws-double-zero").next(view("registered", held=True), OUTCOME, 0, 9999)
    assert isinstance(step, Wait)
    assert step.until is None
    assert "17" in step.why


def test_the_wheel_is_told_whether_bets_have_closed_and_nothing_else() -> None:
    assert dealer("mbs-sands").next(view("bets_open"), READY, 0, 50) == CommandWheel(StartGame(), False)
    assert dealer("mbs-sands").next(view("bets_closed"), READY, 0, 50) == CommandWheel(StartGame(), True)


def test_the_wheel_is_made_ready_before_bets_open() -> None:
    """It plays when it is found: closed when its game is over, then its mode, then opened; each seen, none assumed."""
    one, sight, told, now = dealer("rws-double-zero"), shown(HEARD, State.BALL_IN_RIM), [], 50.0
    replies = {"SetMode": Reply.BUSY, "CloseWheel": Reply.DONE, "OpenWheel": Reply.DONE}
    for _ in range(40):
        step = one.next(view("idle"), sight, 0, now)
        if isinstance(step, SendCommands):
            break
        if isinstance(step, CommandWheel):
            told.append(word(step))
            reply = replies[told[-1]]
            sight = command_answered(sight, step.command, reply, now)
            if told[-1] == "CloseWheel":
                sight, replies["SetMode"] = shown(sight, State.CLOSED), Reply.DONE
            if told[-1] == "OpenWheel":
                sight = shown(sight, State.STARTED)
            elif sight.prepared is Prepared.MODE_SET:
                sight = shown(sight, State.CLOSED)
        now += 1
    assert told == ["SetMode", "CloseWheel", "SetMode", "OpenWheel"]
    assert word(one.next(view("idle"), sight, 0, now)) == "OPEN"


def test_one_status_is_not_believed() -> None:
    assert not observe(READY, status(State.CLOSED)).fault
    assert not observe(READY, status(State.BALL_IN_RIM)).has_ball
    assert heard(READY, status(State.CLOSED), status(State.PLACE_YOUR_BETS), status(State.CLOSED)).fault == ""


def test_patience_ends() -> None:
    assert word(dealer("rws-double-zero").next(view("spinning"), RIM, 0, 119)) == "wait"
    assert word(dealer("rws-double-zero").next(view("spinning"), RIM, 0, 120)) == "PEOPLE"


def test_the_time_to_look_and_the_pause_are_whole() -> None:
    one = dealer("rws-double-zero", Pace(look_seconds=2, pause_seconds=4))
    assert [word(one.next(view("registered"), OUTCOME, 0, now)) for now in (1.9, 2.0)] == ["wait", "CONFIRM"]
    assert [word(one.next(view("idle"), READY, 0, now)) for now in (3.9, 4.0)] == ["wait", "OPEN"]


def test_an_answer_that_was_not_heard_is_asked_for_again_and_its_ball_is_the_rounds() -> None:
    unheard = command_answered(READY, StartGame(), NoAnswer("nothing"), 5)
    assert not unheard.fault
    assert word(dealer("rws-double-zero").next(view("bets_closed"), unheard, 0, 5.5)) == "wait"
    assert word(dealer("rws-double-zero").next(view("bets_closed"), unheard, 0, 6)) == "*start"
    assert observe(unheard, BallInRim(G, CW)).ball is not None
    assert observe(replace(READY, unanswered_command=StartGame()), BallInRim(G, CW)).ball is not None
    assert observe(READY, BallInRim(G, CW)).ball is None
    assert observe(READY, BallInRim(G, CW), adopt=True).ball is not None
    refused = command_answered(READY, StartGame(), Reply.REFUSED, 5)
    assert (refused.retry_at, refused.ball, refused.start_unconfirmed) == (6, None, False)


def test_a_ball_of_an_earlier_round_is_not_this_rounds() -> None:
    foreign = start_round(SLOWED)
    assert heard(foreign, NumberEstablished(G, Code("17")), ended("17")).ball is None
    assert start_round(OUTCOME).ball is None
    # Nor is one that the wheel may still owe to that round, or that rolls since before this one opened.
    unheard = command_answered(READY, StartGame(), NoAnswer("nothing"), 5)
    assert observe(start_round(unheard), BallInRim(G, CW)).ball is None
    assert observe(start_round(shown(READY, State.BALL_IN_RIM)), BallInRim(G, CW), adopt=True).ball is None
    assert word(dealer("rws-double-zero").next(view("spinning"), foreign, 0, 50)) == "wait"
    late = observe(STARTED, ended("17", game=GameNumber("010")))
    assert late.ball == STARTED.ball
    # A warning before any ball ends a game too: the game that the wheel was asked for, and no other.
    warned = replace(ended(None, Flag.FAILURE), launched=False)
    assert observe(STARTED, replace(warned, game=GameNumber("010"))).ball == STARTED.ball
    assert observe(STARTED, warned).ball != STARTED.ball


def test_a_start_that_was_asked_for_a_round_that_is_over_is_not_the_next_rounds() -> None:
    """People made the round void and opened bets while the wheel had not answered: its ball comes with bets open."""
    late = start_round(replace(READY, unanswered_command=StartGame()))
    assert command_answered(late, StartGame(), Reply.DONE, 5).ball is None
    assert not command_answered(late, StartGame(), NoAnswer("nothing"), 5).start_unconfirmed
    assert observe(late, BallInRim(G, CW)).ball is None
    again = command_answered(
        replace(command_answered(late, StartGame(), Reply.REFUSED, 5), unanswered_command=StartGame()),
        StartGame(),
        Reply.DONE,
        9,
    )
    assert again.ball is not None


def test_a_round_has_one_ball() -> None:
    unresolved = SIGHTS["unresolved"]
    assert observe(unresolved, BallInRim(G, CW), adopt=True).ball == unresolved.ball
    assert observe(observe(unresolved, BallInRim(G, CW)), ended("17")).ball == unresolved.ball


def test_a_reading_outlives_its_wheel() -> None:
    for lost in (Disconnected("unplugged"), Silent(3)):
        assert word(dealer("rws-double-zero").next(view("spinning"), observe(NUMBER, lost), 0, 50)) == "rest"


def test_a_wheel_that_is_still_gone_is_not_trusted_again() -> None:
    gone = observe(READY, Disconnected("unplugged"))
    assert "unplugged" in str(preparation_step(reset_after_hand_back(gone), dealer("mbs-sands").mode, 9))
    back = reset_after_hand_back(observe(gone, Connected("w", 9)))
    assert preparation_step(back, dealer("mbs-sands").mode, 9) == CommandWheel(SetMode(dealer("mbs-sands").mode), False)
    assert SetMode(dealer("mbs-sands").mode).mode & 3 == 3


@pytest.mark.parametrize("sight", [*SIGHTS.values(), replace(READY, prepared=Prepared.CLOSING)])
def test_from_whatever_it_has_heard_a_wheel_that_waits_is_ready_again(sight: WheelState) -> None:
    """Handed back with a wheel that is well: nothing that was heard before keeps the next round from opening."""
    sight = reset_after_hand_back(observe(sight, Connected("w", 1)))
    now = 50.0
    for _ in range(12):
        now += 1
        step = dealer("rws-double-zero").next(view("idle"), sight, 0.0, now)
        if isinstance(step, CommandWheel):
            sight = command_answered(sight, step.command, Reply.DONE, now)
        sight = observe(sight, status(State.PLACE_YOUR_BETS))
    assert word(step) == "OPEN"


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=pytest.mark.clause(game, "5.3.2")) for game in ("rws-double-zero", "rws-triple-zero")],
)
def test_a_launch_that_the_wheel_calls_failed_had_too_few_revolutions(game: str) -> None:
    failed = observe(SLOWED, ended(None, Flag.LAUNCH_FAILED))
    step = dealer(game).next(view("spinning"), failed, 0, 50)
    assert isinstance(step, SendCommands)
    (observed,) = step.commands
    assert isinstance(observed, ObserveSpin)
    assert observed.revolutions == 0


def test_stopping_opens_no_round_and_leaves_none_in_the_middle() -> None:
    last = replace(view("idle"), stopping=True)
    assert isinstance(dealer("rws-double-zero").next(last, READY, 0, 50), Finish)
    assert word(dealer("rws-double-zero").next(replace(last, phase=Phase.BETS_OPEN), READY, 0, 50)) == "CLOSE"
    assert isinstance(dealer("rws-double-zero").next(replace(last, phase=Phase.REFERRED), READY, 0, 50), Finish)


def test_requests_have_ids_that_no_restart_repeats() -> None:
    step = dealer("rws-double-zero").next(view("spinning"), OUTCOME, 0, 50)
    assert isinstance(step, SendCommands)
    assert [request.id for request in step.commands] == ["auto:7:0", "auto:7:1", "auto:7:2"]
