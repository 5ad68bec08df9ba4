"""Random nights: every round is settled, voided or waits for people, and the money is always right."""

import pytest

from roundhouse import rulebooks
from tests.support import virtual_time
from tests.support.dealer_nights import RandomNight
from tests.support.soak import Counted, Tally, times

ROUNDS = 20


async def _night(game: str, seed: int, noise: float, rounds: int) -> None:
    await RandomNight(game, seed, noise).play(rounds)


@pytest.mark.parametrize("seed", range(times(3, 20)))
@pytest.mark.parametrize("game", rulebooks.SHIPPED)
def test_a_night_with_random_faults_ends_every_round_correctly(game: str, seed: int, tally: Tally) -> None:
    night = _night(game, seed, noise=(0.0, 0.0, 0.02)[seed % 3], rounds=ROUNDS)
    virtual_time.run(night, max_seconds=100_000)
    tally.add(Counted.NIGHT, detail=game)
    tally.add(Counted.ROUND, ROUNDS)
