"""Every position of every layout, compared with an independent calculation and the documents."""

import pytest

from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout, Position
from roundhouse.rules.names import Cents, LayoutId, Pocket, PositionId
from roundhouse.rules.settlement import Bet
from tests.documents import Document
from tests.documents.shelf import DOCUMENTS
from tests.support.clauses import each_layout
from tests.support.layout_arithmetic import Bets

LAYOUTS = [(document, layout) for document in DOCUMENTS for layout in document.offers]
OFFERS = [
    pytest.param(
        document,
        layout,
        clause,
        expected,
        marks=pytest.mark.clause(document.game, clause),
        id=f"{document.game} {layout} {clause}",
    )
    for document, layout in LAYOUTS
    for clause, expected in document.offers[layout].items()
]
PRICES = [
    pytest.param(
        document,
        layout,
        row,
        *price,
        marks=pytest.mark.clause(document.game, row),
        id=f"{document.game} {layout} {row}",
    )
    for document, layout in LAYOUTS
    for row, price in document.pays[layout].items()
]


def layout_of(games: dict[str, Game], document: Document, layout: str) -> Layout:
    return games[document.game].layouts[LayoutId(layout)]


def offered(document: Document, layout: str) -> Bets:
    """Collect every bet that the document describes for a layout."""
    return {id: covers for of in document.offers[layout].values() for id, covers in of.items()}


@each_layout()
def test_a_layout_has_the_documented_number_of_positions(
    games: dict[str, Game], document: Document, layout: str
) -> None:
    assert len(layout_of(games, document, layout).positions) == document.positions[layout]


@each_layout(
    {
        "rws-double-zero": "Appendix A, Appendix B",
        "rws-triple-zero": "Appendix A",
        "mbs-sands": "Diagram A, Diagram B, 3.3, 3.4",
        "mbs-electronic-double-zero": "Appendix A, 3.3, 3.4",
        "rws-money-wheel": "3.3",
    }
)
def test_a_layout_offers_exactly_the_documented_bets(games: dict[str, Game], document: Document, layout: str) -> None:
    found = {p.id: frozenset(p.covers) for p in layout_of(games, document, layout).positions}
    assert found == offered(document, layout)


@pytest.mark.parametrize(("document", "layout", "clause", "expected"), OFFERS)
def test_a_clause_describes_exactly_these_bets(
    games: dict[str, Game], document: Document, layout: str, clause: str, expected: Bets
) -> None:
    positions = layout_of(games, document, layout).positions
    assert {p.id: frozenset(p.covers) for p in positions if clause in p.described} == expected


@each_layout()
def test_covered_pockets_are_in_canonical_order(games: dict[str, Game], document: Document, layout: str) -> None:
    order = [*document.zeros.split(), *map(str, range(1, 37))] if document.zeros else None
    for position in layout_of(games, document, layout).positions:
        if order:
            assert list(position.covers) == sorted(position.covers, key=order.index)
        if position.type in {"straight", "split", "street", "corner", "line"}:
            assert position.id == f"{position.type}:{'-'.join(position.covers)}"


def priced_by(positions: tuple[Position, ...], bets: str) -> list[Position]:
    return [p for p in positions if p.type in bets.split() or p.id in bets.split()]


@pytest.mark.parametrize(("document", "layout", "row", "bets", "pays"), PRICES)
def test_a_row_of_the_pay_table_pays_its_odds(
    games: dict[str, Game], document: Document, layout: str, row: str, bets: str, pays: int
) -> None:
    """Settle every position of the row for every outcome."""
    game = games[document.game]
    prices = game.prices(LayoutId(layout))
    covers = offered(document, layout)
    positions = priced_by(layout_of(games, document, layout).positions, bets)
    assert positions
    for position in positions:
        assert position.pays == pays
        for outcome in game.wheel.pockets:
            (settled,) = prices.settle(outcome, [Bet(position.id, Cents(700))]).bets
            wins = outcome in covers[position.id]
            assert settled.returned == (700 * (pays + 1) if wins else 0)
            assert settled.clause == (row.partition(" / ")[0] if wins else document.losing.get(outcome, document.loses))


@each_layout(
    {
        "rws-double-zero": "3.1, 3.9, 4.1, 4.1.1, 4.1.2",
        "rws-triple-zero": "3.1, 3.9, 4.1",
        "mbs-sands": "4.1",
        "mbs-electronic-double-zero": "4.1",
        "rws-money-wheel": "4.1",
    }
)
def test_all_returns_add_up_to_the_checksum(games: dict[str, Game], document: Document, layout: str) -> None:
    """Settle one unit on every position for every outcome. The checksum was counted by hand."""
    game = games[document.game]
    prices = game.prices(LayoutId(layout))
    slip = [Bet(position.id, Cents(1)) for position in layout_of(games, document, layout).positions]
    assert sum(prices.settle(outcome, slip).returned for outcome in game.wheel.pockets) == document.checksum[layout]


@each_layout({"rws-double-zero": "3.8", "rws-triple-zero": "3.8", "mbs-electronic-double-zero": "4.2, 4.2.1"})
def test_only_bets_that_cover_a_zero_win_on_it(games: dict[str, Game], document: Document, layout: str) -> None:
    prices = games[document.game].prices(LayoutId(layout))
    for zero in document.zeros.split():
        for position, covers in offered(document, layout).items():
            (settled,) = prices.settle(Pocket(zero), [Bet(PositionId(position), Cents(100))]).bets
            assert (settled.returned > 0) == (zero in covers)
            if zero not in covers and document.losing:
                assert settled.clause == document.losing[zero]
