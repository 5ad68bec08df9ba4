"""What is to be simulated: everything that a worker on another machine must know, and nothing that it must ask."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from roundhouse.lab.simulate.strategies import ENOUGH, MEANING, PARAMETER, AtLimit, Strategy
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
    """Terms that no session can be played on."""


@dataclass(frozen=True, slots=True)
class Stops:
    """When a player stops before the last round. Amounts are of the bankroll, in cents; nothing means never."""

    bankroll: int | None = None
    """What the player brings; without it there is credit without end, and amounts count from 0."""
    target: int | None = None
    stop_loss: int | None = None
    """Stops at this bankroll or below it."""

    def __post_init__(self) -> None:
        start = self.bankroll or 0
        if self.bankroll is not None and not 0 <= self.bankroll < _WHOLE:
            raise NoSuchPlan(f"a bankroll is 0 to {_WHOLE - 1} cents, not {self.bankroll}")
        if self.target is not None and not start < self.target < _WHOLE:
            most = f" and below {_WHOLE}" if self.target >= _WHOLE else ""
            raise NoSuchPlan(f"the target of {self.target} cents must lie above the bankroll of {start}{most}")
        if self.stop_loss is not None and not -_WHOLE < self.stop_loss < start:
            raise NoSuchPlan(f"the stop-loss of {self.stop_loss} cents must lie below the bankroll of {start}")

    @property
    def none(self) -> bool:
        return self.bankroll is None and self.target is None and self.stop_loss is None


@dataclass(frozen=True, slots=True)
class CustomStrategy:
    """A system of the user's own: the text of a Python file with a function ``stake``."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    nets: tuple[int, ...]
    """What one unit of the slip wins or loses at each segment of the wheel, in cents."""
    staked: int
    """What one unit costs."""
    sessions: int
    rounds: int
    seed: int
    system: Strategy | CustomStrategy
    parameter: int
    most_units: int
    """The most units that the table takes."""
    at_limit: AtLimit
    stops: Stops

    @property
    def plain(self) -> bool:
        """Flat play that nothing stops: no round depends on those before it."""
        return self.system is Strategy.FLAT and self.stops.none

    @property
    def cut_by_whole_numbers(self) -> bool:
        """Is the limit not the table's but that of 64-bit sums?"""
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
            f"{rounds} rounds at {slip.staked} cents exceed what 64-bit sums hold; stake less or play less"
        )
    table = min(limits.max_stake_on(bet.position) // bet.stake for bet in slip.bets) if limits else ceiling
    if table < 1:
        raise NoSuchPlan("the slip itself is over the table's limit")
    if isinstance(system, Strategy):
        given = PARAMETER[system] if parameter is None else parameter
        if not 1 <= given <= _MAX_PARAMETER:
            raise NoSuchPlan(f"{system} takes a parameter of 1 to {_MAX_PARAMETER} ({MEANING[system]}), not {given}")
        if system is Strategy.FLAT and given > min(table, ceiling):
            raise NoSuchPlan(f"{given} units of the slip are over the table's limit")
    elif parameter is not None:
        raise NoSuchPlan("a strategy of your own has no --parameter; write it into its function")
    else:
        given = 1
    return SimulationPlan(
        nets, slip.staked, sessions, rounds, seed, system, given, min(table, ceiling), at_limit, stops
    )


def nets_of(returns: Mapping[Pocket, int], staked: int, wheel: Wheel) -> tuple[int, ...]:
    return tuple(returns[pocket] - staked for pocket in wheel.order)


def _check_counts(sessions: int, rounds: int, seed: int) -> None:
    if sessions < 1 or rounds < 1:
        raise NoSuchPlan(f"sessions and rounds are counted from 1, not {sessions} and {rounds}")
    if sessions * rounds > MAX_SPINS or rounds > 10**12:
        raise NoSuchPlan(f"{sessions} sessions of {rounds} rounds are more than {MAX_SPINS} spins")
    if not 0 <= seed < 1 << 64:
        raise NoSuchPlan(f"a seed is a whole number from 0 to 2^64 - 1, not {seed}")


def check_session_length(rounds: int) -> None:
    if rounds > _MAX_SESSION:
        raise NoSuchPlan(f"a session with a system or with stopping rules has at most {_MAX_SESSION} rounds")


def _largest_units(nets: tuple[int, ...], staked: int, rounds: int) -> int:
    """So many units may be staked in every round without a sum leaving 64 bits."""
    return min(ENOUGH, _WHOLE // 2 // rounds // max(staked, max(abs(net) for net in nets)))
