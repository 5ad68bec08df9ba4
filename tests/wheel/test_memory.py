"""Reading a wheel needs no more memory after a year than after a minute."""

import gc
import tracemalloc
from collections.abc import Iterator

from roundhouse.wheel.facts import GameEnded
from roundhouse.wheel.health.record import Record
from roundhouse.wheel.readings import result
from roundhouse.wheel.stream import facts
from tests.support.recordings import find, simulated


def test_memory_does_not_grow() -> None:
    lines, _, codes = simulated(15, seed=1)
    data, rulebook = b"".join(line + b"\r\n" for line in lines), find("rws-double-zero").rulebook
    record = Record(rulebook, codes)
    held: list[int] = []

    def nights() -> Iterator[bytes]:
        """The same recording over and over, with a look at what is held in between."""
        for _ in range(7):
            for _ in range(12):
                yield data
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        for fact in facts(nights(), codes):
            record.take(fact)
            if isinstance(fact, GameEnded):
                result(fact, rulebook, codes)
    finally:
        tracemalloc.stop()
    # The interpreter's own caches fill first. Then 720 games: thirty bytes kept of each would show.
    assert held[-1] - held[2] < 20_000, held
