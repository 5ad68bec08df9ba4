"""``roundhouse wheel watch``: what a wheel does, as it does it, in words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, assert_never

import click

from roundhouse.cli.output import console
from roundhouse.cli.wheel.common import codes_of, game_options
from roundhouse.rules.game import Game
from roundhouse.wheelhead import facts as fact
from roundhouse.wheelhead.codes import Codes
from roundhouse.wheelhead.line import Code, Flag, Status
from roundhouse.wheelhead.spins import OutcomeRead, UnresolvedRead, VoidRead, questions, result

if TYPE_CHECKING:
    from roundhouse.wheelhead.sources import Source

_WARNINGS = {
    Flag.BALL_GONE: "the ball was removed or is not sensed",
    Flag.WITH_ROTOR: "the ball travels with the rotor",
    Flag.FAILURE: "a sensor, the motor or the encoder failed",
    Flag.LAUNCH_FAILED: "the launch failed; the wheel launches again",
}


@click.command()
@click.argument("port")
@game_options
@click.option("--no-rtscts", is_flag=True, help="The serial cable has no RTS and CTS wires.")
def watch(port: str, game: Game, chosen: tuple[str, ...], no_rtscts: bool) -> None:
    """Watch a wheel live: PORT is a serial device, tcp://host:port, or a recording. Ctrl-C ends it."""
    import asyncio

    from roundhouse.wheelhead.sources import source

    codes = codes_of(game, chosen)
    wheel = source(port, rtscts=not no_rtscts)
    try:
        asyncio.run(_watch(wheel, game, codes))
    except KeyboardInterrupt:
        raise click.Abort from None


async def _watch(wheel: "Source", game: Game, codes: Codes) -> None:
    from roundhouse.wheelhead import listening
    from roundhouse.wheelhead.driver import Driver

    out = console()
    async for event in Driver(listening.Listener(wheel), game.rulebook, codes).events():
        match event:
            case listening.Connected(name):
                words = [f"listening to {name}"]
            case listening.Disconnected(why):
                words = [f"the wheel is gone ({why}); looking for it"]
            case listening.Silent(seconds):
                words = [f"the wheel has been silent for {seconds:.0f} s"]
            case listening.Finished() | Status():
                words = []
            case _:
                words = list(_words(event, game, codes))
        for line in words:
            out.print(line, markup=False)


def _words(seen: fact.Fact, game: Game, codes: Codes) -> Iterator[str]:
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
            yield f"{number}  question: the rotor was shown at a standstill with the ball in the rim; did it stop?"
        case fact.TableClosed(number):
            yield f"{number}  table closed"
        case fact.GamesMissed(after, before):
            yield f"the counter went from {after} to {before}: games were not heard"
        case fact.NotUnderstood(line):
            yield f"not understood: {line!r}"
        case fact.Answered(said):
            yield f"*{said.word} {said.rest}"
        case fact.GameEnded():
            yield from _result(seen, game, codes)
        case _:
            assert_never(seen)


def _result(ended: fact.GameEnded, game: Game, codes: Codes) -> Iterator[str]:
    match result(ended, game.rulebook, codes):
        case OutcomeRead(number, outcome):
            yield f"{number}  outcome {outcome}"
        case VoidRead(number, clauses, _):
            yield f"{number}  void under {', '.join(clauses)}"
        case UnresolvedRead(number, why, _):
            yield f"{number}  unresolved: {why}"
        case None:
            return
    for question in questions(ended, game.rulebook, codes):
        yield f"{ended.game}  question for the Dealer: {question}"


def _place(code: Code, codes: Codes) -> str:
    segment = codes.segment_of.get(code)
    return codes.wheel.at(segment) if segment is not None else repr(code)
