"""Plan of a simulation. It contains everything that a worker on another machine needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from roundhouse.lab.simulate.strategies import MAX_UNITS, MEANING, PARAMETER, AtLimit, Strategy
from roundhouse.lab.slip import Slip, SlipLimits
from roundhouse.rules.errors import UserError
from roundhouse.rules.names import Pocket
from roundhouse.rules.wheel import Wheel

_WHOLE: Final = 1 << 62
NEVER: Final = _WHOLE
MAX_SPINS: Final = 10**15
_MAX_PARAMETER: Final = 1000
_MAX_SESSION: Final = 10**9


class NoSuchPlan(UserError):
    """Invalid terms of a simulation."""


@dataclass(frozen=True, slots=True)
class Stops:
    """Stopping rules. Amounts are bankrolls in cents; None means that the rule is not used."""

    bankroll: int | None = None
    """Initial bankroll. None means unlimited credit; the other amounts then count from 0."""
    target: int | None = None
    stop_loss: int | None = None
    """The player stops at this bankroll or below it."""

    def __post_init__(self) -> None:
        start = self.bankroll or 0
        if self.bankroll is not None and not 0 <= self.bankroll < _WHOLE:
            raise NoSuchPlan(f"the bankroll must be 0 to {_WHOLE - 1} cents, not {self.bankroll}")
        if self.target is not None and not start < self.target < _WHOLE:
            upper = f" and below {_WHOLE}" if self.target >= _WHOLE else ""
            raise NoSuchPlan(f"the target of {self.target} cents must be above the bankroll of {start}{upper}")
        if self.stop_loss is not None and not -_WHOLE < self.stop_loss < start:
            raise NoSuchPlan(f"the stop-loss of {self.stop_loss} cents must be below the bankroll of {start}")

    @property
    def none(self) -> bool:
        return self.bankroll is None and self.target is None and self.stop_loss is None


@dataclass(frozen=True, slots=True)
class CustomStrategy:
    """A betting system written by the user: the source of a Python file with a function ``stake``."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """The input of a simulation: a number of sessions of one slip with one betting system."""

    nets: tuple[int, ...]
    """Net result of one unit of the slip for each segment of the wheel, in cents."""
    staked: int
    """Stake of one unit in cents."""
    sessions: int
    rounds: int
    seed: int
    system: Strategy | CustomStrategy
    parameter: int
    most_units: int
    """Table limit in units."""
    at_limit: AtLimit
    stops: Stops

    @property
    def plain(self) -> bool:
        """Whether play is flat and without stopping rules, so that rounds are independent."""
        return self.system is Strategy.FLAT and self.stops.none

    @property
    def limited_by_integer_range(self) -> bool:
        """Whether ``most_units`` is the limit of 64-bit sums instead of a table limit."""
        return self.most_units == _largest_units(self.nets, self.staked, self.rounds)


def make_plan(
    slip: Slip,
    wheel: Wheel,
    *,
    sessions: int,
    rounds: int,
    seed: int,
    system: Strategy | CustomStrategy = Strategy.FLAT,
    parameter: int | None = None,
    limits: SlipLimits | None = None,
    at_limit: AtLimit = AtLimit.CAP,
    stops: Stops | None = None,
) -> SimulationPlan:
    _check_counts(sessions, rounds, seed)
    stops = stops or Stops()
    nets = nets_of(slip.returns, slip.staked, wheel)
    ceiling = _largest_units(nets, slip.staked, rounds)
    if ceiling < 1:
        raise NoSuchPlan(
            f"the sums of {rounds} rounds at {slip.staked} cents exceed 64 bits; use smaller stakes or fewer rounds"
        )
    table = min(limits.max_stake_on(bet.position) // bet.stake for bet in slip.bets) if limits else ceiling
    if table < 1:
        raise NoSuchPlan("the slip exceeds the table limit; use smaller stakes or a higher limit")
    if isinstance(system, Strategy):
        given = PARAMETER[system] if parameter is None else parameter
        if not 1 <= given <= _MAX_PARAMETER:
            raise NoSuchPlan(f"{system} takes a parameter of 1 to {_MAX_PARAMETER} ({MEANING[system]}), not {given}")
        if system is Strategy.FLAT and given > min(table, ceiling):
            raise NoSuchPlan(f"{given} units of the slip exceed the table limit of {min(table, ceiling)} units")
    elif parameter is not None:
        raise NoSuchPlan("a custom strategy has no --parameter; write the value into its function")
    else:
        given = 1
    return SimulationPlan(
        nets, slip.staked, sessions, rounds, seed, system, given, min(table, ceiling), at_limit, stops
    )


def nets_of(returns: Mapping[Pocket, int], staked: int, wheel: Wheel) -> tuple[int, ...]:
    return tuple(returns[pocket] - staked for pocket in wheel.order)


def _check_counts(sessions: int, rounds: int, seed: int) -> None:
    if sessions < 1 or rounds < 1:
        raise NoSuchPlan(f"sessions and rounds must be at least 1, not {sessions} and {rounds}")
    if sessions * rounds > MAX_SPINS or rounds > 10**12:
        raise NoSuchPlan(
            f"{sessions} sessions of {rounds} rounds are too many; the limit is {MAX_SPINS} spins in total and "
            f"{10**12} rounds per session"
        )
    if not 0 <= seed < 1 << 64:
        raise NoSuchPlan(f"the seed must be a whole number from 0 to 2^64 - 1, not {seed}")


def check_session_length(rounds: int) -> None:
    if rounds > _MAX_SESSION:
        raise NoSuchPlan(
            f"a session with a betting system or stopping rules has at most {_MAX_SESSION} rounds, not {rounds}"
        )


def _largest_units(nets: tuple[int, ...], staked: int, rounds: int) -> int:
    """Compute the largest stake in units that keeps every sum of the session within 64 bits."""
    return min(MAX_UNITS, _WHOLE // 2 // rounds // max(staked, max(abs(net) for net in nets)))
