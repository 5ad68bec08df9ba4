"""The next step of the automatic dealer for each phase of the table and each state of the wheel."""

from dataclasses import replace

import pytest

from roundhouse.dealer.preparation import preparation_step
from roundhouse.dealer.steps import CommandWheel, Finish, Pace, SendCommands, Step, Wait
from roundhouse.dealer.wheel_state import (
    Prepared,
    WheelState,
    command_answered,
    observe,
    reset_after_hand_back,
    start_round,
)
from roundhouse.table.names import Phase
from roundhouse.wheel.commands import OpenWheel, Reply, SetMode, StartGame
from roundhouse.wheel.driver import Connected, Disconnected, NoAnswer, Silent
from roundhouse.wheel.facts import BallInRim, NumberEstablished
from roundhouse.wheel.protocol import Code, Flag, GameNumber, State
from tests.support.wheel_states import (
    CONNECTED,
    CW,
    NUMBER,
    OUTCOME,
    READY,
    RIM,
    SLOWED,
    STARTED,
    WHEELS,
    G,
    after_two_statuses,
    dealer,
    ended,
    observe_all,
    status,
    view,
)

# The phase began 50 s ago: every pause is over and no timeout has expired.
BEFORE_SPIN = {
    #                      ready    started  rim      slowed   number   outcome  gone     unresolved stray broken   closed   lost     silent
    "closed":             "wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait",
    "idle":               "OPEN     wait     wait     wait     wait     OPEN     OPEN     OPEN     PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "bets_open":          "CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "bets_closed":        "*start   SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "spinning":           "wait     wait     wait     wait     rest     rest     OBSERVE  PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "at_rest":            "REGISTER REGISTER REGISTER REGISTER REGISTER REGISTER REGISTER REGISTER PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "registered":         "CONFIRM  wait     wait     wait     wait     CONFIRM  PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "interrupted":        "wait     wait     wait     wait     REST     REST     wait     wait     wait     wait     wait     wait     wait",
    "referred":           "wait     wait     wait     wait     wait     wait     wait     wait     PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "stopped":            "wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait     wait",
}  # fmt: skip
WHILE_SPINNING = {
    "bets_open":          "*start   SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "spinning_bets_open": "wait     wait     wait     CLOSE    closing  closing  OBSERVE  PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE",
}  # fmt: skip
_SHORT = {
    "take_over": "PEOPLE",
    "register_result": "REGISTER",
    "confirm_result": "CONFIRM",
    "start_spin": "SPIN",
    "close_bets": "CLOSE",
    "open_bets": "OPEN",
    "observe_spin": "OBSERVE",
    "ball_at_rest": "REST",
}


def label(step: Step) -> str:
    match step:
        case SendCommands(requests):
            tags = [type(request).__struct_config__.tag for request in requests]
            groups = {
                ("observe_spin", "ball_at_rest", "register_result"): "rest",
                ("observe_spin", "ball_at_rest"): "closing",
            }
            return groups.get(tuple(tags)) or _SHORT[str(*tags)]  # type: ignore[arg-type]
        case CommandWheel(StartGame(), _):
            return "*start"
        case CommandWheel(command):
            return type(command).__name__
        case Wait():
            return "wait"
        case Finish():
            return "finish"


@pytest.mark.parametrize(
    ("game", "phase", "row"),
    [("rws-double-zero", phase, row) for phase, row in BEFORE_SPIN.items()]
    + [("mbs-electronic-double-zero", phase, row) for phase, row in BEFORE_SPIN.items()]
    + [("mbs-sands", phase, row) for phase, row in (BEFORE_SPIN | WHILE_SPINNING).items()],
)
def test_the_next_step_for_every_phase_and_wheel_state(game: str, phase: str, row: str) -> None:
    found = {name: label(dealer(game).next(view(phase), wheel, 0.0, 50.0)) for name, wheel in WHEELS.items()}
    assert found == dict(zip(WHEELS, row.split(), strict=True))


@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("phase", Phase)
def test_the_dealer_waits_without_a_timeout_only_for_people(phase: Phase, wheel: str) -> None:
    """In every wheel state, the dealer hands over to people when its timeout expires."""
    for now in (0.0, 50.0, 199.0):
        step = dealer("mbs-sands").next(view(phase), WHEELS[wheel], 0.0, now)
        if isinstance(step, Wait) and step.until is None:
            assert phase in (Phase.CLOSED, Phase.STOPPED, Phase.REFERRED, Phase.INTERRUPTED)
        assert not (isinstance(step, Wait) and step.until is not None and step.until <= now)
    if phase not in (Phase.CLOSED, Phase.STOPPED, Phase.REFERRED, Phase.INTERRUPTED):
        assert isinstance(dealer("mbs-sands").next(view(phase), WHEELS[wheel], 0.0, 199.0), SendCommands)
        for command in (OpenWheel(), None):
            unready = replace(WHEELS[wheel], unanswered_command=command, prepared=Prepared.NO, ball=None, fault="")
            assert isinstance(dealer("mbs-sands").next(view(phase), unready, 0.0, 199.0), SendCommands)


def test_the_countdown_gives_the_remaining_seconds() -> None:
    at = {left: dealer("mbs-sands").next(view("bets_open"), READY, 0, 20 - left) for left in (12, 10, 7, 4.5, 1, 0.5)}
    assert [step.countdown for step in at.values() if isinstance(step, Wait)] == [None, 10, 10, 5, 1, 1]
    assert at[12] == Wait(10, "bets are open", None, 20)
    assert at[0.5] == Wait(20, "bets are open", 1, 20)


def test_a_round_with_disagreeing_readings_waits_for_people() -> None:
    step = dealer("rws-double-zero").next(view("registered", readings_disagree=True), OUTCOME, 0, 9999)
    assert isinstance(step, Wait)
    assert step.until is None
    assert "correct the result" in step.why
    assert "17" not in step.why, "no display shows a number while the readings differ"


def test_the_start_command_includes_whether_bets_are_closed() -> None:
    assert dealer("mbs-sands").next(view("bets_open"), READY, 0, 50) == CommandWheel(StartGame(), False)
    assert dealer("mbs-sands").next(view("bets_closed"), READY, 0, 50) == CommandWheel(StartGame(), True)


def test_the_wheel_is_prepared_before_bets_open() -> None:
    """A playing wheel is closed after its game, its mode is set, and it is opened. Each step is confirmed by a status."""
    one, wheel, sent, now = dealer("rws-double-zero"), after_two_statuses(CONNECTED, State.BALL_IN_RIM), [], 50.0
    replies = {"SetMode": Reply.BUSY, "CloseWheel": Reply.DONE, "OpenWheel": Reply.DONE}
    for _ in range(40):
        step = one.next(view("idle"), wheel, 0, now)
        if isinstance(step, SendCommands):
            break
        if isinstance(step, CommandWheel):
            sent.append(label(step))
            reply = replies[sent[-1]]
            wheel = command_answered(wheel, step.command, reply, now)
            if sent[-1] == "CloseWheel":
                wheel, replies["SetMode"] = after_two_statuses(wheel, State.CLOSED), Reply.DONE
            if sent[-1] == "OpenWheel":
                wheel = after_two_statuses(wheel, State.STARTED)
            elif wheel.prepared is Prepared.MODE_SET:
                wheel = after_two_statuses(wheel, State.CLOSED)
        now += 1
    assert sent == ["SetMode", "CloseWheel", "SetMode", "OpenWheel"]
    assert label(one.next(view("idle"), wheel, 0, now)) == "OPEN"


def test_a_single_status_message_is_ignored() -> None:
    assert not observe(READY, status(State.CLOSED)).fault
    assert not observe(READY, status(State.BALL_IN_RIM)).has_ball
    assert observe_all(READY, status(State.CLOSED), status(State.PLACE_YOUR_BETS), status(State.CLOSED)).fault == ""


def test_a_spin_without_a_result_times_out_into_manual_mode() -> None:
    assert label(dealer("rws-double-zero").next(view("spinning"), RIM, 0, 119)) == "wait"
    assert label(dealer("rws-double-zero").next(view("spinning"), RIM, 0, 120)) == "PEOPLE"


def test_the_dealer_waits_the_full_look_and_pause_times() -> None:
    one = dealer("rws-double-zero", Pace(look_seconds=2, pause_seconds=4))
    assert [label(one.next(view("registered"), OUTCOME, 0, now)) for now in (1.9, 2.0)] == ["wait", "CONFIRM"]
    assert [label(one.next(view("idle"), READY, 0, now)) for now in (3.9, 4.0)] == ["wait", "OPEN"]


def test_an_unanswered_start_is_repeated_and_its_ball_belongs_to_the_round() -> None:
    unanswered = command_answered(READY, StartGame(), NoAnswer("nothing"), 5)
    assert not unanswered.fault
    assert label(dealer("rws-double-zero").next(view("bets_closed"), unanswered, 0, 5.5)) == "wait"
    assert label(dealer("rws-double-zero").next(view("bets_closed"), unanswered, 0, 6)) == "*start"
    assert observe(unanswered, BallInRim(G, CW)).ball is not None
    assert observe(replace(READY, unanswered_command=StartGame()), BallInRim(G, CW)).ball is not None
    assert observe(READY, BallInRim(G, CW)).ball is None
    assert observe(READY, BallInRim(G, CW), adopt=True).ball is not None
    refused = command_answered(READY, StartGame(), Reply.REFUSED, 5)
    assert (refused.retry_at, refused.ball, refused.start_unconfirmed) == (6, None, False)


def test_a_ball_of_an_earlier_round_is_not_adopted() -> None:
    foreign = start_round(SLOWED)
    assert observe_all(foreign, NumberEstablished(G, Code("17")), ended("17")).ball is None
    assert start_round(OUTCOME).ball is None
    # A ball from an unconfirmed start of that round, or one already rolling when this round opened, is not adopted.
    unanswered = command_answered(READY, StartGame(), NoAnswer("nothing"), 5)
    assert observe(start_round(unanswered), BallInRim(G, CW)).ball is None
    assert observe(start_round(after_two_statuses(READY, State.BALL_IN_RIM)), BallInRim(G, CW), adopt=True).ball is None
    assert label(dealer("rws-double-zero").next(view("spinning"), foreign, 0, 50)) == "wait"
    ended_earlier = observe(STARTED, ended("17", game=GameNumber("010")))
    assert ended_earlier.ball == STARTED.ball
    # A warning without a launch also ends the game, but only the game that the wheel was started for.
    warned = replace(ended(None, Flag.FAILURE), launched=False)
    assert observe(STARTED, replace(warned, game=GameNumber("010"))).ball == STARTED.ball
    assert observe(STARTED, warned).ball != STARTED.ball


def test_a_start_sent_for_a_finished_round_does_not_count_for_the_next() -> None:
    """People voided the round and opened bets before the wheel answered, so its ball arrives with bets open."""
    outdated = start_round(replace(READY, unanswered_command=StartGame()))
    assert command_answered(outdated, StartGame(), Reply.DONE, 5).ball is None
    assert not command_answered(outdated, StartGame(), NoAnswer("nothing"), 5).start_unconfirmed
    assert observe(outdated, BallInRim(G, CW)).ball is None
    again = command_answered(
        replace(command_answered(outdated, StartGame(), Reply.REFUSED, 5), unanswered_command=StartGame()),
        StartGame(),
        Reply.DONE,
        9,
    )
    assert again.ball is not None


def test_a_round_adopts_only_one_ball() -> None:
    unresolved = WHEELS["unresolved"]
    assert observe(unresolved, BallInRim(G, CW), adopt=True).ball == unresolved.ball
    assert observe(observe(unresolved, BallInRim(G, CW)), ended("17")).ball == unresolved.ball


def test_a_reading_is_used_although_the_wheel_disconnects_later() -> None:
    for lost in (Disconnected("unplugged"), Silent(3)):
        assert label(dealer("rws-double-zero").next(view("spinning"), observe(NUMBER, lost), 0, 50)) == "rest"


def test_a_disconnected_wheel_stays_unusable_after_a_hand_back() -> None:
    disconnected = observe(READY, Disconnected("unplugged"))
    assert "unplugged" in str(preparation_step(reset_after_hand_back(disconnected), dealer("mbs-sands").mode, 9))
    reconnected = reset_after_hand_back(observe(disconnected, Connected("w", 9)))
    assert preparation_step(reconnected, dealer("mbs-sands").mode, 9) == CommandWheel(
        SetMode(dealer("mbs-sands").mode), False
    )
    assert SetMode(dealer("mbs-sands").mode).mode & 3 == 3


@pytest.mark.parametrize("wheel", [*WHEELS.values(), replace(READY, prepared=Prepared.CLOSING)])
def test_a_working_wheel_is_ready_again_after_a_hand_back_in_any_state(wheel: WheelState) -> None:
    """After a hand-back with a working wheel, no earlier message prevents the next round from opening."""
    wheel = reset_after_hand_back(observe(wheel, Connected("w", 1)))
    now = 50.0
    for _ in range(12):
        now += 1
        step = dealer("rws-double-zero").next(view("idle"), wheel, 0.0, now)
        if isinstance(step, CommandWheel):
            wheel = command_answered(wheel, step.command, Reply.DONE, now)
        wheel = observe(wheel, status(State.PLACE_YOUR_BETS))
    assert label(step) == "OPEN"


def test_a_stopping_dealer_finishes_the_round_and_opens_no_other() -> None:
    last = replace(view("idle"), stopping=True)
    assert isinstance(dealer("rws-double-zero").next(last, READY, 0, 50), Finish)
    assert label(dealer("rws-double-zero").next(replace(last, phase=Phase.BETS_OPEN), READY, 0, 50)) == "CLOSE"
    assert isinstance(dealer("rws-double-zero").next(replace(last, phase=Phase.REFERRED), READY, 0, 50), Finish)


def test_request_ids_contain_the_version_so_a_restart_does_not_repeat_them() -> None:
    step = dealer("rws-double-zero").next(view("spinning"), OUTCOME, 0, 50)
    assert isinstance(step, SendCommands)
    assert [request.id for request in step.commands] == ["auto:7:0", "auto:7:1", "auto:7:2"]
