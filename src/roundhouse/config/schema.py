"""The keys of ``house.toml``, one type for each of its tables. What they mean is on the page docs/HOUSE.md.

What must be there has an empty default: that it is missing is one fault among others, and hides none of them.

Which wheel a table has, as one word of the configuration says it.
"""

import re
from enum import StrEnum

from msgspec import Struct

from roundhouse.rules.names import GameId, TerminalId
from roundhouse.table.limits import Limits
from roundhouse.table.names import SeatId, TableId


class _Section(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class HouseSection(_Section, frozen=True, kw_only=True):
    name: str = ""
    currency: str = ""
    """Three capital letters; amounts are whole cents of it."""
    data: str = ""
    """The folder of the journal, its key and its backups; relative to this file."""
    time_zone: str = "UTC"
    shifts: tuple[str, ...] = ("06:00", "14:00", "22:00")
    """When shifts begin, in that zone; the first of them begins the gaming day of reports."""


class ListenConfig(_Section, frozen=True, kw_only=True):
    address: str = "127.0.0.1"
    port: int = 8080
    origins: tuple[str, ...] = ()
    """From which pages browsers may connect; without any, from the house's own."""


class TlsConfig(_Section, frozen=True, kw_only=True):
    certificate: str = ""
    key: str = ""


class ProxyConfig(_Section, frozen=True, kw_only=True):
    trusted: tuple[str, ...] = ()
    """Addresses or networks of proxies, which alone are believed when they say for whom they ask."""


class RequestsConfig(_Section, frozen=True, kw_only=True):
    request_bytes: int = 65_536
    message_bytes: int = 16_384
    connections: int = 20_000
    connections_per_address: int = 2_000
    requests_per_second: int = 40
    """Of one socket or one address."""
    log_ins_per_minute: int = 10
    """Of one address."""
    silent_seconds: int = 10
    """How long a connection may say nothing before it has shown who it is."""


class RetentionConfig(_Section, frozen=True, kw_only=True):
    """The journal itself is kept for ever."""

    terminal_rounds: int = 50
    """How many of its past rounds a terminal can recall."""


class TableConfig(_Section, frozen=True, kw_only=True):
    id: TableId = TableId("")
    game: GameId = GameId("")
    """A game's id, or the path of its rulebook file, relative to this file."""
    wheel: str = "none"
    rtscts: bool = True
    codes: dict[str, str] = {}
    automatic: bool = False
    betting_seconds: int = 20
    look_seconds: int = 2
    pause_seconds: int = 4
    closes_while_spinning: bool = False
    limits: Limits = Limits()


class TerminalsConfig(_Section, frozen=True, kw_only=True):
    """Terminals of one kind at one table."""

    table: TableId = TableId("")
    kind: TerminalId = TerminalId("")
    seats: tuple[SeatId, ...] = ()
    bill_acceptor: bool = False


class HouseConfig(_Section, frozen=True, kw_only=True):
    """The whole file."""

    house: HouseSection = HouseSection()
    listen: ListenConfig = ListenConfig()
    tls: TlsConfig | None = None
    proxy: ProxyConfig | None = None
    requests: RequestsConfig = RequestsConfig()
    retention: RetentionConfig = RetentionConfig()
    tables: tuple[TableConfig, ...] = ()
    terminals: tuple[TerminalsConfig, ...] = ()


class WheelKind(StrEnum):
    NONE = "none"
    SIMULATED = "simulated"
    LINE = "line"
    """A serial port or ``tcp://host:port``."""


class Guests(StrEnum):
    NOBODY = "nobody"
    LOOPBACK = "loopback"
    ANYWHERE = "anywhere"


_TCP = re.compile(r"tcp://(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
MAX_SPEED = 10_000
REMEDY = "write none, simulated, simulated:50, /dev/ttyUSB0 or tcp://host:port"


class WheelSpec(Struct, frozen=True):
    kind: WheelKind
    line: str = ""
    """Where a wheel is connected."""
    speed: float = 1.0
    """How much faster than real a simulated one turns."""


def parse_wheel(word: str) -> WheelSpec:
    """
    >>> parse_wheel("simulated:50").speed, parse_wheel("tcp://wheel-7:4001").line
    (50.0, 'tcp://wheel-7:4001')
    """
    if word == "none":
        return WheelSpec(WheelKind.NONE)
    kind, colon, speed = word.partition(":")
    if kind == "simulated":
        if not colon:
            return WheelSpec(WheelKind.SIMULATED)
        if re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", speed) and 0 < float(speed) <= MAX_SPEED:
            return WheelSpec(WheelKind.SIMULATED, speed=float(speed))
        raise ValueError(f"'{speed}' is no speed from 0.001 to {MAX_SPEED}")
    if (tcp := _TCP.fullmatch(word)) and 0 < int(tcp[2]) < 65536:
        return WheelSpec(WheelKind.LINE, word)
    if word.startswith("/dev/") and len(word) > len("/dev/"):
        return WheelSpec(WheelKind.LINE, word)
    raise ValueError(f"'{word}' is no wheel")
