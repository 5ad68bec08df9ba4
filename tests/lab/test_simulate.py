"""Simulation: reproducible on any number of cores, correct strategies, and honest confidence intervals."""

import math
import random
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from roundhouse import rulebooks
from roundhouse.lab.simulate.chunks import chunks_of, play_chunk
from roundhouse.lab.simulate.custom import BadStrategy
from roundhouse.lab.simulate.estimates import simulate
from roundhouse.lab.simulate.plan import CustomStrategy, NoSuchPlan, SimulationPlan, Stops, make_plan
from roundhouse.lab.simulate.runner import run_local
from roundhouse.lab.simulate.sessions import HANDLE, HIGH, LOW, NET, ROUNDS, Ending
from roundhouse.lab.simulate.strategies import AtLimit, Strategy
from roundhouse.lab.simulate.tally import Tally
from roundhouse.lab.slip import Slip, SlipLimits, make_slip
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, LayoutId, PositionId
from roundhouse.rules.settlement import Bet

PLAIN_STRATEGIES = {
    Strategy.FLAT: "def stake(units, net, bankroll, memory):\n    return 1\n",
    Strategy.MARTINGALE: """
def stake(units, net, bankroll, memory):
    if units == 0 or net > 0:
        return 1
    return 2 * units if net < 0 else units
""",
    Strategy.DALEMBERT: """
def stake(units, net, bankroll, memory):
    if units == 0:
        return 1
    if net > 0:
        return units - 1 if units > 1 else 1
    return units + 1 if net < 0 else units
""",
    Strategy.PAROLI: """
def stake(units, net, bankroll, memory):
    if units == 0 or net < 0:
        memory["wins"] = 0
        return 1
    if net == 0:
        return units
    memory["wins"] += 1
    if memory["wins"] == 3:
        memory["wins"] = 0
        return 1
    return 2 * units
""",
    Strategy.FIBONACCI: """
def fibonacci(n):
    a, b = 1, 1
    for _ in range(n):
        a, b = b, a + b
    return a

def stake(units, net, bankroll, memory):
    place = memory.get("place", 0)
    if net < 0:
        place += 1
    elif net > 0:
        place = place - 2 if place > 2 else 0
    elif units:
        return units
    memory["place"] = place
    return fibonacci(place)
""",
    Strategy.OSCARS_GRIND: """
SLIP = {slip}

def stake(units, net, bankroll, memory):
    if units == 0:
        memory["profit"] = 0
        return 1
    memory["profit"] += net
    if memory["profit"] >= SLIP:
        memory["profit"] = 0
        return 1
    if net <= 0:
        return units
    wanted = SLIP - memory["profit"]
    for fewer in range(1, units + 1):
        if fewer * SLIP >= wanted:
            return fewer
    return units + 1
""",
    Strategy.LABOUCHERE: """
def stake(units, net, bankroll, memory):
    line = memory.setdefault("line", [1, 2, 3, 4])
    if net > 0:
        line[:] = line[1:-1]
    elif net < 0:
        line.append(units)
    elif units:
        return units
    if not line:
        line[:] = [1, 2, 3, 4]
    return line[0] if len(line) == 1 else line[0] + line[-1]
""",
}


def _slip(game: Game, *stakes: tuple[str, int]) -> Slip:
    layout = next(iter(game.layouts.values()))
    return make_slip(game, layout, [Bet(PositionId(position), Cents(stake)) for position, stake in stakes])


def _rows(plan: SimulationPlan) -> np.ndarray:
    return np.concatenate([play_chunk(plan, number) for number in range(len(chunks_of(plan)))])


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize(
    ("bets", "stops", "max_stake"),
    [
        ((("red", 100),), Stops(10_000, 15_000), 100_000),
        ((("red", 100),), Stops(2_000, None, 500), 1_600),
        ((("dozen:1", 50), ("column:2", 30)), Stops(5_000), 5_000),
        ((("low", 100), ("high", 100), ("straight:0", 10)), Stops(30_000, 30_100), 100_000),
        ((("straight:7", 25),), Stops(None, 1_000_000, -1_000_000), 10_000),
    ],
)
def test_a_built_in_strategy_matches_its_plain_version(
    double_zero: Game, strategy: Strategy, bets: tuple[tuple[str, int], ...], stops: Stops, max_stake: int
) -> None:
    """Compare the compiled kernel with a plain function on the same spins, for every session and column."""
    slip = _slip(double_zero, *bets)
    custom = CustomStrategy("mine.py", PLAIN_STRATEGIES[strategy].replace("{slip}", str(slip.staked)))
    common = {"sessions": 60, "rounds": 150, "seed": 11, "limits": SlipLimits(most=Cents(max_stake)), "stops": stops}
    built_in = _rows(make_plan(slip, double_zero.wheel, system=strategy, **common))  # type: ignore[arg-type]
    plain = _rows(make_plan(slip, double_zero.wheel, system=custom, **common))  # type: ignore[arg-type]
    assert built_in.tolist() == plain.tolist()
    assert len({tuple(row) for row in built_in.tolist()}) > 5


def test_at_the_limit_a_player_caps_resets_or_stops(double_zero: Game) -> None:
    slip = _slip(double_zero, ("red", 100))
    found = {}
    for at_limit in AtLimit:
        plan = make_plan(
            slip,
            double_zero.wheel,
            sessions=300,
            rounds=200,
            seed=5,
            system=Strategy.MARTINGALE,
            limits=SlipLimits(most=Cents(800)),
            at_limit=at_limit,
            stops=Stops(10**9),
        )
        rows = _rows(plan)
        found[at_limit] = rows
        assert rows[:, 5].max() == 800
    assert (found[AtLimit.STOP][:, 6] == Ending.TABLE_LIMIT).mean() > 0.9
    assert (found[AtLimit.STOP][:, ROUNDS] < 200).mean() > 0.9
    assert (found[AtLimit.CAP][:, ROUNDS] == 200).all()
    assert found[AtLimit.CAP][:, HANDLE].mean() > found[AtLimit.RESET][:, HANDLE].mean()


@pytest.mark.parametrize("strategy", [Strategy.MARTINGALE, Strategy.LABOUCHERE, Strategy.DALEMBERT])
def test_stopping_at_the_limit_counts_every_played_round(double_zero: Game, strategy: Strategy) -> None:
    slip = _slip(double_zero, ("red", 100))
    custom = CustomStrategy("mine.py", PLAIN_STRATEGIES[strategy])
    limits, stops = SlipLimits(most=Cents(900)), Stops(20_000)
    built_in, plain = (
        _rows(
            make_plan(
                slip,
                double_zero.wheel,
                sessions=80,
                rounds=120,
                seed=4,
                system=system,
                limits=limits,
                at_limit=AtLimit.STOP,
                stops=stops,
            )
        )
        for system in (strategy, custom)
    )
    assert built_in.tolist() == plain.tolist()
    assert (built_in[:, 6] == Ending.TABLE_LIMIT).sum() > 20


@pytest.mark.parametrize("system", [Strategy.FLAT, Strategy.LABOUCHERE])
def test_the_same_seed_gives_the_same_result_on_any_number_of_cores(game: Game, system: Strategy) -> None:
    slip = _slip(game, (next(iter(game.layouts.values())).positions[-1].id, 100))
    stops = Stops() if system is Strategy.FLAT else Stops(20_000)
    plan = make_plan(slip, game.wheel, sessions=40_000, rounds=800, seed=3, system=system, stops=stops)
    assert len(chunks_of(plan)) >= 2
    results = [simulate(plan, workers=workers) for workers in (1, 2, 3)]
    for other in results[1:]:
        assert other.estimates == results[0].estimates
        assert other.tally.net == results[0].tally.net
        assert other.tally.endings == results[0].tally.endings
        assert other.tally.histogram.tolist() == results[0].tally.histogram.tolist()
    other_seed = make_plan(slip, game.wheel, sessions=40_000, rounds=800, seed=4, system=system, stops=stops)
    assert simulate(other_seed).estimates != results[0].estimates


@pytest.mark.parametrize(
    ("sessions", "rounds", "stops"),
    [(1, 1, Stops()), (70_000, 3, Stops()), (3, 7_000_001, Stops()), (40_000, 900, Stops(500)), (64, 5, Stops(500))],
)
def test_chunks_contain_every_session_once(double_zero: Game, sessions: int, rounds: int, stops: Stops) -> None:
    slip = _slip(double_zero, ("red", 100))
    plan = make_plan(slip, double_zero.wheel, sessions=sessions, rounds=rounds, seed=1, stops=stops)
    chunks = chunks_of(plan)
    rows = [row for number in range(len(chunks)) for row in range(sum(chunks.span(number)))[chunks.span(number)[0] :]]
    assert rows == list(range(chunks.rows))
    assert chunks.rows == sessions * chunks.blocks
    tally = simulate(plan).tally
    assert tally.sessions == sessions
    assert tally.rounds == sessions * rounds or not stops.none


def test_a_long_session_is_the_sum_of_its_blocks(double_zero: Game) -> None:
    """The bankroll continues from block to block. The expected values are computed from the rows of the chunks."""
    plan = make_plan(_slip(double_zero, ("red", 100)), double_zero.wheel, sessions=2, rounds=3_000_001, seed=9)
    chunks = chunks_of(plan)
    assert chunks.blocks >= 64
    rows = _rows(plan)
    tally = simulate(plan, workers=2).tally
    assert tally.rounds == int(rows[:, ROUNDS].sum()) == 6_000_002
    assert tally.sessions == 2
    lowest = highest = 0
    for session in (rows[: chunks.blocks], rows[chunks.blocks :]):
        balance = 0
        for row in session.tolist():
            lowest, highest = min(lowest, balance + row[LOW]), max(highest, balance + row[HIGH])
            balance += row[NET]
    assert (tally.lowest, tally.highest) == (lowest, highest)
    assert tally.net == int(rows[:, NET].sum())


def test_confidence_intervals_cover_the_exact_value_as_often_as_stated(double_zero: Game) -> None:
    """With 400 seeds at 90 %, the number of misses is binomial and within 3.5 deviations."""
    slip = _slip(double_zero, ("red", 100), ("straight:17", 20))
    covered: dict[str, int] = {}
    seeds = 400
    for seed in range(seeds):
        for kind, stops in (("plain", Stops()), ("stopped", Stops(1_000, 2_000))):
            plan = make_plan(slip, double_zero.wheel, sessions=400, rounds=60, seed=seed, stops=stops)
            for estimate in simulate(plan, level=0.9).estimates:
                if estimate.covers is not None:
                    covered[f"{kind}: {estimate.name}"] = covered.get(f"{kind}: {estimate.name}", 0) + estimate.covers
    assert len(covered) == 6
    spread = math.sqrt(0.9 * 0.1 * seeds)
    for name, count in covered.items():
        assert abs(count - 0.9 * seeds) < 3.5 * spread, f"{name}: {count} of {seeds}"


def test_no_strategy_changes_the_house_edge(double_zero: Game) -> None:
    """For every strategy, win divided by handle is within five deviations of the edge."""
    slip = _slip(double_zero, ("red", 100))
    for strategy in Strategy:
        plan = make_plan(
            slip, double_zero.wheel, sessions=20_000, rounds=200, seed=1, system=strategy, stops=Stops(20_000, 40_000)
        )
        hold = simulate(plan, workers=2).estimates[0]
        assert hold.exact == Fraction(1, 19)
        assert abs(hold.value - 1 / 19) < 5 * (hold.high - hold.value) / 1.96


def test_memory_use_does_not_grow_with_the_spins(double_zero: Game) -> None:
    def peak(rounds: int) -> int:
        plan = make_plan(_slip(double_zero, ("red", 100)), double_zero.wheel, sessions=1, rounds=rounds, seed=1)
        tracemalloc.start()
        simulate(plan, workers=2)
        bytes_used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return bytes_used

    peak(2_000_000)
    assert peak(200_000_000) < 2 * peak(2_000_000) + 2_000_000


def test_a_tally_does_not_depend_on_how_its_rows_are_split() -> None:
    draw = random.Random(1)
    rows = np.array([[draw.randint(-900, 900), -900, 900, 100, 5, 10, 0] for _ in range(1_000)], dtype=np.int64)
    whole, parts = Tally(), Tally()
    whole.add(rows, 1)
    for begin in range(0, 1_000, 90):
        parts.add(rows[begin : begin + 90], 1)
    assert (whole.net, whole.ahead, whole.sessions) == (parts.net, parts.ahead, parts.sessions)
    assert whole.by_session.mean == pytest.approx(parts.by_session.mean)
    variance = np.cov(rows[:, [0, 3, 4]].T.astype(float), bias=True) * 1_000
    assert parts.by_session.products == pytest.approx(variance, abs=1e-6)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def stake(units, net, bankroll, memory):\n    return 1 // net\n", "ZeroDivisionError at line 2"),
        ("def stake(:\n", "SyntaxError at line 1"),
        ("steak = 1\n", "has no function stake"),
        ("def stake(units, net, bankroll, memory):\n    return 0.5\n", "returned 0.5 in round 1 of session 1"),
        ("def stake(units, net, bankroll, memory):\n    return -1\n", "returned -1"),
        ("def stake(units):\n    return 1\n", "TypeError"),
        ("import no_such_module\n", "ModuleNotFoundError at line 1"),
    ],
)
def test_a_failing_strategy_is_reported_with_its_line(double_zero: Game, source: str, message: str) -> None:
    plan = make_plan(
        _slip(double_zero, ("red", 100)),
        double_zero.wheel,
        sessions=2,
        rounds=5,
        seed=1,
        system=CustomStrategy("mine.py", source),
    )
    for workers in (1, 2):
        with pytest.raises(BadStrategy, match=message):
            simulate(plan, workers=workers)


def test_a_strategy_that_stakes_nothing_ends_the_session(double_zero: Game) -> None:
    custom = CustomStrategy("mine.py", "def stake(units, net, bankroll, memory):\n    return 0 if units else 3\n")
    rows = _rows(
        make_plan(_slip(double_zero, ("red", 100)), double_zero.wheel, sessions=4, rounds=5, seed=1, system=custom)
    )
    assert rows[:, ROUNDS].tolist() == [1] * 4
    assert rows[:, 6].tolist() == [Ending.OWN_WILL] * 4
    assert rows[:, HANDLE].tolist() == [300] * 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sessions": 0}, "must be at least 1"),
        ({"rounds": -5}, "must be at least 1"),
        ({"seed": -1}, "the seed must be"),
        ({"seed": 1 << 64}, "the seed must be"),
        ({"sessions": 10**9, "rounds": 10**9}, "spins"),
        ({"system": Strategy.MARTINGALE, "parameter": 0}, "parameter of 1 to"),
        ({"system": CustomStrategy("x.py", ""), "parameter": 2}, "no --parameter"),
        ({"limits": SlipLimits(most=Cents(99))}, "exceeds the table limit"),
        ({"parameter": 4, "limits": SlipLimits(most=Cents(300))}, "4 units of the slip exceed"),
    ],
)
def test_impossible_plans_are_refused(double_zero: Game, change: dict[str, object], message: str) -> None:
    terms: dict[str, object] = {"sessions": 10, "rounds": 10, "seed": 1, **change}
    with pytest.raises(NoSuchPlan, match=message):
        make_plan(_slip(double_zero, ("red", 100)), double_zero.wheel, **terms)  # type: ignore[arg-type]


def test_impossible_stops_are_refused() -> None:
    for wrong in ((-1, None, None), (100, 100, None), (100, None, 100), (None, 0, None)):
        with pytest.raises(NoSuchPlan):
            Stops(*wrong)


def test_huge_stakes_do_not_overflow_integers() -> None:
    game = rulebooks.find("mbs-sands")
    layout = game.layouts[LayoutId("A")]
    slip = make_slip(game, layout, [Bet(PositionId("straight:S"), Cents(100_000_000_000))])
    plan = make_plan(slip, game.wheel, sessions=50, rounds=2_000, seed=1, system=Strategy.MARTINGALE)
    assert plan.limited_by_integer_range
    rows = _rows(plan)
    assert (abs(rows[:, NET]) <= 2**61).all()
    assert (rows[:, HANDLE] >= 0).all()


def test_a_stake_that_grows_a_thousandfold_does_not_overflow(double_zero: Game) -> None:
    """Eight losses would require 10²⁴ units. The stake never drops below one unit and no sum becomes negative."""
    slip = make_slip(double_zero, double_zero.layouts[LayoutId("A")], [Bet(PositionId("straight:7"), Cents(1))])
    plan = make_plan(
        slip, double_zero.wheel, sessions=300, rounds=40, seed=2, system=Strategy.MARTINGALE, parameter=1000
    )
    rows = _rows(plan)
    assert rows[:, 5].max() == plan.most_units
    assert (rows[:, HANDLE] >= rows[:, 5]).all()
    assert (rows[:, HANDLE] >= rows[:, ROUNDS]).all()


@pytest.mark.parametrize("strategy", list(Strategy))
def test_bankrolls_that_are_no_multiple_of_the_stake_are_handled_exactly(double_zero: Game, strategy: Strategy) -> None:
    """Compare bankrolls, targets and stop-losses that are no multiple of the stake with a plain function."""
    slip = _slip(double_zero, ("dozen:2", 300), ("low", 200))
    custom = CustomStrategy("mine.py", PLAIN_STRATEGIES[strategy].replace("{slip}", str(slip.staked)))
    for stops in (Stops(5_037, 9_001, 1_277), Stops(None, 4_999, -3_333), Stops(999), Stops(1_000, 1_001)):
        common = {"sessions": 40, "rounds": 90, "seed": 5, "limits": SlipLimits(most=Cents(9_100)), "stops": stops}
        built_in = _rows(make_plan(slip, double_zero.wheel, system=strategy, **common))  # type: ignore[arg-type]
        plain = _rows(make_plan(slip, double_zero.wheel, system=custom, **common))  # type: ignore[arg-type]
        assert built_in.tolist() == plain.tolist()


def test_results_of_parallel_workers_arrive_in_order() -> None:
    done: list[tuple[int, int]] = []
    found = list(run_local(lambda plan, number: (plan, number), "p", 23, 4, lambda a, b: done.append((a, b))))
    assert found == [("p", number) for number in range(23)]
    assert done[-1] == (23, 23)
    assert [a for a, _ in done] == sorted(a for a, _ in done)
