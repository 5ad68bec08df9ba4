"""The parts of a running house, put together: floor, people, counters, hubs, sockets, and the application."""

import secrets
from pathlib import Path
from typing import Final

from starlette.applications import Starlette

import roundhouse
from roundhouse.house.configuration import Configuration
from roundhouse.house.opening import open_store
from roundhouse.server.app import build_on
from roundhouse.server.hub import Hub
from roundhouse.server.hubs import Hubs
from roundhouse.server.running.house import RunningHouse
from roundhouse.server.service import Service
from roundhouse.server.settings import settings_of
from roundhouse.server.sockets import Sockets
from roundhouse.server.wire.operations import SelfCheck

_PAGES: Final = Path(roundhouse.__file__).parent / "web" / "dist"


class Assembly:
    """Made in the loop that it runs in. The journal is this process's from here on, until the house is closed."""

    def __init__(self, configuration: Configuration) -> None:
        store, key = open_store(configuration.journal)
        try:
            self.running = RunningHouse(configuration, store, key)
        except BaseException:
            store.close()
            raise
        pages = _PAGES if _PAGES.is_dir() else None
        self.service = Service(self.running, self.running.house, settings_of(configuration, pages))
        store.on_commit = self.service.metrics.commits.took
        self.running.show = self._show
        # Numbers of changes mean something within one start of the server.
        epoch, clock = secrets.token_urlsafe(9), self.service.clock
        hubs = Hubs({table.id: Hub(table.keeper, table.facts, epoch, clock) for table in self.running.running})
        self.running.listen(hubs)
        self.sockets = Sockets(self.service, hubs.of)
        self.running.house.chain.on_recorded = self.sockets.recorded
        self.app: Starlette = build_on(self.service, self.sockets.routes())

    async def start(self) -> None:
        await self.running.start()
        self.running.do(self.sockets.look(), "sockets")

    def _show(self, found: SelfCheck) -> None:
        self.service.self_check = found
