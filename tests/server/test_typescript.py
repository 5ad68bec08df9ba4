"""The TypeScript types of the wire are those of the Python types."""

from pathlib import Path

from roundhouse.server.typescript import OUTPUT, wire


def test_the_types_of_the_screens_are_not_stale() -> None:
    written = Path(__file__).parents[2] / OUTPUT
    assert written.read_text(encoding="utf-8") == wire(), "run 'make wire'"
