"""People and terminals on the wire: logging in, who one is, and the administration of both.

A secret goes one way only: a password in; a key or a code out, once, to whom it belongs.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from roundhouse.people.names import AlertId, AppointmentId, PersonId, ProposalId, Role, TerminalNumber
from roundhouse.people.rights import Operation
from roundhouse.rules.names import StaffPosition, TerminalId
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Millis, SeatId, TableId

Password = Annotated[str, Meta(min_length=1, max_length=1024)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Words = Annotated[str, Meta(max_length=2000)]


class _Said(Struct, frozen=True, forbid_unknown_fields=True):
    """What is sent to the house: every key is known."""


class LogIn(_Said, frozen=True):
    name: Name
    password: Password
    console: TableId | None = None
    """The table at whose console one works; a Dealer or Cashier works at one, the pit looks after all."""
    program: bool = False
    """A program gets its token in the answer, to send as ``Authorization: Bearer``; a browser gets a cookie."""


class Unlock(_Said, frozen=True):
    password: Password


class Enrol(_Said, frozen=True):
    code: Annotated[str, Meta(min_length=1, max_length=64)]
    program: bool = False


class GuestLogin(_Said, frozen=True):
    table: TableId
    terminal: TerminalId | None = None
    """Which kind of terminal; without it, the game's first."""
    program: bool = False


class CurrentTerminal(Struct, frozen=True):
    number: TerminalNumber
    table: TableId
    seat: SeatId
    terminal: TerminalId
    bill_acceptor: bool
    guest: bool


class CurrentUser(Struct, frozen=True):
    """Who one is to this house."""

    kind: Literal["nobody", "person", "terminal"]
    csrf: str | None = None
    """To be sent as ``X-CSRF-Token`` with whatever changes something."""
    person: PersonId | None = None
    name: str | None = None
    positions: tuple[Role, ...] = ()
    """Those of this moment, the highest first."""
    console: TableId | None = None
    locked: bool = False
    terminal: CurrentTerminal | None = None
    time_zone: str = "UTC"
    """That of the house, in which screens show times."""
    everywhere: tuple[Role, ...] = ()
    """Those of the positions that count at every table and at the pit's desk, and not at one console alone."""
    operations: tuple[Operation, ...] = ()
    """What this person may ask of the house, beyond what all staff may."""


class LoggedIn(Struct, frozen=True, omit_defaults=True):
    me: CurrentUser
    token: str | None = None
    """For programs only."""


class Ok(Struct, frozen=True):
    done: Literal[True] = True


class PersonRow(Struct, frozen=True):
    person: PersonId
    name: str
    positions: tuple[Role, ...]
    now: tuple[Role, ...]
    """With those that are acted in, the highest first; none while locked."""
    locked: str
    failures: int
    has_password: bool


class RoleRow(Struct, frozen=True):
    """A role that a person of this house can have."""

    role: Role
    rank: int
    """The higher role has the higher number."""
    appointable: bool
    """Whether an appointment can give it for a time."""


class Staff(Struct, frozen=True):
    people: tuple[PersonRow, ...]
    roles: tuple[RoleRow, ...]


class AddPerson(_Said, frozen=True):
    person: Annotated[PersonId, Meta(min_length=1, max_length=64)]
    name: Name
    positions: tuple[Role, ...]
    password: Password
    """A first one, which the person should change."""


class SetPositions(_Said, frozen=True):
    positions: tuple[Role, ...]


class ChangePassword(_Said, frozen=True):
    """One's own. The current one is asked for, because a console may have been left unlocked."""

    current: Password
    password: Password


class SetPassword(_Said, frozen=True):
    password: Password


class Reason(_Said, frozen=True):
    reason: Words


class Appoint(_Said, frozen=True):
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
    """The name of what was made."""

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


class OfferTerminal(_Said, frozen=True):
    """A seat of the configuration, which says what kind of terminal stands there."""

    table: TableId
    seat: SeatId


class Code(Struct, frozen=True):
    code: str
    """To be typed at the terminal, once."""
    expires: Millis


class ProposalRow(Struct, frozen=True):
    proposal: ProposalId
    person: PersonId
    at: Millis
    table: TableId
    command: AnyCommand
    position: StaffPosition
    seconds: tuple[StaffPosition, ...]
    expires: Millis
    effect: tuple[AnyEvent, ...]


class Proposals(Struct, frozen=True):
    proposals: tuple[ProposalRow, ...]


class AlertRow(Struct, frozen=True):
    alert: AlertId
    at: Millis
    about: str
    text: str
    table: TableId | None
    person: PersonId | None


class Alerts(Struct, frozen=True):
    alerts: tuple[AlertRow, ...]
