"""The committed state of a table, for readers on the event loop. The writer's working state may be ahead of it."""

from typing import Protocol

import msgspec

from roundhouse.floor.batch import Rounds
from roundhouse.journal.entry import Answer, Entry, Seq
from roundhouse.rules.game import Game
from roundhouse.table.apply import apply
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import TableOpened
from roundhouse.table.names import RoundNumber
from roundhouse.table.state import Archive, RoundRecord, Table, TableState

_decode = msgspec.json.Decoder(TableState).decode


class PastRounds:
    """Reads past rounds, which corrections need. It stores none, because the writer has stored them already."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.changed: Rounds = {}
        """Past rounds changed by the batch being applied, so that they are not read from the store."""

    def round(self, number: RoundNumber) -> RoundRecord | None:
        return self.changed.get(number) or self._archive.round(number)

    def keep(self, record: RoundRecord) -> None:
        pass


class CommittedTable:
    """A copy of a table that only committed entries change. ``latest`` is the rulebook of its next opening."""

    def __init__(self, table: Table, latest: Game, archive: Archive) -> None:
        self._latest, self._past = latest, PastRounds(archive)
        self.table = Table(table.game, _decode(msgspec.json.encode(table.state)), self._past)

    @property
    def state(self) -> TableState:
        return self.table.state

    def apply(self, entry: Entry, rounds: Rounds) -> None:
        """Apply a committed entry. ``rounds`` are the past rounds that its batch changed."""
        self._past.changed = rounds
        for event in entry.events:
            if type(event) is TableOpened and event.rulebook != self.table.game.hash:
                assert event.rulebook == self._latest.hash, "a table is opened with the latest rulebook"
                self.table = Table(self._latest, self.state, self._past)
            apply(self.table, event, entry.facts.at)


class HasState(Protocol):
    @property
    def state(self) -> TableState: ...


class CommandQueue(Protocol):
    """The queue of a table: ``TableQueue``, or a queue without a thread in tests."""

    version: Seq
    moved_at: Seq

    async def ask(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]: ...


class DealersTable:
    """A table as the automatic dealer uses it: its committed state and its command queue."""

    def __init__(self, committed: HasState, queue: CommandQueue) -> None:
        self._committed, self._queue = committed, queue

    @property
    def state(self) -> TableState:
        return self._committed.state

    @property
    def version(self) -> Seq:
        return self._queue.version

    @property
    def moved_at(self) -> Seq:
        return self._queue.moved_at

    async def send(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]:
        return await self._queue.ask(*commands, expects=expects)
