"""The keys of ``house.toml``, one type for each of its tables.

The tables of keys in docs/reference/house-toml.md are generated from these types and the texts below their fields.
Required keys have empty defaults, so that ``checks`` reports a missing key together with all other faults.
"""

import re
from enum import StrEnum

from msgspec import Struct

from roundhouse.cage.names import DrawerId
from roundhouse.config.money import MoneyConfig
from roundhouse.people.names import Severity
from roundhouse.rules.names import Cents, GameId, TerminalId
from roundhouse.table.limits import Limits
from roundhouse.table.names import SeatId, TableId
from roundhouse.table.protection import LimitName


class _Section(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class HouseSection(_Section, frozen=True, kw_only=True):
    name: str = ""
    """Name of the house. The screens show it."""
    currency: str = ""
    """Code of ISO 4217, such as SGD, of a currency with hundredths (cents). ``XXX`` only with ``play_money``."""
    play_money: bool = False
    """Whether the house plays for nothing. Its currency is then ``XXX``."""
    data: str = ""
    """Folder of the journal (``house.db``), its key and its backups; relative to the folder of ``house.toml``."""
    key: str = ""
    """Private key that signs the journal (PEM, Ed25519). Default: ``house.db.signing`` in the data folder."""
    witness: tuple[str, ...] = ("local",)
    """Witnesses of the journal: ``local``, a folder, ``https://…``, ``exchange:FOLDER`` or ``none``; one or a list."""
    time_zone: str = "UTC"
    """Time zone of shifts and reports, such as ``Asia/Singapore``."""
    shifts: tuple[str, ...] = ("06:00", "14:00", "22:00")
    """Times at which shifts begin, in the time zone. The first also begins the gaming day of reports."""
    ticket_days: int = 30
    """Days for which a new ticket can be redeemed. ``roundhouse house export --what tickets`` lists unclaimed ones."""


class ListenConfig(_Section, frozen=True, kw_only=True):
    address: str = "127.0.0.1"
    """Address to listen on. One that other machines can reach needs ``[tls]`` or ``[proxy]``."""
    port: int = 8080
    """Port to listen on."""
    origins: tuple[str, ...] = ()
    """Origins of web pages that may connect. Default: only the server's own pages."""


class TlsConfig(_Section, frozen=True, kw_only=True):
    certificate: str = ""
    """PEM file of the certificate."""
    key: str = ""
    """PEM file of the certificate's private key."""


class ProxyConfig(_Section, frozen=True, kw_only=True):
    trusted: tuple[str, ...] = ()
    """Addresses or networks of proxies. ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are used only from them."""


class RequestsConfig(_Section, frozen=True, kw_only=True):
    request_bytes: int = 65_536
    """Largest body of an HTTP request."""
    message_bytes: int = 16_384
    """Largest message of a WebSocket."""
    connections: int = 20_000
    """Largest number of connections."""
    connections_per_address: int = 2_000
    """Largest number of connections from one address."""
    requests_per_second: int = 40
    """Limit of messages for each WebSocket, and of HTTP requests for each address."""
    frames_per_second: int = 200
    """Limit for each connection, before anything is parsed. A WebSocket frame of any kind counts as one, and so does
    each KiB; ten times as many may come at once."""
    frames_per_second_per_address: int = 5_000
    """The same limit for all connections of one address; eight times as many may come at once."""
    log_ins_per_minute: int = 10
    """Limit of log-ins for each address."""
    silent_seconds: int = 10
    """Seconds in which a new connection must send a request, and a WebSocket must authenticate."""
    interrupted_seconds: int = 5
    """Seconds in which a terminal with bets must reconnect. After them it counts as interrupted."""


class RetentionConfig(_Section, frozen=True, kw_only=True):
    """How much history clients can request. The journal itself is never shortened."""

    terminal_rounds: int = 50
    """Number of past rounds that a terminal can show."""


class AlertsConfig(_Section, frozen=True, kw_only=True):
    """Where alerts go besides the pit. The journal records these settings, so they must contain no secret."""

    webhook: str = ""
    """URL to which each alert is posted as JSON. Default: none."""
    command: tuple[str, ...] = ()
    """Program and arguments; each alert is on its standard input, as JSON. Default: none."""
    least: Severity = Severity.INFO
    """Least severity that is sent: ``info``, ``warning`` or ``critical``."""
    timeout_seconds: int = 10
    """Time for one attempt. An alert is attempted five times, within about three minutes."""


class DisputesConfig(_Section, frozen=True, kw_only=True):
    """Disputes of Players about rounds."""

    goodwill_max: Cents = Cents(100_000)
    """Largest payment of goodwill that ends one dispute, in cents. Two persons pay it."""


class FloatConfig(_Section, frozen=True, kw_only=True):
    """The float of a table: its chips and its cash."""

    variance_from: Cents = Cents(1)
    """A count that differs from what is due by this many cents or more raises an alert."""


class ProtectionConfig(_Section, frozen=True, kw_only=True):
    """Protection of Players. Amounts are in cents; 0 means that the house sets no limit.

    A limit here applies to every session from its beginning. A Player may set a stricter one only.
    """

    raise_after_hours: int = 24
    """Hours after which a limit that a Player raises or removes begins. A stricter limit counts at once."""
    loss_cents: int = 0
    """The most that a session may lose."""
    stake_cents: int = 0
    """The most that a seat may have on the layout in one round."""
    session_stake_cents: int = 0
    """The most that may be staked in a session."""
    minutes: int = 0
    """How long a session may last."""
    check_minutes: int = 0
    """Minutes between two reality checks. Bets are refused until the Player acknowledges one that is due."""
    required: tuple[LimitName, ...] = ()
    """Limits that a Player must set before the first bet, such as ``loss_cents`` or ``minutes``."""
    max_break_minutes: int = 10_080
    """Longest break that a Player may take."""
    new_session_after_minutes: int = 15
    """Minutes for which a seat must be without credits and chips before a purchase begins a new session."""


class BackupConfig(_Section, frozen=True, kw_only=True):
    """Backups that the running house makes."""

    every: str = "24h"
    """Time between two backups, such as ``30m``, ``6h`` or ``1d``."""
    keep: int = 14
    """Number of backups to keep. Older ones are removed after a new one was verified."""
    folder: str = ""
    """Folder of the backups, relative to the folder of ``house.toml``; best on another disk."""


class CageConfig(_Section, frozen=True, kw_only=True):
    """The cage, where a Cashier sells credits and pays tickets. Without this section the house has none."""

    drawers: tuple[DrawerId, ...] = (DrawerId("cage-1"),)
    """Names of the drawers. Each is opened by one Cashier at a time."""
    second_person_from: Cents = Cents(500_000)
    """Amount in cents from which a sale, a payment or an opening needs the pit's approval. 0: no amount does."""
    maximum: Cents = Cents(10_000_000)
    """Largest sale or payment in cents. Above it the cage refuses. 0: there is no maximum."""
    report_from: Cents = Cents(1_000_000)
    """Amount in cents from which cash transactions are reported, single or summed in a gaming day. 0: none are."""
    variance_from: Cents = Cents(1_000)
    """Variance in cents from which the Shift Manager is alerted and approves the closing of a drawer. 0: none."""
    barred_list: bool = True
    """Whether the cage keeps a list of barred Players."""


class TableConfig(_Section, frozen=True, kw_only=True):
    id: TableId = TableId("")
    """Id of the table. It cannot change later, because the journal refers to it."""
    game: GameId = GameId("")
    """Id of a game, or the path of its rulebook file relative to the folder of ``house.toml``."""
    wheel: str = "none"
    """``none``, ``simulated``, ``simulated:50`` (fifty times faster), ``/dev/ttyUSB0`` or ``tcp://host:port``."""
    rtscts: bool = True
    """Whether the serial port uses hardware flow control (RTS/CTS)."""
    codes: dict[str, str] = {}
    """Codes that the wheel sends for pockets, where they differ from the pocket's name: ``000 = "37"``."""
    automatic: bool = False
    """Whether the automatic dealer runs the table. It needs a wheel."""
    betting_seconds: int = 20
    """Time for bets, in a round of the automatic dealer."""
    look_seconds: int = 2
    """Time between a registered result and its confirmation, in a round of the automatic dealer."""
    pause_seconds: int = 4
    """Pause between two rounds of the automatic dealer."""
    closes_while_spinning: bool = False
    """Whether bets close while the ball is spinning, if the rulebook leaves this to the operator."""
    chips: tuple[Cents, ...] = ()
    """Values of the chips, the smallest first. Default: customary values that fit the limits."""
    opens_phrase: str = ""
    """Phrase of the rulebook that announces the opening of bets. Default: the first."""
    closes_phrase: str = ""
    """Phrase of the rulebook that announces the closing of bets. Default: the first."""
    limits: Limits | None = None
    """Limits of stakes in cents; see [Limits](#limits). No table opens without them."""


class TerminalsConfig(_Section, frozen=True, kw_only=True):
    """Terminals of one type at one table."""

    table: TableId = TableId("")
    """Id of the table."""
    kind: TerminalId = TerminalId("")
    """Terminal type of the game, such as ``rapid-a``."""
    seats: tuple[SeatId, ...] = ()
    """Seats of the terminals at the table."""
    bill_acceptor: bool = False
    """Whether the terminals sell credits themselves. If not, the cashier does."""
    offers: tuple[str, ...] | None = None
    """Packages that these terminals offer: ids of series, ``neighbours``, ``finales``. Default: all of their type."""


class HouseConfig(_Section, frozen=True, kw_only=True):
    """The whole file."""

    house: HouseSection = HouseSection()
    listen: ListenConfig = ListenConfig()
    tls: TlsConfig | None = None
    proxy: ProxyConfig | None = None
    requests: RequestsConfig = RequestsConfig()
    retention: RetentionConfig = RetentionConfig()
    alerts: AlertsConfig = AlertsConfig()
    backup: BackupConfig | None = None
    cage: CageConfig | None = None
    money: MoneyConfig = MoneyConfig()
    disputes: DisputesConfig = DisputesConfig()
    float: FloatConfig = FloatConfig()
    protection: ProtectionConfig = ProtectionConfig()
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


_DURATION = re.compile(r"([1-9][0-9]{0,3})([mhd])")
_UNIT_SECONDS = {"m": 60, "h": 3600, "d": 86_400}


def parse_duration(text: str) -> int | None:
    """Return the seconds of a duration; ``None`` if it is not one.

    >>> parse_duration("30m"), parse_duration("6h"), parse_duration("soon")
    (1800, 21600, None)
    """
    found = _DURATION.fullmatch(text)
    return int(found[1]) * _UNIT_SECONDS[found[2]] if found is not None else None


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
