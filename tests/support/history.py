"""The entries of one table, read from its journal a piece at a time, with the facts that a test needs of them."""

from enum import StrEnum
from pathlib import Path

from roundhouse.journal.entry import BEGINNING, GENESIS, ChainHash, Entry, Seq, decode, link
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.table import events as e
from roundhouse.table.names import TableId
from tests.support.random_script import money


class Stage(StrEnum):
    """How far the last round of a journal has come."""

    BETWEEN_ROUNDS = "between rounds"
    BETS_OPEN = "bets open"
    BETS_CLOSED = "bets closed"
    SPINNING = "wheel spinning"
    AT_REST = "ball at rest"


class History:
    """Reads what a journal has gained since the last look."""

    def __init__(self, path: Path, table: str) -> None:
        self._path, self._table = path, TableId(table)
        self._seq, self._hash = BEGINNING, ChainHash(GENESIS)
        self.recorded: dict[str, Entry] = {}
        """Entries by the id of their request."""
        self.credits: dict[str, int] = {}
        self.stage = Stage.BETWEEN_ROUNDS

    def read(self) -> None:
        """Read the new entries, and check their numbers, their hashes and that each request is there once."""
        store = SqliteStore(self._path, read_only=True)
        try:
            rows = list(store.rows(self._table, self._seq))
        finally:
            store.close()
        new = []
        for row in rows:
            assert (row.seq, row.hash) == (self._seq + 1, link(self._hash, row.body))
            self._seq, self._hash = Seq(row.seq), row.hash
            new.append(entry := decode(row.body))
            if entry.request is not None:
                assert str(entry.request.id) not in self.recorded, "a request is carried out once"
                self.recorded[str(entry.request.id)] = entry
            for event in entry.events:
                self.stage = _stage_after(event, self.stage)
        self.credits = money(new, self.credits)


def _stage_after(event: object, stage: Stage) -> Stage:
    match event:
        case e.BetsOpened():
            return Stage.BETS_OPEN
        case e.BetsClosed() if stage is Stage.BETS_OPEN:
            return Stage.BETS_CLOSED
        case e.SpinStarted():
            return Stage.SPINNING
        case e.BallRested():
            return Stage.AT_REST
        case e.RoundSettled() | e.RoundVoided():
            return Stage.BETWEEN_ROUNDS
        case _:
            return stage
