"""A Player's protection at a table: what counts at once, what counts later, and when a session ends.

Every test ends with a proof of its journal by ``audit verify``.
"""

import pytest

from roundhouse.table.names import Millis
from roundhouse.table.protection import HOUR, MINUTE, HouseProtection, PlayLimits
from tests.support.protection import DAY, RED, Start, left, lose, refusal, ticket_of
from tests.support.tables import Json

# The effect of a limit


def test_a_limit_of_loss_bounds_the_worst_case(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.bet(a={"red": 600})
    assert left(play, "a") == 400
    play.ok("place_bets", seat="a", bets={"black": 400})
    assert refusal(play, "a", 10) == "loss_limit"
    # Half of it comes back: 600 on Red won, 400 on Black lost.
    play.spin().rest(RED).ok("confirm_result")
    play.ok("open_bets")
    assert left(play, "a") == 1_000 + 200


def test_stakes_of_a_round_and_of_a_session_are_limited(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", stake_cents=500, session_stake_cents=700)
    play.bet(a={"red": 300})
    assert left(play, "a", "stake_limit") == 200
    play.ok("withdraw_bets", seat="a", bets={"red": 300})
    play.ok("place_bets", seat="a", bets={"red": 500})
    play.spin().rest(RED).ok("confirm_result")
    play.ok("open_bets")
    assert left(play, "a", "stake_limit") == 500
    assert play.do("place_bets", seat="a", bets={"red": 300})["refusal"] == "stake_limit"
    play.ok("place_bets", seat="a", bets={"red": 200})


def test_the_time_limit_refuses_from_its_last_millisecond_on(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", minutes=10)
    play.ok("open_bets")
    began = play.writer.table.state.seats["a"].session.began  # type: ignore[index, union-attr]
    play.clock.advance(began + 10 * MINUTE - 2 - play.writer.table.state.last_event_at)
    play.ok("place_bets", seat="a", bets={"red": 10})
    assert refusal(play, "a", 10) == "time_limit"


def test_a_reality_check_stops_bets_until_it_is_acknowledged(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", check_minutes=30)
    assert play.refused("acknowledge_check", seat="a")[0] == "no_check_due"
    lose(play, "a", 200)
    play.ok("open_bets")
    play.clock.advance(30 * MINUTE)
    assert refusal(play, "a", 10) == "reality_check_due"
    [seen] = play.ok("acknowledge_check", seat="a")
    assert (seen["net_cents"], seen["millis"] // MINUTE) == (-200, 30)
    play.ok("place_bets", seat="a", bets={"red": 10})
    play.clock.advance(30 * MINUTE)
    assert refusal(play, "a", 10) == "reality_check_due"


def test_a_break_can_be_prolonged_and_not_shortened(start: Start) -> None:
    play = start("a")
    play.bet(a={"red": 100})
    play.ok("take_break", seat="a", minutes=60)
    play.ok("take_break", seat="a", minutes=1)
    play.clock.advance(59 * MINUTE)
    assert refusal(play, "a", 10) == "on_a_break"
    # Bets on the layout stay, and may be taken back.
    play.ok("withdraw_bets", seat="a", bets={"red": 50})
    play.clock.advance(MINUTE)
    play.ok("place_bets", seat="a", bets={"red": 10})


def test_a_stricter_limit_counts_at_once_and_a_looser_one_after_a_day(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.ok("set_protection", seat="a", loss_cents=500)
    [event] = play.ok("set_protection", seat="a", loss_cents=800)
    begins = event["pending"]["loss_cents"]["begins"]
    assert event["limits"]["loss_cents"] == 500
    assert begins == play.writer.table.state.last_event_at + DAY
    play.ok("open_bets")
    assert left(play, "a") == 500
    # To ask for less than was asked for before does not begin the day again. To ask for more does.
    [event] = play.ok("set_protection", seat="a", loss_cents=700)
    assert event["pending"]["loss_cents"] == {"value": 700, "begins": begins}
    [event] = play.ok("set_protection", seat="a", loss_cents=None)
    assert event["pending"]["loss_cents"]["begins"] > begins
    play.clock.advance(DAY - 100)
    assert left(play, "a") == 500
    play.clock.advance(200)
    play.ok("place_bets", seat="a", bets={"red": 9_000})


def test_a_pending_raise_is_withdrawn_by_asking_for_the_limit_in_force(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=500, minutes=60)
    play.ok("set_protection", seat="a", loss_cents=None)
    [event] = play.ok("set_protection", seat="a", loss_cents=500)
    assert "pending" not in event
    play.clock.advance(2 * DAY)
    play.ok("set_protection", seat="a", minutes=5 * 24 * 60)
    play.ok("open_bets")
    assert refusal(play, "a", 10) == "time_limit"


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"loss_cents": 0},
        {"loss_cents": -5},
        {"minutes": 7 * 24 * 60 + 1},
        {"check_minutes": 0},
        {"stake_cents": 10**12},
    ],
)
def test_an_impossible_limit_is_refused(start: Start, asked: Json) -> None:
    play = start("a")
    assert play.refused("set_protection", seat="a", **asked)[0] == "bad_amount"


@pytest.mark.parametrize("position", ["dealer", "cashier", "pit_manager", "shift_manager"])
def test_protection_is_set_by_the_player_alone(start: Start, position: str) -> None:
    play = start("a")
    for request in ({"do": "set_protection", "loss_cents": 1}, {"do": "take_break", "minutes": 5}):
        assert play.refused(request.pop("do"), position, seat="a", **request)[0] == "not_authorised"  # type: ignore[arg-type]


# The house


def test_the_limits_of_the_house_bind_every_session_and_required_ones_come_before_the_first_bet(start: Start) -> None:
    house = HouseProtection(Millis(HOUR), PlayLimits(loss_cents=2_000, check_minutes=60), ("minutes",), 30)
    play = start("a", house=house)
    play.ok("open_bets")
    assert refusal(play, "a", 10) == "limits_needed"
    assert play.refused("set_protection", seat="a", loss_cents=2_001)[0] == "limit_not_allowed"
    assert play.refused("set_protection", seat="a", check_minutes=None)[0] == "limit_not_allowed"
    assert play.refused("take_break", seat="a", minutes=31)[0] == "bad_amount"
    play.ok("set_protection", seat="a", minutes=120)
    assert play.refused("set_protection", seat="a", minutes=None)[0] == "limit_not_allowed"
    assert left(play, "a") == 2_000
    play.ok("place_bets", seat="a", bets={"red": 2_000})


def test_a_break_before_the_first_credits_does_not_keep_the_limits_of_the_house_away(start: Start) -> None:
    play = start(house=HouseProtection(limits=PlayLimits(loss_cents=1_000)))
    play.ok("take_seat", seat="a", terminal="rapid-a")
    play.ok("take_break", seat="a", minutes=1)
    play.ok("buy_credits", seat="a", cents=10_000)
    play.clock.advance(MINUTE)
    play.ok("open_bets")
    assert left(play, "a") == 1_000


# Breaks, time and checks go along, too


def test_a_ticket_carries_time_checks_and_breaks_along(start: Start) -> None:
    play = start("a")
    other = start(table="t2")
    other.ok("take_seat", seat="x", terminal="rapid-a")
    play.ok("set_protection", seat="a", minutes=60, check_minutes=40)
    play.clock.advance(30 * MINUTE)
    ticket = ticket_of(play, "a")
    # In the Player's pocket no time is played.
    play.clock.advance(5 * HOUR)
    other.ok("redeem_ticket", seat="x", ticket=ticket)
    other.ok("open_bets")
    other.ok("place_bets", seat="x", bets={"red": 10})
    other.clock.advance(10 * MINUTE)
    assert refusal(other, "x", 10) == "reality_check_due"
    other.ok("acknowledge_check", seat="x")
    other.clock.advance(20 * MINUTE)
    assert refusal(other, "x", 10) == "time_limit"
    other.ok("take_break", seat="x", minutes=600)
    ticket = ticket_of(other, "x")
    play.ok("redeem_ticket", seat="a", ticket=ticket)
    play.ok("open_bets")
    assert refusal(play, "a", 10) == "on_a_break"


def test_a_pending_raise_goes_along_and_the_other_seat_must_allow_it(start: Start) -> None:
    play = start("a", "b")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.ok("set_protection", seat="a", loss_cents=None)
    play.ok("set_protection", seat="b", loss_cents=3_000)
    play.ok("redeem_ticket", seat="b", ticket=ticket_of(play, "a"))
    play.ok("open_bets")
    assert left(play, "b") == 1_000
    play.clock.advance(DAY + 1)
    assert left(play, "b") == 3_000


# When a session ends


def test_a_purchase_at_an_emptied_seat_begins_a_new_session_after_a_quarter_of_an_hour(start: Start) -> None:
    play = start("a", credits=1_000)
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 1_000)
    play.ok("open_bets")
    play.clock.advance(15 * MINUTE - 1_000)
    play.ok("buy_credits", seat="a", cents=1_000)
    assert refusal(play, "a", 10) == "loss_limit"
    ticket_of(play, "a")
    play.clock.advance(15 * MINUTE)
    [event] = play.ok("buy_credits", seat="a", cents=1_000)
    assert event["new_session"] is True
    play.ok("place_bets", seat="a", bets={"red": 1_000})


def test_a_break_outlasts_an_empty_seat_unless_staff_sell_the_credits(start: Start) -> None:
    play = start("a", credits=1_000)
    play.ok("take_break", seat="a", minutes=600)
    ticket_of(play, "a")
    play.clock.advance(HOUR)
    play.ok("buy_credits", "player", seat="a", cents=1_000)
    play.ok("open_bets")
    assert refusal(play, "a", 10) == "on_a_break"
    ticket_of(play, "a")
    play.clock.advance(HOUR)
    play.ok("buy_credits", "cashier", seat="a", cents=1_000)
    play.ok("place_bets", seat="a", bets={"red": 10})


def test_a_strangers_ticket_at_an_emptied_seat_brings_its_own_session(start: Start) -> None:
    play = start("a", "b", credits=1_000)
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 1_000)
    ticket = ticket_of(play, "b")
    play.ok("redeem_ticket", seat="a", ticket=ticket)
    play.ok("open_bets")
    play.ok("place_bets", seat="a", bets={"red": 1_000})


# Calls of an attendant


def test_a_call_of_an_attendant_is_on_record_until_staff_have_come(start: Start) -> None:
    play = start("a", "b")
    play.ok("call_attendant", seat="a")
    assert list(play.state["calls"]) == ["a"]
    assert play.refused("call_attendant", seat="a")[0] == "already_called"
    assert play.refused("attend_call", seat="b")[0] == "no_call"
    assert play.refused("attend_call", "player", seat="a")[0] == "not_authorised"
    [event] = play.ok("attend_call", seat="a", who="dee")
    assert (event["by"], event["who"]) == ("dealer", "dee")
    assert not play.state["calls"]
