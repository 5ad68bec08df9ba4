"""How ratios are measured: ours and the baseline take turns, and the median of each is compared."""

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
    """Print and return how many times the baseline's time ours takes."""
    ours(), baseline()
    pairs = [(seconds(ours, times), seconds(baseline, times)) for _ in range(rounds)]
    ratio = median(mine for mine, _ in pairs) / median(theirs for _, theirs in pairs)
    verdict = "ok" if ratio <= allowed else "TOO SLOW"
    print(f"{name}: {ratio:.2f} × the baseline (at most {allowed:g}) {verdict}")
    return ratio
