"""Every position against every method that changes the house, as one table that a shift manager can check.

``yes``: allowed. ``-``: refused as not authorised, and the refusal is recorded. The affected person is a cashier.
"""

from collections.abc import Callable
from typing import get_args

import pytest

from roundhouse.house.approvals import ApprovalNeeded, Proposal
from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.writer import run_inline
from roundhouse.people import events as e
from roundhouse.people.names import AppointmentId, HouseRefusal, HouseRefused, PersonId, Role
from roundhouse.people.rights import RIGHTS
from roundhouse.rules.names import Pocket, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.names import Millis, RequestId, RoundNumber, SeatId
from tests.support.clocks import START
from tests.support.houses import MINUTE, PASSWORD, ROULETTE, enrolled, log_in, staffed_house
from tests.support.memory_store import MemoryStore

TABLE = """
                   cashier  dealer  pit_supervisor  pit_manager  shift_manager  casino_manager  auditor
add_person         -        -       -               -            yes            yes             -
add_auditor        -        -       -               -            -              yes             -
set_positions      -        -       -               -            yes            yes             -
appoint            -        -       -               yes          yes            yes             -
end_appointment    -        -       -               yes          yes            yes             -
set_password       -        -       -               -            yes            yes             -
own_password       yes      yes     yes             yes          yes            yes             yes
lock_person        -        -       -               yes          yes            yes             -
unlock_person      -        -       -               yes          yes            yes             -
enrol_code         -        -       yes             yes          yes            yes             -
revoke             -        -       yes             yes          yes            yes             -
propose            yes      yes     yes             yes          yes            yes             -
approve            -        -       yes             yes          -              -               -
reject             -        -       yes             yes          -              -               -
alert              yes      yes     yes             yes          yes            yes             -
acknowledge        -        -       yes             yes          yes            yes             -
change_setting     -        -       -               -            yes            yes             -
back_up            -        -       -               -            yes            yes             -
start_house        -        -       -               -            -              -               -
lock_console       yes      yes     yes             yes          yes            yes             yes
log_out            yes      yes     yes             yes          yes            yes             yes
"""

OTHER = PersonId("other")
AT = Millis(START + 1000)
CORRECT = c.CorrectResult(id=RequestId("x"), by=StaffPosition.DEALER, round=RoundNumber(1), outcome=Pocket("1"))


def needs(session: Session) -> ApprovalNeeded:
    position = next(iter(session.positions), StaffPosition.DEALER)
    return ApprovalNeeded(position, (StaffPosition.PIT_SUPERVISOR, StaffPosition.PIT_MANAGER), ())


def new_proposal(house: House) -> Proposal:
    """Create a proposal by a person who is not in the table."""
    assert run_inline(house.staff.add(None, PersonId("proposer"), "P", (Role.DEALER,), PASSWORD, START)) is None
    result = run_inline(house.sessions.log_in("proposer", PASSWORD, ROULETTE, START))
    assert not isinstance(result, HouseRefused)
    proposal = run_inline(house.approvals.propose(result.session, ROULETTE, CORRECT, needs(result.session), START))
    assert isinstance(proposal, Proposal)
    return proposal


def _unlock(house: House, by: Session) -> object:
    """Unlock a person whom a Pit Manager has locked. Ranks are tested in tests/house/test_sessions.py."""
    assert run_inline(house.staff.lock(log_in(house, Role.PIT_MANAGER), OTHER, "to be unlocked", START)) is None
    return run_inline(house.staff.unlock(by, OTHER, AT))


def _end(house: House, by: Session) -> object:
    result = run_inline(house.staff.appoint(None, OTHER, Role.DEALER, START, Millis(START + MINUTE), START))
    assert isinstance(result, str)
    return run_inline(house.staff.end_appointment(by, AppointmentId(result), AT))


def _acknowledge(house: House, by: Session) -> object:
    alert = run_inline(house.alert("wheel", "It is silent.", START))
    assert isinstance(alert, str)
    return run_inline(house.acknowledge(by, alert, AT))


def _approve(house: House, by: Session) -> object:
    """Approve with an unchanged effect. Changed effects are tested in tests/house/test_approvals.py."""
    proposal = new_proposal(house)
    effect = house.writer.state.proposals[proposal.id].proposed.effect
    return run_inline(house.approvals.approve(by, proposal.id, effect, AT))


METHODS: dict[str, Callable[[House, Session], object]] = {
    "add_person": lambda h, by: run_inline(h.staff.add(by, PersonId("new-one"), "New", (Role.CASHIER,), PASSWORD, AT)),
    "add_auditor": lambda h, by: run_inline(h.staff.add(by, PersonId("new-one"), "New", (Role.AUDITOR,), PASSWORD, AT)),
    "set_positions": lambda h, by: run_inline(h.staff.set_positions(by, OTHER, (Role.DEALER,), AT)),
    "appoint": lambda h, by: run_inline(h.staff.appoint(by, OTHER, Role.DEALER, AT, Millis(AT + MINUTE), AT)),
    "end_appointment": _end,
    "set_password": lambda h, by: run_inline(h.staff.set_password(by, OTHER, PASSWORD, AT)),
    "own_password": lambda h, by: run_inline(h.staff.set_password(by, by.person, PASSWORD + "!", AT, PASSWORD)),
    "lock_person": lambda h, by: run_inline(h.staff.lock(by, OTHER, "unfit for duty", AT)),
    "unlock_person": _unlock,
    "enrol_code": lambda h, by: run_inline(h.terminals.enrol_code(by, ROULETTE, SeatId("1"), AT)),
    "revoke": lambda h, by: run_inline(h.terminals.revoke(by, enrolled(h, "2")[0].number, "stolen", AT)),
    "propose": lambda h, by: run_inline(h.approvals.propose(by, ROULETTE, CORRECT, needs(by), AT)),
    "approve": _approve,
    "reject": lambda h, by: run_inline(h.approvals.reject(by, new_proposal(h).id, "I saw another number", AT)),
    "alert": lambda h, by: run_inline(h.alert("help", "Come to the table.", AT, caller=by)),
    "acknowledge": _acknowledge,
    "change_setting": lambda h, by: run_inline(h.note(e.SettingChanged("limits", "1", "2"), AT, by)),
    "back_up": lambda h, by: run_inline(h.note(e.BackedUp("copy.db", {}), AT, by)),
    "start_house": lambda h, by: run_inline(h.note(e.HouseStarted("1", "2", "3"), AT, by)),
    "lock_console": lambda h, by: run_inline(h.sessions.lock_console(by, AT)),
    "log_out": lambda h, by: run_inline(h.sessions.log_out(by, AT)),
}


def cases() -> list[tuple[str, Role, str]]:
    head, *lines = (line.split() for line in TABLE.strip().splitlines())
    return [(method, Role(role), cell) for method, *cells in lines for role, cell in zip(head, cells, strict=True)]


def test_the_table_lists_every_method_and_role() -> None:
    methods = {method for method, _, _ in cases()}
    assert methods == set(METHODS)
    assert {role for _, role, _ in cases()} == set(Role)
    assert set(RIGHTS) == set(get_args(e.AnyHouseEvent)), "every event has an entry in RIGHTS"


@pytest.mark.parametrize(("method", "role", "cell"), cases())
def test_each_role_may_use_the_methods_of_the_table(method: str, role: Role, cell: str) -> None:
    house = staffed_house()
    assert run_inline(house.staff.add(None, OTHER, "Other", (Role.CASHIER,), PASSWORD, START)) is None
    session = log_in(house, role)
    answer = METHODS[method](house, session)
    refused = answer if isinstance(answer, HouseRefused) else None
    assert (refused is None) == (cell == "yes"), refused
    if refused is not None:
        assert refused.refusal is HouseRefusal.NOT_AUTHORISED


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"log_out", "lock_console"}))
@pytest.mark.parametrize("reason", [HouseRefusal.CONSOLE_IS_LOCKED, HouseRefusal.NOT_LOGGED_IN])
def test_a_locked_console_and_an_ended_session_are_refused(method: str, reason: HouseRefusal) -> None:
    house = staffed_house()
    assert run_inline(house.staff.add(None, OTHER, "Other", (Role.CASHIER,), PASSWORD, START)) is None
    session = log_in(house, Role.CASINO_MANAGER)
    assert run_inline(house.sessions.lock_console(session, START)) is None
    if reason is HouseRefusal.NOT_LOGGED_IN:
        assert run_inline(house.sessions.log_out(session, START)) is None
    answer = METHODS[method](house, session)
    assert isinstance(answer, HouseRefused)
    assert answer.refusal is reason


def test_an_unauthorised_request_is_recorded() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    dealer = log_in(house, Role.DEALER)
    run_inline(house.staff.add(dealer, PersonId("friend"), "Friend", (Role.DEALER,), PASSWORD, AT))
    last = list(house.entries())[-1]
    assert last.by.person == "dealer"
    assert last.event == e.RequestRefused("person_added", HouseRefusal.NOT_AUTHORISED)
