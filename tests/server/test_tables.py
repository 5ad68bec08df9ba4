"""Tables over HTTP: public data, the private data of a seat, and the full data for staff."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from roundhouse.audit.capsule import read
from roundhouse.audit.capsule_check import verify_capsule
from roundhouse.journal.store import JournalDamaged
from tests.support.houses import ROULETTE, SANDS
from tests.support.http_house import FREE, HttpHouse, http_house, play_rounds, staff_house

OTHERS = ("7.77", "777", "3.33", "333", "12.77", "1277", "red", "99,2", "99223", "99556")
"""Amounts and positions of seat 2, and totals from which seat 1 could derive them."""


def get(house: HttpHouse, caller: str | None, path: str) -> Any:
    answer = house.call(caller, "GET", path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_public_list_of_tables_has_no_money_of_seats(ready_house: HttpHouse) -> None:
    roulette, sands = get(ready_house, None, "/api/tables")["tables"]
    assert (roulette["id"], roulette["phase"], roulette["round"]) == ("roulette-1", "bets_open", 3)
    assert roulette["phrase"] == "Place your bets"
    assert [result["outcome"] for result in roulette["last_results"]] == [None, "17"]
    assert roulette["chips"] is None
    assert sands["chips"] == {}
    text = ready_house.call(None, "GET", "/api/tables").text
    for table in (roulette, sands):
        text = text.replace(table["rulebook"], "")
    assert [word for word in ("credits", "777", "117500", "accounts", "99223") if word in text] == []


def test_chips_on_a_common_layout_are_public(house: HttpHouse) -> None:
    house.do(
        SANDS,
        ("dealer", "open_bets", {}),
        ("player", "place_bets", {"seat": "1", "bets": [{"position": "green", "cents": 500}]}),
    )
    assert get(house, None, "/api/tables/sands-1")["chips"] == {"1": {"green": 500}}


def test_a_terminal_reads_only_its_own_seat(ready_house: HttpHouse) -> None:
    own = get(ready_house, "terminal", "/api/tables/roulette-1/seats/1")
    assert (own["credits"], own["bets"], own["repeatable"]) == (117_500, {}, {"straight:17": 500})
    assert ready_house.call("terminal", "GET", "/api/tables/roulette-1/seats/2").status_code == 403
    assert get(ready_house, "cashier", "/api/tables/roulette-1/seats/2")["credits"] == 99_223
    assert ready_house.call("cashier", "GET", "/api/tables/roulette-1/seats/none").status_code == 404


def test_staff_read_the_full_state_of_a_table(ready_house: HttpHouse) -> None:
    state = get(ready_house, "auditor", "/api/tables/roulette-1/state")
    assert {id: seat["credits"] for id, seat in state["seats"].items()} == {"1": 117_500, "2": 99_223}
    assert sum(state["accounts"].values()) == 0


def test_history_has_only_the_seats_that_the_caller_may_see(ready_house: HttpHouse) -> None:
    def seats(caller: str | None) -> list[list[str]]:
        return [list(one["seats"]) for one in get(ready_house, caller, "/api/tables/roulette-1/rounds")["rounds"]]

    assert seats(None) == [[], []]
    assert seats("terminal") == [[], ["1"]]
    assert seats("terminal-2") == [["2"], ["2"]]
    assert seats("terminal-elsewhere") == [[], []]
    assert seats("dealer-elsewhere") == [[], []]
    assert seats("locked") == [[], []]
    assert seats("dealer") == seats("auditor") == [["2"], ["1", "2"]]


def test_history_is_paged(ready_house: HttpHouse) -> None:
    first = get(ready_house, None, "/api/tables/roulette-1/rounds?count=1")
    assert ([one["round"] for one in first["rounds"]], first["before"]) == ([2], 2)
    second = get(ready_house, None, f"/api/tables/roulette-1/rounds?count=1&before={first['before']}")
    assert ([one["round"] for one in second["rounds"]], second["before"]) == ([1], None)


@pytest.mark.parametrize("query", ["count=0", "count=201", "before=0", "before=x", "other=1", "count=1&count=2"])
def test_an_invalid_query_is_refused(ready_house: HttpHouse, query: str) -> None:
    answer = ready_house.call(None, "GET", f"/api/tables/roulette-1/rounds?{query}")
    assert (answer.status_code, answer.json()["refusal"]) == (400, "not_understood")


def test_the_recall_of_a_terminal_reveals_no_amounts_of_other_seats(ready_house: HttpHouse) -> None:
    for number in (1, 2, 3):
        answer = ready_house.call("terminal", "GET", f"/api/tables/roulette-1/rounds/{number}")
        assert answer.status_code == 200
        text = answer.text.replace("12.77 to 1", "")
        assert [word for word in OTHERS if f" {word} " in text or f":{word}," in text or f'"{word}"' in text] == []
        assert '"seat":"2"' not in text
        assert '"2":' not in text
    story = get(ready_house, "terminal", "/api/tables/roulette-1/rounds/1")
    (verdict,) = story["verdicts"]
    assert [(bet["position"], bet["result"], bet["returned"]) for bet in verdict["bets"]] == [
        ("straight:17", "won", 18_000)
    ]
    assert verdict["disagrees"] == []
    assert any("5.00 stand on the layout" in step["did"] for step in story["steps"])


def test_staff_recall_a_round_with_all_seats(ready_house: HttpHouse) -> None:
    story = get(ready_house, "auditor", "/api/tables/roulette-1/rounds/1")
    assert {bet["seat"] for bet in story["verdicts"][0]["bets"]} == {"1", "2"}
    assert any("12.77 stand on the layout" in step["did"] for step in story["steps"])
    assert story["clauses"]


def test_the_recall_of_a_corrected_round_has_the_changes_of_the_caller(house: HttpHouse) -> None:
    asked = {"id": "c", "do": "correct_result", "round": 1, "outcome": "18", "reason": "seen on the tape"}
    proposal = house.call("pit_manager", "POST", "/api/tables/roulette-1/requests", asked).json()["proposal"]
    assert house.call("shift_manager", "POST", f"/api/proposals/{proposal}/approve").status_code == 200
    _, corrected = get(house, "terminal", "/api/tables/roulette-1/rounds/1")["verdicts"]
    assert [(one["seat"], one["was"], one["now"]) for one in corrected["changes"]] == [("1", 18_000, 0)]
    _, corrected = get(house, "auditor", "/api/tables/roulette-1/rounds/1")["verdicts"]
    assert len(corrected["changes"]) == 2


@pytest.mark.parametrize("number", ["4", "99999999999", "9007199254740992"])
def test_an_unknown_round_is_not_found(ready_house: HttpHouse, number: str) -> None:
    for caller in ("terminal", "auditor"):
        assert ready_house.call(caller, "GET", f"/api/tables/roulette-1/rounds/{number}").status_code == 404
    assert ready_house.call("auditor", "GET", f"/api/tables/roulette-1/rounds/{number}/capsule").status_code == 404


def test_staff_but_not_terminals_see_who_took_and_who_approved_a_step(house: HttpHouse) -> None:
    asked = {"id": "c", "do": "correct_result", "round": 1, "outcome": "18", "reason": "seen on the tape"}
    proposal = house.call("pit_manager", "POST", "/api/tables/roulette-1/requests", asked).json()["proposal"]
    house.call("shift_manager", "POST", f"/api/proposals/{proposal}/approve")
    *_, last = get(house, "auditor", "/api/tables/roulette-1/rounds/1")["steps"]
    assert (last["who"], last["second"]) == ("pit-manager", "shift-manager")
    own = get(house, "terminal", "/api/tables/roulette-1/rounds/1")["steps"]
    assert {(step["who"], step["second"]) for step in own} == {(None, None)}


def test_resuming_a_stopped_table_needs_two_people_who_see_the_effect_on_its_round(
    house: HttpHouse,
) -> None:
    house.writers[ROULETTE]._stop("RuntimeError: a bug of ours", [])
    house.publish(ROULETTE)
    assert get(house, None, "/api/tables/roulette-1")["phase"] == "stopped"
    asked = {"id": "go", "do": "resume_table", "reason": "found and mended"}
    answer = house.call("pit_manager", "POST", "/api/tables/roulette-1/requests", {**asked, "id": "no"})
    assert (answer.status_code, answer.json()["refusal"]) == (403, "not_authorised")
    answer = house.call("shift_manager", "POST", "/api/tables/roulette-1/requests", asked)
    assert answer.status_code == 202, answer.text
    (proposal,) = get(house, "casino_manager", "/api/proposals")["proposals"]
    effects = [event["event"] for event in proposal["effect"]]
    assert effects == ["table_resumed.v1", "interruption_recovered.v1"]
    assert proposal["effect"][1]["asks"], "the table then asks what the wheel shows"
    alone = house.call("shift_manager", "POST", f"/api/proposals/{proposal['proposal']}/approve")
    assert alone.status_code == 403
    assert get(house, None, "/api/tables/roulette-1")["phase"] == "stopped"
    assert house.call("casino_manager", "POST", f"/api/proposals/{proposal['proposal']}/approve").status_code == 200
    assert get(house, None, "/api/tables/roulette-1")["phase"] == "interrupted"
    outcome = {"id": "rest", "do": "declare", "irregularity": "interrupted_without_outcome"}
    second = house.call("dealer", "POST", "/api/tables/roulette-1/requests", outcome).json()["proposal"]
    assert house.call("pit_manager", "POST", f"/api/proposals/{second}/approve").status_code == 200
    assert get(house, None, "/api/tables/roulette-1")["phase"] == "idle"
    steps = [step["did"] for step in get(house, "auditor", "/api/tables/roulette-1/rounds/3")["steps"]]
    assert any(
        "lets the table go on (RuntimeError: a bug of ours), because “found and mended”" in did for did in steps
    ), steps


def test_a_terminal_recalls_a_limited_number_of_rounds_and_the_pit_all(tmp_path: Path) -> None:
    with http_house(tmp_path, replace(FREE, terminal_rounds=2)) as house:
        staff_house(house)
        play_rounds(house)
        assert house.call("terminal", "GET", "/api/tables/roulette-1/rounds/2").status_code == 200
        assert house.call("terminal", "GET", "/api/tables/roulette-1/rounds/1").status_code == 404
        assert [one["round"] for one in get(house, "terminal", "/api/tables/roulette-1/rounds")["rounds"]] == [2]
        assert house.call("pit_supervisor", "GET", "/api/tables/roulette-1/rounds/1").status_code == 200


def test_a_downloaded_capsule_verifies_without_the_house(ready_house: HttpHouse) -> None:
    answer = ready_house.call("auditor", "GET", "/api/tables/roulette-1/rounds/1/capsule")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="roulette-1-1.capsule.json"'
    capsule = read(answer.content)
    assert (capsule.table, capsule.round) == (ROULETTE, 1)
    verify_capsule(capsule, None)


def test_a_repeated_request_gets_its_first_answer(house: HttpHouse) -> None:
    body = {"id": "r", "do": "place_bets", "bets": [{"position": "red", "cents": 100}]}
    first, again = (house.call("terminal", "POST", "/api/tables/roulette-1/requests", body) for _ in range(2))
    assert first.json() == again.json()
    other = {**body, "bets": [{"position": "red", "cents": 200}]}
    assert house.call("terminal", "POST", "/api/tables/roulette-1/requests", other).json()["refusal"] == "id_is_used"
    assert get(house, "terminal", "/api/tables/roulette-1/seats/1")["bets"] == {"red": 100}


def test_a_refusal_of_the_table_is_answered_with_its_clause(house: HttpHouse) -> None:
    house.call("dealer", "POST", "/api/tables/roulette-1/requests", {"id": "1", "do": "close_bets"})
    body = {"id": "2", "do": "place_bets", "bets": [{"position": "red", "cents": 100}]}
    answer = house.call("terminal", "POST", "/api/tables/roulette-1/requests", body)
    assert (answer.status_code, answer.json()["refusal"], answer.json()["clause"]) == (409, "bets_are_closed", "3.5")


def test_a_request_of_staff_must_name_the_seat(house: HttpHouse) -> None:
    answer = house.call("cashier", "POST", "/api/tables/roulette-1/requests", {"id": "1", "do": "cash_out"})
    assert (answer.status_code, answer.json()["refusal"]) == (400, "not_understood")
    answer = house.call(
        "cashier", "POST", "/api/tables/roulette-1/requests", {"id": "2", "do": "request_cash_out", "seat": "1"}
    )
    assert answer.json()["events"][0]["cents"] == 117_500


@pytest.mark.parametrize("caller", ["terminal", "dealer", "casino_manager"])
def test_the_show_request_is_refused_over_http(house: HttpHouse, caller: str) -> None:
    answer = house.call(caller, "POST", "/api/tables/roulette-1/requests", {"id": "s", "do": "show"})
    assert (answer.status_code, answer.json()["refusal"]) == (400, "not_understood")


def test_a_table_can_be_read_after_its_writer_has_failed(house: HttpHouse) -> None:
    """Reads do not use the writer's queue."""
    before = get(house, None, "/api/tables/roulette-1")
    paths = ("/state", "/seats/1", "/rounds", "/rounds/1", "/wheel")
    house.service.floor.tables[ROULETTE].queue.fail(JournalDamaged("a test"))  # type: ignore[attr-defined]
    after = get(house, None, "/api/tables/roulette-1")
    assert after == {**before, "phase": "stopped", "phrase": None}
    for path in paths:
        get(house, "pit_manager", f"/api/tables/roulette-1{path}")


@pytest.mark.parametrize("id", ["", "x" * 201, "a\0b", "\0"])
def test_a_request_with_an_invalid_id_is_refused(house: HttpHouse, id: str) -> None:
    answer = house.call("terminal", "POST", "/api/tables/roulette-1/requests", {"id": id, "do": "undo"})
    assert (answer.status_code, answer.json()["refusal"]) == (400, "not_understood")
