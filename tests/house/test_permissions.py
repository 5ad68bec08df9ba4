"""The position in which a request is put to a table, for every role, request, terminal, console and seat.

The house determines the position. The table decides whether the rulebook allows the request in that position.
"""

import pytest

from roundhouse.house.approvals import ApprovalNeeded
from roundhouse.house.writer import run_inline
from roundhouse.people.names import HouseRefusal, HouseRefused, Role
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand, Show
from roundhouse.table.names import Millis, TableId
from tests.support.clocks import START
from tests.support.house_tables import HouseTable, command
from tests.support.houses import ROULETTE, SANDS, enrolled, later, log_in, person_of, staffed_house

REQUESTS: dict[str, AnyCommand] = {
    "open_table": command("open_table"),
    "close_table": command("close_table"),
    "take_seat": command("take_seat", seat="1", terminal="rapid-a"),
    "buy_credits": command("buy_credits", seat="1", cents=100),
    "open_bets": command("open_bets"),
    "place_bets": command("place_bets", seat="1", bets=[{"position": "red", "cents": 100}]),
    "place_package": command("place_package", seat="1", package="tiers", unit_cents=100),
    "withdraw_bets": command("withdraw_bets", seat="1", bets=[{"position": "red", "cents": 100}]),
    "undo": command("undo", seat="1"),
    "clear": command("clear", seat="1"),
    "repeat": command("repeat", seat="1"),
    "double": command("double", seat="1"),
    "close_bets": command("close_bets"),
    "start_spin": command("start_spin"),
    "observe_spin": command("observe_spin", revolutions=4),
    "ball_at_rest": command("ball_at_rest", outcome="8"),
    "register_result": command("register_result", outcome="8"),
    "confirm_result": command("confirm_result"),
    "declare": command("declare", irregularity="foreign_object"),
    "call_no_spin": command("call_no_spin"),
    "correct_result": command("correct_result", round=1, outcome="9"),
    "refer": command("refer", round=1, question="?"),
    "decide": command("decide", round=1, ruling="stand", reason="x"),
    "take_over": command("take_over", reason="x"),
    "hand_back": command("hand_back"),
    "resume_table": command("resume_table", reason="x"),
    "cash_out": command("cash_out", seat="1"),
    "redeem_ticket": command("redeem_ticket", seat="1", ticket="1"),
    "amend_reading": command("amend_reading", outcome="8"),
    "issue_colour": command("issue_colour", seat="1", colour="yellow", value_cents=100),
    "redeem_colour": command("redeem_colour", seat="1"),
    "reverse_purchase": command("reverse_purchase", seat="1"),
    "request_cash_out": command("request_cash_out", seat="1"),
    "change_limits": command("change_limits", limits={}, reason="x"),
    "allow_enrolment": command("allow_enrolment", seat="1", reason="x"),
    "dispute": command("dispute", seat="1", round=1, about="payment"),
    "close_dispute": command("close_dispute", dispute=1, reason="x"),
    "question_display": command("question_display", words="x"),
    "pause_seat": command("pause_seat", seat="1", reason="x"),
    "resume_seat": command("resume_seat", seat="1"),
    "take_table": command("take_table"),
    "hand_table": command("hand_table"),
    "count_float": command("count_float", count="closer", cents=100),
    "fill": command("fill", cents=100),
    "credit": command("credit", cents=100),
    "drop_removed": command("drop_removed", cents=100),
    "set_protection": command("set_protection", seat="1", loss_cents=100),
    "take_break": command("take_break", seat="1", minutes=5),
    "acknowledge_check": command("acknowledge_check", seat="1"),
    "call_attendant": command("call_attendant", seat="1"),
    "attend_call": command("attend_call", seat="1"),
}

# The position in which a terminal may send each request; "-" if it may not.
TERMINAL = """
open_table       -        close_table      -        take_seat        player   buy_credits      -
open_bets        -        place_bets       player   place_package    player   withdraw_bets    player
undo             player   clear            player   repeat           player   double           player
close_bets       -        start_spin       -        observe_spin     -        ball_at_rest     -
register_result  -        confirm_result   -        declare          -        call_no_spin     -
correct_result   -        refer            -        decide           -        take_over        -
hand_back        -        cash_out         player   redeem_ticket    player   resume_table     -
amend_reading    -        issue_colour     -        redeem_colour    -
reverse_purchase -        request_cash_out player   change_limits    -        allow_enrolment  -
dispute          player   close_dispute    -        question_display -        pause_seat       -
resume_seat      -        take_table       -        hand_table       -        count_float      -
fill             -        credit           -        drop_removed     -
set_protection   player   take_break       player   acknowledge_check player  call_attendant   player
attend_call      -
"""


def test_every_request_is_in_the_table() -> None:
    from typing import get_args

    assert set(REQUESTS) == {kind.__struct_config__.tag for kind in get_args(AnyCommand) if kind is not Show}


def test_a_terminal_may_send_only_the_requests_of_a_player() -> None:
    cells = TERMINAL.split()
    expected = dict(zip(cells[::2], cells[1::2], strict=True))
    house, table = staffed_house(), HouseTable()
    terminal, _ = enrolled(house)
    found = {}
    for name, request in REQUESTS.items():
        answer = table.permission(house, terminal, request)
        found[name] = "-" if isinstance(answer, HouseRefused) else answer
    assert found == expected


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.AUDITOR])
@pytest.mark.parametrize("name", REQUESTS)
def test_staff_with_one_role_act_in_its_position(role: Role, name: str) -> None:
    house, table = staffed_house(), HouseTable()
    answer = table.permission(house, log_in(house, role), REQUESTS[name])
    assert answer is role.position


@pytest.mark.parametrize("name", REQUESTS)
def test_an_auditor_may_send_no_request(name: str) -> None:
    house, table = staffed_house(), HouseTable()
    answer = table.permission(house, log_in(house, Role.AUDITOR), REQUESTS[name])
    assert isinstance(answer, HouseRefused)
    assert answer.refusal is HouseRefusal.NOT_AUTHORISED


@pytest.mark.parametrize(
    ("role", "elsewhere"),
    [
        (Role.CASHIER, HouseRefusal.OTHER_TABLE),
        (Role.DEALER, HouseRefusal.OTHER_TABLE),
        (Role.PIT_SUPERVISOR, None),
        (Role.CASINO_MANAGER, None),
    ],
)
def test_dealers_and_cashiers_may_act_only_at_the_table_of_their_console(
    role: Role, elsewhere: HouseRefusal | None
) -> None:
    house = staffed_house()
    answer = HouseTable(SANDS).permission(house, log_in(house, role, ROULETTE), command("open_table"))
    assert (answer.refusal if isinstance(answer, HouseRefused) else None) is elsewhere


def test_the_highest_allowed_position_is_used_unless_one_is_named() -> None:
    """A higher position does not include the lower ones. A person with two positions uses the matching one."""
    house, table = staffed_house(), HouseTable()
    both = person_of(Role.DEALER)
    assert run_inline(house.staff.set_positions(None, both, (Role.DEALER, Role.PIT_SUPERVISOR), START)) is None
    session = log_in(house, Role.DEALER)
    assert table.permission(house, session, command("open_bets")) is StaffPosition.DEALER
    assert table.permission(house, session, command("open_table")) is StaffPosition.PIT_SUPERVISOR
    assert table.permission(house, session, command("open_table"), StaffPosition.DEALER) is StaffPosition.DEALER
    assert table.permission(house, session, REQUESTS["correct_result"]) is StaffPosition.PIT_SUPERVISOR
    for not_held in (StaffPosition.PIT_MANAGER, StaffPosition.PLAYER, StaffPosition.SYSTEM):
        answer = table.permission(house, session, command("open_bets"), not_held)
        assert isinstance(answer, HouseRefused)
        assert answer.refusal is HouseRefusal.NOT_AUTHORISED
    # At another table the same person is no dealer.
    answer = HouseTable(SANDS).permission(house, session, command("open_bets"), StaffPosition.DEALER)
    assert isinstance(answer, HouseRefused)
    assert HouseTable(SANDS).permission(house, session, command("open_bets")) is StaffPosition.PIT_SUPERVISOR


def test_an_acting_position_ends_with_its_term() -> None:
    house, table = staffed_house(), HouseTable()
    run_inline(house.staff.appoint(None, person_of(Role.DEALER), Role.PIT_MANAGER, START, later(2), START))
    session = log_in(house, Role.DEALER)
    request = command("open_table")
    assert table.permission(house, session, request, at=later(2, -1)) is StaffPosition.PIT_MANAGER
    assert table.permission(house, session, request, at=later(2)) is StaffPosition.DEALER


@pytest.mark.parametrize(
    ("request_", "table", "position", "expected"),
    [
        (command("undo", seat="2"), ROULETTE, None, HouseRefusal.OTHER_SEAT),
        (command("cash_out", seat="2"), ROULETTE, None, HouseRefusal.OTHER_SEAT),
        (command("undo", seat="1"), SANDS, None, HouseRefusal.OTHER_TABLE),
        (command("undo", seat="1"), ROULETTE, StaffPosition.DEALER, HouseRefusal.NOT_AUTHORISED),
        (command("take_seat", seat="1", terminal="rapid-b"), ROULETTE, None, HouseRefusal.NO_SUCH_TERMINAL),
        (command("buy_credits", seat="1", cents=5), ROULETTE, None, HouseRefusal.NO_BILL_ACCEPTOR),
        (command("open_bets"), ROULETTE, None, HouseRefusal.NOT_AUTHORISED),
    ],
)
def test_a_terminal_may_act_only_for_its_own_seat(
    request_: AnyCommand, table: TableId, position: StaffPosition | None, expected: HouseRefusal
) -> None:
    house = staffed_house()
    terminal, _ = enrolled(house)
    answer = HouseTable(table).permission(house, terminal, request_, position)
    assert isinstance(answer, HouseRefused)
    assert answer.refusal is expected


def test_only_an_active_terminal_with_a_bill_acceptor_sells_credits() -> None:
    house, table = staffed_house(), HouseTable()
    terminal, _ = enrolled(house, "bills")
    request = command("buy_credits", seat="bills", cents=5)
    assert table.permission(house, terminal, request) is StaffPosition.PLAYER
    run_inline(house.terminals.revoke(None, terminal.number, "stolen", START))
    answer = table.permission(house, terminal, request)
    assert isinstance(answer, HouseRefused)
    assert answer.refusal is HouseRefusal.TERMINAL_IS_REVOKED


def test_a_locked_or_ended_session_is_refused() -> None:
    house, table = staffed_house(), HouseTable()
    session = log_in(house, Role.PIT_MANAGER)
    for _ in range(3):
        run_inline(house.sessions.log_in("pit-manager", "wrong", None, START))
    assert table.permission(house, session, command("open_table")) is StaffPosition.PIT_MANAGER
    locked = table.permission(house, session, command("open_table"), at=Millis(START + 5 * 60_000))
    assert isinstance(locked, HouseRefused)
    assert locked.refusal is HouseRefusal.CONSOLE_IS_LOCKED
    run_inline(house.sessions.log_out(session, START))
    logged_out = table.permission(house, session, command("open_table"))
    assert isinstance(logged_out, HouseRefused)
    assert logged_out.refusal is HouseRefusal.NOT_LOGGED_IN


def test_no_request_needs_an_approval_before_settlement() -> None:
    house, table = staffed_house(), HouseTable()
    table.begin()
    table.bet()
    session = log_in(house, Role.PIT_SUPERVISOR)
    always = {"allow_enrolment", "change_limits"}
    """Requests that a Pit Supervisor never sends alone, whatever the phase."""
    for name, request in REQUESTS.items():
        needed = isinstance(table.permission(house, session, request), ApprovalNeeded)
        assert not needed or name in always, name
