"""Faults in the middle of a payment: failed commits, commits in doubt, races with tables, and a killed house."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.house.writer import run_inline
from roundhouse.journal.seal import read_key
from roundhouse.people.names import PersonId, Role
from tests.support.cage_house import TABLE, CageHouse, cage_house
from tests.support.faulty_store import Fault
from tests.support.house_process import HouseProcess
from tests.support.houses import PASSWORD

RACES = 12


def sold(house: CageHouse, cents: int = 1_000) -> str:
    ticket: str = house.ask("cashier", "sell_credits", drawer="cage-1", cents=cents)["ticket"]
    return ticket


@pytest.mark.parametrize("fault", [Fault.NOT_WRITTEN, Fault.WRITTEN])
def test_a_payment_whose_commit_fails_is_paid_once(tmp_path: Path, fault: Fault) -> None:
    with cage_house(tmp_path) as house:
        house.ask("cashier", "open_drawer", drawer="cage-1", cents=10_000)
        ticket = sold(house)
        house.store.fault = fault
        failed = house.ask("cashier", "pay_ticket", id="same", drawer="cage-1", ticket=ticket)
        assert failed["refusal"] == "journal_unavailable"
        assert failed["status"] == 503
        house.store.fault = Fault.NONE
        again = house.ask("cashier", "pay_ticket", id="same", drawer="cage-1", ticket=ticket)
        assert again["ok"]
        assert house.ask("cashier", "pay_ticket", drawer="cage-1", ticket=ticket)["refusal"] == "ticket_is_redeemed"
        assert house.view()["drawers"][0]["cash"] == 10_000
    assert verify_journal(house.configuration.journal, house.key).tickets_outstanding == 0


def test_a_resent_request_gets_the_same_answer_and_another_one_with_its_id_none(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        house.ask("cashier", "open_drawer", drawer="cage-1", cents=10_000)
        first = house.ask("cashier", "sell_credits", id="sale", drawer="cage-1", cents=700)
        again = house.ask("cashier", "sell_credits", id="sale", drawer="cage-1", cents=700)
        assert (again["ticket"], again["version"]) == (first["ticket"], first["version"])
        assert house.ask("cashier", "sell_credits", id="sale", drawer="cage-1", cents=701)["refusal"] == "id_is_used"
        assert house.ask("cashier-2", "sell_credits", id="sale", drawer="cage-1", cents=700)["refusal"] == "id_is_used"
        assert house.view()["drawers"][0]["cash"] == 10_700


def test_of_a_table_and_the_cage_only_one_takes_a_ticket(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        house.ask("cashier", "open_drawer", drawer="cage-1", cents=0)
        house.at_table("dealer", "take_seat", seat="1", terminal="rapid-b")
        tickets = [sold(house, 100 + n) for n in range(RACES)]
        won = dict.fromkeys(("table", "cage"), 0)
        for n, ticket in enumerate(tickets):
            asked = {"do": "redeem_ticket", "id": f"r{n}", "seat": "1", "ticket": ticket}
            paid = {"do": "pay_ticket", "id": f"p{n}", "drawer": "cage-1", "ticket": ticket}

            async def race(asked: dict[str, Any] = asked, paid: dict[str, Any] = paid, n: int = n) -> list[bool]:
                calls = [
                    _post(house, "dealer", f"/api/tables/{TABLE}/requests", asked),
                    _post(house, "cashier", "/api/cage/requests", paid),
                ]
                return [answer["ok"] for answer in await asyncio.gather(*(calls[::-1] if n % 2 else calls))]

            results = house.run(race())
            assert sorted(results) == [False, True]
            found = house.cage.state.drawers
            won["cage" if house.ask("cashier", "pay_ticket", f"p{n}", **_without(paid))["ok"] else "table"] += 1
            assert sum(drawer.cash for drawer in found.values()) >= 0
        assert sum(won.values()) == RACES
    summary = verify_journal(house.configuration.journal, house.key)
    assert summary.tickets_outstanding == 0


def _without(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in ("do", "id")}


async def _post(house: CageHouse, caller: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {house.tokens[caller]}"}
    found: dict[str, Any] = (await house.client.post(path, json=body, headers=headers)).json()
    return found


TOML = """
[house]
name = "H"
currency = "XXX"
play_money = true
data = "data"
witness = "none"

[listen]
port = {port}

[cage]

[[tables]]
id = "t"
game = "rws-double-zero"

[tables.limits]
seat = { min = 100, max = 5000000 }
table = 50000000
"""
TICKETS = 40


def test_a_house_that_is_killed_pays_every_ticket_once(tmp_path: Path) -> None:
    house = HouseProcess(tmp_path, TOML)
    with house.before_start() as (people, now):
        assert run_inline(people.staff.add(None, PersonId("cas"), "Cas", (Role.CASHIER,), PASSWORD, now)) is None
    house.start()
    client, headers = _logged_in(house)
    assert _ask(client, headers, "open", do="open_drawer", cents=0)["ok"]
    sales = [_ask(client, headers, f"s{n}", do="sell_credits", cents=100 + n) for n in range(TICKETS)]
    answered: dict[int, bool] = {}

    def pay_all() -> None:
        for n, sale in enumerate(sales):
            try:
                answered[n] = _ask(client, headers, f"p{n}", do="pay_ticket", ticket=sale["ticket"])["ok"]
            except httpx.TransportError:
                return

    thread = threading.Thread(target=pay_all)
    thread.start()
    while len(answered) < TICKETS // 4:
        time.sleep(0.001)
    house.kill()
    thread.join()
    client.close()
    assert all(answered.values())
    assert len(answered) < TICKETS, "the house was killed too late"
    house.start()
    client, headers = _logged_in(house)
    for n, sale in enumerate(sales):
        assert _ask(client, headers, f"p{n}", do="pay_ticket", ticket=sale["ticket"])["ok"]
        again = _ask(client, headers, f"again{n}", do="pay_ticket", ticket=sale["ticket"])
        assert again["refusal"] == "ticket_is_redeemed"
    (row,) = client.get("/api/cage", headers=headers).json()["drawers"]
    assert (row["cash"], row["sold"], row["paid"]) == (0, row["paid"], sum(100 + n for n in range(TICKETS)))
    client.close()
    house.stop()
    journal = house.configuration.journal
    summary = verify_journal(journal, read_key(journal))
    assert (summary.tickets_outstanding, summary.cage.tickets if summary.cage else None) == (0, 0)


def _logged_in(house: HouseProcess) -> tuple[httpx.Client, dict[str, str]]:
    client = httpx.Client(base_url=house.url, timeout=30)
    body = {"name": "cas", "password": PASSWORD, "console": "@cage", "program": True}
    until = time.monotonic() + 60
    while True:
        try:
            answer = client.post("/api/log-in", json=body)
            break
        except httpx.TransportError:
            assert time.monotonic() < until, house.log.read_text()[-2000:]
            time.sleep(0.05)
    return client, {"authorization": f"Bearer {answer.json()['token']}"}


def _ask(client: httpx.Client, headers: dict[str, str], id: str, **fields: Any) -> dict[str, Any]:
    body = {"id": id, "drawer": "cage-1", **fields}
    while True:
        answer = client.post("/api/cage/requests", json=body, headers=headers)
        if answer.status_code != 429:
            found: dict[str, Any] = answer.json()
            return found
        time.sleep(0.05)
