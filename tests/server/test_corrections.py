"""A correction of a settled round over HTTP needs the approval of a second person, and the journal names both."""

import msgspec

from roundhouse.table.names import TableId
from tests.support.http_house import HttpHouse


def test_a_correction_needs_the_approval_of_a_second_person(house: HttpHouse) -> None:
    asked = {"id": "c", "do": "correct_result", "round": 1, "outcome": "18", "reason": "seen on the tape"}
    proposed = house.call("pit_manager", "POST", "/api/tables/roulette-1/requests", asked)
    assert (proposed.status_code, proposed.json()["refusal"]) == (202, "needs_second_person")
    path = f"/api/proposals/{proposed.json()['proposal']}"
    assert house.call("pit_manager", "POST", f"{path}/approve").json()["refusal"] == "same_person"
    assert house.call("dealer", "POST", f"{path}/approve").status_code == 403
    (waiting,) = house.call("pit_supervisor", "GET", "/api/proposals").json()["proposals"]
    assert [change["seat"] for change in waiting["effect"][0]["seats"]] == ["1", "2"]
    assert house.call("cashier", "GET", "/api/proposals").json()["proposals"] == []
    answer = house.call("pit_supervisor", "POST", f"{path}/approve")
    assert answer.status_code == 200
    assert answer.json()["events"][0]["event"] == "round_corrected.v1"
    assert house.call("shift_manager", "POST", f"{path}/approve").status_code == 404


def test_the_journal_names_the_requester_and_the_approver_of_a_correction(house: HttpHouse) -> None:
    asked = {"id": "c", "do": "correct_result", "round": 1, "outcome": "18", "reason": "seen on the tape"}
    proposal = house.call("pit_manager", "POST", "/api/tables/roulette-1/requests", asked).json()["proposal"]
    house.call("shift_manager", "POST", f"/api/proposals/{proposal}/approve")
    *_, last = house.store.rows(TableId("roulette-1"))
    request = msgspec.json.decode(last.body)["request"]
    assert (request["by"], request["who"], request["second"]) == ("pit_manager", "pit-manager", "shift-manager")
