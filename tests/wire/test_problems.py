"""Error codes: each has one status, and the reference page lists them all."""

from pathlib import Path
from typing import get_args

import pytest

from roundhouse.people.names import HouseRefusal
from roundhouse.server.error_reference import page
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.wire.messages import CloseReason
from roundhouse.wire.problems import AnyErrorCode, ErrorCode, HttpErrorCode, problem_of, status_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"
OVER_HTTP: list[HttpErrorCode] = [*TableRefusal, *HouseRefusal, *ErrorCode]
BOTH_STATUSES = {"no_such_seat", "no_such_terminal"}
"""The house answers 404 and a table 409; the reference page explains why."""


def test_the_reference_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "out of date: run 'make wire'"


def test_the_page_has_one_row_for_every_code() -> None:
    rows = [line.split("|")[1].strip().strip("`") for line in page().splitlines() if line.startswith("| `")]
    codes = {code.value for source in get_args(AnyErrorCode) for code in source}
    assert sorted(codes) == [row for row in rows if row not in ("table", "cage", "house", "http", "socket")]


def test_the_union_has_every_code_that_http_can_carry() -> None:
    assert set(get_args(AnyErrorCode)) == {*get_args(HttpErrorCode), CloseReason}


@pytest.mark.parametrize("code", OVER_HTTP, ids=lambda code: f"{type(code).__module__}:{code}")
def test_a_code_used_by_table_and_house_has_one_status(code: HttpErrorCode) -> None:
    statuses = {status_of(one) for one in OVER_HTTP if one == code}
    assert len(statuses) == (2 if code in BOTH_STATUSES else 1)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (TableRefusal.NOT_UNDERSTOOD, 400),
        (TableRefusal.NOT_AUTHORISED, 403),
        (TableRefusal.JOURNAL_UNAVAILABLE, 503),
        (TableRefusal.BETS_ARE_CLOSED, 409),
        (TableRefusal.NO_SUCH_SEAT, 409),
        (HouseRefusal.NOT_LOGGED_IN, 401),
        (HouseRefusal.WRONG_NAME_OR_PASSWORD, 401),
        (HouseRefusal.PERSON_IS_LOCKED, 403),
        (HouseRefusal.SAME_PERSON, 403),
        (HouseRefusal.NO_SUCH_SEAT, 404),
        (HouseRefusal.BAD_NAME, 409),
        (ErrorCode.TOO_LARGE, 413),
    ],
)
def test_codes_have_the_expected_status(code: HttpErrorCode, status: int) -> None:
    assert status_of(code) == status


def test_a_locked_person_gets_the_code_account_is_locked() -> None:
    assert problem_of(HouseRefusal.PERSON_IS_LOCKED) is ErrorCode.ACCOUNT_IS_LOCKED
