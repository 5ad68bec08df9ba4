"""Sockets: authentication, snapshots, answers and changes, and malformed messages."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from roundhouse.table.names import SeatId
from tests.server.test_auth import CALLERS, REQUEST_TABLE, REQUESTS, rows
from tests.support.houses import ROULETTE, SANDS
from tests.support.sockets import SocketHouse, socket_house

PIT, SANDS_SOCKET = "/api/pit/socket", f"/api/tables/{SANDS}/socket"
BET = [{"position": "red", "cents": 100}]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SocketHouse]:
    with socket_house(tmp_path) as found:
        yield found


def cell_of(answer: dict[str, Any]) -> str:
    if "proposal" in answer:
        return "2"
    cells = {"not_logged_in": "-", "console_is_locked": "L"}
    refused = ("not_authorised", "other_seat", "other_table", "no_bill_acceptor")
    refusal = str(answer.get("refusal"))
    return cells.get(refusal, "x" if refusal in refused else "+")


def test_every_request_is_allowed_for_exactly_the_expected_callers(house: SocketHouse) -> None:
    """The same table of permissions as over HTTP."""

    async def cells(caller: str) -> dict[str, str]:
        token = CALLERS[caller]
        try:
            async with house.opened(token) as socket:
                if token is None:
                    await socket.ask("watch")
                return {do: cell_of(await socket.ask(do, **REQUESTS[do])) for do in rows(REQUEST_TABLE)}
        except InvalidStatus:
            return dict.fromkeys(rows(REQUEST_TABLE), "x")

    found: dict[str, list[str]] = {do: [] for do in rows(REQUEST_TABLE)}
    for caller in CALLERS:
        for do, cell in house.run(cells(caller)).items():
            found[do].append(cell)
    expected = rows(REQUEST_TABLE)
    assert {do: row for do, row in found.items() if row != expected[do]} == {}


def test_a_terminal_receives_its_own_seat_and_staff_receive_all_seats(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (_, snapshot):
            assert snapshot.snapshot.own is not None
            assert (snapshot.snapshot.own.seat, snapshot.snapshot.pit) == ("1", None)
            assert snapshot.snapshot.table.phase == "bets_open"
        async with house.at("dealer") as (_, snapshot):
            assert snapshot.snapshot.own is None
            assert snapshot.snapshot.pit is not None
            assert set(snapshot.snapshot.pit.seats) == {"1", "2"}

    house.run(script())


def test_a_bet_is_answered_and_sent_as_a_change_of_its_seat(house: SocketHouse) -> None:
    async def script() -> None:
        async with (
            house.at("terminal") as (one, snapshot),
            house.at("terminal") as (again, _),
            house.at("dealer") as (pit, _),
        ):
            assert snapshot.snapshot.own is not None
            answer = await one.ask("place_bets", bets=BET)
            assert answer["own"] == snapshot.own + 1
            assert answer["bets"] == {"red": 100}
            assert answer["credits"] == snapshot.snapshot.own.credits - 100
            # A second socket of the same terminal receives the change.
            change = await again.receive()
            parts = ("events", "credits", "bets", "undoable")
            assert change == {"own": {"n": answer["own"], **{key: answer[key] for key in parts}}}
            assert answer["undoable"] is True
            ((seat, view),) = (await pit.receive())["pit"]["seats"].items()
            assert (seat, view["credits"], view["bets"]) == ("1", answer["credits"], {"red": 100})

    house.run(script())


def test_two_sockets_that_use_one_request_id_each_receive_the_change_once(house: SocketHouse) -> None:
    """A repeated request is answered again but applied once; a different request with its id changes nothing."""

    async def script() -> None:
        async with house.at("terminal") as (one, snapshot), house.at("terminal") as (two, _):
            black = [{"position": "black", "cents": 200}]
            for n, (first, second) in enumerate(((BET, BET), (black, BET)), start=1):
                for client, bets in ((one, first), (two, second)):
                    message = {"id": f"same {n}", "do": "place_bets", "bets": bets}
                    await client.connection.send(msgspec.json.encode(message).decode())
                for client in (one, two):
                    received = [await client.receive()]
                    while received[-1].get("id") != f"same {n}":
                        received.append(await client.receive())
                    answer = received[-1]
                    assert answer["ok"] or (answer["refusal"], "own" in answer) == ("id_is_used", False)
                    received += (await client.ask_all("ping"))[:-1]
                    (number,) = [one["own"] if "id" in one else one["own"]["n"] for one in received if "own" in one]
                    assert number == snapshot.own + n
            own = house.feeds[ROULETTE].projection.own_seat(SeatId("1"))
            assert own is not None
            assert own.bets == {"red": 100, "black": 200}

    house.run(script())


REFUSED: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("t1.forged", f"/api/tables/{ROULETTE}/socket", {"origin": "https://evil.example"}),
    ("terminal", f"/api/tables/{ROULETTE}/socket", {"origin": "https://evil.example"}),
    ("terminal", f"/api/tables/{ROULETTE}/socket", {"sec-fetch-site": "cross-site"}),
    ("terminal", f"/api/tables/{ROULETTE}/socket", {"host": "evil.example"}),
    ("terminal", f"/api/tables/{SANDS}/socket", {}),
    ("terminal-elsewhere", f"/api/tables/{ROULETTE}/socket", {}),
    ("dealer", f"/api/tables/{SANDS}/socket", {}),
    ("dealer", "/api/tables/nowhere/socket", {}),
    ("terminal", PIT, {}),
    ("dealer", PIT, {}),
    ("cashier", PIT, {}),
)


def test_callers_without_access_cannot_open_a_socket(house: SocketHouse) -> None:
    async def script() -> None:
        for caller, path, headers in REFUSED:
            with pytest.raises(InvalidStatus) as refused:
                async with house.opened(caller, path, **headers):
                    pass
            assert refused.value.response.status_code in (400, 403), (caller, path, headers)

    house.run(script())


def test_a_socket_with_a_forged_key_is_closed_without_data(house: SocketHouse) -> None:
    async def script() -> None:
        for forged in ("t1.forged", "forged", "s1.forged"):
            with pytest.raises(InvalidStatus):
                async with house.opened(forged):
                    pass
            for message in ({"do": "enter", "key": forged}, {"do": "place_bets", "bets": BET}, {"do": "ping"}):
                async with house.opened(None, cookie=f"roundhouse-terminal={forged}") as socket:
                    await socket.send(**message)
                    assert await socket.closed() == (1008, "not_logged_in")

    house.run(script())


def test_the_first_message_may_contain_the_key(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.opened(None) as socket:
            assert (await socket.ask("enter", key=house.house.tokens["terminal"]))["ok"]
            assert (await socket.receive())["snapshot"]["own"]["seat"] == "1"
            assert (await socket.ask("place_bets", bets=BET))["ok"]
        async with house.opened(None) as socket:
            await socket.send("enter", key=house.house.tokens["terminal-elsewhere"])
            assert await socket.closed() == (1008, "not_authorised")

    house.run(script())


def test_a_browser_authenticates_by_cookie(house: SocketHouse) -> None:
    async def script() -> None:
        cookie = f"roundhouse-terminal={house.house.tokens['terminal']}"
        async with house.opened(None, cookie=cookie, origin=house.url, **{"sec-fetch-site": "same-origin"}) as socket:
            assert (await socket.receive())["snapshot"]["own"]["seat"] == "1"

    house.run(script())


def test_an_observer_receives_only_public_data(house: SocketHouse) -> None:
    async def script() -> None:
        async with (
            house.opened(None) as socket,
            house.at("terminal") as (terminal, _),
            house.at("dealer") as (dealer, _),
        ):
            assert (await socket.ask("watch"))["ok"]
            assert set((await socket.receive())["snapshot"]) == {"table"}
            assert (await terminal.ask("place_bets", bets=BET))["ok"]
            assert (await dealer.ask("close_bets"))["ok"]
            closed = await socket.receive()
            assert [event["event"] for event in closed["public"]["events"]] == ["bets_closed.v1"]
            assert "own" not in closed
            assert "staked" not in closed["public"]["events"][0]
            assert (await socket.ask("place_bets", bets=BET))["refusal"] == "not_logged_in"

    house.run(script())


def test_a_message_of_ten_megabytes_closes_only_its_own_socket(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (bad, _), house.at("terminal-2") as (good, _):
            with suppress(ConnectionClosed):
                await bad.connection.send("x" * 10_000_000)
            assert (await bad.closed())[0] == 1009
            assert (await good.ask("place_bets", bets=BET))["ok"]
        async with house.at("terminal") as (back, _):
            # Too long in bytes, but not in characters.
            await back.connection.send('{"id":"' + "é" * 10_000 + '"}')
            assert (await back.closed())[0] == 1009

    house.run(script())


NOT_UNDERSTOOD = (
    "",
    "{",
    "[]",
    "null",
    "[" * 5000,
    '{"do":"undo"}',
    '{"id":"q","do":"fly"}',
    '{"id":"q","do":"undo","who":"me"}',
    '{"id":"q","do":"undo","second":"me"}',
    '{"id":"","do":"undo"}',
    b"\xff\xfe",
)


def test_a_malformed_message_is_refused_and_the_socket_stays_open(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (socket, _):
            for text in NOT_UNDERSTOOD:
                await socket.connection.send(text)
                answer = await socket.receive()
                assert (answer["ok"], answer["refusal"]) == (False, "not_understood"), text
            assert (await socket.ask("ping"))["ok"]

    house.run(script())


def test_a_ticket_is_redeemed_once(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (one, _), house.at("terminal-2") as (two, _):
            out = await one.ask("cash_out")
            ticket = out["events"][0]["ticket"]
            first = await two.ask("redeem_ticket", ticket=ticket)
            assert first["ok"]
            assert (await one.ask("redeem_ticket", ticket=ticket))["refusal"] == "ticket_is_redeemed"
            assert (await two.ask("redeem_ticket", ticket=ticket))["refusal"] == "ticket_is_redeemed"

    house.run(script())


def test_a_repeated_request_is_answered_again_and_applied_once(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (socket, snapshot):
            message = msgspec.json.encode({"id": "again", "do": "place_bets", "bets": BET}).decode()
            await socket.connection.send(message)
            first = await socket.receive()
            await socket.connection.send(message)
            second = await socket.receive()
            assert second == {key: first[key] for key in ("id", "ok", "version", "events")}
            assert first["own"] == snapshot.own + 1

    house.run(script())
