"""The HTTP application in the test process, with a real journal, writers, people and middleware.

The house has two tables, a person in every role, terminals at three seats and a guest.
"""

import asyncio
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import msgspec
from starlette.applications import Starlette

from roundhouse.config.schema import Guests
from roundhouse.floor.alerts import AlertQueue
from roundhouse.floor.cage import RunningCage
from roundhouse.floor.opening import facts_of, feed_of, money_of
from roundhouse.floor.queue import Committer
from roundhouse.floor.table import RunningTable
from roundhouse.floor.tickets import tickets_by_staff
from roundhouse.floor.writer import TableWriter
from roundhouse.house.house import House
from roundhouse.journal.entry import Answer
from roundhouse.journal.seal import key_of
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Store
from roundhouse.people.names import HOUSE_CHAIN, PersonId, Role
from roundhouse.server.app import ROUTES, build_on
from roundhouse.server.context import ServerContext
from roundhouse.server.metrics import Metrics
from roundhouse.server.settings import Rates, Settings
from roundhouse.table.names import RequestId, TableId
from roundhouse.table.purchases import needs_allowance
from tests.support.clocks import START, ScriptedClock
from tests.support.houses import PASSWORD, ROULETTE, SANDS, TOML, configuration, quick
from tests.support.openapi import check_described
from tests.support.writers import command, open_writer

FREE = Settings(requests=Rates(1e6, 1_000_000), log_ins=Rates(1e6, 1_000_000))
"""Practically without rate limits."""
PEOPLE = {role.value: (role,) for role in Role} | {"dealer-elsewhere": (Role.DEALER,), "locked": (Role.PIT_MANAGER,)}


def person(name: str) -> PersonId:
    return PersonId(name.replace("_", "-"))


@dataclass
class OpenFloor:
    tables: Mapping[TableId, RunningTable]
    journal: Path
    cage: RunningCage | None = None

    async def sign_now(self) -> None:
        """Do nothing: this house has no notary."""


@dataclass
class HttpHouse:
    service: ServerContext
    store: SqliteStore
    writers: Mapping[TableId, TableWriter]
    clock: ScriptedClock
    app: Starlette
    runner: asyncio.Runner
    client: httpx.AsyncClient
    tokens: dict[str, str] = field(default_factory=dict)
    """Tokens of all logged-in people and enrolled terminals, by the caller's name in the tests."""
    _requests: Iterator[int] = field(default_factory=itertools.count)

    @property
    def house(self) -> House:
        return self.service.house

    def ask(self, table: TableId, by: str, do: str, **fields: object) -> Answer:
        """Send a request directly to the table's writer, without permission checks."""
        (answer,) = self.writers[table].handle([command(f"k{next(self._requests)}", by, do, **fields)])
        self.publish(table)
        return answer

    def publish(self, table: TableId) -> None:
        """Publish entries that were committed without the queue. The event loop applies them in its next iteration."""
        self.service.floor.tables[table].queue._return_to_loop([], None)  # type: ignore[attr-defined]

    def do(self, table: TableId, *requests: tuple[str, str, dict[str, Any]]) -> None:
        for by, do, fields in requests:
            answer = self.ask(table, by, do, **fields)
            assert answer.ok, answer

    def call(self, caller: str | None, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        """Send a request with the caller's token as a bearer token, as a program does."""
        if caller is not None:
            headers["authorization"] = f"Bearer {self.tokens[caller]}"
        content = None
        if body is not None:
            headers.setdefault("content-type", "application/json")
            content = msgspec.json.encode(body)
        return self.send(method, path, content, headers)

    def send(self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]) -> httpx.Response:
        answer = self.runner.run(self.client.request(method, path, content=content, headers=headers))
        check_described(
            _route_of(method, answer.url.path),
            method,
            answer.status_code,
            answer.headers.get("content-type", ""),
            answer.content,
        )
        return answer

    def chain(self) -> list[dict[str, Any]]:
        """Return the stored entries of the house's chain."""
        return [msgspec.json.decode(row.body) for row in self.store.rows(HOUSE_CHAIN)]

    def log_in(self, caller: str, name: str, console: TableId | None = None) -> None:
        body = {"name": name, "password": PASSWORD, "program": True, "console": console}
        answer = self.call(None, "POST", "/api/log-in", body)
        assert answer.status_code == 200, answer.text
        self.tokens[caller] = answer.json()["token"]

    def enrol(self, caller: str, table: TableId, seat: str) -> None:
        answer = self.call("pit_supervisor", "POST", "/api/terminals/codes", {"table": table, "seat": seat})
        assert answer.status_code == 201, answer.text
        answer = self.call(None, "POST", "/api/enrol", {"code": answer.json()["code"], "program": True})
        assert answer.status_code == 200, answer.text
        self.tokens[caller] = answer.json()["token"]


def _route_of(method: str, path: str) -> str | None:
    """Return the declared route that serves a path."""
    for route in ROUTES:
        pattern = re.sub(r"{\w+}", "[^/]+", re.escape(route.path).replace(r"\{", "{").replace(r"\}", "}"))
        if route.method == method and re.fullmatch(pattern, path):
            return route.path
    return None


def _is_recorded(store: Store, table: TableId, request: RequestId) -> bool:
    return bool(store.seqs_of(table, [request]))


@contextmanager
def http_house(
    folder: Path,
    settings: Settings = FREE,
    address: str = "127.0.0.1",
    guests: Guests = Guests.LOOPBACK,
    open_store: Callable[[Path], SqliteStore] = SqliteStore,
    text: str = TOML,
) -> Iterator[HttpHouse]:
    """Open a house with two tables and no people. ``text`` is its configuration."""
    clock, metrics = ScriptedClock(tick=0), Metrics()
    journal = folder / "house.db"
    plan = replace(configuration(text), guests=guests)
    store = open_store(journal)
    committer = Committer(store)
    key = key_of(journal)

    house = House(store, key, plan, committer.submit, quick())
    writers = {}
    for id in (ROULETTE, SANDS):
        played = plan.games[id]
        writers[id] = open_writer(store, id, played.game, played.content, key=key, clock=clock, committer=committer)
        writers[id].facts.offers = plan.offers_at(id)
        # These tables open with wide limits, not with those of the configuration.
        writers[id].facts.money = msgspec.structs.replace(money_of(plan, id), limits=None)

    async def open_tables() -> dict[TableId, RunningTable]:
        found = {}
        for id, writer in writers.items():
            feed = feed_of(writer, store, plan.games[id].game, facts_of(plan, id), f"epoch of {id}", clock.now)
            feed.ticket_of = tickets_by_staff(key, id)
            found[id] = RunningTable(
                writer, committer, plan.table(id), plan.wheels[id], feed, AlertQueue(house, clock), clock
            )
            found[id].report_from = plan.plan.money.report_from
            found[id].is_recorded = partial(_is_recorded, store, id)
        house.terminals.needs_allowance = lambda table, seat, at, enrolled: needs_allowance(
            found[table].table.state.seats.get(seat), at, enrolled
        )
        return found

    try:
        with asyncio.Runner() as runner:
            floor = OpenFloor(runner.run(open_tables()), journal)
            ticks = lambda: clock.at / 1000  # noqa: E731
            service = ServerContext(floor, house, settings, metrics, ticks, clock=clock.now)
            service.commit_times = store.commit_times
            app = build_on(service)
            transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(address, 50000))
            client = httpx.AsyncClient(transport=transport, base_url="http://localhost")
            yield HttpHouse(service, store, writers, clock, app, runner, client)
    finally:
        committer.close()
        store.close()


def staff_house(house: HttpHouse) -> None:
    """Add and log in a person of every role, enrol the terminals, and admit a guest."""
    for name, roles in PEOPLE.items():
        title = name.replace("_", " ").title()
        refused = house.runner.run(house.house.staff.add(None, person(name), title, roles, PASSWORD, START))
        assert refused is None, refused
    for name in PEOPLE:
        console = {"dealer": ROULETTE, "cashier": ROULETTE, "dealer-elsewhere": SANDS}.get(name)
        house.log_in(name, person(name), console)
    house.enrol("terminal", ROULETTE, "1")
    house.enrol("terminal-2", ROULETTE, "2")
    house.enrol("terminal-elsewhere", SANDS, "1")
    answer = house.call(None, "POST", "/api/guest", {"table": ROULETTE, "program": True})
    assert answer.status_code == 200, answer.text
    house.tokens["guest"] = answer.json()["token"]
    assert house.call("locked", "POST", "/api/lock").status_code == 200


def play_rounds(house: HttpHouse) -> None:
    """Play two rounds at the roulette table: 17, then a void spin. Bets of the third round are open."""
    do = house.do
    for table in (ROULETTE, SANDS):
        do(table, ("pit_manager", "open_table", {}))
    for seat in ("1", "2"):
        do(ROULETTE, ("player", "take_seat", {"seat": seat, "terminal": "rapid-b"}))
        do(ROULETTE, ("cashier", "buy_credits", {"seat": seat, "cents": 100_000}))
    do(SANDS, ("player", "take_seat", {"seat": "1", "terminal": "table"}))
    do(SANDS, ("cashier", "buy_credits", {"seat": "1", "cents": 50_000}))
    spin = {"revolutions": 5, "ball": "clockwise", "wheel": "anticlockwise"}
    first, second = {"position": "straight:17", "cents": 500}, {"position": "red", "cents": 777}
    do(ROULETTE, ("dealer", "open_bets", {}))
    do(ROULETTE, ("player", "place_bets", {"seat": "1", "bets": [first]}))
    do(ROULETTE, ("player", "place_bets", {"seat": "2", "bets": [second]}))
    do(ROULETTE, ("dealer", "close_bets", {}), ("dealer", "start_spin", {}), ("dealer", "observe_spin", spin))
    do(ROULETTE, ("dealer", "ball_at_rest", {"outcome": "17"}), ("dealer", "register_result", {"outcome": "17"}))
    do(ROULETTE, ("dealer", "confirm_result", {}), ("dealer", "open_bets", {}))
    do(ROULETTE, ("player", "place_bets", {"seat": "2", "bets": [{"position": "black", "cents": 333}]}))
    do(ROULETTE, ("dealer", "close_bets", {}), ("dealer", "start_spin", {}))
    do(ROULETTE, ("dealer", "observe_spin", {**spin, "revolutions": 2}), ("dealer", "open_bets", {}))
