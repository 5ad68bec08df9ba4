"""Fuzzes every route with schemathesis: valid and invalid requests never cause an internal error.

``HttpHouse.send`` also checks every answer against the document. Callers are anonymous, a terminal and staff; paths
name both existing and unknown things. ``make soak`` runs far more examples.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import read_key
from roundhouse.server.app import ROUTES
from roundhouse.server.routing import Route
from tests.support.houses import ROULETTE
from tests.support.http_house import HttpHouse, http_house, play_rounds, staff_house
from tests.support.openapi import described

KNOWN = {
    "game": "rws-double-zero", "layout": "B", "terminal": "rapid-b", "table": "roulette-1", "seat": "1", "round": 1,
    "person": "dealer", "appointment": "a1", "number": "t3", "proposal": "p1", "alert": "n1",
}  # fmt: skip
CALLERS = (None, "terminal", "dealer", "pit_manager", "casino_manager", "auditor")
ENDS = ("log_out", "lock")
"""Routes that end a session. Staff do not call them, because the other tests need their sessions."""


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpHouse]:
    with http_house(tmp_path_factory.mktemp("fuzzed")) as house:
        staff_house(house)
        play_rounds(house)
        yield house


@cache
def _schema() -> Any:
    return schemathesis.openapi.from_dict(described())


def _operation(route: Route) -> Any:
    return _schema()[route.path][route.method.value]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_no_request_causes_an_internal_error(fuzzed: HttpHouse, route: Route) -> None:
    operation = _operation(route)
    named = {name: value for name, value in KNOWN.items() if f"{{{name}}}" in route.path}
    modes = [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if _can_be_wrong(route) else [])]
    cases = [operation.as_strategy(mode, **known) for mode in modes for known in ({}, {"path_parameters": named})]
    callers = CALLERS[:2] if route.name in ENDS else CALLERS

    @settings(
        max_examples=2 if route.cost >= 40 else 24 if route.body is not None else 12,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(cases), st.sampled_from(callers))
    def send(case: Any, caller: str | None) -> None:
        sent = requests.Request(**case.as_transport_kwargs(base_url="http://localhost")).prepare()
        headers = {str(name): _text(value) for name, value in sent.headers.items()}
        if caller is not None:
            headers["authorization"] = f"Bearer {fuzzed.tokens[caller]}"
        body = sent.body.encode() if isinstance(sent.body, str) else sent.body
        assert body is None or isinstance(body, bytes)
        answer = fuzzed.send(str(sent.method), str(sent.path_url), body or b"", headers)
        assert answer.status_code < 500, (answer.text, sent.path_url, body)

    send()


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _can_be_wrong(route: Route) -> bool:
    return any(part is not None for part in (route.body, route.path_type, route.query)) or route.method.changes


def test_the_house_is_intact_after_fuzzing(fuzzed: HttpHouse) -> None:
    """Runs last: the accounts balance, no table has stopped, and the journal verifies."""
    assert fuzzed.call(None, "GET", "/healthz").status_code == 200
    state = fuzzed.call("auditor", "GET", "/api/tables/roulette-1/state").json()
    assert sum(state["accounts"].values()) == 0
    assert state["phase"] != "stopped", fuzzed.writers[ROULETTE].table.state.stopped
    journal = fuzzed.service.floor.journal
    assert verify_journal(journal, read_key(journal)).verifies
