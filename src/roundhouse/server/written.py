"""A table of the floor as the server sees it: its writer, and what the house has set for it."""

import asyncio
from typing import Any

from roundhouse.floor.writing import TableWriter
from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.game import Game
from roundhouse.server.wire.tables import TableFacts, WheelShown
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Millis, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table


class WrittenTable:
    """Whoever deals sets ``deadline`` and ``wheel``; nobody else may."""

    def __init__(self, writer: TableWriter, facts: TableFacts) -> None:
        self.writer = writer
        self.facts = facts
        self.deadline: Millis | None = None
        self.wheel: WheelShown | None = None

    @property
    def id(self) -> TableId:
        return self.writer.keeper.id

    @property
    def table(self) -> Table:
        return self.writer.keeper.table

    @property
    def game(self) -> Game:
        return self.table.game

    @property
    def version(self) -> Seq:
        return self.writer.keeper.version

    @property
    def running(self) -> bool:
        return not self.writer.failed.done()

    async def ask(self, command: AnyCommand) -> Answer:
        """A writer that has failed answers nothing any more: then nothing has happened, and that is the answer."""
        if self.running:
            asked = asyncio.ensure_future(self.writer.ask(command))
            either: list[asyncio.Future[Any]] = [asked, self.writer.failed]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                return asked.result()
            asked.cancel()
        reason = "the table's writer has stopped; its journal must be looked at"
        return Answer(command.id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=reason)
