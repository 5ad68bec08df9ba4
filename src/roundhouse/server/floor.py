"""What the server needs of a running floor: its tables, to read and to ask. Who runs them is not its business."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.game import Game
from roundhouse.server.wire.tables import TableFacts, WheelShown
from roundhouse.server.wire.wheels import WheelLine
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Millis, TableId
from roundhouse.table.state import Table


class OpenTable(Protocol):
    """One table that runs."""

    @property
    def id(self) -> TableId: ...

    @property
    def game(self) -> Game:
        """The rulebook in play."""

    @property
    def table(self) -> Table:
        """Its state, to decide on. It may be ahead of the journal by what is being written: never show it."""

    @property
    def facts(self) -> TableFacts: ...

    @property
    def version(self) -> Seq:
        """How many entries its chain has."""

    @property
    def running(self) -> bool:
        """Whether its writer is alive and the journal took what it last wrote."""

    @property
    def deadline(self) -> Millis | None:
        """When bets are going to be closed, where that is known."""

    @property
    def wheel(self) -> WheelShown | None: ...

    def line(self) -> WheelLine | None:
        """What was heard on the wheel's line, where there is one."""

    def put(self, command: AnyCommand, deliver: Callable[[Answer], None]) -> None:
        """``deliver`` is called with the answer once it is durable, in the order of the requests."""

    async def ask(self, command: AnyCommand) -> Answer:
        """The answer, when what it caused is durable. What it shows of the state is durable too."""


class Floor(Protocol):
    @property
    def tables(self) -> Mapping[TableId, OpenTable]: ...

    @property
    def journal(self) -> Path:
        """The journal's file, for those who only read it."""
