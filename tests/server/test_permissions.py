"""The permissions that the server sends to a client, for the house and for each table."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import UNSET

from roundhouse.people.names import Role
from roundhouse.people.rights import allowed
from roundhouse.server.app import ROUTES
from roundhouse.server.auth import ASKS_TABLE, STAFF
from roundhouse.wire.messages import SnapshotMessage
from tests.support.houses import SANDS
from tests.support.sockets import SocketHouse, socket_house

BETS = {"place_bets", "place_package", "withdraw_bets", "undo", "clear", "repeat", "double"}
CAGE = {"cash_out", "redeem_ticket", "request_cash_out", "take_seat"}
CARE = {"acknowledge_check", "call_attendant", "dispute", "set_protection", "take_break"}
PIT = "/api/pit/socket"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SocketHouse]:
    with socket_house(tmp_path) as found:
        yield found


def commands(snapshot: SnapshotMessage) -> set[str]:
    assert snapshot.allowed is not UNSET
    return set(snapshot.allowed.commands)


@pytest.mark.parametrize("role", Role)
def test_the_operations_of_a_role_are_the_routes_that_it_may_call(role: Role) -> None:
    """Routes for all staff are not listed as operations."""
    narrow = [route for route in ROUTES if route.access.roles != STAFF.roles and route.access != ASKS_TABLE]
    assert len(narrow) == 29
    assert {route.name for route in narrow if role in route.access.roles} == allowed([role])


def test_a_person_receives_operations_and_roles(house: SocketHouse) -> None:
    me = house.house.call("pit_manager", "GET", "/api/me").json()
    assert set(me["operations"]) == allowed([Role.PIT_MANAGER])
    assert me["everywhere"] == ["pit_manager"]
    dealer = house.house.call("dealer", "GET", "/api/me").json()
    assert (dealer["everywhere"], dealer["operations"]) == ([], ["reject_proposal"])
    assert house.house.call("terminal", "GET", "/api/me").json()["operations"] == []


def test_the_staff_list_has_the_roles_that_can_be_given(house: SocketHouse) -> None:
    roles = house.house.call("pit_manager", "GET", "/api/staff").json()["roles"]
    assert [one["role"] for one in roles] == [role.value for role in Role]
    assert [one["role"] for one in roles if not one["appointable"]] == ["auditor"]
    assert max(roles, key=lambda one: one["rank"])["role"] == "casino_manager"


def test_a_terminal_receives_its_permissions_and_bet_limits(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (player, snapshot), house.at("dealer") as (dealer, _):
            assert commands(snapshot) == BETS | CAGE | CARE
            assert snapshot.bounds is not UNSET
            assert snapshot.bounds.types["straight"].min >= 1  # type: ignore[index]
            # Bets do not change the permissions.
            assert all("allowed" not in frame for frame in await dealer.ask_all("ping"))
            await player.ask("place_bets", bets=[{"position": "red", "cents": 100}])
            await dealer.ask("close_bets")
            change = await player.receive()
            assert change["public"]["phase"] == "bets_closed"
            assert set(change["allowed"]["commands"]) == CAGE | CARE
            assert "bounds" not in change

    house.run(script())


def test_staff_receive_new_permissions_with_the_change_that_causes_them(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("dealer") as (dealer, snapshot), house.at("pit_supervisor") as (pit, other):
            assert {"close_bets", "start_spin", "declare"} <= commands(snapshot)
            assert {"open_bets", "confirm_result", "correct_result"} & commands(snapshot) == set()
            assert "close_bets" not in commands(other)
            assert "correct_result" in commands(other)
            assert other.allowed is not UNSET
            assert "correct_result" not in other.allowed.current
            assert snapshot.bounds is UNSET
            change, answer = await dealer.ask_all("close_bets")
            assert answer["ok"]
            assert "start_spin" in change["allowed"]["commands"]
            assert "close_bets" not in change["allowed"]["commands"]
            assert (await pit.receive())["pit"]["events"]

    house.run(script())


def test_an_auditor_and_an_observer_have_no_permissions(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("auditor") as (_, snapshot):
            assert snapshot.allowed is not UNSET
            assert (snapshot.allowed.commands, snapshot.allowed.approval) == ((), ())
        async with house.opened(None) as watcher:
            first, *_ = await watcher.ask_all("watch")
            assert "allowed" not in first

    house.run(script())


def test_the_pit_socket_sends_permissions_per_table(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.opened("pit_manager", path=PIT) as pit:
            tables = [await pit.receive(), await pit.receive()]
            by_table = {one["table"]: set(one["allowed"]["commands"]) for one in tables}
            assert len(by_table) == 2
            assert all({"close_table", "refer"} <= commands for commands in by_table.values())
            # A table without an automatic dealer cannot be handed back.
            assert "hand_back" not in by_table[SANDS]

    house.run(script())
