"""Path-dependent play: a system under the table's limits, with a bankroll and rules for when to stop."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.jit import compiled, high_product
from roundhouse.lab.simulate.rng import WHEEL, four_words
from roundhouse.lab.simulate.strategies import LINE, Kind, advance, begin


class Ending(IntEnum):
    ALL_ROUNDS = 0
    TARGET = 1
    RUIN = 2
    STOP_LOSS = 3
    TABLE_LIMIT = 4
    OWN_WILL = 5


NET, LOW, HIGH, HANDLE, ROUNDS, MOST, ENDING = range(7)
"""The columns of a session's record, in cents, rounds, cents staked at most in one round, and how it ended."""
COLUMNS = 7

_ALL_ROUNDS, _TARGET, _RUIN, _STOP_LOSS, _TABLE_LIMIT = range(5)
_RESET, _STOP = 1, 2


@compiled
def next_stake(asked: int, most: int, balance: int, slip: int, at_limit: int) -> int:
    """What is really staked of what a system asks; 0 for a player who leaves because of the limit."""
    if asked > most:
        if at_limit == _STOP:
            return 0
        asked = most
    return asked if asked * slip <= balance else balance // slip


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
    """The segments that a session meets, from four words' boundary ``first_number`` on; how many were drawn."""
    tuples, power, uneven = words
    size = np.uint64(segments)
    four = four_words(seed, session, first_number, np.uint64(0), WHEEL)
    w, x, y, z = four
    if min(min(w * power, x * power), min(y * power, z * power)) >= uneven:
        # Nearly always: four words side by side, for in one word each draw waits for the one before it.
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
    kind: Kind,
    terms: NDArray[np.int64],
    moves: NDArray[np.int64],
    words: tuple[int, np.uint64, np.uint64],
    seed: np.uint64,
    session: np.uint64,
    line: NDArray[np.int64],
    spins: NDArray[np.int64],
    record: NDArray[np.int64],
) -> None:
    """One session, written into its record. ``terms`` and ``moves`` are what ``chunks`` makes of the plan."""
    parameter, slip, most, at_limit, rounds = terms[0], terms[1], terms[2], terms[3], terms[4]
    bankroll, target, stop_loss = terms[5], terms[6], terms[7]
    floor = max(slip, stop_loss + 1)
    room = np.uint64(target - floor)
    balance = low = high = bankroll
    handle = played = largest = 0
    units, a, b = begin(kind, parameter, line)
    units = next_stake(units, most, balance, slip, at_limit)
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
            # One comparison for both lines: below the floor the difference is a huge number without a sign.
            if np.uint64(balance - floor) >= room:
                going = False
                played += at + 1 - drawn
                break
            units, a, b = advance(kind, parameter, slip, units, move, a, b, line)
            if units > most:
                if at_limit == _STOP:
                    going = False
                    played += at + 1 - drawn
                    break
                if at_limit == _RESET:
                    units, a, b = begin(kind, parameter, line)
                units = min(units, most)
            # Divided only when it must be: a division costs more than all the rest of a round.
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
    kind: Kind,
    terms: NDArray[np.int64],
    moves: NDArray[np.int64],
    words: tuple[int, np.uint64, np.uint64],
    seed: np.uint64,
    first: int,
    out: NDArray[np.int64],
) -> None:
    # The line of Labouchère grows by one a round at most; that of Fibonacci is short.
    line = np.empty(LINE + 3 + terms[4] + terms[0], dtype=np.int64)
    spins = np.empty(4 * words[0], dtype=np.int64)
    for row in range(len(out)):
        play_session(kind, terms, moves, words, seed, np.uint64(first + row), line, spins, out[row])
