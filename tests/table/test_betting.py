"""Bets: limits, packages, withdrawals, undo, repeat and double."""

from typing import Any

import pytest

from tests.support.tables import Json, Play, Tables, each_game, evens, loses, the, wins

GAME = "rws-double-zero"


def bets(play: Play, seat: str = "a") -> dict[str, int]:
    found: dict[str, int] = play.state["seats"][seat]["bets"]
    return found


def test_positions_types_and_seats_have_separate_limits(table: Tables) -> None:
    play = table(GAME).open(
        "a",
        types={"straight": {"min": 100, "max": 1000}, "split": {"max": 400}},
        positions={"straight:17": {"min": 200, "max": 300}},
        seat={"min": 50, "max": 2000},
        table=2500,
    )
    play.ok("open_bets")
    cases = [
        ({"straight:1": 99}, "below_minimum"),
        ({"straight:1": 1001}, "above_maximum"),
        ({"straight:17": 199}, "below_minimum"),
        ({"straight:17": 301}, "above_maximum"),
        ({"split:1-2": 49}, "below_minimum"),
        ({"split:1-2": 401}, "above_maximum"),
        ({"red": 49}, "below_minimum"),
        ({"red": 2001}, "above_seat_maximum"),
        ({"red": 1900, "straight:1": 101}, "above_seat_maximum"),
    ]
    for slip, refusal in cases:
        assert play.refused("place_bets", seat="a", bets=slip) == (refusal, "3.3"), slip
    for slip in ({"straight:1": 100}, {"straight:17": 300}, {"split:1-2": 50}, {"red": 50}):
        play.ok("place_bets", seat="a", bets=slip)
    assert play.refused("place_bets", seat="a", bets={"straight:17": 1}) == ("above_maximum", "3.3")
    play.ok("place_bets", seat="a", bets={"straight:1": 1})
    assert bets(play) == {"straight:1": 101, "straight:17": 300, "split:1-2": 50, "red": 50}
    assert play.refused("place_bets", seat="a", bets={"black": 1500}) == ("above_seat_maximum", "3.3")
    play.ok("place_bets", seat="a", bets={"black": 1499})
    assert play.state["seats"]["a"]["staked"] == 2000


@pytest.mark.clause("rws-triple-zero", "4.1 / Street or Green")
def test_street_and_green_have_separate_limits(table: Tables) -> None:
    play = table("rws-triple-zero").open("a", types={"street": {"max": 100}, "green": {"max": 300}})
    play.ok("open_bets")
    play.ok("place_bets", seat="a", bets={"street:0-00-000": 100, "green": 300})
    assert play.refused("place_bets", seat="a", bets={"street:0-00-000": 1}) == ("above_maximum", "3.3")
    assert play.refused("place_bets", seat="a", bets={"green": 1}) == ("above_maximum", "3.3")


def test_the_table_has_a_maximum_for_all_seats_together(table: Tables) -> None:
    play = table(GAME).open("a", "b", table=500).bet(a={"red": 300})
    assert play.refused("place_bets", seat="b", bets={"red": 201}) == ("above_table_maximum", "3.3")
    play.ok("place_bets", seat="b", bets={"red": 200})
    assert play.refused("double", seat="a") == ("above_table_maximum", "3.3")
    play.ok("withdraw_bets", seat="a", bets={"red": 100})
    assert play.refused("place_bets", seat="b", bets={"red": 101}) == ("above_table_maximum", "3.3")
    play.ok("place_bets", seat="b", bets={"red": 100})
    assert play.refused("undo", seat="a") == ("above_table_maximum", "3.3"), "another seat has used the limit"


def test_limits_apply_to_the_pieces_of_a_package(table: Tables) -> None:
    play = table(GAME).open("a", types={"street": {"min": 1, "max": 150}, "corner": {"min": 100}}, credits=2000)
    play.ok("open_bets")
    # The grand series has five splits, two pieces on street 0/2/3 and two on corner 25/26/28/29.
    grand = {"seat": "a", "package": "grand_series"}
    assert play.refused("place_package", **grand, unit_cents=76) == ("above_maximum", "3.3")
    assert play.refused("place_package", **grand, unit_cents=49) == ("below_minimum", "3.3")
    placed = the("bets_placed", play.ok("place_package", **grand, unit_cents=50))
    assert (placed["how"], placed["package"]) == ("package", "grand_series")
    splits = dict.fromkeys(["split:4-7", "split:12-15", "split:18-21", "split:19-22", "split:32-35"], 50)
    assert bets(play) == {**splits, "street:0-2-3": 100, "corner:25-26-28-29": 100}
    assert play.credits("a") == [2000 - 9 * 50]
    assert play.refused("place_package", **grand, unit_cents=50) == ("above_maximum", "3.3")
    assert play.refused("place_package", seat="a", package="nothing", unit_cents=50)[0] == "no_such_package"
    for bad in (0, -50, 10**12, 10**30):
        assert play.refused("place_package", **grand, unit_cents=bad) == ("bad_amount", None)
    play.ok("undo", seat="a")
    assert (bets(play), play.credits("a")) == ({}, [2000])


def test_a_terminal_has_its_own_packages_and_layout(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    play.ok("take_seat", seat="b", terminal="rapid-b")
    play.ok("buy_credits", seat="b", cents=1000)
    play.ok("open_bets")
    assert play.refused("place_package", seat="b", package="grand_series", unit_cents=10)[0] == "no_such_package"
    assert play.refused("place_bets", seat="a", bets={"top_line": 10})[0] == "no_such_position"
    assert play.refused("place_bets", seat="b", bets={"corner:0-1-2-3": 10})[0] == "no_such_position"
    play.ok("place_bets", seat="b", bets={"top_line": 10})


@pytest.mark.parametrize(
    "slip",
    [[], [("red", 0)], [("red", -1)], [("red", 10**11 + 1)], [("red", 2**63)], [("red", 10**30)],
     [("red", 5), ("red", -5)], [("red", 5), ("black", 0)]],
)  # fmt: skip
def test_invalid_amounts_are_refused(slip: list[tuple[str, int]], table: Tables) -> None:
    play = table(GAME).open("a").bet(a={"red": 100})
    chips = [{"position": position, "cents": cents} for position, cents in slip]
    assert play.refused("place_bets", seat="a", bets=chips) == ("bad_amount", None)
    assert play.refused("withdraw_bets", seat="a", bets=chips) == ("bad_amount", None)


def test_chips_on_one_position_are_one_bet(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000, types={"red": {"min": 100}})
    play.ok("open_bets")
    half = {"position": "red", "cents": 60}
    assert play.refused("place_bets", seat="a", bets=[half]) == ("below_minimum", "3.3")
    play.ok("place_bets", seat="a", bets=[half, half])
    assert (bets(play), play.credits("a")) == ({"red": 120}, [880])


def test_a_withdrawal_may_not_leave_less_than_the_minimum(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000, types={"red": {"min": 100}}).bet(a={"red": 150})
    assert play.refused("withdraw_bets", seat="a", bets={"red": 51}) == ("below_minimum", "3.3")
    assert play.refused("withdraw_bets", seat="a", bets={"red": 151})[0] == "nothing_there"
    assert play.refused("withdraw_bets", seat="a", bets={"black": 1})[0] == "nothing_there"
    play.ok("withdraw_bets", seat="a", bets={"red": 50})
    play.ok("withdraw_bets", seat="a", bets={"red": 100})
    assert (bets(play), play.credits("a")) == ({}, [1000])


def test_bets_may_not_exceed_the_credits(table: Tables) -> None:
    play = table(GAME).open("a", credits=100)
    play.ok("open_bets")
    assert play.refused("place_bets", seat="a", bets={"red": 101}) == ("not_enough_credits", None)
    assert play.refused("place_bets", seat="a", bets={"red": 60, "black": 41}) == ("not_enough_credits", None)
    play.ok("place_bets", seat="a", bets={"red": 60, "black": 40})
    assert play.refused("place_bets", seat="a", bets={"red": 1}) == ("not_enough_credits", None)
    assert play.refused("double", seat="a") == ("not_enough_credits", None)


STEPS: list[tuple[str, dict[str, Any], dict[str, int]]] = [
    ("place_bets", {"bets": {"red": 100, "straight:17": 20}}, {"red": 100, "straight:17": 20}),
    ("place_bets", {"bets": {"red": 50}}, {"red": 150, "straight:17": 20}),
    ("double", {}, {"red": 300, "straight:17": 40}),
    ("withdraw_bets", {"bets": {"red": 300, "straight:17": 10}}, {"straight:17": 30}),
    ("repeat", {}, {"straight:17": 30, "black": 70}),
    (
        "place_package",
        {"package": "neighbours:17:1", "unit_cents": 10},
        {"straight:17": 40, "straight:25": 10, "straight:34": 10, "black": 70},
    ),
    ("clear", {}, {}),
    ("place_bets", {"bets": {"even": 5}}, {"even": 5}),
]


def test_every_step_can_be_undone_one_by_one(table: Tables) -> None:
    play = table(GAME).open("a", credits=10_000)
    play.round("1", a={"black": 70})
    play.ok("open_bets")
    path: list[dict[str, int]] = [{}]
    for do, fields, after in STEPS:
        play.ok(do, seat="a", **fields)
        assert bets(play) == after, do
        path.append(after)
    play.ok("place_bets", seat="a", bets={"odd": 5})
    while path:
        undone = play.ok("undo", seat="a")
        assert undone[0]["how"] == "undone"
        expected = path.pop()
        assert bets(play) == expected
        assert play.credits("a") == [9930 - sum(expected.values())]
    assert play.refused("undo", seat="a") == ("nothing_to_undo", None)


def test_undo_affects_one_seat_and_one_round(table: Tables) -> None:
    play = table(GAME).open("a", "b").bet(a={"red": 100}, b={"black": 50})
    play.ok("undo", seat="a")
    assert (bets(play), bets(play, "b")) == ({}, {"black": 50})
    assert play.refused("undo", seat="a") == ("nothing_to_undo", None)
    play.ok("place_bets", seat="a", bets={"red": 100})
    play.ok("clear", seat="a")
    play.spin().rest("1").ok("confirm_result")
    play.ok("open_bets")
    for seat in ("a", "b"):
        assert play.refused("undo", seat=seat) == ("nothing_to_undo", None)


def test_undoing_a_withdrawal_needs_enough_credits(table: Tables) -> None:
    play = table(GAME).open("a", credits=100).bet(a={"red": 100})
    play.ok("clear", seat="a")
    play.ok("cash_out", seat="a")
    assert play.refused("undo", seat="a") == ("not_enough_credits", None)
    play.ok("buy_credits", seat="a", cents=100)
    play.ok("undo", seat="a")
    assert bets(play) == {"red": 100}


def test_undo_clear_repeat_and_double_without_bets_are_refused(table: Tables) -> None:
    play = table(GAME).open("a")
    play.ok("open_bets")
    for do, refusal in [
        ("undo", "nothing_to_undo"),
        ("clear", "nothing_to_clear"),
        ("repeat", "nothing_to_repeat"),
        ("double", "nothing_to_double"),
    ]:
        assert play.refused(do, seat="a") == (refusal, None)
        assert play.refused(do, seat="ghost") == ("no_such_seat", None)


@each_game()
def test_repeat_uses_the_last_round_with_bets(game: str, table: Tables) -> None:
    play = table(game).open("a", "b", credits=10_000)
    bet, other = {evens(game): 100}, {evens(game): 30}
    play.round(loses(game), a=bet)
    play.round(loses(game), b=bet)
    play.bet(a={evens(game): 50}).ok("clear", seat="a")
    play.spin().rest(wins(game)).ok("confirm_result")
    play.ok("open_bets")
    play.ok("repeat", seat="a")
    assert bets(play) == bet, "rounds without a bet are skipped"
    play.ok("clear", seat="a")
    play.ok("place_bets", seat="a", bets=other)
    play.spin().ok("declare", irregularity="interference")
    play.ok("open_bets")
    play.ok("repeat", seat="a")
    assert bets(play) == other, "a void round counts"
    play.spin().ok("declare", irregularity="interference")
    play.reopen()
    play.ok("open_bets")
    play.ok("repeat", seat="a")
    play.ok("repeat", seat="a")
    assert bets(play) == {evens(game): 60}


BAD_LIMITS: list[dict[str, Any]] = [
    {"seat": {"min": 0}},
    {"seat": {"min": 10, "max": 9}},
    {"types": {"straight": {"max": 10**12}}},
    {"types": {"triangle": {"max": 10}}},
    {"positions": {"straight:37": {"max": 10}}},
    {"table": 0},
    {"table": -(10**30)},
    {"seat": {"min": 500}, "types": {"red": {"max": 400}}},
]


@pytest.mark.parametrize("limits", BAD_LIMITS, ids=str)
def test_impossible_limits_are_refused(limits: dict[str, Any], table: Tables) -> None:
    play = table(GAME)
    assert play.refused("open_table", limits=limits) == ("bad_limits", None)


def test_the_first_applicable_refusal_is_returned(table: Tables) -> None:
    """Refusals are checked in the order of their enumeration."""
    play = table(GAME).open("a", credits=10, types={"red": {"min": 5, "max": 20}}, seat={"max": 30}, table=40)
    nowhere: Json = {"seat": "ghost", "bets": {"nowhere": -1}}
    assert play.refused("place_bets", "dealer", **nowhere)[0] == "not_authorised"
    assert play.refused("place_bets", **nowhere)[0] == "bets_are_not_open"
    play.ok("open_bets")
    assert play.refused("place_bets", **nowhere)[0] == "no_such_seat"
    assert play.refused("place_bets", seat="a", bets={"nowhere": -1})[0] == "no_such_position"
    assert play.refused("place_bets", seat="a", bets={"red": -1})[0] == "bad_amount"
    assert play.refused("place_bets", seat="a", bets={"red": 4})[0] == "below_minimum"
    assert play.refused("place_bets", seat="a", bets={"red": 41})[0] == "above_maximum"
    assert play.refused("place_bets", seat="a", bets={"black": 41})[0] == "above_seat_maximum"
    play.ok("take_seat", seat="b", terminal="rapid-a")
    play.ok("buy_credits", seat="b", cents=30)
    play.ok("place_bets", seat="b", bets={"black": 30})
    assert play.refused("place_bets", seat="a", bets={"black": 11})[0] == "above_table_maximum"
    play.ok("withdraw_bets", seat="b", bets={"black": 30})
    assert play.refused("place_bets", seat="a", bets={"black": 11})[0] == "not_enough_credits"
    assert play.refused("place_package", seat="a", package="none", unit_cents=0)[0] == "no_such_package"
