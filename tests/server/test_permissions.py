"""What the house tells a client that it may do: of the house, and of a table."""

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
CAGE = {"cash_out", "redeem_ticket", "take_seat"}
PIT = "/api/pit/socket"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SocketHouse]:
    with socket_house(tmp_path) as found:
        yield found


def commands(shown: SnapshotMessage) -> set[str]:
    assert shown.allowed is not UNSET
    return set(shown.allowed.commands)


@pytest.mark.parametrize("role", Role)
def test_the_operations_of_a_role_are_the_routes_that_let_it_in(role: Role) -> None:
    """Of those routes that are not for all staff."""
    narrow = [route for route in ROUTES if route.access.roles not in (STAFF.roles, ASKS_TABLE.roles)]
    assert len(narrow) == 21
    assert {route.name for route in narrow if role in route.access.roles} == allowed([role])


def test_a_person_is_told_operations_and_where_a_role_counts(house: SocketHouse) -> None:
    me = house.house.call("pit_manager", "GET", "/api/me").json()
    assert set(me["operations"]) == allowed([Role.PIT_MANAGER])
    assert me["everywhere"] == ["pit_manager"]
    dealer = house.house.call("dealer", "GET", "/api/me").json()
    assert (dealer["everywhere"], dealer["operations"]) == ([], ["reject_proposal"])
    assert house.house.call("terminal", "GET", "/api/me").json()["operations"] == []


def test_the_roles_that_can_be_given_are_told(house: SocketHouse) -> None:
    roles = house.house.call("pit_manager", "GET", "/api/staff").json()["roles"]
    assert [one["role"] for one in roles] == [role.value for role in Role]
    assert [one["role"] for one in roles if not one["appointable"]] == ["auditor"]
    assert max(roles, key=lambda one: one["rank"])["role"] == "casino_manager"


def test_a_terminal_is_told_what_it_may_do_and_its_bounds(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("terminal") as (player, shown), house.at("dealer") as (dealer, _):
            assert commands(shown) == BETS | CAGE
            assert shown.bounds is not UNSET
            assert shown.bounds.types["straight"].min >= 1  # type: ignore[index]
            # A bet changes nothing of it.
            assert all("allowed" not in frame for frame in await dealer.asked("ping"))
            await player.ask("place_bets", bets=[{"position": "red", "cents": 100}])
            await dealer.ask("close_bets")
            heard = await player.hear()
            assert heard["public"]["phase"] == "bets_closed"
            assert set(heard["allowed"]["commands"]) == CAGE
            assert "bounds" not in heard

    house.run(script())


def test_staff_are_told_with_the_change_that_changes_it(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("dealer") as (dealer, shown), house.at("pit_supervisor") as (pit, other):
            assert {"close_bets", "start_spin", "declare"} <= commands(shown)
            assert {"open_bets", "confirm_result", "correct_result"} & commands(shown) == set()
            assert "close_bets" not in commands(other)
            assert "correct_result" in commands(other)
            assert other.allowed is not UNSET
            assert "correct_result" not in other.allowed.current
            assert shown.bounds is UNSET
            change, answer = await dealer.asked("close_bets")
            assert answer["ok"]
            assert "start_spin" in change["allowed"]["commands"]
            assert "close_bets" not in change["allowed"]["commands"]
            assert (await pit.hear())["pit"]["events"]

    house.run(script())


def test_an_auditor_and_a_watcher_are_told_that_they_may_nothing(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.at("auditor") as (_, shown):
            assert shown.allowed is not UNSET
            assert (shown.allowed.commands, shown.allowed.approval) == ((), ())
        async with house.opened(None) as watcher:
            first, *_ = await watcher.asked("watch")
            assert "allowed" not in first

    house.run(script())


def test_the_pits_socket_tells_each_table_its_own(house: SocketHouse) -> None:
    async def script() -> None:
        async with house.opened("pit_manager", path=PIT) as pit:
            tables = [await pit.hear(), await pit.hear()]
            by_table = {one["table"]: set(one["allowed"]["commands"]) for one in tables}
            assert len(by_table) == 2
            assert all({"close_table", "refer"} <= may for may in by_table.values())
            # Nobody hands back a table that has no dealer.
            assert "hand_back" not in by_table[SANDS]

    house.run(script())
