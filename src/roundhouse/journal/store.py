"""The protocol of a journal store, with its data types and exceptions.

A store contains the chains of many tables, and the tickets that all tables share. A batch is one transaction. If the
store cannot write it, it raises ``JournalUnavailable`` and stores nothing of the batch.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, Protocol

from msgspec import Struct, field

from roundhouse.journal.entry import BEGINNING, ChainHash, Seq
from roundhouse.journal.index import IndexRow
from roundhouse.rules.names import Cents
from roundhouse.table.names import Millis, RequestId, RoundNumber, TableId, TicketId


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
    derived: bytes = b""
    """Digests of the rows that are derived from the entries up to this one; see ``journal.derived``."""
    seal: bytes = b""
    """Keyed hash of the snapshot's place and bytes. A snapshot whose seal does not fit is not used."""


class StoredRound(Struct, frozen=True):
    """The record of a past round, with a keyed hash."""

    record: bytes
    version: int
    """How often the record has been written, so that an earlier version cannot be put back. 0 if it has no seal."""
    seal: bytes


class Issued(Struct, frozen=True):
    id: TicketId
    cents: Cents
    expires: Millis
    seq: Seq
    """Number of the entry that issued the ticket."""


class Redeemed(Struct, frozen=True):
    id: TicketId
    seq: Seq
    """Number of the entry that redeemed the ticket."""


class StoredTicket(Struct, frozen=True):
    """Where the chains issued a ticket, and whether they redeemed it. Its amount and expiry are in that entry."""

    id: TicketId
    table: TableId
    seq: Seq
    redeemed: bool


class TicketRow(Struct, frozen=True):
    """A ticket that was issued or redeemed, as the register of tickets has it."""

    table: TableId | None
    seq: Seq
    id: TicketId
    issued: tuple[Cents, Millis] | None
    """Amount and expiry of an issued ticket; ``None`` for a redemption."""


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
    rounds: dict[RoundNumber, StoredRound]
    issued: list[Issued]
    redeemed: list[Redeemed]
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

    def next_seal(self, table: TableId, seq: Seq) -> tuple[Seq, bytes] | None:
        """Return the first seal at or after an entry."""

    def round(self, table: TableId, number: RoundNumber) -> StoredRound | None: ...

    def keep_rounds(self, table: TableId, rounds: Mapping[RoundNumber, StoredRound]) -> None:
        """Write records that were derived from the entries again."""

    def ticket(self, id: TicketId) -> StoredTicket | None:
        """Find a ticket in the register.

        The store remembers which tickets are outstanding, because another program can change the register while the
        house runs. Raises ``JournalDamaged`` if an outstanding ticket is missing.
        """

    @property
    def tickets_fault(self) -> str:
        """Why no ticket can be redeemed, because the register cannot be checked; empty if it can."""

    def distrust_tickets(self, reason: str) -> None:
        """Set ``tickets_fault``. From now on ``ticket`` raises ``JournalUnavailable``."""

    def ticket_rows(self) -> Iterator[TicketRow]:
        """Yield the whole register. The rows of each table are in the order of its entries."""

    def snapshots(self, table: TableId) -> list[Snapshot]:
        """Return the stored snapshots of a table, the latest first."""

    def rulebook(self, hash: str) -> bytes | None: ...

    def keep_rulebook(self, hash: str, content: bytes) -> None: ...

    def tables(self) -> list[tuple[TableId, str]]:
        """List all tables with the hash of the rulebook that each was first opened with."""

    def add_table(self, table: TableId, rulebook: str) -> None: ...

    def credentials(self) -> list[Credential]: ...

    def close(self) -> None: ...
