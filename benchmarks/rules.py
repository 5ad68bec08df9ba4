"""Benchmarks of the rules: settling arrays, settling a slip, and starting the command line."""

import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.timing import compare
from roundhouse import rulebooks
from roundhouse.rules.arrays import ArrayPrices
from roundhouse.rules.names import Cents, GameId, LayoutId
from roundhouse.rules.settlement import Bet

MILLION = 1_000_000


def run() -> None:
    game = rulebooks.read(rulebooks.shipped(GameId("rws-double-zero")))
    prices = game.prices(LayoutId("B"))
    arrays = ArrayPrices(prices)
    dice = np.random.default_rng(2020)
    outcomes = dice.integers(0, len(arrays.outcomes), MILLION, dtype=np.intp)
    positions = dice.integers(0, len(arrays.positions), MILLION, dtype=np.intp)
    stakes = dice.integers(1, 100_000, MILLION, dtype=np.int64)
    table = np.array([[prices.times(outcome, id) for id in arrays.positions] for outcome in arrays.outcomes])
    compare(
        "settling a million bets as arrays / a bare NumPy gather-and-multiply",
        lambda: arrays.settle(outcomes, positions, stakes),
        lambda: table[outcomes, positions] * stakes,
        allowed=3,
    )

    choose = Random(2020)
    slip = [Bet(choose.choice(prices.layout.positions).id, Cents(choose.randrange(1, 100_000))) for _ in range(15)]
    (outcome,) = choose.sample(game.wheel.pockets, 1)
    times = {position.id: prices.times(outcome, position.id) for position in prices.layout.positions}
    pairs = [(bet.position, bet.stake) for bet in slip]

    def bare() -> int:
        total = 0
        for position, stake in pairs:
            total += times[position] * stake
        return total

    compare(
        "settling a slip of 15 bets / a bare loop of dictionary look-ups",
        lambda: prices.settle(outcome, slip),
        bare,
        allowed=3,
        times=20_000,
    )

    compare(
        "settling a slip of 15 bets with the clause of each / the same bare loop",
        lambda: prices.settle(outcome, slip).bets,
        bare,
        allowed=6,
        times=20_000,
    )

    command = str(Path(sys.executable).with_name("roundhouse"))
    for arguments in (["game", "list"], ["game", "list", "--json"]):
        compare(
            f"roundhouse {' '.join(arguments)} / python -c 'import msgspec'",
            lambda arguments=arguments: subprocess.run([command, *arguments], check=True, capture_output=True),  # type: ignore[misc]
            lambda: subprocess.run([sys.executable, "-c", "import msgspec"], check=True, capture_output=True),
            allowed=6,
        )
