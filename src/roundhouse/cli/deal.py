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
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import UNSET, Struct, UnsetType

from roundhouse import rulebooks
from roundhouse.cli.options import wheel_options
from roundhouse.cli.wheel import code_pairs
from roundhouse.config.schema import TableConfig, WheelKind, WheelSpec, parse_wheel
from roundhouse.dealer.loop import BetsCloseAt, DealerLoop, Notice
from roundhouse.dealer.steps import Pace
from roundhouse.floor.batch import Rounds
from roundhouse.floor.clock import Clock, SteppingClock, SystemClock, tune_process
from roundhouse.floor.opening import is_missing, open_table
from roundhouse.floor.projection import CommittedTable
from roundhouse.floor.queue import Committer, TableQueue
from roundhouse.floor.wheels import DealersTable, connect_wheel
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.rules.errors import UserError
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import DEALER_ID_PREFIX, TABLE_NAME, Millis, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.requests import decode_command

_CHUNK = 1 << 18


class CannotDeal(UserError):
    """The table cannot be opened, in words for the person who tried."""


@click.command()
@click.option("--game", "name", required=True, metavar="GAME", help="Game: an id or a rulebook file.")
@click.option("--journal", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Journal of the table.")
@click.option("--table", "table_name", metavar="NAME", help="Table in the journal. Default: the game's id.")
@click.option(
    "--clock", default="real", metavar="real|N", help="Clock: real, or N milliseconds since 1970 in steps of 1 ms."
)
@click.option("--wheel", "port", metavar="PORT|simulated[:SPEED]", help="Wheel for the automatic dealer.")
@click.option("--auto", is_flag=True, help="Start with the automatic dealer. Default: it starts after hand_back.")
@wheel_options
def deal(
    name: str, journal: Path, table_name: str | None, clock: str, port: str | None, auto: bool, **pace: Any
) -> None:
    """Run one table: requests on standard input, answers on standard output, one JSON object per line."""
    if auto and port is None:
        raise CannotDeal("the automatic dealer needs a wheel; name it with --wheel")
    wheel = wheel_of(port, pace["speed"]) if port is not None else None
    game, content = rulebooks.find_with_content(name)
    id = TableId(game.id if table_name is None else table_name)
    if not TABLE_NAME.fullmatch(id):
        raise CannotDeal("a table's name is up to 60 letters, digits, dots, dashes and underscores")
    if not journal.name:
        raise CannotDeal("name the journal's file with --journal FILE")
    try:
        anew, world = is_missing(journal), _world(clock)
        writer, store = open_table(journal, id, game, content, world)
    except (JournalUnavailable, JournalDamaged, OSError) as error:
        # Who drives the table reads here; who started it, what is said on the way out.
        _write([{"ready": False, "refusal": Refusal.JOURNAL_UNAVAILABLE, "reason": str(error)}])
        raise CannotDeal(str(error)) from error
    tune_process()
    if anew:
        click.echo(f"roundhouse: '{journal}' is begun anew, although its key was there: an older one is gone", err=True)
    try:
        ready: dict[str, object] = {"ready": True, "version": writer.version, "recovered": writer.recovered}
        if wheel is not None and writer.table.state.mode_reason:
            # The automatic dealer says nothing until it is handed the table; this says why.
            ready["manual"] = writer.table.state.mode_reason
        _write([ready])
        committer = Committer(store)
        try:
            if wheel is not None:
                run(writer, committer, world, wheel, auto, pace, filter(None, _batches()))
            else:
                _serve(writer, committer)
        finally:
            committer.close()
    except JournalDamaged as error:
        raise CannotDeal(str(error)) from error
    finally:
        store.close()


def _serve(writer: TableWriter, committer: Committer) -> None:
    writer.committer = committer
    for lines in _batches():
        if lines:
            understood = [decode_command(line) for line in lines]
            writer.submit(_commands(understood), partial(_deliver, understood))
        if not select.select([sys.stdin.fileno()], [], [], 0)[0]:
            writer.flush()
    writer.flush()


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


def _commands(understood: Sequence[AnyCommand | Answer]) -> list[AnyCommand]:
    return [request for request in understood if not isinstance(request, Answer)]


def _write(answers: Sequence[object]) -> None:
    sys.stdout.buffer.write(msgspec.json.Encoder().encode_lines(answers))
    sys.stdout.buffer.flush()


FASTEST = 1000
"""Above this speed the dealer's timeouts are shorter than the delays of a busy machine."""


class NoSuchSpeed(UserError):
    """A speed of the simulated wheel that is not a number from 0.001 to ``FASTEST``."""


class AutoLine(Struct, frozen=True, kw_only=True):
    """What the automatic dealer caused, or what displays have to show meanwhile."""

    auto: bool = True
    version: int
    events: list[AnyEvent]
    countdown: int | UnsetType = UNSET


def run(
    writer: TableWriter,
    committer: Committer,
    clock: Clock,
    wheel: WheelSpec,
    auto: bool,
    pace: dict[str, Any],
    batches: Iterator[list[bytes]],
) -> None:
    plan = TableConfig(rtscts=not pace["no_rtscts"], codes=code_pairs(pace["codes"]))
    settings = Pace(
        betting_seconds=pace["betting_seconds"],
        look_seconds=pace["look_seconds"],
        pause_seconds=pace["pause_seconds"],
        closes_while_spinning=pace["closes_while_spinning"],
    )

    async def deal() -> None:
        queue = TableQueue(writer, committer)
        committed = CommittedTable(writer.table, writer.latest, writer.table.archive)
        show = partial(_show_countdown, queue)
        table, _, turning = connect_wheel(
            DealersTable(committed, queue), writer.table.game, plan, wheel, show, auto, clock, settings
        )

        def on_committed(entries: Sequence[Entry], rounds: Rounds) -> None:
            for entry in entries:
                committed.apply(entry, rounds)
            _show_dealing(entries)
            table.table_changed()

        async def people() -> None:
            async for lines in _in_a_thread(batches):
                understood = [decode_command(line) for line in lines]
                commands = _commands(understood)
                _deliver(understood, await queue.ask(*commands) if commands else [])

        queue.on_committed = on_committed
        running, asking = asyncio.create_task(table.run()), asyncio.create_task(people())
        for word in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(word, _stop, table, running)
        try:
            ends = filter(None, (running, asking, turning, queue.failed))
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if turning is not None and turning.done():
                turning.result()
        finally:
            for task in filter(None, (running, asking, turning)):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await queue.wait_until_idle()
        if asking.done() and not asking.cancelled():
            asking.result()
        if queue.failed.done():
            queue.failed.result()

    asyncio.run(deal())


def _show_dealing(entries: Sequence[Entry]) -> None:
    """Write what the automatic dealer's commands caused. People's commands are answered instead."""
    own = [entry for entry in entries if entry.request is not None and entry.request.id.startswith(DEALER_ID_PREFIX)]
    if events := [event for entry in own for event in entry.events]:
        _write([AutoLine(version=own[-1].seq, events=events)])


def _show_countdown(queue: TableQueue, notice: Notice) -> None:
    if isinstance(notice, BetsCloseAt) and notice.countdown is not None:
        _write([AutoLine(version=queue.version, events=[], countdown=notice.countdown)])


def _stop(table: DealerLoop, running: "asyncio.Task[None]") -> None:
    """The first signal lets the round end; the next one does not wait for it."""
    if table.stopping:
        running.cancel()
        return
    click.echo("the round in progress is dealt to its end; once more to stop at once", err=True)
    table.stop()


def wheel_of(port: str, speed: float | None) -> WheelSpec:
    """Return the wheel of ``--wheel`` and ``--speed``. Unlike a house, ``deal`` also takes a recording as a port.

    >>> wheel_of("simulated:50", None).speed, wheel_of("wheel.log", 20).line
    (50.0, 'wheel.log')
    """
    if port.partition(":")[0] != WheelKind.SIMULATED:
        return WheelSpec(WheelKind.LINE, port, speed or 1.0)
    with suppress(ValueError):
        if (wheel := parse_wheel(port)).speed <= FASTEST:
            return wheel
    raise NoSuchSpeed(f"'{port}' is no simulated wheel; write simulated or simulated:50, up to {FASTEST}")


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
