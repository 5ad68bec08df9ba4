"""Strangers of one address take neither all places of watchers nor the place of staff in the queue of passwords."""

import asyncio
import threading
from pathlib import Path

import msgspec
import pytest

from roundhouse.server.limits import TooBusy
from tests.support.houses import PASSWORD
from tests.support.http_house import FREE, http_house, staff_house
from tests.support.sockets import socket_house


def test_passwords_of_known_addresses_do_not_wait_for_others(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, waiting_passwords=3)
    with http_house(tmp_path, settings) as house:
        running, proceed = threading.Event(), threading.Event()

        def slow() -> str:
            running.set()
            assert proceed.wait(20)
            return "checked"

        async def script() -> None:
            service = house.service
            strangers = [asyncio.create_task(service.hash_password(slow, known=False)) for _ in range(3)]
            await asyncio.to_thread(running.wait, 20)
            with pytest.raises(TooBusy):
                await service.hash_password(slow, known=False)
            assert await service.hash_password(lambda: "known", known=True) == "known"
            assert not any(one.done() for one in strangers)
            proceed.set()
            assert await asyncio.gather(*strangers) == ["checked"] * 3
            assert await service.hash_password(lambda: "later", known=False) == "later"

        house.runner.run(script())


def test_a_log_in_that_finds_the_queue_full_is_told_to_retry(tmp_path: Path) -> None:
    with http_house(tmp_path, msgspec.structs.replace(FREE, waiting_passwords=0)) as house:
        body = {"name": "dealer", "password": PASSWORD, "console": "roulette-1"}
        answer = house.call(None, "POST", "/api/log-in", body)
        assert (answer.status_code, answer.json()["refusal"]) == (429, "too_many_requests")
        assert answer.headers["retry-after"] == "5"


def test_an_address_of_an_earlier_log_in_is_known(tmp_path: Path) -> None:
    with http_house(tmp_path, msgspec.structs.replace(FREE, waiting_passwords=1)) as house:
        staff_house(house)
        body = {"name": "dealer", "password": PASSWORD, "console": "roulette-1"}
        assert house.call(None, "POST", "/api/log-in", body).status_code == 200
        known: list[bool] = []
        hash_password = house.house.hashing.run

        async def run(function: object, /, known_address: bool = False, **given: bool) -> object:
            known.append(given.get("known", known_address))
            return await hash_password(function, known=known[-1])  # type: ignore[arg-type]

        house.house.hashing.run = run  # type: ignore[assignment]
        assert house.call(None, "POST", "/api/log-in", body).status_code == 200
        assert house.call(None, "POST", "/api/log-in", {**body, "name": "nobody"}).status_code == 401
        assert known == [True, True], "also for an unknown name"


def test_watchers_of_one_address_leave_places_for_others(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, observers=100, observers_per_address=2)
    with socket_house(tmp_path, settings) as house:

        async def script() -> None:
            async with house.opened(None) as one, house.opened(None) as two:
                assert (await one.ask("watch"))["ok"]
                assert (await two.ask("watch"))["ok"]
                async with house.opened(None) as three:
                    await three.send("watch")
                    assert await three.closed() == (1013, "too_many_connections")
                assert not house.sockets._observers_are_full("192.0.2.1"), "another address has places"
                async with house.at("terminal") as (terminal, _):
                    assert (await terminal.ask("ping"))["ok"], "and so have terminals of this address"
            async with house.opened(None) as again:
                assert (await again.ask("watch"))["ok"]

        house.run(script())
