"""Input and output of the automatic dealer: its pace, its summary of the table, and its four kinds of steps.

The summary contains no stakes.
"""

from dataclasses import dataclass

from msgspec import UNSET, Struct

from roundhouse.rules.names import Pocket
from roundhouse.table.commands import AnyCommand
from roundhouse.table.evidence import Evidence
from roundhouse.table.names import Phase, ReadBy, RoundNumber
from roundhouse.table.state import TableState
from roundhouse.wheel.commands import WheelCommand


class Pace(Struct, frozen=True):
    """The pace of the table, in seconds."""

    betting_seconds: float = 20.0
    countdown: tuple[int, ...] = (10, 5, 4, 3, 2, 1)
    """Seconds before the closing of bets at which displays show the countdown."""
    look_seconds: float = 2.0
    """Time between the registered result and its confirmation, in which people can correct it."""
    pause_seconds: float = 4.0
    """Time between two rounds."""
    closes_while_spinning: bool = False
    """Applies only if the rulebook leaves the moment of closing to the operator."""
    wheel_timeout_seconds: float = 120.0
    """Timeout for the wheel to connect, to start a game or to end it."""


@dataclass(frozen=True, slots=True)
class TableSummary:
    """The part of the table's state that the dealer needs."""

    phase: Phase
    round: RoundNumber
    wheel_outcome: Pocket | None = None
    registered_outcome: Pocket | None = None
    read_by: ReadBy = ReadBy.DEALER
    resolved: bool = False
    readings_disagree: bool = False
    """Whether the readings and the registered outcome name different outcomes."""
    version: int = 0
    stopping: bool = False
    """Whether the dealer is about to stop and opens no more rounds."""
    wheel_has_read: bool = False
    """Whether a reading of the wheel's line is on record."""
    reports_differ: bool = False
    started_by_program: bool = False
    by_hand: bool = False
    """Whether the Dealer spun the ball by hand."""
    is_play_money: bool = True
    referred_by_house: bool = False
    """Whether a program of the house, or the table itself, referred this round."""
    server_stopped: bool = False
    """Whether the server stopped or restarted while this round was in progress."""
    referred_before_spin: bool = False
    """Whether the round waits for a decision and was referred before its spin."""


def summary_of(state: TableState, version: int, stopping: bool = False) -> TableSummary:
    evidence = Evidence() if state.evidence is UNSET else state.evidence
    started, referrers = evidence.started_by, state.referrers_of(state.round)
    return TableSummary(
        state.phase,
        state.round,
        state.wheel_outcome,
        state.registered_outcome,
        state.rested_by,
        state.resolved,
        state.readings_disagree,
        version,
        stopping,
        any(reading.source.is_program for reading in evidence.readings),
        evidence.reports_differ and not evidence.spin_accepted,
        started is not None and started.is_program,
        evidence.by_hand,
        state.terms.is_play_money,
        bool(referrers) and referrers[0].is_program,
        bool(state.server_stopped),
        state.phase is Phase.REFERRED and state.before_referral in (Phase.BETS_OPEN, Phase.BETS_CLOSED),
    )


@dataclass(frozen=True, slots=True)
class SendCommands:
    """Send these commands to the table as one group."""

    commands: tuple[AnyCommand, ...]


@dataclass(frozen=True, slots=True)
class CommandWheel:
    """Send a command to the wheel. ``bets_closed`` tells the wheel's driver whether bets are closed."""

    command: WheelCommand
    bets_closed: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait for an event of the table or the wheel, or until the time ``until`` if it is given."""

    until: float | None = None
    why: str = ""
    countdown: int | None = None
    """Seconds until bets close, as displays show them. The wait itself may end earlier."""
    closes: float | None = None
    """When bets close; ``None`` unless bets are open."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Stop dealing: the dealer was stopped and no round is in progress."""


Step = SendCommands | CommandWheel | Wait | Finish
