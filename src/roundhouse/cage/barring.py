"""Decides commands about the list of barred Players."""

from roundhouse.cage import commands as c
from roundhouse.cage import events as e
from roundhouse.cage.entry import CageDecision
from roundhouse.cage.names import MANAGERS, SUPERVISORS, BarredId, CageRefusal
from roundhouse.cage.payments import AT_THE_CAGE
from roundhouse.cage.rules import Refuse, accept, check_customer, reason_of, sender_of
from roundhouse.cage.state import CageState
from roundhouse.rules.names import StaffPosition


def bar_person(state: CageState, command: c.BarPerson) -> CageDecision:
    sender_of(command, AT_THE_CAGE)
    check_customer(command.person)
    reason = reason_of(command.reason)
    _check_list(state)
    if (known := state.barred_as(command.person.keys)) is not None:
        raise Refuse(CageRefusal.ALREADY_BARRED, f"the list has this person as {known}")
    barred = BarredId(f"b{state.listed + 1}")
    event = e.PersonBarred(barred, command.person.keys, command.person.initials, reason)
    return accept(event, approvers=_approvers(command.by))


def unbar_person(state: CageState, command: c.UnbarPerson) -> CageDecision:
    sender_of(command, AT_THE_CAGE)
    reason = reason_of(command.reason)
    _check_list(state)
    if command.barred not in state.barred:
        raise Refuse(CageRefusal.NOT_BARRED, f"the list has no entry '{command.barred}'")
    return accept(e.PersonUnbarred(command.barred, reason), approvers=_approvers(command.by))


def check_person(state: CageState, command: c.CheckPerson) -> CageDecision:
    sender_of(command, AT_THE_CAGE)
    check_customer(command.person)
    _check_list(state)
    person = command.person
    return accept(e.PersonChecked(person.keys, person.initials, state.barred_as(person.keys)))


def _check_list(state: CageState) -> None:
    if not state.terms.barred_list:
        raise Refuse(CageRefusal.NO_BARRED_LIST, "this house keeps no list of barred Players")


def _approvers(by: StaffPosition) -> tuple[StaffPosition, ...]:
    """Return who must approve a change of the list. A Pit Manager or above changes it alone."""
    return () if by in MANAGERS else SUPERVISORS
