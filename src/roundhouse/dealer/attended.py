"""Chooses the steps of the wheel's driver while people deal: it prepares, launches and reads the wheel.

The driver acts as the system. It never opens, closes, registers, confirms or voids anything.
"""

from typing import Final

from roundhouse.dealer.line import ball_at_rest, line_reading
from roundhouse.dealer.preparation import preparation_step
from roundhouse.dealer.steps import CommandWheel, Finish, SendCommands, Step, TableSummary, Wait
from roundhouse.dealer.wheel_state import Prepared, WheelState
from roundhouse.rules.names import StaffPosition
from roundhouse.rules.rulebook import Rulebook
from roundhouse.table.names import HOUSE_ID_PREFIX, Phase, RequestId
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.commands import Mode, StartGame

LAUNCH_SECONDS: Final = 10.0
"""How long after ``start_spin`` the ball may be launched. A later launch would surprise the people at the wheel."""
NOT_LAUNCHED: Final = "the wheel launched no ball: spin it by hand and read the result, or refer the round"
_SPINNING: Final = (Phase.SPINNING, Phase.SPINNING_BETS_OPEN)
_READS: Final = (*_SPINNING, Phase.AT_REST, Phase.REGISTERED, Phase.INTERRUPTED)


class AttendedWheel:
    """The wheel of a table that people deal. Stateless: ``next`` receives the states of the table and the wheel."""

    def __init__(self, rulebook: Rulebook, codes: Codes, mode: Mode) -> None:
        self._rulebook, self._codes, self._mode = rulebook, codes, mode

    def next(self, view: TableSummary, wheel: WheelState, spin_since: float | None, now: float) -> Step:
        """Choose the next step. ``spin_since`` is when this process saw the spin begin, or ``None``."""
        read = line_reading(wheel.ball, self._rulebook, self._codes)
        if read is not None and not view.wheel_has_read and view.phase in _READS:
            id = RequestId(f"{HOUSE_ID_PREFIX}{view.version}:wheel")
            return SendCommands((ball_at_rest(id, StaffPosition.SYSTEM, read),))
        if view.stopping and not self._awaits_number(view, wheel):
            return Finish()
        if view.phase in (Phase.BETS_OPEN, Phase.BETS_CLOSED) and not wheel.fault:
            return self._prepare(wheel, now)
        if view.phase in _SPINNING and spin_since is not None:
            return self._launch(view, wheel, spin_since, now)
        return Wait()

    def _awaits_number(self, view: TableSummary, wheel: WheelState) -> bool:
        """Return whether the wheel is about to read this round's ball."""
        rolling = wheel.ball is not None and wheel.ball.ended is None and not wheel.unreachable
        return rolling and view.phase in _READS and not view.wheel_has_read

    def _prepare(self, wheel: WheelState, now: float) -> Step:
        match preparation_step(wheel, self._mode, now):
            case CommandWheel() as step:
                return step
            case Wait(until=until):
                return Wait(until if until is not None and until > now else None)
            case _:
                return Wait()

    def _launch(self, view: TableSummary, wheel: WheelState, spin_since: float, now: float) -> Step:
        """Launch the ball of a spin that a person started, unless they spin it by hand or the wheel is not ready."""
        ends = spin_since + LAUNCH_SECONDS
        wanted = not view.started_by_program and not view.by_hand and wheel.ball is None
        if not wanted:
            return Wait()
        if now >= ends:
            return Wait() if wheel.unanswered_command is not None else Wait(why=NOT_LAUNCHED)
        if wheel.prepared is not Prepared.YES and not wheel.fault:
            # The people were faster than the wheel. It is launched as soon as it is ready.
            step = self._prepare(wheel, now)
            return step if isinstance(step, CommandWheel) else Wait(ends)
        if wheel.fault or wheel.has_ball or wheel.unanswered_command is not None:
            return Wait(ends)
        if now < wheel.retry_at:
            return Wait(min(wheel.retry_at, ends))
        return CommandWheel(StartGame(), view.phase is Phase.SPINNING)
