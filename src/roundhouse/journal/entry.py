"""An entry of the journal: one request, the facts it was decided on, and its events or refusal.

An auditor can decide every request again and compare. Entries are stored as JSON with versioned type names that never
change their meaning. The hash covers the stored bytes.
"""

import hashlib
import hmac
from typing import Final, NewType

import msgspec
from msgspec import Struct

from roundhouse.rules.names import Clause
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import Decision, Facts
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import TableId
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.view import TableView

Seq = NewType("Seq", int)
"""Number of an entry in its chain, counted from 1. It is also the version of the table after that entry."""

ChainHash = NewType("ChainHash", bytes)

BEGINNING: Final = Seq(0)
GENESIS: Final = ChainHash(bytes(32))


class Entry(Struct, frozen=True, tag_field="entry", tag="request.v1", omit_defaults=True, gc=False):
    seq: Seq
    facts: Facts
    request: AnyCommand | None = None
    """Request that caused the entry; ``None`` for a recovery or a stop, which have no request."""
    events: list[AnyEvent] = []
    refusal: Refusal | None = None
    clause: Clause | None = None
    reason: str | None = None

    @property
    def decision(self) -> Decision:
        refused = Refused(self.refusal, self.clause, self.reason) if self.refusal is not None else None
        return Decision(self.events, refused)


_sha256 = hashlib.sha256
encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Entry).decode


def link(previous: ChainHash, body: bytes) -> ChainHash:
    """Compute the hash of an entry. It covers the previous hash, so a changed, moved or removed entry is detected."""
    return _sha256(previous + body).digest()  # type: ignore[return-value]  # no call per bet


def seal(key: bytes, table: TableId, hash: ChainHash) -> bytes:
    return hmac.digest(key, table.encode() + b"\0" + hash, "sha256")


class Answer(Struct, frozen=True, omit_defaults=True, gc=False):
    """The answer to a request, sent after its entry is durable. A resent request gets the same answer."""

    id: str | None
    ok: bool
    version: int | None = None
    events: list[AnyEvent] | None = None
    refusal: Refusal | None = None
    clause: Clause | None = None
    reason: str | None = None
    state: TableView | None = None


def answer_of(entry: Entry) -> Answer:
    request, refusal = entry.request, entry.refusal
    assert request is not None
    if refusal is None:
        return Answer(request.id, True, entry.seq, entry.events)
    return Answer(request.id, False, entry.seq, entry.events or None, refusal, entry.clause, entry.reason)
