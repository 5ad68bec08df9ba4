"""A clock controlled by tests, with numbered salts, so that journals are reproducible."""

from datetime import datetime
from zoneinfo import ZoneInfo

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
