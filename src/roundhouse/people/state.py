"""The state of the house: people, sessions, terminals, proposals, alerts. Changed only by ``apply``."""

from hashlib import sha256
from ipaddress import ip_network
from typing import Final

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import asdict, replace

from roundhouse.people.events import DisputedTicket, Proposed
from roundhouse.people.independence import AllGifts
from roundhouse.people.names import (
    MANAGERS,
    MAX_FAILURES,
    RANK,
    AlertId,
    AppointmentId,
    OfferId,
    PersonId,
    ProposalId,
    Role,
    SessionId,
    Severity,
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


class Access(Struct, frozen=True):
    """Where a person has logged in, and what restricts new log-ins."""

    addresses: tuple[str, ...] = ()
    """Networks from which the person has logged in, the latest last. See ``network_of``."""
    unknown_failures: int = 0
    """Consecutive failed log-ins from other networks."""
    known_only: bool = False
    """Whether the lock of the person concerns only log-ins from other networks."""
    lock_rank: int = 0
    """Rank that is needed to unlock the person."""


def network_of(address: str | None) -> str:
    """Return the network that counts as one place: an IPv4 address, or an IPv6 /64. Empty without an address.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6"), network_of("not: valid"), network_of(None)
    ('192.0.2.7', '2001:db8:1:2::/64', 'not: valid', '')
    """
    address = address or ""
    try:
        return str(ip_network(f"{address}/64", strict=False)) if ":" in address else address
    except ValueError:
        return address


def credential_id(kind: str, owner: str) -> str:
    return f"{kind} {owner}"


def hash_of(verifier: bytes) -> str:
    """Return the hash by which the record knows a verifier."""
    return sha256(verifier).hexdigest()


def lacks_access(snapshot: bytes) -> bool:
    """Return whether a snapshot was written by a version that did not record places of log-ins."""
    return b'"access":' not in snapshot


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
    severity: Severity = Severity.WARNING


class PastAlert(Struct, frozen=True):
    """An alert that was acknowledged or cleared."""

    alert: AlertRecord
    ended: Millis
    by: PersonId | None = None
    """Person who acknowledged the alert; ``None`` if it was cleared because its condition had ended."""


_NO_ACCESS: Final = Access()


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
    past_alerts: dict[AlertId, PastAlert] = field(default_factory=dict)
    """The last alerts that were acknowledged or cleared, in the order of their ends."""
    counts: dict[str, int] = field(default_factory=dict)
    """Number of ids issued, by the letter with which they begin."""
    currency: str = ""
    """Currency of the house, set at its first start."""
    access: dict[PersonId, Access] = field(default_factory=dict)
    """Places and restrictions of the log-ins of each person. Snapshots of earlier versions lack it."""
    # The next fields are omitted while they are unset, because ``verify`` compares snapshots of old versions by bytes.
    epoch: int | UnsetType = UNSET
    """Number of restorations from a backup."""
    disputed_in: int | UnsetType = UNSET
    """The last epoch in which the disputed tickets were recorded."""
    disputed: dict[str, DisputedTicket] | UnsetType = UNSET
    """Disputed tickets by the digest of their number."""
    signing_key: str | UnsetType = UNSET
    gifts: AllGifts = UNSET
    """Accounts, passwords, positions and terms that people gave to others."""
    verifiers: dict[str, str] | UnsetType = UNSET
    """SHA-256 of the verifier of each credential, by ``credential_id``, as far as it is on record."""

    def copy(self) -> "HouseState":
        """Copy the state so that events can be applied to the copy. The shared records are immutable."""
        return replace(self, **{name: dict(one) for name, one in asdict(self).items() if isinstance(one, dict)})

    def now(self, at: Millis) -> Millis:
        """Return ``at``, or the time of the last entry if that is later, so that time never goes back."""
        return Millis(max(at, self.at))

    def fresh(self, kind: str) -> str:
        """Return the next id. ``kind`` is its first letter: ``s`` session, ``a`` appointment, ``t`` terminal, …"""
        return f"{kind}{self.counts.get(kind, 0) + 1}"

    def verifier_fits(self, kind: str, owner: str, verifier: bytes) -> bool:
        """Return whether a stored verifier is the one on record. One of an earlier version is not on record."""
        recorded = (self.verifiers or {}).get(credential_id(kind, owner))
        return recorded is None or recorded == hash_of(verifier)

    def set_verifier(self, kind: str, owner: str, hash: str) -> None:
        """Record the hash of a verifier. An empty one forgets the credential."""
        if hash:
            self.verifiers = self.verifiers or {}
            self.verifiers[credential_id(kind, owner)] = hash
        elif self.verifiers:
            self.verifiers.pop(credential_id(kind, owner), None)

    def access_of(self, person: PersonId) -> Access:
        return self.access.get(person, _NO_ACCESS)

    def is_known(self, person: PersonId, address: str | None) -> bool:
        """Return whether a person has logged in from this address before."""
        return network_of(address) in self.access_of(person).addresses

    def is_locked(self, person: PersonId) -> bool:
        """Return whether a person is locked at every address."""
        found = self.people[person]
        return found.failures >= MAX_FAILURES or (bool(found.locked) and not self.access_of(person).known_only)

    def other_managers(self, person: PersonId, at: Millis) -> bool:
        """Return whether another manager can log in or is logged in."""
        return any(
            not MANAGERS.isdisjoint(self.roles(id, at)) and (not one.locked or bool(self.access_of(id).addresses))
            for id, one in self.people.items()
            if id != person and one.has_password
        )

    def roles(self, person: PersonId, at: Millis) -> tuple[Role, ...]:
        """Return a person's roles at a time, including appointments, highest first. Empty if they are locked."""
        found = self.people.get(person)
        if found is None or self.is_locked(person):
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
