"""Measures ratios: runs our code and a baseline in turn, and compares the medians of their times."""

from collections.abc import Callable
from statistics import median
from time import perf_counter


def seconds(work: Callable[[], object], times: int = 1) -> float:
    start = perf_counter()
    for _ in range(times):
        work()
    return (perf_counter() - start) / times


def compare(
    name: str,
    ours: Callable[[], object],
    baseline: Callable[[], object],
    allowed: float,
    rounds: int = 15,
    times: int = 1,
) -> float:
    """Print and return our time divided by the baseline's. ``allowed`` is the largest good ratio."""
    ours(), baseline()
    pairs = [(seconds(ours, times), seconds(baseline, times)) for _ in range(rounds)]
    ratio = median(our for our, _ in pairs) / median(base for _, base in pairs)
    verdict = "ok" if ratio <= allowed else "TOO SLOW"
    print(f"{name}: {ratio:.2f} × the baseline (at most {allowed:g}) {verdict}")
    return ratio
