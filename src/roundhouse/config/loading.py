"""Reads ``house.toml`` into a checked configuration, or reports all its faults.

A configuration contains no secrets.
"""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec.inspect
from msgspec import convert

from roundhouse.config.checks import check
from roundhouse.config.offers import offered_packages
from roundhouse.config.schema import Guests, HouseConfig, TableConfig, TerminalsConfig, WheelSpec, parse_wheel
from roundhouse.rules.errors import Fault, Faults, Places, UserError
from roundhouse.rules.game import Game
from roundhouse.rules.names import PackageId
from roundhouse.rules.schema import check_structure
from roundhouse.table.names import Millis, SeatId, TableId

JOURNAL = "house.db"
"""File name of the journal in the data folder."""
CONFIGURATION = "house.toml"

TEMPLATE: Final = Path(__file__).with_name("house.toml")
"""Commented configuration that ``roundhouse house init`` copies."""


class InvalidConfiguration(UserError):
    """A configuration file is invalid. ``faults`` lists all faults found in it."""

    def __init__(self, file: str, faults: tuple[Fault, ...]) -> None:
        self.file = file
        self.faults = faults
        super().__init__(file, faults)

    def __str__(self) -> str:
        count = len(self.faults)
        if count == 1:
            return f"{self.file}: {self.faults[0]}"
        return f"{self.file} has {count} faults: " + " · ".join(map(str, self.faults))


class CannotRead(UserError):
    """A configuration file could not be read from disk."""


@dataclass(frozen=True)
class TableGame:
    game: Game
    content: bytes
    """Bytes of the rulebook file, which the journal stores."""


@dataclass(frozen=True)
class Configuration:
    plan: HouseConfig
    folder: Path
    """Folder of the file. Paths in the file are relative to it."""
    games: Mapping[TableId, TableGame]
    wheels: Mapping[TableId, WheelSpec]
    hash: str
    """SHA-256 of the file, which the journal records."""
    guests: Guests = Guests.NOBODY

    @property
    def data(self) -> Path:
        return self.folder / self.plan.house.data

    @property
    def journal(self) -> Path:
        return self.data / JOURNAL

    @property
    def signing_key(self) -> Path | None:
        """File of the private key that signs the journal. ``None`` if it is beside the journal."""
        return self.folder / self.plan.house.key if self.plan.house.key else None

    def table(self, id: TableId) -> TableConfig:
        return next(table for table in self.plan.tables if table.id == id)

    def terminal_at(self, table: TableId, seat: SeatId) -> TerminalsConfig | None:
        for terminals in self.plan.terminals:
            if terminals.table == table and seat in terminals.seats:
                return terminals
        return None

    def offers_at(self, table: TableId) -> Mapping[SeatId, tuple[PackageId, ...]]:
        """Return the packages offered at each seat where the house does not offer all of the terminal's type."""
        terminals = self.games[table].game.terminals
        return {
            seat: offered_packages(terminals[plan.kind], plan.offers)
            for plan in self.plan.terminals
            if plan.table == table and plan.offers is not None
            for seat in plan.seats
        }


def read(path: Path, now: Millis | None = None) -> Configuration:
    """Read a configuration file. Raises ``InvalidConfiguration`` with all faults found.

    A house that is to be served gives the time ``now``, at which its rulebooks must be in force.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CannotRead(f"cannot read '{path}': {error.strerror or error}") from error
    return parse(content, path, now)


def configured_data(path: Path) -> Path:
    """Return the data folder that a configuration file names. The rest of the file is not checked."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CannotRead(f"cannot read '{path}': {error.strerror or error}") from error
    raw, _ = _parse(content, path)
    house = raw.get("house")
    data = house.get("data") if isinstance(house, dict) else None
    if not isinstance(data, str) or not data.strip():
        fault = Fault("house.data", None, "missing", "write the folder for the journal")
        raise InvalidConfiguration(str(path), (fault,))
    return path.parent / data


def parse(content: bytes, path: Path, now: Millis | None = None) -> Configuration:
    """Parse the content of a configuration file. If ``now`` is given, the rulebooks must be in force then."""
    raw, text = _parse(content, path)
    if isinstance(house := raw.get("house"), dict) and isinstance(house.get("witness"), str):
        house["witness"] = [house["witness"]]
    faults = Faults(Places(text))
    valid: Mapping[str, Any] = check_structure(raw, _configuration_type(), "", faults)
    games = check(valid, path.parent, faults, now)
    if faults.found:
        raise InvalidConfiguration(str(path), faults.in_file_order())
    plan = convert(valid, HouseConfig)
    table_games = {id: TableGame(*found) for id, found in games.items()}
    return Configuration(plan, path.parent, table_games, wheels_of(plan), hashlib.sha256(content).hexdigest())


def wheels_of(plan: HouseConfig) -> Mapping[TableId, WheelSpec]:
    return {table.id: parse_wheel(table.wheel) for table in plan.tables}


@cache
def _configuration_type() -> msgspec.inspect.Type:
    return msgspec.inspect.type_info(HouseConfig)


def _parse(content: bytes, path: Path) -> tuple[dict[str, Any], str]:
    try:
        text = content.decode().removeprefix("\ufeff")
        return tomllib.loads(text), text
    except UnicodeDecodeError as error:
        fault = Fault("file", None, f"byte {error.start} is not UTF-8 text", "save the file as UTF-8")
    except (ValueError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        fault = Fault("file", int(line[1]) if line else None, f"not valid TOML: {error}", "correct the file")
    raise InvalidConfiguration(str(path), (fault,))
