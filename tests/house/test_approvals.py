"""Approvals: changes of a settled round need a second person. These tests cover when, who, and what may intervene."""

from typing import Any

import msgspec
import pytest

from roundhouse.house.approvals import ApprovalNeeded, Approved, Proposal
from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.writer import run_inline
from roundhouse.people import events as e
from roundhouse.people.names import PROPOSAL_LIFE, HouseRefusal, HouseRefused, PersonId, ProposalId, Role
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Millis, TableId
from tests.support.clocks import START
from tests.support.house_tables import HouseTable, approve, command
from tests.support.houses import PASSWORD, ROULETTE, SANDS, bare_house, log_in, person_of, staffed_house
from tests.support.memory_store import MemoryStore

P = StaffPosition
CORRECT = command("correct_result", round=1, outcome="9")
BROKE = command("declare", irregularity="ball_broke", rounds=[1])


def settled(id: TableId = ROULETTE, rounds: int = 1) -> HouseTable:
    table = HouseTable(id)
    table.begin()
    for _ in range(rounds):
        table.round()
    return table


def with_referral(table: HouseTable, number: int = 1) -> HouseTable:
    table.must("pit_manager", "refer", round=number, question="Was it the eight?")
    return table


def propose(house: House, table: HouseTable, request: AnyCommand, role: Role = Role.PIT_SUPERVISOR) -> Proposal:
    session = log_in(house, role)
    needs = table.permission(house, session, request)
    assert isinstance(needs, ApprovalNeeded), needs
    result = run_inline(house.approvals.propose(session, table.id, request, needs, START))
    assert isinstance(result, Proposal), result
    return result


def refusal(answer: object) -> HouseRefusal | None:
    return answer.refusal if isinstance(answer, HouseRefused) else None


DECIDE: dict[str, Any] = {"round": 1, "reason": "The camera shows it."}


MANAGERS = (P.PIT_MANAGER, P.SHIFT_MANAGER, P.CASINO_MANAGER)


@pytest.mark.parametrize(
    ("request_", "role", "approvers"),
    [
        (CORRECT, Role.PIT_SUPERVISOR, (P.PIT_SUPERVISOR, P.PIT_MANAGER, P.SHIFT_MANAGER)),
        (BROKE, Role.PIT_SUPERVISOR, (P.PIT_SUPERVISOR, P.PIT_MANAGER)),
        # No supervisor cashes out a seat at this game, so each of them may approve it.
        (
            command("cash_out", seat="1"),
            Role.DEALER,
            (P.PIT_SUPERVISOR, P.PIT_MANAGER, P.SHIFT_MANAGER, P.CASINO_MANAGER),
        ),
        (command("cash_out", seat="1"), Role.CASHIER, None),
        (command("decide", ruling="void", **DECIDE), Role.SHIFT_MANAGER, MANAGERS),
        (command("decide", ruling="settle", outcome="9", **DECIDE), Role.CASINO_MANAGER, MANAGERS),
        # These change no settled round:
        (command("decide", ruling="stand", **DECIDE), Role.SHIFT_MANAGER, None),
        (command("refer", round=1, question="?"), Role.PIT_MANAGER, None),
        # The table refuses these, so no approval is requested:
        (command("correct_result", round=1, outcome="8"), Role.PIT_SUPERVISOR, None),
        (command("correct_result", round=7, outcome="9"), Role.PIT_SUPERVISOR, None),
        (CORRECT, Role.DEALER, None),
        (BROKE, Role.DEALER, None),
        (CORRECT, Role.CASINO_MANAGER, None),
        (command("declare", irregularity="foreign_object", rounds=[1]), Role.DEALER, None),
        (command("decide", ruling="void", **DECIDE), Role.PIT_MANAGER, None),
    ],
)
def test_an_approval_is_needed_from_these_positions(
    request_: AnyCommand, role: Role, approvers: tuple[StaffPosition, ...] | None
) -> None:
    house, table = staffed_house(), with_referral(settled())
    needs = table.permission(house, log_in(house, role), request_)
    assert (needs.approvers if isinstance(needs, ApprovalNeeded) else None) == approvers, needs


@pytest.mark.parametrize("id", [ROULETTE, SANDS])
def test_a_manager_who_may_not_decide_approves_a_decision(id: TableId) -> None:
    """A house with one Shift Manager on duty can decide, also where no higher position may decide."""
    house, table = staffed_house(), with_referral(settled(id))
    needs = table.permission(house, log_in(house, Role.SHIFT_MANAGER), command("decide", ruling="void", **DECIDE))
    assert isinstance(needs, ApprovalNeeded)
    assert needs.approvers == MANAGERS


def test_a_correction_needs_an_approval_before_and_after_settlement() -> None:
    house, table = staffed_house(), settled()
    table.bet()
    table.spin("8")
    session = log_in(house, Role.PIT_SUPERVISOR)
    request = command("correct_result", round=2, outcome="9")
    assert table.permission(house, session, request) is P.PIT_SUPERVISOR, "the table refuses it: 9 was not read"
    table.must("dealer", "register_result", outcome="9")
    resolve = command("correct_result", round=2, outcome="8")
    assert isinstance(table.permission(house, session, resolve), ApprovalNeeded), "readings and registration differ"
    table.must("dealer", "register_result", outcome="8")
    table.must("dealer", "confirm_result")
    assert isinstance(table.permission(house, session, request), ApprovalNeeded)


def test_voiding_a_settled_round_with_the_current_one_needs_an_approval() -> None:
    house, table = staffed_house(), settled()
    table.bet()
    table.must("dealer", "close_bets")
    table.must("dealer", "start_spin")
    session = log_in(house, Role.PIT_SUPERVISOR)
    both = command("declare", irregularity="ball_broke", rounds=[1, 2])
    assert isinstance(table.permission(house, session, both), ApprovalNeeded)
    alone = command("declare", irregularity="ball_broke", rounds=[2])
    assert table.permission(house, session, alone) is P.PIT_SUPERVISOR
    assert table.permission(house, session, command("declare", irregularity="ball_broke")) is P.PIT_SUPERVISOR
    table.must("dealer", "ball_at_rest", outcome="8")
    table.must("dealer", "register_result", outcome="8")
    assert isinstance(table.permission(house, session, alone), ApprovalNeeded), "the result is registered"


def test_a_proposal_includes_the_shortfall() -> None:
    house, table = staffed_house(), settled()
    table.must("cashier", "cash_out", seat="1")
    (effect,) = propose(house, table, CORRECT).effect
    (seat,) = effect.seats  # type: ignore[union-attr]
    assert seat.shortfall > 0  # type: ignore[union-attr]


def test_an_approved_proposal_is_executed_under_both_names() -> None:
    house, table = staffed_house(), settled()
    proposal = propose(house, table, CORRECT)
    assert house.approvals.waiting(START) == [proposal]
    second = log_in(house, Role.PIT_MANAGER)
    done = approve(house, second, proposal.id, table.table, START)
    assert isinstance(done, Approved)
    assert (done.command.who, done.command.second, done.table) == ("pit-supervisor", "pit-manager", ROULETTE)
    assert done.command.by is P.PIT_SUPERVISOR
    assert table.approved(done).ok
    assert house.approvals.waiting(START) == []
    assert refusal(approve(house, second, proposal.id, table.table, START)) is HouseRefusal.NO_SUCH_PROPOSAL
    last = list(house.entries())[-1]
    assert (last.event, last.by.position) == (e.ProposalApproved(proposal.id), Role.PIT_MANAGER)


def test_the_proposer_cannot_approve() -> None:
    house, table = staffed_house(), settled()
    proposal = propose(house, table, CORRECT)
    again = log_in(house, Role.PIT_SUPERVISOR)
    assert refusal(approve(house, again, proposal.id, table.table, START)) is HouseRefusal.SAME_PERSON
    assert house.approvals.waiting(START) == [proposal]
    assert isinstance(list(house.entries())[-1].event, e.RequestRefused)
    # Another position of the same person does not help.
    run_inline(house.staff.set_positions(None, again.person, (Role.PIT_SUPERVISOR, Role.PIT_MANAGER), START))
    assert refusal(approve(house, again, proposal.id, table.table, START)) is HouseRefusal.SAME_PERSON


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        (Role.CASHIER, HouseRefusal.NOT_AUTHORISED),
        (Role.DEALER, HouseRefusal.NOT_AUTHORISED),
        (Role.PIT_SUPERVISOR, None),
        (Role.PIT_MANAGER, None),
        (Role.SHIFT_MANAGER, None),
        (Role.CASINO_MANAGER, HouseRefusal.NOT_AUTHORISED),
        (Role.AUDITOR, HouseRefusal.NOT_AUTHORISED),
    ],
)
def test_the_approver_must_hold_a_position_that_the_rulebook_names(role: Role, expected: HouseRefusal | None) -> None:
    """A casino manager ranks highest, but this rulebook does not let that position correct a result."""
    house, table = staffed_house(), settled()
    run_inline(house.staff.add(None, PersonId("first"), "First", (Role.PIT_SUPERVISOR,), PASSWORD, START))
    result = run_inline(house.sessions.log_in("first", PASSWORD, None, START))
    assert not isinstance(result, HouseRefused)
    needs = table.permission(house, result.session, CORRECT)
    assert isinstance(needs, ApprovalNeeded)
    proposal = run_inline(house.approvals.propose(result.session, ROULETTE, CORRECT, needs, START))
    assert isinstance(proposal, Proposal)
    assert refusal(approve(house, log_in(house, role), proposal.id, table.table, START)) is expected


def test_an_acting_position_allows_no_approval_after_its_term() -> None:
    house, table = staffed_house(), settled()
    proposal = propose(house, table, CORRECT)
    run_inline(
        house.staff.appoint(None, person_of(Role.DEALER), Role.PIT_SUPERVISOR, START, Millis(START + 1000), START)
    )
    dealer = log_in(house, Role.DEALER)
    too_late = approve(house, dealer, proposal.id, table.table, Millis(START + 1000))
    assert refusal(too_late) is HouseRefusal.NOT_AUTHORISED


def test_a_proposal_expires_after_ten_minutes() -> None:
    house, table = staffed_house(), settled()
    proposal = propose(house, table, CORRECT)
    late = Millis(START + PROPOSAL_LIFE)
    manager = log_in(house, Role.PIT_MANAGER, at=late)
    assert refusal(approve(house, manager, proposal.id, table.table, late)) is HouseRefusal.HAS_EXPIRED
    assert refusal(run_inline(house.approvals.reject(manager, proposal.id, "no", late))) is HouseRefusal.HAS_EXPIRED
    assert house.approvals.waiting(late) == []
    in_time = staffed_house()
    proposal = propose(in_time, table, CORRECT)
    just = Millis(late - 1)
    assert isinstance(
        approve(in_time, log_in(in_time, Role.PIT_MANAGER, at=just), proposal.id, table.table, just), Approved
    )


def test_an_approval_is_refused_if_the_effect_has_changed() -> None:
    house, table = staffed_house(), settled()
    proposal = propose(house, table, CORRECT)
    # After the cash-out, the amount can no longer be recovered and is a shortfall.
    table.must("cashier", "cash_out", seat="1")
    manager = log_in(house, Role.PIT_MANAGER)
    assert refusal(approve(house, manager, proposal.id, table.table, START)) is HouseRefusal.STATE_HAS_CHANGED
    assert list(house.entries())[-1].event == e.LoggedIn(manager.id, manager.person, ROULETTE), (
        "no approval was recorded"
    )


def test_bets_of_the_current_round_do_not_invalidate_a_proposal() -> None:
    house, table = staffed_house(), settled()
    table.must("dealer", "open_bets")
    table.must("dealer", "start_spin")
    both = command("declare", irregularity="ball_broke", rounds=[1, 2])
    proposal = propose(house, table, both)
    table.must("player", "place_bets", seat="1", bets=[{"position": "red", "cents": 100}])
    done = approve(house, log_in(house, Role.PIT_MANAGER), proposal.id, table.table, START)
    assert isinstance(done, Approved)
    assert table.approved(done).ok


def test_a_proposal_is_invalid_after_its_proposer_loses_the_position() -> None:
    house, table = staffed_house(), settled()
    proposal = propose(house, table, CORRECT)
    run_inline(house.staff.set_positions(None, person_of(Role.PIT_SUPERVISOR), (Role.DEALER,), START))
    manager = log_in(house, Role.PIT_MANAGER)
    assert refusal(approve(house, manager, proposal.id, table.table, START)) is HouseRefusal.STATE_HAS_CHANGED


def test_approvers_and_the_proposer_can_reject_a_proposal() -> None:
    house, table = staffed_house(), settled()
    proposal = propose(house, table, CORRECT)
    by: Session = log_in(house, Role.PIT_MANAGER)
    assert refusal(run_inline(house.approvals.reject(by, proposal.id, " ", START))) is HouseRefusal.NO_REASON_GIVEN
    assert (
        refusal(run_inline(house.approvals.reject(log_in(house, Role.DEALER), proposal.id, "x", START)))
        is HouseRefusal.NOT_AUTHORISED
    )
    assert run_inline(house.approvals.reject(by, proposal.id, "The camera shows an eight.", START)) is None
    mine = propose(house, table, CORRECT)
    assert (
        run_inline(house.approvals.reject(log_in(house, Role.PIT_SUPERVISOR), mine.id, "I was wrong.", START)) is None
    )
    assert (
        refusal(run_inline(house.approvals.reject(by, ProposalId("p99"), "x", START))) is HouseRefusal.NO_SUCH_PROPOSAL
    )


def test_a_repeated_request_is_the_same_proposal() -> None:
    house, table = staffed_house(), settled()
    assert propose(house, table, CORRECT) == propose(house, table, CORRECT)
    assert len(house.approvals.waiting(START)) == 1


def test_a_proposal_survives_a_restart() -> None:
    store = MemoryStore()
    house, table = staffed_house(store), settled()
    proposal = propose(house, table, CORRECT)
    again = bare_house(store)
    assert again.approvals.waiting(START) == [proposal]
    assert isinstance(approve(again, log_in(again, Role.PIT_MANAGER), proposal.id, table.table, START), Approved)


def test_a_round_settled_after_the_check_still_needs_an_approval() -> None:
    """The house checked before the settlement. The table checks again when it decides."""
    house, table = staffed_house(), settled()
    table.bet()
    table.spin("8")
    request = command("correct_result", round=2, outcome="9")
    assert table.permission(house, log_in(house, Role.PIT_SUPERVISOR), request) is P.PIT_SUPERVISOR
    table.must("dealer", "confirm_result")
    (answer,) = table.batch("pit-supervisor", "pit_supervisor", request)
    assert (answer.ok, answer.refusal) == (False, "needs_second_person")
    assert table.table.archive.round(2).outcome == "8"


@pytest.mark.parametrize(("second", "ok"), [(None, False), ("anna", False), ("bert", True)])
def test_the_table_itself_requires_two_different_persons(second: str | None, ok: bool) -> None:
    table = settled()
    named = msgspec.structs.replace(CORRECT, who="anna", **({"second": second} if second else {}))
    assert table.run(named, P.PIT_SUPERVISOR).ok is ok
    within = settled()
    within.bet()
    within.spin("8")
    within.must("dealer", "register_result", outcome="9")
    resolve = command("correct_result", round=2, outcome="8")
    now = msgspec.structs.replace(resolve, who="anna", **({"second": second} if second else {}))
    assert within.run(now, P.PIT_SUPERVISOR).ok is ok
