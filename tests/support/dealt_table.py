"""A house for tests: a running table with its simulated wheel, in a time of its own, so that a night takes a second.

Everything is the program's own, but for the store, which forgets, and the clock, which does not wait.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import msgspec

from roundhouse import rulebooks
from roundhouse.dealer.dealer import Dealer
from roundhouse.dealer.loop import BetsCloseAt, DealerLoop, DealerWaiting, Notice
from roundhouse.dealer.steps import Pace
from roundhouse.floor.batch import Rounds
from roundhouse.floor.projection import CommittedTable
from roundhouse.floor.wheels import DealersTable
from roundhouse.journal.entry import Answer, Entry
from roundhouse.rules.names import Pocket
from roundhouse.table.names import TableId
from roundhouse.table.state import TableState
from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.commands import Mode
from roundhouse.wheel.driver import Driver, Listener
from roundhouse.wheel.protocol import Code
from roundhouse.wheel.simulator.draws import Chance
from roundhouse.wheel.simulator.port import Path, SimulatedWheel
from roundhouse.wheel.simulator.scenario import REGULAR, Played, Scenario, scenario
from tests.support import virtual_time
from tests.support.inline_queue import InlineQueue
from tests.support.memory_store import MemoryStore
from tests.support.writers import command, open_writer

QUICK = Pace(betting_seconds=8, look_seconds=1, pause_seconds=1)
LIMIT_SECONDS = 3600.0
"""Of the house's own time. Nothing in these tests takes an hour."""


class DealtTable:
    """``words`` go wrong in the first games; ``plan`` says it for every game instead."""

    def __init__(
        self,
        store: MemoryStore,
        name: str,
        settings: Pace = QUICK,
        words: tuple[str, ...] = (),
        plan: Callable[[], Scenario] | None = None,
        seed: int = 7,
        noise: float = 0.0,
        animated: bool = True,
        delay: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.game, content = rulebooks.find_with_content(name)
        rulebook, self.codes = self.game.rulebook, codes_for(self.game.wheel)
        self.writer = open_writer(store, TableId("t"), self.game, content)
        self.queue = InlineQueue(self.writer, delay)
        self.committed = CommittedTable(self.writer.table, self.writer.latest, self.writer.table.archive)
        self.dealers_table = DealersTable(self.committed, self.queue)
        self.queue.on_committed = self._committed
        self.news: list[Notice] = []
        self.events: list[dict[str, Any]] = []
        self._by_name: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.countdown: list[int] = []
        self.played: list[Played] = []
        self.paths: list[Path] = []
        self.heard: list[str] = []
        plans: Iterator[Scenario] = iter([scenario(rulebook, word) if word else REGULAR for word in words])
        self.wheel = SimulatedWheel(
            rulebook,
            self.codes,
            Chance(seed),
            next_scenario=plan or (lambda: next(plans, REGULAR)),
            played=self.played.append,
            path=self.paths.append if animated else None,
            # Only the dealer's own word makes it wait for the table and turn the other way each game.
            mode=Mode.AUTOMATIC_STATUS,
            noise=noise,
        )
        self._overhear()
        self._turning = asyncio.create_task(self.wheel.turn())
        driver = Driver(Listener(self.wheel.source), rulebook, self.codes)
        self.table = DealerLoop(self.dealers_table, driver, Dealer(rulebook, self.codes, settings), self._hear)
        self.running = asyncio.create_task(self.table.run())
        self._changed = asyncio.Event()
        self._count = 0

    @property
    def memory(self) -> TableState:
        return self.committed.state

    def _overhear(self) -> None:
        obey = self.wheel.machine.obey

        def overheard(line: bytes) -> tuple[bytes, ...]:
            self.heard.append(line.decode())
            self._note({"event": "told", "line": line.decode(), "phase": self.memory.phase})
            return obey(line)

        self.wheel.machine.obey = overheard  # type: ignore[method-assign]

    def _committed(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        for entry in entries:
            self.committed.apply(entry, rounds)
            for event in entry.events:
                self._note(msgspec.to_builtins(event))
        self.table.table_changed()
        self._changed.set()

    def _hear(self, news: Notice) -> None:
        self.news.append(news)
        match news:
            case BetsCloseAt(countdown=int(countdown)):
                self.countdown.append(countdown)

    def _note(self, event: dict[str, Any]) -> None:
        """Each with how many balls the wheel had launched by then."""
        event["launches"] = len(self.played)
        self.events.append(event)
        self._by_name[event["event"].partition(".")[0]].append(event)

    def ask(self, by: str, do: str, **fields: object) -> Answer:
        self._count += 1
        id = f"t{self.writer.version}:{self._count}"
        (answer,) = self.queue.handle([command(id, by, do, **fields)])
        return answer

    def sit(self, credits: int = 1_000_000) -> None:
        self.ask("pit_manager", "open_table")
        self.ask("player", "take_seat", seat="s", terminal=next(iter(self.game.terminals)))
        assert self.ask("cashier", "buy_credits", seat="s", cents=credits).ok

    def named(self, name: str) -> list[dict[str, Any]]:
        return list(self._by_name[name])

    async def until(self, name: str, count: int = 1) -> dict[str, Any]:
        """The ``count``-th event of a name."""
        while len(found := self.named(name)) < count:
            if self.running.done():
                self.running.result()
                raise AssertionError(f"the dealing has ended, and there was no {name}")
            self._changed.clear()
            waiting = asyncio.ensure_future(self._changed.wait())
            await asyncio.wait((waiting, self.running), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        return found[count - 1]

    async def back_to_the_dealer(self) -> None:
        """Handed back, and again while the wheel says that it is not fit for it; ten minutes must be enough."""
        for _ in range(60):
            assert self.ask("dealer", "hand_back").ok
            await asyncio.sleep(10)
            if self.memory.automatic:
                return
        raise AssertionError(f"the dealer does not go on: {self.memory.mode_reason}")

    def story(self) -> str:
        """Where everything stands, for whoever has to find out why a test failed."""
        reasons = [event["reason"] for event in self.named("manual_mode_entered")]
        waits = [news.why for news in self.news if isinstance(news, DealerWaiting)][-1:]
        return f"{self.memory.phase} {self.memory.mode_reason!r} {reasons} {waits} {self.heard[-8:]} {self.news[-4:]}"

    def unplug(self) -> None:
        self.wheel.source.unplug()

    def plug(self) -> None:
        self.wheel.source.plug()

    def silence(self) -> None:
        """The line stands, and the wheel says nothing."""
        self._turning.cancel()

    async def close(self) -> None:
        for task in (self.running, self._turning):
            task.cancel()
        await asyncio.gather(self.running, self._turning, return_exceptions=True)


def run_dealt_table(
    name: str,
    script: Callable[[DealtTable], Awaitable[None]],
    settings: Pace = QUICK,
    words: tuple[str, ...] = (),
    store: MemoryStore | None = None,
    seed: int = 7,
    noise: float = 0.0,
) -> None:
    async def main() -> None:
        house = DealtTable(store or MemoryStore(), name, settings, words, seed=seed, noise=noise)
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                await script(house)
        except TimeoutError:
            raise AssertionError(f"nothing happens any more: {house.story()}") from None
        finally:
            await house.close()

    virtual_time.run(main())


def outcome(house: DealtTable, code: Code | None) -> Pocket:
    assert code is not None
    return house.game.wheel.at(house.codes.segment_of[code])
