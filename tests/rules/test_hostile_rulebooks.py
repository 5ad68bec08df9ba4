"""Rulebook files that would take minutes to parse are refused before they are parsed."""

import re
from pathlib import Path

import pytest

from roundhouse import rulebooks
from roundhouse.rules.errors import InvalidRulebook
from roundhouse.rules.loading import MAX_BYTES
from tests.rules.test_loading import faults_of, text_of

HOSTILE = {
    "large": ("# " + "x" * MAX_BYTES, "more than 256 KiB"),
    "dotted key": ("a." * 50_000 + "a = 1", "more than 100 dots"),
    "dotted heading": ("[" + "'a b'." * 20_000 + "a]", "more than 100 dots"),
    "many keys": ("".join(f"k{n} = 1\n" for n in range(20_000)), "more unknown keys"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused_before_it_costs_much(kind: str) -> None:
    text, wrong = HOSTILE[kind]
    found = faults_of(text)
    assert len(found) < 200
    assert any(wrong in fault.wrong for fault in found), found[:3]


@pytest.mark.parametrize(
    ("rows", "columns", "wrong"), [(3000, 3, "100 rows or columns"), (3, 300, "100 rows"), (60, 60, "400 cells")]
)
def test_a_huge_picture_is_refused(rows: int, columns: int, wrong: str) -> None:
    picture = "\n".join(" ".join(f"{row}x{column}" for column in range(columns)) for row in range(rows))
    text = re.sub(
        r"picture = \'\'\'.*?\'\'\'", f"picture = '''{picture}'''", text_of("rws-money-wheel"), flags=re.DOTALL
    )
    assert any(wrong in fault.wrong for fault in faults_of(text))


def test_no_more_than_the_largest_rulebook_is_read_from_a_file(tmp_path: Path) -> None:
    """A file without an end is refused as well."""
    with pytest.raises(InvalidRulebook, match="more than 256 KiB"):
        rulebooks.read(Path("/dev/zero"))
    file = tmp_path / "large.toml"
    file.write_text(text_of("rws-money-wheel") + "#" * MAX_BYTES, encoding="utf-8")
    with pytest.raises(InvalidRulebook, match="more than 256 KiB"):
        rulebooks.find(str(file))
