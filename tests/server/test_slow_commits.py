"""A hanging or failing commit of the house affects only its own caller, not readers, sockets or tables."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import StoredRound
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.table.names import RoundNumber, TableId
from tests.support.faulty_store import Fault, FaultySqliteStore
from tests.support.houses import PASSWORD, ROULETTE
from tests.support.sockets import SocketHouse, socket_house

PIT = "/api/pit/socket"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SocketHouse]:
    """A house whose store can fail commits of the house chain."""
    with socket_house(tmp_path, open_store=open_faulty_store) as house:
        yield house
        store(house).gate.set()
    assert threading.get_ident() not in store(house).committing_threads, (
        "the event loop's thread committed to the house chain"
    )


def open_faulty_store(path: Path) -> FaultySqliteStore:
    store = FaultySqliteStore(path)
    store.affects = lambda batch: batch.table == HOUSE_CHAIN
    return store


def store(house: SocketHouse) -> FaultySqliteStore:
    assert isinstance(house.house.store, FaultySqliteStore)
    return house.house.store


def test_other_callers_are_answered_while_a_commit_of_the_house_hangs(house: SocketHouse) -> None:
    running, disk = house.house, store(house)

    def call(caller: str, method: str, path: str, body: object = None) -> "asyncio.Task[httpx.Response]":
        token = {"authorization": f"Bearer {running.tokens[caller]}"}
        return asyncio.create_task(running.client.request(method, path, json=body, headers=token))

    async def script() -> None:
        async with (
            house.at("dealer") as (dealer, _),
            house.at("terminal") as (terminal, _),
            house.opened(None) as observer,
        ):
            assert (await observer.ask("watch"))["ok"]
            disk.entered.clear()
            disk.gate.clear()
            adding = {"person": "new-one", "name": "New", "positions": ["dealer"], "password": PASSWORD}
            hanging = call("shift_manager", "POST", "/api/staff", adding)
            while not disk.entered.is_set():
                await asyncio.sleep(0.001)
            # The access of an observer, a terminal and a dealer is checked again for every message.
            for socket in (observer, terminal, dealer):
                assert (await socket.ask("ping"))["ok"]
            assert (await dealer.ask("place_bets", seat="1"))["refusal"] == "not_understood"
            # New connections are accepted, and reads of the house are answered.
            async with house.at("dealer") as (second, _), house.opened("pit_manager", PIT) as pit:
                assert (await second.ask("ping"))["ok"]
                for _ in house.feeds:
                    assert "snapshot" in await pit.receive()
                assert "house" in await pit.receive()
            people = await call("pit_manager", "GET", "/api/staff")
            assert "new-one" not in {one["person"] for one in people.json()["people"]}
            assert (await call("dealer", "GET", "/api/me")).json()["person"] == "dealer"
            assert not hanging.done()
            disk.gate.set()
            assert (await hanging).status_code == 201
            people = await call("pit_manager", "GET", "/api/staff")
            assert "new-one" in {one["person"] for one in people.json()["people"]}

    house.run(script())


def test_a_failed_commit_of_the_house_is_reported_and_the_next_one_succeeds(house: SocketHouse) -> None:
    running, disk = house.house, store(house)
    disk.fault = Fault.NOT_WRITTEN
    answer = running.call("pit_manager", "POST", "/api/staff/dealer/lock", {"reason": "x"})
    assert (answer.status_code, answer.json()["refusal"]) == (503, "journal_unavailable")
    assert running.call("dealer", "GET", "/api/me").json()["person"] == "dealer"
    disk.fault = Fault.NONE
    assert running.call("pit_manager", "POST", "/api/staff/dealer/lock", {"reason": "x"}).status_code == 200
    assert running.call("dealer", "GET", "/api/me").json()["kind"] == "nobody"


def test_tables_accept_bets_while_commits_of_the_house_fail(house: SocketHouse) -> None:
    """Failing commits of the house chain do not affect the tables."""
    disk = store(house)
    disk.fault = Fault.NOT_WRITTEN

    async def script() -> None:
        async with house.at("terminal") as (terminal, _):
            bet = [{"position": "red", "cents": 100}]
            token = {"authorization": f"Bearer {house.house.tokens['pit_manager']}"}
            locking = house.house.client.request("POST", "/api/staff/dealer/lock", json={"reason": "x"}, headers=token)
            assert (await locking).status_code == 503
            assert (await terminal.ask("place_bets", bets=bet, table=ROULETTE))["ok"]

    house.run(script())
    assert disk.failed > 0


class RoundReadingStore(SqliteStore):
    """Records the threads in which past rounds are read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.reading_threads: list[int] = []

    def round(self, table: TableId, number: RoundNumber) -> StoredRound | None:
        self.reading_threads.append(threading.get_ident())
        return super().round(table, number)


def test_a_correction_is_tried_and_approved_without_reading_the_store_on_the_event_loop(tmp_path: Path) -> None:
    with socket_house(tmp_path, open_store=RoundReadingStore) as house:
        reading_store = house.house.store
        assert isinstance(reading_store, RoundReadingStore)

        async def script() -> None:
            async with house.opened("pit_manager", PIT) as first, house.opened("shift_manager", PIT) as second:
                reading_store.reading_threads.clear()
                asked = await first.ask("correct_result", round=1, outcome="18", reason="on the tape", table=ROULETTE)
                assert asked["refusal"] == "needs_second_person", asked
                assert (await second.ask("approve", proposal=asked["proposal"], table=ROULETTE))["ok"]

        house.run(script())
        assert reading_store.reading_threads
        assert threading.get_ident() not in reading_store.reading_threads
