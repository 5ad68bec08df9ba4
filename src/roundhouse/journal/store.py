"""The store behind the journal: a small protocol, so that a second one can take the first one's place.

A store keeps the chains of many tables, and what crosses tables: tickets. Everything that a batch of requests
causes is one transaction. A store that cannot write says so with ``JournalUnavailable`` and keeps nothing of
the batch.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, Protocol

from msgspec import Struct, field

from roundhouse.journal.entry import BEGINNING, ChainHash, Seq
from roundhouse.journal.index import IndexRow
from roundhouse.rules.names import Cents
from roundhouse.table.decision import Ticket
from roundhouse.table.names import Millis, RequestId, RoundNumber, TableId, TicketNumber


class JournalUnavailable(Exception):
    """The journal cannot be written or read: disk full, I/O error, locked by another process."""


class TicketIsTaken(Exception):
    """Another table was quicker to redeem a ticket: nothing of the batch has happened, and it can be decided anew."""


class JournalDamaged(Exception):
    """The journal's file is not what was written."""


class Row(Struct, frozen=True, gc=False):
    seq: Seq
    body: bytes
    hash: ChainHash
    request: RequestId | None


class Snapshot(Struct, frozen=True):
    """A table's memory as of an entry, so that re-opening need not begin at the beginning."""

    seq: Seq
    hash: ChainHash
    memory: bytes


class Issued(Struct, frozen=True):
    number: TicketNumber
    cents: Cents
    expires: Millis


class Credential(Struct, frozen=True):
    """What proves a secret without being it: of a password, of a terminal's key. Never part of an entry."""

    kind: str
    name: str
    verifier: bytes | None
    """Nothing where it is to be forgotten."""


class Batch(Struct):
    """What one transaction adds to a table's chain, and what follows from it."""

    table: TableId
    follows: ChainHash
    """The hash of the entry that it was decided on: where another is the last one by now, nothing is added."""
    rows: list[Row]
    seal: bytes
    """Proves, to whoever has the key, that the last row was written by this house."""
    rounds: dict[RoundNumber, bytes]
    issued: list[Issued]
    redeemed: list[TicketNumber]
    snapshot: Snapshot | None = None
    credentials: tuple[Credential, ...] = ()
    index: Sequence[IndexRow] = ()
    """Where the rows can be found by round, seat and opening."""


class BatchState(StrEnum):
    """Where a batch is on its way into the journal."""

    DECIDED = "decided"
    """Its events are applied to the writer's working state. Nothing is written."""
    SUBMITTED = "submitted"
    """The store is writing it."""
    COMMITTED = "committed"
    """It is durable. Its entries are published, then its answers are given."""
    FAILED = "failed"
    """Nothing of it is written. Whatever it was to record is answered with ``journal_unavailable``."""
    IN_DOUBT = "in_doubt"
    """The store could not tell whether it is written. The next load of the journal tells."""


COMMIT_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the buckets of ``CommitTimes``, in seconds."""


class CommitTimes(Struct):
    """Histogram of how long commits took. The last bucket counts those above every bound."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(COMMIT_BOUNDS) + 1))
    seconds: float = 0.0
    """Sum of all durations."""


class Head(Struct, frozen=True):
    seq: Seq
    hash: ChainHash


class Store(Protocol):
    def head(self, table: TableId) -> Head: ...

    def commit(self, *batches: Batch) -> None:
        """All of it, durably, or nothing and ``JournalUnavailable`` or ``TicketIsTaken``; from any thread."""

    def rows(self, table: TableId, after: Seq = BEGINNING) -> Iterator[Row]: ...

    def row(self, table: TableId, seq: Seq) -> Row | None: ...

    def seqs_of(self, table: TableId, requests: Sequence[RequestId]) -> dict[RequestId, Seq]:
        """Which of these requests are recorded already, and where."""

    def seals(self, table: TableId) -> Iterator[tuple[Seq, bytes]]: ...

    def last_seal(self, table: TableId) -> tuple[Seq, bytes] | None: ...

    def round(self, table: TableId, number: RoundNumber) -> bytes | None: ...

    def ticket(self, number: TicketNumber) -> Ticket | None: ...

    def snapshot(self, table: TableId) -> Snapshot | None: ...

    def rulebook(self, hash: str) -> bytes | None: ...

    def keep_rulebook(self, hash: str, content: bytes) -> None: ...

    def tables(self) -> list[tuple[TableId, str]]:
        """Every table of the store, with the hash of the rulebook it was first opened with."""

    def add_table(self, table: TableId, rulebook: str) -> None: ...

    def credentials(self) -> list[Credential]: ...

    def close(self) -> None: ...
