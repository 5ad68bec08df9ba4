"""Opens journals: the store and its key, the writer and feed of a table, and the house of a data folder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.config.loading import Configuration
from roundhouse.config.money import house_money
from roundhouse.config.schema import TableConfig
from roundhouse.floor.clock import Clock, format_utc
from roundhouse.floor.facts import FactSource
from roundhouse.floor.feed import TableFeed
from roundhouse.floor.loading import RoundArchive, recorded_rulebook
from roundhouse.floor.notary import Notary
from roundhouse.floor.projection import TableProjection
from roundhouse.floor.witnessing import Findings, WitnessRefuses, open_notary
from roundhouse.floor.writer import TableWriter
from roundhouse.house.house import House
from roundhouse.house.writer import Submit
from roundhouse.journal.derived import check_tickets
from roundhouse.journal.entry import seal
from roundhouse.journal.files import size_of
from roundhouse.journal.heads import check_heads, heads_path
from roundhouse.journal.seal import Key, key_of, key_path, read_key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Head, JournalDamaged, JournalUnavailable, Store
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.names import Cents
from roundhouse.table.decision import HouseTerms
from roundhouse.table.limits import Limits
from roundhouse.table.names import PLAY_MONEY, TICKET_LIFE, Millis, TableId
from roundhouse.table.protection import HOUR, LIMIT_NAMES, MINUTE, NO_HOUSE_PROTECTION, HouseProtection, PlayLimits
from roundhouse.table.terms import HouseMoney
from roundhouse.wire.tables import TableFacts


class WrongGame(UserError):
    """The table of this name in the journal plays another game."""


def open_table(
    path: Path,
    id: TableId,
    game: Game,
    content: bytes,
    clock: Clock,
    terms: HouseTerms,
    opened: Callable[[SqliteStore], None] = lambda _: None,
) -> tuple[TableWriter, Store]:
    """Open a journal and the writer of one of its tables. ``content`` is the rulebook file of ``game``.

    ``opened`` is called with the open journal before anything is written to it.
    """
    if is_missing(path) and heads_path(path).exists():
        advice = f"Put it back; to start a new journal, move '{heads_path(path)}' away"
        raise JournalDamaged(f"the journal '{path}' is missing, but entries were committed to it. {advice}")
    store = SqliteStore(path)
    try:
        key = key_for(path, store)
        opened(store)
        return writer_of(store, key, id, game, content, clock, terms), store
    except BaseException:
        store.close()
        raise


def writer_of(
    store: Store, key: Key, id: TableId, game: Game, content: bytes, clock: Clock, terms: HouseTerms
) -> TableWriter:
    """Create the writer of one table. Stores the rulebook and recovers an interrupted round."""
    if store.head(id).seq and id not in dict(store.tables()):
        # Only the chains of listed tables are checked against their seals when a journal is opened.
        raise JournalDamaged(f"table {id} has entries, but was removed from the list of tables; restore a backup")
    store.keep_rulebook(game.hash, content)
    store.add_table(id, game.hash)
    check_game(store, id, game)
    return TableWriter(store, id, game, key, FactSource(clock, terms))


def is_missing(path: Path) -> bool:
    """Check whether a journal was deleted: its file is missing or empty, but its key exists."""
    return key_path(path).exists() and not size_of(path)


def key_for(path: Path, store: Store) -> Key:
    """Read the key that sealed this journal. A new key is created only for an empty journal."""
    sealed = [(table, last) for table in _chains(store) if (last := store.last_seal(table)) is not None]
    key = read_key(path) if sealed else key_of(path)
    if key is None:
        raise JournalUnavailable(f"the key '{key_path(path)}' is missing; restore the key that belongs to this journal")
    for table, (seq, found) in sealed:
        row = store.row(table, seq)
        if row is None or seal(key, table, row.hash) != found:
            raise JournalUnavailable(f"the key '{key_path(path)}' did not seal this journal; restore the right key")
    _check_chains(path, store, key)
    return key


CheckHeads = Callable[[Mapping[TableId, Head]], None]
"""Receives the last entry of every chain when a journal is opened. Raises ``JournalDamaged`` if one is too old."""


def _check_chains(path: Path, store: Store, key: Key, checks: Sequence[CheckHeads] = ()) -> None:
    """Check what opening relies on: sealed heads that are not older than those noted, and the register of tickets."""
    chains = _chains(store)
    heads = {table: store.head(table) for table in chains}
    for table, head in heads.items():
        last = store.last_seal(table)
        if head.seq != (last[0] if last is not None else 0):
            raise JournalDamaged(f"entry {head.seq} of table {table} is not sealed: the house did not write it")
    check_heads(path, store, key)
    for check in checks:
        check(heads)
    check_tickets(store, key, chains)


def _chains(store: Store) -> list[TableId]:
    return [*(table for table, _ in store.tables()), HOUSE_CHAIN, CAGE_CHAIN]


def check_game(store: Store, id: TableId, game: Game) -> None:
    """Refuse a table whose entries are of another game."""
    first = dict(store.tables())[id]
    content = recorded_rulebook(store, first) if first != game.hash else None
    if content is not None and (played := load(content).id) != game.id:
        raise WrongGame(f"table '{id}' of this journal plays {played}, not {game.id}; give the table another name")


def money_of(configuration: Configuration, id: TableId) -> HouseMoney:
    """Return the authority over money at a table."""
    return house_money(configuration.plan.money, configuration.table(id).limits)


def terms_of(configuration: Configuration, id: TableId) -> HouseTerms:
    """Return what the house has configured for a table."""
    table, currency = configuration.table(id), configuration.plan.house.currency
    return HouseTerms(table.limits, chips_of(table), currency, table.opens_phrase, table.closes_phrase)


def ticket_life_of(configuration: Configuration) -> Millis | None:
    """Return the configured life of tickets, or ``None`` if it is the default one."""
    life = Millis(configuration.plan.house.ticket_days * _DAY_MILLIS)
    return life if life != TICKET_LIFE else None


def protection_of(configuration: Configuration) -> HouseProtection | None:
    """Return the settings for the protection of Players, or ``None`` if it is the default."""
    plan = configuration.plan.protection
    limits = PlayLimits(*(getattr(plan, name) or None for name in LIMIT_NAMES))
    found = HouseProtection(
        Millis(plan.raise_after_hours * HOUR),
        limits,
        plan.required,
        plan.max_break_minutes,
        Millis(plan.new_session_after_minutes * MINUTE),
    )
    return found if found != NO_HOUSE_PROTECTION else None


_DAY_MILLIS = 24 * 3600 * 1000
_CHIPS = tuple(
    Cents(cents) for cents in (10, 50, 100, 500, 2_500, 10_000, 50_000, 100_000, 500_000, 2_500_000, 10_000_000)
)
_MAX_CHIPS = 7


def feed_of(
    writer: TableWriter, store: Store, latest: Game, facts: TableFacts, epoch: str, clock: Callable[[], Millis]
) -> TableFeed:
    """Create the feed of a newly opened table. ``latest`` is the rulebook of its next opening."""
    archive = RoundArchive(store, writer.id)
    projection = TableProjection(writer.id, writer.table, writer.version, latest, facts, archive, clock)
    return TableFeed(projection, epoch)


def facts_of(configuration: Configuration, id: TableId) -> TableFacts:
    plan, table = configuration.plan, configuration.table(id)
    seats = tuple(seat for terminals in plan.terminals if terminals.table == id for seat in terminals.seats)
    seconds = table.betting_seconds if table.automatic else None
    return TableFacts(plan.house.name, plan.house.currency, chips_of(table), seats, seconds)


def chips_of(table: TableConfig) -> tuple[Cents, ...]:
    """Return the configured chip values of a table, or customary values that fit its limits."""
    return table.chips or chips_for(table.limits or Limits())


def chips_for(limits: Limits) -> tuple[Cents, ...]:
    """Choose the chip values that a terminal offers: customary values between the minimum and maximum of a seat.

    >>> from roundhouse.table.limits import Bounds
    >>> chips_for(Limits(seat=Bounds(Cents(100), Cents(50_000))))
    (100, 500, 2500, 10000, 50000)
    """
    fitting = tuple(cents for cents in _CHIPS if limits.seat.min <= cents <= limits.seat.max)
    return fitting[:_MAX_CHIPS] or (limits.seat.min,)


class _EntryFacts(Struct):
    at: Millis = Millis(0)


class _EntryTime(Struct):
    """The time of an entry: ``facts.at`` in the chain of a table, ``at`` in the chain of the house."""

    at: Millis = Millis(0)
    facts: _EntryFacts | None = None


_decode_time = msgspec.json.Decoder(_EntryTime).decode
MAX_AHEAD_MILLIS: Final = 5 * 60_000
"""A journal whose last entry is further ahead of the clock is opened only with ``--accept-time``."""


def last_entry_at(store: Store) -> Millis:
    """Return the latest time of the last entries of all chains; 0 for an empty journal."""
    latest = Millis(0)
    for chain in _chains(store):
        row = store.row(chain, store.head(chain).seq)
        if row is not None:
            found = _decode_time(row.body)
            latest = max(latest, found.facts.at if found.facts is not None else found.at)
    return latest


def check_time(journal: Path, last: Millis, now: Millis) -> None:
    """Refuse a journal from the future. Either the clock is wrong now, or it was wrong when the entry was written."""
    if last - now > MAX_AHEAD_MILLIS:
        times = f"the last entry of '{journal}' is of {format_utc(last)}, but the clock of this machine is at"
        advice = "set the clock, or start the house with --accept-time if the clock is right"
        raise CannotOpen(f"{times} {format_utc(now)}; {advice}")


class CannotOpen(UserError):
    """The house's data folder cannot be used. The message is for the person who started the house."""


def open_store(journal: Path) -> tuple[SqliteStore, Key]:
    """Open a journal and its key. The folder and the journal are created if they do not exist."""
    try:
        journal.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        missing = is_missing(journal)
    except OSError as error:
        raise CannotOpen(f"Could not write '{journal}': {error.strerror or error}") from error
    if missing:
        advice = f"put it back or restore a backup; to start a new journal, move '{key_path(journal)}' away"
        raise CannotOpen(f"the journal '{journal}' is missing, but its key exists: {advice}")
    try:
        store = SqliteStore(journal)
    except (JournalDamaged, JournalUnavailable) as error:
        raise CannotOpen(str(error)) from error
    try:
        return store, key_for(journal, store)
    except (JournalDamaged, JournalUnavailable) as error:
        store.close()
        raise CannotOpen(str(error)) from error
    except BaseException:
        store.close()
        raise


def open_witnessed(configuration: Configuration, store: SqliteStore) -> tuple[Notary, Findings]:
    """Open the notary of a house. Refuses a journal that a witness contradicts."""
    witnesses = configuration.plan.house.witness
    try:
        return open_notary(store, configuration.signing_key, witnesses, configuration.folder, lambda _: None)
    except (JournalUnavailable, JournalDamaged, WitnessRefuses) as error:
        raise CannotOpen(str(error)) from error


def open_house(configuration: Configuration, store: SqliteStore, key: Key, submit: Submit | None = None) -> House:
    """Open the house of a journal. Without ``submit`` it commits inline, and ``run_inline`` runs its coroutines."""
    try:
        return House(store, key, configuration, submit)
    except (JournalDamaged, JournalUnavailable) as error:
        raise CannotOpen(str(error)) from error


def check_currency(house: House) -> None:
    """Refuse a journal in another currency, because its tickets would be paid out in the new one."""
    journal, found, asked = house.config.journal, house.currency, house.config.plan.house.currency
    if found in ("", asked):
        return
    if asked == PLAY_MONEY:
        raise CannotOpen(f"'{journal}' contains real money ({found}); choose another folder with --folder")
    kind = "play money" if found == PLAY_MONEY else found
    raise CannotOpen(f"'{journal}' contains {kind}, not {asked}; give this house another data folder")
