"""A request gives no authority by its fields: the server takes position, person and seat from the caller."""

import pytest

from tests.support.http_house import HttpHouse


@pytest.mark.parametrize("fields", [{"by": "pit_manager"}, {"who": "pit-manager"}, {"second": "pit-manager"}])
def test_fields_of_a_message_give_no_authority(house: HttpHouse, fields: dict[str, str]) -> None:
    body = {"id": "1", "do": "open_bets", **fields}
    for caller in ("terminal", "dealer", "cashier"):
        answer = house.call(caller, "POST", "/api/tables/roulette-1/requests", {**body, "id": caller})
        assert answer.status_code in (400, 403), answer.text


def test_a_request_may_name_only_a_position_that_its_caller_holds(house: HttpHouse) -> None:
    refer = {"id": "1", "do": "refer", "round": 1, "question": "?", "by": "dealer"}
    refused = house.call("shift_manager", "POST", "/api/tables/roulette-1/requests", refer)
    assert refused.status_code == 403
    answer = house.call(
        "dealer", "POST", "/api/tables/roulette-1/requests", {"id": "2", "do": "close_bets", "by": "dealer"}
    )
    assert answer.status_code == 200, answer.text


def test_a_terminal_can_only_bet_at_its_own_seat(house: HttpHouse) -> None:
    bets = {"do": "place_bets", "bets": [{"position": "red", "cents": 100}]}
    own = house.call("terminal", "POST", "/api/tables/roulette-1/requests", {"id": "1", **bets})
    assert own.json()["events"][0]["seat"] == "1"
    other = house.call("terminal", "POST", "/api/tables/roulette-1/requests", {"id": "2", "seat": "2", **bets})
    assert (other.status_code, other.json()["refusal"]) == (403, "other_seat")
