"""A running house with one table, in the test's event loop, on a store with injected faults."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from roundhouse.config.loading import Configuration, parse
from roundhouse.floor.clock import Clock
from roundhouse.floor.house import RunningHouse
from roundhouse.floor.opening import key_for
from roundhouse.floor.table import RunningTable
from roundhouse.journal.entry import Answer
from roundhouse.rules.names import StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.names import RequestId, TableId
from tests.support.faulty_store import Fault, FaultySqliteStore

TABLE = TableId("t")
DEALER = StaffPosition.DEALER
TIMEOUT_SECONDS = 60
TOML = """
[house]
name = "H"
currency = "XXX"
play_money = true
data = "data"

[[tables]]
id = "t"
game = "{game}"
wheel = "{wheel}"
automatic = {automatic}

[tables.limits]
seat = {{ min = {min_cents}, max = 90000 }}
"""


def configured(
    tmp_path: Path, wheel: str = "none", automatic: bool = False, min_cents: int = 500, game: str = "rws-double-zero"
) -> Configuration:
    """Return a house with one table.

    The default game closes bets before the spin. If bets close while the ball is rotating, a fast simulated wheel can
    have a result before a busy machine has closed them, and the round is referred to a person.
    """
    text = TOML.format(wheel=wheel, automatic=str(automatic).lower(), min_cents=min_cents, game=game)
    return parse(text.encode(), tmp_path / "house.toml")


class OneTableHouse:
    """A house with one table that runs in this event loop."""

    def __init__(self, configuration: Configuration, clock: Clock | None = None, accept_time: bool = False) -> None:
        configuration.data.mkdir(exist_ok=True)
        self.store = FaultySqliteStore(configuration.journal)
        key = key_for(configuration.journal, self.store)
        try:
            self.house = RunningHouse(configuration, self.store, key, clock, accept_time)
        except BaseException:
            self.store.close()
            raise
        table = self.house.tables[TABLE]
        assert isinstance(table, RunningTable)
        self.table = table
        self._count = 0

    async def __aenter__(self) -> "OneTableHouse":
        await self.house.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.store.fault = Fault.NONE
        await self.house.close("the test has ended")

    async def ask(self, make: Callable[..., c.AnyCommand], by: StaffPosition = DEALER, **fields: Any) -> Answer:
        self._count += 1
        id = RequestId(f"{self.table.version}:{self._count}")
        return await self.table.ask(make(id=id, by=by, **fields))

    async def until(self, condition: Callable[[], object]) -> None:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                while not condition():
                    await asyncio.sleep(0.005)
        except TimeoutError:
            state, waits = self.table.table.state, self.table.projection.public_fields()
            raise AssertionError(f"timed out: {state.phase} {state.mode_reason!r} {waits} {self.alerts()}") from None

    def alerts(self) -> list[tuple[str, str]]:
        return [(alert.about, alert.text) for alert in self.house.house.alerts().values()]

    async def alert(self, about: str) -> str:
        await self.until(lambda: about in dict(self.alerts()))
        return dict(self.alerts())[about]
