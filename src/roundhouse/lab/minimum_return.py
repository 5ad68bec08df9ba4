"""The floor check: does every single bet return at least what a jurisdiction demands?

A jurisdiction is a small file of data. Those beside this page cite where their figure stands; a laboratory checks
that against the text in force, and writes a file of its own for any other place.
"""

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

import msgspec

from roundhouse.lab.dominance import odds_of
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.rules.names import LayoutId, PackageId, PositionId

_PROFILES: Final = Path(__file__).parent / "profiles"


class NoSuchProfile(UserError):
    """A jurisdiction profile that is not there or does not say what it must."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    minimum_return: str
    """A fraction or a decimal of what is staked, such as 0.75 or 3/4."""
    source: str
    confirmed: str = "unconfirmed"
    """Against what the figure was checked."""
    note: str = ""

    @property
    def minimum(self) -> Fraction:
        return Fraction(self.minimum_return)


@dataclass(frozen=True, slots=True)
class Below:
    """A bet that returns too little."""

    layout: LayoutId
    id: PositionId | PackageId
    returned: Fraction


@dataclass(frozen=True, slots=True)
class MinimumReturnCheck:
    profile: Profile
    bets: int
    """How many bets were checked."""
    least: Fraction
    """The smallest return among them."""
    below: tuple[Below, ...]

    @property
    def passed(self) -> bool:
        return not self.below


def shipped() -> tuple[Profile, ...]:
    return tuple(read(path) for path in sorted(_PROFILES.glob("*.toml")))


def find(name: str) -> Profile:
    """A profile by its id, or by the path of its file."""
    if name.endswith(".toml"):
        return read(Path(name))
    for profile in shipped():
        if profile.id == name:
            return profile
    known = ", ".join(profile.id for profile in shipped())
    raise NoSuchProfile(f"there is no profile '{name}'; there are {known}, or give the path of a profile file")


def read(path: Path) -> Profile:
    try:
        profile = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Profile)
        within = 0 <= profile.minimum <= 1
    except OSError as error:
        raise NoSuchProfile(f"cannot read '{path}': {error.strerror or error}") from error
    except (ValueError, ZeroDivisionError) as error:  # also what tomllib and msgspec raise
        raise NoSuchProfile(f"'{path}' is not a jurisdiction profile: {error}") from error
    if not within:
        raise NoSuchProfile(f"'{path}': minimum_return lies between 0 and 1, not at {profile.minimum_return}")
    return profile


def check(game: Game, profile: Profile) -> MinimumReturnCheck:
    """Every position of every layout and every package of every terminal."""
    below: list[Below] = []
    returns: list[Fraction] = []
    tables = [(layout.id, odds_of(layout)) for layout in game.layouts.values()]
    for terminal in game.terminals.values():
        positions = terminal.layout.by_id
        packages = {id: odds for id, odds in odds_of(terminal.layout, terminal).items() if id not in positions}
        tables.append((terminal.layout.id, packages))
    for layout, table in tables:
        for id, odds in table.items():
            returns.append(1 - odds.edge)
            if 1 - odds.edge < profile.minimum:
                below.append(Below(layout, id, 1 - odds.edge))
    return MinimumReturnCheck(profile, len(returns), min(returns), tuple(below))
