"""Clocks controlled by tests: one with numbered salts for reproducible journals, and one of a machine that jumps."""

from datetime import datetime
from zoneinfo import ZoneInfo

from roundhouse.floor.clock import HouseClock
from roundhouse.table.names import Millis

START = Millis(1_700_000_000_000)


class ScriptedClock:
    """A clock that advances by ``tick`` milliseconds at each reading. If ``tick`` is 0, only the test changes it."""

    def __init__(self, tick: int = 250) -> None:
        self.at: int = START
        self.tick = tick
        self._salts = 0

    def now(self) -> Millis:
        self.at += self.tick
        return Millis(self.at)

    def time_ns(self) -> int:
        return self.now() * 1_000_000

    def set(self, local_time: str, zone: str = "Asia/Singapore", fold: int = 0) -> None:
        moment = datetime.fromisoformat(local_time).replace(tzinfo=ZoneInfo(zone), fold=fold)
        self.at = int(moment.timestamp()) * 1000

    def fresh_salt(self) -> str:
        self._salts += 1
        return f"{self._salts:032x}"


class JumpingMachine:
    """A machine whose system clock jumps. ``house_clock`` is the clock of a house that starts on it now."""

    def __init__(self, at: Millis = START) -> None:
        self.system_ns, self.steady_ns = at * 1_000_000, 5_000_000_000

    def house_clock(self) -> HouseClock:
        return HouseClock(lambda: self.system_ns, lambda: self.steady_ns)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.system_ns += int(seconds * 1e9)
        self.steady_ns += int(seconds * 1e9)

    def jump(self, seconds: float) -> None:
        """Set the system clock forward or back. No time passes."""
        self.system_ns += int(seconds * 1e9)
