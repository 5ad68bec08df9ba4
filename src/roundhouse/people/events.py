"""Events and entries of the house's journal. Entries are stored as JSON, and their bytes are hashed.

Tags and fields never change their name or meaning. Events never contain passwords, keys, codes, tokens or
hashes of them.
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
    Severity,
    TerminalNumber,
)
from roundhouse.people.proposed import ProposedCommand, ProposedEvent
from roundhouse.rules.names import Cents, StaffPosition, TerminalId
from roundhouse.table.names import Millis, SeatId, TableId


class HouseEvent(Struct, frozen=True, tag_field="event", omit_defaults=True):
    pass


# Events about people.


class PersonAdded(HouseEvent, frozen=True, tag="person_added.v1"):
    person: PersonId
    name: str
    positions: tuple[Role, ...]


class PositionsSet(HouseEvent, frozen=True, tag="positions_set.v1"):
    """Replaces all positions of a person. An empty list means that the person has left."""

    person: PersonId
    positions: tuple[Role, ...]


class Appointed(HouseEvent, frozen=True, tag="appointed.v1"):
    """A person was appointed to act in a position for a limited time."""

    appointment: AppointmentId
    person: PersonId
    position: Role
    begins: Millis
    until: Millis


class AppointmentEnded(HouseEvent, frozen=True, tag="appointment_ended.v1"):
    appointment: AppointmentId


class PasswordSet(HouseEvent, frozen=True, tag="password_set.v1"):
    person: PersonId
    verifier: str = ""
    """SHA-256 of the stored verifier. An exchanged verifier does not fit it. Earlier versions did not record it."""


class PersonLocked(HouseEvent, frozen=True, tag="person_locked.v1"):
    person: PersonId
    reason: str
    unknown_only: bool = False
    """Whether only log-ins from unknown addresses are refused. Sessions and rights then stay as they are."""
    rank: int = 0
    """Rank of the person who locked. A lower one cannot unlock. 0: any manager can, and in earlier versions."""


class PersonUnlocked(HouseEvent, frozen=True, tag="person_unlocked.v1"):
    person: PersonId


# Events about sessions.


class LoggedIn(HouseEvent, frozen=True, tag="logged_in.v1"):
    session: SessionId
    person: PersonId
    console: TableId | None = None
    rehashed: bool = False
    """Whether the stored password hash was renewed with current parameters."""
    verifier: str = ""
    """SHA-256 of the renewed verifier. Empty if it was not renewed."""


class LogInFailed(HouseEvent, frozen=True, tag="log_in_failed.v1"):
    """A log-in failed. An unknown name is not recorded, because people sometimes type their password there."""

    why: HouseRefusal
    person: PersonId | None = None
    failures: int = 0
    """Consecutive failures of this person, including this one."""
    session: SessionId | None = None
    """Session that the person tried to unlock, if any."""
    unknown: int | None = None
    """Consecutive failures from unknown addresses, including this one; 0 at a known one. ``None`` in earlier versions,
    where ``failures`` counts all."""


class EndedBy(StrEnum):
    """Reason why a session ended."""

    ASKED = "asked"
    """The person logged out."""
    AGE = "age"
    """The session reached its maximum age."""
    LOCK = "lock"
    """The person was locked, left, or was given a new password."""


class LoggedOut(HouseEvent, frozen=True, tag="logged_out.v1"):
    session: SessionId
    why: EndedBy = EndedBy.ASKED


class ConsoleLocked(HouseEvent, frozen=True, tag="console_locked.v1"):
    session: SessionId
    idle: bool = True


class ConsoleUnlocked(HouseEvent, frozen=True, tag="console_unlocked.v1"):
    session: SessionId


# Events about terminals.


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
    """Offer that the terminal used; ``None`` for a guest, who needs no code."""
    verifier: str = ""
    """SHA-256 of the stored verifier of the terminal's key. Earlier versions did not record it."""


class TerminalRevoked(HouseEvent, frozen=True, tag="terminal_revoked.v1"):
    number: TerminalNumber
    reason: str


# Events about approvals.


class Proposed(HouseEvent, frozen=True, tag="proposed.v1"):
    """A person sent a command that needs a second person's approval."""

    proposal: ProposalId
    table: TableId
    command: ProposedCommand
    position: StaffPosition
    seconds: tuple[StaffPosition, ...]
    """Positions in which a second person may approve the command, lowest first."""
    expires: Millis
    effect: tuple[ProposedEvent, ...] = ()
    """Events that the command would cause and that need the approval."""
    independent: bool = False
    """Whether the two people must be independent. Earlier versions did not check it, and did not record it."""


class ProposalApproved(HouseEvent, frozen=True, tag="proposal_approved.v1"):
    proposal: ProposalId


class ProposalRejected(HouseEvent, frozen=True, tag="proposal_rejected.v1"):
    proposal: ProposalId
    reason: str


# Alerts and other events of the house.


class AlertRaised(HouseEvent, frozen=True, tag="alert_raised.v1"):
    alert: AlertId
    about: str
    """Machine-readable code: ``lock_out``, ``wheel``, ``self_check``."""
    text: str
    table: TableId | None = None
    person: PersonId | None = None
    severity: Severity = Severity.WARNING


class AlertAcknowledged(HouseEvent, frozen=True, tag="alert_acknowledged.v1"):
    alert: AlertId


class AlertCleared(HouseEvent, frozen=True, tag="alert_cleared.v1"):
    """The condition that an alert reported has ended. No person needs to acknowledge the alert."""

    alert: AlertId


class HouseStarted(HouseEvent, frozen=True, tag="house_started.v1"):
    """The server started. All earlier sessions end."""

    version: str
    software: str
    """Hash of the installed software."""
    configuration: str
    """Hash of the configuration file."""
    currency: str = ""
    """Currency code; XXX is play money. It never changes in the life of a house."""


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
    """Last hash of every chain in the backup."""


class HouseRestored(HouseEvent, frozen=True, tag="house_restored.v1"):
    """The journal was restored from a backup. Later entries than the backup's are lost, and a new epoch begins."""

    epoch: int
    """Number of restorations of this journal, including this one."""
    heads: dict[TableId, int]
    """Number of entries of each chain in the backup."""
    nonce: str
    """Random text. Two restorations of the same backup differ by it."""


class DisputedTicket(Struct, frozen=True):
    """A ticket that may have been paid after the backup was made."""

    digest: str
    """Keyed digest of the ticket's number."""
    last: str
    """Last four digits of the number."""
    cents: Cents


class TicketsDisputed(HouseEvent, frozen=True, tag="tickets_disputed.v1"):
    """The first start after a restoration. Each of the tickets is paid only with a second person's approval."""

    epoch: int
    witnessed: dict[TableId, int]
    """Number of entries that a witness had seen of each chain that has lost entries. Empty if nothing was lost."""
    known: bool
    """Whether a witness knew the journal. If not, it is unknown what was lost."""
    tickets: tuple[DisputedTicket, ...]


class SigningKeySet(HouseEvent, frozen=True, tag="signing_key_set.v1"):
    """The key that signs the checkpoints of this journal from now on."""

    key: str
    """Public key of the house, with the name of the journal."""
    announcement: str = ""
    """Note that announces the key, signed by the key before it. Empty for the first key."""


class ClockDiffered(HouseEvent, frozen=True, tag="clock_differed.v1"):
    """The system clock began or ceased to differ from the house's clock, or the house's clock was set forward.

    The time of this entry, like that of every entry, is the time of the house's clock.
    """

    ahead_millis: int
    """How far the system clock was ahead of the house's clock. Negative: it was behind. Zero: they agree again."""
    system: Millis
    """Time of the system clock."""
    followed: bool = False
    """Whether the house's clock was set to the system clock, because an engineer requested it."""
    accepted: bool = False
    """Whether an engineer opened the journal although its last entry is in the future of the system clock."""


class RequestRefused(HouseEvent, frozen=True, tag="request_refused.v1"):
    """A request was refused for lack of rights. Equal refusals are counted in one entry."""

    what: str
    refusal: str
    table: TableId | None = None
    times: int = 1
    seconds: int = 0
    """Span before this entry in which the refusals were counted; 0 for a single one, and in earlier versions."""


Note = (
    HouseStarted
    | HouseStopped
    | SettingChanged
    | SelfChecked
    | BackedUp
    | HouseRestored
    | TicketsDisputed
    | SigningKeySet
    | ClockDiffered
    | RequestRefused
)

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
    | AlertCleared
    | Note
)


class ActorKind(StrEnum):
    PERSON = "person"
    TERMINAL = "terminal"
    HOUSE = "house"
    """The server itself, for example when a time limit expires."""
    ENGINEER = "engineer"
    """A person with access to the server's command line."""
    NOBODY = "nobody"
    """An unauthenticated caller."""


class Actor(Struct, frozen=True, omit_defaults=True):
    """The cause of an event: a person in a position, a terminal or the server, and the network address."""

    kind: ActorKind
    person: PersonId | None = None
    position: Role | None = None
    """Role in which the person acts; ``None`` for actions on their own account, such as logging in."""
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
