"""Ties tests to the clauses of the rule documents.

``shows`` and the decorators mark the clauses that a test covers, per game. ``complaints`` lists clauses without a
passing test and citations of unknown clauses. ``tests/conftest.py`` collects its input from the test run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from roundhouse.rulebooks import TESTS_FILE
from roundhouse.rules.clauses import RegisterEntry
from tests.documents.shelf import DOCUMENTS

ROOT = Path(__file__).parents[2]
Game = str
Clause = str


@dataclass(frozen=True)
class Cited:
    test: str
    game: Game
    clause: Clause


def complaints(
    needed: Mapping[Game, Iterable[Clause]],
    known: Mapping[Game, Iterable[Clause]],
    cited: Iterable[Cited],
    passed: Iterable[str] | None,
) -> list[str]:
    """List the errors. ``passed`` contains the passed tests, or is ``None`` if only some tests were run."""
    cited = list(cited)
    wrong = [
        f"{cite.test} cites {cite.game} {cite.clause}, which is in no register"
        for cite in cited
        if cite.clause not in set(known.get(cite.game, ()))
    ]
    if passed is not None:
        tests = set(passed)
        covered = {(cite.game, cite.clause) for cite in cited if cite.test in tests}
        wrong += [
            f"{game} {clause} is registered as met by code or data, but no passing test cites it"
            for game, clauses in needed.items()
            for clause in clauses
            if (game, clause) not in covered
        ]
    return wrong


def _function(test: str) -> str:
    """Return the id of a test without its parameters."""
    return test.partition("[")[0]


def misnamed_tests(registers: Mapping[Game, tuple[RegisterEntry, ...]], cited: Iterable[Cited]) -> list[str]:
    """List the differences between the tests that the registers name and those that cite their clauses."""
    named = {
        (game, entry.clause, test) for game, register in registers.items() for entry in register for test in entry.tests
    }
    citing = {(cite.game, cite.clause, _function(cite.test)) for cite in cited}
    return [
        *(f"{test} cites {game} {clause}; run: make clauses" for game, clause, test in sorted(citing - named)),
        *(f"{test} does not cite {game} {clause}; run: make clauses" for game, clause, test in sorted(named - citing)),
    ]


def write_tests_file(cited: Iterable[Cited]) -> None:
    """Write the tests that cite each clause, in the order of games and clauses as text."""
    tests: dict[Game, dict[Clause, set[str]]] = {}
    for cite in cited:
        tests.setdefault(cite.game, {}).setdefault(cite.clause, set()).add(_function(cite.test))
    lines = ["# The tests that cite each clause. Written by 'make clauses'.\n"]
    for game in sorted(tests):
        lines.append(f"\n[{game}]\n")
        for clause, names in sorted(tests[game].items()):
            listed = ", ".join(f'"{name}"' for name in sorted(names))
            lines.append(f"'{clause}' = [{listed}]\n")
    TESTS_FILE.write_text("".join(lines), encoding="utf-8")


def find_code(at: str) -> object:
    """Return the function or class that a register names, or the path of the screen. Raises if there is none."""
    if "/" in at:
        path = ROOT / at
        if not path.is_file():
            raise LookupError(f"there is no file {at}")
        return path
    parts = at.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            module = import_module(".".join(("roundhouse", *parts[:length])))
        except ModuleNotFoundError:
            continue
        found: object = module
        for name in parts[length:]:
            found = getattr(found, name)
        if getattr(found, "__module__", None) != module.__name__:
            raise LookupError(f"{at} is not defined in {module.__name__}")
        return found
    raise LookupError(f"there is no module for {at}")


def shows(game: str, clauses: Mapping[str, str]) -> list[pytest.MarkDecorator]:
    """Return the marks for a game from a table such as ``{"mbs-sands": "3.5, 3.7"}``."""
    return [pytest.mark.clause(game, *clauses[game].split(", "))] if game in clauses else []


def each_document(clauses: Mapping[str, str] | None = None, *, ball: bool = False) -> pytest.MarkDecorator:
    """Run a test for every document, or with ``ball`` only for those of ball games."""
    return pytest.mark.parametrize(
        "document",
        [
            pytest.param(document, marks=shows(document.game, clauses or {}), id=document.game)
            for document in DOCUMENTS
            if document.zeros or not ball
        ],
    )


def each_layout(clauses: Mapping[str, str] | None = None) -> pytest.MarkDecorator:
    """Run a test for every layout of every document."""
    return pytest.mark.parametrize(
        ("document", "layout"),
        [
            pytest.param(document, layout, marks=shows(document.game, clauses or {}), id=f"{document.game} {layout}")
            for document in DOCUMENTS
            for layout in document.offers
        ],
    )
