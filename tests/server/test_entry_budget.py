"""Refused requests beyond a rate are counted in one entry, and a terminal has a budget of entries."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.floor.refusals import AT_ONCE, MILLIS_EACH
from roundhouse.journal.seal import key_of
from roundhouse.server.settings import Rates
from roundhouse.table.names import Millis
from tests.support.houses import ROULETTE
from tests.support.http_house import FREE, HttpHouse, http_house, play_rounds, staff_house
from tests.support.sockets import socket_house

BET = [{"position": "red", "cents": 100}]
NOWHERE = [{"position": "nowhere", "cents": 100}]
PATH = f"/api/tables/{ROULETTE}/requests"


def entries(house: HttpHouse) -> int:
    return sum(1 for _ in house.store.rows(ROULETTE))


def request(house: HttpHouse, id: str, bets: list[dict[str, Any]], do: str = "place_bets") -> Any:
    body = {"id": id, "do": do, **({"bets": bets} if do == "place_bets" else {})}
    return house.call("terminal", "POST", PATH, body).json()


@pytest.fixture
def house(tmp_path: Path) -> Any:
    with http_house(tmp_path, FREE) as found:
        staff_house(found)
        play_rounds(found)
        yield found


def test_refusals_beyond_the_rate_get_the_same_answer_and_no_entry(house: HttpHouse) -> None:
    before = entries(house)
    answers = [request(house, f"x{n}", NOWHERE) for n in range(AT_ONCE + 40)]
    assert {(one["refusal"], one["reason"], one["ok"]) for one in answers} == {
        (answers[0]["refusal"], answers[0]["reason"], False)
    }
    assert entries(house) == before + AT_ONCE
    assert answers[-1]["version"] == before + AT_ONCE
    assert request(house, "good", BET)["ok"], "a bet is accepted all the same"
    assert entries(house) == before + AT_ONCE + 1
    house.clock.at = Millis(house.clock.at + 3 * MILLIS_EACH)
    for n in range(10):
        request(house, f"later{n}", NOWHERE)
    assert entries(house) == before + AT_ONCE + 4, "the allowance recovers"


def test_a_resent_refusal_gets_its_answer_again_whether_it_was_recorded_or_counted(house: HttpHouse) -> None:
    answers = [request(house, f"x{n}", NOWHERE) for n in range(AT_ONCE + 5)]
    before = entries(house)
    assert [request(house, f"x{n}", NOWHERE) for n in range(AT_ONCE + 5)] == answers
    assert request(house, f"x{AT_ONCE + 4}", BET)["refusal"] == "id_is_used"
    # The journal conceals the number of a ticket, so the request that is kept is the one that was sent.
    redeem = {"id": "ticket", "do": "redeem_ticket", "ticket": "1" * 20}
    first, again = (house.call("terminal", "POST", PATH, redeem).json() for _ in range(2))
    assert first["refusal"] == "no_such_ticket"
    assert again == first
    assert entries(house) == before


def test_the_house_counts_the_refusals_of_a_seat_in_one_entry(house: HttpHouse) -> None:
    for n in range(AT_ONCE + 30):
        request(house, f"x{n}", NOWHERE)
    house.clock.at = Millis(house.clock.at + 5_000)
    house.runner.run(house.service.flush_refusals())
    found = [entry for entry in house.chain() if entry["event"].get("what") == "seat_requests"]
    assert [one["event"].get("times", 1) for one in found] == [1, 29]
    assert found[1]["event"]["seconds"] == 5
    assert {one["by"]["kind"] for one in found} == {"terminal"}


def test_a_journal_with_counted_refusals_verifies(tmp_path: Path) -> None:
    with http_house(tmp_path, FREE) as house:
        staff_house(house)
        play_rounds(house)
        for n in range(AT_ONCE + 30):
            request(house, f"x{n}", NOWHERE)
            request(house, f"u{n}", [], "undo")
        house.runner.run(house.service.flush_refusals())
    journal = tmp_path / "house.db"
    assert verify_journal(journal, key_of(journal)).verifies


def test_refusals_of_staff_are_all_recorded(house: HttpHouse) -> None:
    before = entries(house)
    for n in range(AT_ONCE + 10):
        house.call("dealer", "POST", PATH, {"id": f"d{n}", "do": "confirm_result"})
    assert entries(house) == before + AT_ONCE + 10


def test_a_spent_budget_refuses_bets_and_lets_them_be_taken_back(tmp_path: Path) -> None:
    with http_house(tmp_path, msgspec.structs.replace(FREE, entries=Rates(1.0, 5))) as house:
        staff_house(house)
        play_rounds(house)
        answers = [request(house, f"b{n}", BET) for n in range(7)]
        assert [one.get("ok", False) for one in answers] == [True] * 5 + [False] * 2
        assert answers[-1]["refusal"] == "too_many_requests"
        refused = house.call("terminal", "POST", PATH, {"id": "b9", "do": "place_bets", "bets": BET})
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert all(request(house, f"u{n}", [], "undo")["ok"] for n in range(5)), "bets can be taken back"
        assert house.call("terminal-2", "POST", PATH, {"id": "other", "do": "place_bets", "bets": BET}).json()["ok"]
        house.clock.at = Millis(house.clock.at + 7_000)
        assert request(house, "again", BET)["ok"], "the budget recovers"


def test_a_socket_counts_like_http(tmp_path: Path) -> None:
    with socket_house(tmp_path, msgspec.structs.replace(FREE, entries=Rates(0.001, AT_ONCE + 20))) as house:

        async def script() -> None:
            async with house.at("terminal") as (terminal, _):
                for _ in range(AT_ONCE + 20):
                    assert (await terminal.ask("place_bets", bets=NOWHERE))["refusal"] == "no_such_position"
                assert (await terminal.ask("place_bets", bets=BET))["refusal"] == "too_many_requests"
                assert (await terminal.ask("ping"))["ok"]
                await asyncio.sleep(0)

        before = entries(house.house)
        house.run(script())
        assert entries(house.house) == before + AT_ONCE
        house.run(house.house.service.flush_refusals())
        noted = {entry["event"].get("what"): entry["event"].get("times", 1) for entry in house.house.chain()}
        assert noted["seat_requests"] == 19
        assert noted["place_bets"] == 1
