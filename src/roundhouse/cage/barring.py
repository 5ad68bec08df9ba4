"""Decides commands about the list of barred Players."""

from roundhouse.cage import commands as c
from roundhouse.cage import events as e
from roundhouse.cage.entry import CageDecision
from roundhouse.cage.names import MANAGERS, SUPERVISORS, BarredId, CageRefusal, CageRefused
from roundhouse.cage.payments import AT_THE_CAGE
from roundhouse.cage.rules import accept, bad_customer, bad_reason, not_authorised, refuse
from roundhouse.cage.state import CageState
from roundhouse.rules.names import StaffPosition


def bar_person(state: CageState, command: c.BarPerson) -> CageDecision:
    wrong = not_authorised(command, AT_THE_CAGE) or bad_customer(command.person) or bad_reason(command.reason)
    if wrong := wrong or _no_list(state):
        return refuse(wrong)
    if (known := state.barred_as(command.person.keys)) is not None:
        return refuse(CageRefused(CageRefusal.ALREADY_BARRED, f"the list has this person as {known}"))
    barred = BarredId(f"b{state.listed + 1}")
    event = e.PersonBarred(barred, command.person.keys, command.person.initials, command.reason)
    return accept(event, approvers=_approvers(command.by))


def unbar_person(state: CageState, command: c.UnbarPerson) -> CageDecision:
    if wrong := not_authorised(command, AT_THE_CAGE) or bad_reason(command.reason) or _no_list(state):
        return refuse(wrong)
    if command.barred not in state.barred:
        return refuse(CageRefused(CageRefusal.NOT_BARRED, f"the list has no entry '{command.barred}'"))
    return accept(e.PersonUnbarred(command.barred, command.reason), approvers=_approvers(command.by))


def check_person(state: CageState, command: c.CheckPerson) -> CageDecision:
    person = command.person
    if wrong := not_authorised(command, AT_THE_CAGE) or bad_customer(person) or _no_list(state):
        return refuse(wrong)
    return accept(e.PersonChecked(person.keys, person.initials, state.barred_as(person.keys)))


def _no_list(state: CageState) -> CageRefused | None:
    if state.terms.barred_list:
        return None
    return CageRefused(CageRefusal.NO_BARRED_LIST, "this house keeps no list of barred Players")


def _approvers(by: StaffPosition) -> tuple[StaffPosition, ...]:
    """Return who must approve a change of the list. A Pit Manager or above changes it alone."""
    return () if by in MANAGERS else SUPERVISORS
