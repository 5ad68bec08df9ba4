"""Making a wheel ready for a table: in the right mode, open, whole and without a ball, so that it waits for the word.

Each look starts from how the wheel stands now. There is no order of steps to get lost in: what is missing is asked
for, and what does not come is asked for again, until the dealer's patience ends.
"""

from roundhouse.dealer.steps import CommandWheel, Wait
from roundhouse.dealer.wheel_state import BROKEN, Prepared, WheelState
from roundhouse.wheel.commands import CloseWheel, Mode, OpenWheel, SetMode
from roundhouse.wheel.protocol import Flag, State


def preparing(sight: WheelState, mode: Mode, now: float) -> CommandWheel | Wait | str | None:
    """What to tell the wheel, what to wait for, or why it cannot be had; nothing when it is ready."""
    if sight.prepared is Prepared.YES:
        return None
    if sight.unreachable:
        return sight.unreachable
    if not sight.connected:
        return Wait(why="the wheel was never heard")
    if sight.asked is not None or now < sight.again_at:
        return Wait(sight.again_at, missing(sight))
    match sight.prepared:
        case Prepared.NO:
            return CommandWheel(SetMode(mode), False)
        case Prepared.CLOSING if sight.state is State.CLOSED:
            return CommandWheel(SetMode(mode), False)
        case Prepared.CLOSING:
            return CommandWheel(CloseWheel(), False)
        case Prepared.MODE_SET if sight.state is State.CLOSED:
            return CommandWheel(OpenWheel(), False)
        case Prepared.MODE_SET:
            return Wait(why=missing(sight))


def missing(sight: WheelState) -> str:
    """What keeps the wheel from being ready, in words for people."""
    if sight.unanswered:
        return sight.unanswered
    if Flag.FAILURE in sight.flags:
        return BROKEN
    if sight.rolling:
        return "the wheel has not come to the end of its game"
    match sight.prepared:
        case Prepared.CLOSING:
            return "the wheel has not closed"
        case Prepared.MODE_SET:
            return "the wheel has not opened"
        case Prepared.NO | Prepared.YES:
            return "the wheel has not taken its mode"
