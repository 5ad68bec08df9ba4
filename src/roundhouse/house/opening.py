"""Opening a house on its folder: the store, the key that seals it, and the house itself."""

from collections.abc import Callable
from pathlib import Path

from roundhouse.floor.opening import is_gone, key_for
from roundhouse.house.configuration import Configuration
from roundhouse.house.house import House
from roundhouse.house.trying import PLAY_MONEY
from roundhouse.journal.seal import Key, key_path
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch, JournalDamaged, JournalUnavailable
from roundhouse.rules.mistakes import Mistake


class CannotOpen(Mistake):
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
