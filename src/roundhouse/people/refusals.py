"""Refusals of the house: why something was not done. A person's mistake is an answer, not an exception."""

from enum import StrEnum

from msgspec import Struct


class Refusal(StrEnum):
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


class Refused(Struct, frozen=True):
    refusal: Refusal
    reason: str = ""
