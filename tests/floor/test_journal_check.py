"""The daily check of a running house finds what was altered in its journal, and alerts the pit."""

import asyncio
import logging
from pathlib import Path

import pytest

from roundhouse.floor.journal_check import JournalCheck
from roundhouse.rules.names import Cents, TerminalId
from roundhouse.table import commands as c
from roundhouse.table.names import SeatId
from tests.support.forgery import edit
from tests.support.running_house import OneTableHouse, configured


async def play(running: OneTableHouse) -> None:
    assert (await running.ask(c.TakeSeat, seat=SeatId("1"), terminal=TerminalId("rapid-a"))).ok
    assert (await running.ask(c.BuyCredits, seat=SeatId("1"), cents=Cents(1000))).ok


def test_a_sound_journal_raises_no_alert(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            await play(running)
            assert await JournalCheck(running.house.journal, running.house.alerts).run()
            assert "journal" not in dict(running.alerts())

    asyncio.run(night())
    assert "journal_check" in caplog.text


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("UPDATE requests SET seq = 1", "the register of requests"),
        ("DELETE FROM entry_index", "the index of entries"),
        ("UPDATE credentials SET name = 'ghost'", "the credentials are not those"),
    ],
)
def test_an_altered_row_raises_an_alert_in_the_pit(tmp_path: Path, sql: str, found: str) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            await play(running)
            if "credentials" in sql:
                edit(running.house.journal, "INSERT INTO credentials VALUES ('password', 'unknown', x'00')")
            edit(running.house.journal, sql)
            assert not await JournalCheck(running.house.journal, running.house.alerts).run()
            text = await running.alert("journal")
            assert "the journal does not verify" in text
            assert found in text

    asyncio.run(night())


def test_the_check_is_repeated(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            await play(running)
            check = JournalCheck(running.house.journal, running.house.alerts)
            daily = asyncio.create_task(check.daily(first_seconds=0.0, every_seconds=0.0))
            edit(running.house.journal, "DELETE FROM entry_index")
            assert "index" in await running.alert("journal")
            daily.cancel()
            await asyncio.gather(daily, return_exceptions=True)

    asyncio.run(night())


def test_a_missing_trigger_raises_an_alert(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            running.store._db.execute("DROP TRIGGER entries_are_not_edited")
            assert await JournalCheck(running.house.journal, running.house.alerts).run()
            assert "'entries_are_not_edited' is missing" in await running.alert("journal")

    asyncio.run(night())
