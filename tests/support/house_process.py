"""A house in its own process: ``roundhouse serve`` on a folder."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from roundhouse.config.loading import Configuration, read
from roundhouse.config.schema import Guests
from roundhouse.floor.opening import open_store
from roundhouse.house.house import House
from roundhouse.house.terminals import TerminalKey
from roundhouse.house.writer import run_inline
from roundhouse.people.names import PersonId, Role
from roundhouse.table.names import Millis, TableId
from tests.support.fork_server import ForkedProcess
from tests.support.houses import PASSWORD, quick
from tests.support.processes import free_port

T = TableId("wheel-1")
TOML = """
[house]
name = "House"
currency = "XXX"
play_money = true
data = "."

[listen]
port = {port}

[requests]
log_ins_per_minute = 1000

[money.buy_in]
player = { max = 1000000000 }

[[tables]]
id = "wheel-1"
game = "rws-double-zero"
wheel = "simulated:{speed}"
automatic = true
betting_seconds = 20

[tables.limits]
seat = { min = 1, max = 100000000 }
"""


@dataclass
class Seat:
    """An enrolled terminal: its seat, its key and its kind."""

    seat: str
    key: str
    kind: str


class HouseProcess:
    """``roundhouse serve`` with a configuration. Its people are added before it starts."""

    def __init__(self, folder: Path, toml: str) -> None:
        """Write the configuration ``toml`` to a file. ``{port}`` in it is replaced by a free port."""
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.file, self.log = folder / "house.toml", folder / "log"
        self.file.write_text(toml.replace("{port}", str(self.port)), encoding="utf-8")
        self.configuration: Configuration = replace(read(self.file), guests=Guests.LOOPBACK)
        self._process: ForkedProcess | None = None
        self.grace_seconds = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def before_start(self) -> Iterator[tuple[House, Millis]]:
        """Open the house in this process, to add people and terminals. Yields the house and the current time."""
        store, key = open_store(self.configuration.journal)
        try:
            yield House(store, key, self.configuration, passwords=quick()), Millis(time.time_ns() // 1_000_000)
        finally:
            store.close()

    def start(self) -> None:
        arguments = ("serve", "--config", str(self.file), "--grace", str(self.grace_seconds))
        with self.log.open("ab") as log:
            self._process = ForkedProcess(*arguments, stdout=log.fileno(), stderr=log.fileno())

    def kill(self) -> None:
        """End the process as a power cut would."""
        self.end(signal.SIGKILL)

    def stop(self) -> None:
        self.end(signal.SIGTERM)

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None, "the house runs"
        self._process.send_signal(number)

    def end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(60)
            self._process.close()
            self._process = None


class SeatedHouse(HouseProcess):
    """A house with one automatic table and terminals that were enrolled before it started."""

    def __init__(self, folder: Path, seats: int, speed: int = 25) -> None:
        super().__init__(folder, TOML.replace("{speed}", str(speed)))
        with self.before_start() as (house, now):
            assert run_inline(house.staff.add(None, PersonId("dee"), "Dee", (Role.DEALER,), PASSWORD, now)) is None
            guests = [run_inline(house.terminals.guest(T, None, "127.0.0.1", now)) for _ in range(seats)]
        self.seats = [
            Seat(one.terminal.seat, one.key, one.terminal.terminal) for one in guests if isinstance(one, TerminalKey)
        ]
