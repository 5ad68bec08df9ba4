"""``roundhouse deal``: one table on standard input and output, one JSON object per line.

All lines that have arrived are decided and committed as one batch, then answered. With ``--wheel``, the automatic
dealer deals on an event loop and requests are answered in between. At the end of the input the command stops at once;
after SIGTERM or SIGINT the automatic dealer finishes the round in progress first. A round that is still in progress
then is referred: an orderly stop is no interruption.
"""

import asyncio
import os
import re
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
from roundhouse.cli.deal_notary import CannotDeal, DealNotary
from roundhouse.cli.options import wheel_options
from roundhouse.cli.wheel import code_pairs
from roundhouse.config.checks import is_money
from roundhouse.config.schema import TableConfig, WheelKind, WheelSpec, parse_wheel
from roundhouse.dealer.loop import BetsCloseAt, DealerLoop, Notice
from roundhouse.dealer.steps import Pace
from roundhouse.floor.batch import Rounds
from roundhouse.floor.clock import Clock, SteppingClock, SystemClock, tune_process
from roundhouse.floor.opening import currencies_in, is_missing, open_table
from roundhouse.floor.projection import CommittedTable
from roundhouse.floor.queue import Committer, TableQueue
from roundhouse.floor.wheels import DealersTable, connect_wheel
from roundhouse.floor.witnesses import NONE
from roundhouse.floor.witnessing import WitnessRefuses
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.rules.errors import UserError
from roundhouse.rules.names import Cents
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import HouseTerms
from roundhouse.table.events import AnyEvent
from roundhouse.table.limits import Limits
from roundhouse.table.names import DEALER_ID_PREFIX, HOUSE_ID_PREFIX, PLAY_MONEY, TABLE_NAME, Millis, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.requests import decode_command

_CHUNK_BYTES = 1 << 18
_CHIPS = tuple(map(Cents, (100, 500, 2_500, 10_000, 50_000, 100_000, 500_000, 2_500_000, 10_000_000)))
"""Values of the cash chips of a game that is played with chips."""


@click.command()
@click.option("--game", "name", required=True, metavar="GAME", help="Id of a game, or a rulebook file.")
@click.option("--journal", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Journal of the table.")
@click.option("--table", "table_name", metavar="NAME", help="Table in the journal. Default: the game's id.")
@click.option(
    "--clock",
    default="real",
    metavar="real|N",
    help="Clock: real, or a test clock that starts N ms after 1970 and advances 1 ms at each reading.",
)
@click.option("--wheel", "port", metavar="PORT|simulated[:SPEED]", help="Wheel for the automatic dealer.")
@click.option("--currency", default=PLAY_MONEY, metavar="CODE", help="Currency of the money. Default: play money.")
@click.option("--auto", is_flag=True, help="Start the automatic dealer at once. Default: after hand_back.")
@click.option(
    "--witness",
    "witnesses",
    multiple=True,
    default=(NONE,),
    metavar="PLACE",
    help="Witness of the journal, as in house.toml: local, a folder, https://HOST or none. Repeatable. Default: none.",
)
@wheel_options
def deal(
    name: str,
    journal: Path,
    table_name: str | None,
    clock: str,
    port: str | None,
    currency: str,
    auto: bool,
    witnesses: tuple[str, ...],
    **pace: Any,
) -> None:
    """Run one table: requests on standard input, answers on standard output, one JSON object per line."""
    if auto and port is None:
        raise CannotDeal("--auto needs a wheel; give it with --wheel")
    wheel = read_wheel(port, pace["speed"]) if port is not None else None
    _check_currency(currency, auto, wheel)
    game, content = rulebooks.find_with_content(name)
    id = TableId(game.id if table_name is None else table_name)
    if not TABLE_NAME.fullmatch(id):
        raise CannotDeal("a table's name is up to 60 letters, digits, dots, dashes and underscores")
    if not journal.name:
        raise CannotDeal("name the journal's file with --journal FILE")
    notary, time_source = DealNotary(witnesses, _complain), _clock(clock)
    try:
        lost = is_missing(journal)
        terms = HouseTerms(Limits(), _CHIPS, currency)
        writer, store = open_table(journal, id, game, content, time_source, terms, notary.open)
        if others := currencies_in(store) - {currency}:
            notary.close()
            store.close()
            # A ticket of one table is paid at every other table of the journal.
            raise CannotDeal(f"this journal is in {min(others)}, not {currency}; use another journal")
    except (JournalUnavailable, JournalDamaged, WitnessRefuses, OSError) as error:
        notary.close()
        # The driving program reads standard output; the user reads the message on standard error.
        _write([{"ready": False, "refusal": Refusal.JOURNAL_UNAVAILABLE, "reason": str(error)}])
        raise CannotDeal(str(error)) from error
    tune_process()
    if lost:
        click.echo(
            f"roundhouse: created '{journal}', but its key already existed: an older journal of this name is gone",
            err=True,
        )
    try:
        notary.start()
        ready: dict[str, object] = {"ready": True, "version": writer.version, "recovered": writer.recovered}
        if wheel is not None and writer.table.state.mode_reason:
            # The table is in manual mode: the automatic dealer waits for hand_back. Report the reason for manual mode.
            ready["manual"] = writer.table.state.mode_reason
        _write([ready])
        committer = Committer(store)
        try:
            if wheel is not None:
                run(writer, committer, time_source, wheel, auto, pace, filter(None, _batches()))
            else:
                _serve(writer, committer)
            with suppress(JournalUnavailable):
                writer.stop_software()
        finally:
            committer.close()
    except JournalDamaged as error:
        raise CannotDeal(str(error)) from error
    finally:
        notary.close()
        store.close()


def _complain(text: str) -> None:
    click.echo(f"roundhouse: {text}", err=True)


def _serve(writer: TableWriter, committer: Committer) -> None:
    """Answer requests until the input ends. While a batch is committed, the next one is decided."""
    writer.committer = committer
    for lines in _batches(_stop_signals()):
        if lines:
            requests = [decode_command(line) for line in lines]
            writer.submit(_commands(requests), partial(_deliver, requests))
        if not select.select([sys.stdin.fileno()], [], [], 0)[0]:
            writer.flush()
    writer.flush()


def _deliver(requests: Sequence[AnyCommand | Answer], answers: Sequence[Answer]) -> None:
    _write(_in_order(requests, answers))


def _in_order(requests: Sequence[AnyCommand | Answer], answers: Sequence[Answer]) -> list[Answer]:
    """Return one answer per line, in order. A line that could not be decoded is already a refusal, an ``Answer``."""
    from_table = iter(answers)
    return [request if isinstance(request, Answer) else next(from_table) for request in requests]


def _clock(clock: str) -> Clock:
    if clock == "real":
        return SystemClock()
    if not (clock.isascii() and clock.isdigit() and len(clock) <= 15):
        raise CannotDeal(f"--clock is 'real' or a number of milliseconds since 1970, not '{clock}'")
    return SteppingClock(Millis(int(clock)))


def _check_currency(currency: str, auto: bool, wheel: WheelSpec | None) -> None:
    """Refuse a code that is no currency, and an unattended dealer or a simulated wheel for real money."""
    if not re.fullmatch("[A-Z]{3}", currency):
        raise CannotDeal(f"--currency is a code of three capital letters, such as SGD, not '{currency}'")
    if currency == PLAY_MONEY:
        return
    if not is_money(currency):
        raise CannotDeal(f"ISO 4217 has no currency '{currency}'; write a code such as SGD, JPY or KWD")
    if wheel is not None and wheel.kind is WheelKind.SIMULATED:
        raise CannotDeal(f"a simulated wheel is for play money only, not for {currency}")
    if auto:
        raise CannotDeal(f"--auto is for play money only: with {currency} a person deals")


def _stop_signals() -> int:
    """Turn SIGTERM and SIGINT into bytes that can be read. The second signal ends the process as usual."""
    read, write = os.pipe()

    def stop(*_: object) -> None:
        os.write(write, b"s")
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    return read


def _batches(stop: int | None = None) -> Iterator[list[bytes]]:
    """Yield all complete lines that each read returned, until the input ends. A batch may be empty.

    Also ends when ``stop``, a file descriptor, becomes readable.
    """
    rest, stdin = b"", sys.stdin.fileno()
    while True:
        if stop is not None and stop in select.select([stdin, stop], [], [])[0]:
            return
        if not (chunk := os.read(stdin, _CHUNK_BYTES)):
            break
        *lines, rest = (rest + chunk).split(b"\n")
        yield lines
    if rest:
        yield [rest]


def _commands(requests: Sequence[AnyCommand | Answer]) -> list[AnyCommand]:
    return [request for request in requests if not isinstance(request, Answer)]


def _write(answers: Sequence[object]) -> None:
    sys.stdout.buffer.write(msgspec.json.Encoder().encode_lines(answers))
    sys.stdout.buffer.flush()


MAX_SPEED = 1000
"""Above this speed the dealer's timeouts are shorter than the delays of a busy machine."""


class NoSuchSpeed(UserError):
    """The speed of a simulated wheel is not a number from 0.001 to ``MAX_SPEED``."""


class DealerOutput(Struct, frozen=True, kw_only=True):
    """A line of output without a request: events of the automatic dealer, or a countdown to display."""

    auto: bool = True
    version: int
    events: list[AnyEvent]
    countdown: int | UnsetType = UNSET
    """Seconds until bets close."""


def run(
    writer: TableWriter,
    committer: Committer,
    clock: Clock,
    wheel: WheelSpec,
    auto: bool,
    pace: dict[str, Any],
    batches: Iterator[list[bytes]],
) -> None:
    """Deal with the automatic dealer and answer requests, until the input ends or a signal stops the dealer."""
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

        async def serve_requests() -> None:
            async for lines in _in_a_thread(batches):
                requests = [decode_command(line) for line in lines]
                commands = _commands(requests)
                _deliver(requests, await queue.ask(*commands) if commands else [])

        queue.on_committed = on_committed
        running, serving = asyncio.create_task(table.run()), asyncio.create_task(serve_requests())
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, _stop, table, running)
        try:
            ends = filter(None, (running, serving, turning, queue.failed))
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if turning is not None and turning.done():
                turning.result()
        finally:
            for task in filter(None, (running, serving, turning)):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await queue.wait_until_idle()
        if serving.done() and not serving.cancelled():
            serving.result()
        if queue.failed.done():
            queue.failed.result()

    asyncio.run(deal())


def _show_dealing(entries: Sequence[Entry]) -> None:
    """Write the events of commands of the automatic dealer and the wheel. Others are in the answers to people."""
    programs = (DEALER_ID_PREFIX, HOUSE_ID_PREFIX)
    dealers = [entry for entry in entries if entry.request is not None and entry.request.id.startswith(programs)]
    if events := [event for entry in dealers for event in entry.events]:
        _write([DealerOutput(version=dealers[-1].seq, events=events)])


def _show_countdown(queue: TableQueue, notice: Notice) -> None:
    if isinstance(notice, BetsCloseAt) and notice.countdown is not None:
        _write([DealerOutput(version=queue.version, events=[], countdown=notice.countdown)])


def _stop(table: DealerLoop, running: "asyncio.Task[None]") -> None:
    """Handle a signal: the first stops after the round in progress, the second stops at once."""
    if table.stopping:
        running.cancel()
        return
    click.echo("Finishing the round in progress. Press Ctrl-C again to stop at once.", err=True)
    table.stop()


def read_wheel(port: str, speed: float | None) -> WheelSpec:
    """Return the wheel that ``--wheel`` and ``--speed`` name. Unlike a house, ``deal`` accepts a recording as a port.

    >>> read_wheel("simulated:50", None).speed, read_wheel("wheel.log", 20).line
    (50.0, 'wheel.log')
    """
    if port.partition(":")[0] != WheelKind.SIMULATED:
        return WheelSpec(WheelKind.LINE, port, speed or 1.0)
    with suppress(ValueError):
        if (wheel := parse_wheel(port)).speed <= MAX_SPEED:
            return wheel
    raise NoSuchSpeed(f"'{port}' is not a simulated wheel; write simulated or simulated:SPEED, up to {MAX_SPEED}")


async def _in_a_thread(batches: Iterator[list[bytes]]) -> AsyncIterator[list[bytes]]:
    """Yield batches read in a separate thread. The event loop cannot wait for a file, which standard input may be."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[list[bytes] | None] = asyncio.Queue()

    def read() -> None:
        try:
            for lines in batches:
                loop.call_soon_threadsafe(waiting.put_nowait, lines)
            loop.call_soon_threadsafe(waiting.put_nowait, None)
        except RuntimeError:
            # The event loop is closed; further input is discarded.
            return

    threading.Thread(target=read, daemon=True).start()
    while (lines := await waiting.get()) is not None:
        yield lines
