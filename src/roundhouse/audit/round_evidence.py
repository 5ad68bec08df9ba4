"""The entries about one round, from which it is explained: found in a journal, or taken from a capsule."""

from collections.abc import Iterable
from typing import NamedTuple

from roundhouse.audit.capsule import Capsule, NoSuchRound, concerns
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.house import currency_of
from roundhouse.audit.journal_file import JournalFile, RulebookSet, decode_row
from roundhouse.journal.entry import ChainHash, Entry, Seq
from roundhouse.journal.index import OPENING, round_key, seat_key
from roundhouse.journal.store import Row
from roundhouse.rules.currency import PLAY_MONEY
from roundhouse.rules.game import Game
from roundhouse.rules.names import LayoutId
from roundhouse.table import events as e
from roundhouse.table.names import RoundNumber, SeatId, TableId


class Evidence(NamedTuple):
    """The entries about a round, from which it is explained."""

    table: TableId
    number: RoundNumber
    entries: list[tuple[Entry, Game]]
    """Entries from the opening of bets to the end of the round, then later ones about it; each with its rulebook."""
    layouts: dict[SeatId, LayoutId]
    currency: str = PLAY_MONEY
    """Currency of the table when the round was played."""


def from_journal(
    file: JournalFile, table: TableId, number: RoundNumber, cache: dict[str, Game] | None = None
) -> Evidence:
    """Find a round in a journal. ``cache`` holds loaded rulebooks, to be shared by several calls."""
    search = _RoundSearch(file, table, number, cache)
    entries = search.entries()
    currency = search.opening_before(entries[0][0].seq).currency or currency_of(file)
    return Evidence(table, number, entries, search.layouts(entry for entry, _ in entries), currency)


def from_capsule(capsule: Capsule) -> Evidence:
    rulebooks = RulebookSet((hash, text.encode()) for hash, text in capsule.rulebooks.items())
    entries: list[tuple[Entry, Game]] = []
    layouts: dict[SeatId, LayoutId] = {}
    over, currency = False, ""
    for part in capsule.parts:
        game = _game(rulebooks, part.rulebook)
        currency = currency or part.state.terms.currency
        layouts |= {id: seat.layout for id, seat in part.state.seats.items()}
        for recorded in part.entries:
            entry = decode_row(Row(recorded.seq, recorded.body.encode(), ChainHash(b""), None))
            for event in entry.events:
                if isinstance(event, e.TableOpened):
                    game, currency = _game(rulebooks, event.rulebook), event.currency
                elif isinstance(event, e.SeatTaken):
                    layouts[event.seat] = game.terminals[event.terminal].layout.id
            if not over or concerns(entry, capsule.round):
                entries.append((entry, game))
            over = over or _concludes(entry, capsule.round)
    return Evidence(capsule.table, capsule.round, entries, layouts, currency)


def _concludes(entry: Entry, number: RoundNumber) -> bool:
    return any(isinstance(event, e.RoundSettled | e.RoundVoided) and event.round == number for event in entry.events)


def _game(rulebooks: RulebookSet, hash: str) -> Game:
    game = rulebooks.get(hash)
    if game is None:
        fail("a rulebook is missing", expected=hash, found=None)
    return game


class _RoundSearch:
    """Finds the entries of one round by the journal's index, so that the cost does not grow with the journal."""

    def __init__(self, file: JournalFile, table: TableId, number: RoundNumber, cache: dict[str, Game] | None) -> None:
        self._file = file
        self._table = table
        self._number = number
        self._rulebooks = RulebookSet(file.rulebooks(), cache)

    def opening_before(self, seq: Seq) -> e.TableOpened:
        """Return the last opening of the table before an entry."""
        opening = self._file.last_about(self._table, OPENING, seq)
        opened = [event for event in opening.events if isinstance(event, e.TableOpened)] if opening else []
        if not opened:
            what = "the table was not opened before this entry"
            fail(what, expected="an opening of the table", found=None, table=self._table, entry=seq)
        return opened[-1]

    def _game_at(self, seq: Seq) -> Game:
        """Return the game that was in play at an entry."""
        return _game(self._rulebooks, self.opening_before(seq).rulebook)

    def entries(self) -> list[tuple[Entry, Game]]:
        about = self._file.entries_about(self._table, round_key(self._number))
        first = next((entry for entry in about if _opens(entry, self._number)), None)
        if first is None:
            raise NoSuchRound(f"table '{self._table}' has no round {self._number}")
        last = next((entry.seq for entry in about if _concludes(entry, self._number)), Seq(2**62))
        within = [decode_row(row) for row in self._file.entries_between(self._table, first.seq, last)]
        # A table cannot be opened during a round, so one rulebook applies to all of it.
        game = self._game_at(first.seq)
        later = [(entry, self._game_at(entry.seq)) for entry in about if entry.seq > last]
        return [*((entry, game) for entry in within), *later]

    def layouts(self, entries: Iterable[Entry]) -> dict[SeatId, LayoutId]:
        """Return the layout of each seat that bets in these entries."""
        bets = (event for entry in entries for event in entry.events if isinstance(event, e.BetsPlaced))
        return {seat: layout for seat in {bet.seat for bet in bets} for layout in self._layout(seat)}

    def _layout(self, seat: SeatId) -> list[LayoutId]:
        """Return the layouts of the terminals at which a seat was taken."""
        return [
            self._game_at(entry.seq).terminals[event.terminal].layout.id
            for entry in self._file.entries_about(self._table, seat_key(seat))
            for event in entry.events
            if isinstance(event, e.SeatTaken) and event.seat == seat
        ]


def _opens(entry: Entry, number: RoundNumber) -> bool:
    return any(isinstance(event, e.BetsOpened) and event.round == number for event in entry.events)
