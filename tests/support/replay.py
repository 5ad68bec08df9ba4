"""Replaying a journal's events from the first one, with nothing but them."""

from roundhouse.journal.entry import decode
from roundhouse.table.apply import apply
from roundhouse.table.names import RoundNumber
from roundhouse.table.state import RoundRecord, Table, TableState
from tests.support.tables import Play


class Shelf:
    """Past rounds in memory, for replaying."""

    def __init__(self) -> None:
        self._rounds: dict[RoundNumber, RoundRecord] = {}

    def round(self, number: RoundNumber) -> RoundRecord | None:
        return self._rounds.get(number)

    def keep(self, record: RoundRecord) -> None:
        self._rounds[record.number] = record


def replayed(play: Play) -> TableState:
    """The memory that the journal's events give, from the first one."""
    table = Table(play.game, TableState(), Shelf())
    for row in play.store.rows(play.id):
        entry = decode(row.body)
        for event in entry.events:
            apply(table, event, entry.facts.at)
    return table.state
