"""Checks docs/reference/websocket.md: its examples decode, and it lists all messages, limits and close reasons."""

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
    StoppingMessage,
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
    "stopping": StoppingMessage,
}
EXAMPLES = [
    (kind, line)
    for kind, block in re.findall(r"```json (\S+)\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]


@pytest.mark.parametrize(("kind", "line"), EXAMPLES)
def test_every_example_decodes_as_its_type(kind: str, line: str) -> None:
    read = msgspec.json.decode(line, type=TYPES[kind])
    example, again = msgspec.json.decode(line), msgspec.json.decode(msgspec.json.encode(read))
    # The encoded value has all fields of the example, and may add defaults.
    assert _within(example, again), f"the type lacks a field of the example: {again}"


def _within(part: Any, known: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(known, dict) and all(
            key in known and _within(value, known[key]) for key, value in part.items()
        )
    if isinstance(part, list):
        return len(part) == len(known) and all(map(_within, part, known))
    return bool(part == known)


def test_every_kind_of_message_has_an_example() -> None:
    assert {kind for kind, _ in EXAMPLES} == set(TYPES)
    examples = {msgspec.json.decode(line)["do"] for kind, line in EXAMPLES if kind == "from-client"}
    tags = {kind.__struct_config__.tag for kind in get_args(FromClient)}
    assert tags - {str(command.__struct_config__.tag) for command in get_args(AnyCommand)} <= examples


def test_the_page_lists_all_limits_and_close_reasons() -> None:
    limits = PAGE.partition("## Limits")[2]
    settings = Settings()
    for reason in CloseReason:
        assert f"`{reason.value}`" in limits
        assert CODES.get(reason, POLICY) == POLICY or f"`{reason.value}` ({CODES[reason]})" in limits
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
    for number, unit in figures:
        assert f"{number} {unit}" in limits
