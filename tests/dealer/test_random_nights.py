"""Random nights: every round is settled, voided or waits for people, and the money is always right."""

import os

import pytest

from roundhouse import rulebooks
from tests.support import virtual_time
from tests.support.dealer_nights import RandomNight

SOAK = os.environ.get("ROUNDHOUSE_TESTS") == "soak"


async def _night(game: str, seed: int, noise: float, rounds: int) -> None:
    await RandomNight(game, seed, noise).play(rounds)


@pytest.mark.parametrize("seed", range(200 if SOAK else 3))
@pytest.mark.parametrize("game", rulebooks.SHIPPED)
def test_a_night_with_random_faults_ends_every_round_correctly(game: str, seed: int) -> None:
    night = _night(game, seed, noise=(0.0, 0.0, 0.02)[seed % 3], rounds=20)
    virtual_time.run(night, max_seconds=100_000)
