"""The strict loader reports every kind of fault with its place, all at once and without a traceback."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundhouse import rulebooks
from roundhouse.rules.errors import Fault, Faults, InvalidRulebook, Places
from roundhouse.rules.layout import build_layout
from roundhouse.rules.loading import load
from roundhouse.rules.names import Clause, GameId, LayoutId, Pocket
from roundhouse.rules.rulebook import LayoutPlan, PayRow, PayTable, Spun
from roundhouse.rules.wheel import Wheel


def text_of(game: str) -> str:
    return rulebooks.shipped(GameId(game)).read_text(encoding="utf-8")


def faults_of(text: str) -> tuple[Fault, ...]:
    try:
        load(text.encode())
    except InvalidRulebook as unsound:
        return unsound.faults
    return ()


# game · text to replace (first occurrence) · its replacement · place of the fault · part of its message
FAULTS = [
    # structure
    ("rws-double-zero", 'title = "R', 'titel = "x"\ntitle = "R', "titel", "unknown key"),
    ("rws-double-zero", 'operator = "Resorts World at Sentosa"', "", "operator", "missing"),
    ("rws-double-zero", 'version = "4"', "version = 4", "version", "not text in quotes"),
    ("rws-double-zero", "2020-08-05T08:00:00+08:00", '"2020-08-05"', "effective", "not an instant"),
    ("rws-double-zero", "2020-08-05T08:00:00+08:00", "2020-08-05", "effective", "not an instant"),
    ("rws-double-zero", "least_revolutions = 4", "least_revolutions = true", "spin.least_revolutions", "whole number"),
    ("rws-double-zero", "against_the_wheel = true", "against_the_wheel = 1", "spin.against_the_wheel", "true or false"),
    ("rws-double-zero", 'spun = "ball"', 'spun = "coin"', "wheel.spun", "not one of ball, wheel"),
    ("rws-double-zero", "square = [4, 6]", "square = [4]", "layouts.A.square", "a list of 2"),
    ("rws-double-zero", 'bets = ["split"]', 'bets = "split"', "layouts.A.pay_table.rows[1].bets", "a list"),
    ("rws-double-zero", "[settlement]", "[settlement]\nloses_too = 1", "settlement.loses_too", "unknown key"),
    ("rws-double-zero", '"Appendix A / Split Bet" =', '"" = 3\n"Appendix A / Split Bet" =', "clauses.", "text in quotes"),
    # identity
    ("rws-double-zero", 'id = "rws-double-zero"', 'id = "RWS double"', "id", "not a game id"),
    ("rws-double-zero", 'title = "Roulette Double Zero (Electronic Table Game)"', 'title = ""', "title", "empty"),
    ("rws-double-zero", "08:00:00+08:00", "08:00:00", "effective", "without its offset from UTC"),
    # the wheel
    ("rws-double-zero", "pockets = '0 00 1 2", "pockets = '0 00 1 2 2", "wheel.pockets", "pocket 2 is listed twice"),
    ("rws-double-zero", "order = '0 00 32", "order = '0 00 00 32", "wheel.order", "pocket 00 is listed twice"),
    ("rws-double-zero", "order = '0 00 32", "order = '0 32", "wheel.order", "pocket 00 is missing"),
    ("rws-double-zero", "order = '0 00 32", "order = '0 00 37 32", "wheel.order", "37 is not a pocket of the wheel"),
    ("rws-double-zero", "pockets = '0 00 1", "pockets = '0 00 x-y 1", "wheel.pockets", "'x-y' is not a valid pocket name"),
    ("rws-double-zero", "green = '0 00'", "green = '0'", "wheel.colours", "pocket 00 has no colour"),
    ("rws-double-zero", "green = '0 00'", "green = '0 00 1'", "wheel.colours.green", "pocket 1 already has a colour"),
    ("rws-double-zero", "green = '0 00'", "green = '0 00 99'", "wheel.colours.green", "no pocket 99"),
    ("rws-money-wheel", "RWS 1 3 1 5", "RWS 1 3 1 1", "wheel.order", "5 is listed 7 times, not 8"),
    ("rws-money-wheel", "CROCKFORDS = 1\n", "", "wheel.segments", "differ from wheel.pockets"),
    ("rws-double-zero", "least_revolutions = 4", "least_revolutions = 0", "spin.least_revolutions", "at least one revolution"),
    ("rws-money-wheel", "least_revolutions = 3", "least_revolutions = 3\nagainst_the_wheel = true", "spin.against_the_wheel", "no ball"),
    # boxes and the picture
    ("rws-double-zero", 'label = "ODD"', 'label = " "', "boxes.odd", "no label"),
    ("rws-double-zero", "run = [1, 18] }", "run = [1, 18], colour = \"red\" }", "boxes.low", "exactly one of run, colour and pocket"),
    ("rws-double-zero", "run = [19, 36] }", "run = [19, 40] }", "boxes.high", "no pocket 37"),
    ("rws-double-zero", "run = [19, 36] }", "run = [36, 19] }", "boxes.high", "run is empty"),
    ("rws-double-zero", "run = [1, 35], step = 2", "run = [1, 35], step = 0", "boxes.odd", "run is empty"),
    ("rws-double-zero", 'colour = "black"', 'colour = "blue"', "boxes.black", "no colour blue"),
    ("rws-money-wheel", 'pocket = "20"', 'pocket = "25"', "boxes.symbol:20", "no pocket 25"),
    ("rws-double-zero", "[boxes]", '[boxes]\nsnake = { label = "S", run = [1, 5] }', "boxes.snake", "not drawn on any layout"),
    ("rws-double-zero", "[boxes]", '[boxes]\n"split:1-2" = { label = "S", run = [1, 2] }', "boxes.split:1-2", "not a valid box name"),
    ("rws-double-zero", "square = [4, 6]", "square = [0, 6]", "layouts.A.square", "out of range"),
    ("rws-double-zero", "00 0 2       5", "00 0 2 2      5", "layouts.A.picture", "row 2 has 16 squares"),
    ("rws-double-zero", "36      column:3", ".       column:3", "layouts.A.bets", "does not offer the type top_line"),
    ("rws-double-zero", "00 0 2       5", "0 00 2       5", "layouts.A.picture", "'00' does not fill a rectangle"),
    ("rws-double-zero", "00 0 3       6 ", "00 0 3       77 ", "layouts.A.picture", "'77' is neither"),
    ("rws-double-zero", "36      column:3", ".       column:3", "layouts.A.picture", "no bet on 36 alone"),
    ("rws-double-zero", "run = [1, 12]", "run = [13, 24]", "boxes.dozen:1", "covers 1 2 3 4"),
    ("rws-double-zero", "run = [1, 34], step = 3", "run = [2, 35], step = 3", "boxes.column:1", "covers 1 4 7 10"),
    ("rws-double-zero", "run = [1, 34], step = 3", "run = [2, 35], step = 3", "boxes.column:2", "shares"),
    ("rws-double-zero", 'label = "RED", colour = "red"', 'label = "RED", colour = "black"', "boxes.red", "covers 1 3 5 7"),
    ("rws-double-zero", "run = [1, 35], step = 2", "run = [2, 36], step = 2", "boxes.odd", "covers 1 3 5 7"),
    ("rws-double-zero", "run = [1, 18] }", "run = [19, 36] }", "boxes.low", "not below those of high"),
    ("rws-money-wheel", 'pocket = "RWS"', 'pocket = "CROCKFORDS"', "boxes.symbol:RWS", "covers RWS"),
    ("rws-double-zero", "run = [1, 35], step = 2", "run = [0, 35], step = 2", "boxes.odd", "covers 1 3 5 7"),
    ("rws-money-wheel", 'pocket = "RWS"', "run = [0, 0]", "boxes.symbol:RWS", "no pocket 0"),
    # bets and odds
    ("rws-double-zero", 'split = ["Appendix A / Split Bet"]', "split = []", "layouts.A.bets.split", "no clause describes this type of bet"),
    ("rws-double-zero", 'bets = ["split"]', "bets = []", "layouts.A.pay_table.rows[1]", "lists no bets"),
    ("rws-triple-zero", "top_line = '0 00 000 1 2 3'", "top_line = '0 00 000 1 2 3 3'", "layouts.A.top_line", "is listed twice"),
    ("rws-double-zero", 'corner = ["Appendix A / Corner Bet"]', "", "layouts.A.bets", "does not offer the type corner"),
    ("rws-double-zero", "[layouts.A.bets]", '[layouts.A.bets]\nsnake = ["3.1"]', "layouts.A.bets.snake", "picture gives no such bet"),
    ("rws-double-zero", '  { row = "Split", bets = ["split"], numbers = 2, pays = 17 },\n', "", "layouts.A.pay_table", "has no price"),
    ("rws-double-zero", 'bets = ["split"], numbers = 2', 'bets = ["split", "straight"], numbers = 2', "layouts.A.pay_table.rows[1]", "already has a price"),
    ("rws-double-zero", 'bets = ["split"], numbers = 2', 'bets = ["split", "snake"], numbers = 2', "layouts.A.pay_table", "prices snake"),
    ("rws-double-zero", 'bets = ["split"], numbers = 2', 'bets = ["split"], numbers = 3', "layouts.A.pay_table.rows[1]", "covers 2 segments"),
    ("rws-double-zero", "numbers = 2, pays = 17", "numbers = 2, pays = 19", "layouts.A.pay_table.rows[1]", "favours the player"),
    ("rws-double-zero", "numbers = 18, pays = 1 }", "numbers = 18, pays = 0 }", "layouts.A.pay_table.rows[7]", "pays 0 to 1"),
    ("rws-triple-zero", "top_line = '0 00 000 1 2 3'", "top_line = '0 00 0000 1 2 3'", "layouts.A.top_line", "no pocket 0000"),
    ("rws-double-zero", "square = [4, 6]", "square = [4, 6]\ntop_line = '0 1'", "layouts.A.top_line", "no Top Line"),
    # terminals and packages
    ("rws-double-zero", 'layout = "A"', 'layout = "Z"', "terminals[0].layout", "no layout 'Z'"),
    ("rws-double-zero", 'id = "rapid-b"', 'id = "rapid-a"', "terminals", "'rapid-a' is listed twice"),
    ("rws-double-zero", 'id = "rapid-b"', 'id = "Rapid B"', "terminals[1].id", "not a valid terminal id"),
    ("rws-double-zero", "straight:26 split:0-3", "straight:26 split:00-3", "terminals[0].series[2].pieces.1", "layout A has no position split:00-3"),
    ("rws-double-zero", "straight:26 split:0-3", "straight:26 split:3-0", "terminals[0].series[2].pieces.1", "no position split:3-0"),
    ("rws-double-zero", "total = 9", "total = 10", "terminals[0].series[3].total", "add up to 9, not 10"),
    ("rws-double-zero", "straight:26 split:0-3", "straight:26 straight:26", "terminals[0].series[2].pieces", "straight:26 is listed twice"),
    ("rws-double-zero", "pieces.1 = 'split:5-8", "pieces.one = 'split:5-8", "terminals[0].series[0].pieces", "invalid number of pieces"),
    ("rws-double-zero", "pieces.1 = 'split:5-8", "pieces.0 = 'split:5-8", "terminals[0].series[0].pieces", "invalid number of pieces"),
    ("rws-double-zero", "pieces.2 = 'street:0-2-3 corner:25-26-28-29'", "pieces.2 = ''", "terminals[0].series[3].pieces", "invalid number of pieces"),
    ("rws-double-zero", 'id = "tiers"', 'id = "neighbours"', "terminals[0].series[0].id", "not a valid package id"),
    ("rws-double-zero", 'id = "tiers"', 'id = "orphelins"', "terminals[0].series", "'orphelins' is listed twice"),
    ("rws-double-zero", "each_side = [1, 2, 3]", "each_side = [1, 19]", "terminals[0].neighbours.each_side", "neighbours is duplicate or out of range"),
    ("rws-double-zero", "each_side = [1, 2, 3]", "each_side = [1, 1]", "terminals[0].neighbours.each_side", "neighbours is duplicate or out of range"),
    ("rws-double-zero", "each_side = [1, 2, 3]", "each_side = [0]", "terminals[0].neighbours.each_side", "neighbours is duplicate or out of range"),
    ("rws-double-zero", "digits = [0, 1,", "digits = [10, 1,", "terminals[0].finales.digits", "no number of the wheel ends in it"),
    ("rws-money-wheel", 'layout = "A"\nclause = "3.3"', 'layout = "A"\nclause = "3.3"\nneighbours = { each_side = [1], clause = "3.3" }', "terminals[0].neighbours.each_side", "no straight up bets"),
    ("rws-money-wheel", 'layout = "A"\nclause = "3.3"', 'layout = "A"\nclause = "3.3"\nfinales = { digits = [1], clause = "3.3" }', "terminals[0].finales.digits", "no straight up bets"),
    # phrases, irregularities, authority
    ("rws-double-zero", 'phrases = ["No More Bets"]', "phrases = []", "betting.closes.phrases", "announcement is empty"),
    ("rws-double-zero", 'phrases = ["No More Bets"]', 'phrases = [" "]', "betting.closes.phrases", "announcement is empty"),
    ("mbs-sands", 'colours = ["yellow"', 'colours = ["orange"', "chips.colours", "orange is listed twice"),
    ("mbs-sands", 'colours = ["yellow"', 'colours = [" "', "chips.colours", "' ' is not a colour"),
    ("mbs-sands", 'colours = ["yellow", "orange", "pink", "purple", "blue", "turquoise", "brown", "grey", "red", "green", "white", "black"]', "colours = []", "chips.colours", "the list is empty"),
    ("mbs-sands", 'colour_clause = "1.1.1"', 'colour_clause = "1.1.11"', "chips.colour_clause", "'1.1.11' is cited"),
    ("rws-double-zero", 'loses_to = { "0"', 'loses_to = { "000"', "settlement.loses_to.000", "no pocket 000"),
    ("rws-double-zero", 'clause = "5.3.1", effect = "void_round"', 'clause = "5.3.1", effect = "refer"', "irregularities.ball_dropped", "must make the spin void"),
    ("rws-double-zero", "against_the_wheel = true", "", "irregularities.same_direction", "may turn in the wheel's direction"),
    ("rws-double-zero", "ball_dropped = {", "clapper_on_pin = {", "irregularities.clapper_on_pin", "cannot happen to a ball"),
    ("rws-money-wheel", "clapper_on_pin = {", "ball_broke = {", "irregularities.ball_broke", "cannot happen to a wheel"),
    ("rws-double-zero", 'until = "any_time", declared_by = ["pit_supervisor", "pit_manager", "shift_manager"]', "declared_by = []", "irregularities.wrong_result_registered.declared_by", "the list is empty"),
    ("rws-double-zero", 'declared_by = ["pit_supervisor", "pit_manager", "shift_manager"]', 'declared_by = ["player"]', "irregularities.wrong_result_registered.declared_by", "player is not in authority.ladder"),
    ("rws-double-zero", 'declares = ["dealer", "pit_supervisor", "pit_manager"]', "declares = []", "authority.declares", "the list is empty"),
    ("rws-double-zero", 'phrases = ["No More Bets"]', 'phrases = ["Place your bets"]', "betting.closes.phrases", "same phrase"),
    ("rws-double-zero", "ball_dropped = {", "Ball-Dropped = {", "irregularities.Ball-Dropped", "not a valid code"),
    ("rws-double-zero", 'ladder = ["dealer",', 'ladder = ["dealer", "dealer",', "authority.ladder", "dealer is listed twice"),
    ("rws-double-zero", 'ladder = ["dealer",', 'ladder = ["player", "dealer",', "authority.ladder", "player cannot be in authority.ladder"),
    ("rws-double-zero", 'ladder = ["dealer",', 'ladder = ["automatic_dealer", "dealer",', "authority.ladder", "automatic_dealer cannot be in authority.ladder"),
    ("rws-double-zero", '"pit_manager", "shift_manager", "casino_manager"]', '"pit_manager"]', "authority.decides.position", "not in authority.ladder"),
    # clauses and inferences
    ("rws-double-zero", 'clause = "5.3.2"', 'clause = "5.3.22"', "irregularities.too_few_revolutions.clause", "'5.3.22' is cited"),
    ("rws-double-zero", 'acting = "1.5"', 'acting = "1.55"', "authority.acting", "'1.55' is cited"),
    ("rws-double-zero", 'row = "Split"', 'row = "Splits"', "layouts.A.pay_table.rows[1]", "'4.1.1 / Splits' is cited"),
    ("rws-double-zero", "\"5.9\" = 'A void round", "\"5.9\" = ''\n\"5.99\" = 'A void round", "clauses.5.9", "empty"),
    ("rws-double-zero", 'at = "wheel.order"', 'at = "wheel.odor"', "inferred[0].at", "no key 'wheel.odor'"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "old", "new", "place", "message"), FAULTS, ids=[f"{f[3]} {f[4]}" for f in FAULTS])
def test_a_fault_is_reported_at_its_place(game: str, old: str, new: str, place: str, message: str) -> None:
    text = text_of(game)
    assert old in text
    faults = faults_of(text.replace(old, new, 1))
    assert [fault for fault in faults if fault.place == place and message in fault.wrong], "\n".join(map(str, faults))
    assert all(fault.remedy for fault in faults)


def test_the_shipped_rulebooks_have_no_faults() -> None:
    assert [faults_of(text_of(game)) for game in rulebooks.SHIPPED] == [()] * 5


def test_a_fault_includes_its_line_number() -> None:
    text = text_of("rws-double-zero")
    for old, new, place in [
        ('version = "4"', "version = 4", "version"),
        ("green = '0 00'", "green = '0 00 99'", "wheel.colours.green"),
        (
            'bets = ["line"], numbers = 6, pays = 5',
            'bets = ["line"], numbers = 6, pays = 9',
            "layouts.A.pay_table.rows[4]",
        ),
        ("total = 9", "total = 10", "terminals[0].series[3].total"),
        ("each_side = [1, 2, 3, 4]", "each_side = [40]", "terminals[2].neighbours.each_side"),
        ('clause = "5.3.2"', 'clause = "5.3.22"', "irregularities.too_few_revolutions.clause"),
    ]:
        broken = text.replace(old, new, 1)
        (fault,) = [fault for fault in faults_of(broken) if fault.place == place]
        expected = next(i for i, line in enumerate(broken.splitlines(), start=1) if new in line)
        assert fault.line == expected, (place, fault.line, expected)


def test_many_faults_are_reported_at_once() -> None:
    """Put structural and semantic faults into every section of one file."""
    together = [
        fault
        for fault in FAULTS
        if fault[0] == "rws-double-zero"
        and fault[3]
        in {
            "titel", "version", "effective", "spin.least_revolutions", "boxes.snake", "layouts.A.pay_table.rows[7]",
            "betting.closes.phrases", "authority.acting", "irregularities.ball_dropped", "inferred[0].at",
            "settlement.loses_to.000", "irregularities.too_few_revolutions.clause",
        }
    ]  # fmt: skip
    text = text_of("rws-double-zero")
    expected: list[tuple[str, str]] = []
    for _, old, new, place, message in together:
        if old in text and not any(place == before for before, _ in expected):
            text = text.replace(old, new, 1)
            expected.append((place, message))
    faults = faults_of(text)
    assert len(expected) == 12
    for place, message in expected:
        assert any(fault.place == place and message in fault.wrong for fault in faults), (place, [*map(str, faults)])


def test_a_fault_in_one_part_does_not_hide_faults_in_others() -> None:
    """After a fault in the wheel, a square or a box, odds, pieces and widths are still checked."""
    text = text_of("mbs-electronic-double-zero")
    for old, new in [
        ('spun = "ball"', 'spun = "dice"'),
        ("square = [4, 6]", "square = [0, 6]"),
        ('colour = "red" }', 'colour = "rouge" }'),
        ("numbers = 2, pays = 17", "numbers = 2, pays = 21"),
        ("split:0-3 split:12-15", "split:3-0 split:12-15"),
        ("total = 10", "total = 11"),
        ("each_side = [2]", "each_side = [40]"),
        ("digits = [0,", "digits = [11,"),
        ("run = [1, 12]", "run = [1, 13]"),
    ]:
        assert old in text
        text = text.replace(old, new, 1)
    assert {fault.place for fault in faults_of(text)} == (
        {
            "wheel.spun",
            "layouts.A.square",
            "boxes.red",
            "layouts.A.pay_table.rows[1]",
            "terminals[0].series[3].pieces.1",
            "terminals[0].series[0].total",
            "terminals[0].neighbours.each_side",
            "terminals[0].finales.digits",
            "layouts.A.pay_table.rows[6]",
            "boxes.dozen:1",
            "boxes.dozen:2",
        }
    )


EVERY_SECTION = [
    fault
    for fault in FAULTS
    if fault[0] == "rws-double-zero" and "\n" not in fault[2] and fault[3] not in {"id", "effective"}
]


def test_any_two_faults_of_different_sections_are_reported_together() -> None:
    """For each pair of sections, both faults are reported with their own message."""
    by_section = {fault[3].partition(".")[0].partition("[")[0]: fault for fault in EVERY_SECTION}
    assert len(by_section) >= 12
    for one in by_section.values():
        for two in by_section.values():
            text = text_of("rws-double-zero").replace(one[1], one[2], 1)
            if one is two or two[1] not in text:
                continue
            found = faults_of(text.replace(two[1], two[2], 1))
            for _, _, _, place, message in (one, two):
                assert any(f.place == place and message in f.wrong for f in found), (one[3], two[3], [*map(str, found)])


def test_two_bets_with_the_same_name_are_a_fault() -> None:
    """Zeros at both ends of the rows give two Top Lines with the same name."""
    wheel = Wheel(Spun.BALL, tuple(map(Pocket, "yzwx123456")), tuple(map(Pocket, "yzwx123456")), {})
    picture = "z 3 6 w\nz 3 6 w\nz 2 5 w\ny 2 5 x\ny 1 4 x\ny 1 4 x"
    row = PayRow("any", ("straight", "split", "street", "corner", "line", "top_line"), 1, 1)
    bets: dict[str, tuple[Clause, ...]] = dict.fromkeys(row.bets, (Clause("1"),))
    plan = LayoutPlan(Clause("1"), (4, 3), picture, bets, PayTable(Clause("1"), (row,)))
    faults = Faults(Places(""))
    build_layout(LayoutId("A"), plan, wheel, {}, faults)
    assert any("gives the bet top_line twice" in fault.wrong for fault in faults.found)


def test_a_byte_order_mark_is_accepted() -> None:
    assert load(b"\xef\xbb\xbf" + text_of("mbs-sands").encode()).id == "mbs-sands"


def test_rows_keep_their_index_after_an_unreadable_row() -> None:
    text = text_of("mbs-sands").replace("numbers = 2, pays = 17", 'numbers = 2, pays = "17"', 1)
    text = text.replace('bets = ["line"], numbers = 6', 'bets = ["line"], numbers = 5', 1)
    places = {fault.place: fault.line for fault in faults_of(text)}
    assert set(places) == {"layouts.A.pay_table.rows[1].pays", "layouts.A.pay_table.rows[4]"}
    assert text.splitlines()[(places["layouts.A.pay_table.rows[4]"] or 0) - 1].startswith('  { row = "6 Numbers')


def test_a_pocket_missing_from_the_picture_causes_no_other_fault() -> None:
    text = (
        text_of("rws-double-zero").replace("pockets = '0 00 1", "pockets = '0 00 X 1").replace("'0 00 32", "'0 00 X 32")
    )
    text = text.replace("green = '0 00'", "green = '0 00 X'")
    assert {fault.place for fault in faults_of(text)} == {"layouts.A.picture", "layouts.B.picture"}


def test_a_missing_bet_type_is_one_fault() -> None:
    text = text_of("mbs-sands").replace('corner = ["3.4.3", "Diagram B / D"]\n', "", 1)
    (fault,) = faults_of(text)
    assert "22 bets such as corner:2-3-5-6" in fault.wrong


def test_a_misspelt_key_is_one_fault() -> None:
    text = text_of("mbs-sands").replace("least_revolutions", "least_revolution", 1)
    (fault,) = faults_of(text)
    assert (fault.place, fault.remedy) == ("spin.least_revolution", "did you mean 'least_revolutions'?")


def test_a_fault_in_the_picture_includes_the_line_of_its_row() -> None:
    text = text_of("rws-double-zero").replace("00 0 2       5", "00 0 2 2      5", 1)
    (fault,) = [fault for fault in faults_of(text) if "row 2 has 16 squares" in fault.wrong]
    expected = next(i for i, line in enumerate(text.splitlines(), start=1) if "00 0 2 2      5" in line)
    assert fault.line == expected


def test_an_unreadable_row_causes_no_further_faults() -> None:
    """One invalid row of a pay table is one fault. Its bets are not also reported as lacking a price."""
    text = text_of("mbs-sands").replace("numbers = 2, pays = 17", 'numbers = 2, pays = "17"', 1)
    assert [fault.place for fault in faults_of(text)] == ["layouts.A.pay_table.rows[1].pays"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"id = ",
        b"[" * 5000,
        b"a = " + b"[" * 5000,
        b"a = " + b"9" * 5000,
        b"\x00",
        b"id = 1\nid = 2\n",
    ],
    ids=["empty", "not utf-8", "cut", "brackets", "nesting", "long number", "nul", "key twice"],
)
def test_a_file_that_is_not_a_rulebook_has_clear_faults(content: bytes) -> None:
    with pytest.raises(InvalidRulebook) as unsound:
        load(content)
    assert unsound.value.faults
    assert "Traceback" not in str(unsound.value)


def test_the_hash_of_a_game_is_that_of_its_file(tmp_path: Path) -> None:
    import hashlib

    for id in rulebooks.SHIPPED:
        content = rulebooks.shipped(id).read_bytes()
        assert load(content).hash == hashlib.sha256(content).hexdigest()
    assert load(content + b"# one more word\n").hash != load(content).hash


LINES = [line for game in rulebooks.SHIPPED for line in text_of(game).splitlines() if "=" in line and "'''" not in line]
VALUES = ["1", "-1", "0", "true", '""', "'0 00'", "[]", "{}", "[1, 2]", "1.5", "nan", "2020-01-01", '"A"', "[[]]", '{ a = 1 }', "99999999999"]  # fmt: skip


Edit = tuple[str, int, int, str]
edits = st.tuples(
    st.sampled_from(["drop", "double", "swap", "value", "foreign", "word"]),
    st.integers(0, 500),
    st.integers(0, 500),
    st.sampled_from([*VALUES, *LINES, "0", "00", "17", "S", "x", "split:1-2", "."]),
)


def mangle(text: str, edit: Edit) -> str:
    """Remove, duplicate, swap or insert a line, or change its value or one word."""
    how, at, other, value = edit
    lines = text.splitlines()
    at, other = at % len(lines), other % len(lines)
    match how:
        case "drop":
            del lines[at]
        case "double":
            lines.insert(at, lines[at])
        case "swap":
            lines[at], lines[other] = lines[other], lines[at]
        case "value":
            lines[at] = re.sub(r"=.*", lambda _: f"= {value}", lines[at], count=1)
        case "foreign":
            lines.insert(at, value)
        case _:
            parts = lines[at].split(" ")
            parts[other % len(parts)] = value
            lines[at] = " ".join(parts)
    return "\n".join(lines)


@given(st.sampled_from(rulebooks.SHIPPED), st.lists(edits, min_size=1, max_size=4))
def test_a_randomly_edited_rulebook_loads_or_has_faults(game: GameId, changes: list[Edit]) -> None:
    text = text_of(game)
    for edit in changes:
        text = mangle(text, edit)
    for fault in faults_of(text):
        assert fault.wrong
        assert fault.remedy
        assert fault.line is None or 1 <= fault.line <= text.count("\n") + 1


@pytest.mark.parametrize("offset", ["+08:00", "+00:00", "Z", "-05:00", "+05:45"])
def test_rules_may_take_effect_at_a_time_in_any_time_zone(offset: str) -> None:
    text = text_of(GameId("rws-double-zero"))
    assert faults_of(text.replace("2020-08-05T08:00:00+08:00", f"2020-08-05T08:00:00{offset}")) == ()
