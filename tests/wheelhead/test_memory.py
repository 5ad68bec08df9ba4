"""Reading a wheel needs no more memory after a year than after a minute."""

import tracemalloc

from roundhouse.wheelhead.decoding import decode, facts
from roundhouse.wheelhead.health.record import Record
from tests.wheelhead.recordings import find, simulated


def peak_bytes(times: int) -> int:
    lines, _, codes = simulated(15, seed=1)
    data, rulebook = b"".join(line + b"\r\n" for line in lines), find("rws-double-zero").rulebook
    record = Record(rulebook, codes)
    tracemalloc.start()
    try:
        for _ in decode((data for _ in range(times)), rulebook, codes):
            pass
        for fact in facts((data for _ in range(times)), codes):
            record.take(fact)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow() -> None:
    peak_bytes(2)
    # Ten times the recording is half a megabyte more, and eight hundred games: what was kept of them would show.
    assert peak_bytes(60) < peak_bytes(6) + 50_000
