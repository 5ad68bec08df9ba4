"""Compiled simulation of sessions with a betting system, table limits, a bankroll and stopping rules."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.jit import compiled, high_product
from roundhouse.lab.simulate.rng import WHEEL, four_words
from roundhouse.lab.simulate.strategies import LINE, StrategyTag, advance, begin


class Ending(IntEnum):
    """Reason why a session ended."""

    ALL_ROUNDS = 0
    TARGET = 1
    RUIN = 2
    STOP_LOSS = 3
    TABLE_LIMIT = 4
    OWN_WILL = 5
    """A custom strategy returned 0."""


NET, LOW, HIGH, HANDLE, ROUNDS, MAX_STAKE, ENDING = range(7)
"""Columns of a session's record: final, lowest and highest net result and handle in cents, rounds played, largest stake
in one round in cents, and the ``Ending``."""
COLUMNS = 7

_ALL_ROUNDS, _TARGET, _RUIN, _STOP_LOSS, _TABLE_LIMIT = range(5)
_RESET, _STOP = 1, 2


@compiled
def next_stake(requested: int, max_units: int, balance: int, slip: int, at_limit: int) -> int:
    """Reduce the requested units to the table limit and the balance. Returns 0 if the player leaves at the limit."""
    if requested > max_units:
        if at_limit == _STOP:
            return 0
        requested = max_units
    return requested if requested * slip <= balance else balance // slip


@compiled
def ended(balance: int, slip: int, target: int, stop_loss: int) -> int:
    if balance >= target:
        return _TARGET
    if balance <= stop_loss:
        return _STOP_LOSS
    if balance < slip:
        return _RUIN
    return _ALL_ROUNDS


@compiled
def draw(
    segments: int,
    words: tuple[int, np.uint64, np.uint64],
    seed: np.uint64,
    session: np.uint64,
    first_number: np.uint64,
    out: NDArray[np.int64],
) -> int:
    """Draw segments into ``out`` from the four words at ``first_number``. Returns how many were drawn."""
    tuples, power, uneven = words
    size = np.uint64(segments)
    four = four_words(seed, session, first_number, np.uint64(0), WHEEL)
    w, x, y, z = four
    if min(min(w * power, x * power), min(y * power, z * power)) >= uneven:
        # The usual case: no word is rejected. Draw from four words in parallel, because the draws from one word depend
        # on each other.
        for i in range(tuples):
            out[i], w = high_product(w, size), w * size
            out[tuples + i], x = high_product(x, size), x * size
            out[2 * tuples + i], y = high_product(y, size), y * size
            out[3 * tuples + i], z = high_product(z, size), z * size
        return 4 * tuples
    done = 0
    for word in four:
        if word * power < uneven:
            continue
        rest = word
        for _ in range(tuples):
            out[done] = high_product(rest, size)
            rest *= size
            done += 1
    return done


@compiled
def play_session(
    tag: StrategyTag,
    terms: NDArray[np.int64],
    moves: NDArray[np.int64],
    words: tuple[int, np.uint64, np.uint64],
    seed: np.uint64,
    session: np.uint64,
    line: NDArray[np.int64],
    spins: NDArray[np.int64],
    record: NDArray[np.int64],
) -> None:
    """Play one session and write its record. ``chunks`` computes ``terms`` and ``moves`` from the plan."""
    parameter, slip, max_units, at_limit, rounds = terms[0], terms[1], terms[2], terms[3], terms[4]
    bankroll, target, stop_loss = terms[5], terms[6], terms[7]
    floor = max(slip, stop_loss + 1)
    room = np.uint64(target - floor)
    balance = low = high = bankroll
    handle = played = largest = 0
    units, a, b = begin(tag, parameter, line)
    units = next_stake(units, max_units, balance, slip, at_limit)
    going = ended(balance, slip, target, stop_loss) == _ALL_ROUNDS and units > 0
    number = np.uint64(0)
    while going:
        drawn = draw(len(moves) // 4, words, seed, session, number, spins)
        number += np.uint64(1)
        for at in range(min(drawn, rounds - played)):
            place = np.uint64(4 * spins[at])
            move = moves[place], moves[place + np.uint64(1)], moves[place + np.uint64(2)]
            handle += units
            largest = max(largest, units)
            balance += units * move[0]
            low = min(low, balance)
            high = max(high, balance)
            # One comparison checks both bounds: below ``floor`` the unsigned difference wraps around to a huge number.
            if np.uint64(balance - floor) >= room:
                going = False
                played += at + 1 - drawn
                break
            units, a, b = advance(tag, parameter, slip, units, move, a, b, line)
            if units > max_units:
                if at_limit == _STOP:
                    going = False
                    played += at + 1 - drawn
                    break
                if at_limit == _RESET:
                    units, a, b = begin(tag, parameter, line)
                units = min(units, max_units)
            # Avoid the division where possible: it takes longer than the rest of a round.
            if slip == 1:
                units = min(units, balance)
            elif units * slip > balance:
                units = balance // slip
        played += drawn
        going = going and played < rounds
    played = min(played, rounds)
    ending = ended(balance, slip, target, stop_loss)
    if ending == _ALL_ROUNDS and played < rounds:
        ending = _TABLE_LIMIT
    record[0], record[1], record[2] = balance - bankroll, low - bankroll, high - bankroll
    record[3], record[4], record[5], record[6] = handle * slip, played, largest * slip, ending


@compiled
def play_sessions(
    tag: StrategyTag,
    terms: NDArray[np.int64],
    moves: NDArray[np.int64],
    words: tuple[int, np.uint64, np.uint64],
    seed: np.uint64,
    first: int,
    out: NDArray[np.int64],
) -> None:
    # Labouchère's line grows by at most one number per round; the Fibonacci line has a fixed length.
    line = np.empty(LINE + 3 + terms[4] + terms[0], dtype=np.int64)
    spins = np.empty(4 * words[0], dtype=np.int64)
    for row in range(len(out)):
        play_session(tag, terms, moves, words, seed, np.uint64(first + row), line, spins, out[row])
