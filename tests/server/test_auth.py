"""Access over HTTP: a table of every route and a table of every request, for every kind of caller.

``+`` allowed, even if refused for another reason · ``2`` needs a second person's approval · ``-`` not logged in ·
``x`` not authorised · ``L`` console locked. Every route and every request must have a row.
"""

import itertools
from typing import Any, get_args

from roundhouse.server.app import ROUTES
from roundhouse.server.routing import Route
from roundhouse.table.names import Millis
from roundhouse.wire.requests import AnyTableRequest
from tests.support.http_house import HttpHouse

CALLERS = {
    "anonymous": None,
    "seat 1": "terminal",
    "seat 2": "terminal-2",
    "seat elsewhere": "terminal-elsewhere",
    "guest": "guest",
    "dealer": "dealer",
    "dealer elsewhere": "dealer-elsewhere",
    "cashier": "cashier",
    "supervisor": "pit_supervisor",
    "pit manager": "pit_manager",
    "shift manager": "shift_manager",
    "casino manager": "casino_manager",
    "auditor": "auditor",
    "locked": "locked",
}
_NUMBERS = itertools.count()
_LAYOUT = "rws-double-zero/layouts/B"
_BAD = {"reason": ""}

# One request for each route. If the caller is allowed, it is refused for another reason or changes nothing.
SAMPLES: dict[str, tuple[str, Any]] = {
    "games": ("/api/games", None),
    "game": ("/api/games/rws-double-zero", None),
    "picture_of_wheel": ("/api/games/rws-double-zero/wheel.svg", None),
    "layout": (f"/api/games/{_LAYOUT}", None),
    "positions": (f"/api/games/{_LAYOUT}/positions", None),
    "odds_of_positions": (f"/api/games/{_LAYOUT}/odds", None),
    "picture_of_layout": (f"/api/games/{_LAYOUT}/picture.svg", None),
    "packages": ("/api/games/rws-double-zero/terminals/rapid-b/packages", None),
    "odds_of_packages": ("/api/games/rws-double-zero/terminals/rapid-b/odds", None),
    "tables": ("/api/tables", None),
    "table": ("/api/tables/roulette-1", None),
    "state": ("/api/tables/roulette-1/state", None),
    "seat": ("/api/tables/roulette-1/seats/1", None),
    "rounds": ("/api/tables/roulette-1/rounds", None),
    "recall": ("/api/tables/roulette-1/rounds/1", None),
    "capsule": ("/api/tables/roulette-1/rounds/99/capsule", None),
    "ask_table": ("/api/tables/roulette-1/requests", {"id": "", "do": "undo"}),
    "wheel_health": ("/api/tables/roulette-1/wheel", None),
    "plot_of_wheel": ("/api/tables/roulette-1/wheel.svg", None),
    "code_of_ticket": (f"/api/tickets/{1:020d}/qr.svg", None),
    "proposals": ("/api/proposals", None),
    "approve_proposal": ("/api/proposals/p99/approve", None),
    "reject_proposal": ("/api/proposals/p99/reject", _BAD),
    "alerts": ("/api/alerts", None),
    "alert_history": ("/api/alerts/history", None),
    "acknowledge": ("/api/alerts/n99/acknowledge", None),
    "report": ("/api/report?none=such", None),
    "meters": ("/api/meters?none=such", None),
    "list_rounds": ("/api/rounds?none=such", None),
    "movements": ("/api/movements?none=such", None),
    "ticket_search": ("/api/ticket-search", {"ticket": "?"}),
    "significant_events": ("/api/significant-events?none=such", None),
    "cage": ("/api/cage", None),
    "ask_cage": ("/api/cage/requests", {"id": "", "do": "look_up_ticket", "ticket": "0"}),
    "barred_players": ("/api/cage/barred", None),
    "cage_report": ("/api/cage/report?none=such", None),
    "staff": ("/api/staff", None),
    "add_person": ("/api/staff", {"person": "?", "name": "N", "positions": ["dealer"], "password": "a good password"}),
    "set_positions": ("/api/staff/unknown/positions", {"positions": ["dealer"]}),
    "set_password": ("/api/staff/unknown/password", {"password": "a good password"}),
    "lock_person": ("/api/staff/unknown/lock", _BAD),
    "unlock_person": ("/api/staff/unknown/unlock", None),
    "appointments": ("/api/appointments", None),
    "appoint": ("/api/appointments", {"person": "unknown", "position": "dealer", "begins": 0, "until": 1}),
    "end_appointment": ("/api/appointments/a99", None),
    "terminals": ("/api/terminals", None),
    "offer_terminal": ("/api/terminals/codes", {"table": "roulette-1", "seat": "99"}),
    "revoke_terminal": ("/api/terminals/t99/revoke", _BAD),
    "healthz": ("/healthz", None),
    "livez": ("/livez", None),
    "readyz": ("/readyz", None),
    "metrics": ("/metrics", None),
    "house": ("/api/house", None),
    "openapi": ("/api/openapi.json", None),
    "me": ("/api/me", None),
    "log_in": ("/api/log-in", {"name": "unknown", "password": "wrong"}),
    "enrol": ("/api/enrol", {"code": "WRONG"}),
    "be_guest": ("/api/guest", {"table": "no such table"}),
    "change_password": ("/api/password", {"password": "short", "current": "wrong"}),
    "touch": ("/api/touch", None),
    "lock": ("/api/lock", None),
    "unlock": ("/api/unlock", {"password": "wrong"}),
    "log_out": ("/api/log-out", None),
    "leave": ("/api/leave", None),
    "claim": ("/api/claim", {"have": []}),
}

ROUTE_TABLE = """
# anonymous
# · seat 1
# · · seat 2
# · · · seat elsewhere
# · · · · guest
# · · · · · dealer
# · · · · · · dealer elsewhere
# · · · · · · · cashier
# · · · · · · · · supervisor
# · · · · · · · · · pit manager
# · · · · · · · · · · shift manager
# · · · · · · · · · · · casino manager
# · · · · · · · · · · · · auditor
# · · · · · · · · · · · · · locked
games               + + + + + + + + + + + + + +
game                + + + + + + + + + + + + + +
picture_of_wheel    + + + + + + + + + + + + + +
layout              + + + + + + + + + + + + + +
positions           + + + + + + + + + + + + + +
odds_of_positions   + + + + + + + + + + + + + +
picture_of_layout   + + + + + + + + + + + + + +
packages            + + + + + + + + + + + + + +
odds_of_packages    + + + + + + + + + + + + + +
tables              + + + + + + + + + + + + + +
table               + + + + + + + + + + + + + +
state               - x x x x + x + + + + + + L
seat                - + x x x + x + + + + + + L
rounds              + + + + + + + + + + + + + +
recall              - + + x + + x + + + + + + L
capsule             - x x x x + x + + + + + + L
ask_table           - + + x + + x + + + + + x L
wheel_health        - x x x x x x x + + + + + L
plot_of_wheel       - x x x x x x x + + + + + L
code_of_ticket      - + + + + + + + + + + + + L
proposals           - x x x x + + + + + + + + L
approve_proposal    - x x x x x x x + + + + x L
reject_proposal     - x x x x + + + + + + + x L
alerts              - x x x x x x x + + + + + L
alert_history       - x x x x x x x + + + + + L
acknowledge         - x x x x x x x + + + + x L
report              - x x x x x x x + + + + + L
meters              - x x x x x x x + + + + + L
significant_events  - x x x x x x x + + + + + L
list_rounds         - x x x x x x x + + + + + L
movements           - x x x x x x x + + + + + L
ticket_search       - x x x x x x x + + + + + L
cage                - x x x x x x + + + + + + L
ask_cage            - x x x x x x + + + + + x L
barred_players      - x x x x x x x + + + + + L
cage_report         - x x x x x x x + + + + + L
staff               - x x x x x x x + + + + + L
add_person          - x x x x x x x x x + + x L
set_positions       - x x x x x x x x x + + x L
set_password        - x x x x x x x x x + + x L
lock_person         - x x x x x x x x + + + x L
unlock_person       - x x x x x x x x + + + x L
appointments        - x x x x x x x + + + + + L
appoint             - x x x x x x x x + + + x L
end_appointment     - x x x x x x x x + + + x L
terminals           - x x x x x x x + + + + + L
offer_terminal      - x x x x x x x + + + + x L
revoke_terminal     - x x x x x x x + + + + x L
healthz             + + + + + + + + + + + + + +
livez               + + + + + + + + + + + + + +
readyz              + + + + + + + + + + + + + +
metrics             + + + + + + + + + + + + + +
house               + + + + + + + + + + + + + +
openapi             + + + + + + + + + + + + + +
me                  + + + + + + + + + + + + + +
log_in              + + + + + + + + + + + + + +
enrol               + + + + + + + + + + + + + +
be_guest            + + + + + + + + + + + + + +
change_password     - x x x x + + + + + + + + L
touch               - x x x x + + + + + + + + L
lock                - x x x x + + + + + + + + L
unlock              - x x x x + + + + + + + + +
leave               - x x x + x x x x x x x x x
log_out             - + + + + + + + + + + + + +
claim               + + + + + + + + + + + + + +
"""

_BETS = {"bets": [{"position": "red", "cents": 100}]}
REQUESTS: dict[str, dict[str, Any]] = {
    "open_table": {},
    "close_table": {"last_rounds": 100},
    "take_seat": {"seat": "1", "terminal": "rapid-b"},
    "buy_credits": {"seat": "1", "cents": 100},
    "place_bets": {"seat": "1", **_BETS},
    "place_package": {"seat": "1", "package": "tiers", "unit_cents": 100},
    "withdraw_bets": {"seat": "1", **_BETS},
    "undo": {"seat": "1"},
    "clear": {"seat": "1"},
    "repeat": {"seat": "1"},
    "double": {"seat": "1"},
    "redeem_ticket": {"seat": "1", "ticket": "0"},
    "open_bets": {},
    "close_bets": {},
    "start_spin": {},
    "observe_spin": {"revolutions": 5, "ball": "clockwise", "wheel": "anticlockwise"},
    "ball_at_rest": {"outcome": "17"},
    "register_result": {"outcome": "17"},
    "confirm_result": {},
    "declare": {"irregularity": "ball_broke", "rounds": [1]},
    "call_no_spin": {},
    "correct_result": {"round": 1, "outcome": "18", "reason": "on the tape"},
    "refer": {"round": 1, "question": "?"},
    "decide": {"round": 1, "ruling": "void", "reason": "because"},
    "take_over": {"reason": "why"},
    "hand_back": {},
    "resume_table": {"reason": "why"},
    # The terminal of seat 2 cashes out first. Afterwards a Dealer is refused for another reason than the position.
    "cash_out": {"seat": "2"},
    "amend_reading": {"outcome": "17"},
    "issue_colour": {"seat": "1", "colour": "yellow", "value_cents": 100},
    "redeem_colour": {"seat": "1"},
    "reverse_purchase": {"seat": "1", "purchase": 99},
    "request_cash_out": {"seat": "1"},
    "change_limits": {"limits": {}, "reason": ""},
    "allow_enrolment": {"seat": "1", "reason": ""},
    "set_protection": {"seat": "1"},
    "take_break": {"seat": "1", "minutes": 0},
    "acknowledge_check": {"seat": "1"},
    "call_attendant": {"seat": "1"},
    "attend_call": {"seat": "2"},
    "dispute": {"seat": "1", "round": 99, "about": "payment"},
    "close_dispute": {"dispute": 99, "reason": "the tape"},
    "question_display": {"words": ""},
    "pause_seat": {"seat": "1", "reason": ""},
    "resume_seat": {"seat": "1"},
    "take_table": {},
    "hand_table": {},
    "count_float": {"count": "closer", "cents": 100},
    "fill": {"cents": 100},
    "credit": {"cents": 100},
    "drop_removed": {"cents": 100},
}


REQUEST_TABLE = """
# anonymous
# · seat 1
# · · seat 2
# · · · seat elsewhere
# · · · · guest
# · · · · · dealer
# · · · · · · dealer elsewhere
# · · · · · · · cashier
# · · · · · · · · supervisor
# · · · · · · · · · pit manager
# · · · · · · · · · · shift manager
# · · · · · · · · · · · casino manager
# · · · · · · · · · · · · auditor
# · · · · · · · · · · · · · locked
open_table          - x x x x + x x + + + + x L
close_table         - x x x x + x x + + + + x L
take_seat           - + x x x + x + + + + + x L
buy_credits         - x x x x + x + x x x x x L
place_bets          - + x x x x x x x x x x x L
place_package       - + x x x x x x x x x x x L
withdraw_bets       - + x x x x x x x x x x x L
undo                - + x x x x x x x x x x x L
clear               - + x x x x x x x x x x x L
repeat              - + x x x x x x x x x x x L
double              - + x x x x x x x x x x x L
redeem_ticket       - + x x x + x + x x x x x L
open_bets           - x x x x + x x x x x x x L
close_bets          - x x x x + x x x x x x x L
start_spin          - x x x x + x x x x x x x L
observe_spin        - x x x x + x x + + + + x L
ball_at_rest        - x x x x + x x + + + + x L
amend_reading       - x x x x + x x + + + + x L
register_result     - x x x x + x x x x x x x L
confirm_result      - x x x x + x x x x x x x L
declare             - x x x x x x x 2 2 x x x L
call_no_spin        - x x x x + x x + + + + x L
correct_result      - x x x x x x x 2 2 2 x x L
refer               - x x x x + x x + + + + x L
decide              - x x x x x x x x x 2 2 x L
take_over           - x x x x + x x + + + + x L
hand_back           - x x x x + x x + + + + x L
resume_table        - x x x x + x x + + + + x L
cash_out            - x + x x + x + x x x x x L
issue_colour        - x x x x + x x x x x x x L
redeem_colour       - x x x x + x x x x x x x L
reverse_purchase    - x x x x + x + x x x x x L
request_cash_out    - + x x x + x + x x x x x L
change_limits       - x x x x x x x + + + + x L
allow_enrolment     - x x x x x x x + + + + x L
set_protection      - + x x x x x x x x x x x L
take_break          - + x x x x x x x x x x x L
acknowledge_check   - + x x x x x x x x x x x L
call_attendant      - + x x x x x x x x x x x L
attend_call         - x x x x + x x + + + + x L
dispute             - + x x x + x x + + + + x L
close_dispute       - x x x x x x x x x + + x L
question_display    - x x x x + x x + + + + x L
pause_seat          - x x x x x x x + + + + x L
resume_seat         - x x x x x x x + + + + x L
take_table          - x x x x + x x + + + + x L
hand_table          - x x x x + x x + + + + x L
count_float         - x x x x + x x + + + + x L
fill                - x x x x + x x + + + + x L
credit              - x x x x + x x + + + + x L
drop_removed        - x x x x + x x + + + + x L
"""


def rows(table: str) -> dict[str, list[str]]:
    lines = [line.split() for line in table.splitlines() if line and not line.startswith("#")]
    return {name: cells for name, *cells in lines}


def _cell_of(status: int, refusal: str | None, proposal: str | None) -> str:
    if proposal:
        return "2"
    if status not in (401, 403):
        return "+"
    cells = {"not_logged_in": "-", "console_is_locked": "L", "wrong_name_or_password": "+", "no_guests": "+"}
    return cells.get(str(refusal), "x")


def route_of(name: str) -> Route:
    return next(route for route in ROUTES if route.name == name)


def cell(house: HttpHouse, caller: str, name: str) -> str:
    path, body = SAMPLES[name]
    answer = house.call(CALLERS[caller], route_of(name).method.value, path, body)
    is_json = answer.headers["content-type"].startswith("application/json")
    return _cell_of(answer.status_code, answer.json().get("refusal") if is_json else None, None)


def request_cell(house: HttpHouse, caller: str, do: str) -> str:
    body = {"id": f"q{next(_NUMBERS)}", "do": do, **REQUESTS[do]}
    answer = house.call(CALLERS[caller], "POST", "/api/tables/roulette-1/requests", body)
    return _cell_of(answer.status_code, answer.json().get("refusal"), answer.json().get("proposal"))


def test_every_route_and_every_request_has_a_row() -> None:
    heads = [line[2:].replace("· ", "") for line in ROUTE_TABLE.splitlines() if line.startswith("#")]
    assert heads == list(CALLERS)
    assert set(rows(ROUTE_TABLE)) == {route.name for route in ROUTES} == set(SAMPLES)
    assert len(ROUTES) == len({route.name for route in ROUTES})
    commands = {str(request.__struct_config__.tag) for request in get_args(AnyTableRequest)}
    assert set(rows(REQUEST_TABLE)) == commands == set(REQUESTS)


def test_every_route_admits_exactly_the_expected_callers(house: HttpHouse) -> None:
    """Call the routes in the table's order: locking the consoles and logging out come last."""
    found = {name: [cell(house, caller, name) for caller in CALLERS] for name in rows(ROUTE_TABLE)}
    expected = rows(ROUTE_TABLE)
    assert {name: cells for name, cells in found.items() if cells != expected[name]} == {}


def test_every_request_is_allowed_for_exactly_the_expected_callers(house: HttpHouse) -> None:
    found = {do: [request_cell(house, caller, do) for caller in CALLERS] for do in rows(REQUEST_TABLE)}
    expected = rows(REQUEST_TABLE)
    assert {do: cells for do, cells in found.items() if cells != expected[do]} == {}


def test_a_refused_request_is_recorded_in_the_house_chain(house: HttpHouse) -> None:
    """The entry names the caller, or the address of an anonymous one, and the operation."""
    house.call("dealer", "GET", "/api/staff")
    house.call("terminal", "POST", "/api/tables/roulette-1/requests", {"id": "1", "do": "open_bets"})
    house.call(None, "GET", "/api/alerts")
    house.call("dealer", "POST", "/api/touch", origin="https://elsewhere.example")
    refusals = [(one["by"], one["event"]) for one in house.chain() if one["event"]["event"] == "request_refused.v1"]
    assert ({"kind": "person", "person": "dealer"}, "staff", "not_authorised") in _summaries(refusals)
    assert ({"kind": "terminal", "terminal": "t1"}, "open_bets", "not_authorised") in _summaries(refusals)
    assert ({"kind": "nobody", "address": "127.0.0.1"}, "alerts", "not_logged_in") in _summaries(refusals)
    assert ({"kind": "nobody", "address": "127.0.0.1"}, "touch", "foreign_origin") in _summaries(refusals)


def _summaries(found: list[Any]) -> list[Any]:
    return [(by, event["what"], event["refusal"]) for by, event in found]


def test_repeated_refusals_are_recorded_as_one_entry_per_minute(house: HttpHouse) -> None:
    before = len(house.chain())
    for _ in range(50):
        house.call("dealer", "GET", "/api/staff")
    assert len(house.chain()) == before + 1
    house.clock.at = Millis(house.clock.at + 61_000)
    for _ in range(4):
        house.call("dealer", "GET", "/api/staff")
    assert house.chain()[-1]["event"] == {
        "event": "request_refused.v1", "what": "staff", "refusal": "not_authorised", "times": 50, "seconds": 61
    }  # fmt: skip
    house.runner.run(house.service.flush_refusals())
    assert house.chain()[-1]["event"]["times"] == 3
    house.runner.run(house.service.flush_refusals())
    assert len(house.chain()) == before + 3
