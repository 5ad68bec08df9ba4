"""The memory needed to read a wheel does not grow over time."""

import gc
import tracemalloc
from collections.abc import Iterator

from roundhouse.wheel.facts import GameEnded
from roundhouse.wheel.health.record import Record
from roundhouse.wheel.readings import result
from roundhouse.wheel.stream import facts
from tests.support.recordings import find, simulated


def test_memory_use_does_not_grow_with_the_games() -> None:
    lines, _, codes = simulated(15, seed=1)
    data, rulebook = b"".join(line + b"\r\n" for line in lines), find("rws-double-zero").rulebook
    record = Record(rulebook, codes)
    memory_in_use: list[int] = []

    def nights() -> Iterator[bytes]:
        """Yield the same recording repeatedly and measure the memory in use."""
        for _ in range(7):
            for _ in range(12):
                yield data
            gc.collect()
            memory_in_use.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        for fact in facts(nights(), codes):
            record.take(fact)
            if isinstance(fact, GameEnded):
                result(fact, rulebook, codes)
    finally:
        tracemalloc.stop()
    # After the interpreter's caches are filled, 720 games follow. A leak of thirty bytes per game would be detected.
    assert memory_in_use[-1] - memory_in_use[2] < 20_000, memory_in_use
