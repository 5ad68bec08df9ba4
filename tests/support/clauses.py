"""Ties tests to the clauses of the rule documents.

``shows`` and the decorators mark the clauses that a test covers, per game. ``complaints`` lists clauses without a
passing test and citations of unknown clauses. ``tests/conftest.py`` collects its input from the test run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest

from tests.documents.shelf import DOCUMENTS

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
