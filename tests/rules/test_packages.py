"""Every package of every terminal: the pieces of each series, Neighbours of every pocket, and every Finale."""

from collections import Counter

import pytest

from roundhouse.rules.game import Game
from roundhouse.rules.names import PackageId, TerminalId
from roundhouse.rules.packages import Package, Terminal
from tests.documents import Document
from tests.documents.shelf import DOCUMENTS
from tests.support.clauses import shows


def terminal_of(games: dict[str, Game], document: Document, terminal: str) -> Terminal:
    return games[document.game].terminals[TerminalId(terminal)]


def package_of(terminal: Terminal, id: str) -> Package:
    package = terminal.package(PackageId(id))
    assert package is not None, id
    return package


def pieces(package: Package) -> Counter[str]:
    found: Counter[str] = Counter()
    for piece in package.pieces:
        found[piece.position] += piece.pieces
    return found


def pieces_in(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for item in text.split():
        count, times, position = item.rpartition("×")
        found[position] += int(count) if times else 1
    return found


SERIES = [
    pytest.param(
        document,
        terminal,
        id,
        clause,
        text,
        marks=pytest.mark.clause(document.game, clause),
        id=f"{document.game} {terminal} {id}",
    )
    for document in DOCUMENTS
    for terminal, listed in document.series.items()
    for id, (clause, text) in listed.items()
]
NEIGHBOURS = [
    pytest.param(
        document,
        terminal,
        clause,
        widths,
        marks=pytest.mark.clause(document.game, clause),
        id=f"{document.game} {terminal}",
    )
    for document in DOCUMENTS
    for terminal, (clause, widths) in document.neighbours.items()
]
FINALES = [
    pytest.param(
        document,
        terminal,
        clause,
        ending,
        marks=pytest.mark.clause(document.game, clause),
        id=f"{document.game} {terminal}",
    )
    for document in DOCUMENTS
    for terminal, (clause, ending) in document.finales.items()
]


@pytest.mark.parametrize(("document", "terminal", "id", "clause", "text"), SERIES)
def test_a_series_has_exactly_the_documented_pieces(
    games: dict[str, Game], document: Document, terminal: str, id: str, clause: str, text: str
) -> None:
    package = package_of(terminal_of(games, document, terminal), id)
    assert pieces(package) == pieces_in(text)
    assert package.total == pieces_in(text).total()
    assert package.clause == clause.partition(" / ")[0]


@pytest.mark.parametrize(("document", "terminal", "clause", "widths"), NEIGHBOURS)
def test_neighbours_cover_the_adjacent_pockets_for_every_centre_and_width(
    games: dict[str, Game], document: Document, terminal: str, clause: str, widths: tuple[int, ...]
) -> None:
    rim = document.rim.split()
    for width in widths:
        for middle, centre in enumerate(rim):
            around = {rim[(middle + step) % len(rim)] for step in range(-width, width + 1)}
            package = package_of(terminal_of(games, document, terminal), f"neighbours:{centre}:{width}")
            assert pieces(package) == {f"straight:{pocket}": 1 for pocket in around}
            assert package.total == 2 * width + 1
            assert package.clause == clause.partition(" / ")[0]


@pytest.mark.parametrize(("document", "terminal", "clause", "ending"), FINALES)
def test_finales_cover_every_number_with_the_final_digit(
    games: dict[str, Game], document: Document, terminal: str, clause: str, ending: dict[str, str]
) -> None:
    for digit, numbers in ending.items():
        package = package_of(terminal_of(games, document, terminal), f"finales:{digit}")
        assert pieces(package) == {f"straight:{pocket}": 1 for pocket in numbers.split()}


@pytest.mark.clause("mbs-electronic-double-zero", *(f"Appendix H / {digit}" for digit in range(10)))
def test_mbs_finales_match_the_table_of_the_document(games: dict[str, Game]) -> None:
    table = {
        **{d: {d, 10 + d, 20 + d, 30 + d} for d in range(1, 7)},
        **{d: {d, 10 + d, 20 + d} for d in range(7, 10)},
    }
    terminal = games["mbs-electronic-double-zero"].terminals[TerminalId("racetrack")]
    for digit, numbers in table.items():
        assert set(pieces(package_of(terminal, f"finales:{digit}"))) == {f"straight:{n}" for n in numbers}
    assert set(pieces(package_of(terminal, "finales:0"))) == {f"straight:{n}" for n in ("0", "00", "10", "20", "30")}


COUNTS = [
    ("rws-double-zero", "rapid-a", "A", 4 + 3 * 38 + 10, "Appendix C"),
    ("rws-double-zero", "rapid-b", "B", 3 * 38 + 10, "Appendix D"),
    ("rws-double-zero", "alfastreet-b", "B", 4 + 4 * 38, "Appendix E"),
    ("rws-triple-zero", "rapid-a", "A", 4 + 3 * 39 + 10, "Appendix B"),
    ("mbs-sands", "table", "A", 0, "3.3"),
    ("mbs-electronic-double-zero", "racetrack", "A", 4 + 38 + 10, "1.1.2, 3.5, 7"),
    ("mbs-electronic-double-zero", "rapid-select", "A", 4 + 38, "Appendix I"),
    ("rws-money-wheel", "table", "A", 0, "3.3"),
]


@pytest.mark.parametrize(
    ("game", "terminal", "layout", "count"),
    [pytest.param(*row[:4], marks=shows(row[0], {row[0]: row[4]}), id=" ".join(row[:2])) for row in COUNTS],
)
def test_a_terminal_offers_the_documented_number_of_packages(
    games: dict[str, Game], game: str, terminal: str, layout: str, count: int
) -> None:
    offered = games[game].terminals[TerminalId(terminal)]
    assert offered.layout.id == layout
    assert len({package.id for package in offered.packages}) == len(offered.packages) == count


def test_terminals_are_in_the_order_of_the_documents(games: dict[str, Game]) -> None:
    assert [list(game.terminals) for game in games.values()] == [
        ["rapid-a", "rapid-b", "alfastreet-b"],
        ["rapid-a"],
        ["table"],
        ["racetrack", "rapid-select"],
        ["table"],
    ]


@pytest.mark.clause("rws-double-zero", "Appendix C / Neighbours Bet", "Appendix E / Neighbours Bet")
@pytest.mark.parametrize(
    ("width", "numbers"),
    [(1, "2 21 4"), (2, "25 2 21 4 19"), (3, "17 25 2 21 4 19 15"), (4, "34 17 25 2 21 4 19 15 32")],
)
def test_neighbours_of_21_match_the_documented_examples(games: dict[str, Game], width: int, numbers: str) -> None:
    terminal = games["rws-double-zero"].terminals[TerminalId("alfastreet-b")]
    assert set(pieces(package_of(terminal, f"neighbours:21:{width}"))) == {f"straight:{n}" for n in numbers.split()}


@pytest.mark.clause("mbs-electronic-double-zero", "Appendix F", "Appendix G")
def test_neighbours_of_22_match_the_documented_example(games: dict[str, Game]) -> None:
    terminal = games["mbs-electronic-double-zero"].terminals[TerminalId("racetrack")]
    assert set(pieces(package_of(terminal, "neighbours:22:2"))) == {f"straight:{n}" for n in (22, 31, 9, 18, 29)}
    assert terminal.package(PackageId("neighbours:22:1")) is None
