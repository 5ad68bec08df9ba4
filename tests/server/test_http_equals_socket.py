"""After every step, table and permissions read over HTTP equal those of a client that followed over a socket."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.client.view import View
from roundhouse.dealer.loop import BetsCloseAt, DealerWaiting, Notice, WheelReliability, WheelStatus
from roundhouse.rules.judge import Direction
from roundhouse.table.names import RoundNumber, TableId
from roundhouse.wheel.protocol import Code, GameNumber, State
from roundhouse.wire.messages import ChangeMessage, SnapshotMessage
from roundhouse.wire.tables import NumberedAnswer
from tests.support.houses import ROULETTE, SANDS
from tests.support.sockets import SocketClient, SocketHouse, socket_house

SPIN = {"revolutions": 5, "ball": "clockwise", "wheel": "anticlockwise"}
DISCONNECTED = WheelReliability(False, False, "connection lost")
STATUS = WheelStatus(State.BALL_IN_RIM, GameNumber("1"), Code("17"), (), Direction.CLOCKWISE, 150)


def bets(position: str, cents: int) -> dict[str, Any]:
    return {"bets": [{"position": position, "cents": cents}]}


THIS = 0
"""Stands for the number of the round in progress."""
TWO = {"who": "ann", "second": "ben"}
ROUND: tuple[tuple[str, str, dict[str, Any]] | Notice, ...] = (
    ("player", "place_bets", {"seat": "1", **bets("red", 500)}),
    STATUS,
    BetsCloseAt(RoundNumber(0), 5.0, 5),
    ("player", "place_bets", {"seat": "2", **bets("even", 300)}),
    ("player", "undo", {"seat": "1"}),
    ("player", "repeat", {"seat": "1"}),
    ("player", "place_bets", {"seat": "1", **bets("red", 500)}),
    ("player", "clear", {"seat": "2"}),
    DISCONNECTED,
    ("dealer", "close_bets", {}),
    DealerWaiting("the wheel"),
    WheelReliability(True, True, ""),
    ("dealer", "start_spin", {}),
    ("dealer", "close_bets", {}),
    ("dealer", "observe_spin", SPIN),
    ("pit_manager", "declare", {"irregularity": "terminals_interrupted", "seats": ["1"]}),
    ("dealer", "ball_at_rest", {"outcome": "6", "who": "ann"}),
    ("pit_manager", "ball_at_rest", {"outcome": "5", "who": "ben"}),
    ("dealer", "amend_reading", {"outcome": "5", "who": "ann"}),
    ("dealer", "register_result", {"outcome": "6"}),
    ("pit_manager", "correct_result", {"round": THIS, "outcome": "5", **TWO}),
    ("dealer", "confirm_result", {}),
    ("dealer", "issue_colour", {"seat": "1", "colour": "yellow", "value_cents": 50}),
    ("dealer", "refer", {"round": 1, "question": "two balls?"}),
    ("shift_manager", "decide", {"round": 1, "ruling": "stand", "reason": "one ball"}),
    ("dealer", "open_bets", {}),
    ("player", "place_bets", {"seat": "1", **bets("red", 500)}),
    ("cashier", "buy_credits", {"seat": "1", "cents": 700}),
    ("dealer", "close_bets", {}),
    ("dealer", "start_spin", {}),
    ("dealer", "close_bets", {}),
    ("dealer", "observe_spin", {**SPIN, "revolutions": 2}),
    ("dealer", "redeem_colour", {"seat": "1"}),
    ("player", "cash_out", {"seat": "1"}),
)
"""Bets are closed before the spin or after its start, depending on the game. The readings of one round differ and are
resolved, one round is void, and the wheel is disconnected for a while."""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SocketHouse]:
    with socket_house(tmp_path) as found:
        yield found


def plain(value: object) -> Any:
    """Convert a value to the JSON types that a client reads."""
    return msgspec.json.decode(msgspec.json.encode(value))


async def follow(client: SocketClient, view: View, allowed: Any) -> Any:
    """Apply all messages that were sent until now, and return the permissions after them."""
    *received, _ = await client.ask_all("ping")
    for message in received:
        allowed = message.get("allowed", allowed)
        if "snapshot" in message:
            view.apply_snapshot(msgspec.convert(message, SnapshotMessage, str_keys=True))
        elif "id" in message:
            assert not view.apply_answer(msgspec.convert(message, NumberedAnswer, str_keys=True))[1]
        else:
            assert not view.apply_change(msgspec.convert(message, ChangeMessage, str_keys=True))[1]
    return allowed


CALLERS = ((ROULETTE, "terminal", "dealer"), (SANDS, "terminal-elsewhere", "dealer-elsewhere"))


@pytest.mark.parametrize(("table", "terminal", "staff"), CALLERS)
def test_a_table_read_over_http_equals_the_view_of_a_follower(
    house: SocketHouse, table: TableId, terminal: str, staff: str
) -> None:
    feed, writer, path = house.feeds[table], house.house.writers[table], f"/api/tables/{table}"

    async def read(caller: str | None, path: str) -> Any:
        headers = {"authorization": f"Bearer {house.house.tokens[caller]}"} if caller else {}
        answer = await house.house.client.get(path, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def script() -> None:
        if table == SANDS:
            take = ("player", "take_seat", {"seat": "2", "terminal": "table"})
            credits = ("cashier", "buy_credits", {"seat": "2", "cents": 50_000})
            house.house.do(table, take, credits, ("dealer", "open_bets", {}))
        async with AsyncExitStack() as stack:
            sockets = [
                await stack.enter_async_context(house.opened(caller, f"{path}/socket"))
                for caller in (None, terminal, staff)
            ]
            await sockets[0].send("watch")
            views = [View() for _ in sockets]
            allowed: list[Any] = [None] * len(views)
            done = 0
            for step in ROUND:
                before = feed.public.last
                if isinstance(step, tuple):
                    by, do, fields = step
                    if fields.get("round") == THIS:
                        fields = {**fields, "round": writer.table.state.round}
                    done += house.house.ask(table, by, do, **fields).ok
                else:
                    if isinstance(step, BetsCloseAt):
                        step = msgspec.structs.replace(step, round=writer.table.state.round)
                    feed.apply_notice(step)
                await asyncio.sleep(0)
                feed.flush()
                for at, (socket, view) in enumerate(zip(sockets, views)):
                    allowed[at] = await follow(socket, view, allowed[at])
                public = await read(None, path)
                for view in views:
                    assert view.table is not None
                    version = {} if feed.public.last > before else {"version": view.table.version}
                    assert plain(view.table) == {**public, **version}, step
                own = await read(terminal, f"{path}/seats/1")
                assert {**plain(views[1].seat), "allowed": allowed[1]} == own, step
                state = await read(staff, f"{path}/state")
                assert {**plain(views[2].pit), "allowed": allowed[2]} == state, step
            assert done > 15
            meters = writer.table.state.meters
            assert (meters.voids > 0, meters.corrections) == (True, 1)

    house.run(script())
