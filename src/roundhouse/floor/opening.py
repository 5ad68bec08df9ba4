"""Opening a table from a journal file: the composition root of everything below it."""

from pathlib import Path

from roundhouse.floor.keeper import Keeper, World
from roundhouse.journal.seal import key_of
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Store
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.mistakes import Mistake
from roundhouse.table.names import TableId


class OtherGame(Mistake):
    """The table of that name plays another game."""


def open_table(path: Path, id: TableId, game: Game, content: bytes, world: World) -> tuple[Keeper, Store]:
    """The keeper of a table, recovered if it was interrupted. ``content`` is the rulebook file of ``game``."""
    store = SqliteStore(path)
    try:
        store.keep_rulebook(game.hash, content)
        store.add_table(id, game.hash)
        _check_game(store, id, game)
        return Keeper(store, id, game, key_of(path), world), store
    except BaseException:
        store.close()
        raise


def _check_game(store: Store, id: TableId, game: Game) -> None:
    first = dict(store.tables())[id]
    content = store.rulebook(first) if first != game.hash else None
    if content is not None and (played := load(content).id) != game.id:
        raise OtherGame(f"table '{id}' of this journal plays {played}, not {game.id}; give the table another --table")
