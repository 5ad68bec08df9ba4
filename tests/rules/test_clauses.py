"""The clause register is complete, matches the documents and is tied to tests that can fail."""

import ast
import os
import re
import tomllib
from pathlib import Path

import pytest

from roundhouse import rulebooks
from roundhouse.rules.clauses import Means, MetBy, RegisterDiffers, RegisterEntry, readings, register_of
from roundhouse.rules.game import Game
from roundhouse.rules.names import Clause, GameId
from tests.documents import Document
from tests.support.clauses import ROOT, Cited, complaints, each_document, find_code, misnamed_tests


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


def places(registers: dict[str, tuple[RegisterEntry, ...]], by: MetBy) -> set[str]:
    return {means.at for register in registers.values() for entry in register for means in entry.met if means.by is by}


def test_the_register_names_functions_classes_and_screens_that_exist(
    registers: dict[str, tuple[RegisterEntry, ...]],
) -> None:
    named = places(registers, MetBy.CODE)
    assert len(named) > 50
    for at in named:
        found = find_code(at)
        assert isinstance(found, Path) or callable(found), f"{at} names no function, class or screen"


@pytest.mark.parametrize("at", ["table.round.confirm", "table.rounds.confirm_result", "web/src/layout/Nothing.svelte"])
def test_a_name_that_does_not_exist_is_found_out(at: str) -> None:
    with pytest.raises((LookupError, AttributeError)):
        find_code(at)


def test_data_that_the_register_names_is_in_the_rulebook(registers: dict[str, tuple[RegisterEntry, ...]]) -> None:
    for game, register in registers.items():
        raw = tomllib.loads(rulebooks.shipped(GameId(game)).read_text(encoding="utf-8"))
        for entry in register:
            for means in entry.met:
                if means.by is MetBy.DATA and means.so != "Stated there.":
                    value: object = raw
                    for key in means.at.split("."):
                        assert isinstance(value, dict), (game, means.at)
                        assert key in value, (game, means.at)
                        value = value[key]


def test_the_register_names_only_known_roles(registers: dict[str, tuple[RegisterEntry, ...]]) -> None:
    assert places(registers, MetBy.PEOPLE) <= {"player", "dealer", "pit", "house"}


def test_every_row_that_code_or_data_meets_names_a_test_that_exists(
    registers: dict[str, tuple[RegisterEntry, ...]],
) -> None:
    """A whole test run also checks that these tests pass and cite the clause."""
    functions: dict[str, set[str]] = {}
    for game, register in registers.items():
        for entry in register:
            assert entry.tests or not entry.needs_test, (game, entry.clause, "run: make clauses")
            for test in entry.tests:
                file, _, name = test.partition("::")
                if file not in functions:
                    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
                    functions[file] = {
                        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                    }
                assert name in functions[file], test


def test_a_register_that_names_other_tests_than_cite_a_clause_is_reported() -> None:
    entry = RegisterEntry(Clause("1.1"), "Something.", (Means(MetBy.CODE, "a.b", "It does."),), ("t.py::test_a",))
    registers = {"game": (entry,)}
    assert misnamed_tests(registers, [Cited("t.py::test_a[x]", "game", "1.1")]) == []
    assert "make clauses" in misnamed_tests(registers, [])[0]
    both = [Cited("t.py::test_a", "game", "1.1"), Cited("t.py::test_b", "game", "1.1")]
    assert "test_b cites" in misnamed_tests(registers, both)[0]


def test_every_reading_is_shown_with_a_clause_or_has_none(games: dict[str, Game]) -> None:
    without_clause = {"version", "effective", "authority.ladder", "authority.titles", "authority.declares"}
    for game in games.values():
        grouped = readings(game.rulebook)
        assert {note.at for note in grouped.get(None, ())} <= without_clause
        assert {note for notes in grouped.values() for note in notes} == set(game.rulebook.inferred)
        assert set(grouped) - {None} <= set(game.rulebook.clauses)
    sands = readings(games["mbs-sands"].rulebook)
    assert [note.at for note in sands[Clause("3.7")]] == ["spin.result"], "a note on one key is not one on its table"


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
