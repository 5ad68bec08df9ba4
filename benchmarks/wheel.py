"""Benchmarks of decoding a wheel's line: speed compared with the wheel's own, and memory over time.

There are two baselines: the wheel's rate, one status of about 20 bytes every half second, and the capacity of its
line, 9600 baud.
"""

import gc
import time
import tracemalloc
from collections.abc import Iterator

from roundhouse.rulebooks import find
from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheel.codes import Codes, codes_for
from roundhouse.wheel.health.record import Record
from roundhouse.wheel.simulator.draws import Chance
from roundhouse.wheel.simulator.machine import Machine
from roundhouse.wheel.stream import decode, facts

GAMES = 300
STATUSES_PER_SECOND = 2
BYTES_PER_SECOND = 960
"""9600 baud at ten bits per byte."""
ALLOWED = 100
_GAME = "rws-double-zero"


def recording(games: int) -> bytes:
    found = find(_GAME)
    launched = 0

    def count(_: object) -> None:
        nonlocal launched
        launched += 1

    machine = Machine(found.rulebook, codes_for(found.wheel), Chance(1), played=count)
    machine.obey(b"*P 1")
    lines: list[bytes] = []
    for tick in machine.run():
        if launched > games:
            break
        lines += tick
    return b"".join(line + b"\r\n" for line in lines)


def memory_use(data: bytes, samples: int) -> list[int]:
    """Decode copies of a recording and count them for wheel health. Return the bytes in use after every 12 copies."""
    found = find(_GAME)
    codes = codes_for(found.wheel)
    record = Record(found.rulebook, codes)
    used: list[int] = []

    def copies() -> Iterator[bytes]:
        for _ in range(samples):
            for _ in range(12):
                yield data
            gc.collect()
            used.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        for fact in facts(copies(), codes):
            record.take(fact)
    finally:
        tracemalloc.stop()
    return used


def run() -> None:
    data = recording(GAMES)
    found = find(_GAME)
    codes = codes_for(found.wheel)
    lines = data.count(b"\n")
    seconds = min(_timed(data, codes, found.rulebook) for _ in range(3))
    wheel_seconds, line_seconds = lines / STATUSES_PER_SECOND, len(data) / BYTES_PER_SECOND
    print(f"speed of wheel decode / the wheel's rate: {wheel_seconds / seconds:,.0f} (at least {ALLOWED})")
    print(f"speed of wheel decode / a full 9600 baud line: {line_seconds / seconds:,.0f} (at least {ALLOWED})")
    used = memory_use(recording(15), 27)
    # The interpreter's own caches fill during the first samples, so the ninth is the baseline.
    growth = used[-1] / used[8]
    print(f"memory of wheel decode after 27 samples / after 9: {growth:.2f} (at most 1.5)")


def _timed(data: bytes, codes: Codes, rulebook: Rulebook) -> float:
    start = time.perf_counter()
    for _ in decode([data], rulebook, codes):
        pass
    return time.perf_counter() - start


if __name__ == "__main__":
    run()
