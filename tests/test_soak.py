"""The soak: its tests are found, it counts every kind of fault, and its summary is in the documents."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.support.soak import PAGE, Counted, Tally, missing, page_with, rows

TESTS = Path(__file__).parent


def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in TESTS.rglob("test_*.py")}


def test_every_test_that_the_soak_repeats_belongs_to_it() -> None:
    """A module that takes a number from ``times`` has a test that requests ``tally``, by which the soak selects it."""
    for path, tree in trees().items():
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
        text = path.read_text(encoding="utf-8")
        if {"times", "SOAK"} & names and path != Path(__file__):
            assert re.search(r"\btally: Tally\b|usefixtures\(\"tally\"\)", text), path
        if path != Path(__file__):
            assert "ROUNDHOUSE_TESTS" not in text, f"{path}: use tests.support.soak.times"


def test_every_kind_of_fault_is_counted_by_a_test() -> None:
    counted = {
        node.attr
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Counted"
    }
    assert counted >= {kind.name for kind in Counted}


def test_the_summary_in_the_page_is_of_a_whole_soak() -> None:
    text = PAGE.read_text(encoding="utf-8")
    if "No whole soak is recorded" in text:
        pytest.skip("no whole soak is recorded; run: make soak OPTIONS=--write-soak")
    found = {row[0]: int(row[1].replace(",", "")) for row in re.findall(r"^\| ([^|]+) \| ([\d,]+)[^|]* \|", text, re.M)}
    assert [kind.text for kind in Counted if not found.get(kind.text)] == [], "run: make soak OPTIONS=--write-soak"
    assert "0 tests failed" in text


def test_a_summary_adds_up_and_names_what_is_missing() -> None:
    tally = Tally()
    tally.add(Counted.TABLE_KILLED, 1200, "bets open")
    tally.add(Counted.TABLE_KILLED, 34, "at rest")
    tally.add(Counted.NIGHT)
    lines = {text: number for text, number, _ in rows(tally.counts)}
    assert lines[Counted.TABLE_KILLED.text] == "1,234 (at rest 34, bets open 1,200)"
    assert lines[Counted.NIGHT.text] == "1"
    assert len(missing(tally.counts)) == len(Counted) - 2
    assert missing(Counter({(kind.name, ""): 1 for kind in Counted})) == []
    page = "a\n<!-- written by the soak -->\nold\n<!-- end -->\nb\n"
    assert page_with(page, ["new", "lines"]) == "a\n<!-- written by the soak -->\nnew\nlines\n<!-- end -->\nb\n"


def test_a_test_that_requests_tally_is_marked(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "import pytest\nfrom tests.conftest import pytest_collection_modifyitems, tally\n"
        "def pytest_configure(config): config.addinivalue_line('markers', 'soak')\n"
    )
    pytester.makepyfile("def test_it(tally): tally.add\ndef test_other(): pass\n")
    pytester.runpytest("-m", "soak").assert_outcomes(passed=1, deselected=1)
