"""A capsule: one round in one file, with all that is needed to decide it over again, and nothing else.

It holds the rulebook, the state before the round, every entry from the opening of bets to the end, and each
later entry that touched the round with the state that *it* met. It is written in one way only, so that no
byte of it can differ. What it proves and what it cannot is in the decision log, page 0016.
"""

import hashlib
from typing import Literal

import msgspec
from msgspec import Struct

from roundhouse.journal.entry import Seq
from roundhouse.proof.discrepancy import fail
from roundhouse.table.names import RoundNumber, TableId
from roundhouse.table.state import Memory, RoundRecord

START = b'{"capsule":'


class Line(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entry as the journal has it."""

    seq: Seq
    body: str
    hash: str
    seal: str | None = None


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """Entries in a row, and what they met."""

    rulebook: str
    before: str
    """The chain's hash before the first entry: it ties the state to the journal."""
    state: Memory
    records: dict[RoundNumber, RoundRecord | None]
    """Past rounds that these entries looked at."""
    entries: list[Line]


class Capsule(Struct, frozen=True, forbid_unknown_fields=True):
    capsule: Literal[1]
    table: TableId
    round: RoundNumber
    rulebooks: dict[str, str]
    parts: list[Part]
    digest: str = ""
    """SHA-256 of the file with this left empty."""


def written(capsule: Capsule) -> bytes:
    """The one way in which a capsule is written."""
    digest = hashlib.sha256(_encode(msgspec.structs.replace(capsule, digest=""))).hexdigest()
    return _encode(msgspec.structs.replace(capsule, digest=digest))


def read(content: bytes) -> Capsule:
    try:
        capsule = msgspec.json.decode(content, type=Capsule)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fail("the capsule cannot be read", expected="a capsule", found=error)
    expected = written(capsule)
    if expected != content:
        found = hashlib.sha256(content).hexdigest()
        fail("the capsule is not as it was written", expected=f"digest {capsule.digest}", found=f"other bytes: {found}")
    return capsule


def _encode(capsule: Capsule) -> bytes:
    return msgspec.json.encode(capsule) + b"\n"
