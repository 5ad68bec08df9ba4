"""Benchmark of a running house with a thousand terminals, compared with a bare echo and a bare broadcast.

The house is a real process of ``roundhouse house serve`` with a journal on disk. Clients connect over loopback.
"""

import asyncio
import itertools
import json
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, sleep, time_ns
from urllib.request import Request, urlopen

import uvloop

from benchmarks.terminals_load import Socket, connect
from roundhouse.config.loading import Configuration, read
from roundhouse.config.schema import Guests
from roundhouse.floor.opening import open_house, open_store
from roundhouse.house.terminals import TerminalKey
from roundhouse.house.writer import run_inline
from roundhouse.people.names import PersonId, Role
from roundhouse.table.names import Millis, TableId

TERMINALS, ROUNDS, BETS = 1000, 8, 4
ACK_ALLOWED, RESULT_ALLOWED = 2.5, 2.0
T = TableId("bench")
PASSWORD = "a password of the benchmark"
_TOML = """
[house]
name = "Bench"
currency = "SGD"
data = "."

[listen]
port = {port}

[[tables]]
id = "bench"
game = "rws-double-zero"

[tables.limits]
seat = {{ min = 100, max = 5000000 }}
table = 5000000000
"""


def prepare(folder: Path, port: int, terminals: int = TERMINALS) -> tuple[Configuration, list[tuple[str, str]]]:
    """Create a house with a dealer and enrolled terminals. Return the seat and key of each terminal."""
    (folder / "house.toml").write_text(_TOML.format(port=port), encoding="utf-8")
    configuration = replace(read(folder / "house.toml"), guests=Guests.LOOPBACK)
    store, key = open_store(configuration.journal)
    try:
        house = open_house(configuration, store, key)
        now = Millis(time_ns() // 1_000_000)
        added = house.staff.add(None, PersonId("dee"), "Dee", (Role.DEALER,), PASSWORD, now)
        assert run_inline(added) is None
        keys = []
        for _ in range(terminals):
            enrolled = run_inline(house.terminals.guest(T, None, "127.0.0.1", now))
            assert isinstance(enrolled, TerminalKey), enrolled
            keys.append((str(enrolled.terminal.seat), enrolled.key))
    finally:
        store.close()
    return configuration, keys


@contextmanager
def process(*command: str, files: tuple[int, ...] = ()) -> Iterator[None]:
    running = subprocess.Popen(command, pass_fds=files, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        running.send_signal(signal.SIGINT)
        try:
            running.wait(20)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def wait_for_server(port: int, seconds: float = 60) -> None:
    """Wait until the port accepts connections."""
    until = perf_counter() + seconds
    while perf_counter() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            sleep(0.05)
    raise TimeoutError(f"the server did not start within {seconds} s")


def log_in(port: int) -> str:
    body = {"name": "dee", "password": PASSWORD, "console": T, "program": True}
    request = Request(f"http://127.0.0.1:{port}/api/log-in", json.dumps(body).encode())
    request.add_header("content-type", "application/json")
    with urlopen(request) as answer:
        token: str = json.load(answer)["token"]
        return token


class Round:
    """Counts messages on all sockets until the expected number has arrived, and collects their latencies."""

    def __init__(self, expected: int) -> None:
        self.left = expected
        self.done = asyncio.get_running_loop().create_future()
        self.took: list[float] = []

    def count(self) -> None:
        self.left -= 1
        if not self.left and not self.done.done():
            self.done.set_result(None)


class House:
    """The clients of the house: terminals that bet, and a console that deals."""

    def __init__(self, port: int, keys: list[tuple[str, str]]) -> None:
        self.port, self.keys = port, keys
        self.ids = itertools.count()
        self.terminals: list[Socket] = []
        self.dealer: Socket | None = None
        self.round: Round | None = None
        self.bets_left: dict[str, int] = {}
        self.sent = self.accepted = self.refused = 0
        self.last: dict[str, bytes] = {}
        """The last message with credits that each terminal received."""
        self.answered: dict[str, asyncio.Future[dict[str, object]]] = {}
        self.sizes = [0, 0]
        self.settling: Round | None = None
        self.frame, self.marker = b"", b""
        self.token = ""

    async def open(self, token: str) -> None:
        path, self.token = f"/api/tables/{T}/socket", token
        self.dealer = await connect(
            self.port, "dealer", path, f"Authorization: Bearer {token}\r\n", self._receive_dealer
        )
        for seat, key in self.keys:
            headers = f"Authorization: Bearer {key}\r\n"
            self.terminals.append(await connect(self.port, seat, path, headers, self._receive))
        await self.send_all(b'"do":"take_seat","terminal":"rapid-a"')
        await self.send_all(b'"do":"buy_credits","cents":1000000')

    async def send_all(self, fields: bytes) -> None:
        """Send a request from every terminal and wait for the answers."""
        self.round, self.bets_left = Round(len(self.terminals)), {}
        for terminal in self.terminals:
            self._send(terminal, fields)
        await self.round.done

    def _send(self, terminal: Socket, fields: bytes) -> None:
        terminal.sent_at = perf_counter()
        self.sent += 1
        terminal.send(b'{"id":"b%d",%b}' % (next(self.ids), fields))

    def _receive(self, terminal: Socket, message: bytes) -> None:
        if message.startswith(b'{"id"'):
            now = perf_counter()
            assert self.round is not None
            self.round.took.append(now - terminal.sent_at)
            self.sizes[1] = len(message)
            self.last[terminal.name] = message
            if b'"ok":true' in message[:60]:
                self.accepted += 1
            else:
                self.refused += 1
            left = self.bets_left.get(terminal.name, 0)
            if left > 1:
                self.bets_left[terminal.name] = left - 1
                self._send(terminal, self._bet(terminal))
            else:
                self.round.count()
        elif self.settling is not None and self.marker in message:
            self.frame = self.last[terminal.name] = message
            self.settling.count()

    def _bet(self, terminal: Socket) -> bytes:
        fields = b'"do":"place_bets","bets":[{"position":"straight:%d","cents":%d}]' % (
            (next(self.ids) % 36) + 1,
            100 + 5 * (next(self.ids) % 20),
        )
        self.sizes[0] = len(fields) + 14
        return fields

    def _receive_dealer(self, dealer: Socket, message: bytes) -> None:
        if message.startswith(b'{"id"'):
            found: dict[str, object] = json.loads(message)
            self.answered.pop(str(found["id"])).set_result(found)

    async def deal(self, do: str, **fields: object) -> dict[str, object]:
        assert self.dealer is not None
        id = f"d{next(self.ids)}"
        answered = self.answered[id] = asyncio.get_running_loop().create_future()
        self.dealer.send(json.dumps({"id": id, "do": do, **fields}).encode())
        found: dict[str, object] = await answered
        assert found["ok"], found
        return found

    async def bet(self) -> list[float]:
        """Let all terminals bet at the same time, each one bet after the other. Return the latencies in seconds."""
        await self.deal("open_bets")
        self.round = Round(len(self.terminals))
        self.bets_left = {terminal.name: BETS for terminal in self.terminals}
        for terminal in self.terminals:
            self._send(terminal, self._bet(terminal))
        await self.round.done
        return self.round.took

    async def result(self) -> float:
        """Return the seconds from confirming a result until the last terminal has received the settlement."""
        await self.deal("close_bets")
        await self.deal("start_spin")
        await self.deal("observe_spin", ball="clockwise", wheel="anticlockwise", revolutions=14)
        await self.deal("ball_at_rest", outcome="17")
        self.settling, self.marker = Round(len(self.terminals)), b"result_registered"
        await self.deal("register_result", outcome="17")
        # Wait until all terminals have received the registered result. A Dealer also looks at the wheel at this point.
        await self.settling.done
        self.settling, self.marker = Round(len(self.terminals)), b"round_settled"
        began = perf_counter()
        confirmed = asyncio.ensure_future(self.deal("confirm_result"))
        await self.settling.done
        took = perf_counter() - began
        await confirmed
        return took

    async def check_credits(self) -> None:
        """Check that the credits sent to every terminal are those of the table."""
        request = Request(f"http://127.0.0.1:{self.port}/api/tables/{T}/state")
        request.add_header("Authorization", f"Bearer {self.token}")
        with urlopen(request) as answer:
            state = json.load(answer)
        for terminal in self.terminals:
            assert not terminal.closed, terminal.closed
            received = int(self.last[terminal.name].rpartition(b'"credits":')[2].partition(b",")[0])
            assert received == state["seats"][terminal.name]["credits"], terminal.name


class Bare:
    """The clients of the baseline, with the same number of sockets and messages of the same length."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.terminals: list[Socket] = []
        self.left: dict[str, int] = {}
        self.round: Round | None = None
        self.message = b""

    async def open(self) -> None:
        for n in range(TERMINALS):
            self.terminals.append(await connect(self.port, str(n), "/echo", "", self._receive))
        self.caster = await connect(self.port, "caster", "/broadcast", "", lambda _, __: None)

    def _receive(self, terminal: Socket, message: bytes) -> None:
        assert self.round is not None
        left = self.left.get(terminal.name, 0)
        if left:
            self.round.took.append(perf_counter() - terminal.sent_at)
        if left > 1:
            self.left[terminal.name] = left - 1
            terminal.sent_at = perf_counter()
            terminal.send(self.message)
        else:
            self.round.count()

    async def bet(self, size: int) -> list[float]:
        self.message = b"x" * size
        self.round, self.left = Round(len(self.terminals)), {terminal.name: BETS for terminal in self.terminals}
        for terminal in self.terminals:
            terminal.sent_at = perf_counter()
            terminal.send(self.message)
        await self.round.done
        return self.round.took

    async def result(self, frame: bytes) -> float:
        self.round, self.left = Round(len(self.terminals)), {}
        began = perf_counter()
        self.caster.send(b"x" * len(frame))
        await self.round.done
        return perf_counter() - began


async def measure(house: House, bare: Bare, token: str) -> None:
    await asyncio.gather(house.open(token), bare.open())
    acks: list[float] = []
    echoes: list[float] = []
    results: list[float] = []
    casts: list[float] = []
    for n in range(ROUNDS + 1):
        ours, result = await house.bet(), await house.result()
        theirs, cast = await bare.bet(house.sizes[1]), await bare.result(house.frame)
        if n:
            acks, echoes = acks + ours, echoes + theirs
            results.append(result)
            casts.append(cast)
    await house.check_credits()
    print(f"{house.sent} requests: {house.accepted} accepted, {house.refused} refused, all answered")
    assert house.sent == house.accepted + house.refused
    p99 = [quantiles(found, n=100)[98] for found in (acks, echoes)]
    _report("answer to a durable bet, median / a bare echo", median(acks), median(echoes), ACK_ALLOWED)
    _report("answer to a durable bet, 99th percentile / a bare echo", p99[0], p99[1], ACK_ALLOWED)
    _report("result to the last terminal / a bare broadcast", median(results), median(casts), RESULT_ALLOWED)


def _report(name: str, ours: float, theirs: float, allowed: float) -> None:
    ratio = ours / theirs
    verdict = "ok" if ratio <= allowed else "TOO SLOW"
    figures = f"{ours * 1000:.1f} ms to {theirs * 1000:.1f}"
    print(f"{name}: {ratio:.2f} (at most {allowed:g}; {figures}) {verdict}")


def run() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port: int = free.getsockname()[1]
        configuration, keys = prepare(folder, port)
        bound = socket.create_server(("127.0.0.1", 0), backlog=2048)
        serve = (sys.executable, "-m", "roundhouse", "house", "serve", "--config", str(folder / "house.toml"))
        bare = (sys.executable, "-m", "benchmarks.terminals_bare", str(bound.fileno()))
        with process(*serve, "--grace", "0"), process(*bare, files=(bound.fileno(),)):
            wait_for_server(port)
            token = log_in(port)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(measure(House(port, keys), Bare(bound.getsockname()[1]), token))
        verify(configuration)


def verify(configuration: Configuration) -> None:
    command = (sys.executable, "-m", "roundhouse", "audit", "verify", str(configuration.journal))
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    print(f"verify: {'ok' if found.returncode == 0 else 'NOT OK'}")
    if found.returncode:
        print(found.stdout[-2000:], found.stderr[-2000:])


if __name__ == "__main__":
    run()
