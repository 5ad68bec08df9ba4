"""The evidence of a round: readings, reports and the start of the spin, and the decisions that they support."""

import pytest

from tests.support.deal_acts import DECIDES, RESULT, SPIN
from tests.support.tables import (
    BALL_GAMES,
    GAMES,
    NOBODY,
    STAFF,
    TWO,
    Json,
    Play,
    Tables,
    each_game,
    evens,
    kinds,
    loses,
    the,
    wins,
)

WHEEL = "rws-money-wheel"
WITHOUT_CLAUSE = ("mbs-sands", WHEEL)
"""Games without a clause on interruptions."""
THIRD = "5"
"""An outcome of each wheel that no test reads."""


def spun(play: Play) -> Play:
    """Deal a round with one bet until the ball rolls and the Dealer has reported a valid spin."""
    play.open("a", credits=1000).bet(a={evens(play.name): 100}).spin().ok("observe_spin", who="dee", **play.spun())
    return play


def read(play: Play, outcome: str, who: str, by: str = "dealer", **fields: object) -> list[Json]:
    return play.ok("ball_at_rest", by, outcome=outcome, who=who, **fields)


def settle(outcome: str, **fields: object) -> Json:
    return {"round": 1, "ruling": "settle", "outcome": outcome, "reason": "the film shows it", **fields}


# Decisions.


@pytest.mark.parametrize("when", ["before the referral", "after the referral"])
@each_game(DECIDES)
def test_an_outcome_that_only_the_decider_has_read_is_off_the_record(game: str, when: str, table: Tables) -> None:
    play = spun(table(game))
    read(play, wins(game), "dee")
    if when == "before the referral":
        read(play, loses(game), "sam", "shift_manager")
    play.ok("refer", round=1, question="which number?", who="dee")
    if when == "after the referral":
        read(play, loses(game), "sam", "shift_manager")
    assert play.refused("decide", **settle(loses(game), who="sam"))[0] == "needs_second_person"
    made = the("decision_made", play.ok("decide", **settle(loses(game), who="sam", second="kim")))
    assert made["off_record"] is True
    assert play.credits("a") == [900]


@each_game(DECIDES)
def test_an_outcome_that_another_person_has_read_is_decided_alone(game: str, table: Tables) -> None:
    for outcome, who in ((wins(game), "sam"), (loses(game), "kim")):
        play = spun(table(game))
        read(play, wins(game), "dee")
        read(play, loses(game), "sam", "shift_manager")
        play.ok("refer", round=1, question="which number?", who="dee")
        made = the("decision_made", play.ok("decide", **settle(outcome, who=who)))
        assert "off_record" not in made


@each_game(DECIDES)
def test_a_void_round_is_reinstated_to_a_reading_by_one_person_and_to_other_outcomes_by_two(
    game: str, table: Tables
) -> None:
    play = spun(table(game))
    read(play, wins(game), "dee")
    read(play, loses(game), "sam", "shift_manager")
    play.ok("declare", irregularity="interference")
    play.ok("refer", "shift_manager", round=1, question="was there a hand?", who="sam")
    assert play.refused("decide", **settle(wins(game), who="sam"))[0] == "needs_second_person", "it is their matter"
    assert play.refused("decide", **settle(THIRD, who="kim"))[0] == "needs_second_person", "it has no reading"
    play.ok("decide", round=1, ruling="stand", reason="ask again", who="kim")
    play.ok("refer", round=1, question="was there a hand?", who="dee")
    assert play.refused("decide", **settle(loses(game), who="sam"))[0] == "needs_second_person", "only sam has read it"
    made, reinstated = play.ok("decide", **settle(wins(game), who="sam"))
    assert (reinstated["event"], "off_record" in made) == ("round_reinstated.v1", False)
    assert play.credits("a") == [1100]


@each_game(DECIDES)
def test_a_void_round_is_reinstated_to_its_only_reading_without_naming_it(game: str, table: Tables) -> None:
    for readings, answer in (((), None), ((wins(game),), wins(game)), ((wins(game), loses(game)), None)):
        play = spun(table(game))
        for outcome, who in zip(readings, ("dee", "kim"), strict=False):
            read(play, outcome, who)
        play.ok("declare", irregularity="interference")
        play.ok("refer", round=1, question="was there a hand?", who="dee")
        decided: Json = {"round": 1, "ruling": "settle", "reason": "seen on film", "who": "sam", "second": "pam"}
        if answer is None:
            assert play.refused("decide", **decided)[0] == "outcome_needed"
        else:
            made, reinstated = play.ok("decide", **decided)
            assert (made["outcome"], reinstated["outcome"]) == (answer, answer)


@each_game(DECIDES)
def test_a_void_round_that_is_reinstated_off_the_record_is_marked(game: str, table: Tables) -> None:
    play = spun(table(game))
    read(play, loses(game), "sam")
    play.ok("declare", irregularity="interference")
    play.ok("refer", round=1, question="was there a hand?", who="dee")
    made, _ = play.ok("decide", **settle(loses(game), who="sam", second="kim"))
    assert made["off_record"] is True, "the reading is that of the person who decides"


@pytest.mark.clause("mbs-electronic-double-zero", "5.14", "6.1")
def test_a_person_who_referred_any_matter_of_the_round_does_not_decide_it_alone(table: Tables) -> None:
    play = table("mbs-electronic-double-zero").open("a", "b", credits=1000).bet(a={"red": 100}, b={"red": 100})
    for seat, who in (("a", "sam"), ("b", "pam")):
        play.ok("declare", "pit_manager", irregularity="terminals_interrupted", seats=[seat], who=who)
    play.ok("refer", round=1, question="may betting go on?", who="dee")
    void: Json = {"round": 1, "seat": "a", "ruling": "void", "reason": "it was dark"}
    for who in ("sam", "pam", "dee"):
        assert play.refused("decide", **void, who=who)[0] == "needs_second_person"
    assert kinds(play.ok("decide", **void, who="kim")) == ["decision_made", "stake_returned"]
    play.ok("decide", round=1, ruling="stand", reason="all are lit", who="kim")
    play.ok("refer", round=1, question="and now?", who="dee")
    play.ok("decide", round=1, ruling="stand", reason="nothing", who="sam")


# Amendments.


@each_game(RESULT)
def test_a_person_without_a_name_amends_no_reading_of_a_named_person(game: str, table: Tables) -> None:
    play = spun(table(game))
    read(play, wins(game), "dee")
    for who in (NOBODY, " ", "bob"):
        assert play.refused("amend_reading", outcome=loses(game), who=who) == ("no_reading_to_amend", RESULT[game])
    unnamed = play.refused("ball_at_rest", outcome=loses(game))
    assert unnamed == ("ball_is_at_rest", RESULT[game]), "the person without a name may be dee"
    amended = the("reading_amended", play.ok("amend_reading", outcome=loses(game), who="Dee "))
    assert (amended["was"], amended["outcome"]) == (wins(game), loses(game))


@each_game(RESULT)
def test_a_reading_without_a_name_is_amended_without_a_name_in_its_position(game: str, table: Tables) -> None:
    play = spun(table(game))
    play.ok("ball_at_rest", outcome=wins(game))
    for by, sender in (("dealer", {"who": "dee"}), ("pit_supervisor", {})):
        assert play.refused("amend_reading", by, outcome=loses(game), **sender)[0] == "no_reading_to_amend"
    play.ok("amend_reading", outcome=loses(game))


@each_game({game: f"{RESULT[game]}, {DECIDES[game]}" for game in GAMES})
def test_a_reading_is_amended_while_the_round_is_referred(game: str, table: Tables) -> None:
    play = spun(table(game))
    play.ok("refer", round=1, question="was it struck?", who="pam")
    assert play.refused("amend_reading", outcome=wins(game), who="dee") == ("awaiting_decision", DECIDES[game])
    read(play, loses(game), "dee")
    assert play.refused("amend_reading", outcome=wins(game), who="ann")[0] == "no_reading_to_amend"
    play.ok("amend_reading", outcome=wins(game), who="dee")
    assert play.phase == "referred"
    made = the("decision_made", play.ok("decide", **settle(wins(game), who="kim")))
    assert "off_record" not in made
    assert play.credits("a") == [1100]


# Readings.


@each_game(RESULT)
def test_a_reading_that_differs_from_a_resolved_result_reopens_the_question(game: str, table: Tables) -> None:
    play = spun(table(game))
    read(play, wins(game), "dee")
    play.ok("register_result", outcome=loses(game))
    play.ok("correct_result", round=1, outcome=wins(game))
    read(play, loses(game), "pam", "pit_supervisor")
    assert play.refused("confirm_result")[0] == "readings_disagree"
    assert play.state["outcome"] is None
    assert play.refused("correct_result", round=1, outcome=loses(game), who="max")[0] == "needs_second_person"
    play.ok("correct_result", round=1, outcome=loses(game))
    play.ok("confirm_result")
    assert play.credits("a") == [900]


def segments_of(play: Play, symbol: str) -> list[int]:
    return [segment for segment, one in enumerate(play.game.wheel.order) if one == symbol]


@pytest.mark.parametrize("end", ["amended", "resolved"])
@pytest.mark.clause(WHEEL, "1 / Clapper", "3.5")
def test_readings_of_different_segments_disagree_although_their_symbols_agree(end: str, table: Tables) -> None:
    play = spun(table(WHEEL))
    first, second = segments_of(play, "20")
    read(play, "20", "dee", segment=first)
    read(play, "20", "pam", "pit_supervisor", segment=second)
    play.ok("register_result", outcome="20")
    answer = play.do("confirm_result")
    assert answer["refusal"] == "readings_disagree"
    assert f"20 in segment {first} (dee), 20 in segment {second} (pam)" in answer["reason"]
    assert play.state["outcome"] is None
    if end == "amended":
        amended = the("reading_amended", play.ok("amend_reading", outcome="20", segment=second, who="dee"))
        assert (amended["was"], amended["outcome"]) == ("20", "20")
        assert (amended["was_segment"], amended["segment"]) == (first, second)
    else:
        play.ok("correct_result", round=1, outcome="20")
    play.ok("confirm_result")
    play.ok("open_bets")
    play.ok("close_bets")
    assert the("spin_started", play.ok("start_spin"))["from_segment"] == (second if end == "amended" else first)


@pytest.mark.clause(WHEEL, "1 / Clapper", "3.5")
def test_a_reading_without_a_segment_agrees_with_one_of_the_same_symbol(table: Tables) -> None:
    play = spun(table(WHEEL))
    read(play, "20", "dee", segment=segments_of(play, "20")[1])
    read(play, "20", "pam", "pit_supervisor")
    play.ok("register_result", outcome="20")
    play.ok("confirm_result")


@pytest.mark.clause(WHEEL, "1 / Revolution", "3.5")
def test_the_next_spin_counts_from_the_segment_of_the_reading_that_is_the_result(table: Tables) -> None:
    play = spun(table(WHEEL))
    wrong, right = segments_of(play, "20")[0], segments_of(play, "10")[0]
    read(play, "20", "dee", segment=wrong)
    read(play, "10", "pam", "pit_supervisor", segment=right)
    play.ok("register_result", outcome="10")
    play.ok("correct_result", round=1, outcome="10")
    play.ok("confirm_result")
    play.ok("open_bets")
    play.ok("close_bets")
    assert the("spin_started", play.ok("start_spin"))["from_segment"] == right


# Reports of the spin.


@each_game(SPIN)
def test_the_pit_reports_a_spin_after_the_dealer_has(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin()
    higher = game == "mbs-electronic-double-zero"
    for by in STAFF[1:]:
        if not higher:
            assert play.refused("observe_spin", by, **play.spun())[0] == "not_authorised", "the Dealer reports first"
    play.ok("observe_spin", who="dee", **play.spun())
    for by in ("player", "cashier"):
        assert play.refused("observe_spin", by, **play.spun())[0] == "not_authorised"
    for by in STAFF[1:]:
        assert kinds(play.ok("observe_spin", by, who=by, **play.spun())) == ["spin_observed"]
    read(play, wins(game), "dee")
    play.ok("register_result", outcome=wins(game))
    play.ok("observe_spin", "pit_supervisor", who="pam", **play.spun(revolutions=2))
    assert play.refused("confirm_result") == ("reports_disagree", SPIN[game])


@each_game(SPIN)
def test_a_report_that_differs_ends_the_acceptance_of_the_spin(game: str, table: Tables) -> None:
    play = spun(table(game))
    play.ok("observe_spin", who="ann", **play.spun(revolutions=6))
    play.rest(wins(game)).ok("refer", round=1, question="how often did it turn?", who="dee")
    play.ok("decide", round=1, ruling="stand", reason="the film shows 14", who="sam")
    play.ok("observe_spin", "pit_supervisor", who="pam", **play.spun(revolutions=7))
    assert play.refused("confirm_result") == ("reports_disagree", SPIN[game])
    play.ok("refer", round=1, question="is the film right?", who="dee")
    play.ok("decide", round=1, ruling="stand", reason="it is", who="sam")
    play.ok("confirm_result")


@each_game({game: clause for game, clause in SPIN.items() if game in BALL_GAMES})
def test_revolutions_on_record_contradict_a_dropped_ball_of_unknown_direction(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={"red": 100}).spin()
    play.ok("observe_spin", ball=None, wheel="clockwise", revolutions=1 + 4)
    assert play.refused("declare", irregularity="ball_dropped")[0] == "against_the_record"
    play.ok("declare", irregularity="interference")
    play.bet(a={"red": 100}).spin().ok("observe_spin", ball=None, wheel="clockwise", revolutions=None)
    play.ok("declare", irregularity="ball_dropped")


# Stops of the software.


@each_game(RESULT)
def test_a_reading_after_a_stop_closes_bets_and_attests_the_start_of_the_spin(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    play.bet(a={evens(game): 100}).spin().ok("observe_spin", **play.spun())
    segment: Json = {"segment": segments_of(play, wins(game))[0]} if game == WHEEL else {}
    read(play, wins(game), "dee", **segment)
    play.ok("register_result", outcome=wins(game))
    play.ok("confirm_result")
    play.bet(a={evens(game): 100}).writer.stop_software()
    assert play.reopen() == []
    assert play.refused("ball_at_rest", outcome=wins(game), who="ann")[0] == "needs_second_person"
    closed, started, rested = play.ok("ball_at_rest", outcome=wins(game), **TWO)
    assert kinds([closed, started, rested]) == ["bets_closed", "spin_started", "ball_rested"]
    assert started["source"] == rested["source"] == {"by": "dealer", **TWO}
    assert started.get("from_segment") == segment.get("segment")
    play.ok("decide", round=2, ruling="stand", reason="the table is open again", who="sam")
    assert play.phase == "at_rest"
    assert play.refused("place_bets", seat="a", bets={evens(game): 100})[0] == "bets_are_closed"
    play.ok("register_result", outcome=wins(game))
    play.ok("observe_spin", **play.spun())
    play.ok("confirm_result")
    assert play.credits("a") == [1200]


@each_game()
def test_a_spin_on_record_is_not_started_again_by_a_reading_after_a_stop(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin()
    play.writer.stop_software()
    play.reopen()
    assert kinds(play.ok("ball_at_rest", outcome=wins(game), **TWO)) == ["ball_rested"]
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin()
    play.reopen()
    assert "spin_started" not in kinds(play.ok("ball_at_rest", outcome=wins(game), **TWO))


@each_game()
def test_one_person_reads_the_outcome_after_a_planned_stop_that_a_decision_ended(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin()
    play.writer.stop_software()
    play.reopen()
    play.ok("decide", round=1, ruling="stand", reason="the table is open again", who="sam")
    assert kinds(read(play, wins(game), "ann")) == ["ball_rested"]


@each_game(DECIDES, of=WITHOUT_CLAUSE)
def test_two_persons_read_the_outcome_after_a_power_cut_during_the_spin(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin()
    play.reopen()
    play.ok("decide", round=1, ruling="stand", reason="the ball still rolls", who="sam")
    assert play.refused("ball_at_rest", outcome=wins(game), who="ann")[0] == "needs_second_person"
    read(play, wins(game), "ann", second="ben")
    read(play, wins(game), "pam", "pit_supervisor")
    play.ok("register_result", outcome=wins(game))
    play.ok("observe_spin", **play.spun())
    play.ok("confirm_result")
    play.bet(a={evens(game): 100}).spin()
    assert kinds(read(play, wins(game), "ann")) == ["ball_rested"], "the next round was not interrupted"


@each_game(of=WITHOUT_CLAUSE)
def test_one_person_reads_the_outcome_of_a_spin_that_began_after_a_power_cut(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100})
    play.reopen()
    play.ok("decide", round=1, ruling="stand", reason="betting goes on", who="sam")
    play.spin()
    assert kinds(read(play, wins(game), "ann")) == ["ball_rested"]


@each_game(of=WITHOUT_CLAUSE)
def test_a_power_cut_is_not_forgotten_by_a_further_referral(game: str, table: Tables) -> None:
    """After "stand" one person neither reads the outcome nor voids the round, referred again or not."""
    play = spun(table(game))
    play.reopen()
    play.ok("decide", round=1, ruling="stand", reason="it rests", who="sam")
    assert play.refused("declare", irregularity="interference", who="dee")[0] == "needs_second_person"
    play.ok("refer", round=1, question="what does it show?", who="dee")
    assert play.refused("ball_at_rest", outcome=wins(game), who="dee")[0] == "needs_second_person"
    read(play, wins(game), "dee", second="pam")


@pytest.mark.clause(WHEEL, "3.5")
def test_a_segment_that_differs_reopens_a_resolved_round(table: Tables) -> None:
    play = spun(table(WHEEL))
    read(play, "20", "dee", segment=13)
    play.ok("register_result", outcome="10", who="dee")
    play.ok("correct_result", "pit_manager", round=1, outcome="20", **TWO)
    read(play, "20", "kim", "pit_supervisor", segment=39)
    assert play.refused("confirm_result", who="dee")[0] == "readings_disagree"


@pytest.mark.clause("mbs-electronic-double-zero", "5.14", "6.1")
def test_a_seat_that_goes_dark_again_with_bets_is_referred_again(table: Tables) -> None:
    play = table("mbs-electronic-double-zero").open("a", credits=1000)
    play.ok("open_bets")
    dark: Json = {"irregularity": "terminals_interrupted", "seats": ["a"]}
    assert kinds(play.ok("declare", **dark)) == ["terminals_interrupted"], "it has no bets yet"
    play.ok("place_bets", seat="a", bets={"red": 100})
    assert kinds(play.ok("declare", **dark)) == ["terminals_interrupted", "matter_referred"]
    assert kinds(play.ok("declare", **dark)) == ["terminals_interrupted"], "its matter is open"
    play.ok("decide", round=1, seat="a", ruling="stand", reason="it was in time", who="sam", second="kim")
    assert kinds(play.ok("declare", **dark)) == ["terminals_interrupted", "matter_referred"]
