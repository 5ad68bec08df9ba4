"""Two persons for what touches a settled round: when they are needed, who they are, and what can come between."""

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
    kept = HouseTable(id)
    kept.begin()
    for _ in range(rounds):
        kept.round()
    return kept


def with_a_matter(kept: HouseTable, number: int = 1) -> HouseTable:
    kept.must("pit_manager", "refer", round=number, question="Was it the eight?")
    return kept


def asked(house: House, kept: HouseTable, request: AnyCommand, role: Role = Role.PIT_SUPERVISOR) -> Proposal:
    session = log_in(house, role)
    needs = kept.permission(house, session, request)
    assert isinstance(needs, ApprovalNeeded), needs
    made = run_inline(house.approvals.propose(session, kept.id, request, needs, START))
    assert isinstance(made, Proposal), made
    return made


def refusal(answer: object) -> HouseRefusal | None:
    return answer.refusal if isinstance(answer, HouseRefused) else None


DECIDE: dict[str, Any] = {"round": 1, "reason": "The camera shows it."}


@pytest.mark.parametrize(
    ("request_", "role", "seconds"),
    [
        (CORRECT, Role.PIT_SUPERVISOR, (P.PIT_SUPERVISOR, P.PIT_MANAGER, P.SHIFT_MANAGER)),
        (BROKE, Role.DEALER, (P.PIT_SUPERVISOR, P.PIT_MANAGER)),
        (command("decide", ruling="void", **DECIDE), Role.SHIFT_MANAGER, (P.SHIFT_MANAGER, P.CASINO_MANAGER)),
        (
            command("decide", ruling="settle", outcome="9", **DECIDE),
            Role.CASINO_MANAGER,
            (P.SHIFT_MANAGER, P.CASINO_MANAGER),
        ),
        # Nothing happens to a settled round:
        (command("decide", ruling="stand", **DECIDE), Role.SHIFT_MANAGER, None),
        (command("refer", round=1, question="?"), Role.PIT_MANAGER, None),
        # The table refuses these, and says why: nobody is fetched for that.
        (command("correct_result", round=1, outcome="8"), Role.PIT_SUPERVISOR, None),
        (command("correct_result", round=7, outcome="9"), Role.PIT_SUPERVISOR, None),
        (CORRECT, Role.DEALER, None),
        (CORRECT, Role.CASINO_MANAGER, None),
        (command("declare", irregularity="foreign_object", rounds=[1]), Role.DEALER, None),
        (command("decide", ruling="void", **DECIDE), Role.PIT_MANAGER, None),
    ],
)
def test_when_a_second_person_is_needed_and_in_which_positions(
    request_: AnyCommand, role: Role, seconds: tuple[StaffPosition, ...] | None
) -> None:
    house, kept = staffed_house(), with_a_matter(settled())
    needs = kept.permission(house, log_in(house, role), request_)
    assert (needs.approvers if isinstance(needs, ApprovalNeeded) else None) == seconds, needs


@pytest.mark.parametrize("id", [ROULETTE, SANDS])
def test_the_rulebook_of_the_table_says_who(id: TableId) -> None:
    """Two rulebooks, two sets of people: what is asked of the table is not written down here again."""
    house, kept = staffed_house(), with_a_matter(settled(id))
    needs = kept.permission(house, log_in(house, Role.SHIFT_MANAGER), command("decide", ruling="void", **DECIDE))
    assert isinstance(needs, ApprovalNeeded)
    above = () if id == SANDS else (P.CASINO_MANAGER,)
    assert needs.approvers == (P.SHIFT_MANAGER, *above)


def test_a_correction_within_the_round_needs_one_person_and_the_same_after_settlement_two() -> None:
    house, kept = staffed_house(), settled()
    kept.bet()
    kept.spin("8")
    session = log_in(house, Role.PIT_SUPERVISOR)
    request = command("correct_result", round=2, outcome="9")
    assert kept.permission(house, session, request) is P.PIT_SUPERVISOR
    kept.must("dealer", "confirm_result")
    assert isinstance(kept.permission(house, session, request), ApprovalNeeded)


def test_voiding_the_round_in_progress_with_a_settled_one_needs_two() -> None:
    house, kept = staffed_house(), settled()
    kept.bet()
    session = log_in(house, Role.PIT_SUPERVISOR)
    both = command("declare", irregularity="ball_broke", rounds=[1, 2])
    assert isinstance(kept.permission(house, session, both), ApprovalNeeded)
    alone = command("declare", irregularity="ball_broke", rounds=[2])
    assert kept.permission(house, session, alone) is P.PIT_SUPERVISOR
    assert kept.permission(house, session, command("declare", irregularity="ball_broke")) is P.PIT_SUPERVISOR


def test_what_would_be_short_is_in_the_proposal() -> None:
    house, kept = staffed_house(), settled()
    kept.must("cashier", "cash_out", seat="1")
    (effect,) = asked(house, kept, CORRECT).effect
    (seat,) = effect.seats  # type: ignore[union-attr]
    assert seat.shortfall > 0  # type: ignore[union-attr]


def test_a_proposal_that_a_second_person_approves_runs_in_both_names() -> None:
    house, kept = staffed_house(), settled()
    proposal = asked(house, kept, CORRECT)
    assert house.approvals.waiting(START) == [proposal]
    second = log_in(house, Role.PIT_MANAGER)
    done = approve(house, second, proposal.id, kept.table, START)
    assert isinstance(done, Approved)
    assert (done.command.who, done.command.second, done.table) == ("pit-supervisor", "pit-manager", ROULETTE)
    assert done.command.by is P.PIT_SUPERVISOR
    assert kept.approved(done).ok
    assert house.approvals.waiting(START) == []
    assert refusal(approve(house, second, proposal.id, kept.table, START)) is HouseRefusal.NO_SUCH_PROPOSAL
    last = list(house.entries())[-1]
    assert (last.event, last.by.position) == (e.ProposalApproved(proposal.id), Role.PIT_MANAGER)


def test_the_second_person_is_not_the_first() -> None:
    house, kept = staffed_house(), settled()
    proposal = asked(house, kept, CORRECT)
    again = log_in(house, Role.PIT_SUPERVISOR)
    assert refusal(approve(house, again, proposal.id, kept.table, START)) is HouseRefusal.SAME_PERSON
    assert house.approvals.waiting(START) == [proposal]
    assert isinstance(list(house.entries())[-1].event, e.RequestRefused)
    # Not even in another position of his.
    run_inline(house.staff.set_positions(None, again.person, (Role.PIT_SUPERVISOR, Role.PIT_MANAGER), START))
    assert refusal(approve(house, again, proposal.id, kept.table, START)) is HouseRefusal.SAME_PERSON


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
def test_the_second_person_acts_in_a_position_that_the_rulebook_names(
    role: Role, expected: HouseRefusal | None
) -> None:
    """A casino manager is above all of them, and yet this rulebook does not let him correct a result."""
    house, kept = staffed_house(), settled()
    run_inline(house.staff.add(None, PersonId("first"), "First", (Role.PIT_SUPERVISOR,), PASSWORD, START))
    made = run_inline(house.sessions.log_in("first", PASSWORD, None, START))
    assert not isinstance(made, HouseRefused)
    needs = kept.permission(house, made.session, CORRECT)
    assert isinstance(needs, ApprovalNeeded)
    proposal = run_inline(house.approvals.propose(made.session, ROULETTE, CORRECT, needs, START))
    assert isinstance(proposal, Proposal)
    assert refusal(approve(house, log_in(house, role), proposal.id, kept.table, START)) is expected


def test_a_dealer_who_acts_for_a_term_can_be_the_second_person_in_it_and_not_after_it() -> None:
    house, kept = staffed_house(), settled()
    proposal = asked(house, kept, CORRECT)
    run_inline(
        house.staff.appoint(None, person_of(Role.DEALER), Role.PIT_SUPERVISOR, START, Millis(START + 1000), START)
    )
    dealer = log_in(house, Role.DEALER)
    too_late = approve(house, dealer, proposal.id, kept.table, Millis(START + 1000))
    assert refusal(too_late) is HouseRefusal.NOT_AUTHORISED


def test_a_proposal_waits_for_ten_minutes() -> None:
    house, kept = staffed_house(), settled()
    proposal = asked(house, kept, CORRECT)
    late = Millis(START + PROPOSAL_LIFE)
    manager = log_in(house, Role.PIT_MANAGER, at=late)
    assert refusal(approve(house, manager, proposal.id, kept.table, late)) is HouseRefusal.HAS_EXPIRED
    assert refusal(run_inline(house.approvals.reject(manager, proposal.id, "no", late))) is HouseRefusal.HAS_EXPIRED
    assert house.approvals.waiting(late) == []
    in_time = staffed_house()
    proposal = asked(in_time, kept, CORRECT)
    just = Millis(late - 1)
    assert isinstance(
        approve(in_time, log_in(in_time, Role.PIT_MANAGER, at=just), proposal.id, kept.table, just), Approved
    )


def test_a_table_that_has_changed_meanwhile_is_looked_at_again() -> None:
    house, kept = staffed_house(), settled()
    proposal = asked(house, kept, CORRECT)
    # The money leaves: what was recoverable is now a shortfall.
    kept.must("cashier", "cash_out", seat="1")
    manager = log_in(house, Role.PIT_MANAGER)
    assert refusal(approve(house, manager, proposal.id, kept.table, START)) is HouseRefusal.STATE_HAS_CHANGED
    assert list(house.entries())[-1].event == e.LoggedIn(manager.id, manager.person, ROULETTE), "nothing was approved"


def test_bets_of_the_round_in_progress_do_not_change_what_was_proposed_for_a_settled_one() -> None:
    house, kept = staffed_house(), settled()
    kept.must("dealer", "open_bets")
    both = command("declare", irregularity="ball_broke", rounds=[1, 2])
    proposal = asked(house, kept, both)
    kept.must("player", "place_bets", seat="1", bets=[{"position": "red", "cents": 100}])
    done = approve(house, log_in(house, Role.PIT_MANAGER), proposal.id, kept.table, START)
    assert isinstance(done, Approved)
    assert kept.approved(done).ok


def test_a_first_person_who_lost_his_position_meanwhile_asks_for_nothing() -> None:
    house, kept = staffed_house(), settled()
    proposal = asked(house, kept, CORRECT)
    run_inline(house.staff.set_positions(None, person_of(Role.PIT_SUPERVISOR), (Role.DEALER,), START))
    manager = log_in(house, Role.PIT_MANAGER)
    assert refusal(approve(house, manager, proposal.id, kept.table, START)) is HouseRefusal.STATE_HAS_CHANGED


def test_a_proposal_is_rejected_by_who_could_approve_it_or_by_who_made_it() -> None:
    house, kept = staffed_house(), settled()
    proposal = asked(house, kept, CORRECT)
    by: Session = log_in(house, Role.PIT_MANAGER)
    assert refusal(run_inline(house.approvals.reject(by, proposal.id, " ", START))) is HouseRefusal.NO_REASON_GIVEN
    assert (
        refusal(run_inline(house.approvals.reject(log_in(house, Role.DEALER), proposal.id, "x", START)))
        is HouseRefusal.NOT_AUTHORISED
    )
    assert run_inline(house.approvals.reject(by, proposal.id, "The camera shows an eight.", START)) is None
    mine = asked(house, kept, CORRECT)
    assert (
        run_inline(house.approvals.reject(log_in(house, Role.PIT_SUPERVISOR), mine.id, "I was wrong.", START)) is None
    )
    assert (
        refusal(run_inline(house.approvals.reject(by, ProposalId("p99"), "x", START))) is HouseRefusal.NO_SUCH_PROPOSAL
    )


def test_the_same_request_sent_again_is_the_same_proposal() -> None:
    house, kept = staffed_house(), settled()
    assert asked(house, kept, CORRECT) == asked(house, kept, CORRECT)
    assert len(house.approvals.waiting(START)) == 1


def test_a_proposal_outlives_a_restart() -> None:
    store = MemoryStore()
    house, kept = staffed_house(store), settled()
    proposal = asked(house, kept, CORRECT)
    again = bare_house(store)
    assert again.approvals.waiting(START) == [proposal]
    assert isinstance(approve(again, log_in(again, Role.PIT_MANAGER), proposal.id, kept.table, START), Approved)


def test_a_round_that_is_settled_between_asking_and_deciding_is_not_touched_by_one_person() -> None:
    """The house looked when the round was not settled yet; the table looks when it decides."""
    house, kept = staffed_house(), settled()
    kept.bet()
    kept.spin("8")
    request = command("correct_result", round=2, outcome="9")
    assert kept.permission(house, log_in(house, Role.PIT_SUPERVISOR), request) is P.PIT_SUPERVISOR
    kept.must("dealer", "confirm_result")
    (answer,) = kept.batch("pit-supervisor", "pit_supervisor", request)
    assert (answer.ok, answer.refusal) == (False, "needs_second_person")
    assert kept.table.archive.round(2).outcome == "8"


@pytest.mark.parametrize(("second", "ok"), [(None, False), ("anna", False), ("bert", True)])
def test_the_table_itself_counts_the_persons(second: str | None, ok: bool) -> None:
    kept = settled()
    named = msgspec.structs.replace(CORRECT, who="anna", **({"second": second} if second else {}))
    assert kept.run(named, P.PIT_SUPERVISOR).ok is ok
    within = settled()
    within.bet()
    within.spin("8")
    now = msgspec.structs.replace(command("correct_result", round=2, outcome="9"), who="anna")
    assert within.run(now, P.PIT_SUPERVISOR).ok, "within the round one is enough"
