"""Sockets: who is let in, what he is shown, and everything that must be harmless."""

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


def judged(answer: dict[str, Any]) -> str:
    if "proposal" in answer:
        return "2"
    words = {"not_logged_in": "-", "console_is_locked": "L"}
    refused = ("not_authorised", "other_seat", "other_table", "no_bill_acceptor")
    refusal = str(answer.get("refusal"))
    return words.get(refusal, "x" if refusal in refused else "+")


def test_every_request_against_every_position(house: SocketHouse) -> None:
    """The same table as over HTTP: the authority comes from who is logged in, whichever way he asks."""

    async def cells(caller: str) -> dict[str, str]:
        who = CALLERS[caller]
        try:
            async with house.opened(who) as socket:
                if who is None:
                    await socket.ask("watch")
                return {do: judged(await socket.ask(do, **REQUESTS[do])) for do in rows(REQUEST_TABLE)}
        except InvalidStatus:
            return dict.fromkeys(rows(REQUEST_TABLE), "x")

    found: dict[str, list[str]] = {do: [] for do in rows(REQUEST_TABLE)}
    for caller in CALLERS:
        for do, cell in house.run(cells(caller)).items():
            found[do].append(cell)
    expected = rows(REQUEST_TABLE)
    assert {do: row for do, row in found.items() if row != expected[do]} == {}


def test_a_terminal_is_shown_its_own_seat_and_nobody_elses(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (_, shown):
            assert shown.snapshot.own is not None
            assert (shown.snapshot.own.seat, shown.snapshot.pit) == ("1", None)
            assert shown.snapshot.table.phase == "bets_open"
        async with house.at("dealer") as (_, shown):
            assert shown.snapshot.own is None
            assert shown.snapshot.pit is not None
            assert set(shown.snapshot.pit.seats) == {"1", "2"}

    house.run(script())


def test_a_bet_is_answered_and_is_the_seats_change(house: SocketHouse) -> None:
    async def script() -> None:
        async with (
            house.at("terminal") as (one, shown),
            house.at("terminal") as (again, _),
            house.at("dealer") as (pit, _),
        ):
            assert shown.snapshot.own is not None
            answer = await one.ask("place_bets", bets=BET)
            assert answer["own"] == shown.own + 1
            assert answer["bets"] == {"red": 100}
            assert answer["credits"] == shown.snapshot.own.credits - 100
            # A second socket of the same terminal has not asked: it is told.
            told = await again.hear()
            parts = ("events", "credits", "bets", "undoable")
            assert told == {"own": {"n": answer["own"], **{key: answer[key] for key in parts}}}
            assert answer["undoable"] is True
            ((seat, view),) = (await pit.hear())["pit"]["seats"].items()
            assert (seat, view["credits"], view["bets"]) == ("1", answer["credits"], {"red": 100})

    house.run(script())


def test_two_sockets_that_ask_under_one_id_are_each_told_the_change_once(house: SocketHouse) -> None:
    """The same request is answered twice and done once; another request under its id carries no change."""

    async def script() -> None:
        async with house.at("terminal") as (one, shown), house.at("terminal") as (two, _):
            black = [{"position": "black", "cents": 200}]
            for n, (first, second) in enumerate(((BET, BET), (black, BET)), start=1):
                for line, said in ((one, first), (two, second)):
                    message = {"id": f"same {n}", "do": "place_bets", "bets": said}
                    await line.line.send(msgspec.json.encode(message).decode())
                for line in (one, two):
                    told = [await line.hear()]
                    while told[-1].get("id") != f"same {n}":
                        told.append(await line.hear())
                    answer = told[-1]
                    assert answer["ok"] or (answer["refusal"], "own" in answer) == ("id_is_used", False)
                    told += (await line.asked("ping"))[:-1]
                    (number,) = [one["own"] if "id" in one else one["own"]["n"] for one in told if "own" in one]
                    assert number == shown.own + n
            own = house.feeds[ROULETTE].projection.own_seat(SeatId("1"))
            assert own is not None
            assert own.bets == {"red": 100, "black": 200}

    house.run(script())


NOT_LET_IN: tuple[tuple[str, str, dict[str, str]], ...] = (
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


def test_who_is_not_let_in_at_all(house: SocketHouse) -> None:
    async def script() -> None:
        for who, path, headers in NOT_LET_IN:
            with pytest.raises(InvalidStatus) as refused:
                async with house.opened(who, path, **headers):
                    pass
            assert refused.value.response.status_code in (400, 403), (who, path, headers)

    house.run(script())


def test_a_forged_key_is_a_stranger_who_is_told_nothing(house: SocketHouse) -> None:
    async def script() -> None:
        for forged in ("t1.forged", "forged", "s1.forged"):
            with pytest.raises(InvalidStatus):
                async with house.opened(forged):
                    pass
            for said in ({"do": "enter", "key": forged}, {"do": "place_bets", "bets": BET}, {"do": "ping"}):
                async with house.opened(None, cookie=f"roundhouse-terminal={forged}") as socket:
                    await socket.say(**said)
                    assert await socket.closed() == (1008, "not_logged_in")

    house.run(script())


def test_a_key_may_be_shown_by_the_first_message(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.opened(None) as socket:
            assert (await socket.ask("enter", key=house.house.tokens["terminal"]))["ok"]
            assert (await socket.hear())["snapshot"]["own"]["seat"] == "1"
            assert (await socket.ask("place_bets", bets=BET))["ok"]
        async with house.opened(None) as socket:
            await socket.say("enter", key=house.house.tokens["terminal-elsewhere"])
            assert await socket.closed() == (1008, "not_authorised")

    house.run(script())


def test_by_cookie_as_browsers_do(house: SocketHouse) -> None:
    async def script() -> None:
        cookie = f"roundhouse-terminal={house.house.tokens['terminal']}"
        async with house.opened(None, cookie=cookie, origin=house.url, **{"sec-fetch-site": "same-origin"}) as socket:
            assert (await socket.hear())["snapshot"]["own"]["seat"] == "1"

    house.run(script())


def test_whoever_only_watches_sees_what_everybody_sees(house: SocketHouse) -> None:
    async def script() -> None:
        async with (
            house.opened(None) as socket,
            house.at("terminal") as (terminal, _),
            house.at("dealer") as (dealer, _),
        ):
            assert (await socket.ask("watch"))["ok"]
            assert set((await socket.hear())["snapshot"]) == {"table"}
            assert (await terminal.ask("place_bets", bets=BET))["ok"]
            assert (await dealer.ask("close_bets"))["ok"]
            closed = await socket.hear()
            assert [event["event"] for event in closed["public"]["events"]] == ["bets_closed.v1"]
            assert "own" not in closed
            assert "staked" not in closed["public"]["events"][0]
            assert (await socket.ask("place_bets", bets=BET))["refusal"] == "not_logged_in"

    house.run(script())


def test_ten_megabytes_end_one_socket_and_nobody_else_notices(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (bad, _), house.at("terminal-2") as (good, _):
            with suppress(ConnectionClosed):
                await bad.line.send("x" * 10_000_000)
            assert (await bad.closed())[0] == 1009
            assert (await good.ask("place_bets", bets=BET))["ok"]
        async with house.at("terminal") as (back, _):
            # Longer in bytes than in letters.
            await back.line.send('{"id":"' + "é" * 10_000 + '"}')
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


def test_what_is_not_understood_is_answered_and_the_socket_stays(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (socket, _):
            for text in NOT_UNDERSTOOD:
                await socket.line.send(text)
                answer = await socket.hear()
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


def test_a_request_sent_again_is_answered_again_and_done_once(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (socket, shown):
            message = msgspec.json.encode({"id": "again", "do": "place_bets", "bets": BET}).decode()
            await socket.line.send(message)
            first = await socket.hear()
            await socket.line.send(message)
            second = await socket.hear()
            assert second == {key: first[key] for key in ("id", "ok", "version", "events")}
            assert first["own"] == shown.own + 1

    house.run(script())
