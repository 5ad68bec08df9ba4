"""A wheel on a real line: a pseudo-terminal through pyserial, a socket, a file; there, gone, and back again."""

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

PATIENCE_SECONDS = 60


def test_a_game_is_opened_started_and_read_over_a_serial_line() -> None:
    found = find("mbs-electronic-double-zero")
    codes = codes_for(found.wheel)
    played: list[Played] = []
    machine = Machine(found.rulebook, codes, Chance(1), played=played.append)

    async def play() -> GameEnded:
        terminal = PseudoTerminal()
        wheel = asyncio.create_task(serve(machine, terminal, Cable(0, Chance(0)), 400, lambda: False))
        driver = Driver(Listener(SerialPort(terminal.path, rtscts=False)), found.rulebook, codes)
        over: asyncio.Future[GameEnded] = asyncio.get_running_loop().create_future()

        async def follow() -> None:
            async with aclosing(driver.events()) as events:
                async for event in events:
                    if isinstance(event, GameEnded) and event.number is not None and not over.done():
                        over.set_result(event)

        following = asyncio.create_task(follow())
        try:
            while isinstance(await driver.command(CloseWheel()), NoAnswer):
                await asyncio.sleep(0.01)  # until the port is open
            assert await driver.command(CloseWheel()) is Reply.REFUSED
            assert await driver.command(SetMode(mode_for(found.rulebook))) is Reply.DONE
            assert await driver.command(OpenWheel()) is Reply.DONE
            assert isinstance(await driver.command(StartGame(), bets_closed=False), NotYet)
            while await driver.command(StartGame(), bets_closed=True) is not Reply.DONE:
                await asyncio.sleep(0.01)  # until the wheel waits for the word
            return await over
        finally:
            for task in (following, wheel):
                task.cancel()
            await asyncio.gather(following, wheel, return_exceptions=True)
            terminal.close()

    ended = asyncio.run(asyncio.wait_for(play(), PATIENCE_SECONDS))
    assert (ended.game, ended.number) == (played[0].game, played[0].established)


def test_a_socket_that_comes_and_goes() -> None:
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
        heard: list[Arrival] = []
        async with server:
            async with aclosing(Listener(TcpPort("127.0.0.1", port), 0.05, 0.01).arrivals()) as arrivals:
                async for arrival in arrivals:
                    heard.append(arrival)
                    if isinstance(arrival, Silent):
                        break
            done.set()
            await asyncio.sleep(0.01)
        return heard

    heard = asyncio.run(asyncio.wait_for(listen(), PATIENCE_SECONDS))
    kinds = [type(arrival) for arrival in heard]
    assert kinds[:5] == [Connected, Bytes, Disconnected, Connected, Bytes]
    assert [arrival.away_seconds > 0 for arrival in heard if isinstance(arrival, Connected)] == [False, True]


def test_a_port_that_is_not_there_is_told_once_and_looked_for() -> None:
    async def listen() -> list[Arrival]:
        listener = Listener(SerialPort("/dev/no-such-wheel"), retry_seconds=0.001)
        with pytest.raises(PortLost):
            await listener.send(b"*P 1\r\n")
        heard: list[Arrival] = []

        async def collect() -> None:
            async for arrival in listener.arrivals():
                heard.append(arrival)

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(collect(), 0.1)
        return heard

    assert [type(arrival) for arrival in asyncio.run(listen())] == [Disconnected]


def test_a_file_ends(tmp_path: Path) -> None:
    path = tmp_path / "recording"
    path.write_bytes(b"*X;2;012;27;0;150;0\r\n")

    async def listen() -> list[Arrival]:
        return [arrival async for arrival in Listener(port_at(str(path))).arrivals()]

    arrivals = asyncio.run(listen())
    assert [type(arrival) for arrival in arrivals] == [Connected, Bytes, Finished]


@pytest.mark.parametrize("name", ["tcp://nowhere", "tcp://:99", "tcp://host:99999", "no-such-file"])
def test_names_that_are_no_source(name: str) -> None:
    with pytest.raises(UnusablePort):
        port_at(name)


def test_a_line_that_is_closed_while_it_takes_nothing_leaves_nothing_to_the_next() -> None:
    """No CTS, then unplugged and back within the patience for an answer: the new line may get the old one's number."""

    async def main() -> None:
        reading, writing = os.pipe()
        line = _Descriptor(writing)
        with suppress(BlockingIOError):
            while os.write(writing, b"x"):
                pass
        said = asyncio.create_task(line.write(b"*u 1\r\n"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not said.done()
        await line.close()
        new, other = os.pipe()
        os.dup2(new, writing)
        next_line = _Descriptor(writing)
        os.write(other, b"*P OK\r\n")
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await next_line.read() == b"*P OK\r\n"
            with pytest.raises(PortLost, match="closed"):
                await said
        await next_line.close()
        for descriptor in {reading, new, other} - {writing}:
            os.close(descriptor)

    asyncio.run(main())
