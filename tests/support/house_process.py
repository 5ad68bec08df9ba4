"""A house as a process: ``roundhouse serve`` on a folder, with terminals that were enrolled before it started."""

import signal
import socket
import subprocess
import sys
import time
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
from tests.support.houses import PASSWORD, quick

T = TableId("wheel-1")
TOML = """
[house]
name = "House"
currency = "SGD"
data = "."

[listen]
port = {port}

[requests]
log_ins_per_minute = 1000

[[tables]]
id = "wheel-1"
game = "rws-double-zero"
wheel = "simulated:{speed}"
automatic = true
betting_seconds = 20
"""


@dataclass
class Seat:
    """A terminal: where it sits and what opens its socket."""

    seat: str
    key: str
    kind: str


class HouseProcess:
    def __init__(self, folder: Path, seats: int, speed: int = 25) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.file = folder / "house.toml"
        self.file.write_text(TOML.format(port=self.port, speed=speed), encoding="utf-8")
        self.configuration: Configuration = replace(read(self.file), guests=Guests.LOOPBACK)
        self.seats = self._enrol(seats)
        self.log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def _enrol(self, seats: int) -> list[Seat]:
        store, key = open_store(self.configuration.journal)
        try:
            house = House(store, key, self.configuration, passwords=quick())
            now = Millis(time.time_ns() // 1_000_000)
            assert run_inline(house.staff.add(None, PersonId("dee"), "Dee", (Role.DEALER,), PASSWORD, now)) is None
            made = [run_inline(house.terminals.guest(T, None, "127.0.0.1", now)) for _ in range(seats)]
            return [
                Seat(one.terminal.seat, one.key, one.terminal.terminal) for one in made if isinstance(one, TerminalKey)
            ]
        finally:
            store.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = (sys.executable, "-m", "roundhouse", "serve", "--config", str(self.file), "--grace", "0")
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self) -> None:
        """As a power cut would: nothing is finished, nothing is said."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(30)
            self._process = None
