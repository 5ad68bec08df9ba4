"""A running house with a thousand terminals, each betting in every round, beside a bare echo and a bare broadcast.

Everything is real: ``roundhouse serve`` in a process of its own, its journal on the disk, sockets over loopback.
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


def prepare(folder: Path, port: int) -> tuple[Configuration, list[tuple[str, str]]]:
    """A house with a dealer and a thousand enrolled terminals: each one's seat and key."""
    (folder / "house.toml").write_text(_TOML.format(port=port), encoding="utf-8")
    configuration = replace(read(folder / "house.toml"), guests=Guests.LOOPBACK)
    store, key = open_store(configuration.journal)
    try:
        house = open_house(configuration, store, key)
        now = Millis(time_ns() // 1_000_000)
        added = house.staff.add(None, PersonId("dee"), "Dee", (Role.DEALER,), PASSWORD, now)
        assert run_inline(added) is None
        keys = []
        for _ in range(TERMINALS):
            made = run_inline(house.terminals.guest(T, None, "127.0.0.1", now))
            assert isinstance(made, TerminalKey), made
            keys.append((str(made.terminal.seat), made.key))
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


def answers(port: int, seconds: float = 60) -> None:
    """Waits until something listens."""
    until = perf_counter() + seconds
    while perf_counter() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            sleep(0.05)
    raise TimeoutError("the server does not start")


def log_in(port: int) -> str:
    said = {"name": "dee", "password": PASSWORD, "console": T, "program": True}
    request = Request(f"http://127.0.0.1:{port}/api/log-in", json.dumps(said).encode())
    request.add_header("content-type", "application/json")
    with urlopen(request) as answer:
        token: str = json.load(answer)["token"]
        return token


class Round:
    """What happens at all sockets until everybody has what he waits for."""

    def __init__(self, expected: int) -> None:
        self.left = expected
        self.done = asyncio.get_running_loop().create_future()
        self.took: list[float] = []

    def one(self) -> None:
        self.left -= 1
        if not self.left and not self.done.done():
            self.done.set_result(None)


class House:
    """Our side: terminals that bet and a dealer who deals, by hand."""

    def __init__(self, port: int, keys: list[tuple[str, str]]) -> None:
        self.port, self.keys = port, keys
        self.ids = itertools.count()
        self.terminals: list[Socket] = []
        self.dealer: Socket | None = None
        self.round: Round | None = None
        self.bets_left: dict[str, int] = {}
        self.sent = self.accepted = self.refused = 0
        self.last: dict[str, bytes] = {}
        """The last message to each terminal that says what credits it has."""
        self.answered: dict[str, asyncio.Future[dict[str, object]]] = {}
        self.sizes = [0, 0]
        self.settling: Round | None = None
        self.frame, self.marker = b"", b""
        self.token = ""

    async def open(self, token: str) -> None:
        path, self.token = f"/api/tables/{T}/socket", token
        self.dealer = await connect(self.port, "dealer", path, f"Authorization: Bearer {token}\r\n", self._dealt)
        for seat, key in self.keys:
            headers = f"Authorization: Bearer {key}\r\n"
            self.terminals.append(await connect(self.port, seat, path, headers, self._told))
        await self.everybody(b'"do":"take_seat","terminal":"rapid-a"')
        await self.everybody(b'"do":"buy_credits","cents":100000000')

    async def everybody(self, what: bytes) -> None:
        self.round, self.bets_left = Round(len(self.terminals)), {}
        for one in self.terminals:
            self._ask(one, what)
        await self.round.done

    def _ask(self, terminal: Socket, what: bytes) -> None:
        terminal.sent_at = perf_counter()
        self.sent += 1
        terminal.send(b'{"id":"b%d",%b}' % (next(self.ids), what))

    def _told(self, terminal: Socket, message: bytes) -> None:
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
                self._ask(terminal, self._bet(terminal))
            else:
                self.round.one()
        elif self.settling is not None and self.marker in message:
            self.frame = self.last[terminal.name] = message
            self.settling.one()

    def _bet(self, terminal: Socket) -> bytes:
        what = b'"do":"place_bets","bets":[{"position":"straight:%d","cents":%d}]' % (
            (next(self.ids) % 36) + 1,
            100 + 5 * (next(self.ids) % 20),
        )
        self.sizes[0] = len(what) + 14
        return what

    def _dealt(self, dealer: Socket, message: bytes) -> None:
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
        """Every terminal places its bets one after the other, all terminals at once."""
        await self.deal("open_bets")
        self.round = Round(len(self.terminals))
        self.bets_left = {one.name: BETS for one in self.terminals}
        for one in self.terminals:
            self._ask(one, self._bet(one))
        await self.round.done
        return self.round.took

    async def result(self) -> float:
        """From the dealer's confirming to the last terminal that knows the result and its money."""
        await self.deal("close_bets")
        await self.deal("start_spin")
        await self.deal("ball_at_rest", outcome="17")
        self.settling, self.marker = Round(len(self.terminals)), b"result_registered"
        await self.deal("register_result", outcome="17")
        # Between registering and confirming people look at the wheel; by then everybody has read what came before.
        await self.settling.done
        self.settling, self.marker = Round(len(self.terminals)), b"round_settled"
        began = perf_counter()
        confirmed = asyncio.ensure_future(self.deal("confirm_result"))
        await self.settling.done
        took = perf_counter() - began
        await confirmed
        return took

    async def money(self) -> None:
        """What every terminal was told that it has is what the table has."""
        request = Request(f"http://127.0.0.1:{self.port}/api/tables/{T}/state")
        request.add_header("Authorization", f"Bearer {self.token}")
        with urlopen(request) as answer:
            state = json.load(answer)
        for one in self.terminals:
            assert not one.closed, one.closed
            told = int(self.last[one.name].rpartition(b'"credits":')[2].partition(b",")[0])
            assert told == state["seats"][one.name]["credits"], one.name


class Bare:
    """The other side: the same sockets, messages of the same length, and nothing behind them."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.terminals: list[Socket] = []
        self.left: dict[str, int] = {}
        self.round: Round | None = None
        self.message = b""

    async def open(self) -> None:
        for n in range(TERMINALS):
            self.terminals.append(await connect(self.port, str(n), "/echo", "", self._told))
        self.caster = await connect(self.port, "caster", "/broadcast", "", lambda _, __: None)

    def _told(self, terminal: Socket, message: bytes) -> None:
        assert self.round is not None
        left = self.left.get(terminal.name, 0)
        if left:
            self.round.took.append(perf_counter() - terminal.sent_at)
        if left > 1:
            self.left[terminal.name] = left - 1
            terminal.sent_at = perf_counter()
            terminal.send(self.message)
        else:
            self.round.one()

    async def bet(self, size: int) -> list[float]:
        self.message = b"x" * size
        self.round, self.left = Round(len(self.terminals)), {one.name: BETS for one in self.terminals}
        for one in self.terminals:
            one.sent_at = perf_counter()
            one.send(self.message)
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
    await house.money()
    print(f"{house.sent} requests: {house.accepted} accepted, {house.refused} refused, none without an answer")
    assert house.sent == house.accepted + house.refused
    p99 = [quantiles(found, n=100)[98] for found in (acks, echoes)]
    _say("acknowledgement of a durable bet, median, to a bare echo", median(acks), median(echoes), ACK_ALLOWED)
    _say("acknowledgement of a durable bet, 99th of 100, to a bare echo", p99[0], p99[1], ACK_ALLOWED)
    _say("result to the last terminal, to a bare broadcast", median(results), median(casts), RESULT_ALLOWED)


def _say(name: str, ours: float, theirs: float, allowed: float) -> None:
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
        serve = (sys.executable, "-m", "roundhouse", "serve", "--config", str(folder / "house.toml"), "--grace", "0")
        bare = (sys.executable, "-m", "benchmarks.terminals_bare", str(bound.fileno()))
        with process(*serve), process(*bare, files=(bound.fileno(),)):
            answers(port)
            token = log_in(port)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(measure(House(port, keys), Bare(bound.getsockname()[1]), token))
        _verify(configuration)


def _verify(configuration: Configuration) -> None:
    command = (sys.executable, "-m", "roundhouse", "verify", str(configuration.journal))
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    print(f"verify: {'ok' if found.returncode == 0 else 'NOT OK'}")
    if found.returncode:
        print(found.stdout[-2000:], found.stderr[-2000:])


if __name__ == "__main__":
    run()
