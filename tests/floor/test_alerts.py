"""Entries that a running house records on its own: alerts for the pit and expired sessions."""

import asyncio
import time
from pathlib import Path

from roundhouse.house.sessions import LogIn
from roundhouse.people.names import IDLE_LIFE, PersonId, Role
from roundhouse.table.names import Millis
from tests.support.houses import PASSWORD
from tests.support.running_house import TABLE, OneTableHouse, configured


def test_overlong_and_empty_alerts_still_reach_the_pit(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            running.house.alerts.raise_alert("referred", "why? " * 2000, TABLE)
            running.house.alerts.raise_alert("stopped", " ", TABLE)
            await running.house.alerts.wait_until_recorded()
            assert [about for about, _ in running.alerts()] == ["referred", "stopped"]

    asyncio.run(night())


def test_an_idle_session_is_locked_and_the_lock_is_recorded(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            house = running.house.house
            long_ago = Millis(time.time_ns() // 1_000_000 - IDLE_LIFE)
            role = (Role.PIT_MANAGER,)
            assert await house.staff.add(None, PersonId("anna"), "Anna", role, PASSWORD, long_ago) is None
            log_in = await house.sessions.log_in("anna", PASSWORD, None, long_ago)
            assert isinstance(log_in, LogIn)
            await running.until(lambda: house.writer.state.sessions[log_in.session.id].locked)

    asyncio.run(night())
