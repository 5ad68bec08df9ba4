"""The committed state of a table, for readers on the event loop. The writer's own state may be ahead of it."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from roundhouse.floor.batch import Rounds
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry, Seq
from roundhouse.table.apply import apply
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import TableOpened
from roundhouse.table.names import RoundNumber
from roundhouse.table.state import Archive, RoundRecord, Table, TableState

_decode = msgspec.json.Decoder(TableState).decode


class PastRounds:
    """Reads past rounds, for corrections. Keeps none: the writer stored them with the same batch."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.changed: Rounds = {}
        """The rounds that the entries being applied changed, so that applying them does not read the store."""

    def round(self, number: RoundNumber) -> RoundRecord | None:
        return self.changed.get(number) or self._archive.round(number)

    def keep(self, record: RoundRecord) -> None:
        pass


class CommandQueue(Protocol):
    """The queue of a table: ``TableQueue``, or one without a thread in tests."""

    writer: TableWriter
    version: Seq
    moved_at: Seq

    async def ask(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]: ...


class CommittedTable:
    """A copy of the table, changed by committed entries alone. It is what the automatic dealer works at."""

    def __init__(self, queue: CommandQueue) -> None:
        self._queue = queue
        table = queue.writer.table
        self._past = PastRounds(table.archive)
        self.table = Table(table.game, _decode(msgspec.json.encode(table.state)), self._past)

    @property
    def state(self) -> TableState:
        return self.table.state

    @property
    def version(self) -> Seq:
        return self._queue.version

    @property
    def moved_at(self) -> Seq:
        return self._queue.moved_at

    def apply(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        """Apply committed entries. A table that is opened takes the latest rulebook."""
        self._past.changed = rounds
        for entry in entries:
            for event in entry.events:
                if isinstance(event, TableOpened) and event.rulebook != self.table.game.hash:
                    self.table = Table(self._queue.writer.latest, self.state, self.table.archive)
                apply(self.table, event, entry.facts.at)

    async def send(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]:
        return await self._queue.ask(*commands, expects=expects)
