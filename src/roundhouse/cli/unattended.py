"""``roundhouse deal --wheel``: a table, its wheel and the automatic dealer in one loop; people are served meanwhile.

The end of the input ends it at once, and recovery ends the round when the table is opened again. A signal to
terminate lets the round in progress be dealt to its end.
"""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import click
from msgspec import UNSET, Struct, UnsetType

from roundhouse.cli.wheel.common import codes_of
from roundhouse.floor.dealer import Dealer
from roundhouse.floor.keeper import Keeper
from roundhouse.floor.news import Closing, Happened, News
from roundhouse.floor.running import AutomaticTable
from roundhouse.floor.steps import Settings
from roundhouse.journal.entry import Answer
from roundhouse.rules.game import Game
from roundhouse.rules.mistakes import Mistake
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent
from roundhouse.wheelhead.codes import Codes
from roundhouse.wheelhead.driver import Driver
from roundhouse.wheelhead.listening import SILENCE_SECONDS, Listener
from roundhouse.wheelhead.sources import Source, source

_SIMULATED = "simulated"
FASTEST = 1000
"""Beyond that the dealer's patience is shorter than a busy machine's turns."""
_LEAST_SILENCE = 1.0
"""However fast a simulated wheel talks, a busy machine may keep it waiting so long."""

Handle = Callable[[Sequence[AnyCommand]], list[Answer]]
Answers = Callable[[Handle, list[bytes]], list[Answer]]


class NoSuchSpeed(Mistake):
    """A speed of the simulated wheel that is no number above nothing."""


class AutoLine(Struct, frozen=True, kw_only=True):
    """What the automatic dealer caused, or what displays have to show meanwhile."""

    auto: bool = True
    version: int
    events: list[AnyEvent]
    countdown: int | UnsetType = UNSET


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
    simulated = is_simulated(port)
    speed = speed_of(port) if simulated else pace["speed"] or 1.0

    def publish(news: News) -> None:
        match news:
            case Happened(version, events, True):
                write([AutoLine(version=version, events=events)])
            case Closing(countdown=int(countdown)):
                write([AutoLine(version=keeper.version, events=[], countdown=countdown)])

    async def deal() -> None:
        wheel, turning = _simulated(game, codes, speed) if simulated else (source(port, not pace["no_rtscts"]), None)
        listener = Listener(wheel, max(SILENCE_SECONDS / speed, _LEAST_SILENCE))
        driver, dealer = Driver(listener, game.rulebook, codes), Dealer(game.rulebook, codes, settings)
        table = AutomaticTable(keeper, driver, dealer, publish, auto, speed)

        async def people() -> None:
            async for lines in _in_a_thread(batches):
                write(answers(table.serve, lines))

        running, asking = asyncio.create_task(table.run()), asyncio.create_task(people())
        for word in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(word, _stop, table, running)
        try:
            await asyncio.wait(filter(None, (running, asking, turning)), return_when=asyncio.FIRST_COMPLETED)
            if turning is not None and turning.done():
                turning.result()
        finally:
            for task in filter(None, (running, asking, turning)):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await running
        if asking.done() and not asking.cancelled():
            asking.result()

    asyncio.run(deal())


def _stop(table: AutomaticTable, running: "asyncio.Task[None]") -> None:
    """The first signal lets the round end; the next one does not wait for it."""
    if table.stopping:
        running.cancel()
        return
    click.echo("the round in progress is dealt to its end; once more to stop at once", err=True)
    table.stop()


def is_simulated(port: str) -> bool:
    return port.partition(":")[0] == _SIMULATED


def speed_of(port: str) -> float:
    """The speed of a simulated wheel, or a mistake in words."""
    _, colon, word = port.partition(":")
    try:
        speed = float(word) if colon else 1.0
    except ValueError:
        speed = 0.0
    if not 0 < speed <= FASTEST:
        raise NoSuchSpeed(f"'{port}' is no simulated wheel; write simulated or simulated:50, up to {FASTEST}")
    return speed


def _simulated(game: Game, codes: Codes, speed: float) -> tuple[Source, "asyncio.Task[None]"]:
    """A simulated wheel of this process."""
    from roundhouse.wheelhead.simulator.chance import Chance
    from roundhouse.wheelhead.simulator.inprocess import SimulatedWheel

    wheel = SimulatedWheel(game.rulebook, codes, Chance(None), speed=speed)
    return wheel.source, asyncio.create_task(wheel.turn())


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
