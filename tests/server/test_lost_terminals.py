"""Terminals that lose their connection while their seats have bets, with real sockets."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from roundhouse.floor.alerts import Alert
from roundhouse.floor.table import RunningTable
from roundhouse.journal.entry import decode
from roundhouse.rules.names import StaffPosition
from roundhouse.server.sockets import PING_TIMEOUT_SECONDS
from roundhouse.table.names import HOUSE_ID_PREFIX, SeatId, TableId
from roundhouse.wire.messages import SnapshotMessage
from tests.support.houses import ROULETTE, SANDS
from tests.support.http_house import FREE
from tests.support.sockets import SocketClient, SocketHouse, socket_house

BET = [{"position": "red", "cents": 100}]
AT_SANDS = f"/api/tables/{SANDS}/socket"
SETTINGS = replace(FREE, interrupted_seconds=0.2)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SocketHouse]:
    with socket_house(tmp_path, SETTINGS) as found:
        yield found


def table_of(house: SocketHouse, id: TableId = ROULETTE) -> RunningTable:
    table = house.house.service.floor.tables[id]
    assert isinstance(table, RunningTable)
    return table


async def bet_and_leave(house: SocketHouse, caller: str, path: str = f"/api/tables/{ROULETTE}/socket") -> None:
    async with house.at(caller, path=path) as (client, _):
        assert (await client.ask("place_bets", bets=BET))["ok"]


async def interruption(pit: SocketClient) -> dict[str, Any]:
    """Wait for the event that names interrupted terminals."""
    while True:
        for event in (await pit.receive()).get("pit", {}).get("events", ()):
            if event["event"] == "terminals_interrupted.v1":
                found: dict[str, Any] = event
                return found


async def all_checked(house: SocketHouse) -> None:
    """Wait until no lost terminal waits for its check, and the table has handled its commands."""
    while any(house.sockets._lost_terminals._lost.values()):
        await asyncio.sleep(0.01)
    await table_of(house).queue.wait_until_idle()


@pytest.mark.clause("rws-double-zero", "5.2", "5.2.1", "5.2.2")
def test_a_lost_terminal_with_bets_is_on_record_and_reads_its_bets_on_return(house: SocketHouse) -> None:
    async def script() -> SnapshotMessage:
        async with house.at("dealer") as (pit, _):
            await bet_and_leave(house, "terminal")
            event = await interruption(pit)
            assert (event["terminals"], event["clause"]) == (["1"], "5.2")
        async with house.at("terminal") as (_, snapshot):
            return snapshot

    own = house.run(script()).snapshot.own
    assert own is not None
    assert own.interrupted is not None
    found = own.interrupted
    assert (found.clause, found.registered_clause, found.unregistered_clause) == ("5.2", "5.2.1", "5.2.2")
    assert found.bets == own.bets == {"red": 100}
    (row,) = (row for row in house.house.store.rows(ROULETTE) if b"terminals_interrupted.v1" in row.body)
    request = decode(row.body).request
    assert request is not None
    assert (request.by, request.id.startswith(HOUSE_ID_PREFIX)) == (StaffPosition.SYSTEM, True)


def test_the_seat_is_told_once_the_round_is_over_until_it_bets_again(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("dealer") as (pit, _):
            await bet_and_leave(house, "terminal")
            await interruption(pit)
        spin = {"revolutions": 5, "ball": "clockwise", "wheel": "anticlockwise"}
        for do, fields in (
            ("close_bets", {}),
            ("start_spin", {}),
            ("observe_spin", spin),
            ("ball_at_rest", {"outcome": "17"}),
            ("register_result", {"outcome": "17"}),
            ("confirm_result", {}),
            ("open_bets", {}),
        ):
            house.house.do(ROULETTE, ("dealer", do, fields))
        async with house.at("terminal") as (client, snapshot):
            own = snapshot.snapshot.own
            assert own is not None
            assert own.interrupted is not None
            assert (own.bets, own.interrupted.bets, own.interrupted.round) == ({}, {"red": 100}, 3)
            answer = await client.ask("place_bets", bets=BET)
            assert (answer["ok"], answer["interrupted"]) == (True, None)

    house.run(script())


def test_a_terminal_that_returns_in_time_or_has_no_bets_is_not_named(house: SocketHouse) -> None:
    async def script() -> dict[str, Any]:
        async with house.at("dealer") as (pit, _):
            async with house.at("guest"):
                pass
            await bet_and_leave(house, "terminal")
            async with house.at("terminal"):
                await bet_and_leave(house, "terminal-2")
                return await interruption(pit)

    assert house.run(script())["terminals"] == ["2"]


def test_terminals_that_are_lost_together_are_named_together(house: SocketHouse) -> None:
    async def script() -> dict[str, Any]:
        async with house.at("dealer") as (pit, _):
            async with house.at("terminal") as (one, _), house.at("terminal-2") as (two, _):
                assert (await one.ask("place_bets", bets=BET))["ok"]
                assert (await two.ask("place_bets", bets=BET))["ok"]
            return await interruption(pit)

    assert sorted(house.run(script())["terminals"]) == ["1", "2"]


@pytest.mark.clause("rws-double-zero", "5.2")
def test_a_terminal_that_is_lost_while_its_round_waits_for_a_decision_is_on_record(house: SocketHouse) -> None:
    async def script() -> dict[str, Any]:
        async with house.at("dealer") as (pit, _):
            async with house.at("terminal") as (client, _):
                assert (await client.ask("place_bets", bets=BET))["ok"]
                assert (await pit.ask("refer", round=1, question="Is this bet in time?"))["ok"]
            return await interruption(pit)

    assert house.run(script())["terminals"] == ["1"]


@pytest.mark.clause("rws-double-zero", "5.2")
def test_terminals_that_do_not_return_after_a_restart_are_on_record(house: SocketHouse) -> None:
    """A new server expects the terminals of all seats with bets. One of two returns in time."""

    async def script() -> None:
        for seat in ("1", "2"):
            house.house.do(ROULETTE, ("player", "place_bets", {"seat": seat, "bets": BET}))
        async with house.at("terminal-2"):
            house.sockets._lost_terminals.expect_returns()
            await all_checked(house)

    house.run(script())
    evidence = table_of(house).state.evidence
    assert evidence
    assert evidence.dark_seats == ["1"]


def test_a_terminal_whose_pings_stop_is_lost_although_its_connection_stays(house: SocketHouse) -> None:
    """A pulled cable closes no connection. A client that never sends pings is not watched."""

    async def script() -> dict[str, Any]:
        async with house.at("dealer") as (pit, _), house.at("terminal-2") as (silent, _):
            assert (await silent.ask("place_bets", bets=BET))["ok"]
            async with house.at("terminal") as (client, _):
                assert (await client.ask("place_bets", bets=BET))["ok"]
                assert (await client.ask("ping"))["ok"]
                house.house.clock.at += int(PING_TIMEOUT_SECONDS + 1) * 1000
                polling = asyncio.create_task(house.sockets.poll_access())
                try:
                    return await interruption(pit)
                finally:
                    polling.cancel()

    assert house.run(script())["terminals"] == ["1"]


def test_a_planned_stop_and_a_revoked_terminal_are_no_interruption(house: SocketHouse) -> None:
    number = next(number for number, one in house.house.house.terminals.all().items() if one.seat == "2")

    async def script() -> None:
        async with house.at("terminal-2") as (client, _):
            assert (await client.ask("place_bets", bets=BET))["ok"]
            now = house.house.clock.now()
            assert await house.house.house.terminals.revoke(None, number, "it is broken", now) is None
            await client.closed()
        table_of(house).stopping = True
        await bet_and_leave(house, "terminal")
        await all_checked(house)

    house.run(script())
    state = table_of(house).state
    assert state.seats[SeatId("1")].bets
    assert state.seats[SeatId("2")].bets
    assert state.evidence
    assert state.evidence.dark_seats == []


def test_a_rulebook_without_a_clause_on_terminals_only_alerts_the_pit(house: SocketHouse) -> None:
    house.house.do(SANDS, ("dealer", "open_bets", {}))

    async def script() -> None:
        await bet_and_leave(house, "terminal-elsewhere", AT_SANDS)
        await all_checked(house)

    house.run(script())
    table = table_of(house, SANDS)
    raised = [alert for alert in table._alerts._queue.values() if isinstance(alert, Alert)]
    assert [alert.about for alert in raised] == ["terminals"]
    assert raised[0].text == "the terminal of seat 1 was interrupted in round 1; the round goes on"
    assert table.state.evidence
    assert table.state.evidence.dark_seats == []
