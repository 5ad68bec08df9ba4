"""Whatever a bad cable does to a recording: no crash, no invented outcome; and with a sound one, none lost."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundhouse.wheel.simulator.draws import Cable, Chance
from tests.support.recordings import GAMES, Outcome, established, outcomes, read_bytes, simulated


def invented(heard: list[Outcome], truth: list[Outcome]) -> list[Outcome]:
    """What was decoded although the wheel did not establish it there: heard must be truth with gaps."""
    rest = iter(truth)
    return [one for one in heard if one not in rest]


@pytest.mark.parametrize("game", GAMES)
def test_a_sound_line_loses_nothing(game: str) -> None:
    lines, played, codes = simulated(200, seed=1, rate=0.3, game=game)
    readings = read_bytes(b"".join(line + b"\r\n" for line in lines), game)
    assert outcomes(readings) == established(played, codes)
    assert [reading.game for reading in readings][: len(played)] == [one.game for one in played]


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_a_bad_cable(rate: float, seed: int) -> None:
    lines, played, codes = simulated(60, seed)
    cable = Cable(rate, Chance(seed + 1000))
    heard = outcomes(read_bytes(b"".join(cable.carry(line) for line in lines)))
    truth = established(played, codes)
    assert invented(heard, truth) == []
    if rate <= 0.1:
        assert len(heard) >= len(truth) - 1


@pytest.mark.parametrize("seed", range(25))
def test_bytes_lost_in_bursts(seed: int) -> None:
    lines, played, codes = simulated(60, seed)
    data, random = b"".join(line + b"\r\n" for line in lines), Random(seed)
    for _ in range(60):
        at = random.randrange(len(data))
        data = data[:at] + data[at + random.randrange(1, 600) :]
    assert invented(outcomes(read_bytes(data)), established(played, codes)) == []


@pytest.mark.parametrize("seed", range(12))
def test_bits_turned_over(seed: int) -> None:
    lines, played, codes = simulated(60, seed)
    data, random = bytearray(b"".join(line + b"\r\n" for line in lines)), Random(seed)
    for _ in range(len(data) // 400):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    truth = established(played, codes)
    heard = outcomes(read_bytes(bytes(data)))
    assert invented(heard, truth) == []
    assert len(heard) >= len(truth) - 3


@pytest.mark.parametrize("seed", range(4))
def test_a_recording_may_begin_and_end_anywhere(seed: int) -> None:
    lines, played, codes = simulated(12, seed)
    data = b"".join(line + b"\r\n" for line in lines)
    random = Random(seed)
    for _ in range(25):
        start = random.randrange(len(data))
        part = data[start : random.randrange(start, len(data) + 1)]
        assert invented(outcomes(read_bytes(part)), established(played, codes)) == []


ALPHABET = st.sampled_from(
    [b"*X;", b"5", b"4", b"2", b";", b"012", b"013", b"16", b"27", b";0;150;0", b"\r\n", b"\xff", b" "]
)
PIECES = st.sampled_from(
    [
        b"*X;%d;%03d;%2d;%X;150;0\r\n" % (s, g, n, w)
        for s in range(1, 7)
        for g in (12, 13)
        for n in (16, 27)
        for w in (0, 2, 4, 9)
    ]
    + [b"16\r\n", b"27\r\n", b"1\r\n"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(ALPHABET, PIECES), max_size=60))
def test_nothing_that_is_heard_breaks_it(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    for game, outcome in outcomes(read_bytes(data)):
        # Whatever the order, an outcome has at least been shown for its game, or in the one after it.
        assert b";%02d;" % int(outcome) in data or b"%02d\r\n" % int(outcome) in data
        assert game in ("012", "013")
