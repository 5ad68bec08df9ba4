"""Opening a table from a journal file: the composition root of everything below it.

Opening a house on its folder: the store, the key that seals it, and the house itself.
"""

from collections.abc import Callable
from pathlib import Path

from roundhouse.config.demo import PLAY_MONEY
from roundhouse.config.loading import Configuration
from roundhouse.floor.clock import Clock
from roundhouse.floor.keeper import Keeper
from roundhouse.house.house import House
from roundhouse.journal.files import size_of
from roundhouse.journal.seal import Key, key_of, key_path, read_key, seal
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch, JournalDamaged, JournalUnavailable, Store
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.table.names import TableId


class WrongGame(UserError):
    """The table of that name plays another game."""


def open_table(path: Path, id: TableId, game: Game, content: bytes, world: Clock) -> tuple[Keeper, Store]:
    """The keeper of a table, recovered if it was interrupted. ``content`` is the rulebook file of ``game``."""
    store = SqliteStore(path)
    try:
        return keeper_of(store, key_for(path, store), id, game, content, world), store
    except BaseException:
        store.close()
        raise


def keeper_of(store: Store, key: Key, id: TableId, game: Game, content: bytes, world: Clock) -> Keeper:
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
        raise WrongGame(f"table '{id}' of this journal plays {played}, not {game.id}; give the table another name")


class CannotOpen(UserError):
    """The house's folder cannot be used, in words for the person who named it."""


def open_store(journal: Path) -> tuple[SqliteStore, Key]:
    """The journal of a folder, which is made if it is not there, and its key."""
    try:
        journal.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        gone = is_gone(journal)
    except OSError as error:
        raise CannotOpen(f"cannot write '{journal}': {error.strerror or error}") from error
    if gone:
        words = f"put it back, or restore a backup; to begin anew, move '{key_path(journal)}' away"
        raise CannotOpen(f"the journal '{journal}' is gone, and its key is there: {words}")
    try:
        store = SqliteStore(journal)
    except (JournalDamaged, JournalUnavailable) as error:
        raise CannotOpen(str(error)) from error
    try:
        return store, key_for(journal, store)
    except JournalUnavailable as error:
        store.close()
        raise CannotOpen(str(error)) from error
    except BaseException:
        store.close()
        raise


def open_house(
    configuration: Configuration, store: SqliteStore, key: Key, commit: Callable[[Batch], None] | None = None
) -> House:
    try:
        return House(store, key, configuration, commit)
    except (JournalDamaged, JournalUnavailable) as error:
        raise CannotOpen(str(error)) from error


def check_currency(house: House) -> None:
    """Play money never becomes real money, nor one currency another: tickets of the one would be paid in the other."""
    journal, found, asked = house.configuration.journal, house.currency, house.configuration.plan.house.currency
    if found in ("", asked):
        return
    if asked == PLAY_MONEY:
        raise CannotOpen(f"'{journal}' is a house of real money ({found}); name another folder with --folder")
    kind = "play money" if found == PLAY_MONEY else found
    raise CannotOpen(f"'{journal}' is a house of {kind}, not of {asked}; give this house a data folder of its own")
