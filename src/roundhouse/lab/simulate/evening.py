"""Compiled simulation of one evening on a casino floor: guests arrive, take seats, bet by a system and leave.

All tables play their rounds at the same pace. All seats of a table have the same outcome, so the house's liability is
summed over the seats for each outcome.
"""

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.jit import compiled, high_product
from roundhouse.lab.simulate.rng import ARRIVALS, WHEEL, four_words
from roundhouse.lab.simulate.sessions import ended, next_stake
from roundhouse.lab.simulate.strategies import LINE, Move, advance, begin

HANDLE, WIN, LOWEST, PEAK, FLOOR_PEAK, SERVED, TURNED_AWAY, SPINS, MAX_SEATED = range(9)
"""Columns of an evening's record. The handle of each kind of player follows them.

In cents: handle, the house's win, the lowest running win, and the largest net liability of one table and of the whole
floor in one round. Then guests served and turned away, spins, and the largest number of seated guests.
"""
COLUMNS = 9

STRATEGY, PARAMETER, SLIP, MAX_UNITS, BANKROLL, TARGET, STAY, WEIGHT = range(8)
"""Columns of the array ``guests``, one row for each kind of player."""

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
    """Draw the next random number in (0, 1) for arrivals, seats and stays. The wheels use a separate stream."""
    words = four_words(seed, evening, counter[0], np.uint64(0), ARRIVALS)
    counter[0] += np.uint64(1)
    return (float(words[0] >> np.uint64(12)) + 0.5) * 2.0**-52


@compiled
def _arriving(mean: float, seed: np.uint64, evening: np.uint64, counter: NDArray[np.uint64]) -> int:
    """Draw the number of arrivals in a round. It is Poisson, counted from exponential times between arrivals."""
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
    """Seat a guest of a random kind in the first free seat after a random one. Returns False if none is free."""
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
            units = next_stake(units, guests[kind, MAX_UNITS], balance, guests[kind, SLIP], 0)
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
    """Update a guest's seat after a round: the guest stakes again or leaves. ``one`` is the net result of one unit."""
    guest = guests[seat[_KIND]]
    seat[_BALANCE] += seat[_UNITS] * one
    seat[_LEFT] -= 1
    target = guest[TARGET] if guest[TARGET] > 0 else _NEVER
    if seat[_LEFT] <= 0 or ended(seat[_BALANCE], guest[SLIP], target, -_NEVER) != 0:
        seat[_KIND] = _EMPTY
        return
    move = one, -int(one > 0), -int(one < 0)
    requested, seat[_A], seat[_B] = _advance(
        guest[STRATEGY], guest[PARAMETER], guest[SLIP], seat[_UNITS], move, seat[_A], seat[_B], line
    )
    seat[_UNITS] = next_stake(requested, guest[MAX_UNITS], seat[_BALANCE], guest[SLIP], 0)


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
    """Play one evening and write its record. ``returns[kind, pocket]`` is the return of one unit of a kind's slip."""
    # Loops are as fast as array expressions here, and they compile much faster.
    for at in range(len(seats)):
        seats[at, _KIND] = _EMPTY
    for column in range(len(record)):
        record[column] = 0
    counter = np.zeros(1, dtype=np.uint64)
    owed = np.empty(returns.shape[1], dtype=np.int64)
    seats_per_table = len(seats) // tables
    for turn in range(rounds):
        for _ in range(_arriving(arriving, seed, evening, counter)):
            record[SERVED if _sit_down(guests, seats, lines, seed, evening, counter) else TURNED_AWAY] += 1
        floor_owed = seated = 0
        for table in range(tables):
            for pocket in range(len(owed)):
                owed[pocket] = 0
            staked = max_owed = 0
            for at in range(table * seats_per_table, (table + 1) * seats_per_table):
                seat = seats[at]
                if seat[_KIND] != _EMPTY:
                    seated += 1
                    stake = seat[_UNITS] * guests[seat[_KIND], SLIP]
                    staked += stake
                    record[COLUMNS + seat[_KIND]] += stake
                    for pocket in range(len(owed)):
                        owed[pocket] += seat[_UNITS] * returns[seat[_KIND], pocket]
                        max_owed = max(max_owed, owed[pocket])
            if staked == 0:
                continue
            net_owed = max_owed - staked
            record[PEAK] = max(record[PEAK], net_owed)
            floor_owed += max(0, net_owed)
            outcome = pocket_of[_spin(len(pocket_of), seed, evening, turn, table)]
            record[SPINS] += 1
            record[HANDLE] += staked
            record[WIN] += staked - owed[outcome]
            for at in range(table * seats_per_table, (table + 1) * seats_per_table):
                seat = seats[at]
                if seat[_KIND] != _EMPTY:
                    kind = seat[_KIND]
                    _after(guests, seat, lines[at], returns[kind, outcome] - guests[kind, SLIP])
        record[LOWEST] = min(record[LOWEST], record[WIN])
        record[FLOOR_PEAK] = max(record[FLOOR_PEAK], floor_owed)
        record[MAX_SEATED] = max(record[MAX_SEATED], seated)


@compiled
def play_evenings(
    guests: NDArray[np.int64],
    returns: NDArray[np.int64],
    pocket_of: NDArray[np.int64],
    tables: int,
    seats_per_table: int,
    rounds: int,
    arriving: float,
    seed: np.uint64,
    first: int,
    out: NDArray[np.int64],
) -> None:
    seats = np.empty((tables * seats_per_table, 6), dtype=np.int64)
    longest = LINE + 3 + rounds
    for kind in range(len(guests)):
        longest = max(longest, LINE + 3 + rounds + guests[kind, PARAMETER])
    lines = np.empty((len(seats), longest), dtype=np.int64)
    for row in range(len(out)):
        play_evening(
            guests, returns, pocket_of, tables, rounds, arriving, seed, np.uint64(first + row), seats, lines, out[row]
        )
