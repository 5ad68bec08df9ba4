"""Parameters that carry the clauses which a test shows *for that game*, and for no other."""

from collections.abc import Mapping

import pytest

from tests.documents.shelf import DOCUMENTS


def shows(game: str, clauses: Mapping[str, str]) -> list[pytest.MarkDecorator]:
    """The mark of a game in a table such as ``{"mbs-sands": "3.5, 3.7"}``."""
    return [pytest.mark.clause(game, *clauses[game].split(", "))] if game in clauses else []


def each_document(clauses: Mapping[str, str] | None = None, *, ball: bool = False) -> pytest.MarkDecorator:
    """Every document, or those of the ball games."""
    return pytest.mark.parametrize(
        "document",
        [
            pytest.param(document, marks=shows(document.game, clauses or {}), id=document.game)
            for document in DOCUMENTS
            if document.zeros or not ball
        ],
    )


def each_layout(clauses: Mapping[str, str] | None = None) -> pytest.MarkDecorator:
    """Every layout of every document."""
    return pytest.mark.parametrize(
        ("document", "layout"),
        [
            pytest.param(document, layout, marks=shows(document.game, clauses or {}), id=f"{document.game} {layout}")
            for document in DOCUMENTS
            for layout in document.offers
        ],
    )
