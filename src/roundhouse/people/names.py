"""Names, roles, time limits and refusal codes of the house. Refusals are returned, not raised."""

from enum import StrEnum
from typing import Final, NewType

from msgspec import Struct

from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis, PersonName, TableId

PersonId = PersonName
"""Name with which a person logs in."""
SessionId = NewType("SessionId", str)
AppointmentId = NewType("AppointmentId", str)
OfferId = NewType("OfferId", str)
"""Id of an offer to enrol a terminal. Not secret, unlike the code that the terminal must enter."""
TerminalNumber = NewType("TerminalNumber", str)
"""Id of one enrolment of a terminal. A terminal that is enrolled again gets a new number."""
ProposalId = NewType("ProposalId", str)
AlertId = NewType("AlertId", str)

PASSWORD: Final = "password"
"""Value of ``Credential.kind`` for a password hash."""
TERMINAL_KEY: Final = "terminal"
"""Value of ``Credential.kind`` for the hash of a terminal's key."""

HOUSE_CHAIN: Final = TableId("@house")
"""Id of the house's own hash chain. It cannot equal a table id, which begins with a letter or digit."""

MINUTE: Final = Millis(60_000)
DAY: Final = Millis(24 * 60 * MINUTE)
MAX_FAILURES: Final = 3
"""Consecutive failed log-ins from unknown addresses, after which a person can log in only from known ones."""
KNOWN_ADDRESSES: Final = 16
"""Number of addresses that the house remembers for each person, the latest ones."""
CODE_LIFE: Final = Millis(10 * MINUTE)
"""Time for which an enrolment code is valid."""
PROPOSAL_LIFE: Final = Millis(10 * MINUTE)
"""Time for which a proposal waits for approval."""
IDLE_LIFE: Final = Millis(5 * MINUTE)
"""A console locks after this time without input."""
SESSION_LIFE: Final = Millis(16 * 60 * MINUTE)
"""A session ends after this time, and the person must log in again."""
MAX_TERM: Final = Millis(92 * DAY)
"""Longest term of an appointment."""


MAX_PAST_ALERTS: Final = 200
"""Number of past alerts that the house remembers. The journal contains all of them."""


class Severity(StrEnum):
    """How urgent an alert is."""

    INFO = "info"
    """For the record. No action is needed."""
    WARNING = "warning"
    """A person should look at it soon."""
    CRITICAL = "critical"
    """Play or the record of money is at risk. Call an engineer."""


class Role(StrEnum):
    """Role of a person in the house: a staff position of the rulebooks, or auditor (read access only)."""

    CASHIER = "cashier"
    DEALER = "dealer"
    PIT_SUPERVISOR = "pit_supervisor"
    PIT_MANAGER = "pit_manager"
    SHIFT_MANAGER = "shift_manager"
    CASINO_MANAGER = "casino_manager"
    AUDITOR = "auditor"

    @property
    def position(self) -> StaffPosition | None:
        return None if self is Role.AUDITOR else StaffPosition(self.value)


RANK: Final = {
    Role.AUDITOR: 0,
    Role.CASHIER: 1,
    Role.DEALER: 1,
    Role.PIT_SUPERVISOR: 2,
    Role.PIT_MANAGER: 3,
    Role.SHIFT_MANAGER: 4,
    Role.CASINO_MANAGER: 5,
}
APPOINTABLE: Final = frozenset(role for role in Role if role.position is not None)
"""Roles that an appointment can assign for a limited time: all but auditor."""
AT_A_CONSOLE: Final = (Role.CASHIER, Role.DEALER)
"""Roles that work at the console of one table. All other roles have access to every table."""


def role_of(position: StaffPosition) -> Role | None:
    return Role(position.value) if position.value in Role._value2member_map_ else None


def at_least(lowest: Role) -> frozenset[Role]:
    return frozenset(role for role, rank in RANK.items() if rank >= RANK[lowest])


PIT: Final = at_least(Role.PIT_SUPERVISOR)
MANAGERS: Final = at_least(Role.PIT_MANAGER)
SHIFT: Final = at_least(Role.SHIFT_MANAGER)


class HouseRefusal(StrEnum):
    """Codes of refusals by the house, as sent to consoles and terminals."""

    # Refusals because of the caller.
    NOT_LOGGED_IN = "not_logged_in"
    WRONG_NAME_OR_PASSWORD = "wrong_name_or_password"
    TOO_MANY_FAILURES = "too_many_failures"
    PERSON_IS_LOCKED = "person_is_locked"
    CONSOLE_IS_LOCKED = "console_is_locked"
    CONSOLE_NEEDED = "console_needed"
    NO_POSITION = "no_position"
    NOT_AUTHORISED = "not_authorised"
    OTHER_TABLE = "other_table"
    OTHER_SEAT = "other_seat"
    NO_BILL_ACCEPTOR = "no_bill_acceptor"
    NO_GUESTS = "no_guests"
    TERMINAL_IS_REVOKED = "terminal_is_revoked"
    TOO_MANY_REQUESTS = "too_many_requests"
    # The request names something that does not exist or cannot be used.
    NO_SUCH_TABLE = "no_such_table"
    NO_SUCH_SEAT = "no_such_seat"
    NO_SUCH_TERMINAL = "no_such_terminal"
    NO_SUCH_PERSON = "no_such_person"
    NO_SUCH_APPOINTMENT = "no_such_appointment"
    NO_SUCH_CODE = "no_such_code"
    NO_SUCH_PROPOSAL = "no_such_proposal"
    NO_SUCH_ALERT = "no_such_alert"
    # Refusals of the requested action.
    NAME_IS_TAKEN = "name_is_taken"
    BAD_NAME = "bad_name"
    BAD_PASSWORD = "bad_password"
    BAD_POSITIONS = "bad_positions"
    BAD_TERM = "bad_term"
    NO_REASON_GIVEN = "no_reason_given"
    NOT_LOCKED = "not_locked"
    ALREADY_DONE = "already_done"
    HAS_EXPIRED = "has_expired"
    # Refusals because of an approval.
    NEEDS_SECOND_PERSON = "needs_second_person"
    SAME_PERSON = "same_person"
    NOT_INDEPENDENT = "not_independent"
    PASSWORD_NOT_OWN = "password_not_own"
    ABOVE_ONESELF = "above_oneself"
    STATE_HAS_CHANGED = "state_has_changed"
    # Found only in the check of a recorded event.
    NOT_A_FACT = "not_a_fact"
    """The event contradicts the state, so there is a bug or the journal was forged. Never sent to a client."""


class HouseRefused(Struct, frozen=True):
    refusal: HouseRefusal
    reason: str = ""
    wait_seconds: int = 1
    """For ``too_many_failures``: the seconds until the next attempt."""
