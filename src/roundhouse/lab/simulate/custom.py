"""Betting systems written by the user: a Python function that is called before every round.

    def stake(units, net, bankroll, memory):
        return 1 if net >= 0 else 2 * units

``units`` is the last stake in units (0 before the first round), ``net`` its net result in cents, ``bankroll`` the
remaining cents, and ``memory`` a dict that is empty at the start of each session. The function returns whole units; 0
ends the session. The spins are those of the built-in systems. An exception is reported to the user as one line.
"""

import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.flat import draws_per_word
from roundhouse.lab.simulate.plan import NEVER, CustomStrategy, SimulationPlan
from roundhouse.lab.simulate.sessions import COLUMNS, Ending, draw
from roundhouse.lab.simulate.strategies import AtLimit
from roundhouse.rules.errors import UserError

Stake = Callable[[int, int, int, dict[str, object]], object]


class BadStrategy(UserError):
    """A strategy file that cannot be used, or one that failed in play."""


def load(strategy: CustomStrategy) -> Stake:
    # Redirect prints of the strategy to standard error: standard output is for the result, which may be JSON.
    names: dict[str, object] = {"__name__": "strategy", "print": partial(print, file=sys.stderr)}
    try:
        exec(compile(strategy.source, strategy.name, "exec"), names)
    except (Exception, SystemExit) as error:
        raise BadStrategy(f"'{strategy.name}' cannot be read: {_describe_error(strategy, error)}") from error
    stake = names.get("stake")
    if not callable(stake):
        raise BadStrategy(f"'{strategy.name}' has no function stake(units, net, bankroll, memory)")
    return stake


def play_custom(plan: SimulationPlan, first: int, count: int) -> NDArray[np.int64]:
    """Play ``count`` sessions from number ``first``. Returns records like those of the compiled kernels."""
    assert isinstance(plan.system, CustomStrategy)
    stake = load(plan.system)
    out = np.zeros((count, COLUMNS), dtype=np.int64)
    for row in range(count):
        out[row] = _session(plan, plan.system, stake, first + row)
    return out


def _session(plan: SimulationPlan, strategy: CustomStrategy, stake: Stake, session: int) -> tuple[int, ...]:
    start = plan.stops.bankroll
    balance = low = high = 0 if start is None else start
    units = net = handle = played = largest = 0
    memory: dict[str, object] = {}
    spins = _spins(plan, session)
    ending = _ended(plan, balance)
    while ending is Ending.ALL_ROUNDS and played < plan.rounds:
        requested = _requested_units(strategy, stake, (units, net, balance, memory), session, played)
        units = min(requested, plan.most_units)
        if requested > plan.most_units and plan.at_limit is not AtLimit.CAP:
            units = 0 if plan.at_limit is AtLimit.STOP else 1
        if start is not None:
            units = min(units, balance // plan.staked)
        if units == 0:
            ending = Ending.TABLE_LIMIT if requested else Ending.OWN_WILL
            break
        net = units * plan.nets[next(spins)]
        handle += units * plan.staked
        largest = max(largest, units * plan.staked)
        balance += net
        low, high = min(low, balance), max(high, balance)
        played += 1
        ending = _ended(plan, balance)
    start = start or 0
    return balance - start, low - start, high - start, handle, played, largest, ending


def _ended(plan: SimulationPlan, balance: int) -> Ending:
    stops = plan.stops
    if balance >= (NEVER if stops.target is None else stops.target):
        return Ending.TARGET
    if balance <= (-NEVER if stops.stop_loss is None else stops.stop_loss):
        return Ending.STOP_LOSS
    if stops.bankroll is not None and balance < plan.staked:
        return Ending.RUIN
    return Ending.ALL_ROUNDS


def _requested_units(
    strategy: CustomStrategy, stake: Stake, seen: tuple[int, int, int, dict[str, object]], session: int, played: int
) -> int:
    where = f"in round {played + 1} of session {session + 1}"
    try:
        requested = stake(*seen)
    except (Exception, SystemExit) as error:
        raise BadStrategy(f"'{strategy.name}' failed {where}: {_describe_error(strategy, error)}") from error
    if not isinstance(requested, int) or isinstance(requested, bool) or requested < 0:
        raise BadStrategy(
            f"'{strategy.name}' returned {requested!r} {where}; return a whole number of units, or 0 to leave"
        )
    return requested


def _spins(plan: SimulationPlan, session: int) -> Iterator[int]:
    """Yield the segments of a session's spins."""
    words = draws_per_word(len(plan.nets))
    buffer = np.empty(4 * words[0], dtype=np.int64)
    number = 0
    while True:
        drawn = draw(len(plan.nets), words, np.uint64(plan.seed), np.uint64(session), np.uint64(number), buffer)
        yield from buffer[:drawn].tolist()
        number += 1


def _describe_error(strategy: CustomStrategy, error: BaseException) -> str:
    """Format an error with its line in the user's file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == strategy.name]
    line = error.lineno if isinstance(error, SyntaxError) else (lines[-1] if lines else None)
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}{f' at line {line}' if line else ''}{f': {message}' if message else ''}"
