"""The server's settings: everything that makes it safe by default, in one place.

Settings are given once, when the house opens. Nothing here is read from a request.
"""

from pathlib import Path

from msgspec import Struct


class Rates(Struct, frozen=True):
    """How often an address may ask: so many a second in the long run, so many at once."""

    per_second: float
    at_once: int


class Settings(Struct, frozen=True, kw_only=True):
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "::1", "[::1]")
    """Names under which this house is reached. Without them a page of another name could be made to point here."""
    tls: bool = False
    """Whether browsers reach it by https, here or at the proxy before it."""
    body_bytes: int = 65_536
    body_seconds: float = 10.0
    """How long somebody may take to send a body."""
    asking: Rates = Rates(per_second=40.0, at_once=400)
    knocking: Rates = Rates(per_second=0.2, at_once=10)
    """Log-ins, enrolments, guests: where somebody could guess."""
    addresses: int = 20_000
    """How many addresses are remembered for that."""
    slow_answers: int = 2
    """How many answers may be looked up in the journal at one time."""
    metrics_from_anywhere: bool = False
    guests: bool = False
    """Whether guests may sit down: a house started by ``roundhouse play``, and no other."""
    guests_from_anywhere: bool = False
    pages: Path | None = None
    """The folder of the web application, where there is one."""
