"""Slips with hundreds of random bets on every game, compared with a computation segment by segment."""

import random
from fractions import Fraction

import pytest

from roundhouse.lab.slip import OutsideLimits, SlipLimits, bets_of, make_slip
from roundhouse.rules.game import Game
from roundhouse.rules.names import BetType, Cents, Pocket, PositionId
from roundhouse.rules.settlement import Bet, NoSuchBet
from tests.support.plain_odds import mean_of, nets_by_segment


@pytest.mark.parametrize("seed", range(4))
def test_a_slip_of_hundreds_of_random_bets_has_the_correct_figures(game: Game, seed: int) -> None:
    draw = random.Random(f"{game.id} {seed}")
    for layout in game.layouts.values():
        stakes = [
            (draw.choice(layout.positions).id, draw.choice([1, 5, 100, 2500, 99_999]))
            for _ in range(draw.randint(200, 600))
        ]
        slip = make_slip(game, layout, [Bet(position, Cents(stake)) for position, stake in stakes])
        nets = nets_by_segment(game, layout, stakes)
        staked = sum(stake for _, stake in stakes)
        mean = mean_of(nets)
        assert slip.staked == staked
        assert slip.edge == -mean / staked
        assert slip.per_unit.variance == mean_of(nets, 2, mean) / staked**2
        assert slip.per_unit.third == mean_of(nets, 3, mean) / staked**3
        assert slip.per_unit.fourth == mean_of(nets, 4, mean) / staked**4
        assert slip.hit == Fraction(sum(net > -staked for net in nets), len(nets))
        assert slip.ahead == Fraction(sum(net > 0 for net in nets), len(nets))
        at = dict(zip(game.wheel.order, nets))
        assert {pocket: slip.returns[pocket] - staked for pocket in at} == at


def test_every_package_has_the_figures_of_its_pieces(game: Game) -> None:
    for terminal in game.terminals.values():
        for package in terminal.packages:
            slip = make_slip(game, terminal.layout, bets_of(package, Cents(50)))
            nets = nets_by_segment(game, terminal.layout, [(p.position, 50 * p.pieces) for p in package.pieces])
            assert slip.staked == 50 * package.total
            assert slip.net.moments.mean == mean_of(nets)
            assert slip.net.moments.variance == mean_of(nets, 2, mean_of(nets))


def test_two_bets_on_one_position_are_limited_together(double_zero: Game) -> None:
    layout = double_zero.layouts["A"]  # type: ignore[index]
    bets = [Bet(PositionId("red"), Cents(60)), Bet(PositionId("red"), Cents(60))]
    assert make_slip(double_zero, layout, bets, SlipLimits(most=Cents(120))).staked == 120
    with pytest.raises(OutsideLimits, match="120 cents on red is over the limit of 119 cents"):
        make_slip(double_zero, layout, bets, SlipLimits(most=Cents(119)))


def test_limits_by_type_and_the_minimum_are_enforced(double_zero: Game) -> None:
    layout = double_zero.layouts["A"]  # type: ignore[index]
    limits = SlipLimits(Cents(100), Cents(1000), {BetType("straight"): Cents(200)})
    make_slip(double_zero, layout, [Bet(PositionId("red"), Cents(1000))], limits)
    with pytest.raises(OutsideLimits, match="over the limit of 200"):
        make_slip(double_zero, layout, [Bet(PositionId("straight:4"), Cents(201))], limits)
    with pytest.raises(OutsideLimits, match="below the minimum of 100"):
        make_slip(double_zero, layout, [Bet(PositionId("red"), Cents(99))], limits)
    with pytest.raises(OutsideLimits):
        SlipLimits(Cents(10), Cents(9))


def test_an_empty_slip_and_an_unknown_bet_are_refused(double_zero: Game) -> None:
    layout = double_zero.layouts["A"]  # type: ignore[index]
    with pytest.raises(NoSuchBet, match="at least one bet"):
        make_slip(double_zero, layout, [])
    with pytest.raises(NoSuchBet, match="no position 'straight:37'"):
        make_slip(double_zero, layout, [Bet(PositionId("straight:37"), Cents(1))])


def test_a_slip_on_all_numbers_has_no_variance(double_zero: Game) -> None:
    """Bets on all 38 numbers always return 36 of 38 units. Without variance there is no skewness."""
    layout = double_zero.layouts["A"]  # type: ignore[index]
    slip = make_slip(
        double_zero, layout, [Bet(PositionId(f"straight:{pocket}"), Cents(1)) for pocket in double_zero.wheel.pockets]
    )
    assert set(slip.returns.values()) == {36}
    assert (slip.hit, slip.ahead, slip.edge) == (Fraction(1), Fraction(0), Fraction(1, 19))
    assert slip.per_unit.variance == 0
    assert slip.per_unit.skewness is None
    assert slip.per_unit.kurtosis is None
    assert slip.returns[Pocket("00")] == 36
