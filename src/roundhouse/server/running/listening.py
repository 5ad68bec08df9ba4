"""Who listens to the tables of a running house: sockets, mostly. What is told here is durable, or only for showing."""

from collections.abc import Sequence
from typing import Protocol

from roundhouse.floor.news import News
from roundhouse.journal.entry import Entry
from roundhouse.table.names import TableId


class Listener(Protocol):
    """Called in the loop of the house. Neither may wait, and neither may raise."""

    def landed(self, table: TableId, entries: Sequence[Entry]) -> None:
        """Entries that are durable, in their order, whoever asked for them."""

    def news(self, table: TableId, news: News) -> None:
        """What the clock says and how the wheel stands. What happened is told by ``landed`` alone."""


class NobodyListens:
    def landed(self, table: TableId, entries: Sequence[Entry]) -> None:
        pass

    def news(self, table: TableId, news: News) -> None:
        pass
