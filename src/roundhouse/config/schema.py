"""The keys of ``house.toml``, one type for each of its tables. See docs/reference/house-toml.md.

Required keys have empty defaults, so that ``checks`` reports a missing key together with all other faults.
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
    """Three capital letters. Amounts are in its hundredths (cents)."""
    data: str = ""
    """Folder of the journal, its key and its backups; relative to the folder of ``house.toml``."""
    time_zone: str = "UTC"
    shifts: tuple[str, ...] = ("06:00", "14:00", "22:00")
    """Times at which shifts begin, in the time zone. The first also begins the gaming day of reports."""


class ListenConfig(_Section, frozen=True, kw_only=True):
    address: str = "127.0.0.1"
    port: int = 8080
    origins: tuple[str, ...] = ()
    """Origins of web pages that may connect. Default: only the server's own pages."""


class TlsConfig(_Section, frozen=True, kw_only=True):
    certificate: str = ""
    key: str = ""


class ProxyConfig(_Section, frozen=True, kw_only=True):
    trusted: tuple[str, ...] = ()
    """Addresses or networks of proxies whose forwarding headers are trusted."""


class RequestsConfig(_Section, frozen=True, kw_only=True):
    request_bytes: int = 65_536
    message_bytes: int = 16_384
    connections: int = 20_000
    connections_per_address: int = 2_000
    requests_per_second: int = 40
    """Limit of messages for each WebSocket, and of HTTP requests for each address."""
    log_ins_per_minute: int = 10
    """Limit for each address."""
    silent_seconds: int = 10
    """Seconds in which a new connection must send a request, and a WebSocket must authenticate."""


class RetentionConfig(_Section, frozen=True, kw_only=True):
    """How much history clients can request. The journal itself is never shortened."""

    terminal_rounds: int = 50
    """Number of past rounds that a terminal can show."""


class TableConfig(_Section, frozen=True, kw_only=True):
    id: TableId = TableId("")
    game: GameId = GameId("")
    """Id of a game, or the path of its rulebook file relative to the folder of ``house.toml``."""
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
    """Terminals of one type at one table."""

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
    """Addresses from which guests may take a seat without a code."""

    NOBODY = "nobody"
    LOOPBACK = "loopback"
    ANYWHERE = "anywhere"


_TCP = re.compile(r"tcp://(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
MAX_SPEED = 10_000
REMEDY = "write none, simulated, simulated:50, /dev/ttyUSB0 or tcp://host:port"


class WheelSpec(Struct, frozen=True):
    """The wheel of a table, parsed from the ``wheel`` key."""

    kind: WheelKind
    line: str = ""
    """Serial port or TCP address of the wheel."""
    speed: float = 1.0
    """Speed of a simulated wheel relative to real time."""


def parse_wheel(text: str) -> WheelSpec:
    """Parse the ``wheel`` key of a table.

    >>> parse_wheel("simulated:50").speed, parse_wheel("tcp://wheel-7:4001").line
    (50.0, 'tcp://wheel-7:4001')
    """
    if text == "none":
        return WheelSpec(WheelKind.NONE)
    kind, colon, speed = text.partition(":")
    if kind == "simulated":
        if not colon:
            return WheelSpec(WheelKind.SIMULATED)
        if re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", speed) and 0 < float(speed) <= MAX_SPEED:
            return WheelSpec(WheelKind.SIMULATED, speed=float(speed))
        raise ValueError(f"the speed '{speed}' is not a number from 0.001 to {MAX_SPEED}")
    if (tcp := _TCP.fullmatch(text)) and 0 < int(tcp[2]) < 65536:
        return WheelSpec(WheelKind.LINE, text)
    if text.startswith("/dev/") and len(text) > len("/dev/"):
        return WheelSpec(WheelKind.LINE, text)
    raise ValueError(f"'{text}' is not a wheel")
