"""The random number generators match NumPy's, and every pocket is equally likely."""

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from roundhouse.lab.simulate.flat import draws_per_word, flat_block, flat_table
from roundhouse.lab.simulate.rng import RUN, WHEEL, four_words, sfc_start, sfc_step
from roundhouse.lab.simulate.sessions import draw

_64 = 1 << 64


def _numpy_words(seed: int, stream: int, first: int, count: int, block: int = 0, purpose: int = 0) -> list[int]:
    """Return words of NumPy's Philox from the same position. NumPy increments the counter before each word."""
    where = (purpose << 128) + (block << 64) + first - 1
    counter = [(where >> (64 * i)) % _64 for i in range(4)]
    generator = np.random.Philox(key=np.array([seed, stream], np.uint64), counter=np.array(counter, np.uint64))
    return [int(word) for word in generator.random_raw(count)]


def _step(*state: int) -> tuple[int, ...]:
    """Call the compiled step with explicit unsigned integers."""
    a, b, c, count = (np.uint64(word) for word in state)
    return tuple(map(int, sfc_step(a, b, c, count)))


def _split(word: int, size: int, count: int, bits: int = 64) -> list[int] | None:
    """Compute the draws of one word with plain integers, or None if the word is rejected."""
    whole = 1 << bits
    found = []
    for _ in range(count):
        found.append(word * size >> bits)
        word = word * size % whole
    return None if word < whole % size**count else found


@pytest.mark.parametrize(("seed", "stream", "first", "block"), [(0, 0, 5, 0), (7, 2**63, 1, 9), (_64 - 1, 3, 2**40, 1)])
def test_philox_matches_numpy(seed: int, stream: int, first: int, block: int) -> None:
    ours = four_words(np.uint64(seed), np.uint64(stream), np.uint64(first), np.uint64(block), WHEEL)
    assert [int(word) for word in ours] == _numpy_words(seed, stream, first, 4, block)


def test_sfc_matches_numpy() -> None:
    a, b, c, count = map(int, sfc_start(np.uint64(11), np.uint64(5), np.uint64(3)))
    numpys = np.random.SFC64()
    start = four_words(np.uint64(11), np.uint64(5), np.uint64(0), np.uint64(3), RUN)
    numpys.state = {
        "bit_generator": "SFC64",
        "state": {"state": np.array([*start[:3], 1], np.uint64)},
        "has_uint32": 0,
        "uinteger": 0,
    }
    numpys.random_raw(12)
    for word in numpys.random_raw(100):
        assert (int(a) + int(b) + int(count)) % _64 == word
        a, b, c, count = _step(a, b, c, count)


@pytest.mark.parametrize(("size", "count", "bits"), [(3, 2, 6), (5, 2, 8), (7, 3, 12), (38, 2, 13), (2, 3, 5)])
def test_every_draw_of_a_word_is_equally_likely(size: int, count: int, bits: int) -> None:
    """Try all words of a small word size: every combination occurs equally often."""
    seen: dict[tuple[int, ...], int] = {}
    for word in range(1 << bits):
        if (found := _split(word, size, count, bits)) is not None:
            seen[tuple(found)] = seen.get(tuple(found), 0) + 1
    assert set(seen) == set(product(range(size), repeat=count))
    assert set(seen.values()) == {(1 << bits) // size**count}


@pytest.mark.parametrize("segments", [2, 37, 38, 39, 52, 300])
def test_the_compiled_draw_matches_the_plain_method(segments: int) -> None:
    words = draws_per_word(segments)
    assert segments ** words[0] <= 1 << 60 < segments ** (words[0] + 1)
    room = np.empty(4 * words[0], dtype=np.int64)
    for number in range(200):
        count = draw(segments, words, np.uint64(3), np.uint64(4), np.uint64(number), room)
        plain = []
        for word in map(int, four_words(np.uint64(3), np.uint64(4), np.uint64(number), np.uint64(0), WHEEL)):
            plain += _split(word, segments, words[0]) or []
        assert room[:count].tolist() == plain


@pytest.mark.parametrize("segments", [7, 38, 39, 52, 300])
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("wanted", [1, 4, 5, 6, 1003])
def test_a_compiled_block_of_flat_play_matches_plain_python(segments: int, paired: bool, wanted: int) -> None:
    """Compare net, lowest and highest bankroll, computed round by round from the same words."""
    nets = [((i * 37) % 101) * (10**9 if i % 5 == 0 else 7) - 300 for i in range(segments)]
    table = flat_table(np.array(nets), paired=paired)
    size, state = len(table.moves), tuple(map(int, sfc_start(np.uint64(1), np.uint64(2), np.uint64(3))))
    balance = low = high = done = 0
    while done < wanted:
        word = (int(state[0]) + int(state[1]) + int(state[3])) % _64
        state = _step(*state)
        for at in (_split(word, size, table.tuples) or [])[: wanted - done]:
            for segment in divmod(at, segments) if table.rounds == 2 else (at,):
                balance += nets[segment]
                low, high = min(low, balance), max(high, balance)
            done += 1
    found = flat_block(
        table.moves, table.tuples, table.power, table.uneven, np.uint64(1), np.uint64(2), np.uint64(3), wanted
    )
    assert tuple(int(n) for n in found) == (balance, low, high)


def test_pockets_pass_a_chi_square_test() -> None:
    """Test a million spins with a fixed seed, so that the test cannot fail by chance."""
    words = draws_per_word(38)
    room = np.empty(4 * words[0], dtype=np.int64)
    counts = np.zeros(38)
    for number in range(25_000):
        count = draw(38, words, np.uint64(1), np.uint64(0), np.uint64(number), room)
        counts += np.bincount(room[:count], minlength=38)
    expected = counts.sum() / 38
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    assert 14 < chi_square < 70  # 37 degrees of freedom: outside the 0.1 % points on both sides


def test_kernels_work_without_a_writable_cache() -> None:
    """In a read-only installation Numba has no cache. The generated words are the same."""
    code = (
        "import numpy as np; from roundhouse.lab.simulate.rng import four_words as f;"
        "print(*f(np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(0), np.uint64(0)), f._cache.cache_path)"
    )
    environment = {**os.environ, "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator", "NUMBA_CACHE_DIR": ""}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    *words, path = ran.stdout.split()
    assert path == "None"
    assert list(map(int, words)) == _numpy_words(1, 2, 3, 4)
