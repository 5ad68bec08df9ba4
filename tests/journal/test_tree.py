"""The Merkle tree of a chain: opening reads the stored hashes and few entries."""

import apsw

from roundhouse.journal.tree import ChainTree
from roundhouse.table.names import TableId
from roundhouse.tlog.merkle import CompactRange, leaf_hash

ROULETTE = TableId("roulette-1")


class CountingQueries:
    """Entries of one chain in a database, with the number of rows that were read."""

    def __init__(self, count: int) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute("CREATE TABLE entries (table_id, seq, hash); CREATE TABLE tree (table_id, level, number, hash)")
        rows = ((ROULETTE, seq, self.hash(seq)) for seq in range(1, count + 1))
        self.db.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
        self.db.execute(
            "CREATE INDEX one ON entries (table_id, seq); CREATE INDEX two ON tree (table_id, level, number)"
        )
        self.rows = 0

    @staticmethod
    def hash(seq: int) -> bytes:
        return leaf_hash(str(seq).encode())

    def query(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        found = self.db.execute(sql, values).fetchall()
        self.rows += len(found)
        return found


def test_opening_a_long_chain_reads_few_rows_and_gives_the_same_root() -> None:
    count = 70_000
    store = CountingQueries(count)
    tree = ChainTree(store, ROULETTE)
    tree.grow()
    expected = CompactRange()
    for seq in range(1, count + 1):
        expected.add(leaf_hash(store.hash(seq)))
    assert (tree.size, tree.root) == (count, expected.root)
    nodes = tree.take_unstored()
    assert len(nodes) == count // 256 + 1
    rows = [(node.chain, node.level, node.number, node.hash) for node in nodes]
    store.db.executemany("INSERT INTO tree VALUES (?, ?, ?, ?)", rows)
    store.rows = 0
    again = ChainTree(store, ROULETTE)
    again.grow()
    assert (again.size, again.root) == (count, expected.root)
    assert store.rows < 600
