"""The tables of a running house, as the server uses them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from roundhouse.floor.cage import RunningCage
from roundhouse.floor.feed import TableFeed
from roundhouse.floor.projection import TableProjection
from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.game import Game
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import RequestId, SeatId, TableId
from roundhouse.table.state import Table
from roundhouse.wire.operations import WheelLineInfo


class TableAccess(Protocol):
    """A table as the server uses it: ``RunningTable`` or ``DamagedTable``."""

    @property
    def id(self) -> TableId: ...

    @property
    def game(self) -> Game:
        """The rulebook in play."""

    @property
    def table(self) -> Table:
        """The committed table. Callers must not change it."""

    @property
    def projection(self) -> TableProjection:
        """The table as displays see it."""

    @property
    def feed(self) -> TableFeed:
        """The changes of the projection, for WebSocket connections."""

    @property
    def running(self) -> bool:
        """Whether the table accepts commands and its last commit succeeded."""

    @property
    def wheel_ready(self) -> bool | None:
        """Whether the wheel can be relied on now; ``None`` if the table has no wheel."""

    def line(self) -> WheelLineInfo | None:
        """Report on the wheel's connection; ``None`` if the table has no wheel."""

    def report_lost_terminals(self, seats: Sequence[SeatId]) -> None:
        """Report terminals that lost their connection and did not return in time."""

    def put(self, command: AnyCommand, deliver: Callable[[Answer], None]) -> None:
        """Queue a command. ``deliver`` receives its answer once it is durable, in the order of the commands."""

    @property
    def moved_at(self) -> Seq:
        """Number of the last committed entry that affects more than one seat."""

    async def has_recorded(self, id: RequestId) -> bool:
        """Return whether the journal contains a request with this id."""

    async def ask(self, command: AnyCommand, expects: Seq | None = None) -> Answer:
        """Queue a command and return its answer once it is durable.

        If ``expects`` is given and ``moved_at`` differs when it is decided, it is refused with ``state_has_changed``.
        """


class Floor(Protocol):
    """The tables of a running house, as the server uses them."""

    @property
    def tables(self) -> Mapping[TableId, TableAccess]: ...

    @property
    def cage(self) -> RunningCage | None:
        """The cage; ``None`` if the house has none."""

    @property
    def journal(self) -> Path:
        """Path of the journal, for readers such as reports and exports."""

    async def sign_now(self) -> None:
        """Sign the newest entries of all tables."""
