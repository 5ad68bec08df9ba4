"""No client acts as a program of the house, over HTTP or over a socket."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.people.names import APPOINTABLE, Role, role_of
from roundhouse.table.evidence import PROGRAMS
from tests.support.sockets import SocketClient, SocketHouse, socket_house

BET = {"do": "place_bets", "bets": [{"position": "red", "cents": 100}]}
CLOSE = {"do": "close_bets"}
READ = {"do": "ball_at_rest", "outcome": "17"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SocketHouse]:
    with socket_house(tmp_path) as found:
        yield found


@pytest.mark.parametrize(
    ("id", "by"),
    [("x", "system"), ("x", "automatic_dealer"), ("auto:99:0", None), ("house:99:terminals", None)],
)
def test_a_request_as_a_program_is_refused_at_every_edge(house: SocketHouse, id: str, by: str | None) -> None:
    requests = (("terminal", BET), ("dealer", CLOSE), ("dealer", READ), ("shift_manager", {"do": "close_table"}))
    for caller, fields in requests:
        request: dict[str, Any] = {"id": id, **fields, **({"by": by} if by else {})}

        async def over_socket(caller: str = caller, request: dict[str, Any] = request) -> dict[str, Any]:
            async with house.at(caller) as (client, _):
                return await ask_as(client, request)

        answered = house.run(over_socket())
        assert (answered["ok"], answered["refusal"]) == (False, "not_authorised"), answered
        sent = house.house.call(caller, "POST", "/api/tables/roulette-1/requests", request)
        assert (sent.status_code, sent.json()["refusal"]) == (403, "not_authorised"), sent.text
    table = house.house.writers[next(iter(house.house.writers))].table
    assert table.state.phase == "bets_open", "nothing was carried out"


async def ask_as(client: SocketClient, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request with a new id and return its answer."""
    await client.connection.send(msgspec.json.encode(request).decode())
    while (message := await client.receive()).get("id") != request["id"]:
        pass
    found: dict[str, Any] = message
    return found


def test_no_person_has_the_position_of_a_program() -> None:
    assert [role_of(position) for position in PROGRAMS] == [None, None]
    assert not {role.position for role in (*Role, *APPOINTABLE)} & set(PROGRAMS)
