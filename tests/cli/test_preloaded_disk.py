"""A real process whose disk fails: a preloaded library lets its writes and syncs fail, tear or take long."""

import asyncio
import errno
import os
import subprocess
from collections import Counter
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.client import TableClient, at_table
from roundhouse.client.table import Answered
from roundhouse.journal.seal import read_key
from tests.support.deal_process import Deal
from tests.support.history import History
from tests.support.house_process import SeatedHouse, T
from tests.support.preload import library, needs_compiler
from tests.support.processes import ROUNDHOUSE, TIMEOUT_SECONDS
from tests.support.soak import SOAK, Counted, Tally, times

PARTS, SALES = times(1, 4), 200 if SOAK else 40
HEALTHY = "0 0 0 0 0 0"
FAULTS = {
    "one sync in three fails": f"{errno.EIO} 3 0 0 0 0",
    "every sync fails": f"{errno.EIO} 1 0 0 0 0",
    "one write in three finds the disk full and is torn": f"0 0 {errno.ENOSPC} 3 1 0",
    "one write in seven fails": f"0 0 {errno.EIO} 7 0 0",
    "every write fails": f"0 0 {errno.EIO} 1 0 0",
    "syncs and writes fail and are slow": f"{errno.EIO} 11 {errno.EIO} 13 1 5",
    "syncs take 20 ms": "0 0 0 0 0 20",
}
NAMES = {"s": "failed syncs", "w": "failed or torn writes", "d": "delayed syncs"}


def environment(control: Path, match: str) -> dict[str, str]:
    """Return the environment of a process in which files with ``match`` in their path fail as ``control`` says."""
    return {"LD_PRELOAD": str(library("disk")), "FAULTS_FILE": str(control), "FAULTS_MATCH": match}


@needs_compiler
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("fault", FAULTS)
def test_a_process_on_a_failing_disk_refuses_or_keeps_every_request(
    tmp_path: Path, fault: str, part: int, tally: Tally
) -> None:
    path, control = tmp_path / "journal.db", tmp_path / "faults"
    control.write_text(HEALTHY)
    table = Deal(path, environment=environment(control, "journal.db"))
    seat = {"by": "player", "do": "take_seat", "seat": "s1", "terminal": "rapid-a"}
    assert all(one["ok"] for one in table.ask({"id": "a", "by": "dealer", "do": "open_table"}, {"id": "b", **seat}))
    control.write_text(FAULTS[fault])
    sale = {"by": "player", "do": "buy_credits", "seat": "s1", "cents": 100}
    # The size of a batch changes the place of the failing call in a commit.
    sizes, asked, answers = [1 + part % 4, 1, 3], 0, []
    while asked < SALES:
        size = sizes[asked % len(sizes)]
        answers += table.ask(*({"id": f"r{number}", **sale} for number in range(asked, asked + size)))
        asked += size
    assert {answer.get("refusal") for answer in answers} <= {None, "journal_unavailable"}
    if fault != "syncs take 20 ms":
        assert not all(answer["ok"] for answer in answers), "the faults have hit the journal"
    control.write_text(HEALTHY)
    refused = [answer["id"] for answer in answers if not answer["ok"]]
    # The table works again without a restart, and a request in doubt is carried out once.
    assert all(table.ask({"id": id, **sale})[0]["ok"] for id in refused)
    assert table.state()["seats"]["s1"]["credits"] == 100 * asked
    table.kill()
    table = Deal(path)
    assert table.state()["seats"]["s1"]["credits"] == 100 * asked
    assert table.end()[0] == 0
    assert verify_journal(path, read_key(path)).verifies
    for letter, number in Counter(control.with_name("faults.count").read_text()).items():
        tally.add(Counted.PRELOADED, number, NAMES[letter])


@needs_compiler
@pytest.mark.parametrize("fault", ["one sync in three fails", "one write in seven fails", "every write fails"])
def test_a_journal_that_cannot_be_created_is_refused_in_one_line_and_created_later(tmp_path: Path, fault: str) -> None:
    path, control = tmp_path / "journal.db", tmp_path / "faults"
    control.write_text(FAULTS[fault])
    table = Deal(path, environment=environment(control, "journal.db"))
    status, errors = table.end()
    assert (table.ready["ready"], status, errors.count("\n")) == (False, 2, 1)
    table = Deal(path)
    assert table.ready["ready"]
    assert table.ask({"id": "a", "by": "dealer", "do": "open_table"})[0]["ok"]
    assert table.end()[0] == 0


@needs_compiler
def test_a_house_reports_a_failing_disk_and_recovers_without_a_restart(tmp_path: Path) -> None:
    control = tmp_path / "faults"
    control.write_text(HEALTHY)
    house = SeatedHouse(tmp_path / "house", 1)
    process = subprocess.Popen(
        (*ROUNDHOUSE, "serve", "--config", str(house.file), "--grace", "0"),
        env=os.environ | environment(control, "house.db"),
        stdout=subprocess.DEVNULL,
    )
    try:
        answers = asyncio.run(_bet_on_a_failing_disk(house, control))
        process.terminate()
        assert process.wait(TIMEOUT_SECONDS) == 0
    finally:
        process.kill()
        process.wait()
    journal = house.configuration.journal
    history = History(journal, T)
    history.read()
    accepted = [str(answer.id) for answer in answers if answer.ok]
    assert accepted
    assert all(id in history.recorded and history.recorded[id].refusal is None for id in accepted)
    assert verify_journal(journal, read_key(journal)).verifies


async def _bet_on_a_failing_disk(house: SeatedHouse, control: Path) -> list[Answered]:
    """Bet while the disk is healthy, while its syncs fail and afterwards. Returns the answers."""

    async def until(path: str, status: int) -> None:
        async with httpx.AsyncClient(base_url=house.url) as client:
            while True:
                with suppress(httpx.TransportError):
                    if (await client.get(path)).status_code == status:
                        return
                await asyncio.sleep(0.2)

    answers: list[Answered] = []

    async def bet(table: TableClient) -> None:
        while True:
            answers.append(await table.place_bets({"red": 100}))
            await asyncio.sleep(0.1)

    async with asyncio.timeout(TIMEOUT_SECONDS):
        await until("/readyz", 200)
        async with at_table(house.url, T, house.seats[0].key) as table:
            assert (await table.take_seat(house.seats[0].kind)).ok
            assert (await table.buy_credits(10_000_000)).ok
            betting = asyncio.create_task(bet(table))
            await asyncio.sleep(0.5)
            control.write_text(FAULTS["every sync fails"])
            await until("/healthz", 503)
            await until("/livez", 200)
            control.write_text(HEALTHY)
            await until("/healthz", 200)
            good = sum(answer.ok for answer in answers)
            while sum(answer.ok for answer in answers) < good + 3:
                assert not betting.done(), betting.exception()
                await asyncio.sleep(0.1)
            betting.cancel()
    return answers
