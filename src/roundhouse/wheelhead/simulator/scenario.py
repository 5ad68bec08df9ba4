"""What can go wrong in a game, and how a wheel on the line shows it: the irregularities and the wheel's own faults.

Much of what a rulebook calls irregular a wheel cannot see (a foreign object, a person's hand): then the line
shows a game like any other, and only a Dealer can say so.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Final

from roundhouse.rules.judge import MEASURED, SAME_DIRECTION, TOO_FEW_REVOLUTIONS, may_be_seen
from roundhouse.rules.mistakes import Mistake
from roundhouse.rules.names import IrregularityId
from roundhouse.rules.rulebook import Rulebook, Spun
from roundhouse.wheelhead.line import Flag


class NoSuchIrregularity(Mistake):
    """A word for something that cannot go wrong with this wheel."""


class Fault(StrEnum):
    """Of the machine itself."""

    LAUNCH_FAILED = "launch_failed"
    SENSOR_FAILED = "sensor_failed"
    POWER_CUT = "power_cut"


class Leaves(Enum):
    """How the ball leaves the rim."""

    NUMBER = auto()
    FALLS_BACK = auto()
    CLOSES = auto()
    GOES_DARK = auto()


@dataclass(frozen=True, slots=True)
class Scenario:
    word: IrregularityId | Fault | None
    leaves: Leaves = Leaves.NUMBER
    rim_flags: Flag = Flag.NONE
    """From the first status with the ball in the rim."""
    last_flags: Flag = Flag.NONE
    """From the moment at which it goes wrong."""
    with_rotor: bool = False
    weak: bool = False
    """Too few revolutions."""
    failed_launches: int = 0
    rotor_stops: bool = False
    rotor_stands: bool = False
    on_pin: bool = False


REGULAR: Final = Scenario(None)

_BALL: Final = {
    SAME_DIRECTION: Scenario(SAME_DIRECTION, Leaves.FALLS_BACK, rim_flags=Flag.WITH_ROTOR, with_rotor=True),
    TOO_FEW_REVOLUTIONS: Scenario(TOO_FEW_REVOLUTIONS, weak=True),
    IrregularityId("ball_dropped"): Scenario(IrregularityId("ball_dropped"), failed_launches=1),
    IrregularityId("ball_did_not_drop"): Scenario(IrregularityId("ball_did_not_drop"), Leaves.FALLS_BACK),
    IrregularityId("ball_left_wheel"): Scenario(
        IrregularityId("ball_left_wheel"), Leaves.FALLS_BACK, last_flags=Flag.BALL_GONE
    ),
    IrregularityId("wheel_stopped"): Scenario(
        IrregularityId("wheel_stopped"), Leaves.CLOSES, last_flags=Flag.FAILURE, rotor_stops=True
    ),
    IrregularityId("wheel_not_rotating"): Scenario(
        IrregularityId("wheel_not_rotating"), Leaves.CLOSES, rim_flags=Flag.FAILURE, rotor_stands=True
    ),
    Fault.LAUNCH_FAILED: Scenario(Fault.LAUNCH_FAILED, failed_launches=2),
    Fault.SENSOR_FAILED: Scenario(Fault.SENSOR_FAILED, Leaves.CLOSES, last_flags=Flag.FAILURE),
    Fault.POWER_CUT: Scenario(Fault.POWER_CUT, Leaves.GOES_DARK),
}
_WHEEL: Final = {
    TOO_FEW_REVOLUTIONS: Scenario(TOO_FEW_REVOLUTIONS, weak=True),
    IrregularityId("clapper_on_pin"): Scenario(IrregularityId("clapper_on_pin"), Leaves.FALLS_BACK, on_pin=True),
    Fault.SENSOR_FAILED: Scenario(Fault.SENSOR_FAILED, Leaves.CLOSES, last_flags=Flag.FAILURE),
    Fault.POWER_CUT: Scenario(Fault.POWER_CUT, Leaves.GOES_DARK),
}


def scenarios(rulebook: Rulebook) -> dict[str, Scenario]:
    """Everything that can go wrong under this rulebook, by its word. Unseen by the wheel is what has no row above."""
    shown = _BALL if rulebook.wheel.spun is Spun.BALL else _WHEEL
    words = may_be_seen(rulebook) | (MEASURED & rulebook.irregularities.keys())
    return {word: shown.get(word, Scenario(word)) for word in sorted(words)} | {
        fault.value: shown[fault] for fault in Fault if fault in shown
    }


def scenario(rulebook: Rulebook, word: str) -> Scenario:
    known = scenarios(rulebook)
    if word not in known:
        raise NoSuchIrregularity(f"'{word}' cannot go wrong here; known are {', '.join(known)}")
    return known[word]
