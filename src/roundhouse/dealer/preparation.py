"""Prepares a wheel for a table: in the right mode, open, without a fault and without a ball.

Each step is derived from the current state of the wheel, not from earlier steps. A command without effect is repeated
until the dealer's timeout.
"""

from roundhouse.dealer.steps import CommandWheel, Wait
from roundhouse.dealer.wheel_state import BROKEN, Prepared, WheelState
from roundhouse.wheel.commands import CloseWheel, Mode, OpenWheel, SetMode
from roundhouse.wheel.protocol import Flag, State


def preparation_step(wheel: WheelState, mode: Mode, now: float) -> CommandWheel | Wait | str | None:
    """Return a command for the wheel, a wait, or the reason why the wheel is unusable; ``None`` if it is ready."""
    if wheel.prepared is Prepared.YES:
        return None
    if wheel.unreachable:
        return wheel.unreachable
    if not wheel.connected:
        return Wait(why="the wheel is not connected")
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
    """Describe why the wheel is not ready."""
    if wheel.no_answer:
        return wheel.no_answer
    if Flag.FAILURE in wheel.flags:
        return BROKEN
    if wheel.has_ball:
        return "the wheel has not ended its game"
    match wheel.prepared:
        case Prepared.CLOSING:
            return "the wheel has not closed"
        case Prepared.MODE_SET:
            return "the wheel has not opened"
        case Prepared.NO | Prepared.YES:
            return "the wheel has not accepted its mode"
