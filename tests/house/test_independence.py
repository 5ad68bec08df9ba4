"""The second person is another human, whose account and position did not come from the first."""

import pytest

from roundhouse.house.approvals import Approved
from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.sessions import LogIn
from roundhouse.house.writer import run_inline
from roundhouse.people.events import ProposalApproved
from roundhouse.people.names import DAY, HouseRefusal, HouseRefused, PersonId, Role
from roundhouse.table.names import Millis
from tests.house.test_approvals import CORRECT, refusal, settled
from tests.support.clocks import START
from tests.support.house_tables import approve
from tests.support.houses import PASSWORD, ROULETTE, log_in, person_of, staffed_house

GHOST = PersonId("ghost")
OWN = "a password of my own 7"
LATER = Millis(START + DAY)
SHIFT, MANAGER, SUPERVISOR = Role.SHIFT_MANAGER, Role.PIT_MANAGER, Role.PIT_SUPERVISOR


def enter(house: House, person: PersonId, password: str = PASSWORD, at: Millis = START) -> Session:
    found = run_inline(house.sessions.log_in(person, password, ROULETTE, at))
    assert isinstance(found, LogIn), found
    return found.session


def add_ghost(house: House, by: Session | None, *roles: Role) -> None:
    assert run_inline(house.staff.add(by, GHOST, "Ghost", roles or (MANAGER,), PASSWORD, START)) is None


def change_own(house: House, session: Session, at: Millis = START) -> None:
    assert run_inline(house.staff.set_password(session, session.person, OWN, at, PASSWORD)) is None


def asked(house: House, proposer: Session, approver: Session, at: Millis = START) -> HouseRefusal | None:
    """Let one person propose a correction and another approve it. Return the refusal of the approval."""
    table = settled()
    needs = table.permission(house, proposer, CORRECT, at=at)
    assert not isinstance(needs, HouseRefused), needs
    proposal = run_inline(house.approvals.propose(proposer, table.id, CORRECT, needs, at))  # type: ignore[arg-type]
    assert not isinstance(proposal, HouseRefused), proposal
    answer = approve(house, approver, proposal.id, table.table, at)
    recorded = [one.event.proposal for one in house.entries() if isinstance(one.event, ProposalApproved)]
    assert (proposal.id in recorded) is isinstance(answer, Approved)
    return refusal(answer)


def test_a_person_whose_account_the_proposer_made_does_not_approve() -> None:
    house = staffed_house()
    maker = log_in(house, SHIFT)
    add_ghost(house, maker)
    ghost = enter(house, GHOST)
    assert asked(house, maker, ghost) is HouseRefusal.PASSWORD_NOT_OWN
    change_own(house, ghost)
    assert asked(house, maker, ghost) is HouseRefusal.NOT_INDEPENDENT
    other = log_in(house, SUPERVISOR)
    assert asked(house, other, ghost) is None, "the ghost did not get the account from this proposer"


def test_a_person_whose_password_the_proposer_set_does_not_approve_for_a_day() -> None:
    house = staffed_house()
    maker = log_in(house, SHIFT)
    assert run_inline(house.staff.set_password(maker, person_of(MANAGER), PASSWORD + "x", START)) is None
    session = enter(house, person_of(MANAGER), PASSWORD + "x")
    assert asked(house, log_in(house, SUPERVISOR), session) is HouseRefusal.PASSWORD_NOT_OWN
    assert run_inline(house.staff.set_password(session, session.person, OWN, START, PASSWORD + "x")) is None
    assert asked(house, maker, session) is HouseRefusal.NOT_INDEPENDENT
    just_before = Millis(LATER - 1)
    for at, expected in ((just_before, HouseRefusal.NOT_INDEPENDENT), (LATER, None)):
        two = enter(house, person_of(SHIFT), at=at), enter(house, person_of(MANAGER), OWN, at)
        assert asked(house, *two, at) is expected


@pytest.mark.parametrize("appointed", [True, False])
def test_a_person_whose_position_or_term_the_proposer_gave_does_not_approve(appointed: bool) -> None:
    house = staffed_house()
    maker, dealer = log_in(house, SHIFT), person_of(Role.DEALER)
    if appointed:
        given = run_inline(house.staff.appoint(maker, dealer, MANAGER, START, Millis(START + 60_000), START))
        assert not isinstance(given, HouseRefused), given
    else:
        assert run_inline(house.staff.set_positions(maker, dealer, (MANAGER,), START)) is None
    acting = enter(house, dealer)
    assert asked(house, maker, acting) is HouseRefusal.NOT_INDEPENDENT
    assert asked(house, log_in(house, SUPERVISOR), acting) is None


def test_the_maker_of_an_account_does_not_approve_for_its_holder() -> None:
    house = staffed_house()
    maker = log_in(house, SHIFT)
    add_ghost(house, maker, SUPERVISOR)
    ghost = enter(house, GHOST)
    change_own(house, ghost)
    assert asked(house, ghost, maker) is HouseRefusal.NOT_INDEPENDENT
    assert asked(house, ghost, log_in(house, MANAGER)) is None


def test_an_account_made_through_a_third_person_is_not_independent() -> None:
    house = staffed_house()
    maker, between = log_in(house, Role.CASINO_MANAGER), PersonId("between")
    assert run_inline(house.staff.add(maker, between, "Between", (SHIFT,), PASSWORD, START)) is None
    add_ghost(house, enter(house, between))
    ghost = enter(house, GHOST)
    change_own(house, ghost)
    assert asked(house, log_in(house, SUPERVISOR), ghost) is None
    # A casino manager does not correct results, so the engineer makes this one a supervisor.
    assert run_inline(house.staff.set_positions(None, maker.person, (SUPERVISOR,), START)) is None
    assert asked(house, enter(house, maker.person), ghost) is HouseRefusal.NOT_INDEPENDENT


def test_accounts_from_the_engineer_are_independent() -> None:
    house = staffed_house()
    add_ghost(house, None)
    assert asked(house, log_in(house, SHIFT), enter(house, GHOST)) is None


def test_the_pit_is_told_of_new_people_passwords_positions_and_terms() -> None:
    house = staffed_house()
    maker, dealer = log_in(house, SHIFT), person_of(Role.DEALER)
    add_ghost(house, maker)
    assert run_inline(house.staff.set_password(maker, dealer, PASSWORD + "x", START)) is None
    assert run_inline(house.staff.set_positions(maker, dealer, (SUPERVISOR,), START)) is None
    assert not isinstance(run_inline(house.staff.appoint(maker, dealer, MANAGER, START, LATER, START)), HouseRefused)
    told = [one.text for one in house.alerts().values() if one.about == "staff"]
    assert told == [
        "Ghost (ghost) was added as pit_manager, by shift-manager",
        "password of dealer was set, by shift-manager",
        "positions of dealer were changed to pit_supervisor, by shift-manager",
        "dealer was appointed pit_manager, by shift-manager",
    ]
