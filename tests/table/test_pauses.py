"""Paused seats: no new bets, and bets on the layout stay live."""

import pytest

from tests.support.tables import EVERYBODY, GAMES, Json, Play, Tables, evens, wins

WHY = "please wait for the Pit Supervisor"


@pytest.mark.parametrize("game", GAMES)
def test_bets_on_the_layout_stay_live(game: str, table: Tables) -> None:
    play = table(game).open("a", "b", credits=1000).bet(a={evens(game): 200}, b={evens(game): 100})
    play.ok("pause_seat", seat="a", reason=WHY)
    assert play.refused("place_bets", seat="a", bets={evens(game): 100}) == ("seat_is_paused", None)
    play.ok("place_bets", seat="b", bets={evens(game): 100})
    play.spin().rest(wins(game)).ok("confirm_result")
    assert play.credits("a", "b") == [1200, 1200]


ADDING = ["place_bets", "place_package", "double", "repeat", "undo_of_a_withdrawal"]
TAKING = ["withdraw_bets", "clear", "undo"]


def paused(table: Tables, by: str) -> tuple[Play, str, Json]:
    """Return a table with a paused seat, and one of its commands."""
    play = table("rws-double-zero").open("a", credits=1000)
    play.round("1", a={"red": 100})
    play.bet(a={"red": 200})
    if by == "undo_of_a_withdrawal":
        play.ok("withdraw_bets", seat="a", bets={"red": 100})
    if by == "repeat":
        play.ok("clear", seat="a")
    play.ok("pause_seat", seat="a", reason=WHY)
    fields: dict[str, Json] = {
        "place_bets": {"bets": {"red": 100}},
        "place_package": {"package": "neighbours:22:2", "unit_cents": 100},
        "withdraw_bets": {"bets": {"red": 100}},
    }
    return play, "undo" if by == "undo_of_a_withdrawal" else by, {"seat": "a", **fields.get(by, {})}


@pytest.mark.parametrize("by", ADDING)
def test_a_paused_seat_adds_no_chips(by: str, table: Tables) -> None:
    play, do, fields = paused(table, by)
    answer = play.do(do, **fields)
    assert (answer["ok"], answer["refusal"], answer["reason"]) == (False, "seat_is_paused", WHY)
    play.ok("resume_seat", seat="a")
    play.ok(do, **fields)


@pytest.mark.parametrize("by", TAKING)
def test_a_paused_seat_takes_chips_back(by: str, table: Tables) -> None:
    play, do, fields = paused(table, by)
    play.ok(do, **fields)


def test_a_paused_seat_still_owns_its_money(table: Tables) -> None:
    play = table("rws-double-zero").open("a", credits=1000)
    play.ok("pause_seat", seat="a", reason=WHY)
    play.reopen()
    assert play.state["seats"]["a"]["paused"] == WHY
    play.ok("buy_credits", seat="a", cents=500)
    assert play.ok("cash_out", seat="a")[0]["cents"] == 1500


def test_supervisors_pause_and_resume(table: Tables) -> None:
    play = table("rws-double-zero").open("a")
    for position in EVERYBODY:
        if position in ("player", "cashier", "dealer"):
            assert play.refused("pause_seat", position, seat="a", reason=WHY)[0] == "not_authorised"
            assert play.refused("resume_seat", position, seat="a")[0] == "not_authorised"
        else:
            play.ok("pause_seat", position, seat="a", reason=WHY)
            play.ok("resume_seat", position, seat="a")
    assert "paused" not in play.state["seats"]["a"]


def test_each_reason_for_a_refusal(table: Tables) -> None:
    play = table("rws-double-zero").open("a")
    assert play.refused("pause_seat", seat="ghost", reason=WHY)[0] == "no_such_seat"
    assert play.refused("resume_seat", seat="ghost")[0] == "no_such_seat"
    assert play.refused("resume_seat", seat="a")[0] == "seat_is_not_paused"
    assert play.refused("pause_seat", seat="a", reason=" ")[0] == "no_reason_given"
    assert play.refused("pause_seat", seat="a", reason="r" * 1001)[0] == "text_is_too_long"
    play.ok("pause_seat", seat="a", reason=WHY)
    assert play.refused("pause_seat", seat="a", reason=WHY)[0] == "seat_is_paused"
