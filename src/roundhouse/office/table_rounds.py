"""Finds the rounds of a table by number, time and entry, through the journal's index and the archive of rounds.

No look-up reads all entries. Only a journal of the first format, which has no index, is read once from its beginning.
"""

from collections import OrderedDict, defaultdict
from contextlib import suppress

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import RulebookSet, decode_row
from roundhouse.journal.entry import Entry, Seq
from roundhouse.journal.index import OPENING, IndexKey, keys_of, round_key, seat_key
from roundhouse.office.dealers import DealerName, dealt
from roundhouse.office.records import Records
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import LayoutId
from roundhouse.table import events as e
from roundhouse.table.names import Millis, RoundNumber, SeatId, TableId
from roundhouse.table.state import RoundRecord

_ROUND_KEYS = (IndexKey("round:"), IndexKey("round;"))
"""Bounds of the index keys of rounds."""
_KEYS_BETWEEN = (
    "SELECT DISTINCT key FROM entry_index WHERE table_id = ? AND key BETWEEN ? AND ? AND seq BETWEEN ? AND ?"
)
_NO_ROUND = RoundNumber(0)
"""Number that referrals without a round name."""
_KEPT_ROUNDS = 64


class TableRounds:
    """The rounds of one table."""

    def __init__(self, records: Records, table: TableId) -> None:
        self._records = records
        self.table = table
        self._rulebooks = RulebookSet(records.rulebooks())
        self._layouts: dict[tuple[SeatId, str], LayoutId] = {}
        self._games: dict[RoundNumber, Game] = {}
        self._dealers: dict[RoundNumber, DealerName] = {}
        self._entries: OrderedDict[RoundNumber, list[Entry]] = OrderedDict()
        self._keys: dict[IndexKey, list[Seq]] | None = None if records.is_indexed else self._read_keys()

    def _read_keys(self) -> dict[IndexKey, list[Seq]]:
        found: dict[IndexKey, list[Seq]] = defaultdict(list)
        for row in self._records.entries(self.table):
            for key in keys_of(decode_row(row).events):
                found[key].append(row.seq)
        return found

    def between(self, first: Seq, last: Seq) -> list[RoundNumber]:
        """Return the rounds that the entries ``first`` to ``last`` name, in order. They may have begun earlier."""
        if self._keys is None:
            sql = _KEYS_BETWEEN
            keys = [key for (key,) in self._records.rows(sql, (self.table, *_ROUND_KEYS, first, last), (str,))]
        else:
            low, high = _ROUND_KEYS
            keys = [
                key
                for key, seqs in self._keys.items()
                if low < key < high and any(first <= seq <= last for seq in seqs)
            ]
        return sorted({RoundNumber(int(key.partition(":")[2])) for key in keys} - {_NO_ROUND})

    def first_seq(self, number: RoundNumber) -> Seq:
        """Return the entry that opened a round."""
        if self._keys is not None:
            return self._keys[round_key(number)][0]
        sql = "SELECT seq FROM entry_index WHERE table_id = ? AND key = ? ORDER BY seq LIMIT 1"
        return Seq(next(self._records.rows(sql, (self.table, round_key(number)), (int,)))[0])

    def began_at(self, number: RoundNumber) -> Millis:
        return self._records.instant_of(self.table, self.first_seq(number))

    def entries(self, number: RoundNumber) -> list[Entry]:
        """Return the entries that name a round, in order. Bets do not name it."""
        if (found := self._entries.get(number)) is None:
            found = self._entries[number] = self._records.entries_about(self.table, round_key(number))
            if len(self._entries) > _KEPT_ROUNDS:
                self._entries.popitem(last=False)
        return found

    def entries_during(self, number: RoundNumber) -> list[Entry]:
        """Return all entries from the opening of a round to that of the next one, or to the end of the journal."""
        first, last = self.first_seq(number), self._records.head(self.table).entries
        with suppress(StopIteration, KeyError):
            last = Seq(self.first_seq(RoundNumber(number + 1)) - 1)
        return [decode_row(row) for row in self._records.entries_between(self.table, first, last)]

    def record(self, number: RoundNumber) -> RoundRecord | None:
        """Return the record of a finished round, with its final result, or None for a round in progress."""
        return self._records.round_record(self.table, number)

    def dealer(self, number: RoundNumber) -> DealerName:
        """Return the Dealer to whom reports count a round."""
        if (dealer := self._dealers.get(number)) is None:
            dealer = self._dealers[number] = dealt(self.entries(number), number).dealer
        return dealer

    def game(self, number: RoundNumber) -> Game:
        """Return the game by which a round was played."""
        if (game := self._games.get(number)) is None:
            game = self._games[number] = self.game_at(self.first_seq(number))
        return game

    def game_at(self, seq: Seq) -> Game:
        """Return the game that was in play at an entry. Before the first opening, it is the table's first game."""
        opening = self._records.last_about(self.table, OPENING, seq)
        opened = [event for event in opening.events if isinstance(event, e.TableOpened)] if opening else []
        hash = opened[-1].rulebook if opened else dict(self._records.tables())[self.table]
        return self._game(hash)

    def _game(self, hash: str) -> Game:
        if (game := self._rulebooks.get(hash)) is None:
            fail("a rulebook is missing", expected=hash, found=None, table=self.table)
        return game

    def layout(self, seat: SeatId, game: Game) -> Layout:
        """Return the layout on which a seat bets in a game."""
        if (id := self._layouts.get((seat, game.hash))) is None:
            id = self._layouts[seat, game.hash] = self._layout_id(seat, game)
        return game.layouts[id]

    def _layout_id(self, seat: SeatId, game: Game) -> LayoutId:
        found: LayoutId | None = None
        for entry in self._records.entries_about(self.table, seat_key(seat)):
            for event in entry.events:
                if isinstance(event, e.SeatTaken) and event.seat == seat:
                    terminal = self.game_at(entry.seq).terminals.get(event.terminal)
                    found = event.layout or (terminal.layout.id if terminal is not None else found)
        if found is None or found not in game.layouts:
            fail("the layout of a seat is not on record", expected=sorted(game.layouts), found=found, table=self.table)
        return found
