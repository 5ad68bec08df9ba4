"""Checks that every bet returns at least the minimum that a jurisdiction requires.

A jurisdiction profile is a TOML file with that minimum and its source. The shipped profiles are in ``profiles``; a
laboratory must check them against the law in force, and can write further files.
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
    """A jurisdiction profile that does not exist or is invalid."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The minimum return that one jurisdiction requires."""

    id: str
    name: str
    minimum_return: str
    """Share of the stake, as a decimal or a fraction, such as 0.75 or 3/4."""
    source: str
    """Legal text that contains the figure."""
    confirmed: str = "unconfirmed"
    """Document that the figure was checked against, or ``unconfirmed``."""
    note: str = ""

    @property
    def minimum(self) -> Fraction:
        return Fraction(self.minimum_return)


@dataclass(frozen=True, slots=True)
class BetBelowMinimum:
    """A bet that returns less than the minimum."""

    layout: LayoutId
    id: PositionId | PackageId
    returned: Fraction
    """Mean return per unit staked."""


@dataclass(frozen=True, slots=True)
class MinimumReturnCheck:
    profile: Profile
    bets: int
    """Number of bets checked."""
    least: Fraction
    """Smallest return of the bets checked."""
    below: tuple[BetBelowMinimum, ...]

    @property
    def passed(self) -> bool:
        return not self.below


def shipped_profiles() -> tuple[Profile, ...]:
    return tuple(read(path) for path in sorted(_PROFILES.glob("*.toml")))


def find(name: str) -> Profile:
    """Find a shipped profile by id, or read the profile file at a path that ends in ``.toml``."""
    if name.endswith(".toml"):
        return read(Path(name))
    for profile in shipped_profiles():
        if profile.id == name:
            return profile
    known = ", ".join(profile.id for profile in shipped_profiles())
    raise NoSuchProfile(f"no profile '{name}'; use one of {known}, or the path of a .toml profile file")


def read(path: Path) -> Profile:
    try:
        profile = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Profile)
        within = 0 <= profile.minimum <= 1
    except OSError as error:
        raise NoSuchProfile(f"cannot read '{path}': {error.strerror or error}") from error
    except (ValueError, ZeroDivisionError) as error:  # ``ValueError`` includes the errors of tomllib and msgspec.
        raise NoSuchProfile(f"'{path}' is not a jurisdiction profile: {error}") from error
    if not within:
        raise NoSuchProfile(f"'{path}': minimum_return must be between 0 and 1, not {profile.minimum_return}")
    return profile


def check(game: Game, profile: Profile) -> MinimumReturnCheck:
    """Check every position of every layout and every package of every terminal."""
    below: list[BetBelowMinimum] = []
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
                below.append(BetBelowMinimum(layout, id, 1 - odds.edge))
    return MinimumReturnCheck(profile, len(returns), min(returns), tuple(below))
