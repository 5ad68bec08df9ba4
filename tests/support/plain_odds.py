"""A slow second implementation of the lab's mathematics that shares no code with it.

It works spin by spin, from the order of the rim and the pockets and odds of each position.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction

from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout


def nets_by_segment(game: Game, layout: Layout, stakes: Iterable[tuple[str, int]]) -> list[int]:
    """Return the net win of the stakes for each segment, in the order of the rim."""
    covers = {position.id: (set(position.covers), position.pays) for position in layout.positions}
    nets = []
    for pocket in game.wheel.order:
        net = 0
        for position, stake in stakes:
            pockets, pays = covers[position]  # type: ignore[index]
            net += stake * pays if pocket in pockets else -stake
        nets.append(net)
    return nets


def mean_of(values: list[int], power: int = 1, about: Fraction = Fraction(0)) -> Fraction:
    """Return the mean of (value − about)^power with equally likely values."""
    return sum(((value - about) ** power for value in values), Fraction(0)) / len(values)


def convolved(nets: list[int], rounds: int) -> dict[int, Fraction]:
    """Return the distribution of the total net win after ``rounds`` rounds."""
    now: dict[int, Fraction] = {0: Fraction(1)}
    for _ in range(rounds):
        after: dict[int, Fraction] = defaultdict(Fraction)
        for result, chance in now.items():
            for net in nets:
                after[result + net] += chance / len(nets)
        now = after
    return dict(now)


def absorbed(nets: list[int], staked: int, bankroll: int, rounds: int, target: int | None) -> tuple[Fraction, Fraction]:
    """Return the probabilities of ruin and of reaching the target within ``rounds`` rounds."""
    alive = {bankroll: Fraction(1)}
    ruined = reached = Fraction(0)
    if bankroll < staked:
        return Fraction(1), Fraction(0)
    for _ in range(rounds):
        after: dict[int, Fraction] = defaultdict(Fraction)
        for balance, chance in alive.items():
            for net in nets:
                after[balance + net] += chance / len(nets)
        alive = {}
        for balance, chance in after.items():
            if target is not None and balance >= target:
                reached += chance
            elif balance < staked:
                ruined += chance
            else:
                alive[balance] = chance
    return ruined, reached


def weights_of(nets: Iterable[int]) -> Mapping[int, int]:
    weights: dict[int, int] = defaultdict(int)
    for net in nets:
        weights[net] += 1
    return dict(weights)
