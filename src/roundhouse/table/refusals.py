"""Refusal codes: why a command was not carried out. Deciders return refusals and do not raise them."""

from enum import StrEnum

from msgspec import Struct

from roundhouse.rules.names import Clause


class Refusal(StrEnum):
    """Codes of refusals, as sent to terminals. Checked in this order; the first that applies is sent."""

    # Refusals before the phase is considered.
    NOT_UNDERSTOOD = "not_understood"
    JOURNAL_UNAVAILABLE = "journal_unavailable"
    ID_IS_USED = "id_is_used"
    STATE_HAS_CHANGED = "state_has_changed"
    NOT_AUTHORISED = "not_authorised"
    # Refusals because of the phase or mode of the table.
    TABLE_IS_STOPPED = "table_is_stopped"
    TABLE_IS_CLOSED = "table_is_closed"
    TABLE_IS_OPEN = "table_is_open"
    NOT_IN_FORCE = "not_in_force"
    AWAITING_WHEEL = "awaiting_wheel"
    AWAITING_DECISION = "awaiting_decision"
    ROUND_IN_PROGRESS = "round_in_progress"
    NO_ROUND = "no_round"
    BETS_ARE_NOT_OPEN = "bets_are_not_open"
    BETS_ARE_OPEN = "bets_are_open"
    BETS_ARE_CLOSED = "bets_are_closed"
    BETS_CLOSE_WHILE_SPINNING = "bets_close_while_spinning"
    BETS_CLOSE_BEFORE_SPIN = "bets_close_before_spin"
    SPIN_HAS_STARTED = "spin_has_started"
    SPIN_HAS_NOT_STARTED = "spin_has_not_started"
    BALL_IS_AT_REST = "ball_is_at_rest"
    BALL_IS_NOT_AT_REST = "ball_is_not_at_rest"
    NO_RESULT_REGISTERED = "no_result_registered"
    SPIN_NOT_ATTESTED = "spin_not_attested"
    REPORTS_DISAGREE = "reports_disagree"
    READINGS_DISAGREE = "readings_disagree"
    MODE_IS_MANUAL = "mode_is_manual"
    MODE_IS_AUTOMATIC = "mode_is_automatic"
    NEEDS_A_DEALER = "needs_a_dealer"
    # things named in the command
    NO_SUCH_SEAT = "no_such_seat"
    SEAT_IS_TAKEN = "seat_is_taken"
    NO_SUCH_TERMINAL = "no_such_terminal"
    NO_SUCH_POSITION = "no_such_position"
    NO_SUCH_PACKAGE = "no_such_package"
    NO_SUCH_OUTCOME = "no_such_outcome"
    NO_SUCH_SEGMENT = "no_such_segment"
    NO_SUCH_COLOUR = "no_such_colour"
    NO_SUCH_IRREGULARITY = "no_such_irregularity"
    NO_SUCH_ROUND = "no_such_round"
    NO_SUCH_TICKET = "no_such_ticket"
    MISREPORTED = "misreported"
    # Refusals of the requested action.
    TOO_LATE_TO_DECLARE = "too_late_to_declare"
    AGAINST_THE_RECORD = "against_the_record"
    NOT_A_READING = "not_a_reading"
    NO_READING_TO_AMEND = "no_reading_to_amend"
    ROUND_IS_SETTLED = "round_is_settled"
    ROUND_IS_VOID = "round_is_void"
    PLAYED_BY_OTHER_RULEBOOK = "played_by_other_rulebook"
    NOTHING_TO_CORRECT = "nothing_to_correct"
    NOTHING_REFERRED = "nothing_referred"
    ALREADY_REFERRED = "already_referred"
    NO_REASON_GIVEN = "no_reason_given"
    OUTCOME_NEEDED = "outcome_needed"
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOTHING_TO_CLEAR = "nothing_to_clear"
    NOTHING_TO_REPEAT = "nothing_to_repeat"
    NOTHING_TO_DOUBLE = "nothing_to_double"
    NOTHING_THERE = "nothing_there"
    TICKET_IS_REDEEMED = "ticket_is_redeemed"
    TICKET_HAS_EXPIRED = "ticket_has_expired"
    COLOUR_IS_TAKEN = "colour_is_taken"
    SEAT_HAS_COLOUR = "seat_has_colour"
    NO_COLOUR = "no_colour"
    COLOUR_IS_ON_LAYOUT = "colour_is_on_layout"
    NO_CHECK_DUE = "no_check_due"
    ALREADY_CALLED = "already_called"
    NO_CALL = "no_call"
    # amounts
    BAD_AMOUNT = "bad_amount"
    BAD_LIMITS = "bad_limits"
    NO_LIMITS = "no_limits"
    BAD_CHIPS = "bad_chips"
    NOT_IN_CHIPS = "not_in_chips"
    BELOW_MINIMUM = "below_minimum"
    ABOVE_MAXIMUM = "above_maximum"
    ABOVE_SEAT_MAXIMUM = "above_seat_maximum"
    ABOVE_TABLE_MAXIMUM = "above_table_maximum"
    NOT_ENOUGH_CREDITS = "not_enough_credits"
    NO_CREDITS = "no_credits"
    # Refusals because of the Player's protection.
    LIMIT_NOT_ALLOWED = "limit_not_allowed"
    ON_A_BREAK = "on_a_break"
    TIME_LIMIT = "time_limit"
    REALITY_CHECK_DUE = "reality_check_due"
    LIMITS_NEEDED = "limits_needed"
    STAKE_LIMIT = "stake_limit"
    LOSS_LIMIT = "loss_limit"
    # Refusals because of a missing approval.
    NEEDS_SECOND_PERSON = "needs_second_person"


class Refused(Struct, frozen=True, gc=False):
    """A refusal code with the clause it is based on, if any, and an optional message for people."""

    refusal: Refusal
    clause: Clause | None = None
    reason: str | None = None
