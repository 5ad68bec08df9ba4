"""Compiled simulation of flat play: one slip in every round, with the running minimum and maximum of the net result.

Rounds are drawn in pairs. A table contains, for every pair of segments, the net result and its lowest and highest
intermediate value. On most wheels one 64-bit word gives five pairs without bias by Lemire's batched method: the word
is multiplied by the number of pairs five times, and each high half is one pair. Words that would introduce a bias are
rejected.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.jit import compiled, high_product
from roundhouse.lab.simulate.rng import sfc_start, sfc_step

BLOCK_ROUNDS: Final = 1 << 20
"""Rounds per block. Each block has its own random words, so that a long session can be divided between cores."""
_USABLE_BITS: Final = 60
"""Bits of a 64-bit word that are used. The other four keep the share of rejected words below 1/16."""
_MAX_PAIRED_SEGMENTS: Final = 256


@dataclass(frozen=True, slots=True)
class FlatTable:
    """Effect of every tuple of one or two segments on the net result."""

    moves: NDArray[np.signedinteger]
    """One row per tuple, in cents: change, lowest and highest intermediate value, and a column for alignment."""
    rounds: int
    """Rounds per tuple: 2, or 1."""
    tuples: int
    """Tuples drawn from one word."""
    power: np.uint64
    """(number of tuples) ** ``tuples``: the number of possible results of one word."""
    uneven: np.uint64
    """2⁶⁴ modulo ``power``, the threshold of rejection."""


def draws_per_word(size: int) -> tuple[int, np.uint64, np.uint64]:
    """Return how many numbers below ``size`` one word gives, ``size`` to that power, and 2⁶⁴ modulo that power."""
    count = 1
    while size > 1 and size ** (count + 1) <= 1 << _USABLE_BITS:
        count += 1
    return count, np.uint64(size**count), np.uint64((1 << 64) % size**count)


def flat_table(nets: NDArray[np.int64], *, paired: bool) -> FlatTable:
    """Build the table from the net result of each segment. ``paired`` requires an even number of rounds."""
    segments = len(nets)
    one = np.stack([nets, nets, nets], axis=1)
    rounds = 2 if paired and segments <= _MAX_PAIRED_SEGMENTS else 1
    if rounds == 2:
        first, second = np.repeat(nets, segments), np.tile(nets, segments)
        one = np.stack([first + second, np.minimum(first, first + second), np.maximum(first, first + second)], axis=1)
    small = int(np.abs(one).max(initial=0)) < 2**31
    moves = np.zeros((len(one), 4), dtype=np.int32 if small else np.int64)
    moves[:, :3] = one
    return FlatTable(moves, rounds, *draws_per_word(len(one)))


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
    """Play ``wanted`` tuples from 0. Returns the final, the lowest and the highest net result."""
    size = np.uint64(len(moves))
    net = low = high = np.int64(0)
    x, y, z, count = sfc_start(seed, stream, block)
    done = 0
    # Unrolled for five tuples per word, which covers wheels of 33 to 64 segments. The five look-ups are then
    # independent, and the running values are updated once per word.
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
    blocks_per_session: int,
    full: int,
    last: int,
    out: NDArray[np.int64],
) -> None:
    """Play blocks from number ``first``, counted across sessions. A session's last block has ``last`` tuples."""
    for row in range(len(out)):
        session, block = (first + row) // blocks_per_session, (first + row) % blocks_per_session
        wanted = last if block == blocks_per_session - 1 else full
        out[row, 0], out[row, 1], out[row, 2] = flat_block(
            moves, tuples, power, uneven, seed, np.uint64(session), np.uint64(block), wanted
        )
