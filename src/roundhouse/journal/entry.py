"""An entry of the journal: one request, the facts it was decided on, and what came of it.

Requests are recorded with their events or their refusal, so that anyone can decide them again. An entry is
stored as JSON, under a name of its own that never changes its meaning; the bytes are hashed, not the meaning.
"""

import hashlib
from typing import Final, NewType

import msgspec
from msgspec import Struct

from roundhouse.rules.names import Clause
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import Decision, Facts
from roundhouse.table.events import AnyEvent
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.view import TableView

Seq = NewType("Seq", int)
"""An entry's number, from 1; also the version of the table after it."""

ChainHash = NewType("ChainHash", bytes)

BEGINNING: Final = Seq(0)
GENESIS: Final = ChainHash(bytes(32))


class Entry(Struct, frozen=True, tag_field="entry", tag="request.v1", omit_defaults=True, gc=False):
    seq: Seq
    facts: Facts
    request: AnyCommand | None = None
    """Nothing when the table acted by itself: recovery."""
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
    """Each entry's hash covers its bytes and the hash before it: none can be changed, moved or left out."""
    return _sha256(previous + body).digest()  # type: ignore[return-value]  # a call per bet would be felt


class Answer(Struct, frozen=True, omit_defaults=True, gc=False):
    """What the sender of a request is told, once it is durable; the same again when it is resent."""

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
