"""The JSON output of every command has exactly the documented shape."""

import json
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import pytest

from roundhouse import rulebooks
from tests.support.command_line import Calling

SPIN = {"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 4, "rest": "17", "seen": []}


def spin(**changes: object) -> bytes:
    return json.dumps({**SPIN, **changes}).encode()


def test_games_lists_the_shipped_games(call: Calling) -> None:
    games = call.json("games")
    assert [game["id"] for game in games] == list(rulebooks.SHIPPED)
    first = games[0]
    assert list(first) == [
        "id", "title", "operator", "version", "effective", "hash", "pockets", "wheel", "layouts", "terminals",
    ]  # fmt: skip
    assert first["effective"] == "2020-08-05T08:00:00+08:00"
    assert first["layouts"] == ["A", "B"]
    assert first["terminals"] == [
        {"id": "rapid-a", "layout": "A"},
        {"id": "rapid-b", "layout": "B"},
        {"id": "alfastreet-b", "layout": "B"},
    ]
    assert [len(game["pockets"]) for game in games] == [38, 39, 39, 38, 7]
    assert [len(game["wheel"]) for game in games] == [38, 39, 39, 38, 52]


def test_positions_lists_covers_odds_and_clause(call: Calling) -> None:
    positions = call.json("positions", "rws-double-zero", "--layout", "B")
    assert len(positions) == 161
    assert {
        "id": "top_line",
        "type": "top_line",
        "covers": ["0", "00", "1", "2", "3"],
        "pays": 6,
        "clause": "4.1.2",
    } in positions
    assert {"id": "split:0-00", "type": "split", "covers": ["0", "00"], "pays": 17, "clause": "4.1.2"} in positions


def test_packages_lists_pieces_and_total(call: Calling) -> None:
    packages = {package["id"]: package for package in call.json("packages", "rws-double-zero", "--terminal", "rapid-a")}
    assert packages["zero_spiel"] == {
        "id": "zero_spiel",
        "name": "0-Spiel",
        "pieces": [
            {"position": "straight:26", "pieces": 1},
            {"position": "split:0-3", "pieces": 1},
            {"position": "split:12-15", "pieces": 1},
            {"position": "split:32-35", "pieces": 1},
        ],
        "total": 4,
        "clause": "Appendix C",
    }
    assert packages["neighbours:21:3"]["total"] == 7
    assert packages["finales:0"]["total"] == 5


def test_odds_are_exact_fractions(call: Calling) -> None:
    odds = {row["position"]: row for row in call.json("odds", "rws-double-zero", "--layout", "A")}
    assert len(odds) == 159
    assert odds["red"] == {"position": "red", "win": "9/19", "edge": "1/19", "variance": "360/361"}
    assert all(Fraction(row["edge"]) == Fraction(1, 19) for row in odds.values())


def test_odds_cover_packages_and_a_single_position(call: Calling) -> None:
    odds = call.json("odds", "rws-double-zero", "--terminal", "alfastreet-b")
    assert {row["edge"] for row in odds} == {"1/19"}
    one = call.json("odds", "rws-money-wheel", "--of", "symbol:20")
    assert one["returns"] == {"RWS": 0, "CROCKFORDS": 0, "20": 21, "10": 0, "5": 0, "3": 0, "1": 0}


def test_settle_returns_each_bet_and_the_totals(call: Calling) -> None:
    answer = call.json(
        "settle", "rws-double-zero", "--layout", "A", "--outcome", "00", "--bet", "split:0-00=500", "--bet", "red=1000"
    )
    assert answer == {
        "outcome": "00",
        "bets": [
            {"position": "split:0-00", "stake": 500, "returned": 9000, "clause": "4.1.1"},
            {"position": "red", "stake": 1000, "returned": 0, "clause": "3.8"},
        ],
        "staked": 1500,
        "returned": 9000,
    }


def test_settle_multiplies_a_package_stake_by_its_pieces(call: Calling) -> None:
    answer = call.json(
        "settle", "rws-double-zero", "--terminal", "rapid-a", "--outcome", "26", "--package", "grand_series=100"
    )
    assert answer["staked"] == 900
    assert answer["returned"] == 200 * 9


def test_settle_works_for_the_money_wheel(call: Calling) -> None:
    answer = call.json("settle", "rws-money-wheel", "--outcome", "CROCKFORDS", "--bet", "symbol:CROCKFORDS=1")
    assert answer["returned"] == 46


@pytest.mark.parametrize(
    ("game", "description", "verdict"),
    [
        ("rws-double-zero", spin(), {"verdict": "valid", "outcome": "17"}),
        ("rws-double-zero", spin(revolutions=3), {"verdict": "void", "clauses": ["5.3.2"]}),
        ("mbs-sands", spin(ball="anticlockwise", seen=["ball_broke"]), {"verdict": "void", "clauses": ["5.1", "5.7"]}),
        ("mbs-electronic-double-zero", spin(seen=["no_spin"]), {"verdict": "void", "clauses": ["5.15"]}),
        ("rws-money-wheel", b'{"wheel": "clockwise", "revolutions": 3, "rest": 51, "seen": []}', {"verdict": "valid", "outcome": "3"}),
        ("rws-money-wheel", b'{"revolutions": 2, "rest": 0, "seen": ["clapper_on_pin"]}', {"verdict": "void", "clauses": ["5.1.2", "5.1.3"]}),
    ],
)  # fmt: skip
def test_judge_returns_the_verdict_and_its_clauses(
    call: Calling, game: str, description: bytes, verdict: object
) -> None:
    assert call.json("judge", game, stdin=description) == verdict


def test_layout_draws_every_position_at_its_place(call: Calling, tmp_path: Path) -> None:
    for game in rulebooks.games():
        for layout in game.layouts.values():
            file = tmp_path / f"{game.id}-{layout.id}.svg"
            status, out, _ = call("layout", game.id, "--layout", layout.id, "-o", str(file))
            assert (status, f"{len(layout.positions)} positions" in out) == (0, True)
            picture = ET.parse(file).getroot()
            marks = {
                mark.attrib["data-position"]: (float(mark.attrib["cx"]), float(mark.attrib["cy"]))
                for mark in picture.iter("{http://www.w3.org/2000/svg}circle")
                if "data-position" in mark.attrib
            }
            sides = [min(r.x1 - r.x0, r.y1 - r.y0) for r in (*layout.cells.values(), *layout.boxes.values())]
            scale = (48 if layout.cells else 76) / min(sides)
            for position in layout.positions:
                assert marks[position.id] == pytest.approx((position.at.x * scale, position.at.y * scale), abs=0.01)
            assert len(marks) == len(layout.positions)
            labels = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
            assert {*layout.cells, *layout.labels.values()} <= labels
            _, _, width, height = map(float, picture.attrib["viewBox"].split())
            assert all(0 <= x + 24 <= width and 0 <= y + 24 <= height for x, y in marks.values())
            geometry = call.json("layout", game.id, "--layout", layout.id)
            assert {row["id"]: row["at"] for row in geometry["positions"]} == {
                p.id: list(p.at) for p in layout.positions
            }


def test_trace_lists_every_clause(call: Calling) -> None:
    rows = call.json("trace", "mbs-sands")
    assert len(rows) == 76
    assert {"game", "clause", "demands", "met", "readings", "tests"} == set(rows[0])
    every = call.json("trace")
    assert len(every) == 108 + 76 + 76 + 105 + 45
    assert all(row["met"] for row in every)
    by_people = [row for row in every if {means["by"] for means in row["met"]} == {"people"}]
    assert all(row["tests"] for row in every if row not in by_people)
    (late,) = (row for row in rows if row["clause"] == "5.4")
    assert late["readings"] == [
        {"at": note.at, "grade": note.grade, "why": note.why}
        for note in rulebooks.find("mbs-sands").rulebook.inferred
        if note.at == "irregularities.foreign_object"
    ]


def test_check_accepts_a_file_and_a_game_id(call: Calling) -> None:
    for id in rulebooks.SHIPPED:
        answer = call.json("check", str(rulebooks.shipped(id)))
        assert answer == {"sound": True, "hash": rulebooks.read(rulebooks.shipped(id)).hash, "faults": []}
        assert call.json("check", id) == answer


@pytest.mark.parametrize(
    "arguments",
    [
        ("games",),
        ("positions", "mbs-sands"),
        ("packages", "rws-triple-zero"),
        ("odds", "rws-money-wheel"),
        ("odds", "rws-double-zero", "--terminal", "rapid-b", "--of", "finales:4"),
        ("settle", "mbs-sands", "--outcome", "S", "--bet", "green=100"),
        ("trace", "rws-money-wheel"),
        ("check", str(rulebooks.shipped(rulebooks.SHIPPED[0]))),
        ("--help",),
        ("--version",),
        (),
        *((command, "--help") for command in ("games", "positions", "packages", "odds", "settle", "judge", "layout")),
    ],
    ids=" ".join,
)
def test_text_output_is_not_clipped(call: Calling, arguments: tuple[str, ...]) -> None:
    status, out, err = call(*arguments)
    assert (status, err) == (0, "")
    assert len(out.splitlines()) >= 1
    assert "…" not in out.replace("…, ", ""), "a table was clipped"


def test_percentages_are_rounded_from_the_exact_fraction(call: Calling) -> None:
    _, out, _ = call("odds", "rws-double-zero", "--layout", "B")
    (line,) = [line for line in out.splitlines() if line.startswith(" top_line") or line.startswith("top_line")]
    assert line.split() == ["top_line", "5/38", "3/38", "≈", "7.895", "8085/1444"]


def test_text_from_a_file_is_not_interpreted_as_markup(call: Calling, tmp_path: Path) -> None:
    """Square brackets in a path, a clause or a title are printed literally."""
    folder = tmp_path / "[bold]"
    folder.mkdir()
    file = folder / "[x].toml"
    text = rulebooks.shipped(rulebooks.SHIPPED[2]).read_text()
    text = text.replace("'A ball that breaks voids", "'[/b] A ball that breaks [red]voids").replace(
        'title = "Sands', 'title = "[/x] Sands'
    )
    file.write_text(text)
    status, out, _ = call("check", str(file))
    assert (status, "[bold]" in out.replace("\n", "")) == (0, True)
    for arguments in (("positions",), ("odds",), ("trace",), ("packages",)):
        assert call(arguments[0], str(file))[0] == 0
    status, out, _ = call("judge", str(file), stdin=spin(seen=["ball_broke"]))
    assert (status, "[/b] A ball that breaks [red]voids" in out) == (0, True)


def test_the_text_output_of_judge_gives_the_reasons(call: Calling) -> None:
    _, out, _ = call("judge", "rws-double-zero", stdin=spin(revolutions=3, seen=["no_spin"]))
    assert "void" in out
    assert "5.3.2  A ball that completes fewer than four revolutions voids the round." in out
    assert "'no_spin' was seen but has no effect under these rules" in out
