"""One evening of a floor, compiled: guests arrive, sit down, play their systems and leave.

All tables turn at the same pace. Everyone at a table meets the same outcome, so what the house can owe in a round is
the sum over its seats, outcome by outcome.
"""

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.jit import compiled, high_product
from roundhouse.lab.simulate.rng import ARRIVALS, WHEEL, four_words
from roundhouse.lab.simulate.sessions import ended, next_stake
from roundhouse.lab.simulate.strategies import LINE, Move, advance, begin

HANDLE, WIN, LOWEST, PEAK, FLOOR_PEAK, SERVED, TURNED_AWAY, SPINS, MAX_SEATED = range(9)
"""The columns of an evening before those of handle by kind of player: cents, guests and spins.

The house's win, its lowest point in the evening, the most one table and the whole floor could owe in one round.
"""
COLUMNS = 9

STRATEGY, PARAMETER, SLIP, MOST, BANKROLL, TARGET, STAY, WEIGHT = range(8)
"""The columns of a kind of player."""

_EMPTY = -1
_KIND, _BALANCE, _UNITS, _A, _B, _LEFT, _NEVER = 0, 1, 2, 3, 4, 5, 1 << 62


@compiled
def _begin(strategy: int, parameter: int, line: NDArray[np.int64]) -> tuple[int, int, int]:
    if strategy == 1:
        return begin((0,), parameter, line)
    if strategy == 2:
        return begin((0, 0), parameter, line)
    if strategy == 3:
        return begin((0, 0, 0), parameter, line)
    if strategy == 4:
        return begin((0, 0, 0, 0), parameter, line)
    if strategy == 5:
        return begin((0, 0, 0, 0, 0), parameter, line)
    if strategy == 6:
        return begin((0, 0, 0, 0, 0, 0), parameter, line)
    return begin((0, 0, 0, 0, 0, 0, 0), parameter, line)


@compiled
def _advance(
    strategy: int, parameter: int, slip: int, units: int, move: Move, a: int, b: int, line: NDArray[np.int64]
) -> tuple[int, int, int]:
    if strategy == 1:
        return advance((0,), parameter, slip, units, move, a, b, line)
    if strategy == 2:
        return advance((0, 0), parameter, slip, units, move, a, b, line)
    if strategy == 3:
        return advance((0, 0, 0), parameter, slip, units, move, a, b, line)
    if strategy == 4:
        return advance((0, 0, 0, 0), parameter, slip, units, move, a, b, line)
    if strategy == 5:
        return advance((0, 0, 0, 0, 0), parameter, slip, units, move, a, b, line)
    if strategy == 6:
        return advance((0, 0, 0, 0, 0, 0), parameter, slip, units, move, a, b, line)
    return advance((0, 0, 0, 0, 0, 0, 0), parameter, slip, units, move, a, b, line)


@compiled
def _spin(segments: int, seed: np.uint64, evening: np.uint64, turn: int, table: int) -> int:
    size = np.uint64(segments)
    uneven = (np.uint64(0) - size) % size
    number = np.uint64(turn) << np.uint64(20)
    while True:
        for word in four_words(seed, evening, number, np.uint64(table), WHEEL):
            if word * size >= uneven:
                return int(high_product(word, size))
        number += np.uint64(1)


@compiled
def _chance(seed: np.uint64, evening: np.uint64, counter: NDArray[np.uint64]) -> float:
    """The next of an evening's random numbers in (0, 1) that have nothing to do with a wheel."""
    words = four_words(seed, evening, counter[0], np.uint64(0), ARRIVALS)
    counter[0] += np.uint64(1)
    return (float(words[0] >> np.uint64(12)) + 0.5) * 2.0**-52


@compiled
def _arriving(mean: float, seed: np.uint64, evening: np.uint64, counter: NDArray[np.uint64]) -> int:
    """How many come in a round: a Poisson number, as the exponential times between them give it."""
    count = -1
    time = 0.0
    while time < mean:
        time -= np.log(_chance(seed, evening, counter))
        count += 1
    return count if mean > 0.0 else 0


@compiled
def _sit_down(
    guests: NDArray[np.int64],
    seats: NDArray[np.int64],
    lines: NDArray[np.int64],
    seed: np.uint64,
    evening: np.uint64,
    counter: NDArray[np.uint64],
) -> bool:
    """A guest of some kind takes a free seat, looking from a random one on; is there none, the guest goes."""
    weights = 0
    for kind in range(len(guests)):
        weights += guests[kind, WEIGHT]
    pick = int(_chance(seed, evening, counter) * weights)
    kind = 0
    while pick >= guests[kind, WEIGHT]:
        pick -= guests[kind, WEIGHT]
        kind += 1
    at = int(_chance(seed, evening, counter) * len(seats))
    stay = 1 + int(np.log(_chance(seed, evening, counter)) / np.log1p(-1.0 / (guests[kind, STAY] + 1e-9)))
    for _ in range(len(seats)):
        seat = seats[at]
        if seat[_KIND] == _EMPTY:
            units, a, b = _begin(guests[kind, STRATEGY], guests[kind, PARAMETER], lines[at])
            balance = guests[kind, BANKROLL]
            units = next_stake(units, guests[kind, MOST], balance, guests[kind, SLIP], 0)
            seat[_KIND], seat[_BALANCE], seat[_UNITS], seat[_A], seat[_B], seat[_LEFT] = (
                kind,
                balance,
                units,
                a,
                b,
                stay,
            )
            if units == 0:
                seat[_KIND] = _EMPTY
            return True
        at = (at + 1) % len(seats)
    return False


@compiled
def _after(guests: NDArray[np.int64], seat: NDArray[np.int64], line: NDArray[np.int64], one: int) -> None:
    """What a guest does after a round: stake again, or leave."""
    guest = guests[seat[_KIND]]
    seat[_BALANCE] += seat[_UNITS] * one
    seat[_LEFT] -= 1
    target = guest[TARGET] if guest[TARGET] > 0 else _NEVER
    if seat[_LEFT] <= 0 or ended(seat[_BALANCE], guest[SLIP], target, -_NEVER) != 0:
        seat[_KIND] = _EMPTY
        return
    move = one, -int(one > 0), -int(one < 0)
    asked, seat[_A], seat[_B] = _advance(
        guest[STRATEGY], guest[PARAMETER], guest[SLIP], seat[_UNITS], move, seat[_A], seat[_B], line
    )
    seat[_UNITS] = next_stake(asked, guest[MOST], seat[_BALANCE], guest[SLIP], 0)


@compiled
def play_evening(
    guests: NDArray[np.int64],
    returns: NDArray[np.int64],
    pocket_of: NDArray[np.int64],
    tables: int,
    rounds: int,
    arriving: float,
    seed: np.uint64,
    evening: np.uint64,
    seats: NDArray[np.int64],
    lines: NDArray[np.int64],
    record: NDArray[np.int64],
) -> None:
    """``returns`` holds what one unit of each kind's slip gets back for each pocket."""
    # Loops, not array expressions: they are as fast here and are compiled in a fraction of the time.
    for at in range(len(seats)):
        seats[at, _KIND] = _EMPTY
    for column in range(len(record)):
        record[column] = 0
    counter = np.zeros(1, dtype=np.uint64)
    owed = np.empty(returns.shape[1], dtype=np.int64)
    a_table = len(seats) // tables
    for turn in range(rounds):
        for _ in range(_arriving(arriving, seed, evening, counter)):
            record[SERVED if _sit_down(guests, seats, lines, seed, evening, counter) else TURNED_AWAY] += 1
        floor_owes = seated = 0
        for table in range(tables):
            for pocket in range(len(owed)):
                owed[pocket] = 0
            staked = most_owed = 0
            for at in range(table * a_table, (table + 1) * a_table):
                seat = seats[at]
                if seat[_KIND] != _EMPTY:
                    seated += 1
                    stake = seat[_UNITS] * guests[seat[_KIND], SLIP]
                    staked += stake
                    record[COLUMNS + seat[_KIND]] += stake
                    for pocket in range(len(owed)):
                        owed[pocket] += seat[_UNITS] * returns[seat[_KIND], pocket]
                        most_owed = max(most_owed, owed[pocket])
            if staked == 0:
                continue
            owes = most_owed - staked
            record[PEAK] = max(record[PEAK], owes)
            floor_owes += max(0, owes)
            came = pocket_of[_spin(len(pocket_of), seed, evening, turn, table)]
            record[SPINS] += 1
            record[HANDLE] += staked
            record[WIN] += staked - owed[came]
            for at in range(table * a_table, (table + 1) * a_table):
                seat = seats[at]
                if seat[_KIND] != _EMPTY:
                    kind = seat[_KIND]
                    _after(guests, seat, lines[at], returns[kind, came] - guests[kind, SLIP])
        record[LOWEST] = min(record[LOWEST], record[WIN])
        record[FLOOR_PEAK] = max(record[FLOOR_PEAK], floor_owes)
        record[MAX_SEATED] = max(record[MAX_SEATED], seated)


@compiled
def play_evenings(
    guests: NDArray[np.int64],
    returns: NDArray[np.int64],
    pocket_of: NDArray[np.int64],
    tables: int,
    seats_a_table: int,
    rounds: int,
    arriving: float,
    seed: np.uint64,
    first: int,
    out: NDArray[np.int64],
) -> None:
    seats = np.empty((tables * seats_a_table, 6), dtype=np.int64)
    longest = LINE + 3 + rounds
    for kind in range(len(guests)):
        longest = max(longest, LINE + 3 + rounds + guests[kind, PARAMETER])
    lines = np.empty((len(seats), longest), dtype=np.int64)
    for row in range(len(out)):
        play_evening(
            guests, returns, pocket_of, tables, rounds, arriving, seed, np.uint64(first + row), seats, lines, out[row]
        )
