"""What the automatic dealer goes by and what it can do: the pace, the table as it sees it, and its four steps.

A dealer is shown where the table stands, and never a stake.
"""

from dataclasses import dataclass

from msgspec import Struct

from roundhouse.rules.names import Pocket
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Phase, ReadBy, RoundNumber
from roundhouse.table.state import TableState
from roundhouse.wheel.commands import WheelCommand


class Pace(Struct, frozen=True):
    """The pace of the table, in seconds."""

    betting_seconds: float = 20.0
    countdown: tuple[int, ...] = (10, 5, 4, 3, 2, 1)
    """What displays show before bets close."""
    look_seconds: float = 2.0
    """Between the registered result and its confirmation: for people who saw something else."""
    pause_seconds: float = 4.0
    closes_while_spinning: bool = False
    """Where the rulebook leaves the moment to the operator."""
    wheel_timeout_seconds: float = 120.0
    """For whatever is awaited of the wheel: to connect, to start, to finish a game."""


@dataclass(frozen=True, slots=True)
class TableSummary:
    """Where the table stands, as far as a dealer has to know it."""

    phase: Phase
    round: RoundNumber
    wheel_outcome: Pocket | None = None
    registered_outcome: Pocket | None = None
    read_by: ReadBy = ReadBy.DEALER
    resolved: bool = False
    readings_disagree: bool = False
    version: int = 0
    stopping: bool = False
    """No more rounds are to be opened: the dealing is about to stop."""


def summary_of(state: TableState, version: int, last: bool = False) -> TableSummary:
    return TableSummary(
        state.phase,
        state.round,
        state.wheel_outcome,
        state.registered_outcome,
        state.rested_by,
        state.resolved,
        state.readings_disagree,
        version,
        last,
    )


@dataclass(frozen=True, slots=True)
class SendCommands:
    """Requests to the table, together."""

    commands: tuple[AnyCommand, ...]


@dataclass(frozen=True, slots=True)
class CommandWheel:
    """A command to the wheel, and the one thing that it may know of the bets: whether they have closed."""

    command: WheelCommand
    bets_closed: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """For the wheel or for an instant; without ``until`` for people, and for nobody else."""

    until: float | None = None
    why: str = ""
    countdown: int | None = None
    """Seconds to the closing of bets, as displays show them; ``until`` may come before that."""
    closes: float | None = None
    """When bets close, while they are open and that is known."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The dealing was to stop, and no round is in progress."""


Step = SendCommands | CommandWheel | Wait | Finish
