"""Which wheel a table has, as one word of the configuration says it."""

import re

from msgspec import Struct

from roundhouse.house.plan import WheelKind

_TCP = re.compile(r"tcp://(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
FASTEST = 10_000
REMEDY = "write none, simulated, simulated:50, /dev/ttyUSB0 or tcp://host:port"


class Wheel(Struct, frozen=True):
    kind: WheelKind
    line: str = ""
    """Where a wheel is connected."""
    speed: float = 1.0
    """How much faster than real a simulated one turns."""


def wheel_of(word: str) -> Wheel:
    """
    >>> wheel_of("simulated:50").speed, wheel_of("tcp://wheel-7:4001").line
    (50.0, 'tcp://wheel-7:4001')
    """
    if word == "none":
        return Wheel(WheelKind.NONE)
    kind, colon, speed = word.partition(":")
    if kind == "simulated":
        if not colon:
            return Wheel(WheelKind.SIMULATED)
        if re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", speed) and 0 < float(speed) <= FASTEST:
            return Wheel(WheelKind.SIMULATED, speed=float(speed))
        raise ValueError(f"'{speed}' is no speed from 0.001 to {FASTEST}")
    if (tcp := _TCP.fullmatch(word)) and 0 < int(tcp[2]) < 65536:
        return Wheel(WheelKind.LINE, word)
    if word.startswith("/dev/") and len(word) > len("/dev/"):
        return Wheel(WheelKind.LINE, word)
    raise ValueError(f"'{word}' is no wheel")
