"""Scheduled backups of a running house: made in a worker process, recorded, pruned, and alerted when they fail."""

import asyncio
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.config.loading import Configuration
from roundhouse.config.schema import BackupConfig
from roundhouse.journal.seal import read_key
from roundhouse.office.backup import backup_name, backups_in
from roundhouse.people.events import BackedUp
from roundhouse.server.backups import BackupSchedule
from roundhouse.server.jobs import Job, run_job
from roundhouse.table.names import Millis
from tests.support.clocks import START
from tests.support.running_house import OneTableHouse, configured


def with_backups(tmp_path: Path, folder: str = "copies", keep: int = 2) -> Configuration:
    found = configured(tmp_path)
    plan = msgspec.structs.replace(found.plan, backup=BackupConfig(every="1h", keep=keep, folder=folder))
    return replace(found, plan=plan)


def test_a_backup_is_verified_recorded_and_old_ones_are_removed(tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    old = [copies / backup_name(Millis(START + number * 1000)) for number in range(3)]
    for path in old:
        path.write_bytes(b"old")

    async def night() -> None:
        configuration = with_backups(tmp_path)
        async with OneTableHouse(configuration) as running:
            house = running.house
            schedule = BackupSchedule(configuration, house.alerts, house.clock)
            assert schedule.last == START + 2000
            assert await schedule.back_up()
            await house.alerts.wait_until_recorded()
            (made,) = [entry.event for entry in house.house.entries() if isinstance(entry.event, BackedUp)]
            (path,) = [path for path in backups_in(copies) if path not in old]
            assert made.file == path.name
            assert set(made.heads) == {"t", "@house"}
            assert verify_journal(path, read_key(path), tuple(made.heads.values()), lambda _: None).seals_checked
            assert schedule.last is not None
            assert schedule.last // 1000 == backups_in(copies)[path] // 1000

    asyncio.run(night())
    assert next(iter(backups_in(copies))) == old[2], "the newest two are kept"
    assert len(backups_in(copies)) == 2


def test_a_failed_backup_raises_an_alert_that_the_next_good_one_clears(tmp_path: Path) -> None:
    """A file stands where the folder should be, so that also root cannot write there."""
    (tmp_path / "copies").write_text("in the way")

    async def night() -> None:
        configuration = with_backups(tmp_path, keep=1)
        async with OneTableHouse(configuration) as running:
            house = running.house
            schedule = BackupSchedule(configuration, house.alerts, house.clock)
            assert not await schedule.back_up()
            assert "the scheduled backup failed" in await running.alert("backup")
            assert schedule.last is None
            (tmp_path / "copies").unlink()
            assert await schedule.back_up()
            await running.until(lambda: running.alerts() == [])

    asyncio.run(night())


@pytest.mark.parametrize(("minutes_ago", "waits_minutes"), [(None, 0), (20, 40), (90, 0)])
def test_the_first_backup_is_due_when_the_last_one_is_old_enough(
    tmp_path: Path, minutes_ago: int | None, waits_minutes: int
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    slept: list[float] = []

    async def night() -> None:
        configuration = with_backups(tmp_path)
        async with OneTableHouse(configuration) as running:
            now = running.house.clock.now()
            if minutes_ago is not None:
                (copies / backup_name(Millis(now - minutes_ago * 60_000))).write_bytes(b"")
            ran = asyncio.Event()

            async def run(job: Job, timeout_seconds: float) -> bytes:
                ran.set()
                return await run_job(job, timeout_seconds)

            schedule = BackupSchedule(configuration, running.house.alerts, running.house.clock, run)
            slept.append(schedule.wait_seconds())
            if not waits_minutes:
                task = asyncio.create_task(schedule.run())
                await asyncio.wait_for(ran.wait(), 60)
                await running.until(lambda: schedule.last is not None and schedule.last >= now)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    asyncio.run(night())
    assert round(slept[0] / 60) == waits_minutes
