"""``roundhouse deal``: a table over standard input and output, one JSON object a line.

Whatever lines wait are one batch: decided together, committed together, then answered. While they are committed the
next ones are decided, if there are any.

``roundhouse deal --wheel``: a table, its wheel and the automatic dealer in one loop; people are served meanwhile.

The end of the input ends it at once, and recovery ends the round when the table is opened again. A signal to
terminate lets the round in progress be dealt to its end.
"""

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import UNSET, Struct, UnsetType

from roundhouse import rulebooks
from roundhouse.cli.options import wheel_options
from roundhouse.cli.wheel import codes_of
from roundhouse.dealer.dealer import Dealer
from roundhouse.dealer.loop import BetsCloseAt, DealerLoop, Happened, Notice
from roundhouse.dealer.steps import Pace
from roundhouse.floor.clock import Clock, SteppingClock, SystemClock, tune_process
from roundhouse.floor.committer import Committer
from roundhouse.floor.keeper import Keeper
from roundhouse.floor.opening import is_gone, open_table
from roundhouse.journal.entry import Answer
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import TABLE_NAME, Millis, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.driver import SILENCE_SECONDS, Driver, Listener
from roundhouse.wheel.ports import Port, port_at
from roundhouse.wire.requests import decode_command

_CHUNK = 1 << 18


class CannotDeal(UserError):
    """The table cannot be opened, in words for the person who tried."""


@click.command(short_help="run a table on stdin/stdout")
@click.option("--game", "name", required=True, metavar="GAME", help="A game's id, or the path of its rulebook file.")
@click.option("--journal", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The table's journal.")
@click.option("--table", "table_name", metavar="NAME", help="Which table of the journal; without it, the game's id.")
@click.option("--clock", default="real", metavar="real|N", help="The time: real, or from N ms in steps of 1 ms.")
@click.option("--wheel", "port", metavar="PORT|simulated[:SPEED]", help="A wheel for the automatic dealer.")
@click.option("--auto", is_flag=True, help="Let the automatic dealer begin; without it, after hand_back.")
@wheel_options
def deal(
    name: str, journal: Path, table_name: str | None, clock: str, port: str | None, auto: bool, **pace: Any
) -> None:
    """Run one table: requests on standard input, answers on standard output, one JSON object a line."""
    if auto and port is None:
        raise CannotDeal("the automatic dealer needs a wheel; name it with --wheel")
    if port is not None:
        pass

        if is_simulated(port):
            speed_of(port)
    game, content = rulebooks.find_with_content(name)
    id = TableId(game.id if table_name is None else table_name)
    if not TABLE_NAME.fullmatch(id):
        raise CannotDeal("a table's name is up to 60 letters, digits, dots, dashes and underscores")
    if not journal.name:
        raise CannotDeal("name the journal's file with --journal FILE")
    try:
        anew = is_gone(journal)
        keeper, store = open_table(journal, id, game, content, _world(clock))
    except (JournalUnavailable, JournalDamaged, OSError) as error:
        # Who drives the table reads here; who started it, what is said on the way out.
        _write([{"ready": False, "refusal": Refusal.JOURNAL_UNAVAILABLE, "reason": str(error)}])
        raise CannotDeal(str(error)) from error
    tune_process()
    if anew:
        click.echo(f"roundhouse: '{journal}' is begun anew, although its key was there: an older one is gone", err=True)
    try:
        ready: dict[str, object] = {"ready": True, "version": keeper.version, "recovered": keeper.recovered}
        if port is not None and keeper.table.state.mode_reason:
            # The automatic dealer says nothing until it is handed the table; this says why.
            ready["manual"] = keeper.table.state.mode_reason
        _write([ready])
        if port is not None:
            pass

            run(keeper, port, auto, pace, filter(None, _batches()), _answers, _write)
            return
        _serve(keeper, Committer(store))
    except JournalDamaged as error:
        raise CannotDeal(str(error)) from error
    finally:
        store.close()


def _serve(keeper: Keeper, committer: Committer) -> None:
    keeper.committer = committer
    try:
        for lines in _batches():
            if lines:
                understood = [decode_command(line) for line in lines]
                keeper.launch(_commands(understood), partial(_deliver, understood))
            if not select.select([sys.stdin.fileno()], [], [], 0)[0]:
                keeper.land()
        keeper.land()
    finally:
        committer.close()


def _deliver(understood: Sequence[AnyCommand | Answer], answers: Sequence[Answer]) -> None:
    _write(_in_order(understood, answers))


def _in_order(understood: Sequence[AnyCommand | Answer], answers: Sequence[Answer]) -> list[Answer]:
    """An answer to each line, in order; what was not understood did not reach the table."""
    answered = iter(answers)
    return [request if isinstance(request, Answer) else next(answered) for request in understood]


def _world(clock: str) -> Clock:
    if clock == "real":
        return SystemClock()
    if not (clock.isascii() and clock.isdigit() and len(clock) <= 15):
        raise CannotDeal(f"--clock is 'real' or a number of milliseconds since 1970, not '{clock}'")
    return SteppingClock(Millis(int(clock)))


def _batches() -> Iterator[list[bytes]]:
    """All complete lines that wait, again and again, until the input ends; none where only part of one has come."""
    rest = b""
    while chunk := os.read(sys.stdin.fileno(), _CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield lines
    if rest:
        yield [rest]


def _answers(handle: Callable[[Sequence[AnyCommand]], list[Answer]], lines: list[bytes]) -> list[Answer]:
    understood = [decode_command(line) for line in lines]
    return _in_order(understood, handle(_commands(understood)))


def _commands(understood: Sequence[AnyCommand | Answer]) -> list[AnyCommand]:
    return [request for request in understood if not isinstance(request, Answer)]


def _write(answers: Sequence[object]) -> None:
    sys.stdout.buffer.write(msgspec.json.Encoder().encode_lines(answers))
    sys.stdout.buffer.flush()


_SIMULATED = "simulated"
FASTEST = 1000
"""Beyond that the dealer's patience is shorter than a busy machine's turns."""
_LEAST_SILENCE = 1.0
"""However fast a simulated wheel talks, a busy machine may keep it waiting so long."""

Handle = Callable[[Sequence[AnyCommand]], list[Answer]]
Answers = Callable[[Handle, list[bytes]], list[Answer]]


class NoSuchSpeed(UserError):
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
    settings = Pace(
        betting_seconds=pace["betting_seconds"],
        look_seconds=pace["look_seconds"],
        pause_seconds=pace["pause_seconds"],
        closes_while_spinning=pace["closes_while_spinning"],
    )
    simulated = is_simulated(port)
    speed = speed_of(port) if simulated else pace["speed"] or 1.0

    def publish(news: Notice) -> None:
        match news:
            case Happened(version, events, True):
                write([AutoLine(version=version, events=events)])
            case BetsCloseAt(countdown=int(countdown)):
                write([AutoLine(version=keeper.version, events=[], countdown=countdown)])

    async def deal() -> None:
        wheel, turning = _simulated(game, codes, speed) if simulated else (port_at(port, not pace["no_rtscts"]), None)
        listener = Listener(wheel, max(SILENCE_SECONDS / speed, _LEAST_SILENCE))
        driver, dealer = Driver(listener, game.rulebook, codes), Dealer(game.rulebook, codes, settings)
        table = DealerLoop(keeper, driver, dealer, publish, auto, speed)

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


def _stop(table: DealerLoop, running: "asyncio.Task[None]") -> None:
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


def _simulated(game: Game, codes: Codes, speed: float) -> tuple[Port, "asyncio.Task[None]"]:
    """A simulated wheel of this process."""
    from roundhouse.wheel.simulator.draws import Chance
    from roundhouse.wheel.simulator.port import SimulatedWheel

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
