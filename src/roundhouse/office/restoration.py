"""Records in a restored journal that it comes from a backup. This begins a new epoch of the journal.

Witnesses know the journal's chains by epoch. Without the record, they would refuse the restored journal as a roll-back.
"""

import secrets
from pathlib import Path

import apsw

from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.journal.entry import ChainHash, Seq, link, seal
from roundhouse.journal.seal import Key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch, Row
from roundhouse.people.events import ENGINEER, HouseEntry, HouseRestored, decode, encode
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.table.names import Millis


def record_restoration(journal: Path, key: Key, at: Millis) -> HouseRestored:
    """Append ``house_restored`` to the house's chain, and remove the checkpoints of the old epoch."""
    store = SqliteStore(journal)
    try:
        head = store.head(HOUSE_CHAIN)
        last = store.row(HOUSE_CHAIN, head.seq)
        time = max(at, decode(last.body).at) if last is not None else at
        chains = [*(table for table, _ in store.tables()), HOUSE_CHAIN, CAGE_CHAIN]
        sql = "SELECT count(*) FROM entries WHERE table_id = ? AND instr(body, ?)"
        epoch = store.query(sql, HOUSE_CHAIN, '"event":"house_restored.')[0][0] + 1
        heads = {chain: int(store.head(chain).seq) for chain in chains}
        heads = {chain: size for chain, size in heads.items() if size or chain != CAGE_CHAIN}
        event = HouseRestored(epoch, heads, secrets.token_hex(16))
        body = encode(HouseEntry(head.seq + 1, Millis(time), ENGINEER, event))
        hash = ChainHash(link(head.hash, body))
        row = Row(Seq(head.seq + 1), body, hash, None)
        store.change(_remove_checkpoints)
        store.commit(Batch(HOUSE_CHAIN, head.hash, [row], seal(key, HOUSE_CHAIN, hash), {}, [], []))
        return event
    finally:
        store.close()


def _remove_checkpoints(db: apsw.Connection) -> None:
    db.execute("DELETE FROM checkpoints")
