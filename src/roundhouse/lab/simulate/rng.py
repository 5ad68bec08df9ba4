"""Random 64-bit words from Philox 4×64 and SFC64, equal to those of NumPy's generators of the same names.

A Philox word is a pure function of (seed, stream, purpose, block, number), so any part of a session can be drawn on any
worker and in any order. Long runs use SFC64, which takes a quarter of the time. Its initial state is three Philox
words, so it too depends only on the seed and the place.
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
"""Value of ``purpose`` for the words that seed SFC64."""

Four = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@compiled
def four_words(seed: np.uint64, stream: np.uint64, number: np.uint64, block: np.uint64, purpose: np.uint64) -> Four:
    """Compute words 4·number to 4·number + 3 of a block."""
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
    """Compute the next state. The output word is ``a + b + count`` of the state passed in."""
    word = a + b + count
    turned = (c << np.uint64(24)) | (c >> np.uint64(40))
    return b ^ (b >> np.uint64(11)), c + (c << np.uint64(3)), turned + word, count + np.uint64(1)


@compiled
def sfc_start(seed: np.uint64, stream: np.uint64, block: np.uint64) -> Four:
    """Compute the initial state for a block of a stream, mixed by twelve steps as the author of SFC64 recommends."""
    a, b, c, _ = four_words(seed, stream, np.uint64(0), block, RUN)
    count = np.uint64(1)
    for _ in range(12):
        a, b, c, count = sfc_step(a, b, c, count)
    return a, b, c, count
