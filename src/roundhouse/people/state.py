"""What the house knows of its people, sessions, terminals, proposals and alerts. Changed by applied events alone."""

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from roundhouse.people.events import Proposed
from roundhouse.people.names import (
    MAX_FAILURES,
    RANK,
    AlertId,
    AppointmentId,
    OfferId,
    PersonId,
    ProposalId,
    Role,
    SessionId,
    TerminalNumber,
)
from roundhouse.rules.names import TerminalId
from roundhouse.table.names import Millis, SeatId, TableId


class Appointment(Struct, frozen=True):
    person: PersonId
    position: Role
    begins: Millis
    until: Millis
    by: PersonId | None
    """Nothing where the engineer made it."""


class Person(Struct, frozen=True):
    name: str
    positions: tuple[Role, ...]
    failures: int = 0
    """Failed log-ins in a row."""
    locked: str = ""
    """Why, where he is."""
    has_password: bool = False


class SessionRecord(Struct, frozen=True):
    person: PersonId
    console: TableId | None
    since: Millis
    locked: bool = False


class EnrolmentOffer(Struct, frozen=True):
    table: TableId
    seat: SeatId
    terminal: TerminalId
    bill_acceptor: bool
    expires: Millis


class TerminalRecord(Struct, frozen=True):
    table: TableId
    seat: SeatId
    terminal: TerminalId
    bill_acceptor: bool
    guest: bool
    since: Millis


class ProposalRecord(Struct, frozen=True):
    person: PersonId
    at: Millis
    proposed: Proposed


class AlertRecord(Struct, frozen=True):
    at: Millis
    about: str
    text: str
    table: TableId | None = None
    person: PersonId | None = None


class HouseState(Struct):
    at: Millis = Millis(0)
    people: dict[PersonId, Person] = field(default_factory=dict)
    appointments: dict[AppointmentId, Appointment] = field(default_factory=dict)
    """Those whose term has not been ended; a term that is over gives nothing any more."""
    sessions: dict[SessionId, SessionRecord] = field(default_factory=dict)
    offers: dict[OfferId, EnrolmentOffer] = field(default_factory=dict)
    terminals: dict[TerminalNumber, TerminalRecord] = field(default_factory=dict)
    proposals: dict[ProposalId, ProposalRecord] = field(default_factory=dict)
    alerts: dict[AlertId, AlertRecord] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    """How many of each kind of id were given."""
    currency: str = ""
    """What the house's cents are of, from its first start on."""

    def copy(self) -> "HouseState":
        """A state that events can be applied to while others read this one: what the two share is immutable."""
        return replace(self, **{name: dict(one) for name, one in asdict(self).items() if isinstance(one, dict)})

    def now(self, at: Millis) -> Millis:
        """The time of the clock, but never before the last entry."""
        return Millis(max(at, self.at))

    def fresh(self, kind: str) -> str:
        """The next id of a kind: ``s`` of sessions, ``a`` appointments, ``e`` offers to enrol, ``t`` terminals, …"""
        return f"{kind}{self.counts.get(kind, 0) + 1}"

    def roles(self, person: PersonId, at: Millis) -> tuple[Role, ...]:
        """What somebody is at an instant: his positions and those that he acts in, the highest first."""
        found = self.people.get(person)
        if found is None or found.locked or found.failures >= MAX_FAILURES:
            return ()
        if not found.positions or Role.AUDITOR in found.positions:
            # Who has left acts for nobody; and an auditor changes nothing, whatever he was appointed to before.
            return found.positions
        acting = [a.position for a in self.appointments.values() if a.person == person and a.begins <= at < a.until]
        return tuple(sorted({*found.positions, *acting}, key=lambda role: (-RANK[role], role)))

    def rank(self, person: PersonId, at: Millis) -> int:
        """How high somebody stands, also while he is locked. Auditors are the casino manager's alone to touch."""
        held = self.people[person].positions
        if Role.AUDITOR in held:
            return RANK[Role.CASINO_MANAGER]
        acting = [a.position for a in self.appointments.values() if a.person == person and a.begins <= at < a.until]
        return max((RANK[role] for role in (*held, *acting)), default=0)

    def enrolled_at(self, table: TableId, seat: SeatId) -> TerminalNumber | None:
        for number, terminal in self.terminals.items():
            if (terminal.table, terminal.seat) == (table, seat):
                return number
        return None
