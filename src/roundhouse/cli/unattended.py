"""``roundhouse deal --wheel``: a table, its wheel and the automatic dealer in one loop; people are served meanwhile."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from roundhouse.cli.wheel.common import codes_of
from roundhouse.floor.dealer import Dealer, Settings
from roundhouse.floor.keeper import Keeper
from roundhouse.floor.running import Running
from roundhouse.journal.entry import Answer
from roundhouse.rules.game import Game
from roundhouse.rules.mistakes import Mistake
from roundhouse.table.commands import AnyCommand
from roundhouse.wheelhead.codes import Codes
from roundhouse.wheelhead.driver import Driver
from roundhouse.wheelhead.listening import SILENCE_SECONDS, Listener
from roundhouse.wheelhead.sources import SerialSource, Source, source

_SIMULATED = "simulated"
_LEAST_SILENCE = 1.0
"""However fast a simulated wheel talks, a busy machine may keep it waiting so long."""

Handle = Callable[[Sequence[AnyCommand]], list[Answer]]
Answers = Callable[[Handle, list[bytes]], list[Answer]]


class NoSuchSpeed(Mistake):
    """A speed of the simulated wheel that is no number above nothing."""


def run(
    keeper: Keeper,
    port: str,
    auto: bool,
    pace: dict[str, Any],
    batches: Iterator[list[bytes]],
    answers: Answers,
    write: Callable[[Sequence[object]], None],
) -> None:
    game = keeper.table.game
    codes = codes_of(game, pace["codes"])
    settings = Settings(
        betting_seconds=pace["betting_seconds"],
        look_seconds=pace["look_seconds"],
        pause_seconds=pace["pause_seconds"],
        closes_while_spinning=pace["closes_while_spinning"],
    )
    simulated = port.partition(":")[0] == _SIMULATED
    speed = _speed(port) if simulated else pace["speed"] or 1.0

    async def deal() -> None:
        wheel, serving = _simulated(game, codes, speed) if simulated else (source(port, not pace["no_rtscts"]), None)
        listener = Listener(wheel, max(SILENCE_SECONDS / speed, _LEAST_SILENCE))
        driver, dealer = Driver(listener, game.rulebook, codes), Dealer(game.rulebook, codes, settings)
        running = Running(keeper, driver, dealer, lambda line: write([line]), auto, speed)

        async def people() -> AsyncIterator[Callable[[], None]]:
            async for lines in _in_a_thread(batches):
                yield lambda lines=lines: write(answers(running.serve, lines))  # type: ignore[misc]

        try:
            await running.run(people())
        finally:
            if serving is not None:
                serving.cancel()

    asyncio.run(deal())


def _speed(port: str) -> float:
    _, colon, word = port.partition(":")
    try:
        speed = float(word) if colon else 1.0
    except ValueError:
        speed = 0.0
    if not 0 < speed <= 10_000:
        raise NoSuchSpeed(f"'{port}' is no simulated wheel; write simulated or simulated:50")
    return speed


def _simulated(game: Game, codes: Codes, speed: float) -> tuple[Source, "asyncio.Task[None]"]:
    """A simulated wheel of this process, behind a pseudo-terminal like one of any other."""
    from roundhouse.wheelhead.simulator.chance import Chance
    from roundhouse.wheelhead.simulator.machine import Machine
    from roundhouse.wheelhead.simulator.noise import Cable
    from roundhouse.wheelhead.simulator.serving import PseudoTerminal, serve

    terminal = PseudoTerminal()
    machine = Machine(game.rulebook, codes, Chance(None))
    serving = asyncio.create_task(serve(machine, terminal, Cable(0.0, Chance(None)), speed, lambda: False))
    serving.add_done_callback(lambda _: terminal.close())
    return SerialSource(terminal.path, rtscts=False), serving


async def _in_a_thread(batches: Iterator[list[bytes]]) -> AsyncIterator[list[bytes]]:
    """Standard input may be a file, a pipe or a terminal: only a thread of its own can wait for each of them."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[list[bytes] | None] = asyncio.Queue()

    def read() -> None:
        try:
            for lines in batches:
                loop.call_soon_threadsafe(waiting.put_nowait, lines)
            loop.call_soon_threadsafe(waiting.put_nowait, None)
        except RuntimeError:
            # The loop is over; nobody waits for what else is said.
            return

    threading.Thread(target=read, daemon=True).start()
    while (lines := await waiting.get()) is not None:
        yield lines
