"""The reference pages on the house are complete: they name every setting, event and refusal."""

import re
from pathlib import Path
from typing import get_args

import msgspec
from msgspec import Struct

from roundhouse.config import schema as plans
from roundhouse.people.events import ActorKind, AnyHouseEvent
from roundhouse.people.names import HouseRefusal, Role

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def named(page: str) -> set[str]:
    return set(re.findall(r"`\[*([\w.@]+)\]*`", (REFERENCE / page).read_text(encoding="utf-8")))


def test_every_setting_is_documented() -> None:
    sections = [
        kind
        for kind in vars(plans).values()
        if isinstance(kind, type) and issubclass(kind, Struct) and kind is not plans.WheelSpec
    ]
    keys = {field.name for kind in sections for field in msgspec.structs.fields(kind)}
    assert len(keys) > 40
    assert keys <= named("house-toml.md"), keys - named("house-toml.md")


def test_every_event_refusal_and_position_is_documented() -> None:
    events = {str(kind.__struct_config__.tag) for kind in get_args(AnyHouseEvent)}
    expected = {
        *events,
        *(refusal.value for refusal in HouseRefusal),
        *(role.value for role in Role),
        *(kind.value for kind in ActorKind),
    }
    assert len(expected) > 60
    assert expected <= named("permissions.md"), expected - named("permissions.md")
