"""The clock of a house is replaceable in one place, and no other module reads the time of day."""

import asyncio
import re
from pathlib import Path

import roundhouse
from roundhouse.floor.clock import SystemClock
from roundhouse.journal import entry as table_entries
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.people import events as house_entries
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.server.process import Assembly
from roundhouse.table.names import Millis
from roundhouse.wire.operations import SelfCheck
from tests.support.running_house import TABLE, configured

SOURCES = Path(roundhouse.__file__).parent
WALL_CLOCK = re.compile(r"\btime\.time(_ns)?\b|\bfrom time import .*\btime(_ns)?\b|\bdatetime\.(now|today|utcnow)\(")
ALLOWED = {
    "floor/clock.py": "the clock itself",
    "cli/wheel.py": "adds the local time to the lines of a recording",
    "cli/wheel_tools.py": "dates the alerts of a wheel in a file that belongs to no house",
    "witness/witness.py": "dates the cosignatures of a witness, which is not part of a house",
}
FAR_FROM_NOW = Millis(1_930_000_000_000)


class FixedClock(SystemClock):
    """A clock that always returns the same time in the year 2031."""

    def time_ns(self) -> int:
        return FAR_FROM_NOW * 1_000_000


def test_no_other_module_reads_the_time_of_day() -> None:
    reads = {
        str(file.relative_to(SOURCES))
        for file in SOURCES.rglob("*.py")
        if WALL_CLOCK.search(file.read_text(encoding="utf-8"))
    }
    assert reads == set(ALLOWED)


def test_every_part_of_a_house_uses_the_injected_clock(tmp_path: Path) -> None:
    checks: list[SelfCheck] = []

    async def night() -> None:
        configuration = configured(tmp_path, wheel="simulated:100", automatic=True)
        assembly = Assembly(configuration, FixedClock())
        running = assembly.running
        table = running.running[0]
        running.on_self_check = checks.append
        assert assembly.service.clock() == FAR_FROM_NOW
        await assembly.start()
        running.alerts.raise_alert("test", "something is wrong")
        async with asyncio.timeout(60):
            while True:
                line, fields = table.line(), table.projection.public_fields()
                if line is not None and line.heard is not None and fields.wheel and fields.deadline is not None:
                    break
                await asyncio.sleep(0.01)
        assert (line.since, line.heard, fields.wheel.at) == (FAR_FROM_NOW, FAR_FROM_NOW, FAR_FROM_NOW)
        assert 0 <= fields.deadline - FAR_FROM_NOW < 60_000
        await running.close("a test has ended")

    asyncio.run(night())
    assert [found.at for found in checks] == [FAR_FROM_NOW]
    store = SqliteStore(tmp_path / "data" / "house.db", read_only=True)
    table_times = [table_entries.decode(row.body).facts.at for row in store.rows(TABLE)]
    house_chain = [house_entries.decode(row.body) for row in store.rows(HOUSE_CHAIN)]
    store.close()
    assert table_times
    assert {*table_times, *(entry.at for entry in house_chain)} == {FAR_FROM_NOW}
    kinds = {type(entry.event) for entry in house_chain}
    assert {
        house_entries.HouseStarted,
        house_entries.HouseStopped,
        house_entries.AlertRaised,
        house_entries.SelfChecked,
        house_entries.SettingChanged,
    } <= kinds
