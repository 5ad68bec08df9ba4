"""Running the house, on the wire: is it well, what is it, what do its chains end with."""

from enum import StrEnum
from typing import Literal

from msgspec import Struct

from roundhouse.table.names import Millis, TableId


class Health(Struct, frozen=True):
    well: bool
    journal: Literal["writable", "unavailable"]
    tables: dict[TableId, bool]
    """Whether each table's writer is alive."""


class ChainHead(Struct, frozen=True):
    """Where a chain ends. Noted down elsewhere, it proves later that nothing was taken off the end."""

    table: TableId
    entries: int
    hash: str


class ComparedWith(StrEnum):
    """What the software was held against besides its own start, as the proof names it."""

    INSTALLED = "installed"
    GIVEN = "given"
    NONE = "none"
    """A checkout of the sources has no list of the installer: only that nothing changed since the start is known."""


class SelfCheck(Struct, frozen=True):
    """The hash of the software itself, as it was found when last looked."""

    at: Millis
    software: str
    expected: str
    """The hash of the start."""
    agrees: bool
    compared_with: ComparedWith


class TheHouse(Struct, frozen=True):
    name: str
    version: str
    now: Millis
    currency: str
    guests: bool
    """Whether guests may sit down."""
    self_check: SelfCheck | None
    chains: tuple[ChainHead, ...]
    """For staff; nothing for others."""
