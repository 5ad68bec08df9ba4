"""The clause register is complete, matches the documents and is tied to tests that can fail."""

import os
import re
from importlib import import_module

import pytest

from roundhouse.rules.clauses import MetBy, RegisterDiffers, RegisterEntry, register_of
from roundhouse.rules.game import Game
from tests.documents import Document
from tests.support.clauses import Cited, complaints, each_document

PARTS = {"table", "journal", "floor", "wheelhead", "server", "web", "lab"}


@each_document()
def test_the_register_has_exactly_the_clauses_of_the_document(
    registers: dict[str, tuple[RegisterEntry, ...]], document: Document
) -> None:
    assert {entry.clause for entry in registers[document.game]} == document.all_numbers()


def test_every_clause_states_its_demand_and_how_it_is_met(registers: dict[str, tuple[RegisterEntry, ...]]) -> None:
    for game, register in registers.items():
        for entry in register:
            assert entry.demands.endswith("."), (game, entry.clause)
            assert entry.met, (game, entry.clause)


def test_modules_named_by_the_register_exist(registers: dict[str, tuple[RegisterEntry, ...]]) -> None:
    modules = {m.at for register in registers.values() for e in register for m in e.met if m.by is MetBy.CODE}
    assert modules
    for module in modules:
        import_module(f"roundhouse.{module}")


def test_the_register_names_only_known_parts_and_people(registers: dict[str, tuple[RegisterEntry, ...]]) -> None:
    later = {m.at for register in registers.values() for e in register for m in e.met if m.by is MetBy.LATER}
    people = {m.at for register in registers.values() for e in register for m in e.met if m.by is MetBy.PEOPLE}
    assert later <= PARTS
    assert people <= {"player", "dealer", "pit", "house"}


def test_a_register_with_unknown_clauses_is_refused(games: dict[str, Game]) -> None:
    with pytest.raises(RegisterDiffers, match=r"5\.99"):
        register_of(games["mbs-sands"].rulebook, '[clauses]\n"5.99" = []\n')


def test_a_clause_without_a_passing_test_is_reported() -> None:
    cited = [Cited("test_a", "game", "1.1"), Cited("test_b", "game", "1.2")]
    known = {"game": ["1.1", "1.2", "1.3"]}
    assert complaints({"game": ["1.1", "1.2"]}, known, cited, {"test_a", "test_b"}) == []
    assert "1.2" in complaints({"game": ["1.1", "1.2"]}, known, cited, {"test_a"})[0], "a failed test does not count"
    assert "1.3" in complaints(known, known, cited, {"test_a", "test_b"})[0]
    assert complaints(known, known, cited, None) == [], "a partial run is not checked for completeness"


def test_a_citation_of_an_unknown_clause_or_game_is_reported() -> None:
    known = {"game": ["1.1"]}
    assert "9.9" in complaints({}, known, [Cited("test_a", "game", "9.9")], None)[0]
    assert "other" in complaints({}, known, [Cited("test_a", "other", "1.1")], None)[0]


def test_a_test_run_fails_on_a_citation_of_an_unknown_clause(
    pytester: pytest.Pytester, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run the real hook in a nested test run."""
    conftest = request.config.rootpath / "tests" / "conftest.py"
    pytester.makeconftest(re.sub("^pytest_plugins = .*", "", conftest.read_text(), flags=re.MULTILINE))
    pytester.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.clause("mbs-sands", "5.99")
        def test_something():
            pass
        """
    )
    root = request.config.rootpath
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(root), str(root / "src")]))
    result = pytester.runpytest_subprocess("-W", "ignore", "test_it.py")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*cites mbs-sands 5.99, which is in no register*"])
