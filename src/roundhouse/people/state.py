"""The state of the house: people, sessions, terminals, proposals, alerts. Changed only by ``apply``."""

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import asdict, replace

from roundhouse.people.events import DisputedTicket, Proposed
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
    """Person who made the appointment; ``None`` if the engineer did."""


class Person(Struct, frozen=True):
    name: str
    positions: tuple[Role, ...]
    failures: int = 0
    """Consecutive failed log-ins."""
    locked: str = ""
    """Reason for the lock; empty if the person is not locked."""
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
    """All appointments that were not ended early, including those whose term is over."""
    sessions: dict[SessionId, SessionRecord] = field(default_factory=dict)
    offers: dict[OfferId, EnrolmentOffer] = field(default_factory=dict)
    terminals: dict[TerminalNumber, TerminalRecord] = field(default_factory=dict)
    proposals: dict[ProposalId, ProposalRecord] = field(default_factory=dict)
    alerts: dict[AlertId, AlertRecord] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    """Number of ids issued, by the letter with which they begin."""
    currency: str = ""
    """Currency of the house, set at its first start."""
    # The next fields are omitted while they are unset, because ``verify`` compares snapshots of old versions by bytes.
    epoch: int | UnsetType = UNSET
    """Number of restorations from a backup."""
    disputed_in: int | UnsetType = UNSET
    """The last epoch in which the disputed tickets were recorded."""
    disputed: dict[str, DisputedTicket] | UnsetType = UNSET
    """Disputed tickets by the digest of their number."""
    signing_key: str | UnsetType = UNSET

    def copy(self) -> "HouseState":
        """Copy the state so that events can be applied to the copy. The shared records are immutable."""
        return replace(self, **{name: dict(one) for name, one in asdict(self).items() if isinstance(one, dict)})

    def now(self, at: Millis) -> Millis:
        """Return ``at``, or the time of the last entry if that is later, so that time never goes back."""
        return Millis(max(at, self.at))

    def fresh(self, kind: str) -> str:
        """Return the next id. ``kind`` is its first letter: ``s`` session, ``a`` appointment, ``t`` terminal, …"""
        return f"{kind}{self.counts.get(kind, 0) + 1}"

    def roles(self, person: PersonId, at: Millis) -> tuple[Role, ...]:
        """Return a person's roles at a time, including appointments, highest first. Empty if they are locked."""
        found = self.people.get(person)
        if found is None or found.locked or found.failures >= MAX_FAILURES:
            return ()
        if not found.positions or Role.AUDITOR in found.positions:
            # Appointments do not apply to people who have left or who became auditors.
            return found.positions
        acting = [a.position for a in self.appointments.values() if a.person == person and a.begins <= at < a.until]
        return tuple(sorted({*found.positions, *acting}, key=lambda role: (-RANK[role], role)))

    def rank(self, person: PersonId, at: Millis) -> int:
        """Return a person's highest rank, even if they are locked.

        An auditor ranks as a casino manager, so that only a casino manager can change an auditor.
        """
        positions = self.people[person].positions
        if Role.AUDITOR in positions:
            return RANK[Role.CASINO_MANAGER]
        acting = [a.position for a in self.appointments.values() if a.person == person and a.begins <= at < a.until]
        return max((RANK[role] for role in (*positions, *acting)), default=0)

    def enrolled_at(self, table: TableId, seat: SeatId) -> TerminalNumber | None:
        for number, terminal in self.terminals.items():
            if (terminal.table, terminal.seat) == (table, seat):
                return number
        return None
