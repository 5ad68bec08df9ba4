"""The game data of the API is complete: a terminal needs no other rules to draw a game and preview bets."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from roundhouse import rulebooks
from roundhouse.rules.authority import may_declare
from roundhouse.rules.game import Game
from roundhouse.rules.names import LayoutId, StaffPosition
from roundhouse.server import game_sheets
from roundhouse.wire import games as w
from tests.support.http_house import HttpHouse

OWN = sorted((Path(__file__).parents[1] / "rulebooks").glob("*.toml"))
GAMES = [*(rulebooks.shipped(id) for id in rulebooks.SHIPPED), *OWN]
"""The five shipped games and those of the test rulebooks."""


@pytest.fixture(scope="module", params=GAMES, ids=lambda path: path.stem)
def game(request: pytest.FixtureRequest) -> Game:
    return rulebooks.read(request.param)


def layouts(game: Game) -> list[w.LayoutInfo]:
    return [game_sheets.layout_of(game, id) for id in game.layouts]


def test_every_position_is_listed_with_its_odds_and_clause(game: Game) -> None:
    for sheet in layouts(game):
        known = game.layouts[sheet.id].by_id
        assert {one.id for one in sheet.positions} == set(known)
        for one in sheet.positions:
            assert (one.covers, one.pays, one.clause) == (
                known[one.id].covers,
                known[one.id].pays,
                known[one.id].clause,
            )
            assert one.row in game.rulebook.clauses


def test_every_position_can_be_touched_at_its_chip(game: Game) -> None:
    """The topmost hit area at a chip's centre belongs to that chip's position."""
    for sheet in layouts(game):
        for one in sheet.positions:
            assert one.hit.x0 < one.hit.x1
            assert one.hit.y0 < one.hit.y1
            assert [other.id for other in sheet.positions if _within(other.hit, one.at)][-1] == one.id


def test_hit_areas_between_numbers_do_not_overlap(game: Game) -> None:
    for sheet in layouts(game):
        areas = [*(cell.area for cell in sheet.cells), *(box.area for box in sheet.boxes)]
        whole = [_corners(area) for area in areas]
        between = [one for one in sheet.positions if _corners(one.hit) not in whole]
        for a, b in combinations(between, 2):
            apart_x = a.hit.x1 <= b.hit.x0 or b.hit.x1 <= a.hit.x0
            assert apart_x or a.hit.y1 <= b.hit.y0 or b.hit.y1 <= a.hit.y0, (a.id, b.id)


def _corners(area: w.Area) -> tuple[int, int, int, int]:
    return area.x0, area.y0, area.x1, area.y1


def _within(area: w.Area, spot: w.Spot) -> bool:
    return area.x0 <= spot.x <= area.x1 and area.y0 <= spot.y <= area.y1


def test_a_previewed_win_equals_the_settled_win(game: Game) -> None:
    """A position's odds and pockets are enough to compute the payout."""
    for sheet in layouts(game):
        prices = game.prices(sheet.id)
        for outcome in game.wheel.pockets:
            for one in sheet.positions:
                previewed = one.pays + 1 if outcome in one.covers else 0
                assert previewed == prices.times(outcome, one.id)


def test_the_pieces_of_a_package_are_positions_of_its_layout(game: Game) -> None:
    for terminal in game.terminals.values():
        sheet = game_sheets.packages_of(terminal)
        assert len(sheet.packages) == len(terminal.packages)
        assert {package.group for package in sheet.packages} <= {"series", "neighbours", "finales"}
        known = terminal.layout.by_id
        for package in sheet.packages:
            assert package.total == sum(piece.pieces for piece in package.pieces)
            assert all(piece.position in known for piece in package.pieces)


def test_each_irregularity_lists_the_positions_that_may_declare_it(game: Game) -> None:
    sheet = game_sheets.info_of(game)
    for one in sheet.irregularities:
        listed = game.rulebook.irregularities[one.id]
        for position in StaffPosition:
            assert (position in one.declared_by) == may_declare(game.rulebook.authority, listed, position)
        assert one.words == game.rulebook.clauses[one.clause]


def test_the_wheel_lists_all_segments_and_pockets(game: Game) -> None:
    wheel = game_sheets.info_of(game).wheel
    assert sum(wheel.segments.values()) == len(wheel.order)
    assert set(wheel.order) == set(wheel.pockets)
    assert set(wheel.colours) <= set(wheel.pockets)


def test_odds_are_exact_fractions_and_returns_match_the_price(game: Game) -> None:
    for id in game.layouts:
        for one in game_sheets.odds_of_layout(game, id).odds:
            position = game.layouts[id].by_id[one.id]  # type: ignore[index]
            assert set(one.returns.values()) <= {0, position.pays + 1}
            assert "." not in one.edge + one.win + one.variance


def test_the_games_with_a_common_layout_are_marked_in_the_data() -> None:
    shared = {game.id: game_sheets.info_of(game).common_layout for game in rulebooks.games()}
    assert {id for id, common in shared.items() if common} == {"mbs-sands", "rws-money-wheel"}


def test_responses_derived_from_the_rulebook_are_cached_by_etag(ready_house: HttpHouse) -> None:
    for path in ("/api/games", "/api/games/mbs-sands", "/api/games/mbs-sands/layouts/A/picture.svg"):
        first = ready_house.call(None, "GET", path)
        again = ready_house.call(None, "GET", path, **{"if-none-match": f'"other", {first.headers["etag"]}'})
        assert (again.status_code, again.content) == (304, b"")
        assert ready_house.call(None, "GET", path, **{"if-none-match": '"other"'}).content == first.content


def test_a_game_can_be_read_by_its_hash(ready_house: HttpHouse) -> None:
    (line, _) = ready_house.call(None, "GET", "/api/games").json()["games"]
    by_hash = ready_house.call(None, "GET", f"/api/games/{line['hash']}")
    assert by_hash.json() == ready_house.call(None, "GET", f"/api/games/{line['id']}").json()


def test_every_resource_that_a_game_lists_can_be_read(ready_house: HttpHouse) -> None:
    def get(path: str) -> Any:
        answer = ready_house.call(None, "GET", path)
        assert answer.status_code == 200, path
        return answer

    for line in get("/api/games").json()["games"]:
        get(f"/api/games/{line['id']}/wheel.svg")
        for layout in line["layouts"]:
            sheet = get(f"/api/games/{line['id']}/layouts/{layout}").json()
            positions = get(f"/api/games/{line['id']}/layouts/{layout}/positions").json()["positions"]
            assert positions == sheet["positions"]
            assert len(get(f"/api/games/{line['id']}/layouts/{layout}/odds").json()["odds"]) == len(positions)
        for terminal in line["terminals"]:
            packages = get(f"/api/games/{line['id']}/terminals/{terminal}/packages").json()["packages"]
            odds = get(f"/api/games/{line['id']}/terminals/{terminal}/odds").json()["odds"]
            assert [one["id"] for one in odds] == [one["id"] for one in packages]


@pytest.mark.parametrize("path", ["none", "mbs-sands/layouts/Z", "mbs-sands/terminals/none/packages", "mbs-sands%2F.."])
def test_an_unknown_resource_of_a_game_is_not_found(ready_house: HttpHouse, path: str) -> None:
    assert ready_house.call(None, "GET", f"/api/games/{path}").status_code == 404


def test_cells_and_boxes_have_the_colours_of_the_rulebook(games: dict[str, Game]) -> None:
    sheet = game_sheets.layout_of(games["rws-triple-zero"], LayoutId("A"))
    cells = {cell.pocket: cell for cell in sheet.cells}
    assert [cells[pocket].colour for pocket in ("000", "1", "2")] == ["green", "red", "black"]  # type: ignore[index]
    assert {box.position: box.colour for box in sheet.boxes}["green"] == "green"  # type: ignore[index]
    assert {box.position: box.colour for box in sheet.boxes}["low"] is None  # type: ignore[index]
