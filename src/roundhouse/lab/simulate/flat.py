"""Flat play: one slip, round after round, with the bankroll's running minimum and maximum.

Rounds are drawn in pairs: a table holds, for every pair of segments, what the pair adds, and its lowest and highest
point on the way. Five pairs come from one 64-bit word without bias: the word is multiplied by the number of pairs
five times, each time giving one pair and leaving the rest for the next (Lemire's method in a batch), and thrown
away if what is left falls into the uneven end.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.jit import compiled, high_product
from roundhouse.lab.simulate.rng import sfc_start, sfc_step

BLOCK_ROUNDS: Final = 1 << 20
"""A block of a session has its own words, so that a long session is shared out between cores."""
_USABLE_BITS: Final = 60
"""Of a word's 64: the rest keeps the share of words thrown away under one in sixteen."""
_LARGEST_PAIRED: Final = 256


@dataclass(frozen=True, slots=True)
class FlatTable:
    """What every tuple of segments does to the bankroll, in cents: added, lowest point, highest point."""

    moves: NDArray[np.signedinteger]
    rounds: int
    """Rounds a tuple: two, or one."""
    tuples: int
    """Tuples drawn from one word."""
    power: np.uint64
    """The number of all results of a word."""
    uneven: np.uint64
    """2⁶⁴ modulo that."""


def tuples_of_a_word(size: int) -> tuple[int, np.uint64, np.uint64]:
    """How many draws below ``size`` one word gives, all their results, and the uneven end to be thrown away."""
    count = 1
    while size > 1 and size ** (count + 1) <= 1 << _USABLE_BITS:
        count += 1
    return count, np.uint64(size**count), np.uint64((1 << 64) % size**count)


def flat_table(nets: NDArray[np.int64], *, paired: bool) -> FlatTable:
    """From the net result of each segment of the wheel. An odd number of rounds cannot be drawn in pairs."""
    segments = len(nets)
    one = np.stack([nets, nets, nets], axis=1)
    rounds = 2 if paired and segments <= _LARGEST_PAIRED else 1
    if rounds == 2:
        first, second = np.repeat(nets, segments), np.tile(nets, segments)
        one = np.stack([first + second, np.minimum(first, first + second), np.maximum(first, first + second)], axis=1)
    small = int(np.abs(one).max(initial=0)) < 2**31
    moves = np.zeros((len(one), 4), dtype=np.int32 if small else np.int64)
    moves[:, :3] = one
    return FlatTable(moves, rounds, *tuples_of_a_word(len(one)))


@compiled
def flat_block(
    moves: NDArray[np.signedinteger],
    tuples: int,
    power: np.uint64,
    uneven: np.uint64,
    seed: np.uint64,
    stream: np.uint64,
    block: np.uint64,
    wanted: int,
) -> tuple[np.int64, np.int64, np.int64]:
    """Net, lowest and highest bankroll over ``wanted`` tuples, starting from 0."""
    size = np.uint64(len(moves))
    net = low = high = np.int64(0)
    x, y, z, count = sfc_start(seed, stream, block)
    done = 0
    # Written out for five tuples a word, which is every wheel of 33 to 64 segments: the five look-ups then do not
    # wait for each other, and the bankroll is touched once a word.
    while tuples == 5 and wanted - done >= 5:
        word = x + y + count
        x, y, z, count = sfc_step(x, y, z, count)
        if word * power < uneven:
            continue
        a, rest = high_product(word, size), word * size
        b, rest = high_product(rest, size), rest * size
        c, rest = high_product(rest, size), rest * size
        d, rest = high_product(rest, size), rest * size
        e = high_product(rest, size)
        to_b = moves[a, 0]
        to_c = to_b + moves[b, 0]
        to_d = to_c + moves[c, 0]
        to_e = to_d + moves[d, 0]
        lowest = min(min(moves[a, 1], to_b + moves[b, 1]), min(to_c + moves[c, 1], to_d + moves[d, 1]))
        highest = max(max(moves[a, 2], to_b + moves[b, 2]), max(to_c + moves[c, 2], to_d + moves[d, 2]))
        low = min(low, net + min(lowest, to_e + moves[e, 1]))
        high = max(high, net + max(highest, to_e + moves[e, 2]))
        net += to_e + moves[e, 0]
        done += 5
    while done < wanted:
        word = x + y + count
        x, y, z, count = sfc_step(x, y, z, count)
        if word * power < uneven:
            continue
        for _ in range(min(tuples, wanted - done)):
            at = high_product(word, size)
            word *= size
            low = min(low, net + moves[at, 1])
            high = max(high, net + moves[at, 2])
            net += moves[at, 0]
            done += 1
    return net, low, high


@compiled
def flat_blocks(
    moves: NDArray[np.signedinteger],
    tuples: int,
    power: np.uint64,
    uneven: np.uint64,
    seed: np.uint64,
    first: int,
    blocks_a_session: int,
    full: int,
    last: int,
    out: NDArray[np.int64],
) -> None:
    """Blocks from ``first`` on, counted through all sessions: ``full`` tuples each, a session's last ``last``."""
    for row in range(len(out)):
        session, block = (first + row) // blocks_a_session, (first + row) % blocks_a_session
        wanted = last if block == blocks_a_session - 1 else full
        out[row, 0], out[row, 1], out[row, 2] = flat_block(
            moves, tuples, power, uneven, seed, np.uint64(session), np.uint64(block), wanted
        )
