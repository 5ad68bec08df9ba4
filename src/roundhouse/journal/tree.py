"""The Merkle trees of a journal's chains, and the checkpoints stored with them.

Leaf ``n`` of a chain's tree is the stored hash of entry ``n + 1``. That hash covers the entry's body and all entries
before it, so one inclusion proof covers the beginning of the chain, and a proof reveals nothing of what an entry says.
The hashes of subtrees of 256, 65536, ... leaves are stored. Opening reads these and at most 255 entries.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NewType, Protocol

import apsw
from msgspec import Struct

from roundhouse.journal.store import JournalDamaged
from roundhouse.table.names import TableId
from roundhouse.tlog.merkle import CompactRange, TreeHash, leaf_hash, node_hash, range_of

_LEVEL_HEIGHT: Final = 8
"""Height of the subtrees between two stored levels."""

JournalId = NewType("JournalId", str)
"""The random id of a journal, in hexadecimal."""


class Queries(Protocol):
    """The part of a store that a tree reads."""

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]: ...


class StoredCheckpoint(Struct, frozen=True):
    """A signed checkpoint in the journal. ``signer`` is empty, or the name of the witness that cosigned it."""

    chain: TableId
    signer: str
    size: int
    note: str


class StoredNode(Struct, frozen=True):
    chain: TableId
    level: int
    number: int
    hash: TreeHash


def journal_id(store: Queries) -> JournalId:
    rows = store.query("SELECT id FROM journal")
    if len(rows) != 1:
        raise JournalDamaged(f"the journal has {len(rows)} ids instead of one")
    return JournalId(rows[0][0])


def checkpoints(store: Queries) -> list[StoredCheckpoint]:
    rows = store.query("SELECT table_id, signer, size, note FROM checkpoints ORDER BY table_id, signer")
    return [StoredCheckpoint(*row) for row in rows]


def storing(nodes: Sequence[StoredNode], notes: Iterable[StoredCheckpoint]) -> Callable[[apsw.Connection], None]:
    """Return a change that stores new nodes, and replaces checkpoints."""

    def change(db: apsw.Connection) -> None:
        rows = [(node.chain, node.level, node.number, node.hash) for node in nodes]
        db.executemany("INSERT OR REPLACE INTO tree VALUES (?, ?, ?, ?)", rows)
        for note in notes:
            values = (note.chain, note.signer, note.size, note.note)
            db.execute("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?)", values)

    return change


class ChainTree:
    """The tree of one chain. It is used by one thread."""

    def __init__(self, store: Queries, chain: TableId) -> None:
        self._store, self.chain = store, chain
        self._recent: dict[tuple[int, int], TreeHash] = {}
        """Hashes of the subtrees that were last complete or added, so that most proofs read nothing."""
        self.unstored: list[StoredNode] = []
        """Complete subtrees of the stored levels that ``take_unstored`` has not returned."""
        stored = store.query("SELECT max(number) FROM tree WHERE table_id = ? AND level = 1", chain)[0][0]
        size = 0 if stored is None else (stored + 1) << _LEVEL_HEIGHT
        # After a roll-back of the file the entries of stored nodes may be missing.
        size = min(size, self._head() >> _LEVEL_HEIGHT << _LEVEL_HEIGHT)
        self._range = range_of(self, size)

    @property
    def size(self) -> int:
        return self._range.size

    @property
    def root(self) -> TreeHash:
        return self._range.root

    def _head(self) -> int:
        found = self._store.query("SELECT max(seq) FROM entries WHERE table_id = ?", self.chain)[0][0]
        return found or 0

    def grow(self, until: int | None = None) -> bool:
        """Add the entries that the journal has gained, up to ``until``. Return whether there were any."""
        sql = "SELECT hash FROM entries WHERE table_id = ? AND seq > ? AND seq <= ? ORDER BY seq"
        rows = self._store.query(sql, self.chain, self.size, until if until is not None else 2**62)
        if not rows:
            return False
        growing, recent = self._range, {}
        number = 0
        for hash in growing.hashes:
            height = (growing.size - number).bit_length() - 1
            recent[height, number >> height] = hash
            number += 1 << height
        size, hashes, chain = growing.size, growing.hashes, self.chain
        for (content,) in rows:
            hash, number, height = leaf_hash(content), size, 0
            recent[0, number] = hash
            while number & 1:
                hash, number, height = node_hash(hashes.pop(), hash), number >> 1, height + 1
                recent[height, number] = hash
                if not height % _LEVEL_HEIGHT:
                    self.unstored.append(StoredNode(chain, height // _LEVEL_HEIGHT, number, hash))
            hashes.append(hash)
            size += 1
        self._range, self._recent = CompactRange(size, hashes), recent
        return True

    def take_unstored(self) -> list[StoredNode]:
        nodes, self.unstored = self.unstored, []
        return nodes

    def subtree(self, height: int, number: int) -> TreeHash:
        if (recent := self._recent.get((height, number))) is not None:
            return recent
        level, above = divmod(height, _LEVEL_HEIGHT)
        if level and not above:
            sql = "SELECT hash FROM tree WHERE table_id = ? AND level = ? AND number = ?"
            if rows := self._store.query(sql, self.chain, level, number):
                return TreeHash(rows[0][0])
            level, above = level - 1, _LEVEL_HEIGHT
        hashes = self._nodes(level, number << above, (number + 1) << above)
        while len(hashes) > 1:
            hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2])]
        return hashes[0]

    def _nodes(self, level: int, first: int, end: int) -> list[TreeHash]:
        if not level:
            sql = "SELECT hash FROM entries WHERE table_id = ? AND seq > ? AND seq <= ? ORDER BY seq"
            found = [leaf_hash(row[0]) for row in self._store.query(sql, self.chain, first, end)]
        else:
            sql = (
                "SELECT hash FROM tree WHERE table_id = ? AND level = ? AND number >= ? AND number < ? ORDER BY number"
            )
            found = [TreeHash(row[0]) for row in self._store.query(sql, self.chain, level, first, end - 1)]
            if len(found) != end - first:
                found = [self.subtree(level * _LEVEL_HEIGHT, number) for number in range(first, end)]
        if len(found) != end - first:
            raise JournalDamaged(f"an entry of the chain {self.chain} between {first + 1} and {end} is missing")
        return found
