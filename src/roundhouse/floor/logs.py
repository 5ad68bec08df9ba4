"""The logs of a journal: a Merkle tree for each chain and one of the epochs, with their signed checkpoints."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import apsw
from msgspec import Struct

from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.journal.signing import EPOCHS, epochs_origin, house_name, origin_of
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.tree import ChainTree, StoredCheckpoint, StoredNode, journal_id, storing
from roundhouse.people.events import HouseRestored, SigningKeySet, decode
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.table.names import TableId
from roundhouse.tlog.checkpoint import Checkpoint, Origin, sign_checkpoint
from roundhouse.tlog.merkle import LeafTree, Tree, TreeHash, prove_consistency, root_of
from roundhouse.tlog.note import KeyName, Note, Signer, VerifierKey, read_key, read_note
from roundhouse.tlog.request import AddCheckpoint

_RESTORED: Final = '"event":"house_restored.'
_KEY_SET: Final = '"event":"signing_key_set.'


class SignedHead(Struct, frozen=True):
    """The head of a log, signed by the house."""

    chain: TableId
    size: int
    note: Note


def restorations(store: SqliteStore) -> list[tuple[bytes, HouseRestored]]:
    """Return the entries by which backups were restored, with their hashes."""
    sql = "SELECT hash, body FROM entries WHERE table_id = ? AND instr(body, ?) ORDER BY seq"
    found = [(hash, decode(body).event) for hash, body in store.query(sql, HOUSE_CHAIN, _RESTORED)]
    return [(hash, event) for hash, event in found if isinstance(event, HouseRestored)]


def recorded_keys(store: SqliteStore) -> list[SigningKeySet]:
    """Return the signing keys that the house has recorded, the first one first."""
    sql = "SELECT body FROM entries WHERE table_id = ? AND instr(body, ?) ORDER BY seq"
    events = [decode(body).event for (body,) in store.query(sql, HOUSE_CHAIN, _KEY_SET)]
    return [event for event in events if isinstance(event, SigningKeySet)]


class JournalLogs:
    """Grows the trees, signs their heads and proves their consistency. Any thread may call it."""

    def __init__(self, store: SqliteStore, signer: Signer) -> None:
        self._store, self._signer = store, signer
        self._lock = threading.Lock()
        self._trees: dict[TableId, ChainTree] = {}
        self.name: KeyName = house_name(journal_id(store))
        self.key = VerifierKey(self.name, signer.public)
        recorded = recorded_keys(store)
        self.keys = {self.key, *(read_key(one.key) for one in recorded)}
        """The key and those before it."""
        self.announcements = [read_note(one.announcement) for one in recorded if one.announcement]
        """Notes by which each key announced the next one."""
        self.restored = restorations(store)
        self.epoch = len(self.restored)
        self._epochs = LeafTree([self.name.encode(), *(hash for hash, _ in self.restored)])

    def chains(self) -> list[TableId]:
        return [*(table for table, _ in self._store.tables()), HOUSE_CHAIN, CAGE_CHAIN]

    def origin(self, chain: TableId, epoch: int | None = None) -> Origin:
        if chain == EPOCHS:
            return epochs_origin(self.name)
        return origin_of(self.name, self.epoch if epoch is None else epoch, chain)

    def _tree(self, chain: TableId) -> Tree:
        return self._epochs if chain == EPOCHS else self._chain_tree(chain)

    def _chain_tree(self, chain: TableId) -> ChainTree:
        if chain not in self._trees:
            self._trees[chain] = ChainTree(self._store, chain)
        return self._trees[chain]

    def sign_epochs(self) -> SignedHead:
        with self._lock:
            return self._sign(EPOCHS, self.epoch + 1)

    def sign_heads(self, chains: Iterable[TableId]) -> list[SignedHead]:
        """Add the new entries of the chains to their trees, and sign the heads. Empty chains are left out."""
        heads: list[SignedHead] = []
        with self._lock:
            for chain in chains:
                tree = self._chain_tree(chain)
                tree.grow()
                if tree.size:
                    heads.append(self._sign(chain, tree.size))
        return heads

    def sign_at(self, chain: TableId, size: int, epoch: int) -> SignedHead:
        """Sign an earlier head of a chain in the log of an earlier epoch."""
        with self._lock:
            return self._sign(chain, size, epoch)

    def _sign(self, chain: TableId, size: int, epoch: int | None = None) -> SignedHead:
        tree = self._tree(chain)
        root = tree.root if isinstance(tree, ChainTree) and tree.size == size else root_of(tree, size)
        checkpoint = Checkpoint(self.origin(chain, epoch), size, root)
        return SignedHead(chain, size, sign_checkpoint(checkpoint, self._signer))

    def root(self, chain: TableId, size: int) -> TreeHash:
        with self._lock:
            return root_of(self._tree(chain), size)

    def request(self, head: SignedHead, old: int) -> AddCheckpoint:
        """Return the request for a witness that has last seen the log at size ``old``."""
        with self._lock:
            return AddCheckpoint(old, tuple(prove_consistency(self._tree(head.chain), old, head.size)), head.note)

    def recompute(self, chain: TableId) -> None:
        """Compute the tree of a chain from its entries, because its stored hashes may be damaged."""

        def forget(db: apsw.Connection) -> None:
            db.execute("DELETE FROM tree WHERE table_id = ?", (chain,))

        self._store.change(forget)
        with self._lock:
            self._trees.pop(chain, None)

    def take_unstored(self) -> list[StoredNode]:
        with self._lock:
            return [node for tree in self._trees.values() for node in tree.take_unstored()]

    def store(self, nodes: Sequence[StoredNode], notes: Iterable[StoredCheckpoint]) -> None:
        change: Callable[[apsw.Connection], None] = storing(nodes, notes)
        self._store.change(change)
