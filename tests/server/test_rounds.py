"""The list of rounds over HTTP: the rounds of a report's figures, filters, pages and the search of a ticket."""

from typing import Any

import pytest

from roundhouse.office.columns import Column
from tests.support.http_house import HttpHouse


def get(house: HttpHouse, path: str) -> Any:
    answer = house.call("auditor", "GET", path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_figure_of_a_report_is_the_sum_of_its_rounds(ready_house: HttpHouse) -> None:
    (row,) = get(ready_house, "/api/report?by=table&table=roulette-1")["lines"]
    for column in (Column.PLAYED, Column.WIN, Column.LATE_BETS):
        listed = get(ready_house, f"/api/rounds?{row['where']}&column={column}")
        assert sum(one["amount"] for one in listed["rounds"]) == row[column], column
    bought = get(ready_house, f"/api/movements?{row['where']}&column=bought")
    assert sum(one["amount"] for one in bought["movements"]) == row["bought"] > 0


def test_a_round_names_who_dealt_it_and_its_seats(ready_house: HttpHouse) -> None:
    first = get(ready_house, "/api/rounds?table=roulette-1&limit=1")
    (row,) = first["rounds"]
    assert (row["round"], row["status"], row["dealt_by"]) == (1, "settled", ["@dealer"])
    assert row["seats"] == ["1", "2"]
    assert row["began_at"] <= row["settled_at"]
    second = get(ready_house, f"/api/rounds?table=roulette-1&limit=1&after={first['next']}")
    assert [one["round"] for one in second["rounds"]] == [2]
    assert [one["round"] for one in get(ready_house, "/api/rounds?status=void")["rounds"]] == [2]
    assert get(ready_house, "/api/rounds?person=nobody")["rounds"] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/rounds?table=none", 404),
        ("/api/rounds?column=moon", 400),
        ("/api/rounds?from=yesterday", 404),
        ("/api/rounds?from=2026-11-17&to=2026-11-15", 404),
        ("/api/rounds?ticket=1234", 404),
        ("/api/rounds?limit=5000", 400),
        ("/api/rounds?after=nonsense", 404),
        ("/api/movements?after=nonsense", 404),
        ("/api/movements?column=win", 400),
    ],
)
def test_a_list_with_invalid_filters_is_refused(ready_house: HttpHouse, path: str, status: int) -> None:
    assert ready_house.call("auditor", "GET", path).status_code == status


def test_dealers_and_terminals_see_no_list(ready_house: HttpHouse) -> None:
    for path in ("/api/rounds", "/api/movements"):
        assert ready_house.call(None, "GET", path).status_code == 401
        assert ready_house.call("dealer", "GET", path).status_code == 403


def test_a_ticket_that_the_house_did_not_issue_is_not_found(ready_house: HttpHouse) -> None:
    answer = ready_house.call("auditor", "POST", "/api/ticket-search", {"ticket": "1" * 20})
    assert answer.status_code == 404
    assert "1" * 20 not in answer.text
