"""``roundhouse wheel simulate``: a wheel that is not there, speaking the line of one that is."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import click
import msgspec

from roundhouse.cli.wheel.common import codes_of, game_options
from roundhouse.rulebooks import UnreadableFile
from roundhouse.rules.game import Game
from roundhouse.wheelhead.commands import Mode
from roundhouse.wheelhead.line import STATUS_SECONDS
from roundhouse.wheelhead.simulator.chance import Chance
from roundhouse.wheelhead.simulator.machine import Machine
from roundhouse.wheelhead.simulator.noise import Cable
from roundhouse.wheelhead.simulator.played import Frame, Played
from roundhouse.wheelhead.simulator.scenario import REGULAR, Scenario, scenario, scenarios

_RATE = click.FloatRange(0, 1)


@click.command()
@game_options
@click.option("--pty", is_flag=True, help="Serve it behind a pseudo-terminal, where it obeys commands.")
@click.option("--speed", type=click.FloatRange(min=0), default=1.0, help="How many times real time; 0 does not wait.")
@click.option("--irregularities", "rate", type=_RATE, default=0.0, help="In which share of games something is wrong.")
@click.option("--produce", multiple=True, metavar="NAME", help="Only this may go wrong, such as same_direction.")
@click.option("--noise", type=_RATE, default=0.0, help="The share of lines that a bad cable spoils.")
@click.option("--seed", type=int, help="Repeat a run; without it, the operating system's entropy.")
@click.option("--games", "count", type=click.IntRange(min=1), help="Stop after so many launches.")
@click.option("--wait", is_flag=True, help="Wait for the command *u 1 before each game (with --pty).")
@click.option("--closed", is_flag=True, help="Stay closed until the command *P 1 (with --pty).")
@click.option("--truth", type=click.Path(path_type=Path), help="Write what really happened, one JSON object a launch.")
@click.option("--angles", type=click.Path(path_type=Path), help="Write the angles over time, one JSON object a frame.")
def simulate(
    game: Game,
    chosen: tuple[str, ...],
    pty: bool,
    speed: float,
    rate: float,
    produce: tuple[str, ...],
    noise: float,
    seed: int | None,
    count: int | None,
    wait: bool,
    closed: bool,
    truth: Path | None,
    angles: Path | None,
) -> None:
    """A simulated wheel: its line on standard output, or behind a pseudo-terminal."""
    chance = Chance(seed)
    plans = [scenario(game.rulebook, word) for word in produce] or list(scenarios(game.rulebook).values())
    launched = 0
    write_truth, write_angles = _writer(truth), _writer(angles)

    def next_scenario() -> Scenario:
        wrong = chance.happens(rate if rate or not produce else 1.0)
        return plans[chance.below(len(plans))] if wrong else REGULAR

    def played(what: Played) -> None:
        nonlocal launched
        launched += 1
        if count is None or launched <= count:
            write_truth(what)

    def over() -> bool:
        return count is not None and launched > count

    def frame(where: Frame) -> None:
        if not over():
            write_angles(where)

    # The cable draws from a chance of its own: a bad one does not change what the wheel does.
    cable = Cable(noise, Chance(None if seed is None else seed + 1))
    mode = Mode.REVERSE_EACH_GAME | Mode.AUTOMATIC_STATUS | Mode.VARY_SPEED
    if wait and pty:
        mode |= Mode.WAIT_FOR_START
    machine = Machine(
        game.rulebook,
        codes_of(game, chosen),
        chance,
        next_scenario,
        mode,
        played,
        frame if angles else None,
    )
    if not (closed and pty):
        machine.obey(b"*P 1")
    try:
        (_serve if pty else _print)(machine, cable, speed, over)
    except KeyboardInterrupt:
        raise click.Abort from None


def _print(machine: Machine, cable: Cable, speed: float, over: Callable[[], bool]) -> None:
    out = sys.stdout.buffer
    for lines in machine.run():
        if over():
            break
        for line in lines:
            out.write(cable.carry(line))
        if speed:
            out.flush()
            time.sleep(STATUS_SECONDS / speed)
    out.flush()


def _serve(machine: Machine, cable: Cable, speed: float, over: Callable[[], bool]) -> None:
    import asyncio

    from roundhouse.wheelhead.simulator.serving import PseudoTerminal, serve

    terminal = PseudoTerminal()
    click.echo(terminal.path)
    sys.stdout.flush()
    try:
        asyncio.run(serve(machine, terminal, cable, speed or 1e6, over))
    finally:
        terminal.close()


def _writer(path: Path | None) -> Callable[[object], None]:
    """One JSON object a line; nowhere when no file was named."""
    if path is None:
        return lambda _: None
    try:
        file = path.open("wb", buffering=1 << 16)
    except OSError as error:
        raise UnreadableFile(f"cannot write '{path}': {error.strerror or error}") from error
    context = click.get_current_context()
    context.call_on_close(file.close)
    encode = msgspec.json.Encoder().encode

    def write(what: object) -> None:
        file.write(encode(what) + b"\n")

    return write
