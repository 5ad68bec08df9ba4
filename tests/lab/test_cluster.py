"""Simulations on a local Dask cluster give the same figures as without one."""

import warnings
from collections.abc import Iterator

import pytest

from roundhouse.lab.simulate.custom import BadStrategy
from roundhouse.lab.simulate.estimates import simulate
from roundhouse.lab.simulate.floor import make_floor_plan, run_floor
from roundhouse.lab.simulate.plan import CustomStrategy, Stops, make_plan
from roundhouse.lab.simulate.runner import NoCluster
from roundhouse.lab.simulate.scenario import default, slips_of
from roundhouse.lab.simulate.strategies import Strategy
from roundhouse.lab.slip import make_slip
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, LayoutId, PositionId
from roundhouse.rules.settlement import Bet


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of the workers' libraries about ports and dashboards
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as running:
            yield running.scheduler_address


def test_a_cluster_gives_the_same_result_as_the_local_machine(cluster: str, double_zero: Game) -> None:
    slip = make_slip(double_zero, double_zero.layouts[LayoutId("A")], [Bet(PositionId("red"), Cents(100))])
    for system, stops in ((Strategy.FLAT, Stops()), (Strategy.DALEMBERT, Stops(5_000, 9_000))):
        plan = make_plan(slip, double_zero.wheel, sessions=40_000, rounds=900, seed=2, system=system, stops=stops)
        done: list[int] = []
        here = simulate(plan)
        there = simulate(plan, cluster=cluster, report=lambda a, _, done=done: done.append(a))  # type: ignore[misc]
        assert there.estimates == here.estimates
        assert there.tally.net == here.tally.net
        assert done == sorted(done)
        assert len(done) > 1


def test_a_floor_simulation_gives_the_same_result_on_a_cluster(cluster: str, double_zero: Game) -> None:
    layout = double_zero.layouts[LayoutId("A")]
    scenario = default(layout)
    slips = slips_of(scenario, double_zero, layout, None)
    plan = make_floor_plan(scenario, slips, double_zero.wheel, 20, 4)
    edges = tuple(slip.edge for slip in slips)
    here, there = run_floor(plan, edges), run_floor(plan, edges, cluster=cluster)
    assert here.evenings.tolist() == there.evenings.tolist()


def test_a_strategy_error_on_the_cluster_is_reported_locally(cluster: str, double_zero: Game) -> None:
    slip = make_slip(double_zero, double_zero.layouts[LayoutId("A")], [Bet(PositionId("red"), Cents(100))])
    strategy = CustomStrategy("mine.py", "def stake(units, net, bankroll, memory):\n    raise ValueError('no idea')\n")
    plan = make_plan(slip, double_zero.wheel, sessions=10, rounds=9, seed=2, system=strategy)
    with pytest.raises(BadStrategy, match="ValueError at line 2: no idea"):
        simulate(plan, cluster=cluster)


def test_a_missing_cluster_is_reported_in_one_line(double_zero: Game) -> None:
    slip = make_slip(double_zero, double_zero.layouts[LayoutId("A")], [Bet(PositionId("red"), Cents(100))])
    plan = make_plan(slip, double_zero.wheel, sessions=10, rounds=9, seed=2)
    with pytest.raises(NoCluster, match="no cluster answers at 'nonsense://x'"):
        simulate(plan, cluster="nonsense://x")
