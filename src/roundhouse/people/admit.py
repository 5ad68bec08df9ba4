"""Admitting an entry: may this person cause this event, and can it have happened now? If not, why not.

Whoever writes the chain asks before he writes, and whoever verifies it asks again: one rule for both.
"""

import re
from typing import assert_never

from roundhouse.people import events as e
from roundhouse.people.events import Actor, ActorKind, HouseEntry
from roundhouse.people.names import (
    APPOINTABLE,
    CODE_LIFE,
    MAX_FAILURES,
    MAX_TERM,
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

PERSON = re.compile(r"[a-z][a-z0-9._-]{1,39}")
_MAX_NAME = 80
_MAX_TEXT = 2000
_NOBODY_THERE = HouseRefused(HouseRefusal.NO_SUCH_PERSON)
_ABOVE = HouseRefused(HouseRefusal.ABOVE_ONESELF, "nobody gives or takes what stands above his own position")


def admit(state: HouseState, entry: HouseEntry) -> HouseRefused | None:
    if entry.at < state.at:
        return HouseRefused(HouseRefusal.NOT_A_FACT, "time goes back")
    return denied(state, entry.by, entry.event, entry.at) or _cannot_be(state, entry)


def _cannot_be(state: HouseState, entry: HouseEntry) -> HouseRefused | None:
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
                return HouseRefused(HouseRefusal.NO_REASON_GIVEN, "say what the alert is about")
            return _fresh(state, alert, "n")
        case e.AlertAcknowledged(alert):
            return None if alert in state.alerts else HouseRefused(HouseRefusal.NO_SUCH_ALERT)
        case e.RequestRefused(times=times):
            return None if times > 0 else HouseRefused(HouseRefusal.NOT_A_FACT, "refused no times")
        case e.HouseStarted(currency=currency) if state.currency not in ("", currency):
            return HouseRefused(HouseRefusal.NOT_A_FACT, f"this house's money is {state.currency}, not {currency}")
        case e.HouseStarted() | e.HouseStopped() | e.SettingChanged() | e.SelfChecked() | e.BackedUp():
            return None
        case event:
            return _people(state, by, event, at)


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
                words = "a person's name is 2 to 40 small letters, digits, dots and dashes, and begins with a letter"
                return HouseRefused(HouseRefusal.BAD_NAME, words)
            if not name.strip() or len(name) > _MAX_NAME or not name.isprintable():
                return HouseRefused(HouseRefusal.BAD_NAME, f"give the person's full name, up to {_MAX_NAME} letters")
            if person in state.people:
                return HouseRefused(
                    HouseRefusal.NAME_IS_TAKEN, f"there is a '{person}' already; nobody's name is given again"
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
                return _NOBODY_THERE
            if by.kind is ActorKind.PERSON and by.position is None:
                return None if by.person == person else HouseRefused(HouseRefusal.NOT_AUTHORISED)
            return _out_of_reach(state, by, person, at)
        case e.PersonLocked(person, reason):
            return _bad_lock(state, by, person, reason, at)
        case e.PersonUnlocked(person):
            if person not in state.people:
                return _NOBODY_THERE
            return (
                None
                if state.people[person].locked
                else HouseRefused(HouseRefusal.NOT_LOCKED, f"{person} is not locked")
            )
        case _:
            assert_never(event)


def _out_of_reach(state: HouseState, by: Actor, person: PersonId, at: Millis) -> HouseRefused | None:
    if person not in state.people:
        return _NOBODY_THERE
    return _ABOVE if state.rank(person, at) > rank_of(by) else None


def _oneself(by: Actor, person: PersonId) -> HouseRefused | None:
    return HouseRefused(HouseRefusal.SAME_PERSON, "nobody gives himself a position") if by.person == person else None


def _bad_positions(by: Actor, positions: tuple[Role, ...]) -> HouseRefused | None:
    if len(set(positions)) != len(positions):
        return HouseRefused(HouseRefusal.BAD_POSITIONS, "a position stands twice")
    if Role.AUDITOR in positions:
        if len(positions) > 1:
            return HouseRefused(HouseRefusal.BAD_POSITIONS, "an auditor has no other position: he changes nothing")
        if rank_of(by) < RANK[Role.CASINO_MANAGER]:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, "auditors are named by the casino_manager")
    return _ABOVE if any(RANK[position] > rank_of(by) for position in positions) else None


def _bad_appointment(state: HouseState, by: Actor, person: PersonId, position: Role) -> HouseRefused | None:
    held = state.people[person].positions
    if position not in APPOINTABLE or Role.AUDITOR in held or not held:
        return HouseRefused(
            HouseRefusal.BAD_POSITIONS, "no acting auditor; and neither an auditor nor one who has left acts"
        )
    return _ABOVE if RANK[position] > rank_of(by) else None


def _bad_term(begins: Millis, until: Millis, at: Millis) -> HouseRefused | None:
    if not begins < until or until <= at:
        return HouseRefused(HouseRefusal.BAD_TERM, "a term ends after it begins, and not in the past")
    if until - begins > MAX_TERM:
        return HouseRefused(HouseRefusal.BAD_TERM, f"a term is at most {MAX_TERM // 86_400_000} days")
    return None


def _bad_lock(state: HouseState, by: Actor, person: PersonId, reason: str, at: Millis) -> HouseRefused | None:
    if (found := state.people.get(person)) is None:
        return _NOBODY_THERE
    if found.locked:
        return HouseRefused(HouseRefusal.ALREADY_DONE, f"{person} is locked already")
    if not reason.strip():
        return HouseRefused(HouseRefusal.NO_REASON_GIVEN, "say why")
    if by.kind is ActorKind.HOUSE:
        enough = found.failures >= MAX_FAILURES
        return None if enough else HouseRefused(HouseRefusal.NOT_A_FACT, f"{found.failures} failed log-ins lock nobody")
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
            return _shut_out(state, person, at) or _fresh(state, session, "s")
        case e.LogInFailed():
            return _bad_failure(state, event)
        case e.ConsoleUnlocked(session):
            refused = _not_ones_own(state, by, session)
            if refused is None and not state.sessions[session].locked:
                return HouseRefused(HouseRefusal.NOT_LOCKED, "the console is not locked")
            return refused or _shut_out(state, state.sessions[session].person, at)
        case e.ConsoleLocked(session):
            refused = _not_ones_own(state, by, session)
            if refused is None and state.sessions[session].locked:
                return HouseRefused(HouseRefusal.ALREADY_DONE, "the console is locked already")
            return refused
        case e.LoggedOut(session):
            return _not_ones_own(state, by, session)
        case _:
            assert_never(event)


def _not_ones_own(state: HouseState, by: Actor, session: SessionId) -> HouseRefused | None:
    found = state.sessions.get(session)
    if found is None:
        return HouseRefused(HouseRefusal.NOT_LOGGED_IN)
    mine = by.kind is ActorKind.HOUSE or by.person == found.person
    return None if mine else HouseRefused(HouseRefusal.NOT_AUTHORISED, "another person's session")


def _shut_out(state: HouseState, person: PersonId, at: Millis) -> HouseRefused | None:
    found = state.people[person]
    if found.locked or found.failures >= MAX_FAILURES:
        return HouseRefused(HouseRefusal.PERSON_IS_LOCKED, "a pit_manager or a higher position unlocks")
    return (
        None
        if state.roles(person, at)
        else HouseRefused(HouseRefusal.NO_POSITION, f"{person} has no position here now")
    )


def _bad_failure(state: HouseState, event: e.LogInFailed) -> HouseRefused | None:
    if event.person is None:
        return None if not event.failures else HouseRefused(HouseRefusal.NOT_A_FACT, "nobody's failures are counted")
    if (found := state.people.get(event.person)) is None:
        return _NOBODY_THERE
    counted = event.why is HouseRefusal.WRONG_NAME_OR_PASSWORD
    if counted and (found.locked or found.failures >= MAX_FAILURES):
        return HouseRefused(HouseRefusal.NOT_A_FACT, "a person who is locked fails no more")
    expected = found.failures + 1 if counted else 0
    return None if event.failures == expected else HouseRefused(HouseRefusal.NOT_A_FACT, f"that is failure {expected}")


def _terminals(
    state: HouseState,
    by: Actor,
    event: e.EnrolmentOffered | e.EnrolmentFailed | e.TerminalEnrolled | e.TerminalRevoked,
    at: Millis,
) -> HouseRefused | None:
    match event:
        case e.EnrolmentOffered(offer, expires=expires):
            if expires != at + CODE_LIFE:
                return HouseRefused(HouseRefusal.BAD_TERM, "a code lives for ten minutes")
            return _fresh(state, offer, "e")
        case e.EnrolmentFailed():
            return None
        case e.TerminalEnrolled():
            return _bad_enrolment(state, event, at) or _fresh(state, event.number, "t")
        case e.TerminalRevoked(number, reason):
            if number not in state.terminals:
                return HouseRefused(HouseRefusal.NO_SUCH_TERMINAL)
            return None if reason.strip() else HouseRefused(HouseRefusal.NO_REASON_GIVEN, "say why")
        case _:
            assert_never(event)


def _bad_enrolment(state: HouseState, event: e.TerminalEnrolled, at: Millis) -> HouseRefused | None:
    if state.enrolled_at(event.table, event.seat) is not None:
        return HouseRefused(HouseRefusal.NOT_A_FACT, "two terminals at one seat")
    if event.offer is None:
        return None
    if (offer := state.offers.get(event.offer)) is None:
        return HouseRefused(HouseRefusal.NO_SUCH_CODE)
    if at >= offer.expires:
        return HouseRefused(HouseRefusal.HAS_EXPIRED, "the code has expired; ask the pit for another")
    asked = (event.table, event.seat, event.terminal, event.bill_acceptor)
    offered = (offer.table, offer.seat, offer.terminal, offer.bill_acceptor)
    return None if asked == offered else HouseRefused(HouseRefusal.NOT_A_FACT, "not what was offered")


def _proposals(
    state: HouseState, by: Actor, event: e.Proposed | e.ProposalApproved | e.ProposalRejected, at: Millis
) -> HouseRefused | None:
    if isinstance(event, e.Proposed):
        if by.position is None or event.position is not by.position.position or event.expires != at + PROPOSAL_LIFE:
            return HouseRefused(HouseRefusal.NOT_A_FACT, "a proposal is made in one's own position, for ten minutes")
        return _fresh(state, event.proposal, "p")
    if (found := state.proposals.get(event.proposal)) is None:
        return HouseRefused(HouseRefusal.NO_SUCH_PROPOSAL)
    if at >= found.proposed.expires:
        return HouseRefused(HouseRefusal.HAS_EXPIRED, "a proposal waits for ten minutes; propose it again")
    seconds = {role_of(position) for position in found.proposed.seconds}
    if isinstance(event, e.ProposalRejected):
        if not event.reason.strip():
            return HouseRefused(HouseRefusal.NO_REASON_GIVEN, "say why")
        if by.person == found.person:
            return None
    elif by.person == found.person:
        return HouseRefused(HouseRefusal.SAME_PERSON, "the second person is another person")
    if by.position not in seconds:
        words = ", ".join(found.proposed.seconds)
        return HouseRefused(HouseRefusal.NOT_AUTHORISED, f"the second person acts as one of {words}")
    return None
