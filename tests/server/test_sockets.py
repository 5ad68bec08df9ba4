"""Sockets: who is let in, what he is shown, and everything that must be harmless."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from roundhouse.people.names import IDLE_LIFE, MINUTE, PersonId, Role, TerminalNumber
from roundhouse.server.hubs import Hubs
from roundhouse.server.settings import Rates
from roundhouse.table.names import Millis, RoundNumber, SeatId
from roundhouse.table.state import RoundRecord
from tests.house.building import PASSWORD, ROULETTE, SANDS
from tests.server.running import FREE
from tests.server.test_authority import CALLERS, REQUEST_TABLE, REQUESTS, rows
from tests.server.wired import Wired, wired

PIT, SANDS_SOCKET = "/api/pit/socket", f"/api/tables/{SANDS}/socket"
BET = [{"position": "red", "cents": 100}]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Wired]:
    with wired(tmp_path) as found:
        yield found


def judged(answer: dict[str, Any]) -> str:
    if "proposal" in answer:
        return "2"
    words = {"not_logged_in": "-", "console_is_locked": "L"}
    refused = ("not_authorised", "other_seat", "other_table", "no_bill_acceptor")
    refusal = str(answer.get("refusal"))
    return words.get(refusal, "x" if refusal in refused else "+")


def test_every_request_against_every_position(house: Wired) -> None:
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


def test_a_terminal_is_shown_its_own_seat_and_nobody_elses(house: Wired) -> None:
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


def test_a_bet_is_answered_and_is_the_seats_change(house: Wired) -> None:
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
            assert told == {"own": {"n": answer["own"], **{key: answer[key] for key in ("events", "credits", "bets")}}}
            assert (await pit.hear())["pit"]["seats"] == {"1": {"credits": answer["credits"], "bets": {"red": 100}}}

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


def test_who_is_not_let_in_at_all(house: Wired) -> None:
    async def script() -> None:
        for who, path, headers in NOT_LET_IN:
            with pytest.raises(InvalidStatus) as refused:
                async with house.opened(who, path, **headers):
                    pass
            assert refused.value.response.status_code in (400, 403), (who, path, headers)

    house.run(script())


def test_a_forged_key_is_a_stranger_who_is_told_nothing(house: Wired) -> None:
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


def test_a_key_may_be_shown_by_the_first_message(house: Wired) -> None:
    async def script() -> None:
        async with house.opened(None) as socket:
            assert (await socket.ask("enter", key=house.house.tokens["terminal"]))["ok"]
            assert (await socket.hear())["snapshot"]["own"]["seat"] == "1"
            assert (await socket.ask("place_bets", bets=BET))["ok"]
        async with house.opened(None) as socket:
            await socket.say("enter", key=house.house.tokens["terminal-elsewhere"])
            assert await socket.closed() == (1008, "not_authorised")

    house.run(script())


def test_by_cookie_as_browsers_do(house: Wired) -> None:
    async def script() -> None:
        cookie = f"roundhouse-terminal={house.house.tokens['terminal']}"
        async with house.opened(None, cookie=cookie, origin=house.url, **{"sec-fetch-site": "same-origin"}) as socket:
            assert (await socket.hear())["snapshot"]["own"]["seat"] == "1"

    house.run(script())


def test_whoever_only_watches_sees_what_everybody_sees(house: Wired) -> None:
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


def test_ten_megabytes_end_one_socket_and_nobody_else_notices(house: Wired) -> None:
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


def test_what_is_not_understood_is_answered_and_the_socket_stays(house: Wired) -> None:
    async def script() -> None:
        async with house.at("terminal") as (socket, _):
            for text in NOT_UNDERSTOOD:
                await socket.line.send(text)
                answer = await socket.hear()
                assert (answer["ok"], answer["refusal"]) == (False, "not_understood"), text
            assert (await socket.ask("ping"))["ok"]

    house.run(script())


def test_a_ticket_is_redeemed_once(house: Wired) -> None:
    async def script() -> None:
        async with house.at("terminal") as (one, _), house.at("terminal-2") as (two, _):
            out = await one.ask("cash_out")
            ticket = out["events"][0]["ticket"]
            first = await two.ask("redeem_ticket", ticket=ticket)
            assert first["ok"]
            assert (await one.ask("redeem_ticket", ticket=ticket))["refusal"] == "ticket_is_redeemed"
            assert (await two.ask("redeem_ticket", ticket=ticket))["refusal"] == "ticket_is_redeemed"

    house.run(script())


def test_a_request_sent_again_is_answered_again_and_done_once(house: Wired) -> None:
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


def test_who_may_not_stay_is_closed_at_once(house: Wired) -> None:
    async def script() -> None:
        async with (
            house.at("terminal") as (revoked, _),
            house.at("dealer") as (gone, _),
            house.at("cashier") as (stays, _),
        ):
            await asyncio.to_thread(
                house.house.house.revoke, None, TerminalNumber("t1"), "stolen", house.house.world.now()
            )
            assert await revoked.closed() == (1008, "terminal_is_revoked")
            await asyncio.to_thread(
                house.house.house.lock_person, None, PersonId("dealer"), "gone", house.house.world.now()
            )
            assert await gone.closed() == (1008, "not_logged_in")
            assert (await stays.ask("ping"))["ok"]

    house.run(script())


def test_an_appointment_that_ends_by_the_clock_ends_its_socket(house: Wired) -> None:
    people, world = house.house.house, house.house.world
    until = Millis(world.now() + 3 * MINUTE)
    person = PersonId("stand-in")
    assert people.add_person(None, person, "Stand In", (Role.DEALER,), PASSWORD, world.now()) is None
    assert not hasattr(people.appoint(None, person, Role.PIT_SUPERVISOR, world.now(), until, world.now()), "refusal")
    house.house.log_in("stand-in", person, SANDS)

    async def script() -> None:
        async with house.at("stand-in") as (socket, _):
            assert (await socket.ask("call_no_spin"))["refusal"] != "not_authorised"
            world.at = until
            refused = await socket.ask("call_no_spin")
            assert refused["refusal"] == "not_authorised"
            assert await socket.closed() == (1008, "not_authorised")

    house.run(script())


def test_a_console_that_locks_itself_is_told_nothing_until_it_is_unlocked(house: Wired) -> None:
    world, people = house.house.world, house.house.house

    async def script() -> None:
        async with house.at("dealer") as (dealer, _), house.at("terminal") as (terminal, _):
            world.at = Millis(world.at + IDLE_LIFE)
            assert (await dealer.ask("close_bets"))["refusal"] == "console_is_locked"
            assert (await terminal.ask("place_bets", bets=BET))["ok"]
            session = next(iter(people.chain.state.sessions))
            token = house.house.tokens["dealer"]
            found = people.session(token, world.now())
            assert found is not None, session
            await asyncio.to_thread(people.unlock, found, PASSWORD, world.now())
            # Nothing of the bet was told; the whole is shown, with it.
            shown = await dealer.hear()
            assert shown["snapshot"]["pit"]["seats"]["1"]["bets"] == {"red": 100}
            assert (await dealer.ask("close_bets"))["ok"]

    house.run(script())


def test_two_persons_over_sockets(house: Wired) -> None:
    async def script() -> None:
        async with house.at("pit_manager") as (first, _), house.opened("pit_supervisor", PIT) as second:
            for _ in house.hubs:
                assert "snapshot" in await second.hear()
            assert (await second.hear())["house"]["proposals"] == []
            asked = await first.ask("correct_result", round=1, outcome="18")
            assert (asked["refusal"], asked["position"]) == ("needs_second_person", "pit_supervisor")
            assert [one["proposal"] for one in (await second.hear())["house"]["proposals"]] == [asked["proposal"]]
            assert (await first.ask("approve", proposal=asked["proposal"]))["refusal"] == "same_person"
            heard = await second.asked("approve", proposal=asked["proposal"], table=ROULETTE)
            assert heard[-1]["events"][0]["event"] == "round_corrected.v1"
            assert heard[-1]["table"] == ROULETTE
            (told,) = [one for one in heard if "pit" in one]
            assert (told["table"], told["public"]["events"][0]["outcome"]) == (ROULETTE, "18")
            again = await first.ask("correct_result", round=1, outcome="17")
            assert (await second.ask("reject", proposal=again["proposal"], reason="no"))["ok"]
            assert (await second.ask("approve", proposal=again["proposal"]))["refusal"] == "no_such_proposal"

    house.run(script())


def test_a_table_is_looked_at_in_its_own_thread_alone_also_when_a_second_person_approves(house: Wired) -> None:
    """Its state moves in the loop, and so does the connection by which it reads its past: neither is shared."""
    archive = house.house.keepers[ROULETTE].table.archive
    looked: list[int] = []

    class Watched:
        def round(self, number: RoundNumber) -> RoundRecord | None:
            looked.append(threading.get_ident())
            return archive.round(number)

        def __getattr__(self, name: str) -> object:
            return getattr(archive, name)

    async def script() -> None:
        house.house.keepers[ROULETTE].table.archive = Watched()  # type: ignore[assignment]
        async with house.at("pit_manager") as (first, _), house.at("pit_supervisor") as (second, _):
            asked = await first.ask("correct_result", round=1, outcome="18")
            looked.clear()
            assert (await second.ask("approve", proposal=asked["proposal"]))["ok"]
        assert looked, "it was looked whether the proposal still does what it did"
        assert set(looked) == {threading.get_ident()}

    house.run(script())


def test_a_pits_console_that_is_unlocked_is_told_what_came_meanwhile(house: Wired) -> None:
    world, people = house.house.world, house.house.house

    async def script() -> None:
        async with house.opened("pit_supervisor", PIT) as pit:
            while "house" not in await pit.hear():
                pass
            world.at = Millis(world.at + IDLE_LIFE)
            assert (await pit.ask("close_bets", table=ROULETTE))["refusal"] == "console_is_locked"
            await asyncio.to_thread(people.alert, "wheel", "the line broke", world.now())
            found = people.session(house.house.tokens["pit_supervisor"], world.now())
            assert found is not None
            await asyncio.to_thread(people.unlock, found, PASSWORD, world.now())
            while "house" not in (heard := await pit.hear()):
                pass
            assert [one["text"] for one in heard["house"]["alerts"]] == ["the line broke"]

    house.run(script())


def test_the_pits_socket_has_every_table_and_says_which(house: Wired) -> None:
    async def script() -> None:
        async with house.opened("shift_manager", PIT) as pit, house.at("terminal") as (terminal, _):
            tables = {(await pit.hear())["table"] for _ in house.hubs}
            assert tables == set(house.hubs)
            assert (await pit.hear())["house"] == {"alerts": [], "proposals": []}
            assert (await terminal.ask("place_bets", bets=BET))["ok"]
            told = await pit.hear()
            assert (told["table"], told["pit"]["seats"]["1"]["bets"]) == (ROULETTE, {"red": 100})
            assert (await pit.ask("take_over", reason="?"))["refusal"] == "not_understood"
            assert (await pit.ask("take_over", reason="?", table="nowhere"))["refusal"] == "not_understood"
            answer = await pit.ask("refer", table=SANDS, round=1, question="?")
            assert answer["table"] == SANDS
            at_once = await asyncio.to_thread(house.house.house.alert, "test", "look", house.house.world.now())
            assert [one["alert"] for one in (await pit.hear())["house"]["alerts"]] == [at_once]

    house.run(script())


def test_who_missed_something_asks_for_it(house: Wired) -> None:
    async def script() -> None:
        async with house.at("terminal") as (socket, shown), house.at("dealer") as (dealer, _):
            await socket.ask("place_bets", bets=BET)
            await dealer.ask("close_bets")
            await dealer.ask("start_spin")
            heard = [await socket.hear(), await socket.hear()]
            assert [one["public"]["n"] for one in heard] == [shown.public + 1, shown.public + 2]
            numbers = {"epoch": shown.epoch, "public": shown.public, "own": shown.own}
            again = await socket.asked("resume", **numbers)
            assert [one["public"] for one in again[:2]] == [one["public"] for one in heard]
            assert (again[2]["own"]["n"], again[3]["ok"]) == (shown.own + 1, True)
            nothing = await socket.asked("resume", epoch=shown.epoch, public=shown.public + 2, own=shown.own + 1)
            assert len(nothing) == 1
            for strange in ({"epoch": "before"}, {"public": 10**6}, {"own": 10**6}, {"public": -5}):
                whole = await socket.asked("resume", **{**numbers, **strange})
                assert [set(one) for one in whole] == [{"snapshot", "epoch", "public", "own"}, {"id", "ok", "now"}]

    house.run(script())


def test_who_asks_too_often_is_heard_more_slowly_and_loses_nothing(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, messages=Rates(per_second=1e9, at_once=3))
    with wired(tmp_path, settings) as house:

        async def script() -> None:
            async with house.at("terminal") as (socket, _):
                for n in range(50):
                    await socket.line.send(f'{{"id":"p{n}","do":"ping"}}')
                assert [(await socket.hear())["id"] for _ in range(50)] == [f"p{n}" for n in range(50)]

        house.run(script())


def test_a_hub_that_fails_takes_neither_its_table_nor_another_with_it(house: Wired) -> None:
    hubs = Hubs(house.hubs)
    keeper = house.house.keepers[ROULETTE]
    keeper.on_landed = lambda entries: hubs.landed(ROULETTE, entries)

    async def script() -> None:
        async with house.at("terminal") as (socket, _), house.opened("terminal-elsewhere", SANDS_SOCKET) as other:
            house.hubs[ROULETTE].standing.memory.seats.clear()
            await socket.say("place_bets", bets=BET)
            assert await socket.closed() == (1011, "our_own_bug")
            assert keeper.table.memory.seats[SeatId("1")].bets == {"red": 100}
            with pytest.raises(InvalidStatus):
                async with house.at("terminal-2"):
                    pass
            assert "snapshot" in await other.hear()
            assert (await other.ask("ping"))["ok"]

    house.run(script())
    assert house.house.ask(ROULETTE, "player", "place_bets", seat="1", bets=BET).ok


def test_nothing_overtakes_a_message_that_waits_its_turn(house: Wired) -> None:
    async def script() -> None:
        async with house.at("terminal") as (socket, _):
            (connection,) = house.sockets._connections
            connection._free_at = house.house.service.ticks() + 0.02
            waits = asyncio.create_task(connection.heard(b'{"id":"first","do":"ping"}'))
            await asyncio.sleep(0)
            connection._free_at = 0.0
            assert not connection.take(b'{"id":"second","do":"ping"}')
            await waits
            assert connection.take(b'{"id":"second","do":"ping"}')
            assert [(await socket.hear())["id"] for _ in range(2)] == ["first", "second"]

    house.run(script())
