"""Opens the writer of a table on any store, and builds the commands that it decides."""

import msgspec

from roundhouse.floor.clock import Clock, SteppingClock
from roundhouse.floor.queue import Committer
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Store
from roundhouse.rules.game import Game
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Millis, TableId
from roundhouse.wire.requests import decode_command

KEY = Key(b"k" * 32)


def open_writer(
    store: Store,
    table: TableId,
    game: Game,
    rulebook: bytes | None = None,
    *,
    key: Key = KEY,
    clock: Clock | None = None,
    committer: Committer | None = None,
) -> TableWriter:
    """Add the table and, if given, its rulebook to the store, then open its writer."""
    if rulebook is not None:
        store.keep_rulebook(game.hash, rulebook)
    store.add_table(table, game.hash)
    return TableWriter(store, table, game, key, clock or SteppingClock(Millis(0)), committer)


def command(id: str, by: str, do: str, **fields: object) -> AnyCommand:
    """Decode a request that a client might send as JSON."""
    decoded = decode_command(msgspec.json.encode({"id": id, "by": by, "do": do, **fields}))
    assert not isinstance(decoded, Answer), decoded
    return decoded
