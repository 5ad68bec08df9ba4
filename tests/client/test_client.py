"""The Python client: requests, reconnection, refused access and the documented example."""

import asyncio
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundhouse.client import NotLetIn, at_table, enrol, guest, log_in
from roundhouse.wire.messages import CloseReason, PublicChange, SocketSnapshot
from roundhouse.wire.tables import HouseAnswer
from tests.support.houses import PASSWORD, ROULETTE
from tests.support.sockets import SocketHouse, socket_house

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SocketHouse]:
    with socket_house(tmp_path) as found:
        yield found


def test_requests_update_the_view_and_refusals_do_not(house: SocketHouse) -> None:
    async def script() -> None:
        async with at_table(house.url, ROULETTE, house.house.tokens["terminal"]) as table:
            before = table.view.credits
            answer = await table.place_bets({"red": 500})
            assert answer.ok
            assert (table.view.credits, table.view.bets) == (before - 500, {"red": 500})
            assert (await table.double()).ok
            assert (await table.undo()).ok
            refused = await table.place_bets({"nowhere": 500})
            assert (refused.ok, refused.refusal) == (False, "no_such_position")
            other = await table.ask("place_bets", seat="2", bets=[{"position": "red", "cents": 100}])
            assert isinstance(other, HouseAnswer)
            assert other.refusal == "other_seat"
            with pytest.raises(ValueError, match="fly"):
                await table.ask("fly")
            assert table.view.bets == {"red": 500}
            assert (await table.clear()).ok
            assert (table.view.credits, table.view.bets) == (before, {})

    house.run(script())


def test_players_and_staff_follow_a_round(house: SocketHouse) -> None:
    async def follow(table: object, seen: list[str]) -> None:
        async for change in table.changes():  # type: ignore[attr-defined]
            if isinstance(change, PublicChange):
                seen += [str(event.__struct_config__.tag) for event in change.events]

    async def script() -> None:
        tokens = house.house.tokens
        async with (
            at_table(house.url, ROULETTE, tokens["terminal"]) as player,
            at_table(house.url, ROULETTE, tokens["dealer"]) as dealer,
        ):
            seen: list[str] = []
            following = asyncio.create_task(follow(player, seen))
            await asyncio.sleep(0)
            assert (await player.place_bets({"straight:17": 100})).ok
            for do, fields in (
                ("close_bets", {}),
                ("start_spin", {}),
                ("observe_spin", {"revolutions": 5, "ball": "clockwise", "wheel": "anticlockwise"}),
                ("ball_at_rest", {"outcome": "17"}),
                ("register_result", {"outcome": "17"}),
                ("confirm_result", {}),
            ):
                answer = await dealer.ask(do, **fields)
                assert answer.ok, answer
            await player.until("idle")
            assert player.view.bets == {}
            assert player.view.table is not None
            assert player.view.table.last_results[0].outcome == "17"
            following.cancel()
            assert seen[0] == "bets_closed.v1"
            assert seen[-1] == "round_settled.v1"

    house.run(script())


def test_after_a_reconnection_no_change_is_lost_and_no_request_applied_twice(house: SocketHouse) -> None:
    async def script() -> None:
        tokens = house.house.tokens
        async with (
            at_table(house.url, ROULETTE, tokens["terminal"]) as table,
            at_table(house.url, ROULETTE, tokens["cashier"]) as cashier,
        ):
            changes = table.changes()
            first = asyncio.ensure_future(anext(changes))
            before, start = table.view.credits, table.view.own
            await asyncio.sleep(0)
            for n in range(1, 6):
                # Abort the connection while a request is on its way and the table changes.
                request = asyncio.create_task(table.place_bets({"red": 100}))
                assert table._connection is not None
                table._connection.transport.abort()
                assert (await cashier.ask("buy_credits", seat="1", cents=10)).ok
                assert (await request).ok
                while table.reconnects < n:
                    await asyncio.sleep(0.01)
            while table.view.own < start + 10:
                await asyncio.sleep(0.01)
            assert table.view.bets == {"red": 500}
            assert table.view.credits == before - 500 + 50
            received = [await first]
            while len(received) < 10:
                received.append(await anext(changes))
            assert [change.n for change in received] == list(range(start + 1, start + 11))  # type: ignore[union-attr]

    house.run(script())


def test_after_a_restart_the_client_receives_a_snapshot(house: SocketHouse) -> None:
    """Each start of the house is a new epoch, in which the numbers of changes start again."""

    async def script() -> None:
        async with at_table(house.url, ROULETTE, house.house.tokens["terminal"]) as table:
            assert (await table.place_bets({"red": 100})).ok
            changes = table.changes()
            change = asyncio.ensure_future(anext(changes))
            await asyncio.sleep(0)
            feed = house.feeds[ROULETTE]
            feed.epoch = "another"
            feed.seat_buffer(next(iter(feed.subscribers.seats))).last = 0
            assert table._connection is not None
            table._connection.transport.abort()
            assert isinstance(await change, SocketSnapshot)
            assert (table.view.epoch, table.view.own, table.view.bets) == ("another", 0, {"red": 100})
            assert (await table.place_bets({"red": 100})).ok
            assert table.view.own == 1

    house.run(script())


def test_a_client_without_access_gets_an_error_and_does_not_retry(house: SocketHouse) -> None:
    async def script() -> None:
        tokens = house.house.tokens
        for key, where in (
            ("t1.forged", ROULETTE),
            (tokens["terminal-elsewhere"], ROULETTE),
            (tokens["dealer"], "nowhere"),
        ):
            with pytest.raises(NotLetIn):
                async with at_table(house.url, where, key):
                    pass
        async with at_table(house.url, ROULETTE, tokens["terminal"]) as table:
            for connection in tuple(house.sockets._connections):
                connection.sender.close(CloseReason.TERMINAL_IS_REVOKED)
            changes = table.changes()
            with pytest.raises(NotLetIn, match="terminal_is_revoked"):
                await anext(changes)
            with pytest.raises(NotLetIn, match="terminal_is_revoked"):
                await table.ask("ping")

    house.run(script())


def test_guests_and_staff_get_tokens_and_wrong_credentials_are_refused(house: SocketHouse) -> None:
    async def script() -> None:
        seated = await guest(house.url, ROULETTE)
        assert seated.me.terminal is not None
        assert seated.token is not None
        async with at_table(house.url, ROULETTE, seated.token) as table:
            assert (await table.take_seat(seated.me.terminal.terminal)).ok
        logged = await log_in(house.url, "dealer", PASSWORD, ROULETTE)
        assert logged.me.person == "dealer"
        for refused in (
            guest(house.url, "nowhere"),
            enrol(house.url, "WRONG"),
            log_in(house.url, "dealer", "wrong", ROULETTE),
        ):
            with pytest.raises(NotLetIn, match=r"no_such_table|no_such_code|wrong_name_or_password"):
                await refused

    house.run(script())


def test_the_documented_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs the example of docs/how-to/script-a-table.md, with another port, against ``roundhouse play``."""
    page = (DOCS / "how-to" / "script-a-table.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    play = (sys.executable, "-m", "roundhouse", "play", "--folder", str(tmp_path), "--port", str(port), "--speed", "30")
    process = subprocess.Popen(play, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if f":{port}" in line:
                break
        exec(compile(example.replace("8080", str(port)), "script-a-table.md", "exec"), {"__name__": "example"})
    finally:
        process.terminate()
        process.communicate()
    output = capsys.readouterr().out
    assert re.fullmatch(r"accepted 99400 \{'red': 500, 'straight:17': 100\}\nit was \d+ and I have \d+\n", output), (
        output
    )
