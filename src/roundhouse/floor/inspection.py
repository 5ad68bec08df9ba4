"""Checks of a house before it is started: its journal, opened read-only, and the devices of its wheels."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from roundhouse.config.loading import Configuration
from roundhouse.config.schema import WheelKind
from roundhouse.floor.opening import (
    CannotOpen,
    WrongGame,
    check_currency,
    check_game,
    check_time,
    is_missing,
    key_for,
    last_entry_at,
    open_house,
)
from roundhouse.journal.seal import Key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.rules.errors import Fault, Faults, Places
from roundhouse.table.names import Millis

_ANY_KEY = Key(bytes(32))
"""Stands for the key of a journal without entries. Nothing is written with it."""


def inspect_house(configuration: Configuration, text: str, now: Millis) -> tuple[Fault, ...]:
    """Return the faults that a valid configuration has on this machine. ``text`` is its file. Changes nothing."""
    faults = Faults(Places(text))
    _check_devices(configuration, faults)
    if configuration.journal.exists() or is_missing(configuration.journal):
        _check_journal(configuration, now, faults)
    return faults.in_file_order()


@contextmanager
def _reported(place: str, faults: Faults) -> Iterator[None]:
    """Add a refusal of the block as a fault. The message of a refusal ends with what to do, after a semicolon."""
    try:
        yield
    except (CannotOpen, WrongGame) as error:
        wrong, _, remedy = str(error).rpartition("; ")
        faults.add(place, wrong, remedy)


def _check_devices(configuration: Configuration, faults: Faults) -> None:
    for i, table in enumerate(configuration.plan.tables):
        wheel = configuration.wheels[table.id]
        if wheel.kind is WheelKind.LINE and wheel.line.startswith("/") and not Path(wheel.line).exists():
            remedy = "connect the wheel, or write the path of its device"
            faults.add(f"tables[{i}].wheel", f"there is no device '{wheel.line}'", remedy)


def _check_journal(configuration: Configuration, now: Millis, faults: Faults) -> None:
    journal = configuration.journal
    if is_missing(journal):
        remedy = "put it back, or restore a backup"
        faults.add("house.data", f"the journal '{journal}' is missing, but its key exists", remedy)
        return
    if journal.exists() and (names := journal.stat().st_nlink) > 1:
        faults.add("house.data", f"the journal '{journal}' has {names} names (hard links)", "remove the other names")
        return
    try:
        store = SqliteStore(journal, read_only=True)
    except (JournalDamaged, JournalUnavailable) as error:
        faults.add("house.data", str(error), "restore a backup, or write another data folder")
        return
    try:
        chains = [table for table, _ in store.tables()]
        key = key_for(journal, store) if last_entry_at(store) else _ANY_KEY
        house = open_house(configuration, store, key)
        with _reported("house.currency", faults):
            check_currency(house)
        with _reported("house.data", faults):
            check_time(journal, last_entry_at(store), now)
        for i, table in enumerate(configuration.plan.tables):
            if table.id in chains:
                with _reported(f"tables[{i}].game", faults):
                    check_game(store, table.id, configuration.games[table.id].game)
    except (CannotOpen, JournalDamaged, JournalUnavailable) as error:
        faults.add("house.data", str(error), "restore a backup, or write another data folder")
    finally:
        with suppress(JournalUnavailable):
            store.close()
