"""Long-lived sockets: revoked access, console locks, approvals, missed changes and rate limits."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from websockets.exceptions import InvalidStatus

from roundhouse.people.names import IDLE_LIFE, MINUTE, HouseRefused, PersonId, Role, TerminalNumber
from roundhouse.server.limits import TokenBucket
from roundhouse.server.settings import Rates
from roundhouse.table.names import Millis, RoundNumber, SeatId
from roundhouse.table.state import RoundRecord
from tests.support.houses import PASSWORD, ROULETTE, SANDS
from tests.support.http_house import FREE
from tests.support.sockets import SocketHouse, socket_house

PIT, SANDS_SOCKET = "/api/pit/socket", f"/api/tables/{SANDS}/socket"
BET = [{"position": "red", "cents": 100}]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SocketHouse]:
    with socket_house(tmp_path) as found:
        yield found


def test_sockets_of_a_revoked_terminal_and_a_locked_person_are_closed(house: SocketHouse) -> None:
    async def script() -> None:
        async with (
            house.at("terminal") as (revoked, _),
            house.at("dealer") as (locked, _),
            house.at("cashier") as (stays, _),
        ):
            await house.house.house.terminals.revoke(None, TerminalNumber("t1"), "stolen", house.house.clock.now())
            assert await revoked.closed() == (1008, "terminal_is_revoked")
            await house.house.house.staff.lock(None, PersonId("dealer"), "gone", house.house.clock.now())
            assert await locked.closed() == (1008, "not_logged_in")
            assert (await stays.ask("ping"))["ok"]

    house.run(script())


def test_a_socket_is_closed_when_its_appointment_expires(house: SocketHouse) -> None:
    people, clock = house.house.house, house.house.clock
    until = Millis(clock.now() + 3 * MINUTE)
    person = PersonId("stand-in")
    run = house.house.runner.run
    assert run(people.staff.add(None, person, "Stand In", (Role.DEALER,), PASSWORD, clock.now())) is None
    appointed = run(people.staff.appoint(None, person, Role.PIT_SUPERVISOR, clock.now(), until, clock.now()))
    assert not isinstance(appointed, HouseRefused)
    house.house.log_in("stand-in", person, SANDS)

    async def script() -> None:
        async with house.at("stand-in") as (socket, _):
            assert (await socket.ask("call_no_spin"))["refusal"] != "not_authorised"
            clock.at = until
            refused = await socket.ask("call_no_spin")
            assert refused["refusal"] == "not_authorised"
            assert await socket.closed() == (1008, "not_authorised")

    house.run(script())


def test_a_locked_console_receives_no_changes_until_it_is_unlocked(house: SocketHouse) -> None:
    clock, people = house.house.clock, house.house.house

    async def script() -> None:
        async with house.at("dealer") as (dealer, _), house.at("terminal") as (terminal, _):
            clock.at = Millis(clock.at + IDLE_LIFE)
            assert (await dealer.ask("close_bets"))["refusal"] == "console_is_locked"
            assert (await terminal.ask("place_bets", bets=BET))["ok"]
            session = next(iter(people.writer.state.sessions))
            token = house.house.tokens["dealer"]
            found = people.sessions.find(token, clock.now())
            assert found is not None, session
            await people.sessions.unlock(found, PASSWORD, clock.now())
            # The change was not sent to the locked console; a new snapshot includes the bet.
            message = await dealer.receive()
            assert message["snapshot"]["pit"]["seats"]["1"]["bets"] == {"red": 100}
            assert (await dealer.ask("close_bets"))["ok"]

    house.run(script())


def test_a_correction_is_proposed_approved_and_rejected_over_sockets(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("pit_manager") as (first, _), house.opened("pit_supervisor", PIT) as second:
            for _ in house.feeds:
                assert "snapshot" in await second.receive()
            assert (await second.receive())["house"]["proposals"] == []
            asked = await first.ask("correct_result", round=1, outcome="18", reason="on the tape")
            assert (asked["refusal"], asked["position"]) == ("needs_second_person", "pit_supervisor")
            assert [one["proposal"] for one in (await second.receive())["house"]["proposals"]] == [asked["proposal"]]
            assert (await first.ask("approve", proposal=asked["proposal"]))["refusal"] == "same_person"
            received = await second.ask_all("approve", proposal=asked["proposal"], table=ROULETTE)
            assert received[-1]["events"][0]["event"] == "round_corrected.v1"
            assert received[-1]["table"] == ROULETTE
            (change,) = [one for one in received if "pit" in one]
            assert (change["table"], change["public"]["events"][0]["outcome"]) == (ROULETTE, "18")
            again = await first.ask("correct_result", round=1, outcome="17", reason="on the tape")
            assert (await second.ask("reject", proposal=again["proposal"], reason="no"))["ok"]
            assert (await second.ask("approve", proposal=again["proposal"]))["refusal"] == "no_such_proposal"

    house.run(script())


def test_of_two_approvals_that_meet_only_one_happens(house: SocketHouse) -> None:
    """Both were approved for their effect on the round as it was. After the first the second would have another."""

    async def script() -> None:
        async with (
            house.at("pit_manager") as (first, _),
            house.opened("pit_supervisor", PIT) as one,
            house.opened("shift_manager", PIT) as two,
        ):
            proposals = [
                (await first.ask("correct_result", round=1, outcome=outcome, reason="on the tape"))["proposal"]
                for outcome in ("18", "20")
            ]
            answers = await asyncio.gather(
                *(desk.ask("approve", proposal=id, table=ROULETTE) for desk, id in zip((one, two), proposals))
            )
            assert sorted(answer["ok"] for answer in answers) == [False, True]
            refused = next(answer for answer in answers if not answer["ok"])
            assert refused["refusal"] == "state_has_changed"

    house.run(script())
    assert house.house.service.floor.tables[ROULETTE].projection.state.meters.corrections == 1


def test_only_the_committer_thread_reads_the_archive_for_an_approved_command(
    house: SocketHouse,
) -> None:
    """The writer's state belongs to the committer's thread; the event loop reads the projection."""
    archive = house.house.writers[ROULETTE].table.archive
    readers: list[int] = []

    class RecordingArchive:
        def round(self, number: RoundNumber) -> RoundRecord | None:
            readers.append(threading.get_ident())
            return archive.round(number)

        def __getattr__(self, name: str) -> object:
            return getattr(archive, name)

    async def script() -> None:
        house.house.writers[ROULETTE].table.archive = RecordingArchive()  # type: ignore[assignment]
        async with house.at("pit_manager") as (first, _), house.at("pit_supervisor") as (second, _):
            asked = await first.ask("correct_result", round=1, outcome="18", reason="on the tape")
            readers.clear()
            assert (await second.ask("approve", proposal=asked["proposal"]))["ok"]
        assert len(set(readers)) == 1, "the approved correction reads the round in one thread"
        assert threading.get_ident() not in readers

    house.run(script())


def test_an_unlocked_pit_console_receives_alerts_raised_while_it_was_locked(house: SocketHouse) -> None:
    clock, people = house.house.clock, house.house.house

    async def script() -> None:
        async with house.opened("pit_supervisor", PIT) as pit:
            while "house" not in await pit.receive():
                pass
            clock.at = Millis(clock.at + IDLE_LIFE)
            assert (await pit.ask("close_bets", table=ROULETTE))["refusal"] == "console_is_locked"
            await people.alert("wheel", "connection lost", clock.now())
            found = people.sessions.find(house.house.tokens["pit_supervisor"], clock.now())
            assert found is not None
            await people.sessions.unlock(found, PASSWORD, clock.now())
            while "house" not in (message := await pit.receive()):
                pass
            assert [one["text"] for one in message["house"]["alerts"]] == ["connection lost"]

    house.run(script())


def test_the_pit_socket_sends_changes_of_every_table_with_its_name(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.opened("shift_manager", PIT) as pit, house.at("terminal") as (terminal, _):
            tables = {(await pit.receive())["table"] for _ in house.feeds}
            assert tables == set(house.feeds)
            assert (await pit.receive())["house"] == {"alerts": [], "proposals": []}
            assert (await terminal.ask("place_bets", bets=BET))["ok"]
            change = await pit.receive()
            assert (change["table"], change["pit"]["seats"]["1"]["bets"]) == (ROULETTE, {"red": 100})
            assert (await pit.ask("take_over", reason="?"))["refusal"] == "not_understood"
            assert (await pit.ask("take_over", reason="?", table="nowhere"))["refusal"] == "not_understood"
            answer = await pit.ask("refer", table=SANDS, round=1, question="?")
            assert answer["table"] == SANDS
            alert = await house.house.house.alert("test", "look", house.house.clock.now())
            assert [one["alert"] for one in (await pit.receive())["house"]["alerts"]] == [alert]

    house.run(script())


def test_a_client_can_request_the_changes_that_it_missed(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (socket, snapshot), house.at("dealer") as (dealer, _):
            await socket.ask("place_bets", bets=BET)
            await dealer.ask("close_bets")
            await dealer.ask("start_spin")
            received = [await socket.receive(), await socket.receive()]
            assert [one["public"]["n"] for one in received] == [snapshot.public + 1, snapshot.public + 2]
            numbers = {"epoch": snapshot.epoch, "public": snapshot.public, "own": snapshot.own}
            again = await socket.ask_all("resume", **numbers)
            assert [one["public"] for one in again[:2]] == [one["public"] for one in received]
            assert (again[2]["own"]["n"], again[3]["ok"]) == (snapshot.own + 1, True)
            nothing = await socket.ask_all(
                "resume", epoch=snapshot.epoch, public=snapshot.public + 2, own=snapshot.own + 1
            )
            assert len(nothing) == 1
            for strange in ({"epoch": "before"}, {"public": 10**6}, {"own": 10**6}, {"public": -5}):
                whole = await socket.ask_all("resume", **{**numbers, **strange})
                assert [set(one) for one in whole] == [{"snapshot", "epoch", "public", "own"}, {"id", "ok", "now"}]

    house.run(script())


def test_messages_above_the_rate_limit_are_delayed_and_not_lost(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, messages=Rates(per_second=1e9, at_once=3))
    with socket_house(tmp_path, settings) as house:

        async def script() -> None:
            async with house.at("terminal") as (socket, _):
                for n in range(50):
                    await socket.connection.send(f'{{"id":"p{n}","do":"ping"}}')
                assert [(await socket.receive())["id"] for _ in range(50)] == [f"p{n}" for n in range(50)]

        house.run(script())


def test_a_failed_feed_affects_neither_its_table_nor_other_tables(house: SocketHouse) -> None:
    writer = house.house.writers[ROULETTE]

    async def script() -> None:
        async with house.at("terminal") as (socket, _), house.opened("terminal-elsewhere", SANDS_SOCKET) as other:
            house.feeds[ROULETTE].projection.state.seats.clear()
            await socket.send("place_bets", bets=BET)
            assert await socket.closed() == (1011, "our_own_bug")
            assert writer.table.state.seats[SeatId("1")].bets == {"red": 100}
            with pytest.raises(InvalidStatus):
                async with house.at("terminal-2"):
                    pass
            assert "snapshot" in await other.receive()
            assert (await other.ask("ping"))["ok"]

    house.run(script())
    assert house.house.ask(ROULETTE, "player", "place_bets", seat="1", bets=BET).ok
    read = house.house.call(None, "GET", f"/api/tables/{ROULETTE}")
    assert (read.status_code, read.json()["refusal"]) == (503, "journal_unavailable"), "a wrong table is served"
    assert house.house.call(None, "GET", f"/api/tables/{SANDS}").status_code == 200


def empty_bucket(house: SocketHouse) -> TokenBucket:
    now = house.house.service.ticks()
    bucket = TokenBucket(Rates(per_second=50.0, at_once=1), now)
    assert bucket.try_take(now)
    return bucket


def test_a_request_is_charged_before_it_enters_the_table_queue(house: SocketHouse) -> None:
    request = msgspec.json.encode({"id": "over", "do": "place_bets", "bets": BET})

    async def script() -> None:
        async with house.at("terminal") as (socket, _):
            (connection,) = house.sockets._connections
            connection._bucket = empty_bucket(house)
            assert not connection.try_handle(request)
            assert connection.waiting == {}
            waits = asyncio.create_task(connection.handle(request))
            await asyncio.sleep(0.005)
            assert connection.waiting == {}, "the request waits outside the table's queue"
            await waits
            assert "over" in connection.waiting
            assert (await socket.receive())["id"] == "over"

    house.run(script())


def test_an_expensive_request_waits_for_enough_tokens(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal"):
            (connection,) = house.sockets._connections
            now = house.house.service.ticks()
            connection._bucket = TokenBucket(Rates(per_second=50.0, at_once=3), now)
            assert not connection.try_handle(b'{"id":"s","do":"resume","epoch":"e","public":0}')
            assert connection.try_handle(b'{"id":"p","do":"ping"}'), (
                "a message that is not handled directly is not charged"
            )
            assert connection.try_handle(b"not JSON"), "a malformed message costs as much as a valid one"
            assert connection.try_handle(b'{"id":"q","do":"ping"}')
            assert not connection.try_handle(b'{"id":"r","do":"ping"}')

    house.run(script())


def test_messages_are_handled_in_order_while_one_waits_for_tokens(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (socket, _):
            (connection,) = house.sockets._connections
            connection._bucket = empty_bucket(house)
            waits = asyncio.create_task(connection.handle(b'{"id":"first","do":"ping"}'))
            await asyncio.sleep(0)
            connection._bucket = TokenBucket(Rates(per_second=50.0, at_once=2), house.house.service.ticks())
            assert not connection.try_handle(b'{"id":"second","do":"ping"}')
            await waits
            assert connection.try_handle(b'{"id":"second","do":"ping"}')
            assert [(await socket.receive())["id"] for _ in range(2)] == ["first", "second"]

    house.run(script())
