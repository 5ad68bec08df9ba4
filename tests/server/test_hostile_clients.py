"""Hostile clients: forged credentials, foreign pages, large, slow and malformed bodies, and floods."""

import asyncio
import logging
from collections.abc import AsyncIterator
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from starlette.routing import Route as Served
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from roundhouse.logs import LOGGER, JsonLines
from roundhouse.people.names import PersonId, Role
from roundhouse.server.settings import Rates, Settings
from roundhouse.table.names import Millis
from tests.support.houses import PASSWORD
from tests.support.http_house import FREE, HttpHouse, http_house

JSON = {"content-type": "application/json"}
LOG_IN = b'{"name":"pit-manager","password":"%s"}' % PASSWORD.encode()
ASK = "/api/tables/roulette-1/requests"


def browser(house: HttpHouse) -> tuple[dict[str, str], str]:
    """Log in by cookie, and return the request headers and the CSRF token."""
    answer = house.send("POST", "/api/log-in", LOG_IN, JSON)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    house.client.cookies.clear()
    return {"cookie": cookie, **JSON}, answer.json()["me"]["csrf"]


def test_a_browser_login_sets_a_cookie_and_returns_no_token(house: HttpHouse) -> None:
    answer = house.send("POST", "/api/log-in", LOG_IN, JSON)
    assert "token" not in answer.json()
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("roundhouse-session=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Path=/" in cookie


def test_over_tls_the_session_cookie_is_secure_and_bound_to_its_host(tmp_path: Path) -> None:
    with http_house(tmp_path, Settings(tls=True)) as house:
        added = house.house.staff.add(
            None, PersonId("pit-manager"), "P", (Role.PIT_MANAGER,), PASSWORD, house.clock.now()
        )
        assert house.runner.run(added) is None
        answer = house.send("POST", "/api/log-in", LOG_IN, JSON)
        assert answer.headers["set-cookie"].startswith("__Host-roundhouse-session=")
        assert "; Secure" in answer.headers["set-cookie"]
        assert answer.headers["strict-transport-security"] == "max-age=31536000"


@pytest.mark.parametrize(
    "cookie",
    [
        "roundhouse-session=s1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "roundhouse-session=s10." + "A" * 10_000,
        "roundhouse-session=.",
        'roundhouse-session="; roundhouse-session=s1',
        "roundhouse-terminal=t1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "=;=;==" * 1000,
    ],
)
def test_a_forged_cookie_is_an_anonymous_caller(ready_house: HttpHouse, cookie: str) -> None:
    answer = ready_house.send("GET", "/api/staff", None, {"cookie": cookie})
    assert (answer.status_code, answer.json()["refusal"]) == (401, "not_logged_in")
    assert ready_house.send("GET", "/api/me", None, {"cookie": cookie}).json()["kind"] == "nobody"


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "Basic c3RhZmY6cGFzcw==", "Bearer s1", "Bearer é", "Bearer s1.x y"]
)
def test_a_forged_bearer_token_is_not_logged_in(ready_house: HttpHouse, header: str) -> None:
    answer = ready_house.send("GET", "/api/staff", None, httpx.Headers({"authorization": header}, encoding="latin-1"))
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_malformed_cookies_of_other_programs_are_ignored(house: HttpHouse) -> None:
    headers, _ = browser(house)
    for other in ("theirs=a b", "theirs", 'theirs="', "th[e]irs=1"):
        both = {"cookie": f"{other}; {headers['cookie']}"}
        assert house.send("GET", "/api/me", None, both).json()["kind"] == "person", other


def test_a_terminal_key_in_the_staff_cookie_is_an_anonymous_caller(ready_house: HttpHouse) -> None:
    cookie = f"roundhouse-session={ready_house.tokens['terminal']}"
    assert ready_house.send("GET", "/api/me", None, {"cookie": cookie}).json()["kind"] == "nobody"


def test_a_change_by_cookie_needs_the_csrf_token(house: HttpHouse) -> None:
    headers, csrf = browser(house)
    body = b'{"table":"roulette-1","seat":"bills"}'
    for token in ({}, {"x-csrf-token": ""}, {"x-csrf-token": csrf[:-1]}, {"x-csrf-token": "é"}):
        answer = house.send("POST", "/api/terminals/codes", body, httpx.Headers({**headers, **token}, encoding="utf-8"))
        assert (answer.status_code, answer.json()["refusal"]) == (403, "csrf_token_missing")
    assert house.send("POST", "/api/terminals/codes", body, {**headers, "x-csrf-token": csrf}).status_code == 201
    assert house.send("GET", "/api/staff", None, headers).status_code == 200


def test_a_terminal_with_a_cookie_needs_the_csrf_token_too(house: HttpHouse) -> None:
    answer = house.send("POST", "/api/guest", b'{"table":"roulette-1"}', JSON)
    headers = {"cookie": answer.headers["set-cookie"].partition(";")[0], **JSON}
    house.client.cookies.clear()
    body = b'{"id":"1","do":"take_seat","terminal":"rapid-a"}'
    assert house.send("POST", ASK, body, headers).json()["refusal"] == "csrf_token_missing"
    with_token = {**headers, "x-csrf-token": answer.json()["me"]["csrf"]}
    assert house.send("POST", ASK, body, with_token).json()["ok"] is True


@pytest.mark.parametrize(
    "page",
    [
        {"origin": "https://elsewhere.example"},
        {"origin": "http://localhost.elsewhere.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://[::1"},
        {"origin": "http://[localhost]"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_requests_from_a_foreign_page_are_refused(house: HttpHouse, page: dict[str, str]) -> None:
    headers, csrf = browser(house)
    all_headers = {**headers, "x-csrf-token": csrf, **page}
    answer = house.send("POST", "/api/terminals/codes", b'{"table":"roulette-1","seat":"bills"}', all_headers)
    assert (answer.status_code, answer.json()["refusal"]) == (403, "foreign_origin")
    assert house.send("POST", "/api/log-in", LOG_IN, {**JSON, **page}).status_code == 403


def test_requests_from_a_page_of_the_house_are_accepted(house: HttpHouse) -> None:
    headers, csrf = browser(house)
    own = {"origin": "http://localhost", "sec-fetch-site": "same-origin", "x-csrf-token": csrf}
    assert house.send(
        "POST", "/api/terminals/codes", b'{"table":"roulette-1","seat":"bills"}', {**headers, **own}
    ).is_success


def test_requests_from_a_configured_origin_are_accepted(tmp_path: Path) -> None:
    pages = {"origin": "http://localhost:5173", "sec-fetch-site": "same-site", **JSON}
    with http_house(tmp_path, msgspec.structs.replace(FREE, origins=("http://localhost:5173",))) as house:
        assert house.send("POST", "/api/guest", b'{"table":"roulette-1"}', pages).status_code == 200
        other = {**pages, "origin": "http://localhost:5174"}
        assert house.send("POST", "/api/guest", b'{"table":"roulette-1"}', other).status_code == 403


def test_an_unknown_host_name_is_refused(ready_house: HttpHouse) -> None:
    """A page under an accepted name counts as same-origin, which DNS rebinding would exploit."""
    headers = {"host": "elsewhere.example", "origin": "http://elsewhere.example", **JSON}
    answer = ready_house.send("POST", "/api/guest", b'{"table":"roulette-1"}', headers)
    assert (answer.status_code, answer.json()["refusal"]) == (400, "foreign_host")


@pytest.mark.parametrize(
    ("headers", "accepted"),
    [
        ({"host": "localhost", "origin": "http://localhost"}, True),
        ({"host": "localhost"}, True),
        ({"host": "localhost", "origin": "https://elsewhere.example"}, False),
        ({"host": "localhost", "origin": "null"}, False),
        ({"host": "localhost", "origin": "http://["}, False),
        ({"host": "elsewhere.example", "origin": "http://elsewhere.example"}, False),
    ],
)
def test_a_socket_from_a_foreign_page_is_closed_before_it_is_accepted(
    house: HttpHouse, headers: dict[str, str], accepted: bool
) -> None:
    async def greet(socket: WebSocket) -> None:
        await socket.accept()
        await socket.close()

    house.app.router.routes.insert(0, WebSocketRoute("/api/socket", greet))
    sent: list[Any] = []
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "websocket",
        "path": "/api/socket",
        "headers": raw,
        "query_string": b"",
        "client": ("127.0.0.1", 1),
    }

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    house.runner.run(house.app(scope, receive, send))
    assert sent == (["websocket.accept", "websocket.close"] if accepted else ["websocket.close"])


async def _pieces(count: int, size: int, pause: float) -> AsyncIterator[bytes]:
    for _ in range(count):
        await asyncio.sleep(pause)
        yield b" " * size


def test_a_body_of_ten_megabytes_is_refused(ready_house: HttpHouse) -> None:
    answer = ready_house.send("POST", "/api/log-in", b" " * 10_000_000, JSON)
    assert (answer.status_code, answer.json()["refusal"]) == (413, "too_large")


def test_a_chunked_body_of_ten_megabytes_is_refused(ready_house: HttpHouse) -> None:
    """The body is chunked, without a Content-Length."""
    sent = ready_house.client.request("POST", "/api/log-in", content=_pieces(10_000, 1000, 0), headers=JSON)
    answer = ready_house.runner.run(sent)
    assert (answer.status_code, answer.json()["refusal"]) == (413, "too_large")


def test_a_slow_body_times_out(tmp_path: Path) -> None:
    with http_house(tmp_path, Settings(body_seconds=0.05)) as house:
        sent = house.client.request("POST", "/api/log-in", content=_pieces(3, 1, 10), headers=JSON)
        answer = house.runner.run(asyncio.wait_for(sent, 5))
    assert (answer.status_code, answer.json()["refusal"]) == (400, "too_slow")


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"[]", b'"x"', b"\xff\xfe", b"[" * 60_000, b'{"name":1,"password":"x"}', b'{"name":"x"}',
        b'{"name":"x","password":"x","positions":["casino_manager"]}', b'{"name":"\xff","password":"x"}', b"NaN",
        b'{"name":"x","password":"\\ud800"}',
    ],
)  # fmt: skip
def test_malformed_bodies_are_refused(ready_house: HttpHouse, body: bytes) -> None:
    answer = ready_house.send("POST", "/api/log-in", body, JSON)
    assert (answer.status_code, answer.json()["refusal"]) == (400, "not_understood")


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "json"]
)
def test_only_the_json_content_type_is_accepted(ready_house: HttpHouse, kind: str) -> None:
    """A foreign page can send the other content types without a CORS preflight."""
    answer = ready_house.send("POST", "/api/log-in", LOG_IN, {"content-type": kind})
    assert (answer.status_code, answer.json()["refusal"]) == (415, "wrong_content_type")


def test_requests_of_one_address_are_rate_limited(tmp_path: Path) -> None:
    with http_house(tmp_path, Settings(requests=Rates(2.0, 5))) as house:
        answers = [house.send("GET", "/api/me", None, {}).status_code for _ in range(7)]
        assert answers == [200] * 5 + [429] * 2
        answer = house.send("GET", "/api/me", None, {})
        assert answer.headers["retry-after"] == "1"
        house.clock.at = Millis(house.clock.at + 1000)
        assert [house.send("GET", "/api/me", None, {}).status_code for _ in range(3)] == [200, 200, 429]


def test_ipv6_addresses_are_rate_limited_per_64_bit_network(tmp_path: Path) -> None:
    with http_house(tmp_path, Settings(requests=Rates(1.0, 2)), "2001:db8::1") as house:
        assert [house.send("GET", "/api/me", None, {}).status_code for _ in range(2)] == [200, 200]
        assert house.service.throttle("2001:db8::2", 1, False) > 0
        assert house.service.throttle("2001:db8:0:1::2", 1, False) == 0


def test_an_expensive_request_counts_several_times_towards_the_rate_limit(tmp_path: Path) -> None:
    with http_house(tmp_path, Settings(requests=Rates(1.0, 30))) as house:
        answers = [house.send("GET", "/api/tables/roulette-1/rounds/1", None, {}).status_code for _ in range(4)]
        assert answers == [401, 401, 401, 429]


@pytest.mark.parametrize("path", ["/api/tables", "/api/tables/roulette-1", "/api/tables/roulette-1/rounds"])
def test_reading_a_whole_table_counts_several_times_towards_the_rate_limit(tmp_path: Path, path: str) -> None:
    """Reading a whole table costs the server as much as many bets, and needs no login."""
    with http_house(tmp_path, Settings(requests=Rates(1.0, 25))) as house:
        answers = [house.send("GET", path, None, {}).status_code for _ in range(4)]
        assert answers[0] == 200
        assert answers[-1] == 429


def test_logins_have_a_separate_rate_limit(tmp_path: Path) -> None:
    with http_house(tmp_path, Settings(log_ins=Rates(1 / 6, 3))) as house:
        answers = [house.send("POST", "/api/log-in", LOG_IN, JSON).status_code for _ in range(4)]
        assert answers == [401, 401, 401, 429]
        assert house.send("POST", "/api/enrol", b'{"code":"X"}', JSON).status_code == 429
        assert house.send("GET", "/api/me", None, {}).status_code == 200


@pytest.mark.parametrize("path", ["/metrics", "/api/games", "/api/staff", "/nowhere", "/"])
def test_every_answer_has_security_headers(ready_house: HttpHouse, path: str) -> None:
    headers = ready_house.send("GET", path, None, {}).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] in ("no-store", "no-cache")


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/api/none", 404), ("POST", "/api/games", 405)])
def test_unknown_pages_and_methods_get_a_json_error(
    ready_house: HttpHouse, method: str, path: str, status: int
) -> None:
    answer = ready_house.send(method, path, None, {})
    assert answer.status_code == status
    assert answer.json()["refusal"] in ("no_such_page", "method_not_allowed")


def test_secrets_are_not_in_logs_metrics_the_journal_or_answers(house: HttpHouse) -> None:
    out = StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger(LOGGER)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        headers, csrf = browser(house)
        wanted = {"table": "roulette-1", "seat": "bills"}
        code = house.call("pit_manager", "POST", "/api/terminals/codes", wanted).json()
        key = house.call(None, "POST", "/api/enrol", {"code": code["code"], "program": True}).json()["token"]
        house.call(None, "POST", "/api/log-in", {"name": "my secret password", "password": "another secret"})
        house.call(None, "GET", "/api/me?password=in-the-query")
        house.call("pit_manager", "GET", "/api/staff/secret-in-the-path/lock")
        house.send("GET", "/api/me", None, headers)
    finally:
        logger.removeHandler(handler)
    output = out.getvalue() + house.call(None, "GET", "/metrics").text
    output += str(house.chain()) + house.call("auditor", "GET", "/api/staff").text
    assert '"route":"/api/log-in"' in output
    secrets = [PASSWORD, "secret", headers["cookie"].partition("=")[2], csrf, code["code"], key, "in-the-query"]
    assert [secret for secret in secrets if secret in output] == []
    assert [token for token in house.tokens.values() if token in output] == []


def test_an_internal_error_is_answered_with_an_error_number_only(house: HttpHouse) -> None:
    """The message of the exception may contain a secret: neither the answer nor the log quotes it."""
    out = StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLines())

    async def broken(request: Any) -> Any:
        raise RuntimeError("the password is hunter2")

    house.app.router.routes.insert(0, Served("/broken", broken))
    logging.getLogger(LOGGER).addHandler(handler)
    try:
        answer = house.send("GET", "/broken", None, {})
    finally:
        logging.getLogger(LOGGER).removeHandler(handler)
    assert answer.status_code == 500
    assert answer.json()["refusal"] == "our_own_bug"
    number = answer.json()["reason"].split()[2]
    assert number in out.getvalue()
    assert '"kind":"RuntimeError"' in out.getvalue()
    assert "hunter2" not in out.getvalue() + answer.text
