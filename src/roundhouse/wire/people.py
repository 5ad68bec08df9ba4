"""Types for logging in and for the administration of people and terminals.

The server never sends a password. It sends a key or a code once, to its owner.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from roundhouse.people.names import AlertId, AppointmentId, PersonId, ProposalId, Role, Severity, TerminalNumber
from roundhouse.people.proposed import ProposedCommand, ProposedEvent
from roundhouse.people.rights import Operation
from roundhouse.rules.currency import PLAY_MONEY
from roundhouse.rules.names import StaffPosition, TerminalId
from roundhouse.table.names import Millis, SeatId, TableId

Password = Annotated[str, Meta(min_length=1, max_length=1024)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
ReasonText = Annotated[str, Meta(max_length=2000)]


class _RequestBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of request bodies. Unknown keys are refused."""


class LogIn(_RequestBody, frozen=True):
    name: Name
    password: Password
    console: TableId | None = None
    """Table of the console. Required for a Dealer or Cashier; the pit works at all tables and needs none."""
    program: bool = False
    """True returns the token in the answer, to be sent as ``Authorization: Bearer``. False sets a cookie."""


class Unlock(_RequestBody, frozen=True):
    password: Password


class Enrol(_RequestBody, frozen=True):
    code: Annotated[str, Meta(min_length=1, max_length=64)]
    program: bool = False


class GuestLogin(_RequestBody, frozen=True):
    table: TableId
    terminal: TerminalId | None = None
    """Kind of terminal. Default: the first terminal of the game."""
    program: bool = False


class CurrentTerminal(Struct, frozen=True):
    number: TerminalNumber
    table: TableId
    seat: SeatId
    terminal: TerminalId
    bill_acceptor: bool
    guest: bool


class CurrentUser(Struct, frozen=True):
    """The caller as the server identifies it: a person, a terminal or an anonymous caller."""

    kind: Literal["nobody", "person", "terminal"]
    csrf: str | None = None
    """CSRF token. A caller identified by a cookie sends it as ``X-CSRF-Token`` with every request that changes data."""
    person: PersonId | None = None
    name: str | None = None
    positions: tuple[Role, ...] = ()
    """Current positions, highest first. Includes those from appointments."""
    console: TableId | None = None
    locked: bool = False
    terminal: CurrentTerminal | None = None
    time_zone: str = "UTC"
    """Time zone in which screens show times."""
    currency: str = PLAY_MONEY
    """Currency in whose minor units all amounts of this house are."""
    everywhere: tuple[Role, ...] = ()
    """The positions that are valid at every table and in the pit, not only at one console."""
    operations: tuple[Operation, ...] = ()
    """Operations that this person may perform in addition to those of all staff."""
    attention: dict[TableId, int] = {}
    """At a locked desk: how many matters, disputes, requests and alerts wait at each table. Otherwise empty."""


class LoggedIn(Struct, frozen=True, omit_defaults=True):
    me: CurrentUser
    token: str | None = None
    """Key or token of the caller. Missing unless the request had ``program`` set."""


class Ok(Struct, frozen=True):
    done: Literal[True] = True


class PersonRow(Struct, frozen=True):
    person: PersonId
    name: str
    positions: tuple[Role, ...]
    now: tuple[Role, ...]
    """Current positions, highest first. Includes those from appointments; empty while the person is locked."""
    locked: str
    failures: int
    has_password: bool


class RoleRow(Struct, frozen=True):
    """A role that a person can have."""

    role: Role
    rank: int
    """A higher role has a higher number."""
    appointable: bool
    """Whether an appointment can grant the role for a limited time."""


class Staff(Struct, frozen=True):
    people: tuple[PersonRow, ...]
    roles: tuple[RoleRow, ...]


class AddPerson(_RequestBody, frozen=True):
    person: Annotated[PersonId, Meta(min_length=1, max_length=64)]
    name: Name
    positions: tuple[Role, ...]
    password: Password
    """Initial password, which the person should change."""


class SetPositions(_RequestBody, frozen=True):
    positions: tuple[Role, ...]


class ChangePassword(_RequestBody, frozen=True):
    """Changes the caller's own password. Needs the current one, because the console may have been left unlocked."""

    current: Password
    password: Password


class SetPassword(_RequestBody, frozen=True):
    password: Password


class Reason(_RequestBody, frozen=True):
    reason: ReasonText


class Appoint(_RequestBody, frozen=True):
    person: PersonId
    position: Role
    begins: Millis
    until: Millis


class AppointmentRow(Struct, frozen=True):
    appointment: AppointmentId
    person: PersonId
    position: Role
    begins: Millis
    until: Millis
    by: PersonId | None


class Appointments(Struct, frozen=True):
    appointments: tuple[AppointmentRow, ...]


class Created(Struct, frozen=True):
    """Answer with the id of the created resource."""

    id: str


class TerminalRow(Struct, frozen=True):
    number: TerminalNumber
    table: TableId
    seat: SeatId
    terminal: TerminalId
    bill_acceptor: bool
    guest: bool
    since: Millis


class Terminals(Struct, frozen=True):
    terminals: tuple[TerminalRow, ...]


class OfferTerminal(_RequestBody, frozen=True):
    """Request for a code to enrol a terminal at a seat. The configuration sets the kind of terminal of each seat."""

    table: TableId
    seat: SeatId


class Code(Struct, frozen=True):
    code: str
    """Enrolment code to enter at the terminal. Valid once."""
    expires: Millis


class ProposalRow(Struct, frozen=True):
    proposal: ProposalId
    person: PersonId
    at: Millis
    table: TableId
    command: ProposedCommand
    position: StaffPosition
    """Position in which the person proposed the command."""
    seconds: tuple[StaffPosition, ...]
    """Positions that may approve the command, lowest first."""
    expires: Millis
    effect: tuple[ProposedEvent, ...]
    """Events that the command would cause."""


class Proposals(Struct, frozen=True):
    proposals: tuple[ProposalRow, ...]


class AlertRow(Struct, frozen=True):
    alert: AlertId
    at: Millis
    about: str
    text: str
    table: TableId | None
    person: PersonId | None
    severity: Severity


class PastAlertRow(Struct, frozen=True):
    """An alert that was acknowledged by a person, or cleared because its condition had ended."""

    alert: AlertId
    at: Millis
    about: str
    text: str
    table: TableId | None
    person: PersonId | None
    severity: Severity
    cleared_at: Millis | None
    """When the condition ended. ``None`` if a person acknowledged the alert before."""
    acknowledged_at: Millis | None
    acknowledged_by: PersonId | None


class PastAlerts(Struct, frozen=True):
    """The last alerts that are no longer open, the latest end first."""

    alerts: tuple[PastAlertRow, ...]


class Alerts(Struct, frozen=True):
    alerts: tuple[AlertRow, ...]
