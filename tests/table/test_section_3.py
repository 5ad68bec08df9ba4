"""Section 3 of the five documents (how to play), dealt at a real table with exact amounts."""

import pytest

from roundhouse.rules.names import LayoutId
from tests.documents import Document
from tests.documents.shelf import DOCUMENTS
from tests.support.tables import BALL_GAMES, SPUN_FIRST, Tables, each_game, evens, kinds, loses, the, wins

OPENS = {"rws-double-zero": "3.2", "rws-triple-zero": "3.2"} | dict.fromkeys(
    ("mbs-sands", "mbs-electronic-double-zero", "rws-money-wheel"), "3.1"
)
CLOSES = {"rws-double-zero": "3.5", "rws-triple-zero": "3.5"} | dict.fromkeys(
    ("mbs-sands", "mbs-electronic-double-zero", "rws-money-wheel"), "3.2"
)
RESULT = {
    "rws-double-zero": "3.7",
    "rws-triple-zero": "3.7",
    "mbs-sands": "3.7",
    "mbs-electronic-double-zero": "3.8",
    "rws-money-wheel": "3.5",
}
PHRASES = {
    "rws-double-zero": ({"Place your bets"}, {"No More Bets"}),
    "rws-triple-zero": ({"Place your bets"}, {"No More Bets"}),
    "mbs-sands": ({"Place your bets, please"}, {"No more bets"}),
    "mbs-electronic-double-zero": (
        {"Place your bets", "Place your bets, please", "Bets are open"},
        {"No more bets", "Bets are closed"},
    ),
    "rws-money-wheel": ({"Place your bets, please"}, {"No more bets"}),
}


@each_game(
    {
        "rws-double-zero": "1.9, 3.2, 3.4",
        "rws-triple-zero": "1.9, 3.2, 3.4",
        "mbs-sands": "1.1.5, 3.1, 3.3",
        "mbs-electronic-double-zero": "1.1.4, 3.1, 3.3",
        "rws-money-wheel": "3.1, 3.3",
    }
)
def test_bets_are_accepted_only_after_the_opening(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    bet = {evens(game): 300}
    assert play.refused("place_bets", seat="a", bets=bet) == ("bets_are_not_open", OPENS[game])
    opened = the("bets_opened", play.ok("open_bets"))
    assert (opened["round"], opened["clause"]) == (1, OPENS[game])
    assert opened["phrase"] in PHRASES[game][0]
    play.ok("place_bets", seat="a", bets=bet)
    play.ok("place_bets", seat="a", bets={**bet, **({"black": 100} if game in BALL_GAMES else {"symbol:20": 100})})
    assert play.credits("a") == [300]
    assert play.state["seats"]["a"]["staked"] == 700


@each_game(
    {
        "rws-double-zero": "3.5, 5.7",
        "rws-triple-zero": "3.5, 5.7",
        "mbs-sands": "3.2",
        "mbs-electronic-double-zero": "3.2",
        "rws-money-wheel": "3.2",
    }
)
def test_only_the_chips_on_the_layout_at_the_closing_are_settled(game: str, table: Tables) -> None:
    play = table(game).open("a", "b", credits=1000)
    play.bet(a={evens(game): 300}, b={evens(game): 50}).ok("withdraw_bets", seat="b", bets={evens(game): 50})
    if game in SPUN_FIRST:
        play.ok("start_spin")
    closed = the("bets_closed", play.ok("close_bets"))
    assert (closed["staked"], closed["clause"]) == (300, CLOSES[game])
    assert closed["phrase"] in PHRASES[game][1]
    assert play.refused("place_bets", seat="a", bets={evens(game): 100})[0] == "bets_are_closed"
    assert play.refused("withdraw_bets", seat="a", bets={evens(game): 100})[0] == "bets_are_closed"
    if game not in SPUN_FIRST:
        play.ok("start_spin")
    settled = the("round_settled", play.rest(wins(game)).ok("confirm_result"))
    assert settled["seats"] == {"a": [300, 600]}
    assert play.credits("a", "b") == [1300, 1000]


@pytest.mark.clause("mbs-sands", "3.6")
def test_sands_closes_bets_while_the_ball_is_rotating(table: Tables) -> None:
    play = table("mbs-sands").open("a").bet(a={"red": 100})
    assert play.refused("close_bets") == ("bets_close_while_spinning", "3.6")
    play.ok("start_spin")
    play.ok("place_bets", seat="a", bets={"red": 50})
    play.ok("close_bets")
    assert play.phase == "spinning"


@pytest.mark.clause("mbs-electronic-double-zero", "3.7")
def test_the_electronic_game_closes_bets_before_the_spin(table: Tables) -> None:
    play = table("mbs-electronic-double-zero").open("a").bet(a={"red": 100})
    assert play.refused("start_spin") == ("bets_close_before_spin", "3.7")
    play.ok("close_bets")
    play.ok("start_spin")


@pytest.mark.parametrize("spun_first", [False, True])
@each_game({"rws-double-zero": "3.5", "rws-triple-zero": "3.5", "rws-money-wheel": "3.2"})
def test_in_the_other_games_the_operator_chooses_the_closing_moment(game: str, spun_first: bool, table: Tables) -> None:
    play = table(game).open("a").bet(a={evens(game): 100})
    for step in ("start_spin", "close_bets") if spun_first else ("close_bets", "start_spin"):
        play.ok(step)
    assert play.phase == "spinning"


@each_game(
    {
        "rws-double-zero": "1.4, 1.9, 1.10, 3.7, 3.9",
        "rws-triple-zero": "1.4, 1.9, 1.10, 3.7, 3.9",
        "mbs-sands": "1.1.5, 3.7, 4.1",
        "mbs-electronic-double-zero": "1.1.4, 3.8, 4.1",
        "rws-money-wheel": "3.5, 3.6, 4.1",
    }
)
def test_the_result_is_marked_and_every_seat_is_settled(game: str, table: Tables) -> None:
    play = table(game).open("a", "b", "c", "d", credits=1000)
    play.bet(a={evens(game): 300}, b={evens(game): 200}, d={evens(game): 40}).spin()
    play.ok("observe_spin", **play.spun())
    rested = the("ball_rested", play.ok("ball_at_rest", outcome=wins(game)))
    assert (rested["outcome"], rested["clause"]) == (wins(game), RESULT[game])
    play.ok("register_result", outcome=wins(game))
    events = play.ok("confirm_result")
    assert the("result_confirmed", events)["dolly"] == wins(game)
    settled = the("round_settled", events)
    assert settled["seats"] == {"a": [300, 600], "b": [200, 400], "d": [40, 80]}
    assert (settled["staked"], settled["returned"]) == (540, 1080)
    assert play.credits("a", "b", "c", "d") == [1300, 1200, 1000, 1040]
    assert play.state["accounts"]["house"] == -540
    assert play.phase == "idle"
    play.round(loses(game), a={evens(game): 300})
    assert play.credits("a") == [1000]
    assert play.state["accounts"] | {"house": -240, "layout": 0} == play.state["accounts"]


def test_outcomes_that_are_not_on_the_wheel_are_refused(table: Tables) -> None:
    play = table("rws-double-zero").open("a").bet(a={"red": 100}).spin()
    assert play.refused("ball_at_rest", outcome="37") == ("no_such_outcome", None)
    assert play.refused("ball_at_rest", outcome="000") == ("no_such_outcome", None)
    play.ok("ball_at_rest", outcome="00")
    assert play.refused("register_result", outcome="S") == ("no_such_outcome", None)


PRICED = [(document, layout) for document in DOCUMENTS for layout in document.offers]


@pytest.mark.parametrize(
    ("document", "layout"), PRICED, ids=[f"{document.game} {layout}" for document, layout in PRICED]
)
def test_returns_of_one_unit_on_every_position_match_the_checksum(
    document: Document, layout: str, table: Tables
) -> None:
    """Play every outcome once with chips on every position, and compare the total return with the checksum."""
    play = table(document.game)
    game = play.game
    terminal = next(t.id for t in game.rulebook.terminals if t.layout == layout)
    positions = sorted(position.id for position in game.layouts[LayoutId(layout)].positions)
    assert len(positions) == document.positions[layout]
    unit = 100
    play.script(
        ("open_table", {}),
        ("take_seat", {"seat": "a", "terminal": terminal}),
        ("buy_credits", {"seat": "a", "cents": 100 * unit * len(positions)}),
    )
    returned = 0
    for outcome in game.wheel.pockets:
        before = play.credits("a")[0]
        play.round(outcome, a=dict.fromkeys(positions, unit))
        returned += play.credits("a")[0] - before + unit * len(positions)
    assert returned == document.checksum[layout] * unit


@each_game({"rws-double-zero": "3.8", "rws-triple-zero": "3.8"})
def test_a_zero_pays_only_bets_that_cover_that_zero(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=10_000)
    play.round("0", a={"straight:0": 100, "straight:00": 100, "split:0-00": 100, "red": 100, "street:0-1-2": 100})
    assert play.credits("a") == [10_000 - 500 + 3600 + 1800 + 1200]
    play.round("00", a={"straight:0": 100, "straight:00": 100, "split:0-00": 100, "even": 100})
    assert play.credits("a") == [16_100 - 400 + 3600 + 1800]


@pytest.mark.clause("mbs-electronic-double-zero", "4.2", "4.2.1")
def test_the_electronic_game_pays_bets_on_its_zeros(table: Tables) -> None:
    play = table("mbs-electronic-double-zero").open("a", credits=10_000)
    play.round("0", a={"straight:0": 100, "corner:0-1-2-3": 100, "straight:00": 100, "low": 100})
    assert play.credits("a") == [10_000 - 400 + 3600 + 900]
    play.round("00", a={"straight:0": 100, "corner:0-1-2-3": 100, "straight:00": 100, "split:0-00": 100})
    assert play.credits("a") == [14_100 - 400 + 3600 + 1800]


@each_game({"rws-double-zero": "3.3", "rws-triple-zero": "3.3"})
def test_limits_are_shown_and_enforced(game: str, table: Tables) -> None:
    limits = {"types": {"straight": {"min": 100, "max": 500}}, "seat": {"min": 50, "max": 2000}, "table": 3000}
    play = table(game).open("a", "b", credits=100_000, **limits)
    found = play.state["limits"]
    assert found["types"] == limits["types"]
    assert (found["seat"], found["table"]) == (limits["seat"], 3000)
    play.ok("open_bets")
    assert play.refused("place_bets", seat="a", bets={"straight:1": 99}) == ("below_minimum", "3.3")
    assert play.refused("place_bets", seat="a", bets={"straight:1": 501}) == ("above_maximum", "3.3")


@each_game(of=("rws-double-zero", "mbs-electronic-double-zero"))
def test_a_round_without_bets_can_be_played(game: str, table: Tables) -> None:
    play = table(game).open("a")
    with play.same_money():
        assert play.round("1") == 1
    assert kinds(play.events).count("round_settled") == 1
