"""Checks an entry of the house: whether the actor has the right to cause it and the state allows it.

Used both before an entry is written and when a journal is verified.
"""

import re
from typing import assert_never

from roundhouse.people import events as e
from roundhouse.people.events import Actor, ActorKind, HouseEntry
from roundhouse.people.independence import dependence
from roundhouse.people.names import (
    APPOINTABLE,
    CODE_LIFE,
    MAX_FAILURES,
    MAX_TERM,
    MINUTE,
    PROPOSAL_LIFE,
    RANK,
    HouseRefusal,
    HouseRefused,
    PersonId,
    Role,
    SessionId,
    role_of,
)
from roundhouse.people.rights import denied, rank_of
from roundhouse.people.state import HouseState
from roundhouse.table.names import Millis
from roundhouse.tlog.announcement import read_announcement
from roundhouse.tlog.note import NotANote, NotSigned, read_key, read_note

PERSON = re.compile(r"[a-z][a-z0-9._-]{1,39}")
_MAX_NAME = 80
_MAX_TEXT = 2000
_NO_SUCH_PERSON = HouseRefused(HouseRefusal.NO_SUCH_PERSON)
_IS_LOCKED = HouseRefused(HouseRefusal.PERSON_IS_LOCKED, "ask a pit_manager or a higher position to unlock the account")
_LOCKED_ABOVE = HouseRefused(HouseRefusal.ABOVE_ONESELF, "a person of a higher position locked the account")
_ABOVE = HouseRefused(HouseRefusal.ABOVE_ONESELF, "this person or position ranks above your own position")


def admit(state: HouseState, entry: HouseEntry) -> HouseRefused | None:
    """Return the refusal of an entry, or ``None`` if it may be applied to the state."""
    if entry.at < state.at:
        return HouseRefused(HouseRefusal.NOT_A_FACT, "the entry is older than the one before it")
    return denied(state, entry.by, entry.event, entry.at) or _contradiction(state, entry)


def _contradiction(state: HouseState, entry: HouseEntry) -> HouseRefused | None:
    by, at = entry.by, entry.at
    match entry.event:
        case e.LoggedIn() | e.LogInFailed() | e.LoggedOut() | e.ConsoleLocked() | e.ConsoleUnlocked() as event:
            return _sessions(state, by, event, at)
        case e.EnrolmentOffered() | e.EnrolmentFailed() | e.TerminalEnrolled() | e.TerminalRevoked() as event:
            return _terminals(state, by, event, at)
        case e.Proposed() | e.ProposalApproved() | e.ProposalRejected() as event:
            return _proposals(state, by, event, at)
        case e.AlertRaised(alert, about, text):
            if not about or not text.strip() or len(text) > _MAX_TEXT:
                return HouseRefused(HouseRefusal.NO_REASON_GIVEN, f"describe the alert in 1 to {_MAX_TEXT} characters")
            return _fresh(state, alert, "n")
        case e.AlertAcknowledged(alert) | e.AlertCleared(alert):
            return None if alert in state.alerts else HouseRefused(HouseRefusal.NO_SUCH_ALERT)
        case e.RequestRefused(times=times):
            return None if times > 0 else HouseRefused(HouseRefusal.NOT_A_FACT, "'times' must be at least 1")
        case e.HouseStarted(currency=currency) if state.currency not in ("", currency):
            return HouseRefused(
                HouseRefusal.NOT_A_FACT, f"the currency of this house is {state.currency}, not {currency}"
            )
        case e.HouseStarted() | e.HouseStopped() | e.SettingChanged() | e.SelfChecked() | e.BackedUp():
            return None
        case e.HouseRestored(epoch) if epoch != (state.epoch or 0) + 1:
            return HouseRefused(HouseRefusal.NOT_A_FACT, f"the next epoch is {(state.epoch or 0) + 1}, not {epoch}")
        case e.TicketsDisputed(epoch) if epoch != (state.epoch or 0):
            return HouseRefused(HouseRefusal.NOT_A_FACT, f"the epoch is {state.epoch or 0}, not {epoch}")
        case e.SigningKeySet() as event:
            return _bad_key(state, event)
        case e.HouseRestored() | e.TicketsDisputed() | e.ClockDiffered():
            return None
        case event:
            return _people(state, by, event, at)


def _bad_key(state: HouseState, event: e.SigningKeySet) -> HouseRefused | None:
    """Refuse a new signing key that the key before it has not announced."""
    try:
        key = read_key(event.key)
        if not state.signing_key:
            return (
                HouseRefused(HouseRefusal.NOT_A_FACT, "the first key has no older key") if event.announcement else None
            )
        if read_announcement(read_note(event.announcement), read_key(state.signing_key)).key == key:
            return None
    except (NotANote, NotSigned) as error:
        return HouseRefused(HouseRefusal.NOT_A_FACT, str(error))
    return HouseRefused(HouseRefusal.NOT_A_FACT, "the announcement names another key")


def _fresh(state: HouseState, id: str, kind: str) -> HouseRefused | None:
    expected = state.fresh(kind)
    return None if id == expected else HouseRefused(HouseRefusal.NOT_A_FACT, f"the next id is {expected}, not {id}")


def _people(
    state: HouseState,
    by: Actor,
    event: e.PersonAdded
    | e.PositionsSet
    | e.Appointed
    | e.AppointmentEnded
    | e.PasswordSet
    | e.PersonLocked
    | e.PersonUnlocked,
    at: Millis,
) -> HouseRefused | None:
    match event:
        case e.PersonAdded(person, name, positions):
            if not PERSON.fullmatch(person):
                rule = "a login name has 2 to 40 lower-case letters, digits or any of . _ - and begins with a letter"
                return HouseRefused(HouseRefusal.BAD_NAME, rule)
            if not name.strip() or len(name) > _MAX_NAME or not name.isprintable():
                return HouseRefused(HouseRefusal.BAD_NAME, f"give the person's full name, up to {_MAX_NAME} characters")
            if person in state.people:
                return HouseRefused(
                    HouseRefusal.NAME_IS_TAKEN, f"the name '{person}' was already given; names are never reused"
                )
            if not positions:
                return HouseRefused(HouseRefusal.BAD_POSITIONS, "give at least one position")
            return _bad_positions(by, positions)
        case e.PositionsSet(person, positions):
            return _out_of_reach(state, by, person, at) or _oneself(by, person) or _bad_positions(by, positions)
        case e.Appointed(appointment, person, position, begins, until):
            return (
                _out_of_reach(state, by, person, at)
                or _oneself(by, person)
                or _bad_appointment(state, by, person, position)
                or _bad_term(begins, until, at)
                or _fresh(state, appointment, "a")
            )
        case e.AppointmentEnded(appointment):
            if (found := state.appointments.get(appointment)) is None:
                return HouseRefused(HouseRefusal.NO_SUCH_APPOINTMENT)
            return _ABOVE if RANK[found.position] > rank_of(by) else None
        case e.PasswordSet(person):
            if person not in state.people:
                return _NO_SUCH_PERSON
            if by.kind is ActorKind.PERSON and by.position is None:
                return None if by.person == person else HouseRefused(HouseRefusal.NOT_AUTHORISED)
            return _out_of_reach(state, by, person, at)
        case e.PersonLocked():
            return _bad_lock(state, by, event, at)
        case e.PersonUnlocked(person):
            if person not in state.people:
                return _NO_SUCH_PERSON
            if not state.people[person].locked:
                return HouseRefused(HouseRefusal.NOT_LOCKED, f"{person} is not locked")
            return _LOCKED_ABOVE if state.access_of(person).lock_rank > rank_of(by) else None
        case _:
            assert_never(event)


def _out_of_reach(state: HouseState, by: Actor, person: PersonId, at: Millis) -> HouseRefused | None:
    if person not in state.people:
        return _NO_SUCH_PERSON
    return _ABOVE if state.rank(person, at) > rank_of(by) else None


def _oneself(by: Actor, person: PersonId) -> HouseRefused | None:
    message = "you cannot change your own positions"
    return HouseRefused(HouseRefusal.SAME_PERSON, message) if by.person == person else None


def _bad_positions(by: Actor, positions: tuple[Role, ...]) -> HouseRefused | None:
    if len(set(positions)) != len(positions):
        return HouseRefused(HouseRefusal.BAD_POSITIONS, "a position is listed twice")
    if Role.AUDITOR in positions:
        if len(positions) > 1:
            return HouseRefused(HouseRefusal.BAD_POSITIONS, "an auditor cannot have another position")
        if rank_of(by) < RANK[Role.CASINO_MANAGER]:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, "only a casino_manager can make a person an auditor")
    return _ABOVE if any(RANK[position] > rank_of(by) for position in positions) else None


def _bad_appointment(state: HouseState, by: Actor, person: PersonId, position: Role) -> HouseRefused | None:
    positions = state.people[person].positions
    if position not in APPOINTABLE or Role.AUDITOR in positions or not positions:
        message = "an appointment cannot make a person an auditor, or be given to an auditor or a person who has left"
        return HouseRefused(HouseRefusal.BAD_POSITIONS, message)
    return _ABOVE if RANK[position] > rank_of(by) else None


def _bad_term(begins: Millis, until: Millis, at: Millis) -> HouseRefused | None:
    if not begins < until or until <= at:
        return HouseRefused(HouseRefusal.BAD_TERM, "a term must end after it begins, and in the future")
    if until - begins > MAX_TERM:
        return HouseRefused(HouseRefusal.BAD_TERM, f"a term is at most {MAX_TERM // 86_400_000} days")
    return None


def _bad_lock(state: HouseState, by: Actor, event: e.PersonLocked, at: Millis) -> HouseRefused | None:
    person = event.person
    if (found := state.people.get(person)) is None:
        return _NO_SUCH_PERSON
    access = state.access_of(person)
    if found.locked and (event.unknown_only or not access.known_only):
        return HouseRefused(HouseRefusal.ALREADY_DONE, f"{person} is already locked")
    if not event.reason.strip():
        return HouseRefused(HouseRefusal.NO_REASON_GIVEN, "give a reason")
    if by.kind is ActorKind.HOUSE:
        failures = access.unknown_failures if event.unknown_only else found.failures
        message = f"{failures} failed log-ins are not enough to lock a person"
        return None if failures >= MAX_FAILURES else HouseRefused(HouseRefusal.NOT_A_FACT, message)
    if event.unknown_only or event.rank not in (0, rank_of(by)):
        return HouseRefused(HouseRefusal.NOT_A_FACT, "a person's lock holds at every address, with the person's rank")
    return _out_of_reach(state, by, person, at)


def _sessions(
    state: HouseState,
    by: Actor,
    event: e.LoggedIn | e.LogInFailed | e.LoggedOut | e.ConsoleLocked | e.ConsoleUnlocked,
    at: Millis,
) -> HouseRefused | None:
    match event:
        case e.LoggedIn(session, person):
            if by.person != person:
                return HouseRefused(HouseRefusal.NOT_A_FACT, "one person logged in as another")
            if state.people[person].locked and not state.is_known(person, by.address):
                return _IS_LOCKED
            return _no_access(state, person, at) or _fresh(state, session, "s")
        case e.LogInFailed():
            return _bad_failure(state, by, event)
        case e.ConsoleUnlocked(session):
            refused = _not_own_session(state, by, session)
            if refused is None and not state.sessions[session].locked:
                return HouseRefused(HouseRefusal.NOT_LOCKED, "the console is not locked")
            return refused or _no_access(state, state.sessions[session].person, at)
        case e.ConsoleLocked(session):
            refused = _not_own_session(state, by, session)
            if refused is None and state.sessions[session].locked:
                return HouseRefused(HouseRefusal.ALREADY_DONE, "the console is already locked")
            return refused
        case e.LoggedOut(session):
            return _not_own_session(state, by, session)
        case _:
            assert_never(event)


def _not_own_session(state: HouseState, by: Actor, session: SessionId) -> HouseRefused | None:
    found = state.sessions.get(session)
    if found is None:
        return HouseRefused(HouseRefusal.NOT_LOGGED_IN)
    own = by.kind is ActorKind.HOUSE or by.person == found.person
    return None if own else HouseRefused(HouseRefusal.NOT_AUTHORISED, "this is another person's session")


def _no_access(state: HouseState, person: PersonId, at: Millis) -> HouseRefused | None:
    if state.is_locked(person):
        return _IS_LOCKED
    return (
        None
        if state.roles(person, at)
        else HouseRefused(HouseRefusal.NO_POSITION, f"{person} has no position at present")
    )


def _bad_failure(state: HouseState, by: Actor, event: e.LogInFailed) -> HouseRefused | None:
    if event.person is None:
        message = "failures cannot be counted without a person"
        return None if not event.failures else HouseRefused(HouseRefusal.NOT_A_FACT, message)
    if (found := state.people.get(event.person)) is None:
        return _NO_SUCH_PERSON
    counted = event.why is HouseRefusal.WRONG_NAME_OR_PASSWORD
    if event.unknown is not None:
        at_work = event.session is not None or state.is_known(event.person, by.address)
        expected = 0 if at_work else state.access_of(event.person).unknown_failures + 1
        message = f"the count of failures from unknown addresses must be {expected}, not {event.unknown}"
        valid = counted and not event.failures and event.unknown == expected
        return None if valid else HouseRefused(HouseRefusal.NOT_A_FACT, message)
    if counted and (found.locked or found.failures >= MAX_FAILURES):
        return HouseRefused(HouseRefusal.NOT_A_FACT, "failures of a locked person are not counted")
    expected = found.failures + 1 if counted else 0
    message = f"the count of failures must be {expected}, not {event.failures}"
    return None if event.failures == expected else HouseRefused(HouseRefusal.NOT_A_FACT, message)


def _terminals(
    state: HouseState,
    by: Actor,
    event: e.EnrolmentOffered | e.EnrolmentFailed | e.TerminalEnrolled | e.TerminalRevoked,
    at: Millis,
) -> HouseRefused | None:
    match event:
        case e.EnrolmentOffered(offer, expires=expires):
            if expires != at + CODE_LIFE:
                return HouseRefused(
                    HouseRefusal.BAD_TERM, f"an enrolment code must expire after {CODE_LIFE // MINUTE} minutes"
                )
            return _fresh(state, offer, "e")
        case e.EnrolmentFailed():
            return None
        case e.TerminalEnrolled():
            return _bad_enrolment(state, event, at) or _fresh(state, event.number, "t")
        case e.TerminalRevoked(number, reason):
            if number not in state.terminals:
                return HouseRefused(HouseRefusal.NO_SUCH_TERMINAL)
            return None if reason.strip() else HouseRefused(HouseRefusal.NO_REASON_GIVEN, "give a reason")
        case _:
            assert_never(event)


def _bad_enrolment(state: HouseState, event: e.TerminalEnrolled, at: Millis) -> HouseRefused | None:
    if state.enrolled_at(event.table, event.seat) is not None:
        return HouseRefused(HouseRefusal.NOT_A_FACT, f"seat {event.seat} already has a terminal")
    if event.offer is None:
        return None
    if (offer := state.offers.get(event.offer)) is None:
        return HouseRefused(HouseRefusal.NO_SUCH_CODE)
    if at >= offer.expires:
        return HouseRefused(HouseRefusal.HAS_EXPIRED, "the code has expired; ask the pit for another")
    enrolled = (event.table, event.seat, event.terminal, event.bill_acceptor)
    offered = (offer.table, offer.seat, offer.terminal, offer.bill_acceptor)
    message = "the terminal differs from the one that was offered"
    return None if enrolled == offered else HouseRefused(HouseRefusal.NOT_A_FACT, message)


def _proposals(
    state: HouseState, by: Actor, event: e.Proposed | e.ProposalApproved | e.ProposalRejected, at: Millis
) -> HouseRefused | None:
    if isinstance(event, e.Proposed):
        if by.position is None or event.position is not by.position.position or event.expires != at + PROPOSAL_LIFE:
            message = f"a proposal must use the proposer's position and expire after {PROPOSAL_LIFE // MINUTE} minutes"
            return HouseRefused(HouseRefusal.NOT_A_FACT, message)
        return _fresh(state, event.proposal, "p")
    if (found := state.proposals.get(event.proposal)) is None:
        return HouseRefused(HouseRefusal.NO_SUCH_PROPOSAL)
    if at >= found.proposed.expires:
        return HouseRefused(
            HouseRefusal.HAS_EXPIRED, f"a proposal expires after {PROPOSAL_LIFE // MINUTE} minutes; propose it again"
        )
    approvers = {role_of(position) for position in found.proposed.seconds}
    if isinstance(event, e.ProposalRejected):
        if not event.reason.strip():
            return HouseRefused(HouseRefusal.NO_REASON_GIVEN, "give a reason")
        if by.person == found.person:
            return None
    elif by.person == found.person:
        return HouseRefused(HouseRefusal.SAME_PERSON, "you cannot approve your own proposal")
    if by.position not in approvers:
        titles = ", ".join(found.proposed.seconds)
        return HouseRefused(HouseRefusal.NOT_AUTHORISED, f"approval needs one of the positions {titles}")
    if isinstance(event, e.ProposalRejected) or not found.proposed.independent or by.person is None:
        return None
    return dependence(state.gifts, found.person, by.person, at)
