"""Random words: Philox 4×64 by counting, and SFC64 started from it; both give the words of NumPy's namesakes.

A word of Philox is a pure function of (seed, stream, purpose, block, number): any part of any session can be drawn
anywhere, in any order. Where a million words are wanted in a row, SFC64 gives them in a quarter of the time; its state
is three words of Philox, so that it too depends on nothing but the seed and the place.
"""

from typing import Final

import numpy as np

from roundhouse.lab.simulate.jit import compiled, high_product

_M0: Final = np.uint64(0xD2E7470EE14C6C93)
_M1: Final = np.uint64(0xCA5A826395121157)
_W0: Final = np.uint64(0x9E3779B97F4A7C15)
_W1: Final = np.uint64(0xBB67AE8584CAA73B)

WHEEL: Final = np.uint64(0)
ARRIVALS: Final = np.uint64(1)
RUN: Final = np.uint64(2)

Four = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@compiled
def four_words(seed: np.uint64, stream: np.uint64, number: np.uint64, block: np.uint64, purpose: np.uint64) -> Four:
    """Words 4·number to 4·number + 3 of a block."""
    a, b, c, d = number, block, purpose, np.uint64(0)
    key, other_key = seed, stream
    for _ in range(10):
        high_a, low_a = high_product(_M0, a), _M0 * a
        high_c, low_c = high_product(_M1, c), _M1 * c
        a, b, c, d = high_c ^ b ^ key, low_c, high_a ^ d ^ other_key, low_a
        key += _W0
        other_key += _W1
    return a, b, c, d


@compiled
def sfc_step(a: np.uint64, b: np.uint64, c: np.uint64, count: np.uint64) -> Four:
    """The next state. The word that goes with it is ``a + b + count`` of the state before."""
    word = a + b + count
    turned = (c << np.uint64(24)) | (c >> np.uint64(40))
    return b ^ (b >> np.uint64(11)), c + (c << np.uint64(3)), turned + word, count + np.uint64(1)


@compiled
def sfc_start(seed: np.uint64, stream: np.uint64, block: np.uint64) -> Four:
    """The state for a block of a stream, mixed by twelve steps as its author advises."""
    a, b, c, _ = four_words(seed, stream, np.uint64(0), block, RUN)
    count = np.uint64(1)
    for _ in range(12):
        a, b, c, count = sfc_step(a, b, c, count)
    return a, b, c, count
