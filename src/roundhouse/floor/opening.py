"""Opening a table from a journal file: the composition root of everything below it."""

from pathlib import Path

from roundhouse.floor.keeper import Keeper, World
from roundhouse.journal.files import size_of
from roundhouse.journal.seal import Key, key_of, key_path, read_key, seal
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalUnavailable, Store
from roundhouse.people.names import HOUSE_CHAIN
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
        return keeper_of(store, key_for(path, store), id, game, content, world), store
    except BaseException:
        store.close()
        raise


def keeper_of(store: Store, key: Key, id: TableId, game: Game, content: bytes, world: World) -> Keeper:
    """The keeper of one table of a store, with its rulebook kept beside it."""
    store.keep_rulebook(game.hash, content)
    store.add_table(id, game.hash)
    _check_game(store, id, game)
    return Keeper(store, id, game, key, world)


def is_gone(path: Path) -> bool:
    """Whether a journal is missing or empty while its key is there: one lay here before."""
    return key_path(path).exists() and not size_of(path)


def key_for(path: Path, store: Store) -> Key:
    """The key that sealed this journal; a new one only for a journal that nothing has been written to."""
    sealed = [(table, last) for table in _chains(store) if (last := store.last_seal(table)) is not None]
    if not sealed:
        return key_of(path)
    key = read_key(path)
    if key is None:
        raise JournalUnavailable(
            f"the key '{key_path(path)}' is missing; put back the one that belongs to this journal"
        )
    for table, (seq, found) in sealed:
        row = store.row(table, seq)
        if row is None or seal(key, table, row.hash) != found:
            raise JournalUnavailable(f"the key '{key_path(path)}' is not the one that sealed this journal")
    return key


def _chains(store: Store) -> list[TableId]:
    return [*(table for table, _ in store.tables()), HOUSE_CHAIN]


def _check_game(store: Store, id: TableId, game: Game) -> None:
    first = dict(store.tables())[id]
    content = store.rulebook(first) if first != game.hash else None
    if content is not None and (played := load(content).id) != game.id:
        raise OtherGame(f"table '{id}' of this journal plays {played}, not {game.id}; give the table another name")
