"""Making a wheel ready for a table: in the right mode, open, whole and without a ball, so that it waits for the word.

Each look starts from how the wheel stands now. There is no order of steps to get lost in: what is missing is asked
for, and what does not come is asked for again, until the dealer's patience ends.
"""

from roundhouse.dealer.steps import CommandWheel, Wait
from roundhouse.dealer.wheel_state import BROKEN, Prepared, WheelState
from roundhouse.wheel.commands import CloseWheel, Mode, OpenWheel, SetMode
from roundhouse.wheel.protocol import Flag, State


def preparation_step(wheel: WheelState, mode: Mode, now: float) -> CommandWheel | Wait | str | None:
    """What to tell the wheel, what to wait for, or why it cannot be had; nothing when it is ready."""
    if wheel.prepared is Prepared.YES:
        return None
    if wheel.unreachable:
        return wheel.unreachable
    if not wheel.connected:
        return Wait(why="the wheel was never heard")
    if wheel.unanswered_command is not None or now < wheel.retry_at:
        return Wait(wheel.retry_at, not_ready_reason(wheel))
    match wheel.prepared:
        case Prepared.NO:
            return CommandWheel(SetMode(mode), False)
        case Prepared.CLOSING if wheel.state is State.CLOSED:
            return CommandWheel(SetMode(mode), False)
        case Prepared.CLOSING:
            return CommandWheel(CloseWheel(), False)
        case Prepared.MODE_SET if wheel.state is State.CLOSED:
            return CommandWheel(OpenWheel(), False)
        case Prepared.MODE_SET:
            return Wait(why=not_ready_reason(wheel))


def not_ready_reason(wheel: WheelState) -> str:
    """What keeps the wheel from being ready, in words for people."""
    if wheel.no_answer:
        return wheel.no_answer
    if Flag.FAILURE in wheel.flags:
        return BROKEN
    if wheel.has_ball:
        return "the wheel has not come to the end of its game"
    match wheel.prepared:
        case Prepared.CLOSING:
            return "the wheel has not closed"
        case Prepared.MODE_SET:
            return "the wheel has not opened"
        case Prepared.NO | Prepared.YES:
            return "the wheel has not taken its mode"
