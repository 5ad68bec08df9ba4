"""The theory of a spin's bets equals that of the lab, and that of every outcome counted one by one."""

import random
from fractions import Fraction

import pytest

from roundhouse import rulebooks
from roundhouse.lab.slip import make_slip
from roundhouse.rules.names import Cents, PositionId
from roundhouse.rules.odds import odds_of_position
from roundhouse.rules.settlement import Bet
from roundhouse.rules.theory import NO_BETS, theory_of

GAMES = rulebooks.SHIPPED


@pytest.mark.parametrize("game_id", GAMES)
def test_one_bet_has_the_edge_and_the_variance_of_its_position(game_id: str) -> None:
    game = rulebooks.find(game_id)
    for layout in game.layouts.values():
        for position in layout.positions:
            theory, odds = theory_of([(layout, {position.id: 700})], game.wheel), odds_of_position(position, game.wheel)
            assert (theory.staked, theory.win, theory.variance) == (700, 700 * odds.edge, 700**2 * odds.variance)


@pytest.mark.parametrize("game_id", GAMES)
def test_a_random_slip_has_the_moments_that_the_lab_computes(game_id: str) -> None:
    game, dice = rulebooks.find(game_id), random.Random(7)
    for layout in game.layouts.values():
        for _ in range(20):
            slip = {position.id: dice.randint(1, 9999) for position in dice.sample(layout.positions, 5)}
            lab = make_slip(game, layout, [Bet(at, Cents(cents)) for at, cents in slip.items()])
            theory, moments = theory_of([(layout, slip)], game.wheel), lab.net.moments
            assert (theory.staked, theory.win, theory.variance) == (lab.staked, -moments.mean, moments.variance)


def test_bets_of_several_seats_on_one_spin_are_not_independent() -> None:
    """Red and black of two seats: the house loses both on a zero only, so there is hardly any variance."""
    game = rulebooks.find("rws-double-zero")
    layout = next(iter(game.layouts.values()))
    red, black = {PositionId("red"): 1000}, {PositionId("black"): 1000}
    together = theory_of([(layout, red), (layout, black)], game.wheel)
    alone = theory_of([(layout, red)], game.wheel) + theory_of([(layout, black)], game.wheel)
    # 2 of 38 pockets take both stakes; on all others the house wins and loses 1,000.
    assert together.win == alone.win == Fraction(2000 * 2, 38)
    assert together.variance == Fraction(2000**2 * 2, 38) - Fraction(2000 * 2, 38) ** 2
    assert alone.variance > 8 * together.variance


def test_no_bets_have_no_theory() -> None:
    game = rulebooks.find("rws-money-wheel")
    assert theory_of([], game.wheel) == NO_BETS
