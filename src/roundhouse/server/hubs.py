"""The hubs of all tables, as a running house tells them what happens. Whatever fails in one, its table goes on."""

from collections.abc import Mapping, Sequence

from roundhouse.floor.news import News
from roundhouse.journal.entry import Entry
from roundhouse.server.hub import Hub
from roundhouse.server.logs import log_bug
from roundhouse.table.names import TableId


class Hubs:
    def __init__(self, hubs: Mapping[TableId, Hub]) -> None:
        self.of = hubs

    def landed(self, table: TableId, entries: Sequence[Entry]) -> None:
        hub = self.of[table]
        if not hub.failed:
            try:
                hub.landed(entries)
            except Exception as bug:
                _failed(hub, bug)

    def news(self, table: TableId, news: News) -> None:
        hub = self.of[table]
        if not hub.failed:
            try:
                hub.heard(news)
            except Exception as bug:
                _failed(hub, bug)


def _failed(hub: Hub, bug: Exception) -> None:
    """What it shows may be wrong from here on, so it shows nothing; whoever listened is told to go."""
    log_bug("a hub failed", bug, table=hub.id)
    hub.fail()
