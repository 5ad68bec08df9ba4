"""Applies events to the state of the house. Events are facts, so they are never refused here.

Records in the state are replaced, never modified, so that copies of the state can share them.
"""

from typing import assert_never

from msgspec.structs import replace

from roundhouse.people import events as e
from roundhouse.people.events import Actor, HouseEntry
from roundhouse.people.independence import with_gift, with_own_password
from roundhouse.people.names import (
    KNOWN_ADDRESSES,
    MAX_PAST_ALERTS,
    PASSWORD,
    TERMINAL_KEY,
    AlertId,
    HouseRefusal,
    PersonId,
)
from roundhouse.people.state import (
    AlertRecord,
    Appointment,
    EnrolmentOffer,
    HouseState,
    PastAlert,
    Person,
    ProposalRecord,
    SessionRecord,
    TerminalRecord,
    network_of,
)


def apply(state: HouseState, entry: HouseEntry) -> None:
    state.at = entry.at
    match entry.event:
        case e.EnrolmentOffered() | e.EnrolmentFailed() | e.TerminalEnrolled() | e.TerminalRevoked():
            _terminals(state, entry, entry.event)
        case e.LoggedIn() | e.LogInFailed() | e.LoggedOut() | e.ConsoleLocked() | e.ConsoleUnlocked():
            _sessions(state, entry, entry.event)
        case e.Proposed(proposal):
            assert entry.by.person is not None, "a proposal comes from a person"
            state.proposals = {id: one for id, one in state.proposals.items() if one.proposed.expires > entry.at}
            state.proposals[proposal] = ProposalRecord(entry.by.person, entry.at, entry.event)
            _count(state, proposal)
        case e.ProposalApproved(proposal) | e.ProposalRejected(proposal):
            del state.proposals[proposal]
        case e.AlertRaised(alert, about, text, table, person, severity):
            state.alerts[alert] = AlertRecord(entry.at, about, text, table, person, severity)
            _count(state, alert)
        case e.AlertAcknowledged(alert):
            _end_alert(state, alert, PastAlert(state.alerts[alert], entry.at, entry.by.person))
        case e.AlertCleared(alert):
            _end_alert(state, alert, PastAlert(state.alerts[alert], entry.at))
        case e.HouseStarted():
            state.sessions.clear()
            state.currency = state.currency or entry.event.currency
        case e.HouseStopped() | e.SettingChanged() | e.SelfChecked() | e.BackedUp():
            pass
        case e.ClockDiffered() | e.RequestRefused():
            pass
        case e.HouseRestored(epoch):
            state.epoch = epoch
        case e.TicketsDisputed(epoch, tickets=tickets):
            state.disputed_in = epoch
            state.disputed = {**(state.disputed or {}), **{ticket.digest: ticket for ticket in tickets}}
        case e.SigningKeySet(key):
            state.signing_key = key
        case _:
            _people(state, entry.by, entry.event)
            _record_gift(state, entry, entry.event)


def _end_alert(state: HouseState, alert: AlertId, past: PastAlert) -> None:
    del state.alerts[alert]
    if len(state.past_alerts) >= MAX_PAST_ALERTS:
        del state.past_alerts[next(iter(state.past_alerts))]
    state.past_alerts[alert] = past


def _count(state: HouseState, id: str) -> None:
    state.counts[id[0]] = state.counts.get(id[0], 0) + 1


def _set_failures(state: HouseState, person: PersonId, failures: int) -> None:
    state.people[person] = replace(state.people[person], failures=failures)


def _restrict(state: HouseState, person: PersonId, **changes: object) -> None:
    state.access[person] = replace(state.access_of(person), **changes)


_OfPeople = (
    e.PersonAdded
    | e.PositionsSet
    | e.Appointed
    | e.AppointmentEnded
    | e.PasswordSet
    | e.PersonLocked
    | e.PersonUnlocked
)
_OfSessions = e.LoggedIn | e.LogInFailed | e.LoggedOut | e.ConsoleLocked | e.ConsoleUnlocked
_OfTerminals = e.EnrolmentOffered | e.EnrolmentFailed | e.TerminalEnrolled | e.TerminalRevoked


def _people(state: HouseState, by: Actor, event: _OfPeople) -> None:
    match event:
        case e.PersonAdded(person, name, positions):
            state.people[person] = Person(name, positions)
        case e.PositionsSet(person, positions):
            state.people[person] = replace(state.people[person], positions=positions)
        case e.Appointed(appointment, person, position, begins, until):
            state.appointments[appointment] = Appointment(person, position, begins, until, by.person)
            _count(state, appointment)
        case e.AppointmentEnded(appointment):
            del state.appointments[appointment]
        case e.PasswordSet(person, verifier):
            state.people[person] = replace(state.people[person], has_password=True)
            state.set_verifier(PASSWORD, person, verifier)
        case e.PersonLocked(person, reason, unknown_only, rank):
            state.people[person] = replace(state.people[person], locked=reason)
            _restrict(state, person, known_only=unknown_only, lock_rank=rank)
        case e.PersonUnlocked(person):
            state.people[person] = replace(state.people[person], locked="", failures=0)
            _restrict(state, person, unknown_failures=0, known_only=False, lock_rank=0)
        case _:
            assert_never(event)


def _record_gift(state: HouseState, entry: HouseEntry, event: _OfPeople) -> None:
    by = entry.by.person
    match event:
        case e.PersonAdded(person) | e.PasswordSet(person) if by is not None and by != person:
            state.gifts = with_gift(state.gifts, person, by, entry.at, password=True)
            if isinstance(event, e.PasswordSet) and not event.verifier:
                # Earlier versions did not ask for a change of such a password.
                state.gifts = with_own_password(state.gifts, person)
        case e.PasswordSet(person):
            state.gifts = with_own_password(state.gifts, person)
        case e.PositionsSet(person) | e.Appointed(person=person) if by is not None:
            state.gifts = with_gift(state.gifts, person, by, entry.at, password=False)


def _sessions(state: HouseState, entry: HouseEntry, event: _OfSessions) -> None:
    match event:
        case e.LoggedIn(session, person, console, rehashed, verifier):
            if rehashed:
                state.set_verifier(PASSWORD, person, verifier)
            state.sessions[session] = SessionRecord(person, console, entry.at)
            _set_failures(state, person, 0)
            known, here = state.access_of(person).addresses, network_of(entry.by.address)
            addresses = (*(one for one in known if one != here), here)[-KNOWN_ADDRESSES:]
            _restrict(state, person, addresses=addresses, unknown_failures=0)
            _count(state, session)
        case e.LogInFailed(why, person, failures, unknown=unknown):
            if person is not None and why is HouseRefusal.WRONG_NAME_OR_PASSWORD:
                if unknown is None:
                    _set_failures(state, person, failures)
                elif unknown:
                    _restrict(state, person, unknown_failures=unknown)
        case e.LoggedOut(session):
            del state.sessions[session]
        case e.ConsoleLocked(session):
            state.sessions[session] = replace(state.sessions[session], locked=True)
        case e.ConsoleUnlocked(session):
            found = state.sessions[session] = replace(state.sessions[session], locked=False)
            _set_failures(state, found.person, 0)
        case _:
            assert_never(event)


def _terminals(state: HouseState, entry: HouseEntry, event: _OfTerminals) -> None:
    match event:
        case e.EnrolmentOffered(offer, table, seat, terminal, expires, bill_acceptor):
            state.offers = {id: one for id, one in state.offers.items() if one.expires > entry.at}
            state.offers[offer] = EnrolmentOffer(table, seat, terminal, bill_acceptor, expires)
            _count(state, offer)
        case e.EnrolmentFailed():
            pass
        case e.TerminalEnrolled(number, table, seat, terminal, bill_acceptor, taken_up, verifier):
            state.set_verifier(TERMINAL_KEY, number, verifier)
            guest = taken_up is None
            state.terminals[number] = TerminalRecord(table, seat, terminal, bill_acceptor, guest, entry.at)
            if taken_up is not None:
                del state.offers[taken_up]
            _count(state, number)
        case e.TerminalRevoked(number):
            del state.terminals[number]
            state.set_verifier(TERMINAL_KEY, number, "")
        case _:
            assert_never(event)
