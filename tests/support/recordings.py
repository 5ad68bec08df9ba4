"""Wheel recordings: written by hand in a short form, or produced by the simulated wheel."""

from collections.abc import Callable
from functools import cache

from roundhouse import rulebooks
from roundhouse.rules.game import Game
from roundhouse.rules.names import Pocket
from roundhouse.wheel.codes import Codes, codes_for
from roundhouse.wheel.commands import Mode
from roundhouse.wheel.protocol import GameNumber
from roundhouse.wheel.readings import OutcomeReading, Reading
from roundhouse.wheel.simulator.draws import Chance
from roundhouse.wheel.simulator.machine import Machine
from roundhouse.wheel.simulator.scenario import REGULAR, Played, Scenario, scenarios
from roundhouse.wheel.stream import decode

Outcome = tuple[GameNumber, Pocket]


@cache
def find(name: str) -> Game:
    return rulebooks.find(name)


def lines(short: str, speed: int = 150) -> list[bytes]:
    """Expand the short form of a recording. A row has the fields state, game, last number and flags.

    ``4 012 27 2 x3`` repeats such a row three times. ``=16`` is the literal line ``16``. ``_`` stands for a space in
    the last number. Flags may be omitted.
    """
    found = []
    for row in short.strip().splitlines():
        row = row.strip()
        if row.startswith("="):
            found.append(row[1:].replace("_", " ").encode())
            continue
        fields = row.split()
        times = int(fields.pop()[1:]) if fields[-1].startswith("x") else 1
        state, game, last, *flags = fields
        status = f"*X;{state};{game};{last.replace('_', ' ')};{flags[0] if flags else 0};{speed:03d};0"
        found += [status.encode()] * times
    return found


def read(short: str, game: str = "rws-double-zero", end: bytes = b"\r\n") -> list[Reading]:
    return read_bytes(b"".join(line + end for line in lines(short)), game)


def read_bytes(data: bytes, game: str = "rws-double-zero") -> list[Reading]:
    found = find(game)
    return list(decode([data], found.rulebook, codes_for(found.wheel)))


def outcomes(readings: list[Reading]) -> list[Outcome]:
    return [(reading.game, reading.outcome) for reading in readings if isinstance(reading, OutcomeReading)]


def simulated(
    launches: int, seed: int, rate: float = 0.15, game: str = "rws-double-zero", first_game: int = 990
) -> tuple[list[bytes], list[Played], Codes]:
    """Return the lines of a simulated wheel up to its last complete game, and what it played."""
    rulebook, chance = find(game).rulebook, Chance(seed)
    kinds = list(scenarios(rulebook).values())

    def plan() -> Scenario:
        return kinds[chance.below(len(kinds))] if chance.happens(rate) else REGULAR

    return run(game, chance, plan, launches, first_game)


def run(
    game: str, chance: Chance, plan: Callable[[], Scenario], launches: int, first_game: int = 1
) -> tuple[list[bytes], list[Played], Codes]:
    found = find(game)
    codes = codes_for(found.wheel)
    played: list[Played] = []
    mode = Mode.REVERSE_EACH_GAME | Mode.AUTOMATIC_STATUS | Mode.VARY_SPEED
    machine = Machine(found.rulebook, codes, chance, plan, mode, played.append, first_game=first_game)
    machine.obey(b"*P 1")
    sent: list[bytes] = []
    for tick in machine.run():
        if len(played) > launches:
            break
        sent += tick
    return sent, played[:-1], codes


def established(played: list[Played], codes: Codes) -> list[Outcome]:
    wheel = codes.wheel
    return [(one.game, wheel.at(codes.segment_of[one.established])) for one in played if one.established]


GAMES = ("rws-double-zero", "rws-triple-zero", "mbs-sands", "mbs-electronic-double-zero", "rws-money-wheel")
