"""What a running house records by itself: what the clock does to sessions, and what the pit must hear of."""

import asyncio
import time
from pathlib import Path

from roundhouse.house.sessions import LogIn
from roundhouse.people.names import IDLE_LIFE, PersonId, Role
from roundhouse.table.names import Millis
from tests.support.houses import PASSWORD
from tests.support.running_house import TABLE, OneTableHouse, configured


def test_an_alert_that_is_too_long_or_says_nothing_reaches_the_pit_all_the_same(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            running.house.alerts.raise_alert("referred", "why? " * 2000, TABLE)
            running.house.alerts.raise_alert("stopped", " ", TABLE)
            await running.house.alerts.wait_until_recorded()
            assert [about for about, _ in running.alerts()] == ["referred", "stopped"]

    asyncio.run(night())


def test_what_the_clock_does_to_sessions_is_on_record_by_itself(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            house = running.house.house
            long_ago = Millis(time.time_ns() // 1_000_000 - IDLE_LIFE)
            role = (Role.PIT_MANAGER,)
            assert await house.staff.add(None, PersonId("anna"), "Anna", role, PASSWORD, long_ago) is None
            made = await house.sessions.log_in("anna", PASSWORD, None, long_ago)
            assert isinstance(made, LogIn)
            await running.until(lambda: house.writer.state.sessions[made.session.id].locked)

    asyncio.run(night())
