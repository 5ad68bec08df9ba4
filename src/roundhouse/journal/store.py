"""The protocol of a journal store, with its data types and exceptions.

A store contains the chains of many tables, and the tickets that all tables share. A batch is one transaction. If the
store cannot write it, it raises ``JournalUnavailable`` and stores nothing of the batch.
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


class CommitInDoubt(JournalUnavailable):
    """A commit failed, and its frames could not be removed from the write-ahead log. Recovery may still apply it."""


class TicketIsTaken(Exception):
    """Another table has already redeemed a ticket of the batch. Nothing was written; the batch can be decided again."""


class JournalDamaged(Exception):
    """The content of the journal differs from what was written."""


class Row(Struct, frozen=True, gc=False):
    seq: Seq
    body: bytes
    hash: ChainHash
    request: RequestId | None


class Snapshot(Struct, frozen=True):
    """The state of a table after an entry. Loading starts from it instead of replaying all entries."""

    seq: Seq
    hash: ChainHash
    memory: bytes


class Issued(Struct, frozen=True):
    number: TicketNumber
    cents: Cents
    expires: Millis


class Credential(Struct, frozen=True):
    """A verifier for a password or a terminal's key. It is never part of an entry."""

    kind: str
    name: str
    verifier: bytes | None
    """Hash that verifies the secret; ``None`` deletes the credential."""


class Batch(Struct):
    """The entries that one transaction adds to a chain, with all rows derived from them."""

    table: TableId
    follows: ChainHash
    """Hash of the last entry before the batch. The commit fails if the chain ends with another entry."""
    rows: list[Row]
    seal: bytes
    """Keyed hash of the chain up to the last row of the batch. It proves that the house wrote the chain."""
    rounds: dict[RoundNumber, bytes]
    issued: list[Issued]
    redeemed: list[TicketNumber]
    snapshot: Snapshot | None = None
    credentials: tuple[Credential, ...] = ()
    index: Sequence[IndexRow] = ()
    """Index rows of the entries, by round, seat and opening."""


class BatchState(StrEnum):
    """The state of a batch of a table or of the house."""

    DECIDED = "decided"
    """Decided, but not passed to the store. Its events are only in the writer's memory."""
    SUBMITTED = "submitted"
    """The store is writing the batch."""
    COMMITTED = "committed"
    """The batch is durable. Its entries are published, then its answers are delivered."""
    FAILED = "failed"
    """Nothing of the batch is written. Its commands are refused."""
    IN_DOUBT = "in_doubt"
    """The batch may or may not be written. The writer reads the journal to find out."""


COMMIT_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the buckets of ``CommitTimes``, in seconds."""


class CommitTimes(Struct):
    """Histogram of the durations of commits. The last bucket counts those above every bound."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(COMMIT_BOUNDS) + 1))
    seconds: float = 0.0
    """Sum of all durations."""


class Head(Struct, frozen=True):
    """The last entry of a chain."""

    seq: Seq
    hash: ChainHash


class Store(Protocol):
    def head(self, table: TableId) -> Head: ...

    def commit(self, *batches: Batch) -> None:
        """Write all batches in one transaction and sync it to disk. Any thread may call it.

        On ``JournalUnavailable`` or ``TicketIsTaken`` nothing is written.
        """

    def rows(self, table: TableId, after: Seq = BEGINNING) -> Iterator[Row]: ...

    def row(self, table: TableId, seq: Seq) -> Row | None: ...

    def seqs_of(self, table: TableId, requests: Sequence[RequestId]) -> dict[RequestId, Seq]:
        """Return the entry numbers of those requests that are recorded already."""

    def seals(self, table: TableId) -> Iterator[tuple[Seq, bytes]]: ...

    def last_seal(self, table: TableId) -> tuple[Seq, bytes] | None: ...

    def round(self, table: TableId, number: RoundNumber) -> bytes | None: ...

    def ticket(self, number: TicketNumber) -> Ticket | None: ...

    def snapshot(self, table: TableId) -> Snapshot | None: ...

    def rulebook(self, hash: str) -> bytes | None: ...

    def keep_rulebook(self, hash: str, content: bytes) -> None: ...

    def tables(self) -> list[tuple[TableId, str]]:
        """List all tables with the hash of the rulebook that each was first opened with."""

    def add_table(self, table: TableId, rulebook: str) -> None: ...

    def credentials(self) -> list[Credential]: ...

    def close(self) -> None: ...
