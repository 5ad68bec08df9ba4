"""Events of the house: facts in the past tense, each stored under a name of its own that never changes its meaning.

No secret is part of an event: no password, no key, no code, no token, and no verifier of one.

An entry of the house's chain: when, by whom, and what happened. Stored as JSON; the bytes are hashed.
"""

from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct

from roundhouse.people.names import (
    AlertId,
    AppointmentId,
    HouseRefusal,
    OfferId,
    PersonId,
    ProposalId,
    Role,
    SessionId,
    TerminalNumber,
)
from roundhouse.rules.names import StaffPosition, TerminalId
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent as TableEvent
from roundhouse.table.names import Millis, SeatId, TableId


class HouseEvent(Struct, frozen=True, tag_field="event", omit_defaults=True):
    pass


# people


class PersonAdded(HouseEvent, frozen=True, tag="person_added.v1"):
    person: PersonId
    name: str
    positions: tuple[Role, ...]


class PositionsSet(HouseEvent, frozen=True, tag="positions_set.v1"):
    """From now on these, and no others. With none, the person has left."""

    person: PersonId
    positions: tuple[Role, ...]


class Appointed(HouseEvent, frozen=True, tag="appointed.v1"):
    """To act in a position for a term."""

    appointment: AppointmentId
    person: PersonId
    position: Role
    begins: Millis
    until: Millis


class AppointmentEnded(HouseEvent, frozen=True, tag="appointment_ended.v1"):
    appointment: AppointmentId


class PasswordSet(HouseEvent, frozen=True, tag="password_set.v1"):
    person: PersonId


class PersonLocked(HouseEvent, frozen=True, tag="person_locked.v1"):
    person: PersonId
    reason: str


class PersonUnlocked(HouseEvent, frozen=True, tag="person_unlocked.v1"):
    person: PersonId


# sessions


class LoggedIn(HouseEvent, frozen=True, tag="logged_in.v1"):
    session: SessionId
    person: PersonId
    console: TableId | None = None
    rehashed: bool = False
    """The verifier was made anew, because the parameters of its making have changed."""


class LogInFailed(HouseEvent, frozen=True, tag="log_in_failed.v1"):
    """``person`` is nobody where the name is not one of ours: people type passwords there."""

    why: HouseRefusal
    person: PersonId | None = None
    failures: int = 0
    """In a row, of this person, this one included."""
    session: SessionId | None = None
    """The session that was to be unlocked."""


class EndedBy(StrEnum):
    """How a session ended."""

    ASKED = "asked"
    AGE = "age"
    LOCK = "lock"
    """The person was locked, has left, or got another password."""


class LoggedOut(HouseEvent, frozen=True, tag="logged_out.v1"):
    session: SessionId
    why: EndedBy = EndedBy.ASKED


class ConsoleLocked(HouseEvent, frozen=True, tag="console_locked.v1"):
    session: SessionId
    idle: bool = True


class ConsoleUnlocked(HouseEvent, frozen=True, tag="console_unlocked.v1"):
    session: SessionId


# terminals


class EnrolmentOffered(HouseEvent, frozen=True, tag="enrolment_offered.v1"):
    offer: OfferId
    table: TableId
    seat: SeatId
    terminal: TerminalId
    expires: Millis
    bill_acceptor: bool = False


class EnrolmentFailed(HouseEvent, frozen=True, tag="enrolment_failed.v1"):
    why: HouseRefusal


class TerminalEnrolled(HouseEvent, frozen=True, tag="terminal_enrolled.v1"):
    number: TerminalNumber
    table: TableId
    seat: SeatId
    terminal: TerminalId
    bill_acceptor: bool = False
    offer: OfferId | None = None
    """Nothing for a guest, who brings no code."""


class TerminalRevoked(HouseEvent, frozen=True, tag="terminal_revoked.v1"):
    number: TerminalNumber
    reason: str


# second persons


class Proposed(HouseEvent, frozen=True, tag="proposed.v1"):
    """Somebody asked for what needs a second person. ``effect`` is what it would do to settled rounds."""

    proposal: ProposalId
    table: TableId
    command: AnyCommand
    position: StaffPosition
    seconds: tuple[StaffPosition, ...]
    """In which positions a second person may approve it, the lowest first."""
    expires: Millis
    effect: tuple[TableEvent, ...] = ()


class ProposalApproved(HouseEvent, frozen=True, tag="proposal_approved.v1"):
    proposal: ProposalId


class ProposalRejected(HouseEvent, frozen=True, tag="proposal_rejected.v1"):
    proposal: ProposalId
    reason: str


# alerts, and what else the house notes


class AlertRaised(HouseEvent, frozen=True, tag="alert_raised.v1"):
    alert: AlertId
    about: str
    """One word for programs: ``lock_out``, ``wheel``, ``self_check``."""
    text: str
    table: TableId | None = None
    person: PersonId | None = None


class AlertAcknowledged(HouseEvent, frozen=True, tag="alert_acknowledged.v1"):
    alert: AlertId


class HouseStarted(HouseEvent, frozen=True, tag="house_started.v1"):
    """Sessions of before are over."""

    version: str
    software: str
    """The hash of the software itself."""
    configuration: str
    """The hash of the configuration's file."""
    currency: str = ""
    """What its cents are of; XXX is play money. A house never changes it."""


class HouseStopped(HouseEvent, frozen=True, tag="house_stopped.v1"):
    why: str


class SettingChanged(HouseEvent, frozen=True, tag="setting_changed.v1"):
    setting: str
    was: str
    now: str
    table: TableId | None = None


class SelfChecked(HouseEvent, frozen=True, tag="self_checked.v1"):
    software: str
    expected: str
    agrees: bool


class BackedUp(HouseEvent, frozen=True, tag="backed_up.v1"):
    file: str
    heads: dict[TableId, str]
    """The last hash of every chain that is in the copy."""


class RequestRefused(HouseEvent, frozen=True, tag="request_refused.v1"):
    """Somebody asked for what he may not have. Many alike may be one entry."""

    what: str
    refusal: str
    table: TableId | None = None
    times: int = 1


Note = HouseStarted | HouseStopped | SettingChanged | SelfChecked | BackedUp | RequestRefused

AnyHouseEvent = (
    PersonAdded
    | PositionsSet
    | Appointed
    | AppointmentEnded
    | PasswordSet
    | PersonLocked
    | PersonUnlocked
    | LoggedIn
    | LogInFailed
    | LoggedOut
    | ConsoleLocked
    | ConsoleUnlocked
    | EnrolmentOffered
    | EnrolmentFailed
    | TerminalEnrolled
    | TerminalRevoked
    | Proposed
    | ProposalApproved
    | ProposalRejected
    | AlertRaised
    | AlertAcknowledged
    | Note
)


class ActorKind(StrEnum):
    PERSON = "person"
    TERMINAL = "terminal"
    HOUSE = "house"
    """The house by itself: a clock, a rule."""
    ENGINEER = "engineer"
    """Somebody with access to the machine, at its command line."""
    NOBODY = "nobody"
    """Somebody who has not shown who he is."""


class Actor(Struct, frozen=True, omit_defaults=True):
    """Who did it, in which position, and from where it came."""

    kind: ActorKind
    person: PersonId | None = None
    position: Role | None = None
    """Nothing where one's own affairs are concerned: logging in, out, one's password."""
    terminal: TerminalNumber | None = None
    address: str | None = None


HOUSE: Final = Actor(ActorKind.HOUSE)
ENGINEER: Final = Actor(ActorKind.ENGINEER)


class HouseEntry(Struct, frozen=True, tag_field="entry", tag="house.v1"):
    seq: int
    at: Millis
    by: Actor
    event: AnyHouseEvent


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(HouseEntry).decode
