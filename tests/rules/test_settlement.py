"""Settlement of slips, and the array implementation, which gives exactly the same amounts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundhouse import rulebooks
from roundhouse.rules.arrays import ArrayPrices
from roundhouse.rules.names import MAX_STAKE_CENTS, Cents, PositionId
from roundhouse.rules.settlement import Bet, NoSuchBet, Prices, make_bet

PRICES = [game.prices(layout) for game in rulebooks.games() for layout in game.layouts]
ARRAYS = {id(prices): ArrayPrices(prices) for prices in PRICES}

stakes = st.integers(1, MAX_STAKE_CENTS)


@st.composite
def slips(draw: st.DrawFn) -> tuple[Prices, str, list[Bet]]:
    prices = draw(st.sampled_from(PRICES))
    position = st.sampled_from([position.id for position in prices.layout.positions])
    bets = draw(st.lists(st.builds(Bet, position, stakes), max_size=60))
    return prices, draw(st.sampled_from(prices.layout.wheel.pockets)), bets


@given(slips())
def test_a_slip_is_the_sum_of_its_bets(slip: tuple[Prices, str, list[Bet]]) -> None:
    prices, outcome, bets = slip
    settlement = prices.settle(outcome, bets)  # type: ignore[arg-type]
    assert [settled.bet for settled in settlement.bets] == bets
    assert settlement.staked == sum(bet.stake for bet in bets)
    assert settlement.returned == sum(bet.returned for bet in settlement.bets)
    for settled in settlement.bets:
        position = prices.layout.by_id[settled.bet.position]
        assert settled.returned == (settled.bet.stake * (position.pays + 1) if outcome in position.covers else 0)
        assert type(settled.returned) is int


@given(slips())
def test_the_array_settlement_gives_the_same_amounts(slip: tuple[Prices, str, list[Bet]]) -> None:
    prices, outcome, bets = slip
    arrays = ARRAYS[id(prices)]
    returned = arrays.settle(
        arrays.outcome_numbers([outcome] * len(bets)),  # type: ignore[list-item]
        arrays.position_numbers(bet.position for bet in bets),
        np.array([bet.stake for bet in bets], dtype=np.int64),
    )
    assert returned.tolist() == [bet.returned for bet in prices.settle(outcome, bets).bets]  # type: ignore[arg-type]


def test_the_array_settlement_is_exact_for_every_position_and_outcome() -> None:
    """Check all positions and outcomes at the largest stake."""
    for prices in PRICES:
        arrays = ARRAYS[id(prices)]
        slip = [Bet(position.id, MAX_STAKE_CENTS) for position in prices.layout.positions]
        numbers = arrays.position_numbers(bet.position for bet in slip)
        full = np.full(len(slip), MAX_STAKE_CENTS, dtype=np.int64)
        for outcome in prices.layout.wheel.pockets:
            exact = [bet.returned for bet in prices.settle(outcome, slip).bets]
            assert arrays.settle(arrays.outcome_numbers([outcome]), numbers, full).tolist() == exact


def test_a_million_of_the_largest_bets_cannot_overflow() -> None:
    highest_return = max(position.pays + 1 for prices in PRICES for position in prices.layout.positions)
    assert 1_000_000 * MAX_STAKE_CENTS * highest_return < 2**63


@pytest.mark.parametrize(
    ("outcomes", "positions", "stakes", "error"),
    [
        ([0], [0], np.array([100.0]), TypeError),
        ([0], [0], np.array([0], dtype=np.int64), ValueError),
        ([0], [0], np.array([-5], dtype=np.int64), ValueError),
        ([0], [0], np.array([MAX_STAKE_CENTS + 1], dtype=np.int64), ValueError),
        ([-1], [0], np.array([1], dtype=np.int64), IndexError),
        ([0], [-1], np.array([1], dtype=np.int64), IndexError),
        ([99], [0], np.array([1], dtype=np.int64), IndexError),
        ([0], [9999], np.array([1], dtype=np.int64), IndexError),
    ],
)
def test_the_array_settlement_refuses_invalid_bets(
    outcomes: list[int], positions: list[int], stakes: "np.typing.NDArray[np.int64]", error: type[Exception]
) -> None:
    arrays = ARRAYS[id(PRICES[0])]
    with pytest.raises(error):
        arrays.settle(np.array(outcomes, dtype=np.intp), np.array(positions, dtype=np.intp), stakes)


def test_settling_no_bets_returns_zero() -> None:
    settlement = PRICES[0].settle(PRICES[0].layout.wheel.pockets[0], [])
    assert (settlement.bets, settlement.staked, settlement.returned) == ([], 0, 0)


@pytest.mark.parametrize(
    ("position", "hint"),
    [
        ("split:00-0", "split:0-00"),
        ("straight:01", "straight:1"),
        ("corner:29-28-26-25", "corner:25-26-28-29"),
        ("street:3-2-1", "street:1-2-3"),
    ],
)
def test_an_alias_is_refused_and_the_canonical_name_is_given(position: str, hint: str) -> None:
    with pytest.raises(NoSuchBet, match=f"'{hint}'"):
        make_bet(PRICES[0].layout, PositionId(position), Cents(100))


@pytest.mark.parametrize(
    "position", ["", "split", "split:", "Straight:1", "straight:37", "top_line", "street:00-2-3", "red ", "rouge"]
)
def test_an_unknown_position_is_refused(position: str) -> None:
    with pytest.raises(NoSuchBet, match="no position"):
        make_bet(PRICES[0].layout, PositionId(position), Cents(100))


@pytest.mark.parametrize("stake", [0, -1, MAX_STAKE_CENTS + 1])
def test_a_stake_out_of_bounds_is_refused(stake: int) -> None:
    with pytest.raises(NoSuchBet, match="stake"):
        make_bet(PRICES[0].layout, PositionId("red"), Cents(stake))


def test_every_canonical_id_is_a_bet_and_the_largest_stake_is_allowed() -> None:
    for prices in PRICES:
        for position in prices.layout.positions:
            assert make_bet(prices.layout, position.id, MAX_STAKE_CENTS) == Bet(position.id, MAX_STAKE_CENTS)
