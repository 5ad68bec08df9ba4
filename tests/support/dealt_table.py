"""One automatic table with a simulated wheel in virtual time, so that a whole night takes a second.

All parts are the real ones except the store, which is in memory, and the event loop's clock.
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
from tests.support.faulty_port import FaultyPort
from tests.support.inline_queue import InlineQueue
from tests.support.memory_store import MemoryStore
from tests.support.writers import command, open_writer

QUICK = Pace(betting_seconds=8, look_seconds=1, pause_seconds=1)
LIMIT_SECONDS = 3600.0
"""Virtual time after which a test fails."""


class DealtTable:
    """One automatic table with its simulated wheel.

    ``faults`` names the scenarios of the wheel's first games; an empty name is a regular game. ``plan`` returns the
    scenario of the next game and replaces ``faults``.
    """

    def __init__(
        self,
        store: MemoryStore,
        name: str,
        settings: Pace = QUICK,
        faults: tuple[str, ...] = (),
        plan: Callable[[], Scenario] | None = None,
        seed: int = 7,
        noise: float = 0.0,
        animated: bool = True,
        delay: Callable[[], float] = lambda: 0.0,
        simulated: bool = True,
    ) -> None:
        self.game, self._content = rulebooks.find_with_content(name)
        self._store, self._settings, self._delay, self._simulated = store, settings, delay, simulated
        self._plan, self._faults, self._chance, self._noise = plan, faults, Chance(seed), noise
        self.codes = codes_for(self.game.wheel)
        self.notices: list[Notice] = []
        self.events: list[dict[str, Any]] = []
        self._by_name: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.countdown: list[int] = []
        self.played: list[Played] = []
        self.paths: list[Path] = []
        self._animated = animated
        self.wheel_commands: list[str] = []
        self._changed = asyncio.Event()
        self._count = 0
        self._open_table()
        self._start_wheel()
        self._start_dealer()

    def _open_table(self) -> None:
        self.writer = open_writer(self._store, TableId("t"), self.game, self._content)
        for event in self.writer.recovered:
            self._note(msgspec.to_builtins(event))
        self.queue = InlineQueue(self.writer, self._delay)
        self.committed = CommittedTable(self.writer.table, self.writer.latest, self.writer.table.archive)
        self.dealers_table = DealersTable(self.committed, self.queue)
        self.queue.on_committed = self._committed

    def _start_wheel(self) -> None:
        rulebook = self.game.rulebook
        plans: Iterator[Scenario] = iter([scenario(rulebook, fault) if fault else REGULAR for fault in self._faults])
        self.wheel = SimulatedWheel(
            rulebook,
            self.codes,
            self._chance,
            next_scenario=self._plan or (lambda: next(plans, REGULAR)),
            played=self.played.append,
            path=self.paths.append if self._animated else None,
            # Without the modes that the dealer itself sets: waiting for the table and reversing each game.
            mode=Mode.AUTOMATIC_STATUS,
            noise=self._noise,
        )
        self._record_wheel_commands()
        self._turning = asyncio.create_task(self.wheel.turn())

    def _start_dealer(self) -> None:
        rulebook = self.game.rulebook
        self.port = FaultyPort(self.wheel.source)
        driver = Driver(Listener(self.port), rulebook, self.codes)
        dealer = Dealer(rulebook, self.codes, self._settings, self._simulated)
        self.table = DealerLoop(self.dealers_table, driver, dealer, self._receive)
        self.running = asyncio.create_task(self.table.run())

    async def restart(self) -> None:
        """Kill the server and start it again. A simulated wheel dies with it; a physical one goes on turning."""
        self.queue.kill()
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)
        self._open_table()
        if self._simulated:
            self._turning.cancel()
            await asyncio.gather(self._turning, return_exceptions=True)
            self._start_wheel()
        self._start_dealer()

    @property
    def state(self) -> TableState:
        return self.committed.state

    def _record_wheel_commands(self) -> None:
        obey = self.wheel.machine.obey

        def recorded(line: bytes) -> tuple[bytes, ...]:
            self.wheel_commands.append(line.decode())
            self._note({"event": "wheel_command", "line": line.decode(), "phase": self.state.phase})
            return obey(line)

        self.wheel.machine.obey = recorded  # type: ignore[method-assign]

    def _committed(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        for entry in entries:
            self.committed.apply(entry, rounds)
            for event in entry.events:
                self._note(msgspec.to_builtins(event))
        self.table.table_changed()
        self._changed.set()

    def _receive(self, notice: Notice) -> None:
        self.notices.append(notice)
        match notice:
            case BetsCloseAt(countdown=int(countdown)):
                self.countdown.append(countdown)

    def _note(self, event: dict[str, Any]) -> None:
        """Record an event, with the number of balls that the wheel has launched."""
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
        """Wait for the ``count``-th event with this name and return it."""
        while len(found := self.named(name)) < count:
            if self.running.done():
                self.running.result()
                raise AssertionError(f"the dealer loop ended before the event {name}")
            self._changed.clear()
            waiting = asyncio.ensure_future(self._changed.wait())
            await asyncio.wait((waiting, self.running), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        return found[count - 1]

    async def return_to_automatic(self) -> None:
        """Hand back every 10 seconds until the dealer stays in automatic mode; fail after ten minutes."""
        for _ in range(60):
            assert self.ask("dealer", "hand_back").ok
            await asyncio.sleep(10)
            if self.state.automatic:
                return
        raise AssertionError(f"the dealer stays in manual mode: {self.state.mode_reason}")

    def describe(self) -> str:
        """Summarise the table, the dealer and the wheel for a failure message."""
        reasons = [event["reason"] for event in self.named("manual_mode_entered")]
        waits = [notice.why for notice in self.notices if isinstance(notice, DealerWaiting)][-1:]
        last = f"{self.wheel_commands[-8:]} {self.notices[-4:]}"
        return f"{self.state.phase} {self.state.mode_reason!r} {reasons} {waits} {last}"

    def unplug(self) -> None:
        self.wheel.source.unplug()

    def plug(self) -> None:
        self.wheel.source.plug()

    def silence(self) -> None:
        """Stop the wheel from sending, without closing the connection."""
        self._turning.cancel()

    async def close(self) -> None:
        for task in (self.running, self._turning):
            task.cancel()
        await asyncio.gather(self.running, self._turning, return_exceptions=True)


def run_dealt_table(
    name: str,
    script: Callable[[DealtTable], Awaitable[None]],
    settings: Pace = QUICK,
    faults: tuple[str, ...] = (),
    store: MemoryStore | None = None,
    seed: int = 7,
    noise: float = 0.0,
    simulated: bool = True,
) -> None:
    async def main() -> None:
        house = DealtTable(store or MemoryStore(), name, settings, faults, seed=seed, noise=noise, simulated=simulated)
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                await script(house)
        except TimeoutError:
            raise AssertionError(f"the test timed out: {house.describe()}") from None
        finally:
            await house.close()

    virtual_time.run(main())


def outcome(house: DealtTable, code: Code | None) -> Pocket:
    assert code is not None
    return house.game.wheel.at(house.codes.segment_of[code])
