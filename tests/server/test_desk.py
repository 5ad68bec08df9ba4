"""Disputes, the Dealer of record and the locked desk over HTTP."""

from functools import partial
from typing import Any

from tests.support.clocks import START
from tests.support.houses import ROULETTE
from tests.support.http_house import HttpHouse


def ask(house: HttpHouse, caller: str, do: str, **fields: Any) -> Any:
    body = {"id": f"{caller}-{do}-{house.writers[ROULETTE].version}", "do": do, **fields}
    return house.call(caller, "POST", f"/api/tables/{ROULETTE}/requests", body).json()


def test_a_terminal_contests_a_round_for_no_other_seat(house: HttpHouse) -> None:
    made = ask(house, "terminal", "dispute", round=1, about="payment", words="I had 17")
    (event,) = made["events"]
    assert (event["seat"], event["round"], "source" in event) == ("1", 1, False)
    assert ask(house, "terminal", "dispute", seat="2", round=2, about="bet")["refusal"] == "other_seat"
    assert ask(house, "terminal-elsewhere", "dispute", round=1, about="bet")["refusal"] == "not_authorised"
    seat = house.call("terminal", "GET", f"/api/tables/{ROULETTE}/seats/1").json()
    (dispute,) = seat["disputes"]
    assert (dispute["number"], dispute["round"], "reason" in dispute) == (1, 1, False)
    assert "disputes" not in house.call("terminal-2", "GET", f"/api/tables/{ROULETTE}/seats/2").json()


def test_goodwill_is_paid_by_two_persons_and_the_player_reads_the_answer(house: HttpHouse) -> None:
    ask(house, "terminal", "dispute", round=1, about="payment")
    before = house.call("terminal", "GET", f"/api/tables/{ROULETTE}/seats/1").json()["credits"]
    closing = {"dispute": 1, "reason": "a long wait", "paid": 500}
    assert ask(house, "pit_manager", "close_dispute", **closing)["refusal"] == "not_authorised"
    proposed = ask(house, "shift_manager", "close_dispute", **closing)
    path = f"/api/proposals/{proposed['proposal']}/approve"
    assert house.call("shift_manager", "POST", path, {"id": "own"}).status_code == 403
    assert house.call("casino_manager", "POST", path, {"id": "other"}).status_code == 200
    seat = house.call("terminal", "GET", f"/api/tables/{ROULETTE}/seats/1").json()
    assert seat["credits"] == before + 500
    (closed,) = seat["disputes"]
    assert (closed["reason"], closed["paid"]) == ("a long wait", 500)
    text = house.call("terminal", "GET", f"/api/tables/{ROULETTE}/rounds/1").text
    assert "a long wait" in text
    assert "shift-manager" not in text, "the story of a seat names no staff"


def test_a_dealer_who_has_logged_out_is_replaced(house: HttpHouse) -> None:
    now = lambda: START  # noqa: E731
    house.writers[ROULETTE].facts.is_gone = partial(house.house.sessions.has_left, table=ROULETTE, now=now)
    house.log_in("second", "dealer-elsewhere", ROULETTE)
    assert ask(house, "dealer", "take_table")["ok"]
    assert ask(house, "second", "take_table")["refusal"] == "table_has_dealer"
    assert ask(house, "second", "close_bets")["refusal"] == "table_has_dealer"
    assert house.call("dealer", "POST", "/api/lock").status_code == 200
    assert ask(house, "second", "take_table")["refusal"] == "table_has_dealer", "a locked console is not an end"
    assert house.call("dealer", "POST", "/api/log-out").status_code == 200
    (event,) = ask(house, "second", "take_table")["events"]
    assert (event["dealer"], event["was"]) == ("dealer-elsewhere", "dealer")
    view = house.call("pit_supervisor", "GET", f"/api/tables/{ROULETTE}/state").json()
    assert view["dealer"]["name"] == "dealer-elsewhere"


def test_a_locked_desk_learns_how_many_matters_wait_and_nothing_else(house: HttpHouse) -> None:
    assert house.call("locked", "GET", "/api/me").json()["attention"] == {}
    ask(house, "terminal", "dispute", round=1, about="payment", words="a secret")
    referred = ask(house, "dealer", "refer", question="another secret")
    assert referred.get("ok"), referred
    me = house.call("locked", "GET", "/api/me")
    assert me.json()["attention"][ROULETTE] >= 2
    assert "secret" not in me.text
    for caller in ("pit_manager", "terminal", None):
        assert house.call(caller, "GET", "/api/me").json()["attention"] == {}
