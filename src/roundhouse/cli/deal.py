"""``roundhouse deal``: a table over standard input and output, one JSON object a line.

Whatever lines wait are one batch: decided together, committed together, then answered. While they are committed the
next ones are decided, if there are any.
"""

import os
import re
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from roundhouse import rulebooks
from roundhouse.cli.pace import wheel_options
from roundhouse.floor.committer import Committer
from roundhouse.floor.keeper import Keeper
from roundhouse.floor.memory import settle_in
from roundhouse.floor.opening import is_gone, open_table
from roundhouse.floor.requests import understand
from roundhouse.floor.world import RealWorld, SteppingWorld
from roundhouse.journal.entry import Answer
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.rules.mistakes import Mistake
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Millis, TableId
from roundhouse.table.refusals import Refusal

_CHUNK = 1 << 18
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")


class CannotDeal(Mistake):
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
        from roundhouse.cli.unattended import is_simulated, speed_of

        if is_simulated(port):
            speed_of(port)
    game, content = rulebooks.find_with_content(name)
    id = TableId(game.id if table_name is None else table_name)
    if not _NAME.fullmatch(id):
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
    settle_in()
    if anew:
        click.echo(f"roundhouse: '{journal}' is begun anew, although its key was there: an older one is gone", err=True)
    try:
        ready: dict[str, object] = {"ready": True, "version": keeper.version, "recovered": keeper.recovered}
        if port is not None and keeper.table.memory.mode_reason:
            # The automatic dealer says nothing until it is handed the table; this says why.
            ready["manual"] = keeper.table.memory.mode_reason
        _write([ready])
        if port is not None:
            from roundhouse.cli.unattended import run

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
                understood = [understand(line) for line in lines]
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


def _world(clock: str) -> RealWorld:
    if clock == "real":
        return RealWorld()
    if not (clock.isascii() and clock.isdigit() and len(clock) <= 15):
        raise CannotDeal(f"--clock is 'real' or a number of milliseconds since 1970, not '{clock}'")
    return SteppingWorld(Millis(int(clock)))


def _batches() -> Iterator[list[bytes]]:
    """All complete lines that wait, again and again, until the input ends; none where only part of one has come."""
    rest = b""
    while chunk := os.read(sys.stdin.fileno(), _CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield lines
    if rest:
        yield [rest]


def _answers(handle: Callable[[Sequence[AnyCommand]], list[Answer]], lines: list[bytes]) -> list[Answer]:
    understood = [understand(line) for line in lines]
    return _in_order(understood, handle(_commands(understood)))


def _commands(understood: Sequence[AnyCommand | Answer]) -> list[AnyCommand]:
    return [request for request in understood if not isinstance(request, Answer)]


def _write(answers: Sequence[object]) -> None:
    sys.stdout.buffer.write(msgspec.json.Encoder().encode_lines(answers))
    sys.stdout.buffer.flush()
