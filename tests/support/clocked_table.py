"""Tables whose clock a test sets: what was played, and when, in a place of the world."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from roundhouse.table.names import TableId
from tests.support.journals import House, Scripted, bets, seat, spin

TABLE = TableId("roulette-1")


class Clock(Scripted):
    """Stands still until it is set."""

    def __init__(self) -> None:
        super().__init__(tick=0)

    def set(self, words: str, zone: str = "Asia/Singapore", fold: int = 0) -> None:
        moment = datetime.fromisoformat(words).replace(tzinfo=ZoneInfo(zone), fold=fold)
        self.at = int(moment.timestamp()) * 1000


class Night:
    """One roulette table with one seat."""

    def __init__(self, path: Path, opened: str, zone: str = "Asia/Singapore") -> None:
        self.clock, self.zone = Clock(), zone
        self.house = House(path, self.clock)
        self.house.open(TABLE, "rws-double-zero")
        self.at(opened)
        self.house.do(TABLE, {"do": "open_table"}, *seat("a", "rapid-a", 1_000_000))

    def at(self, words: str, fold: int = 0) -> None:
        self.clock.set(words, self.zone, fold)

    def round(self, words: str, outcome: str, fold: int = 0, **chips: int) -> None:
        """A whole round in one instant."""
        self.at(words, fold)
        self.house.do(TABLE, {"do": "open_bets"}, bets("a", **chips), *spin(outcome))

    def close(self) -> None:
        self.house.close()
