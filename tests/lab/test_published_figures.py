"""Figures published in books and by regulators, compared with the computed ones."""

from fractions import Fraction

import pytest

from roundhouse import rulebooks
from roundhouse.lab.slip import make_slip
from roundhouse.rules.names import Cents, LayoutId, PositionId
from roundhouse.rules.settlement import Bet

PUBLISHED = """
game                        layout  position            edge    variance of one unit
rws-double-zero             A       straight:17         1/19    47952/1444
rws-double-zero             A       split:0-00          1/19    5832/361
rws-double-zero             A       street:1-2-3        1/19    3780/361
rws-double-zero             A       corner:1-2-4-5      1/19    2754/361
rws-double-zero             A       line:1-2-3-4-5-6    1/19    1728/361
rws-double-zero             A       dozen:1             1/19    702/361
rws-double-zero             A       red                 1/19    360/361
rws-double-zero             B       top_line            3/38    8085/1444
rws-triple-zero             A       straight:000        1/13    5472/169
rws-triple-zero             A       top_line            1/13    792/169
rws-triple-zero             A       green               1/13    1728/169
rws-triple-zero             A       even                1/13    168/169
mbs-sands                   A       straight:S          1/13    5472/169
mbs-sands                   A       black               1/13    168/169
mbs-electronic-double-zero  A       straight:00         1/19    47952/1444
rws-money-wheel             A       symbol:1            1/13    168/169
rws-money-wheel             A       symbol:3            1/13    480/169
rws-money-wheel             A       symbol:5            1/13    792/169
rws-money-wheel             A       symbol:10           2/13    1452/169
rws-money-wheel             A       symbol:20           5/26    11025/676
rws-money-wheel             A       symbol:RWS          3/26    26979/676
"""


@pytest.mark.parametrize("line", PUBLISHED.strip().splitlines()[1:])
def test_edge_and_variance_match_the_published_figures(line: str) -> None:
    name, layout_id, position, edge, variance = line.split()
    game = rulebooks.find(name)
    layout = game.layouts.get(LayoutId(layout_id)) or next(iter(game.layouts.values()))
    slip = make_slip(game, layout, [Bet(PositionId(position), Cents(100))])
    assert slip.edge == Fraction(edge)
    assert slip.per_unit.variance == Fraction(variance)


def test_the_variance_of_a_straight_up_bet_is_36_squared_times_p_times_q() -> None:
    assert Fraction(47952, 1444) == 36**2 * Fraction(1, 38) * Fraction(37, 38)


def test_skewness_and_kurtosis_match_the_textbook_formulas() -> None:
    """The textbook formulas for a single trial are (1 − 2p) / √(pq) and (1 − 3pq) / pq."""
    game = rulebooks.find("rws-double-zero")
    slip = make_slip(game, game.layouts[LayoutId("A")], [Bet(PositionId("straight:5"), Cents(100))])
    p, q = Fraction(1, 38), Fraction(37, 38)
    assert slip.per_unit.skewness is not None
    assert slip.per_unit.skewness.square == (1 - 2 * p) ** 2 / (p * q) == Fraction(1296, 37)
    assert slip.per_unit.skewness.sign == 1
    assert slip.per_unit.kurtosis == (1 - 3 * p * q) / (p * q)


def test_the_expected_loss_per_hour_is_edge_times_handle() -> None:
    """Ten dollars per round on an even chance, at 38 rounds per hour, lose twenty dollars."""
    game = rulebooks.find("rws-double-zero")
    slip = make_slip(game, game.layouts[LayoutId("A")], [Bet(PositionId("red"), Cents(1000))])
    assert slip.loss_per_hour(38) == 2000
