"""Golden entries: one entry of every kind ever stored must decode and encode to the same bytes.

Lines of the file are never changed or removed, and ``NAMES`` never loses a name, because journals contain them.
"""

from itertools import chain
from typing import get_args

import pytest

from roundhouse.journal.entry import decode, encode
from roundhouse.table.commands import AnyCommand, Show
from roundhouse.table.events import AnyEvent
from roundhouse.table.refusals import Refusal
from tests.support.golden_events import STORED, kinds_of

LINES = STORED.read_bytes().splitlines()

NAMES = """
ball_rested.v1 bets_closed.v1 bets_opened.v1 bets_placed.v1 bets_withdrawn.v1 cashed_out.v1 credits_bought.v1
decision_made.v1 interruption_recovered.v1 last_rounds_announced.v1 late_bet_refused.v1
late_withdrawal_refused.v1 matter_referred.v1 result_confirmed.v1 result_registered.v1 round_corrected.v1
round_reversed.v1 round_settled.v1 round_voided.v1 seat_taken.v1 spin_observed.v1 spin_started.v1
automatic_mode_entered.v1 manual_mode_entered.v1 table_closed.v1 table_opened.v1 table_stopped.v1 ticket_redeemed.v1
table_resumed.v1 procedure_adopted.v1 outcome_read.v1 reading_amended.v1 rounds_skipped.v1 terminals_interrupted.v1
round_reinstated.v1 seat_decided.v1 stake_returned.v1 colour_issued.v1 colour_redeemed.v1 software_stopped.v1
cashed_out.v2 ticket_redeemed.v2
purchase_reversed.v1 cash_out_requested.v1 limits_changed.v1 enrolment_allowed.v1
dispute.v1 dispute_closed.v1 display_questioned.v1 seat_paused.v1 seat_resumed.v1 dealer_changed.v1
float_counted.v1 float_filled.v1 float_credited.v1 drop_removed.v1
protection_set.v1 break_taken.v1 check_acknowledged.v1 attendant_called.v1 call_attended.v1
"""
COMMANDS = """
ball_at_rest buy_credits call_no_spin cash_out clear close_bets close_table confirm_result correct_result decide
declare double observe_spin open_bets open_table place_bets place_package redeem_ticket refer register_result
repeat start_spin take_over hand_back take_seat undo withdraw_bets resume_table
amend_reading issue_colour redeem_colour
reverse_purchase request_cash_out change_limits allow_enrolment
dispute close_dispute question_display pause_seat resume_seat take_table hand_table
count_float fill credit drop_removed
set_protection take_break acknowledge_check call_attendant attend_call
"""
REASONS = """
not_understood journal_unavailable not_authorised table_is_stopped table_is_closed table_is_open awaiting_decision
round_in_progress no_round bets_are_not_open bets_are_open bets_are_closed bets_close_while_spinning
bets_close_before_spin spin_has_started spin_has_not_started ball_is_at_rest ball_is_not_at_rest
no_result_registered no_such_seat seat_is_taken no_such_terminal no_such_position no_such_package no_such_outcome
no_such_irregularity no_such_round no_such_ticket misreported too_late_to_declare round_is_settled round_is_void
nothing_to_correct nothing_referred already_referred no_reason_given outcome_needed nothing_to_undo
nothing_to_clear nothing_to_repeat nothing_to_double nothing_there ticket_is_redeemed ticket_has_expired bad_amount
bad_limits below_minimum above_maximum above_seat_maximum above_table_maximum not_enough_credits no_credits
id_is_used played_by_other_rulebook readings_disagree mode_is_manual mode_is_automatic
not_in_force awaiting_wheel spin_not_attested reports_disagree needs_a_dealer no_such_segment no_such_colour
against_the_record not_a_reading no_reading_to_amend colour_is_taken seat_has_colour no_colour colour_is_on_layout
no_limits bad_chips not_in_chips needs_second_person
no_such_purchase credits_are_spent above_house_maximum
table_has_dealer seat_is_paused no_such_dispute already_disputed too_many_disputes text_is_too_long no_name_given
already_dealer no_dealer seat_is_not_paused float_is_open no_float above_goodwill
no_check_due already_called no_call limit_not_allowed on_a_break time_limit reality_check_due limits_needed stake_limit
loss_limit
"""


ONLY_IN_ANSWERS = ("event cashed_out.v1 source", "event ticket_redeemed.v1 source")
"""Journals contain the second version of these events, so that they conceal the number of the ticket."""


def tags(union: object) -> set[str]:
    return {kind.__struct_config__.tag for kind in get_args(union) if kind is not Show}


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_a_stored_entry_decodes_and_encodes_to_the_same_bytes(line: bytes) -> None:
    assert encode(decode(line)) == line


def test_every_stored_name_still_exists() -> None:
    assert set(NAMES.split()) <= tags(AnyEvent)
    assert set(COMMANDS.split()) <= tags(AnyCommand)
    assert set(REASONS.split()) <= {refusal.value for refusal in Refusal}


def test_every_kind_has_a_golden_line_and_is_listed() -> None:
    """For a new kind, add it to the list and store an example: ``python -m tests.support.golden_events``."""
    assert tags(AnyEvent) == set(NAMES.split())
    assert tags(AnyCommand) == set(COMMANDS.split())
    stored = set(chain.from_iterable(map(kinds_of, LINES)))
    for tag, union in (("event", AnyEvent), ("do", AnyCommand)):
        for kind in get_args(union):
            for field in () if kind is Show else kind.__struct_encode_fields__:
                if field in ("who", "second"):
                    continue  # Every request has these fields; they are checked once below.
                name = f"{tag} {kind.__struct_config__.tag} {field}"
                # Optional fields must occur too, so that renaming one is detected.
                assert name in stored or name in ONLY_IN_ANSWERS
    assert {"do take_over who", "do take_over second"} <= stored
    assert {"fact at", "fact fresh_ticket", "fact ticket", "fact salt", "fact ticket_life", "fact money"} <= stored
    assert {"fact carries_session", "fact protection"} <= stored
