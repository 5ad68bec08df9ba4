"""Floor simulations: totals balance, exposure follows from the bets, and the number of cores does not matter."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from roundhouse.lab.simulate import evening
from roundhouse.lab.simulate.floor import Floor, make_floor_plan, run_floor
from roundhouse.lab.simulate.scenario import BadScenario, Guest, Scenario, TableLimits, default, read, slips_of, to_toml
from roundhouse.lab.simulate.strategies import Strategy
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout


def _run(game: Game, scenario: Scenario, evenings: int = 40, workers: int = 1, seed: int = 7) -> Floor:
    layout = _layout(game)
    terminal = next(t for t in game.terminals.values() if t.layout.id == layout.id)
    slips = slips_of(scenario, game, layout, terminal)
    plan = make_floor_plan(scenario, slips, game.wheel, evenings, seed)
    return run_floor(plan, tuple(slip.edge for slip in slips), workers=workers)


def _layout(game: Game) -> Layout:
    return next(iter(game.layouts.values()))


def _scenario(*players: Guest, **change: int) -> Scenario:
    terms = {"tables": 2, "seats": 3, "hours": 3, "rounds_per_hour": 40, "arrivals_per_hour": 60, **change}
    return Scenario(players=players, limits=TableLimits(most=50_000), **terms)


def test_the_default_floor_of_every_game_is_consistent_and_reproducible(game: Game) -> None:
    scenario = default(_layout(game))
    one, two = _run(game, scenario), _run(game, scenario, workers=2)
    assert np.array_equal(one.evenings, two.evenings)
    assert one.estimates == two.estimates
    rows = one.evenings
    assert (rows[:, evening.HANDLE] == rows[:, evening.COLUMNS :].sum(axis=1)).all()
    assert (rows[:, evening.LOWEST] <= np.minimum(0, rows[:, evening.WIN])).all()
    assert (rows[:, evening.PEAK] <= rows[:, evening.FLOOR_PEAK]).all()
    assert (rows[:, evening.MAX_SEATED] <= scenario.tables * scenario.seats).all()
    assert rows[:, evening.SPINS].max() <= scenario.rounds * scenario.tables
    assert not np.array_equal(rows, _run(game, scenario, seed=8).evenings)


def test_the_hold_converges_to_the_house_edge(double_zero: Game) -> None:
    result = _run(double_zero, default(_layout(double_zero)), evenings=600, workers=2)
    hold = result.estimates[0]
    assert hold.exact == result.expected_hold == Fraction(1, 19)
    assert abs(hold.value - 1 / 19) < 5 * (hold.high - hold.value) / 1.96


def test_exposure_grows_with_the_players_on_one_number(double_zero: Game) -> None:
    """One player with 100 cents on a number exposes the house to 3,500 cents; three players to 10,500 cents."""
    guest = Guest(name="a", weight=1, bankroll=10**9, stay_rounds=10_000, bets={"straight:7": 100})
    single = _run(double_zero, _scenario(guest, tables=1, seats=1)).evenings
    assert (single[:, evening.PEAK] == 3_500).all()
    assert (single[:, evening.HANDLE] == 100 * single[:, evening.SPINS]).all()
    assert set((single[:, evening.HANDLE] - single[:, evening.WIN]) % 3_600) == {0}
    three = _run(double_zero, _scenario(guest, tables=1, seats=3)).evenings
    assert (three[:, evening.PEAK] == 10_500).all()
    assert (three[:, evening.MAX_SEATED] == 3).all()


def test_opposite_bets_cancel_the_exposure(double_zero: Game) -> None:
    """With red and black covered, the house pays the winning bet with the losing one."""
    red = Guest(name="red", weight=1, bankroll=10**9, stay_rounds=10_000, bets={"red": 100, "black": 100})
    rows = _run(double_zero, _scenario(red, tables=1, seats=1)).evenings
    assert (rows[:, evening.PEAK] == 0).all()
    assert (rows[:, evening.WIN] % 200 == 0).all()


def test_arrivals_have_the_mean_and_variance_of_a_poisson_process(double_zero: Game) -> None:
    """60 arrivals per hour for 3 hours have a mean and a variance of 180."""
    guest = Guest(name="a", weight=1, bankroll=1_000, stay_rounds=5, bets={"red": 100})
    rows = _run(double_zero, _scenario(guest), evenings=800).evenings
    arrivals = rows[:, evening.SERVED] + rows[:, evening.TURNED_AWAY]
    assert abs(arrivals.mean() - 180) < 5 * (180 / 800) ** 0.5
    assert 0.8 < arrivals.var() / 180 < 1.2
    empty = _run(double_zero, _scenario(guest, arrivals_per_hour=0)).evenings
    assert not empty.any()


def test_guests_play_their_mean_stay_on_average(double_zero: Game) -> None:
    """With enough seats and bankroll, the rounds played equal guests × mean stay."""
    guest = Guest(name="a", weight=1, bankroll=10**9, stay_rounds=4, bets={"red": 100})
    rows = _run(double_zero, _scenario(guest, tables=20, seats=7, hours=20), evenings=40).evenings
    played = rows[:, evening.HANDLE].sum() / 100
    assert played / rows[:, evening.SERVED].sum() == pytest.approx(4, rel=0.03)


def test_guests_may_play_packages_and_strategies(double_zero: Game) -> None:
    players = [
        Guest(name=s, weight=1, bankroll=50_000, stay_rounds=50, bets={"red": 100}, strategy=s) for s in Strategy
    ]
    players.append(
        Guest(name="tiers", weight=1, bankroll=50_000, stay_rounds=50, packages={"tiers": 100}, target=60_000)
    )
    rows = _run(double_zero, _scenario(*players, arrivals_per_hour=200)).evenings
    assert (rows[:, evening.COLUMNS :].sum(axis=0) > 0).all()


def test_a_scenario_survives_writing_and_reading(tmp_path: Path, game: Game) -> None:
    scenario = default(_layout(game))
    path = tmp_path / "floor.toml"
    path.write_text(to_toml(scenario), encoding="utf-8")
    assert read(path) == scenario


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tables = 6", "tables = 0", "tables must be at least 1"),
        ("tables = 6", "tabels = 6", "unknown field `tabels`"),
        ("weight = 2", "weight = -2", "weight and stay_rounds must be at least 1"),
        ("tables = 6", "tables = six", "is not a scenario"),
        ("hours = 6", "hours = 1000000", "at most"),
    ],
)
def test_an_invalid_scenario_is_reported(tmp_path: Path, double_zero: Game, old: str, new: str, message: str) -> None:
    path = tmp_path / "floor.toml"
    path.write_text(to_toml(default(_layout(double_zero))).replace(old, new), encoding="utf-8")
    with pytest.raises(BadScenario, match=message):
        read(path)


def test_invalid_bets_of_a_scenario_are_reported(double_zero: Game) -> None:
    wrong = Guest(name="w", weight=1, bankroll=1, stay_rounds=1, bets={"straight:99": 5})
    with pytest.raises(BadScenario, match="player 'w': layout A has no position"):
        _run(double_zero, _scenario(wrong))
    wrong = Guest(name="w", weight=1, bankroll=1, stay_rounds=1, packages={"nothing": 5})
    with pytest.raises(BadScenario, match="no package 'nothing'"):
        _run(double_zero, _scenario(wrong))
