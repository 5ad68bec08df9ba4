"""A table of the floor as the server sees it: its writer, and what the house has set for it."""

import asyncio
from functools import partial

from roundhouse.floor.writing import Deliver, TableWriter
from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.game import Game
from roundhouse.server.wire.tables import TableFacts, WheelShown
from roundhouse.server.wire.wheels import WheelLine
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Millis, TableId
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
        return not self.writer.failed.done() and not self.writer.keeper.adrift

    def line(self) -> WheelLine | None:
        return None

    def put(self, command: AnyCommand, deliver: Deliver) -> None:
        """``deliver`` is called with the answer once it is durable. The one door for whatever people ask."""
        self.writer.put(command, deliver)

    async def ask(self, command: AnyCommand) -> Answer:
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.put(command, partial(_answer, answered))
        return await answered


def _answer(answered: "asyncio.Future[Answer]", answer: Answer) -> None:
    # Who asked may be gone: the request stands all the same.
    if not answered.done():
        answered.set_result(answer)
