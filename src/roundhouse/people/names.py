"""The kinds of name and number that the house adds to those of the rules and the tables.

Refusals of the house: why something was not done. A person's mistake is an answer, not an exception.
"""

from enum import StrEnum
from typing import Final, NewType

from msgspec import Struct

from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis, PersonName, TableId

PersonId = PersonName
"""The name by which somebody logs in."""
SessionId = NewType("SessionId", str)
AppointmentId = NewType("AppointmentId", str)
OfferId = NewType("OfferId", str)
"""An offer to enrol a terminal. The code that takes it up is a secret; this is not."""
TerminalNumber = NewType("TerminalNumber", str)
"""One enrolled terminal. Enrolled again, it has another."""
ProposalId = NewType("ProposalId", str)
AlertId = NewType("AlertId", str)

PASSWORD: Final = "password"
TERMINAL_KEY: Final = "terminal"
"""The kinds of secret of which a verifier is kept, each under the name of its owner."""

HOUSE_CHAIN: Final = TableId("@house")
"""The house's own chain. A table's name begins with a letter or a digit, so that none can be taken for it."""

MINUTE: Final = Millis(60_000)
MAX_FAILURES: Final = 3
CODE_LIFE: Final = Millis(10 * MINUTE)
PROPOSAL_LIFE: Final = Millis(10 * MINUTE)
IDLE_LIFE: Final = Millis(5 * MINUTE)
"""A console that nobody touches for so long locks itself."""
SESSION_LIFE: Final = Millis(16 * 60 * MINUTE)
"""Nobody works longer than this without logging in again."""
MAX_TERM: Final = Millis(92 * 24 * 60 * MINUTE)


class Role(StrEnum):
    """What somebody can be at a house: the positions of the rulebooks, and the auditor, who changes nothing."""

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
"""The roles that an appointment can give for a time: the positions of the rulebooks."""
AT_A_CONSOLE: Final = (Role.CASHIER, Role.DEALER)
"""These work at the console of one table; everybody else looks after all of them."""


def role_of(position: StaffPosition) -> Role | None:
    return Role(position.value) if position.value in Role._value2member_map_ else None


def at_least(lowest: Role) -> frozenset[Role]:
    return frozenset(role for role, rank in RANK.items() if rank >= RANK[lowest])


PIT: Final = at_least(Role.PIT_SUPERVISOR)
MANAGERS: Final = at_least(Role.PIT_MANAGER)
SHIFT: Final = at_least(Role.SHIFT_MANAGER)


class HouseRefusal(StrEnum):
    """Sent to consoles and terminals as it is."""

    # who asks
    NOT_LOGGED_IN = "not_logged_in"
    WRONG_NAME_OR_PASSWORD = "wrong_name_or_password"
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
    # what is named
    NO_SUCH_TABLE = "no_such_table"
    NO_SUCH_SEAT = "no_such_seat"
    NO_SUCH_TERMINAL = "no_such_terminal"
    NO_SUCH_PERSON = "no_such_person"
    NO_SUCH_APPOINTMENT = "no_such_appointment"
    NO_SUCH_CODE = "no_such_code"
    NO_SUCH_PROPOSAL = "no_such_proposal"
    NO_SUCH_ALERT = "no_such_alert"
    # what is asked of it
    NAME_IS_TAKEN = "name_is_taken"
    BAD_NAME = "bad_name"
    BAD_PASSWORD = "bad_password"
    BAD_POSITIONS = "bad_positions"
    BAD_TERM = "bad_term"
    NO_REASON_GIVEN = "no_reason_given"
    NOT_LOCKED = "not_locked"
    ALREADY_DONE = "already_done"
    HAS_EXPIRED = "has_expired"
    # two persons
    NEEDS_SECOND_PERSON = "needs_second_person"
    SAME_PERSON = "same_person"
    ABOVE_ONESELF = "above_oneself"
    STATE_HAS_CHANGED = "state_has_changed"
    # the record itself
    NOT_A_FACT = "not_a_fact"
    """What is said to have happened cannot have happened so. Nobody is answered this; a forged record is."""


class HouseRefused(Struct, frozen=True):
    refusal: HouseRefusal
    reason: str = ""
