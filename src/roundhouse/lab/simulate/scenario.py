"""Scenarios of a floor's evening: tables, arrivals and the mix of players.

A scenario is a TOML file. ``default`` creates one from a layout.
"""

import tomllib
from pathlib import Path
from typing import Final

import msgspec

from roundhouse.lab.simulate.strategies import PARAMETER, Strategy
from roundhouse.lab.slip import Slip, SlipLimits, bets_of, make_slip
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import BetType, Cents, PackageId, PositionId
from roundhouse.rules.packages import Terminal
from roundhouse.rules.settlement import Bet, NoSuchBet

_MAX_ROUNDS: Final = 1_000_000
_MAX_SEATS: Final = 10_000


class BadScenario(UserError):
    """An invalid scenario."""


class TableLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    least: int = 1
    most: int = 1_000_000
    by_type: dict[str, int] = {}


class Guest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of player: stakes, betting system, bankroll and length of stay."""

    name: str
    weight: int
    """Share of arrivals, relative to the weights of the other kinds."""
    bankroll: int
    stay_rounds: int
    """Mean number of rounds after which a player of this kind leaves."""
    bets: dict[str, int] = {}
    """Position → stake in cents."""
    packages: dict[str, int] = {}
    """Package → cents on each piece."""
    strategy: Strategy = Strategy.FLAT
    parameter: int | None = None
    target: int | None = None


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tables: int
    seats: int
    hours: int
    rounds_per_hour: int
    arrivals_per_hour: int
    players: tuple[Guest, ...]
    limits: TableLimits = TableLimits()

    @property
    def rounds(self) -> int:
        return self.hours * self.rounds_per_hour


def read(path: Path) -> Scenario:
    try:
        scenario = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Scenario)
    except OSError as error:
        raise BadScenario(f"cannot read '{path}': {error.strerror or error}") from error
    except ValueError as error:  # ``ValueError`` includes the errors of tomllib and msgspec.
        raise BadScenario(f"'{path}' is not a scenario: {error}") from error
    check(scenario)
    return scenario


def check(scenario: Scenario) -> None:
    for name in ("tables", "seats", "hours", "rounds_per_hour"):
        if getattr(scenario, name) < 1:
            raise BadScenario(f"{name} must be at least 1, not {getattr(scenario, name)}")
    if scenario.arrivals_per_hour < 0:
        raise BadScenario(f"arrivals_per_hour must be at least 0, not {scenario.arrivals_per_hour}")
    if scenario.rounds > _MAX_ROUNDS or scenario.tables * scenario.seats > _MAX_SEATS:
        raise BadScenario(
            f"a floor has at most {_MAX_SEATS} seats and {_MAX_ROUNDS} rounds per evening, not "
            f"{scenario.tables * scenario.seats} and {scenario.rounds}"
        )
    if not scenario.players:
        raise BadScenario("the scenario has no players; add a [[players]] table")
    for guest in scenario.players:
        if guest.weight < 1 or guest.stay_rounds < 1 or not 0 <= guest.bankroll <= 10**15:
            raise BadScenario(
                f"player '{guest.name}': weight and stay_rounds must be at least 1, and bankroll 0 to 10^15 cents"
            )
        if guest.target is not None and guest.target <= guest.bankroll:
            raise BadScenario(f"player '{guest.name}': the target must be above the bankroll")
        if guest.parameter is not None and not 1 <= guest.parameter <= 1000:
            raise BadScenario(f"player '{guest.name}': the parameter must be 1 to 1000, not {guest.parameter}")


def limits_of(scenario: Scenario) -> SlipLimits:
    plan = scenario.limits
    by_type = {BetType(kind): Cents(most) for kind, most in plan.by_type.items()}
    return SlipLimits(Cents(plan.least), Cents(plan.most), by_type)


def slips_of(scenario: Scenario, game: Game, layout: Layout, terminal: Terminal | None) -> list[Slip]:
    """Build the slip of each kind of player, checked against the layout, the terminal and the limits."""
    return [_slip(guest, game, layout, terminal, limits_of(scenario)) for guest in scenario.players]


def _slip(guest: Guest, game: Game, layout: Layout, terminal: Terminal | None, limits: SlipLimits) -> Slip:
    bets = [Bet(PositionId(position), Cents(stake)) for position, stake in guest.bets.items()]
    for id, unit in guest.packages.items():
        package = terminal.package(PackageId(id)) if terminal else None
        if package is None:
            raise BadScenario(f"player '{guest.name}': no package '{id}' at this terminal")
        bets += bets_of(package, Cents(unit))
    try:
        return make_slip(game, layout, bets, limits)
    except NoSuchBet as error:
        raise BadScenario(f"player '{guest.name}': {error}") from error


def default(layout: Layout) -> Scenario:
    """Create a scenario: flat players on the first position of each type and odds, and a Martingale player.

    The Martingale player bets on the position with the lowest odds.
    """
    first = {(position.type, position.pays): position for position in reversed(layout.positions)}
    chosen = list(reversed(first.values()))
    likeliest = min(chosen, key=lambda position: position.pays)
    guests = [
        Guest(name=f"flat on {p.id}", weight=2, bankroll=20_000, stay_rounds=60, bets={p.id: 500}) for p in chosen
    ]
    doubler = Guest(
        name=f"doubles on {likeliest.id}",
        weight=2,
        bankroll=50_000,
        stay_rounds=40,
        bets={likeliest.id: 500},
        strategy=Strategy.MARTINGALE,
    )
    return Scenario(
        tables=6,
        seats=7,
        hours=6,
        rounds_per_hour=40,
        arrivals_per_hour=40,
        players=(*guests, doubler),
        limits=TableLimits(most=50_000),
    )


def parameter_of(guest: Guest) -> int:
    return PARAMETER[guest.strategy] if guest.parameter is None else guest.parameter


def to_toml(scenario: Scenario) -> str:
    """Write the scenario as a TOML file for the user to edit."""
    lines = ["# One evening on a floor. Amounts are cents. Keys: see docs/how-to/simulate-a-floor.md.", ""]
    lines += [
        f"{name} = {getattr(scenario, name)}"
        for name in ("tables", "seats", "hours", "rounds_per_hour", "arrivals_per_hour")
    ]
    limits = scenario.limits
    lines += ["", "[limits]", f"least = {limits.least}", f"most = {limits.most}"]
    lines += [f"by_type = {_inline(limits.by_type)}"] if limits.by_type else []
    for guest in scenario.players:
        lines += ["", "[[players]]", f"name = {_quoted(guest.name)}", f"weight = {guest.weight}"]
        lines += [f"bankroll = {guest.bankroll}", f"stay_rounds = {guest.stay_rounds}"]
        lines += [f"bets = {_inline(guest.bets)}"] if guest.bets else []
        lines += [f"packages = {_inline(guest.packages)}"] if guest.packages else []
        lines += [f'strategy = "{guest.strategy}"']
        lines += [f"parameter = {guest.parameter}"] if guest.parameter is not None else []
        lines += [f"target = {guest.target}"] if guest.target is not None else []
    return "\n".join(lines) + "\n"


def _inline(table: dict[str, int]) -> str:
    return "{ " + ", ".join(f"{_quoted(key)} = {value}" for key, value in table.items()) + " }"


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()
