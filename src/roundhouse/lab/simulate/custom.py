"""A system of the user's own: a small Python function, called before every round.

    def stake(units, net, bankroll, memory):
        return 1 if net >= 0 else 2 * units

``units`` is what was really staked last (0 before the first round), ``net`` what that gave in cents, ``bankroll`` what
is left, ``memory`` a dict that is empty at the start of each session. It answers with whole units; 0 leaves the table.
It meets the same spins as the built-in systems. Whatever it raises reaches its author as one line.
"""

import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.flat import tuples_of_a_word
from roundhouse.lab.simulate.plan import NEVER, CustomStrategy, SimulationPlan
from roundhouse.lab.simulate.sessions import COLUMNS, Ending, draw
from roundhouse.lab.simulate.strategies import AtLimit
from roundhouse.rules.errors import UserError

Stake = Callable[[int, int, int, dict[str, object]], object]


class BadStrategy(UserError):
    """A strategy file that cannot be used, or one that failed in play."""


def load(own: CustomStrategy) -> Stake:
    # What it prints is for its author: standard output belongs to the answer, which may be JSON.
    names: dict[str, object] = {"__name__": "strategy", "print": partial(print, file=sys.stderr)}
    try:
        exec(compile(own.source, own.name, "exec"), names)
    except (Exception, SystemExit) as error:
        raise BadStrategy(f"'{own.name}' cannot be read: {_told(own, error)}") from error
    stake = names.get("stake")
    if not callable(stake):
        raise BadStrategy(f"'{own.name}' has no function stake(units, net, bankroll, memory)")
    return stake


def play_own(plan: SimulationPlan, first: int, count: int) -> NDArray[np.int64]:
    """The records of so many sessions, as the compiled kernel would write them."""
    assert isinstance(plan.system, CustomStrategy)
    stake = load(plan.system)
    out = np.zeros((count, COLUMNS), dtype=np.int64)
    for row in range(count):
        out[row] = _session(plan, plan.system, stake, first + row)
    return out


def _session(plan: SimulationPlan, own: CustomStrategy, stake: Stake, session: int) -> tuple[int, ...]:
    start = plan.stops.bankroll
    balance = low = high = 0 if start is None else start
    units = net = handle = played = largest = 0
    memory: dict[str, object] = {}
    spins = _spins(plan, session)
    ending = _ended(plan, balance)
    while ending is Ending.ALL_ROUNDS and played < plan.rounds:
        asked = _ask(own, stake, (units, net, balance, memory), session, played)
        units = min(asked, plan.most_units)
        if asked > plan.most_units and plan.at_limit is not AtLimit.CAP:
            units = 0 if plan.at_limit is AtLimit.STOP else 1
        if start is not None:
            units = min(units, balance // plan.staked)
        if units == 0:
            ending = Ending.TABLE_LIMIT if asked else Ending.OWN_WILL
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


def _ask(
    own: CustomStrategy, stake: Stake, seen: tuple[int, int, int, dict[str, object]], session: int, played: int
) -> int:
    where = f"in round {played + 1} of session {session + 1}"
    try:
        asked = stake(*seen)
    except (Exception, SystemExit) as error:
        raise BadStrategy(f"'{own.name}' failed {where}: {_told(own, error)}") from error
    if not isinstance(asked, int) or isinstance(asked, bool) or asked < 0:
        raise BadStrategy(f"'{own.name}' answered {asked!r} {where}; a stake is a whole number of units, 0 to leave")
    return asked


def _spins(plan: SimulationPlan, session: int) -> Iterator[int]:
    """The segments that the wheel gives in a session, one after the other."""
    words = tuples_of_a_word(len(plan.nets))
    room = np.empty(4 * words[0], dtype=np.int64)
    number = 0
    while True:
        drawn = draw(len(plan.nets), words, np.uint64(plan.seed), np.uint64(session), np.uint64(number), room)
        yield from room[:drawn].tolist()
        number += 1


def _told(own: CustomStrategy, error: BaseException) -> str:
    """The error and the line of the user's file at which it arose."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == own.name]
    line = error.lineno if isinstance(error, SyntaxError) else (lines[-1] if lines else None)
    told = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}{f' at line {line}' if line else ''}{f': {told}' if told else ''}"
