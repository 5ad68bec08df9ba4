"""Types of the operations routes: server health, server information, self-check and wheel health."""

from enum import StrEnum
from typing import Literal

from msgspec import Struct

from roundhouse.rules.names import GameId, Pocket
from roundhouse.table.names import Millis, RoundNumber, TableId
from roundhouse.wire.tables import WheelUse


class Health(Struct, frozen=True):
    well: bool
    journal: Literal["writable", "unavailable"]
    tables: dict[TableId, bool]
    """Whether the writer of each table is running."""
    wheels: dict[TableId, bool]
    """Whether the wheel of each table that has one can be relied on."""
    stopping: bool
    """Whether the house is about to stop. Rounds in progress are finished."""
    clock_ahead_millis: int
    """How far the system clock is ahead of the house's clock. Zero if they differ by at most two seconds."""


class Liveness(Struct, frozen=True):
    """The answer of a process that is alive."""

    live: Literal[True] = True


class TableReadiness(Struct, frozen=True):
    running: bool
    """Whether the table accepts commands and its last commit succeeded."""
    wheel: Literal["none", "ready", "out"]
    """Whether the table has a wheel, and can rely on it. A table whose wheel is out can be dealt by people."""


class Readiness(Struct, frozen=True):
    ready: bool
    stopping: bool
    journal: Literal["writable", "unavailable"]
    tables: dict[TableId, TableReadiness]


class ChainHead(Struct, frozen=True):
    """Last entry of a hash chain. A copy kept elsewhere later proves that no entry was removed from the end."""

    table: TableId
    entries: int
    hash: str


class ComparedWith(StrEnum):
    """The list of file hashes with which a self-check compares the installed software."""

    INSTALLED = "installed"
    """The installer's list: the ``RECORD`` file of the package's ``dist-info`` folder."""
    GIVEN = "given"
    """A manifest supplied by a person."""
    NONE = "none"
    """No list, as in a source checkout. The hash is compared only with the hash of an earlier check."""


class SelfCheck(Struct, frozen=True):
    """Result of the last self-check, which hashes the server's own files."""

    at: Millis
    software: str
    """Hash of the files at the time of the check."""
    expected: str
    """Hash of the files when the server started."""
    agrees: bool
    compared_with: ComparedWith


class HouseInfo(Struct, frozen=True):
    name: str
    version: str
    now: Millis
    currency: str
    time_zone: str
    """Time zone in which screens show times, for example Asia/Singapore."""
    guests: bool
    """Whether guests may take a seat."""
    self_check: SelfCheck | None
    chains: tuple[ChainHead, ...]
    """Head of each table's hash chain and of the house's chain. Empty unless the caller is staff."""


class WheelFinding(Struct, frozen=True):
    """Result of one statistical test. A fair wheel fails a given test in at most one of a hundred reports."""

    question: str
    chance: float | None
    """p-value: the probability of a result at least this extreme from a fair wheel. None with too few spins."""
    suspicious: bool
    words: str
    """The result as text for people."""


class PocketCount(Struct, frozen=True):
    pocket: Pocket
    segments: int
    """Number of rim segments with this pocket."""
    count: int
    expected: float


class WheelLineInfo(Struct, frozen=True):
    """Status and statistics of the connection to a wheel, counted since the server started."""

    line: str
    """Port of the wheel, for example a serial device."""
    since: Millis
    """Time at which counting began."""
    heard: Millis | None
    """Time of the last status message from the wheel. None before the first."""
    connected: bool
    ready: bool
    """Whether the automatic dealer can rely on the wheel now."""
    use: WheelUse
    alert: str
    state: str
    """State in the last status message. Empty while no messages arrive, as are the rotor's fields and the warnings."""
    rotor: str
    rotor_decirpm: int
    """Rotor speed in tenths of a revolution per minute."""
    warnings: tuple[str, ...]
    """Active warnings, as text."""
    raised: dict[str, int]
    """How often each warning was raised."""
    numbers: int
    """Games that ended with a number."""
    voids: int
    unresolved: int
    """Games that ended with neither a number nor a void."""
    launches_failed: int
    lines_not_understood: int
    counter_jumps: int
    turned_about: int
    """Games whose rotor direction differs from that of the game before."""
    kept_direction: int
    """Games whose rotor direction equals that of the game before."""
    seconds: tuple[float, float, float] | None
    """Duration of games that end with a number, in seconds: 5th percentile, median and 95th percentile."""
    speed: WheelFinding
    """Whether the outcome depends on the rotor speed."""
    troubles: tuple[str, ...]
    """Problems that need no statistical test, as text. For example: missed games, raised warnings."""


class WheelHealth(Struct, frozen=True):
    table: TableId
    game: GameId
    rulebook: str
    """Hash of the rulebook in play. Rounds of other rulebooks are not counted."""
    first: RoundNumber | None
    last: RoundNumber | None
    spins: int
    voids: int
    pockets: tuple[PocketCount, ...]
    """Counts in rim order, or in rulebook order if a pocket has several segments."""
    findings: tuple[WheelFinding, ...]
    power: str
    """Size of a bias that this number of spins could detect, as text. Empty if it is not computed."""
    line: WheelLineInfo | None
