"""Random words by counting: Philox 4×64, ten rounds, the same words as NumPy's generator of that name.

A word is a pure function of (seed, stream, purpose, block, number): any part of any session can be drawn anywhere,
in any order, and no two streams share a word. There is no state to hand on, hence none to hand on wrongly.
"""

from typing import Final

import numpy as np

from roundhouse.lab.simulate.compiled import compiled, high_product

_M0: Final = np.uint64(0xD2E7470EE14C6C93)
_M1: Final = np.uint64(0xCA5A826395121157)
_W0: Final = np.uint64(0x9E3779B97F4A7C15)
_W1: Final = np.uint64(0xBB67AE8584CAA73B)

WHEEL: Final = np.uint64(0)
ARRIVALS: Final = np.uint64(1)

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
