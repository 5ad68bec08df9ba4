"""Wheels on real ports: a pseudo-terminal with pyserial, a socket and a file, connected and disconnected."""

import asyncio
import os
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.commands import CloseWheel, NotYet, OpenWheel, Reply, SetMode, StartGame, mode_for
from roundhouse.wheel.driver import (
    Arrival,
    Bytes,
    Connected,
    Disconnected,
    Driver,
    Finished,
    Listener,
    NoAnswer,
    Silent,
)
from roundhouse.wheel.facts import GameEnded
from roundhouse.wheel.ports import PortLost, SerialPort, TcpPort, UnusablePort, _Descriptor, port_at
from roundhouse.wheel.simulator.draws import Cable, Chance
from roundhouse.wheel.simulator.machine import Machine
from roundhouse.wheel.simulator.port import PseudoTerminal, serve
from roundhouse.wheel.simulator.scenario import Played
from tests.support.recordings import find

TIMEOUT_SECONDS = 60


def test_a_game_is_opened_started_and_read_over_a_serial_port() -> None:
    found = find("mbs-electronic-double-zero")
    codes = codes_for(found.wheel)
    played: list[Played] = []
    machine = Machine(found.rulebook, codes, Chance(1), played=played.append)

    async def play() -> GameEnded:
        terminal = PseudoTerminal()
        wheel = asyncio.create_task(serve(machine, terminal, Cable(0, Chance(0)), 400, lambda: False))
        driver = Driver(Listener(SerialPort(terminal.path, rtscts=False)), found.rulebook, codes)
        game_over: asyncio.Future[GameEnded] = asyncio.get_running_loop().create_future()

        async def follow() -> None:
            async with aclosing(driver.events()) as events:
                async for event in events:
                    if isinstance(event, GameEnded) and event.number is not None and not game_over.done():
                        game_over.set_result(event)

        following = asyncio.create_task(follow())
        try:
            while isinstance(await driver.command(CloseWheel()), NoAnswer):
                await asyncio.sleep(0.01)  # until the port is open
            assert await driver.command(CloseWheel()) is Reply.REFUSED
            assert await driver.command(SetMode(mode_for(found.rulebook))) is Reply.DONE
            assert await driver.command(OpenWheel()) is Reply.DONE
            assert isinstance(await driver.command(StartGame(), bets_closed=False), NotYet)
            while await driver.command(StartGame(), bets_closed=True) is not Reply.DONE:
                await asyncio.sleep(0.01)  # until the wheel waits for the start command
            return await game_over
        finally:
            for task in (following, wheel):
                task.cancel()
            await asyncio.gather(following, wheel, return_exceptions=True)
            terminal.close()

    ended = asyncio.run(asyncio.wait_for(play(), TIMEOUT_SECONDS))
    assert (ended.game, ended.number) == (played[0].game, played[0].established)


def test_a_lost_socket_is_reconnected() -> None:
    async def listen() -> list[Arrival]:
        calls, done = 0, asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal calls
            calls += 1
            writer.write(b"*X;2;012;27;0;150;0\r\n")
            await writer.drain()
            if calls > 1:
                await done.wait()
            writer.close()
            await writer.wait_closed()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        received: list[Arrival] = []
        async with server:
            async with aclosing(Listener(TcpPort("127.0.0.1", port), 0.05, 0.01).arrivals()) as arrivals:
                async for arrival in arrivals:
                    received.append(arrival)
                    if isinstance(arrival, Silent):
                        break
            done.set()
            await asyncio.sleep(0.01)
        return received

    received = asyncio.run(asyncio.wait_for(listen(), TIMEOUT_SECONDS))
    kinds = [type(arrival) for arrival in received]
    assert kinds[:5] == [Connected, Bytes, Disconnected, Connected, Bytes]
    assert [arrival.away_seconds > 0 for arrival in received if isinstance(arrival, Connected)] == [False, True]


def test_a_missing_port_is_reported_once_and_retried() -> None:
    async def listen() -> list[Arrival]:
        listener = Listener(SerialPort("/dev/no-such-wheel"), retry_seconds=0.001)
        with pytest.raises(PortLost):
            await listener.send(b"*P 1\r\n")
        received: list[Arrival] = []

        async def collect() -> None:
            async for arrival in listener.arrivals():
                received.append(arrival)

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(collect(), 0.1)
        return received

    assert [type(arrival) for arrival in asyncio.run(listen())] == [Disconnected]


def test_a_recording_ends_with_a_finished_event(tmp_path: Path) -> None:
    path = tmp_path / "recording"
    path.write_bytes(b"*X;2;012;27;0;150;0\r\n")

    async def listen() -> list[Arrival]:
        return [arrival async for arrival in Listener(port_at(str(path))).arrivals()]

    arrivals = asyncio.run(listen())
    assert [type(arrival) for arrival in arrivals] == [Connected, Bytes, Finished]


@pytest.mark.parametrize("name", ["tcp://nowhere", "tcp://:99", "tcp://host:99999", "no-such-file"])
def test_invalid_port_names_are_refused(name: str) -> None:
    with pytest.raises(UnusablePort):
        port_at(name)


def test_closing_a_blocked_port_does_not_affect_the_next_one() -> None:
    """A blocked port is closed and reopened before the write times out. The new port may reuse the file descriptor."""

    async def main() -> None:
        reading, writing = os.pipe()
        port = _Descriptor(writing)
        with suppress(BlockingIOError):
            while os.write(writing, b"x"):
                pass
        write = asyncio.create_task(port.write(b"*u 1\r\n"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not write.done()
        await port.close()
        new, other = os.pipe()
        os.dup2(new, writing)
        next_port = _Descriptor(writing)
        os.write(other, b"*P OK\r\n")
        async with asyncio.timeout(TIMEOUT_SECONDS):
            assert await next_port.read() == b"*P OK\r\n"
            with pytest.raises(PortLost, match="closed"):
                await write
        await next_port.close()
        for descriptor in {reading, new, other} - {writing}:
            os.close(descriptor)

    asyncio.run(main())
