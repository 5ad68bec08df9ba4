"""A table that runs by itself, with a real journal and a simulated wheel behind a pseudo-terminal, at high speed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from roundhouse import rulebooks
from roundhouse.floor.dealer import Dealer, Settings
from roundhouse.floor.opening import open_table
from roundhouse.floor.requests import understand
from roundhouse.floor.running import AutoLine, Running
from roundhouse.floor.world import RealWorld
from roundhouse.journal.entry import Answer
from roundhouse.table.names import TableId
from roundhouse.wheelhead.codes import codes_for
from roundhouse.wheelhead.driver import Driver
from roundhouse.wheelhead.listening import Listener
from roundhouse.wheelhead.simulator.chance import Chance
from roundhouse.wheelhead.simulator.machine import Machine
from roundhouse.wheelhead.simulator.noise import Cable
from roundhouse.wheelhead.simulator.played import Played
from roundhouse.wheelhead.simulator.scenario import REGULAR, Scenario, scenario
from roundhouse.wheelhead.simulator.serving import PseudoTerminal, serve
from roundhouse.wheelhead.sources import SerialSource

SPEED = 400.0
QUICK = Settings(betting_seconds=8, look_seconds=1, pause_seconds=1)


class House:
    def __init__(self, journal: Path, name: str, settings: Settings, words: tuple[str, ...]) -> None:
        self.game, content = rulebooks.find_with_content(name)
        rulebook, codes = self.game.rulebook, codes_for(self.game.wheel)
        self.codes = codes
        self.keeper, self._store = open_table(journal, TableId("t"), self.game, content, RealWorld())
        self.events: list[dict[str, Any]] = []
        self.countdown: list[int] = []
        self.played: list[Played] = []
        self.heard: list[bytes] = []
        plans: Iterator[Scenario] = iter([scenario(rulebook, word) if word else REGULAR for word in words])
        machine = Machine(rulebook, codes, Chance(7), lambda: next(plans, REGULAR), played=self.played.append)
        obey = machine.obey

        def overheard(line: bytes) -> tuple[bytes, ...]:
            self.heard.append(line)
            self.events.append({"event": "told", "line": line.decode()})
            return obey(line)

        machine.obey = overheard  # type: ignore[method-assign]
        self._terminal = PseudoTerminal()
        self._serving = asyncio.create_task(serve(machine, self._terminal, Cable(0, Chance(1)), SPEED, lambda: False))
        driver = Driver(Listener(SerialSource(self._terminal.path, False), 0.5, 0.05), rulebook, codes)
        self._running = Running(self.keeper, driver, Dealer(rulebook, codes, settings), self._line, speed=SPEED)
        self._run = asyncio.create_task(self._running.run(_nobody()))
        self._count = 0

    def _line(self, line: AutoLine) -> None:
        if isinstance(line.countdown, int):
            self.countdown.append(line.countdown)
        self.events += [msgspec.to_builtins(event) for event in line.events]

    def ask(self, by: str, do: str, **fields: object) -> Answer:
        self._count += 1
        request = understand(
            msgspec.json.encode({"id": f"t{self.keeper.version}:{self._count}", "by": by, "do": do, **fields})
        )
        assert not isinstance(request, Answer), request
        (answer,) = self._running.serve([request])
        self.events += [msgspec.to_builtins(event) for event in answer.events or []]
        return answer

    def sit(self, credits: int = 1_000_000) -> None:
        self.ask("pit_manager", "open_table")
        self.ask("player", "take_seat", seat="s", terminal=next(iter(self.game.terminals)))
        assert self.ask("cashier", "buy_credits", seat="s", cents=credits).ok

    def named(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"].partition(".")[0] == name]

    async def until(self, name: str, count: int = 1) -> dict[str, Any]:
        """The ``count``-th event of a name."""
        while len(self.named(name)) < count:
            if self._run.done():
                self._run.result()
            await asyncio.sleep(0.001)
        return self.named(name)[count - 1]

    def unplug(self) -> None:
        self._serving.cancel()

    async def close(self) -> None:
        for task in (self._run, self._serving):
            task.cancel()
        await asyncio.gather(self._run, self._serving, return_exceptions=True)
        self._terminal.close()
        self._store.close()


async def _nobody() -> AsyncIterator[Callable[[], None]]:
    await asyncio.Event().wait()
    yield lambda: None


def in_house(
    journal: Path,
    name: str,
    script: Callable[[House], Awaitable[None]],
    settings: Settings = QUICK,
    words: tuple[str, ...] = (),
) -> None:
    async def main() -> None:
        house = House(journal, name, settings, words)
        try:
            async with asyncio.timeout(120):
                await script(house)
        finally:
            await house.close()

    asyncio.run(main())
