"""The page on the house is complete: every setting, event and refusal, by its name."""

import re
from pathlib import Path
from typing import get_args

import msgspec
from msgspec import Struct

from roundhouse.config import schema as plans
from roundhouse.people.events import ActorKind, AnyHouseEvent
from roundhouse.people.names import Refusal, Role

PAGE = (Path(__file__).parents[2] / "docs" / "HOUSE.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`\[*([\w.@]+)\]*`", PAGE))


def test_every_setting_is_explained() -> None:
    sections = [
        kind
        for kind in vars(plans).values()
        if isinstance(kind, type) and issubclass(kind, Struct) and kind is not plans.WheelSpec
    ]
    keys = {field.name for kind in sections for field in msgspec.structs.fields(kind)}
    assert len(keys) > 40
    assert keys <= NAMED, keys - NAMED


def test_every_event_refusal_and_position_is_explained() -> None:
    events = {str(kind.__struct_config__.tag) for kind in get_args(AnyHouseEvent)}
    words = {
        *events,
        *(refusal.value for refusal in Refusal),
        *(role.value for role in Role),
        *(kind.value for kind in ActorKind),
    }
    assert len(words) > 60
    assert words <= NAMED, words - NAMED
