"""States of a wheel, and the automatic dealer with a summary of its table, for tests of single steps."""

from dataclasses import replace
from functools import cache, reduce

from roundhouse import rulebooks
from roundhouse.dealer.dealer import Dealer
from roundhouse.dealer.steps import Pace, TableSummary
from roundhouse.dealer.wheel_state import Prepared, WheelState, command_answered, observe
from roundhouse.rules.game import Game
from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Pocket
from roundhouse.table.names import Phase, ReadBy, RoundNumber
from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.commands import Reply, StartGame
from roundhouse.wheel.driver import Connected, Disconnected, Event, Silent
from roundhouse.wheel.facts import BallInRim, BallSlowed, Ending, GameEnded, NumberEstablished
from roundhouse.wheel.protocol import BLANK, Code, Flag, GameNumber, State, Status

G = GameNumber("011")
CW = Direction.CLOCKWISE


def status(state: State, flags: Flag = Flag.NONE, game: GameNumber = G) -> Status:
    return Status(state, game, BLANK, flags, 150, CW)


def observe_all(wheel: WheelState, *events: Event) -> WheelState:
    return reduce(observe, events, wheel)


def after_two_statuses(wheel: WheelState, state: State, flags: Flag = Flag.NONE) -> WheelState:
    """Return the wheel state after two equal status messages. The dealer ignores a single one."""
    return observe_all(wheel, status(state, flags), status(state, flags))


def ended(number: str | None, last: Flag = Flag.NONE, game: GameNumber = G) -> GameEnded:
    ending = Ending.NUMBER if number else Ending.FELL_BACK
    code = Code(number) if number else None
    return GameEnded(game, ending, code, "", True, True, Flag.NONE, last, last, CW, 150, 40, None)


CONNECTED = observe(WheelState(), Connected("w", 0))
READY = after_two_statuses(replace(CONNECTED, prepared=Prepared.MODE_SET), State.PLACE_YOUR_BETS)
STARTED = command_answered(READY, StartGame(), Reply.DONE, 0)
RIM = after_two_statuses(observe(STARTED, BallInRim(G, CW)), State.BALL_IN_RIM)
SLOWED = after_two_statuses(observe(RIM, BallSlowed(G)), State.NO_MORE_BETS)
NUMBER = after_two_statuses(observe(SLOWED, NumberEstablished(G, Code("17"))), State.WINNING_NUMBER)
OUTCOME = after_two_statuses(observe(NUMBER, ended("17")), State.PLACE_YOUR_BETS)
WHEELS = {
    "ready": READY,
    "started": STARTED,
    "rim": RIM,
    "slowed": SLOWED,
    "number": NUMBER,
    "outcome": OUTCOME,
    "gone": after_two_statuses(observe(SLOWED, ended(None, Flag.BALL_GONE)), State.PLACE_YOUR_BETS),
    "unresolved": after_two_statuses(observe(SLOWED, ended(None)), State.PLACE_YOUR_BETS),
    "stray": after_two_statuses(READY, State.BALL_IN_RIM),
    "broken": after_two_statuses(READY, State.PLACE_YOUR_BETS, Flag.FAILURE),
    "closed": after_two_statuses(READY, State.CLOSED),
    "lost": observe(READY, Disconnected("unplugged")),
    "silent": observe(READY, Silent(3)),
}


@cache
def game_of(game: str) -> Game:
    return rulebooks.find(game)


def dealer(game: str, settings: Pace | None = None) -> Dealer:
    found = game_of(game)
    return Dealer(found.rulebook, codes_for(found.wheel), settings or Pace())


def view(phase: str, readings_disagree: bool = False) -> TableSummary:
    return TableSummary(
        Phase(phase),
        RoundNumber(1),
        Pocket("17"),
        Pocket("17"),
        ReadBy.WHEEL,
        readings_disagree=readings_disagree,
        version=7,
        wheel_has_read=phase != "interrupted",
    )
