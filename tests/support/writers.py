"""Opens the writer of a table on any store, and builds the commands that it decides."""

import msgspec

from roundhouse.floor.clock import Clock, SteppingClock
from roundhouse.floor.facts import FactSource
from roundhouse.floor.queue import Committer
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Store
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import HouseTerms
from roundhouse.table.limits import Limits
from roundhouse.table.names import PLAY_MONEY, Millis, TableId
from roundhouse.wire.requests import decode_command

KEY = Key(b"k" * 32)
START = Millis(1_700_000_000_000)
"""An instant at which all shipped rulebooks are in force."""
TERMS = HouseTerms(Limits(), (Cents(100), Cents(500), Cents(2_500), Cents(10_000)), PLAY_MONEY)
"""Terms of a table of play money with wide limits."""


def open_writer(
    store: Store,
    table: TableId,
    game: Game,
    rulebook: bytes | None = None,
    *,
    key: Key = KEY,
    clock: Clock | None = None,
    committer: Committer | None = None,
    terms: HouseTerms | None = None,
) -> TableWriter:
    """Add the table and, if given, its rulebook to the store, then open its writer."""
    if rulebook is not None:
        store.keep_rulebook(game.hash, rulebook)
    store.add_table(table, game.hash)
    return TableWriter(store, table, game, key, FactSource(clock or SteppingClock(START), terms or TERMS), committer)


def command(id: str, by: str, do: str, **fields: object) -> AnyCommand:
    """Decode a request that a client might send as JSON."""
    decoded = decode_command(msgspec.json.encode({"id": id, "by": by, "do": do, **fields}))
    assert not isinstance(decoded, Answer), decoded
    return decoded
