"""Settings of the server: hosts, rate limits, sizes and timeouts.

The configuration sets some of them at start. The others keep their defaults, which are safe.
"""

from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from roundhouse.config.loading import Configuration

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")


class Rates(Struct, frozen=True):
    """A rate limit (token bucket)."""

    per_second: float
    """Sustained rate."""
    at_once: int
    """Largest burst."""


class Settings(Struct, frozen=True, kw_only=True):
    hosts: tuple[str, ...] = LOOPBACK
    """Accepted ``Host`` values. Protects against DNS rebinding; empty accepts any host."""
    origins: tuple[str, ...] = ()
    """Origins of pages on other hosts that may send requests that change data."""
    tls: bool = False
    """Whether browsers use HTTPS, either to this server or to the proxy in front of it."""
    body_bytes: int = 65_536
    """Maximum size of an HTTP request body."""
    body_seconds: float = 10.0
    """Timeout for receiving an HTTP request body."""
    requests: Rates = Rates(per_second=40.0, at_once=400)
    """HTTP request rate per address."""
    log_ins: Rates = Rates(per_second=10 / 60, at_once=10)
    """Rate of log-ins, enrolments and guest log-ins per address, where a client could guess a secret."""
    addresses: int = 20_000
    """Number of addresses that the rate limits remember."""
    message_bytes: int = 16_384
    """Maximum size of a message from a socket's client."""
    silent_seconds: float = 10.0
    """Timeout for a client's first request or, on a socket without a token, its first message."""
    interrupted_seconds: float = 5.0
    """Time in which a terminal with bets must reconnect. After it the terminal counts as interrupted."""
    connections: int = 20_000
    """Maximum number of open connections."""
    connections_per_address: int = 2_000
    observers: int = 200
    """Maximum number of anonymous sockets."""
    observers_per_address: int = 50
    """Maximum number of anonymous sockets of one address."""
    sockets_per_caller: int = 4
    """Maximum number of sockets per terminal or session. Opening one more closes the oldest."""
    messages: Rates = Rates(per_second=40.0, at_once=400)
    """Message rate per socket. Messages above it are delayed, not dropped."""
    frames: Rates = Rates(per_second=200.0, at_once=2_000)
    """Units per connection, of any kind. A frame is one unit, and so is each KiB. See ``metering``."""
    frames_per_address: Rates = Rates(per_second=5_000.0, at_once=40_000)
    """Units per address, over all its connections. Not used behind a proxy, whose address all clients share."""
    debt_seconds: float = 10.0
    """A connection that sends more than ``frames`` for this time is closed. Until then it is read more slowly."""
    entries: Rates = Rates(per_second=10.0, at_once=1_200)
    """Requests of one terminal that may be recorded. Beyond it bets are refused; they can still be taken back."""
    unanswered: int = 64
    """Maximum number of unanswered requests per socket. Further messages are not read until one is answered."""
    unread_bytes: int = 256 * 1024
    """Maximum send buffer of a socket. Staff, who receive more data, have sixteen times as much."""
    slow_requests: int = 2
    """Maximum number of concurrent lookups in threads; also of concurrent jobs in processes."""
    concurrent_passwords: int = 1
    """Maximum number of passwords that are hashed concurrently for addresses from which staff have logged in. All other
    addresses together have the same number."""
    waiting_passwords: int = 20
    """Maximum number of log-ins from other addresses that wait or are checked. More are refused."""
    metrics_from_anywhere: bool = False
    """Whether ``/metrics`` is public. Otherwise it is for this machine, the pit and the auditor."""
    terminal_rounds: int = 50
    """Number of latest rounds that a terminal can recall."""
    pages: Path | None = None
    """Folder of the built web application, or None."""


def settings_of(configuration: Configuration, pages: Path | None = None) -> Settings:
    """Build the settings from the configuration, with defaults for the rest."""
    plan = configuration.plan
    requests = plan.requests
    origins = [urlsplit(origin) for origin in plan.listen.origins]
    own_address = (plan.listen.address,) if plan.listen.address not in _EVERYWHERE else ()
    names = [*(origin.hostname or "" for origin in origins), *own_address]
    hosts = tuple(dict.fromkeys([*map(_bracketed, names), *LOOPBACK]))
    return Settings(
        # A server that listens on all addresses and has no origins does not know its host names, so it accepts any.
        hosts=hosts if origins or own_address else (),
        origins=tuple(origin.rstrip("/").lower() for origin in plan.listen.origins),
        # A proxy is assumed to terminate TLS, unless the origins begin with http://.
        tls=plan.tls is not None
        or any(origin.scheme == "https" for origin in origins)
        or (plan.proxy is not None and not origins),
        body_bytes=requests.request_bytes,
        requests=Rates(float(requests.requests_per_second), 10 * requests.requests_per_second),
        log_ins=Rates(requests.log_ins_per_minute / 60, requests.log_ins_per_minute),
        message_bytes=requests.message_bytes,
        silent_seconds=float(requests.silent_seconds),
        interrupted_seconds=float(requests.interrupted_seconds),
        connections=requests.connections,
        connections_per_address=requests.connections_per_address,
        messages=Rates(float(requests.requests_per_second), 10 * requests.requests_per_second),
        frames=Rates(float(requests.frames_per_second), 10 * requests.frames_per_second),
        frames_per_address=Rates(
            float(requests.frames_per_second_per_address), 8 * requests.frames_per_second_per_address
        ),
        terminal_rounds=plan.retention.terminal_rounds,
        pages=pages,
    )


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
