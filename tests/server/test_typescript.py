"""The generated TypeScript types match the Python types of the wire."""

from pathlib import Path

from roundhouse.server.typescript import OUTPUT, wire


def test_the_generated_typescript_types_are_up_to_date() -> None:
    generated = Path(__file__).parents[2] / OUTPUT
    assert generated.read_text(encoding="utf-8") == wire(), "out of date: run 'make wire'"
