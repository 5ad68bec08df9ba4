"""How much faster than a wheel can talk its line is read, and whether memory stays flat.

The baseline is the wheel itself: a status of about twenty bytes every half second, and, as the most that the
line can carry, 9600 baud. Allowed: at least a hundred times either.
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
STATUSES_A_SECOND = 2
BYTES_A_SECOND = 960
"""9600 baud, ten bits a byte."""
ALLOWED = 100
_HOUSE = "rws-double-zero"


def recording(games: int) -> bytes:
    found = find(_HOUSE)
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


def held_bytes(data: bytes, looks: int) -> list[int]:
    """What following the line and counting for health hold, looked at after every twelve copies of the recording."""
    found = find(_HOUSE)
    codes = codes_for(found.wheel)
    record = Record(found.rulebook, codes)
    held: list[int] = []

    def nights() -> Iterator[bytes]:
        for _ in range(looks):
            for _ in range(12):
                yield data
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        for fact in facts(nights(), codes):
            record.take(fact)
    finally:
        tracemalloc.stop()
    return held


def run() -> None:
    data = recording(GAMES)
    found = find(_HOUSE)
    codes = codes_for(found.wheel)
    lines = data.count(b"\n")
    seconds = min(_timed(data, codes, found.rulebook) for _ in range(3))
    talk, line = lines / STATUSES_A_SECOND, len(data) / BYTES_A_SECOND
    print(f"wheel decode against the wheel's own pace: {talk / seconds:,.0f} times (allowed: at least {ALLOWED})")
    print(f"wheel decode against a full 9600 baud line: {line / seconds:,.0f} times (allowed: at least {ALLOWED})")
    held = held_bytes(recording(15), 27)
    # A few ten thousand bytes in all; the interpreter's own caches fill during the first looks.
    growth = held[-1] / held[8]
    print(f"wheel decode memory, three times the recording: {growth:.2f} times (allowed: at most 1.5)")


def _timed(data: bytes, codes: Codes, rulebook: Rulebook) -> float:
    start = time.perf_counter()
    for _ in decode([data], rulebook, codes):
        pass
    return time.perf_counter() - start


if __name__ == "__main__":
    run()
