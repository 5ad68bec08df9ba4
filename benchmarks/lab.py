"""Benchmarks of the lab, compared with the most obvious implementations."""

import random
import tracemalloc
from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np

from roundhouse import rulebooks
from roundhouse.lab.distribution import Distribution
from roundhouse.lab.session import ExactLaw, FastLaw
from roundhouse.lab.simulate.chunks import chunks_of, play_chunk
from roundhouse.lab.simulate.plan import SimulationPlan, Stops, make_plan
from roundhouse.lab.simulate.runner import cores, run_local
from roundhouse.lab.simulate.strategies import Strategy
from roundhouse.lab.simulate.tally import Tally
from roundhouse.lab.slip import Slip, SlipLimits, make_slip
from roundhouse.rules.names import Cents, PositionId
from roundhouse.rules.settlement import Bet

_BANKROLL, _TARGET, _MAX_UNITS = 10_000, 20_000, 500


def run() -> None:
    game = rulebooks.find("rws-double-zero")
    layout = next(iter(game.layouts.values()))
    twenty = make_slip(game, layout, [Bet(p.id, Cents(100)) for p in layout.positions[::8][:20]])
    red = make_slip(game, layout, [Bet(PositionId("red"), Cents(100))])
    _flat(make_plan(twenty, game.wheel, sessions=1, rounds=400_000_000, seed=1))
    _strategies(red, game.wheel.order, lambda s, n: _system_plan(red, game.wheel, s, n))
    _distribution(red.net)
    _memory(lambda rounds: make_plan(twenty, game.wheel, sessions=1, rounds=rounds, seed=1))


def _report(name: str, ratio: float, allowed: str) -> None:
    print(f"lab: {name}: {ratio:.1f} (allowed {allowed})")


def _rate(work: Callable[[], int], tries: int = 3) -> float:
    """Return the items done per second, as the best of several tries, because other programs disturb the timing."""
    best = 0.0
    for _ in range(tries):
        begun = perf_counter()
        done = work()
        best = max(best, done / (perf_counter() - begun))
    return best


def _ratio(ours: Callable[[], int], plain: Callable[[], int]) -> float:
    """Return the ratio of two rates, measured in turn, so that other programs disturb both alike."""
    best = [0.0, 0.0]
    for _ in range(5):
        for side, work in enumerate((ours, plain)):
            best[side] = max(best[side], _rate(work, 1))
    return best[0] / best[1]


def _play(plan: SimulationPlan) -> int:
    chunks = chunks_of(plan)
    tally = Tally()
    for rows in run_local(play_chunk, plan, len(chunks), cores()):
        tally.add(rows, chunks.blocks)
    return tally.rounds


def _flat(plan: SimulationPlan) -> None:
    nets = np.array(plan.nets)
    generator = np.random.default_rng(1)

    def obvious() -> int:
        """Draw integers, look up the results and sum them."""
        spins = 2_000_000
        bankroll = np.cumsum(nets[generator.integers(0, len(nets), spins)])
        assert bankroll.min() <= bankroll[-1] <= bankroll.max()
        return spins

    play_chunk(plan, 0)  # compiles the code or loads it from the cache
    _report("flat slip of 20 bets / NumPy", _ratio(lambda: _play(plan), obvious), "at least 8")


def _system_plan(slip: Slip, wheel: object, strategy: Strategy, sessions: int) -> SimulationPlan:
    return make_plan(
        slip,
        wheel,  # type: ignore[arg-type]
        sessions=sessions,
        rounds=1_000,
        seed=1,
        system=strategy,
        limits=SlipLimits(most=Cents(100 * _MAX_UNITS)),
        stops=Stops(_BANKROLL, _TARGET),
    )


def _strategies(slip: Slip, order: tuple[str, ...], plan_of: Callable[[Strategy, int], SimulationPlan]) -> None:
    nets = [slip.returns[pocket] - slip.staked for pocket in order]  # type: ignore[index]
    for strategy, step in _PLAIN.items():
        plan = plan_of(strategy, 400_000)
        play_chunk(plan_of(strategy, 10), 0)
        ratio = _ratio(partial(_play, plan), partial(_plain_sessions, nets, step))
        _report(f"{strategy} / a plain Python loop", ratio, "at least 150")


def _plain_sessions(nets: list[int], step: Callable[[int, int, list[int]], int]) -> int:
    """Play sessions round by round in plain Python, with the same rules, stops and records."""
    draw = random.Random(1)
    done = 0
    for _ in range(600):
        balance = low = high = _BANKROLL
        units, handle, played, largest = 1, 0, 0, 0
        memory: list[int] = []
        while played < 1_000:
            net = units * nets[draw.randrange(len(nets))]
            handle += units * 100
            largest = max(largest, units * 100)
            balance += net
            low, high = min(low, balance), max(high, balance)
            played += 1
            if balance >= _TARGET or balance < 100:
                break
            units = min(step(units, net, memory), _MAX_UNITS, balance // 100)
        done += played
    return done


def _martingale(units: int, net: int, memory: list[int]) -> int:
    return 1 if net > 0 else 2 * units


def _dalembert(units: int, net: int, memory: list[int]) -> int:
    return max(1, units - 1) if net > 0 else units + 1


def _paroli(units: int, net: int, memory: list[int]) -> int:
    if net < 0 or len(memory) == 2:
        memory.clear()
        return 1
    memory.append(1)
    return 2 * units


def _fibonacci(units: int, net: int, memory: list[int]) -> int:
    if not memory:
        memory += [1, 0]
        for _ in range(40):
            memory.append(0)
        memory[2:] = [1, 1]
        while len(memory) < 60:
            memory.append(memory[-1] + memory[-2])
        memory[1] = 0
    memory[1] = max(0, memory[1] - 2) if net > 0 else memory[1] + 1
    return memory[2 + memory[1]]


def _oscars_grind(units: int, net: int, memory: list[int]) -> int:
    profit = (memory.pop() if memory else 0) + net
    if profit >= 100:
        return 1
    memory.append(profit)
    return min(units + 1, (100 - profit + 99) // 100) if net > 0 else units


def _labouchere(units: int, net: int, memory: list[int]) -> int:
    if not memory:
        memory += [1, 2, 3, 4]
    if net < 0:
        memory.append(units)
    else:
        del memory[-1:], memory[:1]
    if not memory:
        memory += [1, 2, 3, 4]
    return memory[0] + memory[-1] if len(memory) > 1 else memory[0]


_PLAIN = {
    Strategy.MARTINGALE: _martingale,
    Strategy.LABOUCHERE: _labouchere,
    Strategy.DALEMBERT: _dalembert,
    Strategy.PAROLI: _paroli,
    Strategy.FIBONACCI: _fibonacci,
    Strategy.OSCARS_GRIND: _oscars_grind,
}


def _distribution(one_round: Distribution) -> None:
    rounds = 10_000
    steps = np.array([weight / one_round.whole for weight in one_round.weights.values()])

    def repeated() -> int:
        whole = np.ones(1)
        for _ in range(rounds):
            whole = np.convolve(whole, steps)
        return 1

    def fast() -> int:
        FastLaw(one_round, rounds)
        return 1

    def exact() -> int:
        ExactLaw(one_round, rounds)
        return 1

    plain = _rate(repeated)
    # numpy.convolve computes in floats, so the fair comparison is the distribution in floats. The 10,001 fractions of
    # the exact distribution are 65 MB of digits, which cannot be computed as fast.
    _report("distribution of 10,000 rounds in floats / repeated numpy.convolve", _rate(fast, 20) / plain, "at least 20")
    _report("exact distribution of 10,000 rounds / repeated numpy.convolve", _rate(exact) / plain, "for information")


def _memory(plan_of: Callable[[int], SimulationPlan]) -> None:
    def peak(rounds: int) -> int:
        tracemalloc.start()
        _play(plan_of(rounds))
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(50_000_000)
    _report("peak memory for 10 times the spins / for the spins", peak(500_000_000) / peak(50_000_000), "at most 2")


if __name__ == "__main__":
    run()
