"""The page of the wire: every example is read by its type, and nothing that can be said or closed with is left out."""

import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from roundhouse.server.settings import Settings
from roundhouse.table.commands import AnyCommand
from roundhouse.wire.messages import (
    CODES,
    POLICY,
    ChangeMessage,
    CloseReason,
    DoneMessage,
    FromClient,
    HouseMessage,
    SnapshotMessage,
)
from roundhouse.wire.tables import HouseAnswer, NumberedAnswer

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "websocket.md").read_text(encoding="utf-8")
TYPES: dict[str, Any] = {
    "from-client": FromClient,
    "answer": NumberedAnswer,
    "house-answer": HouseAnswer,
    "done": DoneMessage,
    "snapshot": SnapshotMessage,
    "change": ChangeMessage,
    "house": HouseMessage,
}
EXAMPLES = [
    (kind, line)
    for kind, block in re.findall(r"```json (\S+)\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]


@pytest.mark.parametrize(("kind", "line"), EXAMPLES)
def test_every_example_is_what_it_says(kind: str, line: str) -> None:
    read = msgspec.json.decode(line, type=TYPES[kind])
    said, again = msgspec.json.decode(line), msgspec.json.decode(msgspec.json.encode(read))
    # What is written again has everything that was said, and defaults beside it.
    assert _within(said, again), f"the types know nothing of a part of this: {again}"


def _within(said: Any, known: Any) -> bool:
    if isinstance(said, dict):
        return isinstance(known, dict) and all(
            key in known and _within(value, known[key]) for key, value in said.items()
        )
    if isinstance(said, list):
        return len(said) == len(known) and all(map(_within, said, known))
    return bool(said == known)


def test_every_kind_of_message_has_an_example() -> None:
    assert {kind for kind, _ in EXAMPLES} == set(TYPES)
    shown = {msgspec.json.decode(line)["do"] for kind, line in EXAMPLES if kind == "from-client"}
    own = {kind.__struct_config__.tag for kind in get_args(FromClient)}
    assert own - {str(command.__struct_config__.tag) for command in get_args(AnyCommand)} <= shown


def test_limits_and_reasons_are_those_of_the_page() -> None:
    limits = PAGE.partition("## Limits")[2]
    settings = Settings()
    for why in CloseReason:
        assert f"`{why.value}`" in limits
        assert CODES.get(why, POLICY) == POLICY or f"`{why.value}` ({CODES[why]})" in limits
    figures = (
        (settings.message_bytes // 1024, "kB"),
        (int(settings.messages.per_second), "times a second"),
        (settings.messages.at_once, "at once"),
        (settings.unanswered, "requests may wait"),
        (settings.unread_bytes // 1024, "kB wait"),
        (settings.sockets_per_caller, "sockets"),
        (settings.observers, "spectators may watch"),
        (settings.unread_bytes * 16 // 1024 // 1024, "MB"),
    )
    for number, words in figures:
        assert f"{number} {words}" in limits
