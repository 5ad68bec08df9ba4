"""The server's settings: everything that makes it safe by default, in one place.

Settings are given once, when the house opens. Nothing here is read from a request.
"""

from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from roundhouse.config.loading import Configuration

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")


class Rates(Struct, frozen=True):
    """How often an address may ask: so many a second in the long run, so many at once."""

    per_second: float
    at_once: int


class Settings(Struct, frozen=True, kw_only=True):
    hosts: tuple[str, ...] = LOOPBACK
    """Names under which this house is reached. Without them a page of another name could be made to point here."""
    origins: tuple[str, ...] = ()
    """Other pages that may ask for what changes something: the web application's own server, where it has one."""
    tls: bool = False
    """Whether browsers reach it by https, here or at the proxy before it."""
    body_bytes: int = 65_536
    body_seconds: float = 10.0
    """How long somebody may take to send a body."""
    asking: Rates = Rates(per_second=40.0, at_once=400)
    knocking: Rates = Rates(per_second=10 / 60, at_once=10)
    """Log-ins, enrolments, guests: where somebody could guess."""
    addresses: int = 20_000
    """How many addresses are remembered for that."""
    message_bytes: int = 16_384
    """The longest message that a socket may send."""
    silent_seconds: float = 10.0
    """How long a connection may say nothing before it has shown who it is."""
    connections: int = 20_000
    connections_per_address: int = 2_000
    watching: int = 200
    """How many may watch without saying who they are, in all."""
    of_one: int = 4
    """How many sockets a terminal or a session has; when it opens another, its oldest is closed."""
    messages: Rates = Rates(per_second=40.0, at_once=400)
    """How often a socket may ask. Who asks more often is heard more slowly."""
    unanswered: int = 64
    """How many requests of one socket may wait for their answers before the next is read."""
    unread_bytes: int = 256 * 1024
    """How much may wait for a client that does not read; for staff, who are sent more, sixteen times that."""
    slow_answers: int = 2
    """How many answers may be looked up in the journal at one time."""
    passwords_at_once: int = 2
    metrics_from_anywhere: bool = False
    terminal_rounds: int = 50
    """How many rounds back a terminal can recall."""
    pages: Path | None = None
    """The folder of the web application, where there is one."""


def settings_of(configuration: Configuration, pages: Path | None = None) -> Settings:
    """What the configuration says of it; the rest as it is by default."""
    plan = configuration.plan
    requests = plan.requests
    named = [urlsplit(origin) for origin in plan.listen.origins]
    own = (plan.listen.address,) if plan.listen.address not in _EVERYWHERE else ()
    names = [*(origin.hostname or "" for origin in named), *own]
    hosts = tuple(dict.fromkeys([*map(_bracketed, names), *LOOPBACK]))
    return Settings(
        # Who listens everywhere and names no origin is reached by names that nobody has told us.
        hosts=hosts if named or own else (),
        origins=tuple(origin.rstrip("/").lower() for origin in plan.listen.origins),
        # A proxy is there to end the encryption, unless the origins say that browsers come without.
        tls=plan.tls is not None
        or any(origin.scheme == "https" for origin in named)
        or (plan.proxy is not None and not named),
        body_bytes=requests.request_bytes,
        asking=Rates(float(requests.requests_per_second), 10 * requests.requests_per_second),
        knocking=Rates(requests.log_ins_per_minute / 60, requests.log_ins_per_minute),
        message_bytes=requests.message_bytes,
        silent_seconds=float(requests.silent_seconds),
        connections=requests.connections,
        connections_per_address=requests.connections_per_address,
        messages=Rates(float(requests.requests_per_second), 10 * requests.requests_per_second),
        terminal_rounds=plan.retention.terminal_rounds,
        pages=pages,
    )


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
