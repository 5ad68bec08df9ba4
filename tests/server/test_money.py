"""Insiders over HTTP: bounds, approvals by dependent people, requests sent again, and terminals at seats with money."""

from typing import Any

import msgspec
import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.table.names import Millis, SeatId
from tests.support.houses import PASSWORD, ROULETTE
from tests.support.http_house import HttpHouse

REQUESTS = "/api/tables/roulette-1/requests"
ALONE, MOST = 500_000, 10_000_000
"""Bounds of a Dealer in the template of house.toml."""


@pytest.fixture
def money(house: HttpHouse) -> HttpHouse:
    """A house with an empty seat 5, which has no terminal."""
    house.do(ROULETTE, ("player", "take_seat", {"seat": "5", "terminal": "rapid-a"}))
    return house


def ask(house: HttpHouse, caller: str, id: str, do: str, **fields: Any) -> tuple[int, dict[str, Any]]:
    answer = house.call(caller, "POST", REQUESTS, {"id": id, "do": do, **fields})
    return answer.status_code, answer.json()


def approve(house: HttpHouse, caller: str, proposal: str) -> tuple[int, dict[str, Any]]:
    answer = house.call(caller, "POST", f"/api/proposals/{proposal}/approve")
    return answer.status_code, answer.json()


def credits(house: HttpHouse, seat: str = "5") -> int:
    return house.writers[ROULETTE].table.state.seats[SeatId(seat)].credits


@pytest.mark.parametrize(("cents", "status"), [(ALONE, 200), (ALONE + 1, 202), (MOST, 202), (MOST + 1, 409)])
def test_a_sale_below_at_and_above_the_bounds(money: HttpHouse, cents: int, status: int) -> None:
    code, answer = ask(money, "dealer", "b1", "buy_credits", seat="5", cents=cents)
    assert code == status, answer
    assert credits(money) == (cents if status == 200 else 0)
    if status == 409:
        assert answer["refusal"] == "above_house_maximum"
    if status != 202:
        return
    assert approve(money, "dealer", answer["proposal"])[0] == 403, "a Dealer approved the Dealer's own sale"
    assert approve(money, "cashier", answer["proposal"])[0] == 403
    assert credits(money) == 0
    assert approve(money, "pit_supervisor", answer["proposal"])[0] == 200
    assert credits(money) == cents
    # The same request again gets the recorded answer, and no second proposal.
    code, again = ask(money, "dealer", "b1", "buy_credits", seat="5", cents=cents)
    assert (code, again["ok"], credits(money)) == (200, True, cents)


def test_slices_and_repeated_requests_do_not_pass_a_bound(money: HttpHouse) -> None:
    for number in range(5):
        for _ in range(2):
            assert ask(money, "dealer", f"s{number}", "buy_credits", seat="5", cents=100_000)[0] == 200
    assert credits(money) == ALONE
    assert ask(money, "dealer", "s5", "buy_credits", seat="5", cents=1)[0] == 202
    assert ask(money, "cashier", "s6", "buy_credits", seat="5", cents=500_001)[0] == 202
    assert credits(money) == ALONE


def test_a_second_person_of_ones_own_making_approves_no_sale(money: HttpHouse) -> None:
    """A Shift Manager acts as Dealer, adds a Pit Manager, logs in as that person and approves."""
    body = {"person": "ghost", "name": "Ghost", "positions": ["pit_manager"], "password": PASSWORD}
    assert money.call("shift_manager", "POST", "/api/staff", body).status_code == 201
    now = money.clock.at
    term = {"person": "shift-manager", "position": "dealer", "begins": now, "until": now + 3_600_000}
    assert money.call("casino_manager", "POST", "/api/appointments", term).status_code == 201
    money.log_in("shift_manager", "shift-manager", ROULETTE)
    code, proposed = ask(money, "shift_manager", "g1", "buy_credits", seat="5", cents=MOST, by="dealer")
    assert code == 202, proposed
    money.log_in("ghost", "ghost")
    code, refused = approve(money, "ghost", proposed["proposal"])
    assert (code, refused["refusal"]) == (403, "password_not_own")
    own = {"current": PASSWORD, "password": "a password of my own 7"}
    assert money.call("ghost", "POST", "/api/password", own).status_code == 200
    answer = money.call(None, "POST", "/api/log-in", {"name": "ghost", "password": own["password"], "program": True})
    money.tokens["ghost"] = answer.json()["token"]
    code, refused = approve(money, "ghost", proposed["proposal"])
    assert (code, refused["refusal"]) == (403, "not_independent")
    assert credits(money) == 0
    assert approve(money, "pit_supervisor", proposed["proposal"])[0] == 200


@pytest.mark.parametrize("caller", ["dealer", "cashier"])
def test_no_member_of_staff_takes_a_players_credits_alone(money: HttpHouse, caller: str) -> None:
    before = credits(money, "1")
    code, answer = ask(money, caller, "c1", "cash_out", seat="1")
    assert (code, answer["refusal"], credits(money, "1")) == (202, "needs_second_person", before)
    # A request by staff is no request of the Player.
    assert ask(money, caller, "c2", "request_cash_out", seat="1")[0] == 200
    assert ask(money, caller, "c3", "cash_out", seat="1")[0] == 202
    # The terminal of another seat cannot ask for it.
    other = money.call("terminal-2", "POST", REQUESTS, {"id": "c4", "do": "request_cash_out", "seat": "1"})
    assert other.status_code == 403
    own = money.call("terminal", "POST", REQUESTS, {"id": "c5", "do": "request_cash_out"})
    assert own.status_code == 200, own.text
    assert own.json()["events"][0]["source"] == {"by": "player"}
    code, answer = ask(money, caller, "c6", "cash_out", seat="1")
    assert (code, answer["events"][0]["cents"], credits(money, "1")) == (200, before, 0)
    assert answer["events"][0]["ticket"].startswith("…"), "the number is for the Player"


def test_an_approved_cash_out_is_for_the_approved_amount(money: HttpHouse) -> None:
    assert ask(money, "dealer", "a1", "buy_credits", seat="5", cents=1_000)[0] == 200
    _, proposed = ask(money, "dealer", "a2", "cash_out", seat="5")
    assert ask(money, "dealer", "a3", "buy_credits", seat="5", cents=400_000)[0] == 200
    code, refused = approve(money, "pit_manager", proposed["proposal"])
    assert (code, refused["refusal"], credits(money)) == (409, "state_has_changed", 401_000)
    # The approved command names the amount, because the seat may change while the approval is recorded.
    _, proposed = ask(money, "dealer", "a4", "cash_out", seat="5")
    assert approve(money, "pit_manager", proposed["proposal"])[0] == 200
    request = msgspec.json.decode([*money.store.rows(ROULETTE)][-1].body)["request"]
    assert (request["do"], request["cents"]) == ("cash_out", 401_000)
    # The same request again is answered with the record.
    code, again = ask(money, "dealer", "a4", "cash_out", seat="5")
    assert (code, again["ok"], credits(money)) == (200, True, 0)


def test_a_sale_is_reversed_and_reported(money: HttpHouse) -> None:
    assert ask(money, "dealer", "r1", "buy_credits", seat="5", cents=70_000)[0] == 200
    assert ask(money, "cashier", "r2", "reverse_purchase", seat="5")[0] == 202
    assert ask(money, "pit_manager", "r3", "reverse_purchase", seat="5")[0] == 403
    code, answer = ask(money, "dealer", "r4", "reverse_purchase", seat="5", reason="mistyped")
    assert (code, answer["events"][0]["event"], credits(money)) == (200, "purchase_reversed.v1", 0)
    assert ask(money, "dealer", "r5", "reverse_purchase", seat="5")[1]["refusal"] == "no_such_purchase"
    found = money.call("auditor", "GET", "/api/significant-events").json()
    assert "purchase_reversed" in str(found)


def test_a_dealer_changes_no_limits(money: HttpHouse) -> None:
    change = {"limits": {"table": 40_000_000}, "reason": "a quiet night"}
    for caller, status in (("dealer", 403), ("cashier", 403), ("pit_supervisor", 202), ("pit_manager", 200)):
        assert ask(money, caller, f"l-{caller}", "change_limits", **change)[0] == status, caller
    view = money.call(None, "GET", "/api/tables/roulette-1").json()
    assert view["next_limits"]["table"] == 40_000_000
    answer = money.call("terminal", "POST", REQUESTS, {"id": "l", "do": "change_limits", **change})
    assert answer.status_code == 403


def test_another_terminal_at_a_seat_with_money_needs_two(money: HttpHouse) -> None:
    seat = {"table": "roulette-1", "seat": "1"}
    refused = money.call("pit_supervisor", "POST", "/api/terminals/codes", seat)
    assert (refused.status_code, refused.json()["refusal"]) == (409, "needs_second_person")
    assert money.chain()[-1]["event"]["refusal"] == "needs_second_person", "the attempt is on record"
    code, proposed = ask(money, "pit_supervisor", "e1", "allow_enrolment", seat="1", reason="its screen is broken")
    assert code == 202
    assert approve(money, "pit_supervisor", proposed["proposal"])[0] == 403
    assert approve(money, "pit_manager", proposed["proposal"])[0] == 200
    code_of_terminal = money.call("pit_supervisor", "POST", "/api/terminals/codes", seat).json()["code"]
    money.clock.at = Millis(money.clock.at + 600_001)
    money.log_in("pit_supervisor", "pit-supervisor")
    late = money.call(None, "POST", "/api/enrol", {"code": code_of_terminal, "program": True})
    assert late.status_code == 409


@pytest.mark.parametrize("revokes", [False, True])
def test_two_persons_allow_one_terminal_and_not_a_second_one(money: HttpHouse, revokes: bool) -> None:
    """A supervisor who enrols the allowed terminal cannot then enrol their own one at the seat with the credits."""
    seat = {"table": "roulette-1", "seat": "1"}
    _, proposed = ask(money, "pit_supervisor", "e1", "allow_enrolment", seat="1", reason="its screen is broken")
    assert approve(money, "pit_manager", proposed["proposal"])[0] == 200
    code, spare = (money.call("pit_supervisor", "POST", "/api/terminals/codes", seat).json()["code"] for _ in range(2))
    money.clock.at = Millis(money.clock.at + 1_000)
    enrolled = money.call(None, "POST", "/api/enrol", {"code": code, "program": True})
    assert enrolled.status_code == 200, enrolled.text
    if revokes:
        (number,) = [
            id for id, one in money.house.terminals.all().items() if (one.table, one.seat) == ("roulette-1", "1")
        ]
        revoked = money.call("pit_supervisor", "POST", f"/api/terminals/{number}/revoke", {"reason": "it is broken"})
        assert revoked.status_code == 200, revoked.text
    again = money.call(None, "POST", "/api/enrol", {"code": spare, "program": True})
    assert (again.status_code, again.json()["refusal"]) == (409, "needs_second_person")
    more = money.call("pit_supervisor", "POST", "/api/terminals/codes", seat)
    assert (more.status_code, more.json()["refusal"]) == (409, "needs_second_person")


def test_a_code_for_an_empty_seat_is_refused_once_the_seat_has_credits(money: HttpHouse) -> None:
    house, seat = money, {"table": "roulette-1", "seat": "5"}
    code = house.call("pit_supervisor", "POST", "/api/terminals/codes", seat).json()["code"]
    assert ask(house, "dealer", "x1", "buy_credits", seat="5", cents=1_000)[0] == 200
    refused = house.call(None, "POST", "/api/enrol", {"code": code, "program": True})
    assert refused.json()["refusal"] == "needs_second_person"


def test_a_correction_needs_a_reason(money: HttpHouse) -> None:
    code, refused = ask(money, "pit_manager", "fix-1", "correct_result", round=1, outcome="18")
    assert (code, refused["refusal"]) == (409, "no_reason_given")
    code, answer = ask(money, "pit_manager", "fix-2", "correct_result", round=1, outcome="18", reason="on the tape")
    assert code == 202, answer


def test_the_journal_of_such_a_day_verifies(money: HttpHouse) -> None:
    """The bounds are facts of the entries, so a replay decides the same without the configuration."""
    _, proposed = ask(money, "dealer", "v1", "buy_credits", seat="5", cents=MOST)
    assert approve(money, "pit_manager", proposed["proposal"])[0] == 200
    assert ask(money, "dealer", "v2", "buy_credits", seat="5", cents=1)[1]["refusal"] == "above_house_maximum"
    assert ask(money, "dealer", "v3", "reverse_purchase", seat="5")[0] == 202
    assert ask(money, "pit_manager", "v4", "change_limits", limits={"table": 1_000_000}, reason="x")[0] == 200
    assert money.call("terminal", "POST", REQUESTS, {"id": "v5", "do": "request_cash_out"}).status_code == 200
    assert ask(money, "cashier", "v6", "cash_out", seat="1")[0] == 200
    assert verify_journal(money.service.floor.journal, None)
