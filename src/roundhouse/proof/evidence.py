"""Finding a round in a journal or a capsule, quickly and without replaying everything before it."""

import msgspec

from roundhouse.journal.entry import ChainHash, Entry, Seq, decode
from roundhouse.journal.store import Row
from roundhouse.proof.capsule import Capsule
from roundhouse.proof.discrepancy import fail
from roundhouse.proof.encapsulate import NoSuchRound, touches
from roundhouse.proof.file import JournalFile
from roundhouse.proof.shelf import Shelf
from roundhouse.proof.story import Evidence
from roundhouse.rules.game import Game
from roundhouse.rules.names import LayoutId, TerminalId
from roundhouse.table import events as e
from roundhouse.table.names import RoundNumber, SeatId, TableId


def from_journal(
    file: JournalFile, table: TableId, number: RoundNumber, read: dict[str, Game] | None = None
) -> Evidence:
    finding = _Finding(file, table, number, read)
    return Evidence(table, number, finding.entries(), finding.layouts())


def from_capsule(capsule: Capsule) -> Evidence:
    shelf = Shelf((hash, text.encode()) for hash, text in capsule.rulebooks.items())
    entries: list[tuple[Entry, Game]] = []
    layouts: dict[SeatId, LayoutId] = {}
    over = False
    for part in capsule.parts:
        game = _on(shelf, part.rulebook)
        layouts |= {id: seat.layout for id, seat in part.state.seats.items()}
        for line in part.entries:
            entry = _decoded(Row(line.seq, line.body.encode(), ChainHash(b""), None))
            for event in entry.events:
                if isinstance(event, e.TableOpened):
                    game = _on(shelf, event.rulebook)
                elif isinstance(event, e.SeatTaken):
                    layouts[event.seat] = game.terminals[event.terminal].layout.id
            if not over or touches(entry, capsule.round):
                entries.append((entry, game))
            over = over or _concludes(entry, capsule.round)
    return Evidence(capsule.table, capsule.round, entries, layouts)


def _concludes(entry: Entry, number: RoundNumber) -> bool:
    return any(isinstance(event, e.RoundSettled | e.RoundVoided) and event.round == number for event in entry.events)


def _decoded(row: Row) -> Entry:
    try:
        return decode(row.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fail("the entry cannot be read", expected="an entry of a known kind", found=error, entry=row.seq)


def _on(shelf: Shelf, hash: str) -> Game:
    game = shelf.get(hash)
    if game is None:
        fail("a rulebook is missing", expected=hash, found=None)
    return game


class _Finding:
    def __init__(self, file: JournalFile, table: TableId, number: RoundNumber, read: dict[str, Game] | None) -> None:
        self._file = file
        self._table = table
        self._number = number
        self._shelf = Shelf(file.rulebooks(), read)
        self._openings = [
            (entry.seq, event.rulebook)
            for entry in self._with(b'"event":"table_opened.v1"')
            for event in entry.events
            if isinstance(event, e.TableOpened)
        ]

    def _with(self, words: bytes) -> list[Entry]:
        return [_decoded(row) for row in self._file.entries_with(self._table, words)]

    def _game(self, seq: Seq) -> Game:
        """The rulebook in play at an entry."""
        in_play = [hash for opened, hash in self._openings if opened <= seq]
        if not in_play:
            fail("no opening before", expected="an opening of the table", found=None, table=self._table, entry=seq)
        return _on(self._shelf, in_play[-1])

    def entries(self) -> list[tuple[Entry, Game]]:
        # In JSON as it is stored, a round's number is followed by a comma in all that can touch a round later.
        touching = [entry for entry in self._with(b'"round":%d,' % self._number) if touches(entry, self._number)]
        first = next((entry for entry in touching if _opens(entry, self._number)), None)
        if first is None:
            raise NoSuchRound(f"table '{self._table}' has no round {self._number}")
        last = next((entry.seq for entry in touching if _concludes(entry, self._number)), Seq(2**62))
        within = [_decoded(row) for row in self._file.entries_between(self._table, first.seq, last)]
        later = [entry for entry in touching if entry.seq > last]
        return [(entry, self._game(entry.seq)) for entry in (*within, *later)]

    def layouts(self) -> dict[SeatId, LayoutId]:
        return {
            event.seat: self._layout(entry.seq, event.terminal)
            for entry in self._with(b'"event":"seat_taken.v1"')
            for event in entry.events
            if isinstance(event, e.SeatTaken)
        }

    def _layout(self, seq: Seq, terminal: TerminalId) -> LayoutId:
        return self._game(seq).terminals[terminal].layout.id


def _opens(entry: Entry, number: RoundNumber) -> bool:
    return any(isinstance(event, e.BetsOpened) and event.round == number for event in entry.events)
