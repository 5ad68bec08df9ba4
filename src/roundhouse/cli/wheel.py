"""``roundhouse wheel``: the commands decode, watch and record."""

import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, assert_never

import click
import msgspec

from roundhouse.cli.options import GameType
from roundhouse.cli.output import Inked, console, could_not_write, json_option, plain, show_table
from roundhouse.rulebooks import SHIPPED, UnreadableFile
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.wheel import facts as fact
from roundhouse.wheel.codes import Codes, codes_for
from roundhouse.wheel.protocol import Code, Flag, Status
from roundhouse.wheel.readings import OutcomeReading, Reading, UnresolvedReading, VoidReading, questions, result
from roundhouse.wheel.stream import decode as read_games

_CHUNK_BYTES = 1 << 16


class BadCode(UserError):
    """The value of an option --code is not POCKET=CODE."""


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options ``--game`` and ``--code``."""
    game = click.option(
        "--game",
        type=GameType(),
        default=SHIPPED[0],
        show_default=True,
        help="Game whose rulebook judges the spins: an id or a rulebook file.",
    )
    codes = click.option(
        "--code",
        "chosen",
        multiple=True,
        metavar="POCKET=CODE",
        help="Two-character code of a pocket on the wheel's line, such as 000=37. Repeatable.",
    )
    return game(codes(command))


def codes_of(game: Game, chosen: tuple[str, ...]) -> Codes:
    return codes_for(game.wheel, code_pairs(chosen))


def code_pairs(chosen: tuple[str, ...]) -> dict[str, str]:
    """Parse the values of --code: return the wheel's code of each named pocket."""
    pairs = {}
    for text in chosen:
        pocket, equals, code = text.partition("=")
        if not equals:
            raise BadCode(f"'{text}' is not a code; write POCKET=CODE, such as 000=37")
        pairs[pocket] = code
    return pairs


def read_chunks(path: Path) -> Iterator[bytes]:
    """Read a recording in chunks. The path ``-`` is standard input."""
    try:
        if str(path) == "-":
            while chunk := sys.stdin.buffer.read(_CHUNK_BYTES):
                yield chunk
            return
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                yield chunk
    except OSError as error:
        raise UnreadableFile(f"cannot read '{path}': {error.strerror or error}") from error


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@game_options
@json_option
def decode(file: Path, game: Game, chosen: tuple[str, ...], as_json: bool) -> None:
    """Decode a recording: show the outcome of each game, or the reason why it has none."""
    readings = read_games(read_chunks(file), game.rulebook, codes_of(game, chosen))
    if as_json:
        _write_list(readings)
    else:
        show_table(f"{file}, by the rules of {game.id}", ("game", "result", "why"), map(_row, readings))


def _write_list(readings: Iterable[Reading]) -> None:
    """Write the readings as one JSON list while reading, so that memory use does not grow with the recording."""
    sys.stdout.write("[")
    for i, reading in enumerate(readings):
        sys.stdout.write((",\n " if i else "") + msgspec.json.encode(reading).decode())
    sys.stdout.write("]\n")


def _row(reading: Reading) -> tuple[str, str, str]:
    match reading:
        case OutcomeReading(game, outcome):
            return game, Inked(f"[bold]{plain(outcome)}[/bold]"), ""
        case VoidReading(game, clauses, flags):
            return game, "void", f"under {', '.join(clauses)}{_warnings(flags)}"
        case UnresolvedReading(game, why, flags):
            return game, "unresolved", f"{why}{_warnings(flags)}"


def _warnings(flags: tuple[int, ...]) -> str:
    return f" (warnings {', '.join(map(str, flags))})" if flags else ""


if TYPE_CHECKING:
    from roundhouse.wheel.ports import Port

_WARNINGS = {
    Flag.BALL_GONE: "the ball was removed or the sensors do not detect it",
    Flag.WITH_ROTOR: "the ball travels with the rotor",
    Flag.FAILURE: "a sensor, the motor or the encoder failed",
    Flag.LAUNCH_FAILED: "the launch failed; the wheel launches again",
}


@click.command()
@click.argument("port")
@game_options
@click.option("--no-rtscts", is_flag=True, help="Do not use hardware flow control (RTS/CTS).")
def watch(port: str, game: Game, chosen: tuple[str, ...], no_rtscts: bool) -> None:
    """Show the events of a wheel until Ctrl-C. PORT is a serial device, tcp://host:port or a recording."""
    import asyncio

    from roundhouse.wheel.ports import port_at

    codes = codes_of(game, chosen)
    wheel = port_at(port, rtscts=not no_rtscts)
    try:
        asyncio.run(_watch(wheel, game, codes))
    except KeyboardInterrupt:
        raise click.Abort from None


async def _watch(wheel: "Port", game: Game, codes: Codes) -> None:
    from roundhouse.wheel import driver
    from roundhouse.wheel.driver import Driver

    out = console()
    async for event in Driver(driver.Listener(wheel), game.rulebook, codes).events():
        match event:
            case driver.Connected(name):
                lines = [f"listening to {name}"]
            case driver.Disconnected(why):
                lines = [f"connection to the wheel lost ({why}); reconnecting"]
            case driver.Silent(seconds):
                lines = [f"the wheel has sent no data for {seconds:.0f} s"]
            case driver.Finished() | Status():
                lines = []
            case _:
                lines = list(_describe(event, game, codes))
        for line in lines:
            out.print(line, markup=False)


def _describe(seen: fact.Fact, game: Game, codes: Codes) -> Iterator[str]:
    match seen:
        case fact.PlaceYourBets(number):
            yield f"{number}  place your bets"
        case fact.LaunchFailed(number):
            yield f"{number}  the launch failed"
        case fact.BallInRim(number, rotor):
            yield f"{number}  ball in the rim, rotor {rotor}"
        case fact.BallSlowed(number):
            yield f"{number}  no more bets"
        case fact.NumberShown():
            return
        case fact.NumberEstablished(number, code):
            yield f"{number}  the number is {_place(code, codes)}"
        case fact.FlagsRaised(number, flags):
            for flag in Flag(flags):
                yield f"{number}  warning: {_WARNINGS[flag]}"
        case fact.RotorStoodStill(number):
            yield f"{number}  question: the wheel reported speed 0 with the ball in the rim; did the rotor stop?"
        case fact.TableClosed(number):
            yield f"{number}  table closed"
        case fact.GamesMissed(after, before):
            yield f"the game counter jumped from {after} to {before}: the games between were not received"
        case fact.NotUnderstood(line):
            yield f"not understood: {line!r}"
        case fact.Answered(reply):
            yield f"*{reply.command} {reply.argument}"
        case fact.GameEnded():
            yield from _result(seen, game, codes)
        case _:
            assert_never(seen)


def _result(ended: fact.GameEnded, game: Game, codes: Codes) -> Iterator[str]:
    match result(ended, game.rulebook, codes):
        case OutcomeReading(number, outcome):
            yield f"{number}  outcome {outcome}"
        case VoidReading(number, clauses, _):
            yield f"{number}  void under {', '.join(clauses)}"
        case UnresolvedReading(number, why, _):
            yield f"{number}  unresolved: {why}"
        case None:
            return
    for question in questions(ended, game.rulebook, codes):
        yield f"{ended.game}  question for the Dealer: {question}"


def _place(code: Code, codes: Codes) -> str:
    segment = codes.segment_of.get(code)
    return codes.wheel.at(segment) if segment is not None else repr(code)


if TYPE_CHECKING:
    from roundhouse.wheel.ports import Port


@click.command()
@click.argument("port")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--times", is_flag=True, help="Write each line with its time of arrival.")
@click.option("--append", is_flag=True, help="Append to an existing recording.")
@click.option("--no-rtscts", is_flag=True, help="Do not use hardware flow control (RTS/CTS).")
def record(port: str, file: Path, times: bool, append: bool, no_rtscts: bool) -> None:
    """Record the line of a wheel at PORT (serial device or tcp://host:port) to FILE until Ctrl-C."""
    import asyncio

    from roundhouse.wheel.ports import port_at

    wheel = port_at(port, rtscts=not no_rtscts)
    try:
        # Unbuffered: the recording must survive a crash of this process.
        with file.open("ab" if append else "xb", buffering=0) as out:
            asyncio.run(_record(wheel, out, times))
    except KeyboardInterrupt:
        raise click.Abort from None
    except FileExistsError:
        raise UnreadableFile(f"'{file}' exists; name another file, or add to it with --append") from None
    except OSError as error:
        raise could_not_write(file, error) from error


async def _record(wheel: "Port", out: BinaryIO, times: bool) -> None:
    from roundhouse.wheel import driver
    from roundhouse.wheel.stream import Line, Splitter, marked

    splitter = Splitter()
    async for arrival in driver.Listener(wheel).arrivals():
        match arrival:
            case driver.Bytes(chunk) if times:
                for line in splitter.feed(chunk):
                    out.write(marked(Line(line.text, datetime.now().astimezone().replace(tzinfo=None))) + b"\r\n")
            case driver.Bytes(chunk):
                out.write(chunk)
            case driver.Connected(name=name):
                click.echo(f"recording {name}", err=True)
            case driver.Disconnected(why):
                click.echo(f"connection to the wheel lost ({why}); reconnecting", err=True)
            case driver.Silent() | driver.Finished():
                pass
