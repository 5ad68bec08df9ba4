"""Benchmark of a Player's round trip while a stranger abuses the house, compared with a bare echo under the same abuse.

The house is a real process of ``roundhouse house serve`` with a journal on disk. The abuse comes from another process,
over loopback, with four connections (slow heads: four hundred), for a few seconds of each kind.
"""

import asyncio
import itertools
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import uvloop

from benchmarks.strangers_abuse import KINDS
from benchmarks.terminals import T, log_in, prepare, process, verify, wait_for_server
from benchmarks.terminals_load import Socket, connect

SECONDS = 4.0
PAUSE_SECONDS = 0.025
"""Pause between two bets: the rate of messages that a Player has."""
ALLOWED = 2.0
TABLE = f"/api/tables/{T}/socket"


class Player:
    """Sends one message after the other and measures the time until its answer."""

    def __init__(self, message: Callable[[int], bytes], is_answer: Callable[[bytes], bool]) -> None:
        self._message, self._is_answer = message, is_answer
        self._ids = itertools.count()
        self._answered: asyncio.Future[bytes] | None = None
        self.socket: Socket | None = None

    def receive(self, _: Socket, message: bytes) -> None:
        if self._is_answer(message) and self._answered is not None and not self._answered.done():
            self._answered.set_result(message)

    async def ask(self, message: bytes | None = None) -> bytes:
        assert self.socket is not None
        self._answered = asyncio.get_running_loop().create_future()
        self.socket.send(message if message is not None else self._message(next(self._ids)))
        return await asyncio.wait_for(self._answered, 120)

    async def measure(self, seconds: float) -> list[float]:
        took: list[float] = []
        until = perf_counter() + seconds
        while perf_counter() < until:
            began = perf_counter()
            await self.ask()
            took.append(perf_counter() - began)
            await asyncio.sleep(PAUSE_SECONDS)
        return took


def _bet(number: int) -> bytes:
    return b'{"id":"p%d","do":"place_bets","bets":[{"position":"red","cents":100}]}' % number


def abuse(kind: str, port: int, path: str, token: str) -> "subprocess.Popen[bytes]":
    command = (sys.executable, "-m", "benchmarks.strangers_abuse", kind, str(port), path, str(SECONDS + 1), token)
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


async def under(kind: str | None, player: Player, port: int, path: str, token: str) -> list[float]:
    """Measure the round trips of a player under one kind of abuse, or without any."""
    if kind is None:
        return await player.measure(SECONDS)
    attacker = abuse(kind, port, path, token)
    try:
        await asyncio.sleep(1.0)  # until the attacker has started
        return await player.measure(SECONDS)
    finally:
        await asyncio.to_thread(attacker.wait, 60)


def _p99(found: list[float]) -> float:
    """Return the 99th percentile. A server that is kept busy may answer only once or twice."""
    return quantiles(found, n=100)[98] if len(found) >= 100 else max(found)


async def measure(port: int, bare_port: int, keys: list[tuple[str, str]]) -> None:
    token = await asyncio.to_thread(log_in, port)
    (_, key), (_, other) = keys
    dealer = Player(lambda _: b"", lambda message: message.startswith(b'{"id"'))
    ours = Player(_bet, lambda message: message.startswith(b'{"id"'))
    theirs = Player(lambda _: b"x" * 300, lambda _: True)
    authorization = "Authorization: Bearer {}\r\n".format
    dealer.socket = await connect(port, "dealer", TABLE, authorization(token), dealer.receive)
    ours.socket = await connect(port, "player", TABLE, authorization(key), ours.receive)
    theirs.socket = await connect(bare_port, "echo", "/echo", "", theirs.receive)
    await ours.ask(b'{"id":"t","do":"take_seat","terminal":"rapid-a"}')
    # The largest sale that a house allows unless its configuration says otherwise.
    assert b'"ok":true' in await ours.ask(b'{"id":"c","do":"buy_credits","cents":1000000}')
    await dealer.ask(b'{"id":"o","do":"open_bets"}')
    for kind in (None, *KINDS):
        found = await under(kind, ours, port, TABLE, other)
        bare = await under(kind, theirs, bare_port, "/echo", "")
        assert b'"ok":true' in await ours.ask(), "the bets were accepted"
        p99, echo_p99 = (_p99(one) for one in (found, bare))
        ratio = p99 / echo_p99
        verdict = "" if kind is None else "ok" if ratio <= ALLOWED else "TOO SLOW"
        medians = f"{median(found) * 1000:.1f} to {median(bare) * 1000:.1f}"
        figures = f"{p99 * 1000:.1f} ms to {echo_p99 * 1000:.1f}; medians {medians}"
        print(f"bet under {kind or 'no abuse'}, 99th percentile / a bare echo: {ratio:.2f} ({figures}) {verdict}")


def run() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port: int = free.getsockname()[1]
        configuration, keys = prepare(folder, port, terminals=2)
        bound = socket.create_server(("127.0.0.1", 0), backlog=2048)
        serve = (
            sys.executable,
            "-m",
            "roundhouse",
            "house",
            "serve",
            "--config",
            str(configuration.folder / "house.toml"),
        )
        echo = (sys.executable, "-m", "benchmarks.terminals_bare", str(bound.fileno()))
        with process(*serve, "--grace", "0"), process(*echo, files=(bound.fileno(),)):
            wait_for_server(port)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(measure(port, bound.getsockname()[1], keys))
        verify(configuration)


if __name__ == "__main__":
    run()
