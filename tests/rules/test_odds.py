"""Exact odds, compared with an independent enumeration and with published figures."""

from fractions import Fraction

import pytest

from roundhouse.rules.game import Game
from roundhouse.rules.names import LayoutId, PackageId, PositionId, TerminalId
from roundhouse.rules.odds import odds_of_package, odds_of_position
from tests.documents import Document
from tests.support.clauses import each_document


def enumerated(results: list[Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    """Compute win probability, edge and variance of equally likely net results per unit staked."""
    mean = sum(results, Fraction(0)) / len(results)
    variance = sum(((result - mean) ** 2 for result in results), Fraction(0)) / len(results)
    return Fraction(sum(result > -1 for result in results), len(results)), -mean, variance


@each_document({"rws-money-wheel": "2.2.1"})
def test_odds_of_every_position_match_an_enumeration(games: dict[str, Game], document: Document) -> None:
    game = games[document.game]
    for id, layout in game.layouts.items():
        covers = {bet: pockets for offer in document.offers[id].values() for bet, pockets in offer.items()}
        pays = {bet: n for bets, n in document.pays[id].values() for bet in bets.split()}
        for position in layout.positions:
            n = pays.get(position.id, pays.get(position.type, 0))
            results = [Fraction(n if pocket in covers[position.id] else -1) for pocket in document.rim.split()]
            odds = odds_of_position(position, game.wheel)
            assert (odds.win, odds.edge, odds.variance) == enumerated(results)


@each_document()
def test_odds_of_every_package_match_an_enumeration(games: dict[str, Game], document: Document) -> None:
    game = games[document.game]
    for terminal in game.terminals.values():
        covers = {
            bet: pockets for offer in document.offers[terminal.layout.id].values() for bet, pockets in offer.items()
        }
        pays = {bet: n for bets, n in document.pays[terminal.layout.id].values() for bet in bets.split()}
        for package in terminal.packages:
            total = sum(count for _, count in package.pieces)
            results = []
            for pocket in document.rim.split():
                net = 0
                for position, count in package.pieces:
                    net += count * (pays[position.partition(":")[0]] if pocket in covers[position] else -1)
                results.append(Fraction(net, total))
            odds = odds_of_package(package, terminal.layout)
            _, edge, variance = enumerated(results)
            # A package wins if any of its pieces wins, even if its net result is negative.
            covered = {pocket for position, _ in package.pieces for pocket in covers[position]}
            assert odds.win == Fraction(len(covered), len(document.rim.split()))
            assert (odds.edge, odds.variance) == (edge, variance)
            assert odds.staked == total


PUBLISHED = [
    ("rws-double-zero", "A", "straight:17", "1/38", "1/19"),
    ("rws-double-zero", "A", "red", "9/19", "1/19"),
    ("rws-double-zero", "A", "corner:0-1-2-3", "2/19", "1/19"),
    ("rws-double-zero", "B", "top_line", "5/38", "3/38"),
    ("rws-triple-zero", "A", "straight:000", "1/39", "1/13"),
    ("rws-triple-zero", "A", "green", "1/13", "1/13"),
    ("mbs-sands", "A", "top_line", "2/13", "1/13"),
    ("mbs-sands", "A", "even", "6/13", "1/13"),
    ("rws-money-wheel", "A", "symbol:RWS", "1/52", "3/26"),
    ("rws-money-wheel", "A", "symbol:CROCKFORDS", "1/52", "3/26"),
    ("rws-money-wheel", "A", "symbol:20", "1/26", "5/26"),
    ("rws-money-wheel", "A", "symbol:10", "1/13", "2/13"),
    ("rws-money-wheel", "A", "symbol:5", "2/13", "1/13"),
    ("rws-money-wheel", "A", "symbol:3", "3/13", "1/13"),
    ("rws-money-wheel", "A", "symbol:1", "6/13", "1/13"),
]


@pytest.mark.parametrize(("game", "layout", "position", "win", "edge"), PUBLISHED)
def test_odds_match_published_figures(
    games: dict[str, Game], game: str, layout: str, position: str, win: str, edge: str
) -> None:
    bet_position = games[game].layouts[LayoutId(layout)].by_id[PositionId(position)]
    odds = odds_of_position(bet_position, games[game].wheel)
    assert (str(odds.win), str(odds.edge)) == (win, edge)


def test_a_package_returns_these_units_for_each_outcome(games: dict[str, Game]) -> None:
    """The Grand Series of layout A has nine pieces. Outcome 0 wins both pieces of 0-2-3, and 00 wins none."""
    terminal = games["rws-double-zero"].terminals[TerminalId("rapid-a")]
    package = terminal.package(PackageId("grand_series"))
    assert package is not None
    odds = odds_of_package(package, terminal.layout)
    assert odds.staked == 9
    assert {pocket: units for pocket, units in odds.returns.items() if units} == {
        **dict.fromkeys(("0", "2", "3"), 24),
        **dict.fromkeys(("25", "26", "28", "29"), 18),
        **dict.fromkeys(("4", "7", "12", "15", "18", "21", "19", "22", "32", "35"), 18),
    }
    assert odds.returns.keys() == set(games["rws-double-zero"].wheel.pockets)
