"""A running house with a cage and one table, over HTTP in the test process, with a person in every position."""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec

from roundhouse.config.loading import Configuration, parse
from roundhouse.floor.cage import RunningCage
from roundhouse.floor.clock import Clock
from roundhouse.floor.house import RunningHouse
from roundhouse.floor.opening import key_for
from roundhouse.people.names import PersonId, Role
from roundhouse.server.app import build_on
from roundhouse.server.context import ServerContext
from roundhouse.table.names import TableId
from tests.support.clocks import ScriptedClock
from tests.support.faulty_store import Fault, FaultySqliteStore
from tests.support.houses import PASSWORD, quick
from tests.support.http_house import FREE

TABLE = TableId("t")
CAGE = "@cage"
_ids = itertools.count(1)
"""Numbers of requests, which no two houses of a test share."""
PEOPLE = {role.value: role for role in Role} | {"cashier-2": Role.CASHIER}
TOML = """
[house]
name = "H"
currency = "SGD"
data = "data"
witness = "none"

[cage]
drawers = ["cage-1", "cage-2"]
second_person_from = 50000
maximum = 200000
report_from = 100000
variance_from = 500

[[tables]]
id = "t"
game = "rws-double-zero"

[tables.limits]
seat = { min = 100, max = 5000000 }
table = 50000000
"""


def configured(folder: Path, text: str = TOML) -> Configuration:
    return parse(text.encode(), folder / "house.toml")


class CageHouse:
    """The house, its HTTP client and the tokens of its people. ``run`` runs a coroutine in its event loop."""

    def __init__(self, configuration: Configuration, runner: asyncio.Runner, clock: Clock) -> None:
        configuration.data.mkdir(exist_ok=True)
        self.configuration, self.run, self.clock = configuration, runner.run, clock
        self.store = FaultySqliteStore(configuration.journal)
        self.key = key_for(configuration.journal, self.store)
        self.tokens: dict[str, str] = {}
        self.run(self._open())

    async def _open(self) -> None:
        self.house = RunningHouse(self.configuration, self.store, self.key, self.clock)
        self.house.house.hashing.passwords = quick()
        await self.house.start()
        self.service = ServerContext(self.house, self.house.house, FREE, clock=self.clock.now)
        transport = httpx.ASGITransport(build_on(self.service), raise_app_exceptions=False, client=("127.0.0.1", 50000))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://localhost")

    @property
    def cage(self) -> RunningCage:
        assert self.house.cage is not None
        return self.house.cage

    def staff(self) -> None:
        """Add a person of every position, and log them in: cashiers at the cage, all others without a console."""
        for name, role in PEOPLE.items():
            person = PersonId(name.replace("_", "-"))
            refused = self.run(self.house.house.staff.add(None, person, name, (role,), PASSWORD, self.clock.now()))
            assert refused is None, refused
            self.log_in(name, {Role.CASHIER: CAGE, Role.DEALER: TABLE}.get(role))

    def log_in(self, name: str, console: str | None) -> None:
        body = {"name": name.replace("_", "-"), "password": PASSWORD, "console": console, "program": True}
        answer = self.call(None, "POST", "/api/log-in", body)
        assert answer.status_code == 200, answer.text
        self.tokens[name] = answer.json()["token"]

    def call(self, caller: str | None, method: str, path: str, body: object = None) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.tokens[caller]}"} if caller is not None else {}
        content = None
        if body is not None:
            headers["content-type"] = "application/json"
            content = msgspec.json.encode(body)
        return self.run(self.client.request(method, path, content=content, headers=headers))

    def ask(self, caller: str, do: str, id: str | None = None, **fields: Any) -> dict[str, Any]:
        """Send a request to the cage and return its answer, with the HTTP status as ``status``."""
        body = {"do": do, "id": id or f"{caller}-{next(_ids)}", **fields}
        answer = self.call(caller, "POST", "/api/cage/requests", body)
        assert "ok" in answer.json(), answer.text
        return {**answer.json(), "status": answer.status_code, "sent": body}

    def approve(self, caller: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Approve the proposal of an answer."""
        found = self.call(caller, "POST", f"/api/proposals/{answer['proposal']}/approve")
        return {**found.json(), "status": found.status_code}

    def approved(self, caller: str, second: str, do: str, **fields: Any) -> dict[str, Any]:
        """Send a request, approve it, and return the answer to the resent request."""
        asked = self.ask(caller, do, **fields)
        assert asked["status"] == 202, asked
        assert self.approve(second, asked)["ok"]
        return self.ask(caller, do, asked["sent"]["id"], **fields)

    def at_table(self, caller: str, do: str, **fields: Any) -> dict[str, Any]:
        body = {"do": do, "id": f"{caller}-{next(_ids)}", **fields}
        answer = self.call(caller, "POST", f"/api/tables/{TABLE}/requests", body)
        return {**answer.json(), "status": answer.status_code}

    def view(self, caller: str = "cashier") -> dict[str, Any]:
        answer = self.call(caller, "GET", "/api/cage")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def alerts(self) -> list[str]:
        found = self.call("pit_supervisor", "GET", "/api/alerts").json()
        return [one["text"] for one in found["alerts"] if one["about"] == "cage"]

    def close(self) -> None:
        self.store.fault = Fault.NONE
        self.run(self.client.aclose())
        self.run(self.house.close("the test has ended"))


@contextmanager
def cage_house(folder: Path, text: str = TOML, staffed: bool = True) -> Iterator[CageHouse]:
    with asyncio.Runner() as runner:
        house = CageHouse(configured(folder, text), runner, ScriptedClock(10))
        try:
            if staffed:
                house.staff()
            yield house
        finally:
            house.close()
