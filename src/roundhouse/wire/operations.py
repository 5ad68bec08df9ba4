"""Running the house, on the wire: is it well, what is it, what do its chains end with.

A wheel's health on the wire: what came, what is odd about it, what was heard on its line.
"""

from enum import StrEnum
from typing import Literal

from msgspec import Struct

from roundhouse.rules.names import GameId, Pocket
from roundhouse.table.names import Millis, RoundNumber, TableId


class Health(Struct, frozen=True):
    well: bool
    journal: Literal["writable", "unavailable"]
    tables: dict[TableId, bool]
    """Whether each table's writer is alive."""


class ChainHead(Struct, frozen=True):
    """Where a chain ends. Noted down elsewhere, it proves later that nothing was taken off the end."""

    table: TableId
    entries: int
    hash: str


class ComparedWith(StrEnum):
    """The list of files with which a self-check compares the software."""

    INSTALLED = "installed"
    """The list that the installer wrote beside the package: ``RECORD`` of its ``dist-info``."""
    GIVEN = "given"
    """A list that a person gave."""
    NONE = "none"
    """A checkout of the sources has no list: its hash is only compared with that of an earlier check."""


class SelfCheck(Struct, frozen=True):
    """The hash of the software itself, as it was found when last looked."""

    at: Millis
    software: str
    expected: str
    """The hash of the start."""
    agrees: bool
    compared_with: ComparedWith


class HouseInfo(Struct, frozen=True):
    name: str
    version: str
    now: Millis
    currency: str
    time_zone: str
    """In which every screen of the house shows times, such as Asia/Singapore."""
    guests: bool
    """Whether guests may sit down."""
    self_check: SelfCheck | None
    chains: tuple[ChainHead, ...]
    """For staff; nothing for others."""


class WheelFinding(Struct, frozen=True):
    """An answer to one question. A fair wheel is suspected by one question in a hundred reports at most."""

    question: str
    chance: float | None
    """That a fair wheel looks at least as odd; nothing where there is too little to tell."""
    suspicious: bool
    words: str


class PocketCount(Struct, frozen=True):
    pocket: Pocket
    segments: int
    """How many segments of the rim carry it."""
    count: int
    expected: float


class WheelLineInfo(Struct, frozen=True):
    """What was heard on the wheel's line since the house was started."""

    line: str
    since: Millis
    heard: Millis | None
    """When the wheel last said how it stands."""
    connected: bool
    ready: bool
    """Whether the automatic dealer can rely on it now."""
    alert: str
    state: str
    rotor: str
    rotor_decirpm: int
    warnings: tuple[str, ...]
    """Those that stand now, in words."""
    raised: dict[str, int]
    """How often each warning was raised."""
    numbers: int
    """Games that ended with a number."""
    voids: int
    unresolved: int
    launches_failed: int
    lines_not_understood: int
    counter_jumps: int
    turned_about: int
    kept_direction: int
    seconds: tuple[float, float, float] | None
    """How long a game with a number takes: the shortest twentieth, the middle, the longest twentieth."""
    speed: WheelFinding
    """Whether the outcome hangs on the speed of the rotor."""
    troubles: tuple[str, ...]
    """What needs no probability, in words."""


class WheelHealth(Struct, frozen=True):
    table: TableId
    game: GameId
    rulebook: str
    """The rulebook in play; rounds that were played by another are not counted."""
    first: RoundNumber | None
    last: RoundNumber | None
    spins: int
    voids: int
    pockets: tuple[PocketCount, ...]
    """In the order of the rim; where several segments carry a pocket, in the order of the rulebook."""
    findings: tuple[WheelFinding, ...]
    power: str
    """What these spins could have shown, in words; empty where that is not computed."""
    line: WheelLineInfo | None
