"""The heads file: the last committed entry of every chain, in a file beside the journal.

SQLite drops a damaged last commit from its write-ahead log without a word, because a power cut looks the same. The
heads file remembers that the commit was acknowledged, so the loss is noticed when the journal is opened. It is written
after each commit. It is synced at most once a second: a head that is too old is harmless. Each head has the seal of its
batch, so the file cannot be forged without the key; but it can be removed, or put back together with an old journal.
"""

import hashlib
import hmac
import logging
import os
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Final

from roundhouse.journal.entry import ChainHash, Seq, seal
from roundhouse.journal.store import Head, JournalDamaged, Store
from roundhouse.table.names import TableId

SUFFIX: Final = ".heads"
_NAME: Final = 64
CHECKSUM_BYTES: Final = 16
SLOT_CONTENT: Final = struct.Struct(f">{_NAME}sQ32s32s")
_SLOT: Final = struct.Struct(f">{_NAME}sQ32s32s{CHECKSUM_BYTES}s")
"""Table, number of the entry, its hash, the seal of its batch, and a checksum against torn writes."""
_SLOTS_PER_CHAIN: Final = 2
SYNC_SECONDS: Final = 1.0
_log = logging.getLogger(__name__)


def heads_path(journal: Path) -> Path:
    return Path(os.path.realpath(journal) + SUFFIX)


class HeadsFile:
    """The heads file of an open journal. Two slots for each chain are written in turn, so one is always whole.

    The store writes the slots itself, because that happens for every bet.
    """

    def __init__(self, journal: Path) -> None:
        self._path = heads_path(journal)
        self.file: int | None = None
        """Descriptor of the file, once a chain has a place in it."""
        self.places: dict[TableId, Iterator[int]] = {}
        """For each chain the offset of its next slot."""
        self.synced = time.perf_counter()
        self._failed = False
        self._seen = read_heads(journal)

    def place_of(self, table: TableId) -> Iterator[int]:
        """Give a chain a place. The first call opens the file and writes the heads from before again."""
        if self.file is None:
            self.file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            os.ftruncate(self.file, 0)
            for known, (head, sealed) in self._seen.items():
                os.pwrite(self.file, slot_of(known, head.seq, head.hash, sealed), next(self._add(known)))
        return self.places.get(table) or self._add(table)

    def _add(self, table: TableId) -> Iterator[int]:
        offset = len(self.places) * _SLOTS_PER_CHAIN * _SLOT.size
        self.places[table] = cycle((offset, offset + _SLOT.size))
        return self.places[table]

    def sync(self) -> None:
        self.synced = time.perf_counter()
        if self.file is not None:
            os.fdatasync(self.file)

    def failed(self, error: OSError) -> None:
        """Log the first error. A commit is durable before its head is written, so it does not fail."""
        if not self._failed:
            _log.warning("could not write %s: %s", self._path, error)
        self._failed = True

    def close(self) -> None:
        if self.file is not None:
            with suppress(OSError):
                self.sync()
            os.close(self.file)
            self.file = None


def slot_of(table: TableId, seq: Seq, hash: ChainHash, seal: bytes) -> bytes:
    content = SLOT_CONTENT.pack(table.encode(), seq, hash, seal)
    return content + hashlib.sha256(content).digest()[:CHECKSUM_BYTES]


def read_heads(journal: Path) -> dict[TableId, tuple[Head, bytes]]:
    """Read the highest whole head of every chain. A torn slot is skipped."""
    try:
        content = heads_path(journal).read_bytes()
    except FileNotFoundError:
        return {}
    found: dict[TableId, tuple[Head, bytes]] = {}
    for at in range(0, len(content) - _SLOT.size + 1, _SLOT.size):
        name, seq, hash, sealed, checksum = _SLOT.unpack_from(content, at)
        if hashlib.sha256(content[at : at + _SLOT.size - CHECKSUM_BYTES]).digest()[:CHECKSUM_BYTES] != checksum:
            continue
        table = TableId(name.rstrip(b"\0").decode(errors="replace"))
        if table not in found or found[table][0].seq < seq:
            found[table] = Head(Seq(seq), ChainHash(hash)), sealed
    return found


def check_heads(journal: Path, store: Store, key: bytes) -> None:
    """Check that the journal contains every head in its heads file. Raises ``JournalDamaged`` if it does not."""
    for table, (head, sealed) in read_heads(journal).items():
        if not hmac.compare_digest(seal(key, table, head.hash), sealed):
            continue  # of another journal, or forged
        row = store.row(table, head.seq)
        if row is None or row.hash != head.hash:
            end = store.head(table).seq
            raise JournalDamaged(
                f"the journal '{journal}' has lost committed entries: table {table} ends with entry {end}, but entry"
                f" {head.seq} was committed. Tickets and credits of the lost entries would be wrong. Put the newest"
                f" files back. If an older journal is in place on purpose, move '{heads_path(journal)}' away"
            )
