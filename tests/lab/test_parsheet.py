"""The PAR sheet: correct figures, the same in every format, and byte-identical when repeated."""

import json
import re
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from itertools import islice
from math import sqrt
from pathlib import Path
from xml.etree import ElementTree

import pytest

from roundhouse import rulebooks
from roundhouse.cli import run
from roundhouse.drawing.wheel import draw_wheel
from roundhouse.lab.parsheet.blocks import Block, Picture, Table
from roundhouse.lab.parsheet.changes import Change, changes_between
from roundhouse.lab.parsheet.contents import contents
from roundhouse.lab.parsheet.figures import Par, par_of
from roundhouse.lab.parsheet.formats import as_json, to_html, to_pdf
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from tests.support.plain_odds import convolved, mean_of, nets_by_segment


@cache
def par_of_shipped(name: str) -> Par:
    return par_of(rulebooks.find(name))


class _Tables(HTMLParser):
    """Collects the cells of every table of an HTML page."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.pictures = 0
        self._cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._cell = True
        elif tag == "img":
            self.pictures += 1
            assert dict(attrs)["alt"]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data: str) -> None:
        if self._cell:
            self.tables[-1][-1][-1] += data


def test_every_figure_of_every_bet_is_correct(game: Game, par: Par) -> None:
    sheet = json.loads(json.dumps(as_json(par), default=list))
    assert sheet["hash"] == game.hash
    for layout in sheet["layouts"]:
        drawn = game.layouts[layout["id"]]
        assert {bet["id"] for bet in layout["bets"]} == set(drawn.by_id)
        for bet in layout["bets"]:
            nets = nets_by_segment(game, drawn, [(bet["id"], 1)])
            mean = mean_of(nets)
            variance, third, fourth = (mean_of(nets, power, mean) for power in (2, 3, 4))
            assert Fraction(bet["edge"]) == -mean
            assert Fraction(bet["return"]) == 1 + mean
            assert Fraction(bet["variance"]) == variance == Fraction(bet["deviation"]["square"])
            assert Fraction(bet["skewness"]["square"]) == third**2 / variance**3
            assert Fraction(bet["kurtosis"]) == fourth / variance**2
            assert Fraction(bet["hit"]) == Fraction(sum(net > -1 for net in nets), len(nets))
            assert float(bet["deviation"]["decimal"]) == pytest.approx(float(variance) ** 0.5, abs=1e-12)


def test_every_package_is_on_the_sheet(game: Game, par: Par) -> None:
    sheet = json.loads(json.dumps(as_json(par), default=list))
    for terminal in sheet["terminals"]:
        known = game.terminals[terminal["id"]]
        assert sorted(package["id"] for package in terminal["packages"]) == sorted(p.id for p in known.packages)
        for package in terminal["packages"][::7]:
            pieces = known.package(package["id"]).pieces  # type: ignore[union-attr]
            nets = nets_by_segment(game, known.layout, [(piece.position, piece.pieces) for piece in pieces])
            total = sum(piece.pieces for piece in pieces)
            mean = mean_of(nets)
            assert Fraction(package["edge"]) == -mean / total
            assert Fraction(package["variance"]) == mean_of(nets, 2, mean) / total**2
            assert Fraction(package["kurtosis"]) == mean_of(nets, 4, mean) / mean_of(nets, 2, mean) ** 2


def test_the_html_tables_match_the_json_sheet(game: Game, par: Par, blocks: list[Block]) -> None:
    """Compare the cells of the HTML page with the figures of the JSON sheet."""
    sheet = json.loads(json.dumps(as_json(par), default=list))
    page = _Tables()
    page.feed(to_html(par, blocks))
    for table in page.tables:
        assert len({len(row) for row in table}) == 1
    appendices = [table for table in page.tables if table[0][0] == "position"]
    kinds = [table for table in page.tables if table[0][:2] == ["bet", "positions"]]
    bands = [table for table in page.tables if table[0][:2] == ["bet", "1,000 rounds"]]
    assert len(appendices) == len(kinds) == len(bands) == len(game.layouts)
    for layout, rows, summary in zip(sheet["layouts"], appendices, kinds):
        known = {bet["id"]: bet for bet in layout["bets"]}
        assert [row[0] for row in rows[1:]] == list(known)
        for row in rows[1:]:
            bet = known[row[0]]
            assert row[1:7] == [
                " ".join(bet["covers"]),
                f"{bet['pays']} to 1",
                bet["hit"],
                bet["return"],
                bet["edge"],
                bet["variance"],
            ]
        assert sum(int(row[1]) for row in summary[1:]) == len(known)
        assert {row[7] for row in summary[1:]} == {bet["edge"] for bet in known.values()}
        for row in summary[1:]:
            assert row[8] == f"≈ {float(Fraction(row[7]) * 100):.4f} %"
            assert Fraction(row[5]) + Fraction(row[7]) == 1
    assert game.hash in page.rawdata or any(game.hash in cell for table in page.tables for row in table for cell in row)
    several = sum(len({kind.figures.edge for kind in layout.kinds}) > 1 for layout in par.layouts)
    assert page.pictures == 1 + len(game.layouts) * 4 + several


def test_bands_contain_at_least_95_percent() -> None:
    """Check the bands for a thousand rounds by the probability of their tails."""
    from roundhouse import rulebooks
    from roundhouse.lab.session import ExactLaw

    game = rulebooks.find("rws-money-wheel")
    for kind in par_of(game).layouts[0].kinds:
        law = ExactLaw(kind.figures.net, 1_000)
        low, high = kind.bands[0]
        below = 1 - law.at_least(int((low - 1) * 1_000)).value
        above = law.at_least(int((high - 1) * 1_000) + 1).value
        assert below < Fraction(25, 1000)
        assert above <= Fraction(25, 1000)
        assert 1 - below - above >= Fraction(95, 100)
    assert convolved([-1, 1], 2)[0] == Fraction(1, 2)


@pytest.mark.parametrize("kind", ["pdf", "html", "json"])
def test_a_repeated_sheet_is_byte_identical(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / f"one.{kind}", tmp_path / f"two.{kind}"
    for path in (first, second):
        assert run(["parsheet", "rws-money-wheel", "-o", str(path)]) == 0
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().startswith({"pdf": b"%PDF-", "html": b"<!doctype html>", "json": b"{"}[kind])
    capsys.readouterr()


def test_every_game_has_a_complete_pdf(game: Game, par: Par, blocks: list[Block]) -> None:
    pdf = to_pdf(par, blocks)
    pages = max(int(n) for n in re.findall(rb"/Count (\d+)", pdf))
    assert pages >= 5 + 3 * len(game.layouts) - 2
    assert pdf.rstrip().endswith(b"%%EOF")


def test_a_changed_pay_table_is_listed_bet_by_bet(
    my_game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = my_game.read_text(encoding="utf-8")
    changed = text.replace("pays = 35", "pays = 34").replace('version = "1"', 'version = "2"')
    old, new = par_of(load(text.encode())), par_of(load(changed.encode()))
    changes = changes_between(old, new)
    positions = [change for change in changes.bets if change.where == "layout A"]
    assert {change.id for change in positions} == {f"straight:{number}" for number in range(37)}
    for change in positions:
        assert change.pays == (35, 34)
        assert change.edge_change == Fraction(1, 37)
    assert {change.id.partition(":")[0] for change in changes.bets} == {"straight", "neighbours", "finales"}
    assert {fact[0] for fact in changes.facts} == {"version", "sha256", "least return of any bet"}
    assert changes_between(old, old).bets == ()
    assert changes_between(old, old).same == 157 + 85
    newer = tmp_path / "newer.toml"
    newer.write_text(changed, encoding="utf-8")
    out = tmp_path / "sheet.html"
    assert run(["parsheet", str(newer), "--against", str(my_game), "-o", str(out)]) == 0
    page = _Tables()
    page.feed(out.read_text(encoding="utf-8"))
    (table,) = (table for table in page.tables if table[0][0] == "where")
    row = next(row for row in table if row[1].startswith("straight:0"))
    assert row[1] == "straight:0 and 36 more of this kind"
    assert row[2:5] == ["35 to 1 → 34 to 1", "1/37  (≈ 2.703 %)", "2/37  (≈ 5.405 %)"]
    capsys.readouterr()


def test_changed_clauses_and_dominated_bets_are_listed(my_game: Path) -> None:
    text = my_game.read_text(encoding="utf-8")
    old = par_of(load(text.encode()))
    clause, wording = next(iter(old.game.rulebook.clauses.items()))
    reworded = text.replace(wording, f"{wording} Changed.")
    assert reworded != text
    new = par_of(load(reworded.encode()))
    changes = changes_between(old, new)
    assert changes.clauses == ((clause, wording, f"{wording} Changed."),)
    assert changes.dominated == ()
    cells = [cell for block in contents(new, changes) if isinstance(block, Table) for row in block.rows for cell in row]
    assert f"{wording} Changed." in cells
    # A corner that pays 7 to 1 returns less than two splits that pay 17 to 1.
    poorer = par_of(load(text.replace("numbers = 4, pays = 8", "numbers = 4, pays = 7").encode()))
    worse = changes_between(old, poorer).dominated
    corners = sorted(bet.id for bet in poorer.layouts[0].bets if bet.type == "corner")
    assert worse == tuple(("layout A", id, True) for id in corners)
    assert changes_between(poorer, old).dominated == tuple(("layout A", id, False) for id in corners)
    listed = json.loads(json.dumps(as_json(poorer, changes_between(old, poorer)), default=list))["changes"]
    assert listed["dominated"][0] == {"where": "layout A", "id": corners[0], "now": True}


def test_bands_separate_at_the_number_of_rounds_in_the_caption() -> None:
    """By the caption's formula, the two bands do not overlap at that number of rounds, but do one round earlier."""
    old, new = (par_of_shipped(name) for name in ("rws-double-zero", "rws-triple-zero"))
    changed = [c for c in changes_between(old, new).bets if c.before and c.after and c.edge_change]
    assert changed
    for change in changed[::40]:
        assert change.before is not None
        assert change.after is not None
        rounds = change.bands_part_after
        assert rounds is not None

        def gap(n: int, change: Change = change) -> float:
            assert change.before is not None
            assert change.after is not None
            halves = (1.959963984540054 * float(f.moments.deviation) / sqrt(n) for f in (change.before, change.after))
            return abs(float(change.after.edge - change.before.edge)) - sum(halves)

        assert gap(rounds) >= 0 > gap(rounds - 1)


def test_new_and_withdrawn_bets_are_marked() -> None:
    old, new = (par_of_shipped(name) for name in ("rws-double-zero", "rws-triple-zero"))
    changes = {(change.where, change.id): change for change in changes_between(old, new).bets}
    assert changes["layout A", "straight:000"].before is None
    assert changes["layout B", "straight:0"].after is None
    assert changes["layout A", "straight:000"].bands_part_after is None
    tables = [block for block in islice(contents(new, changes_between(old, new)), 5) if isinstance(block, Table)]
    text = " ".join(cell for block in tables for row in block.rows for cell in row)
    assert "not offered" in text
    assert "withdrawn" in text


def test_pictures_are_well_formed_and_show_every_segment(game: Game, blocks: list[Block]) -> None:
    for block in blocks:
        if isinstance(block, Picture):
            ElementTree.fromstring(block.svg)
    wheel = ElementTree.fromstring(draw_wheel(game.wheel, "the wheel"))
    segments = [e for e in wheel.iter() if "data-segment" in e.attrib]
    assert [e.attrib["data-segment"] for e in segments] == [str(n) for n in range(len(game.wheel.order))]
    assert [e[0].text for e in segments] == list(game.wheel.order)


def test_a_package_with_other_pieces_is_listed_as_changed(tmp_path: Path) -> None:
    """Replace split 5-8 by 5-6 in the Tiers package: the figures stay equal, the pieces differ."""
    text = (Path(rulebooks.__file__).parent / "rws-triple-zero.toml").read_text(encoding="utf-8")
    changed = tmp_path / "changed.toml"
    changed.write_text(text.replace("split:5-8 split:10-11", "split:5-6 split:10-11"), encoding="utf-8")
    changes = changes_between(par_of_shipped("rws-triple-zero"), par_of(rulebooks.find(str(changed))))
    (change,) = changes.bets
    assert change.id == "tiers"
    assert change.before == change.after
    assert "split:5-8" in str(change.of[0])
    assert "split:5-6" in str(change.of[1])


def test_the_sheet_lists_the_pieces_of_each_package() -> None:
    sheet = as_json(par_of(rulebooks.find("rws-double-zero")))
    (terminal,) = [each for each in sheet["terminals"] if each["id"] == "rapid-a"]  # type: ignore[attr-defined]
    pieces = {package["id"]: package["made_of"] for package in terminal["packages"]}
    assert pieces["zero_spiel"].split(", ") == ["straight:26", "split:0-3", "split:12-15", "split:32-35"]
    assert "2 × street:0-2-3" in pieces["grand_series"]
