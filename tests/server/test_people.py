"""People and terminals over HTTP: login, console lock, enrolment, guests and appointments."""

from pathlib import Path

import pytest

from roundhouse.config.schema import Guests
from roundhouse.table.names import Millis
from tests.support.houses import PASSWORD, ROULETTE
from tests.support.http_house import FREE, HttpHouse, http_house


def test_three_wrong_passwords_lock_the_account_and_alert_the_pit(house: HttpHouse) -> None:
    wrong = {"name": "supervisor-2", "password": "wrong", "console": "roulette-1"}
    added = {"person": "supervisor-2", "name": "S", "positions": ["pit_supervisor"], "password": PASSWORD}
    assert house.call("shift_manager", "POST", "/api/staff", added).status_code == 201
    assert [house.call(None, "POST", "/api/log-in", wrong).status_code for _ in range(3)] == [401, 401, 401]
    answer = house.call(None, "POST", "/api/log-in", {**wrong, "password": PASSWORD})
    assert (answer.status_code, answer.json()["refusal"]) == (429, "too_many_failures")
    assert answer.headers["retry-after"] == "2"
    house.clock.at = Millis(house.clock.at + 2000)
    answer = house.call(None, "POST", "/api/log-in", {**wrong, "password": PASSWORD})
    assert (answer.status_code, answer.json()["refusal"]) == (401, "wrong_name_or_password")
    assert "pit_manager" in answer.json()["reason"]
    alerts = house.call("pit_supervisor", "GET", "/api/alerts").json()["alerts"]
    assert [(alert["about"], alert["person"]) for alert in alerts] == [
        ("staff", "supervisor-2"),
        ("lock_out", "supervisor-2"),
    ]
    alert = alerts[1]
    assert house.call("pit_manager", "POST", "/api/staff/supervisor-2/unlock").status_code == 200
    assert house.call(None, "POST", "/api/log-in", {**wrong, "password": PASSWORD}).status_code == 200
    assert house.call("pit_supervisor", "POST", f"/api/alerts/{alert['alert']}/acknowledge").status_code == 200


def test_a_console_locks_after_five_idle_minutes_and_can_be_unlocked(house: HttpHouse) -> None:
    house.clock.at = Millis(house.clock.at + 4 * 60_000)
    assert house.call("dealer", "POST", "/api/touch").status_code == 200
    house.clock.at = Millis(house.clock.at + 4 * 60_000)
    assert house.call("dealer", "GET", "/api/proposals").status_code == 200
    house.clock.at = Millis(house.clock.at + 60_000)
    answer = house.call("dealer", "GET", "/api/proposals")
    assert (answer.status_code, answer.json()["refusal"]) == (403, "console_is_locked")
    assert house.call("dealer", "GET", "/api/me").json()["locked"] is True
    me = house.call("dealer", "POST", "/api/unlock", {"password": PASSWORD}).json()
    assert (me["person"], me["console"], me["locked"]) == ("dealer", "roulette-1", False)
    assert house.call("dealer", "GET", "/api/proposals").status_code == 200


def test_reading_does_not_prevent_the_idle_lock(house: HttpHouse) -> None:
    """A page that polls every minute does not prove that a person is present."""
    for _ in range(5):
        house.clock.at = Millis(house.clock.at + 60_000)
        house.call("dealer", "GET", "/api/proposals")
    assert house.call("dealer", "GET", "/api/me").json()["locked"] is True


def test_a_session_ends_at_logout(house: HttpHouse) -> None:
    assert house.call("auditor", "POST", "/api/log-out").status_code == 200
    assert house.call("auditor", "GET", "/api/staff").status_code == 401


def test_a_revoked_terminal_is_an_anonymous_caller(house: HttpHouse) -> None:
    number = house.call("terminal", "GET", "/api/me").json()["terminal"]["number"]
    house.call("pit_supervisor", "POST", f"/api/terminals/{number}/revoke", {"reason": "stolen"})
    assert house.call("terminal", "GET", "/api/me").json()["kind"] == "nobody"


def test_an_enrolment_code_expires_at_the_announced_time(house: HttpHouse) -> None:
    seat = {"table": "roulette-1", "seat": "4"}
    code = house.call("pit_supervisor", "POST", "/api/terminals/codes", seat).json()
    assert code["expires"] == house.clock.at + 600_000
    house.clock.at = Millis(code["expires"])
    assert house.call(None, "POST", "/api/enrol", {"code": code["code"]}).json()["refusal"] == "has_expired"


def test_an_enrolment_code_works_once(house: HttpHouse) -> None:
    code = house.call("pit_supervisor", "POST", "/api/terminals/codes", {"table": "roulette-1", "seat": "4"}).json()
    assert house.call(None, "POST", "/api/enrol", {"code": code["code"]}).status_code == 200
    assert house.call(None, "POST", "/api/enrol", {"code": code["code"]}).json()["refusal"] == "no_such_code"


@pytest.mark.parametrize(
    ("guests", "address", "headers", "status"),
    [
        (Guests.LOOPBACK, "127.0.0.1", {}, 200),
        (Guests.LOOPBACK, "::1", {}, 200),
        (Guests.LOOPBACK, "192.0.2.7", {}, 403),
        (Guests.LOOPBACK, "127.0.0.1", {"x-forwarded-for": "192.0.2.7"}, 403),
        (Guests.LOOPBACK, "127.0.0.1", {"forwarded": "for=192.0.2.7"}, 403),
        (Guests.LOOPBACK, "::ffff:127.0.0.1", {"x-real-ip": "192.0.2.7"}, 403),
        (Guests.ANYWHERE, "192.0.2.7", {}, 200),
        (Guests.NOBODY, "127.0.0.1", {}, 403),
    ],
)
def test_guests_are_admitted_by_the_configured_rule(
    tmp_path: Path, guests: Guests, address: str, headers: dict[str, str], status: int
) -> None:
    with http_house(tmp_path, FREE, address, guests) as house:
        answer = house.call(None, "POST", "/api/guest", {"table": "roulette-1", "program": True}, **headers)
        assert answer.status_code == status, answer.text


def test_a_shift_manager_adds_a_dealer_who_can_log_in(house: HttpHouse) -> None:
    added = {"person": "new.dealer", "name": "New", "positions": ["dealer"], "password": "a good long password"}
    assert house.call("shift_manager", "POST", "/api/staff", added).json() == {"id": "new.dealer"}
    login = {"name": "new.dealer", "password": "a good long password", "console": "roulette-1", "program": True}
    assert house.call(None, "POST", "/api/log-in", login).status_code == 200
    lines = house.call("auditor", "GET", "/api/staff").json()["people"]
    assert next(line for line in lines if line["person"] == "new.dealer")["positions"] == ["dealer"]


def test_changing_ones_password_needs_the_current_one(house: HttpHouse) -> None:
    change = {"password": "another good password", "current": "wrong"}
    assert house.call("auditor", "POST", "/api/password", change).json()["refusal"] == "wrong_name_or_password"
    assert house.call("auditor", "POST", "/api/password", {**change, "current": PASSWORD}).status_code == 200
    named = {"name": "auditor", "program": True}
    assert house.call(None, "POST", "/api/log-in", {**named, "password": PASSWORD}).status_code == 401
    assert house.call(None, "POST", "/api/log-in", {**named, "password": change["password"]}).status_code == 200


@pytest.mark.clause("rws-double-zero", "1.5")
def test_a_person_deals_while_assigned_to_act_as_dealer(house: HttpHouse) -> None:
    now, path = house.clock.at, f"/api/tables/{ROULETTE}/requests"
    house.log_in("acting", "pit-manager", ROULETTE)

    def sends(do: str) -> object:
        return house.call("acting", "POST", path, {"id": f"{do} {house.clock.at}", "do": do}).json().get("refusal")

    assert sends("close_bets") == "not_authorised", "a higher position is not that of the Dealer"
    term = {"person": "pit-manager", "position": "dealer", "begins": now + 1, "until": now + 60_000}
    assert house.call("shift_manager", "POST", "/api/appointments", term).status_code == 201
    house.clock.at = Millis(now + 1)
    assert sends("close_bets") is None
    house.clock.at = Millis(now + 60_000)
    assert sends("start_spin") == "not_authorised"


def test_an_acting_appointment_gives_its_rights_until_it_ends(house: HttpHouse) -> None:
    now = house.clock.at
    term = {"person": "pit-supervisor", "position": "pit_manager", "begins": now, "until": now + 60_000}
    assert house.call("pit_supervisor", "POST", "/api/staff/dealer/lock", {"reason": "r"}).status_code == 403
    assert house.call("pit_manager", "POST", "/api/appointments", term).status_code == 201
    assert house.call("pit_supervisor", "POST", "/api/staff/dealer/lock", {"reason": "r"}).status_code == 200
    house.clock.at = Millis(now + 60_000)
    assert house.call("pit_supervisor", "POST", "/api/staff/cashier/lock", {"reason": "r"}).status_code == 403


def test_a_caller_without_credentials_is_anonymous(tmp_path: Path) -> None:
    with http_house(tmp_path) as house:
        assert house.call(None, "GET", "/api/me").json() == {
            "kind": "nobody", "csrf": None, "person": None, "name": None, "positions": [], "console": None,
            "locked": False, "terminal": None, "everywhere": [], "operations": [], "time_zone": "UTC",
            "attention": {}, "currency": "SGD",
        }  # fmt: skip
