"""The acts of a round through ``roundhouse deal`` as JSON lines, in all five games.

Each test is one cause: what may not be confirmed, declared, decided, opened, bet or cashed out.
"""

from pathlib import Path
from typing import Any

import pytest

from roundhouse import rulebooks
from tests.support.deal_acts import ASKS, CORRECTS, DECIDES, RESULT, SPIN, WITHOUT_CLAUSE
from tests.support.deal_process import Deal
from tests.support.tables import BALL_GAMES, GAMES, SPUN_FIRST, TERMINALS, TWO, each_game, kinds

VOIDS = {
    game: sorted(id for id, one in rulebooks.find(game).rulebook.irregularities.items() if one.effect.voids)
    for game in GAMES
}


@each_game({"rws-double-zero": "5.5", "rws-triple-zero": "5.5", "mbs-electronic-double-zero": "6.3"})
def test_r1_r8_r9_a_registration_that_differs_is_held_until_it_is_resolved_to_a_reading(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin().attest().rest()
    play.ok("register_result", outcome=play.lost)
    assert play.refused("confirm_result") == "readings_disagree"
    assert play.state["outcome"] is None
    third = "5" if game != "rws-money-wheel" else "3"
    for outcome in (third, play.lost):
        assert play.refused("correct_result", round=1, outcome=outcome, **TWO) == "not_a_reading"
    assert play.refused("correct_result", round=1, outcome=play.won) == "needs_second_person"
    play.ok("correct_result", round=1, outcome=play.won, **TWO)
    play.ok("confirm_result")
    assert play.credits() == 10_000_000 + play.win


@each_game()
def test_r2_no_irregularity_is_declared_before_a_spin(game: str, acts: Any) -> None:
    play = acts(game).open().bets()
    for id in VOIDS[game]:
        if id != "interrupted_without_outcome":
            assert play.refused("declare", irregularity=id, **TWO) == "spin_has_not_started"
    if game not in SPUN_FIRST:
        play.ok("close_bets")
        assert play.refused("declare", irregularity="interference", **TWO) == "spin_has_not_started"


AGAINST = {"too_few_revolutions", "ball_dropped", "same_direction", "wheel_not_rotating", "ball_did_not_drop"}
AGAINST |= {"ball_left_wheel", "clapper_on_pin"}


@each_game()
def test_r3_nothing_is_declared_against_the_record_or_alone_after_registration(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin().attest().rest()
    play.ok("register_result", outcome=play.won)
    for id in VOIDS[game]:
        expected = "against_the_record" if id in AGAINST else "needs_second_person"
        if id == "no_spin":
            assert play.refused("call_no_spin", reason="a hand at the wheel", who="ann") == "needs_second_person"
        elif id == "interrupted_without_outcome":
            assert play.refused("declare", irregularity=id, **TWO) == "too_late_to_declare"
        else:
            assert play.refused("declare", irregularity=id, who="ann") == expected, id
            assert play.refused("declare", irregularity=id, who="ann", second="ann") == expected, id
    last = "foreign_object" if game in BALL_GAMES else "interference"
    play.ok("declare", irregularity=last, **TWO)
    assert play.credits() == 10_000_000


@each_game(SPIN)
def test_r4_a_second_report_that_differs_is_a_dispute(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin().attest()
    assert kinds(play.ok("observe_spin", **play.report(revolutions=2))) == ["spin_observed"]
    play.rest(registered=play.won)
    assert play.refused("confirm_result") == "reports_disagree"
    play.ok("refer", round=1, question="How often did it turn?")
    play.ok("decide", round=1, ruling="stand", reason="the film shows 14", who="sam")
    play.ok("confirm_result")
    assert play.credits() == 10_000_000 + play.win


@each_game(SPIN)
def test_r4_three_reports_of_which_only_the_last_two_differ_are_a_dispute(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin()
    for revolutions in (None, 14, 2):
        play.ok("observe_spin", **play.report(revolutions=revolutions))
    play.rest(registered=play.won)
    assert play.refused("confirm_result") == "reports_disagree"


@each_game(of=BALL_GAMES)
def test_r4_two_incomplete_reports_that_show_one_direction_void_the_round(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin()
    play.ok("observe_spin", ball="clockwise", wheel=None, revolutions=14, seen=[])
    events = play.ok("observe_spin", ball=None, wheel="clockwise", revolutions=None, seen=[])
    assert kinds(events) == ["spin_observed", "round_voided"]
    assert events[1]["causes"] == ["same_direction"]


@each_game(SPIN)
def test_r5_nothing_is_confirmed_without_a_word_on_the_spin(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin().rest()
    play.ok("register_result", outcome=play.won)
    assert play.refused("confirm_result") == "spin_not_attested"
    nothing = play.report(ball=None, wheel=None, revolutions=None)
    play.ok("observe_spin", **nothing)
    assert play.refused("confirm_result") == "spin_not_attested"
    play.attest().ok("confirm_result")


@pytest.mark.parametrize("missing", ["ball", "wheel", "revolutions"])
@each_game({game: clause for game, clause in SPIN.items() if game in BALL_GAMES})
def test_r5_nothing_is_confirmed_while_one_value_of_the_spin_is_unknown(game: str, missing: str, acts: Any) -> None:
    play = acts(game).open().bets().spin()
    play.ok("observe_spin", **play.report(**{missing: None}))
    play.rest(registered=play.won)
    answer = play.ask("confirm_result")
    assert (answer["refusal"], answer["clause"]) == ("spin_not_attested", SPIN[game])
    assert f"nor attested: {missing};" in answer["reason"]
    play.attest().ok("confirm_result")


@each_game(of=tuple(game for game in GAMES if game != "mbs-electronic-double-zero"))
def test_r6_a_report_of_rest_closes_open_bets_and_refers_the_round(game: str, acts: Any) -> None:
    play = acts(game).open().bets()
    play.ok("start_spin")
    play.attest()
    assert kinds(play.ok("ball_at_rest", outcome=play.won)) == ["bets_closed", "ball_rested", "matter_referred"]
    late = play.ask("place_bets", seat="s0", bets={play.position: 1000})
    assert (late["refusal"], kinds(late["events"])) == ("bets_are_closed", ["late_bet_refused"])
    assert play.state["phase"] == "referred"
    play.ok("decide", round=1, ruling="settle", outcome=play.won, reason="bets closed with the report", who="sam")
    assert play.credits() == 10_000_000 + play.win


@each_game(RESULT)
def test_r7_no_person_reads_for_the_wheel_and_no_client_is_a_program(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin()
    assert play.refused("ball_at_rest", outcome=play.won, read_by="wheel") == "not_authorised"
    for by in ("system", "automatic_dealer"):
        assert play.refused("ball_at_rest", by, outcome=play.won) == "not_authorised"
    for id in ("auto:1", "house:1"):
        answer = play.deal.ask({"id": id, "by": "dealer", "do": "ball_at_rest", "outcome": play.won})[0]
        assert answer["refusal"] == "not_authorised"


@each_game(RESULT)
def test_two_readings_that_differ_wait_for_the_pit_or_for_an_amendment(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin().attest()
    play.ok("ball_at_rest", outcome=play.lost, who="ann")
    play.ok("ball_at_rest", "pit_supervisor", outcome=play.won, who="ben")
    assert play.state["outcome"] is None
    play.ok("register_result", outcome=play.won)
    assert play.refused("confirm_result") == "readings_disagree"
    assert play.refused("amend_reading", outcome=play.won, who="cid") == "no_reading_to_amend"
    [amended] = play.ok("amend_reading", outcome=play.won, who="ann")
    assert (amended["was"], amended["outcome"]) == (play.lost, play.won)
    play.ok("confirm_result")
    assert play.credits() == 10_000_000 + play.win


@each_game(CORRECTS)
def test_r13_settled_winnings_are_taken_back_only_by_a_clause_or_a_decision(game: str, acts: Any) -> None:
    play = acts(game).open().at("settled")
    by = "pit_manager"
    if game in WITHOUT_CLAUSE:
        assert play.refused("correct_result", by, round=1, outcome=play.lost, **TWO) == "round_is_settled"
        play.ok("refer", round=1, question="It was another number.")
        decided = {"round": 1, "ruling": "settle", "outcome": play.lost, "reason": "seen on film"}
        assert play.refused("decide", **decided) == "needs_second_person"
        events = play.ok("decide", **decided, **TWO)
        assert events[0]["off_record"] is True
    else:
        assert play.refused("correct_result", by, round=1, outcome=play.lost) == "needs_second_person"
        play.ok("correct_result", by, round=1, outcome=play.lost, **TWO)
    assert play.credits() == 9_999_000


@each_game(DECIDES)
def test_r14_a_void_round_is_reinstated_by_the_person_who_decides(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin().attest().rest()
    play.ok("register_result", outcome=play.won)
    play.ok("declare", irregularity="interference", **TWO)
    play.ok("refer", round=1, question="There was no hand.")
    settle = {"round": 1, "ruling": "settle", "outcome": play.won, "reason": "seen on film"}
    assert play.refused("decide", "pit_manager", **settle, **TWO) == "not_authorised"
    assert kinds(play.ok("decide", **settle, **TWO)) == ["decision_made", "round_reinstated"]
    state = play.state
    assert (state["meters"]["voids"], state["meters"]["rounds"]) == (0, 1)
    assert (state["meters"]["handle"], state["meters"]["win"]) == (1000, -play.win)
    assert play.credits() == 10_000_000 + play.win
    play.ok("refer", round=1, question="Again?")
    assert play.refused("decide", **settle, **TWO) == "nothing_to_correct"


@each_game(DECIDES)
def test_r14_one_person_reinstates_a_void_round_to_a_reading_of_another_and_two_to_any_other(
    game: str, acts: Any
) -> None:
    play = acts(game).open().bets().spin().attest()
    play.ok("ball_at_rest", outcome=play.won, who="dee")
    play.ok("declare", irregularity="interference", who="dee")
    play.ok("refer", round=1, question="There was no hand.", who="dee")
    settle = {"round": 1, "ruling": "settle", "reason": "seen on film", "who": "sam"}
    assert play.refused("decide", **settle, outcome=play.lost) == "needs_second_person"
    made, reinstated = play.ok("decide", **settle, outcome=play.won)
    assert (reinstated["event"], "off_record" in made) == ("round_reinstated.v1", False)
    assert play.credits() == 10_000_000 + play.win


@each_game(DECIDES)
def test_the_person_who_decides_does_not_read_the_outcome_that_they_settle(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin().attest()
    play.ok("ball_at_rest", outcome=play.won, who="dee")
    play.ok("refer", round=1, question="A Player disputes it.", who="dee")
    play.ok("ball_at_rest", "shift_manager", outcome=play.lost, who="sam")
    settle = {"round": 1, "ruling": "settle", "outcome": play.lost, "reason": "seen"}
    assert play.refused("decide", **settle, who="sam") == "needs_second_person"
    assert play.refused("decide", **settle, who="sam", second="Sam") == "needs_second_person"
    assert play.ok("decide", **settle, who="sam", second="kim")[0]["off_record"] is True


@each_game(DECIDES)
def test_a_round_is_decided_per_seat_and_a_question_is_referred_without_a_round(game: str, acts: Any) -> None:
    play = acts(game).open().at("settled")
    play.ok("refer", round=1, question="The terminal was dark.")
    play.ok("decide", round=1, seat="s0", ruling="void", reason="it was", **TWO)
    assert play.credits() == 10_000_000
    assert list(play.state["matters"]) == ["1"]
    play.ok("decide", round=1, ruling="stand", reason="for all others", **TWO)
    play.ok("refer", question="What is a revolution?")
    assert play.refused("decide", ruling="void", reason="no round") == "no_round"
    play.ok("decide", ruling="stand", reason="360 degrees", who="sam")
    assert play.state["matters"] == {}


@each_game(DECIDES)
def test_a_decision_before_the_rest_or_by_the_referrer_alone_is_refused(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin()
    play.ok("refer", "shift_manager", round=1, question="Was it struck?", who="sam")
    settle = {"round": 1, "ruling": "settle", "outcome": play.won, "reason": "seen"}
    assert play.refused("decide", **settle, **TWO) == "ball_is_not_at_rest"
    play.ok("ball_at_rest", outcome=play.won, who="ann")
    assert play.refused("decide", **settle, who="sam") == "needs_second_person"
    other = {**settle, "outcome": play.lost}
    assert play.refused("decide", **other, who="kim") == "needs_second_person"
    events = play.ok("decide", **other, who="kim", second="sam")
    assert events[0]["off_record"] is True


@each_game({"rws-double-zero": "5.4", "rws-triple-zero": "5.4"})
def test_r16_a_broken_ball_skips_rounds_that_are_void(game: str, acts: Any) -> None:
    play = acts(game).open().bets().spin().attest().settle()
    play.bets().spin().ok("declare", irregularity="interference")
    play.bets().spin().attest().settle()
    broken = {"irregularity": "ball_broke", "rounds": [1, 2, 3]}
    assert play.refused("declare", **broken, **TWO) == "not_authorised"
    assert play.refused("declare", "pit_manager", **broken) == "needs_second_person"
    events = play.ok("declare", "pit_manager", **broken, **TWO)
    assert events[0]["event"] == "rounds_skipped.v1"
    assert events[0]["rounds"] == [2]
    assert play.credits() == 10_000_000


@each_game()
def test_r20_limits_are_those_of_the_request_or_wide_ones(game: str, acts: Any) -> None:
    opened = acts(game).ok("open_table")[0]
    assert opened["limits"]["seat"]["min"] == 1
    assert opened["currency"] == "XXX"
    assert opened.get("chips", [100])[0] == 100


@each_game({"mbs-sands": "1.1.1, 3.3", "rws-money-wheel": "1 / Colour Chips, 3.3"})
def test_r21_stakes_are_made_of_chips(game: str, acts: Any) -> None:
    play = acts(game).open()
    play.ok("open_bets")
    for cents in (1, 1234):
        assert play.refused("place_bets", seat="s0", bets={play.position: cents}) == "not_in_chips"
    play.ok("place_bets", seat="s0", bets={play.position: 1200})
    colour = rulebooks.find(game).rulebook.chips
    assert colour is not None
    issue = {"seat": "s0", "colour": colour.colours[0], "value_cents": 250}
    assert play.refused("issue_colour", **{**issue, "colour": "no colour"}) == "no_such_colour"
    play.ok("issue_colour", **issue)
    assert play.refused("issue_colour", **issue) == "seat_has_colour"
    play.ok("take_seat", seat="s1", terminal=TERMINALS[game])
    assert play.refused("issue_colour", **{**issue, "seat": "s1"}) == "colour_is_taken"
    play.ok("place_bets", seat="s0", bets={play.position: 350})
    assert play.refused("place_bets", seat="s0", bets={play.position: 150}) == "not_in_chips"
    assert play.refused("redeem_colour", seat="s0") == "colour_is_on_layout"
    play.ok("clear", seat="s0")
    assert play.refused("cash_out", seat="s0") == "seat_has_colour"
    play.ok("redeem_colour", seat="s0")
    assert play.refused("place_bets", seat="s0", bets={play.position: 350}) == "not_in_chips"
    assert play.credits() == 10_000_000


@each_game(of=tuple(game for game in GAMES if game not in WITHOUT_CLAUSE))
def test_r21_a_game_without_chips_issues_no_colour(game: str, acts: Any) -> None:
    play = acts(game).open()
    assert play.refused("issue_colour", seat="s0", colour="blue", value_cents=100) == "no_such_colour"
    assert play.refused("redeem_colour", seat="s0") == "no_colour"


@each_game()
def test_r23_staff_cash_out_a_seat_only_with_a_second_person(game: str, acts: Any) -> None:
    play = acts(game).open()
    for by in ("dealer", "pit_supervisor", "shift_manager"):
        assert play.refused("cash_out", by, seat="s0") in ("needs_second_person", "not_authorised")
        assert play.refused("cash_out", by, seat="s0", who="ann", second="Ann ") in (
            "needs_second_person",
            "not_authorised",
        )
    play.ok("cash_out", "dealer", seat="s0", **TWO)


@each_game({"rws-double-zero": "5.2", "rws-triple-zero": "5.2", "mbs-electronic-double-zero": "5.14"}, of=tuple(ASKS))
def test_terminals_that_go_dark_are_on_record_and_the_round_goes_on(game: str, acts: Any) -> None:
    play = acts(game).open().bets()
    dark = {"irregularity": "terminals_interrupted", "seats": ["s0"]}
    assert play.refused("declare", "pit_manager", **{**dark, "seats": ["ghost"]}) == "no_such_seat"
    events = play.ok("declare", "pit_manager", **dark)
    mixed = game == "mbs-electronic-double-zero"
    assert kinds(events) == ["terminals_interrupted", *(["matter_referred"] if mixed else [])]
    assert play.state["phase"] == "bets_open"
    play.spin().attest().settle()
    assert play.credits() == 10_000_000 + play.win
    if mixed:
        play.ok("decide", round=1, seat="s0", ruling="void", reason="it never saw the closing", **TWO)
        assert play.credits() == 10_000_000


@pytest.mark.clause("mbs-electronic-double-zero", "5.15")
def test_a_no_spin_call_states_its_suspicion(acts: Any) -> None:
    play = acts("mbs-electronic-double-zero").open().bets().spin()
    assert play.refused("declare", irregularity="no_spin") == "no_reason_given"
    assert play.refused("declare", irregularity="no_spin", **TWO) == "no_reason_given"
    assert play.refused("observe_spin", **play.report(seen=["no_spin"])) == "no_reason_given"
    assert play.rest().refused("call_no_spin") == "no_reason_given"
    [void] = play.ok("call_no_spin", reason="a hand at the wheel")
    assert void["reason"] == "a hand at the wheel"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--currency", "sgd"), "three capital letters"),
        (("--currency", "XYZ"), "ISO 4217 has no currency 'XYZ'"),
        (("--currency", "XAU"), "ISO 4217 has no currency 'XAU'"),
        (("--currency", "SGD", "--wheel", "simulated:50"), "simulated wheel is for play money"),
        (("--currency", "SGD", "--wheel", "/dev/null", "--auto"), "--auto is for play money"),
    ],
)
def test_real_money_is_not_dealt_by_programs(options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    deal = Deal(tmp_path / "journal", "rws-double-zero", *options)
    assert deal.ready == {}
    status, error = deal.end()
    assert status != 0
    assert message in error
    assert len(error.strip().splitlines()) == 1


def test_a_table_keeps_its_currency(tmp_path: Path, acts: Any) -> None:
    play = acts("rws-double-zero", "--currency", "SGD").open()
    assert play.refused("hand_back") == "needs_a_dealer"
    play.deal.end()
    status, error = Deal(play.journal, "rws-double-zero").end()
    assert status != 0
    assert "is in SGD, not XXX" in error
    play.deal = Deal(play.journal, "rws-double-zero", "--currency", "SGD")
