"""A table with one seat. Each round is played at a local time that the test gives."""

from pathlib import Path

from roundhouse.table.names import TableId
from tests.support.clocks import ScriptedClock
from tests.support.journals import JournalHouse, bets, seat, spin

TABLE = TableId("roulette-1")


class ClockedTable:
    """One roulette table with one seat."""

    def __init__(self, path: Path, opened: str, zone: str = "Asia/Singapore") -> None:
        self.clock, self.zone = ScriptedClock(tick=0), zone
        self.house = JournalHouse(path, self.clock)
        self.house.open(TABLE, "rws-double-zero")
        self.at(opened)
        self.house.do(TABLE, {"do": "open_table"}, *seat("a", "rapid-a", 1_000_000))

    def at(self, local_time: str, fold: int = 0) -> None:
        self.clock.set(local_time, self.zone, fold)

    def round(self, local_time: str, outcome: str, fold: int = 0, **chips: int) -> None:
        """Play a whole round in one instant."""
        self.at(local_time, fold)
        self.house.do(TABLE, {"do": "open_bets"}, bets("a", **chips), *spin(outcome))

    def close(self) -> None:
        self.house.close()
