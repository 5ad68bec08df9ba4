"""An entry of the house's chain: when, by whom, and what happened. Stored as JSON; the bytes are hashed."""

from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct

from roundhouse.people.events import AnyHouseEvent
from roundhouse.people.names import PersonId, Role, TerminalNumber
from roundhouse.table.names import Millis


class Kind(StrEnum):
    PERSON = "person"
    TERMINAL = "terminal"
    HOUSE = "house"
    """The house by itself: a clock, a rule."""
    ENGINEER = "engineer"
    """Somebody with access to the machine, at its command line."""
    NOBODY = "nobody"
    """Somebody who has not shown who he is."""


class By(Struct, frozen=True, omit_defaults=True):
    """Who did it, in which position, and from where it came."""

    kind: Kind
    person: PersonId | None = None
    position: Role | None = None
    """Nothing where one's own affairs are concerned: logging in, out, one's password."""
    terminal: TerminalNumber | None = None
    address: str | None = None


HOUSE: Final = By(Kind.HOUSE)
ENGINEER: Final = By(Kind.ENGINEER)


class HouseEntry(Struct, frozen=True, tag_field="entry", tag="house.v1"):
    seq: int
    at: Millis
    by: By
    event: AnyHouseEvent


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(HouseEntry).decode
