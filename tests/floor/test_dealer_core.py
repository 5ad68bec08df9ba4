"""The automatic dealer's next step: each phase of the table against each thing that the wheel can have told."""

from dataclasses import replace
from functools import cache

import pytest

from roundhouse import rulebooks
from roundhouse.floor.dealer import Ask, Dealer, Settings, Step, Tell, View, Wait
from roundhouse.floor.sight import Prepared, Sight, answered, hear, new_round, trusted_again
from roundhouse.rules.game import Game
from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Pocket
from roundhouse.table.names import Phase, RoundNumber
from roundhouse.wheelhead.codes import codes_for
from roundhouse.wheelhead.commands import OpenWheel, Reply, SetMode, StartGame
from roundhouse.wheelhead.driver import NoAnswer
from roundhouse.wheelhead.facts import BallInRim, BallSlowed, Ending, GameEnded, NumberEstablished
from roundhouse.wheelhead.line import Code, Flag, GameNumber
from roundhouse.wheelhead.listening import Connected, Disconnected, Silent

G = GameNumber("011")
CW = Direction.CLOCKWISE
READY = replace(hear(Sight(), Connected("w", 0)), prepared=Prepared.YES)
STARTED = answered(READY, StartGame(), Reply.DONE, 0)
RIM = hear(STARTED, BallInRim(G, CW))
SLOWED = hear(RIM, BallSlowed(G))
NUMBER = hear(SLOWED, NumberEstablished(G, Code("17")))


def ended(number: str | None, last: Flag = Flag.NONE) -> GameEnded:
    ending = Ending.NUMBER if number else Ending.FELL_BACK
    code = Code(number) if number else None
    return GameEnded(G, ending, code, "", True, True, Flag.NONE, last, last, CW, 150, 40, None)


OUTCOME = hear(NUMBER, ended("17"))
SIGHTS = {
    "ready": READY,
    "started": STARTED,
    "rim": RIM,
    "slowed": SLOWED,
    "number": NUMBER,
    "outcome": OUTCOME,
    "gone": hear(SLOWED, ended(None, Flag.BALL_GONE)),
    "unresolved": hear(SLOWED, ended(None)),
    "lost": hear(READY, Disconnected("unplugged")),
    "silent": hear(READY, Silent(3)),
}

# The table has stood there for 50 s: every pause is over, and no patience is.
BEFORE_SPIN = {
    #                      ready    started  rim      slowed   number   outcome  gone     unresolved lost     silent
    "closed":             "wait     wait     wait     wait     wait     wait     wait     wait     wait     wait",
    "idle":               "OPEN     OPEN     wait     wait     wait     OPEN     OPEN     OPEN     PEOPLE   PEOPLE",
    "bets_open":          "CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    CLOSE    PEOPLE   PEOPLE",
    "bets_closed":        "*start   SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     PEOPLE   PEOPLE",
    "spinning":           "wait     wait     wait     wait     rest     rest     OBSERVE  PEOPLE   PEOPLE   PEOPLE",
    "at_rest":            "REGISTER REGISTER REGISTER REGISTER REGISTER REGISTER REGISTER REGISTER PEOPLE   PEOPLE",
    "registered":         "CONFIRM  CONFIRM  wait     wait     wait     CONFIRM  PEOPLE   PEOPLE   PEOPLE   PEOPLE",
    "referred":           "wait     wait     wait     wait     wait     wait     wait     wait     PEOPLE   PEOPLE",
    "stopped":            "wait     wait     wait     wait     wait     wait     wait     wait     wait     wait",
}  # fmt: skip
WHILE_SPINNING = {
    "bets_open":          "*start   SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     SPIN     PEOPLE   PEOPLE",
    "spinning_bets_open": "wait     wait     wait     CLOSE    REFER    REFER    OBSERVE  PEOPLE   PEOPLE   PEOPLE",
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


def dealer(game: str, settings: Settings | None = None) -> Dealer:
    found = _found(game)
    return Dealer(found.rulebook, codes_for(found.wheel), settings or Settings())


def view(phase: str, held: bool = False) -> View:
    return View(Phase(phase), RoundNumber(1), Pocket("17"), held, 7)


def word(step: Step) -> str:
    match step:
        case Ask(requests):
            words = [type(request).__struct_config__.tag for request in requests]
            return "rest" if words == ["observe_spin", "ball_at_rest", "register_result"] else _SHORT[str(*words)]
        case Tell(StartGame(), _):
            return "*start"
        case Tell(command):
            return type(command).__name__
        case Wait():
            return "wait"


@pytest.mark.parametrize(
    ("game", "phase", "row"),
    [("rws-double-zero", phase, row) for phase, row in BEFORE_SPIN.items()]
    + [("mbs-electronic-double-zero", phase, row) for phase, row in BEFORE_SPIN.items()]
    + [("mbs-sands", phase, row) for phase, row in (BEFORE_SPIN | WHILE_SPINNING).items()],
)
def test_next_step(game: str, phase: str, row: str) -> None:
    found = {name: word(dealer(game).next(view(phase), sight, 0.0, 50.0)) for name, sight in SIGHTS.items()}
    assert found == dict(zip(SIGHTS, row.split(), strict=True))


def test_the_countdown_counts_down() -> None:
    at = {left: dealer("mbs-sands").next(view("bets_open"), READY, 0, 20 - left) for left in (12, 10, 7, 4.5, 1, 0.5)}
    assert [step.countdown for step in at.values() if isinstance(step, Wait)] == [None, 10, 10, 5, 1, 1]
    assert at[12] == Wait(10, None)
    assert at[0.5] == Wait(20, 1)


def test_a_held_round_waits_for_people() -> None:
    assert dealer("rws-double-zero").next(view("registered", held=True), OUTCOME, 0, 9999) == Wait()


def test_the_wheel_is_told_whether_bets_have_closed_and_nothing_else() -> None:
    assert dealer("mbs-sands").next(view("bets_open"), READY, 0, 50) == Tell(StartGame(), False)
    assert dealer("mbs-sands").next(view("bets_closed"), READY, 0, 50) == Tell(StartGame(), True)


def test_the_wheel_is_made_ready_before_bets_open() -> None:
    one = dealer("rws-double-zero")
    sight = hear(Sight(), Connected("w", 0))
    told: list[str] = []
    for reply in (Reply.BUSY, Reply.DONE, Reply.DONE, Reply.DONE):
        step = one.next(view("idle"), sight, 0, 50.0 + 2 * len(told))
        assert isinstance(step, Tell)
        told.append(word(step))
        sight = answered(sight, step.command, reply, 50)
    assert told == ["SetMode", "CloseWheel", "SetMode", "OpenWheel"]
    assert word(one.next(view("idle"), sight, 0, 60)) == "OPEN"


def test_patience_ends() -> None:
    assert word(dealer("rws-double-zero").next(view("spinning"), RIM, 0, 119)) == "wait"
    assert word(dealer("rws-double-zero").next(view("spinning"), RIM, 0, 120)) == "PEOPLE"


def test_no_answer_is_a_failure_and_a_refusal_is_asked_again() -> None:
    assert answered(READY, StartGame(), NoAnswer("nothing"), 5).failed
    assert answered(READY, StartGame(), Reply.REFUSED, 5).again_at == 6
    assert not answered(READY, StartGame(), Reply.REFUSED, 5).started


def test_a_ball_of_an_earlier_round_is_not_this_rounds() -> None:
    foreign = new_round(SLOWED)
    assert hear(hear(foreign, NumberEstablished(G, Code("17"))), ended("17")).ended is None
    assert new_round(OUTCOME).ended is None
    assert word(dealer("rws-double-zero").next(view("spinning"), foreign, 0, 50)) == "wait"


def test_a_wheel_that_is_still_gone_is_not_trusted_again() -> None:
    gone = hear(READY, Disconnected("unplugged"))
    assert "unplugged" in trusted_again(gone).failed
    assert not trusted_again(hear(gone, Connected("w", 9))).failed
    assert answered(READY, OpenWheel(), Reply.REFUSED, 0).prepared is Prepared.YES
    assert isinstance(dealer("mbs-sands").next(view("idle"), trusted_again(READY), 0, 50), Tell)
    assert SetMode(dealer("mbs-sands").mode).mode & 3 == 3


def test_requests_have_ids_that_no_restart_repeats() -> None:
    step = dealer("rws-double-zero").next(view("spinning"), OUTCOME, 0, 50)
    assert isinstance(step, Ask)
    assert [request.id for request in step.requests] == ["auto:7:0", "auto:7:1", "auto:7:2"]
