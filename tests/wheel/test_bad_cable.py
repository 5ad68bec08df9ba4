"""Recordings from a bad cable cause no crash and no invented outcome. A sound cable loses no outcome."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundhouse.wheel.simulator.draws import Cable, Chance
from tests.support.recordings import GAMES, Outcome, established, outcomes, read_bytes, simulated


def invented(received: list[Outcome], truth: list[Outcome]) -> list[Outcome]:
    """Return decoded outcomes that the wheel did not establish. Received outcomes must be a subsequence of truth."""
    rest = iter(truth)
    return [one for one in received if one not in rest]


@pytest.mark.parametrize("game", GAMES)
def test_a_sound_cable_loses_no_outcome(game: str) -> None:
    lines, played, codes = simulated(200, seed=1, rate=0.3, game=game)
    readings = read_bytes(b"".join(line + b"\r\n" for line in lines), game)
    assert outcomes(readings) == established(played, codes)
    assert [reading.game for reading in readings][: len(played)] == [one.game for one in played]


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_a_bad_cable_causes_no_invented_outcome(rate: float, seed: int) -> None:
    lines, played, codes = simulated(60, seed)
    cable = Cable(rate, Chance(seed + 1000))
    received = outcomes(read_bytes(b"".join(cable.carry(line) for line in lines)))
    truth = established(played, codes)
    assert invented(received, truth) == []
    if rate <= 0.1:
        assert len(received) >= len(truth) - 1


@pytest.mark.parametrize("seed", range(25))
def test_lost_bytes_cause_no_invented_outcome(seed: int) -> None:
    lines, played, codes = simulated(60, seed)
    data, random = b"".join(line + b"\r\n" for line in lines), Random(seed)
    for _ in range(60):
        at = random.randrange(len(data))
        data = data[:at] + data[at + random.randrange(1, 600) :]
    assert invented(outcomes(read_bytes(data)), established(played, codes)) == []


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bits_cause_no_invented_outcome(seed: int) -> None:
    lines, played, codes = simulated(60, seed)
    data, random = bytearray(b"".join(line + b"\r\n" for line in lines)), Random(seed)
    for _ in range(len(data) // 400):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    truth = established(played, codes)
    received = outcomes(read_bytes(bytes(data)))
    assert invented(received, truth) == []
    assert len(received) >= len(truth) - 3


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
def test_random_input_causes_no_crash_or_invented_outcome(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    for game, outcome in outcomes(read_bytes(data)):
        # Every decoded outcome occurs in the data, in a status or in a number line.
        assert b";%02d;" % int(outcome) in data or b"%02d\r\n" % int(outcome) in data
        assert game in ("012", "013")
