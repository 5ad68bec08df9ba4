"""What a running table has to tell whoever listens: what happened, what the clock says, how its wheel stands.

News is for showing. What counts is in the journal before it is told here, and nothing is decided by it.
"""

from msgspec import Struct

from roundhouse.rules.judge import Direction
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import RoundNumber
from roundhouse.wheelhead.line import Code, GameNumber, State


class Happened(Struct, frozen=True, tag="happened"):
    """Events that are durable. ``version`` counts the table's entries without a gap: who misses one asks again."""

    version: int
    events: list[AnyEvent]
    by_dealer: bool
    """Caused by the automatic dealer, not by a request that was answered to somebody."""


class Closing(Struct, frozen=True, tag="closing"):
    """Bets close in so many seconds, counted from now; ``countdown`` is what displays show."""

    round: RoundNumber
    seconds: float
    countdown: int | None


class Awaiting(Struct, frozen=True, tag="awaiting"):
    """What the automatic dealer waits for, in words; empty while people deal."""

    why: str


class WheelStands(Struct, frozen=True, tag="wheel_stands"):
    """How the wheel stands: told when anything but its speed changes."""

    state: State
    game: GameNumber
    shown: Code
    """The last winning number, in the wheel's code."""
    flags: tuple[int, ...]
    rotor: Direction
    rotor_decirpm: int


class WheelReliable(Struct, frozen=True, tag="wheel_reliable"):
    """Whether the table can rely on its wheel. ``alert`` stays until the wheel is back, or the table is handed back."""

    connected: bool
    ready: bool
    alert: str


News = Happened | Closing | Awaiting | WheelStands | WheelReliable
