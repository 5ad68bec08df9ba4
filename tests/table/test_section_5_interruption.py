"""Technical interruptions: the journal is closed and reopened in every phase of every game."""

import pytest

from roundhouse.table.names import Millis
from tests.support.tables import GAMES, SPUN_FIRST, TWO, Json, Play, Tables, each_game, evens, kinds, loses, the, wins

WITHOUT = {"rws-double-zero": "5.1.2", "rws-triple-zero": "5.1.2", "mbs-electronic-double-zero": "5.13.1"}
ASKED = {"rws-double-zero": "5.1", "rws-triple-zero": "5.1", "mbs-electronic-double-zero": "5.13"}
WITH = {"rws-double-zero": "5.1.1", "rws-triple-zero": "5.1.1", "mbs-electronic-double-zero": "5.13.2"}
"""The other two documents have no clause on interruptions."""

VOID = {
    "rws-double-zero": "5.1, 5.1.2",
    "rws-triple-zero": "5.1, 5.1.2",
    "mbs-sands": "general law",
    "mbs-electronic-double-zero": "5.13, 5.13.1",
    "rws-money-wheel": "general law",
}
CONCLUDED = {
    "rws-double-zero": "5.1, 5.1.1",
    "rws-triple-zero": "5.1, 5.1.1",
    "mbs-sands": "general law",
    "mbs-electronic-double-zero": "5.13, 5.13.2",
    "rws-money-wheel": "general law",
}

DECIDES = {
    "rws-double-zero": "5.10",
    "rws-triple-zero": "5.10",
    "mbs-sands": "general law",
    "mbs-electronic-double-zero": "6.1",
    "rws-money-wheel": "general law",
}


ASKING = tuple(WITHOUT)
"""Games with clauses on interruptions. In the other two the round is referred."""
NONE_STANDS = "interrupted_without_outcome"
NOT_AT_REST = "ball_is_not_at_rest"


def spin_steps(game: str) -> tuple[str, str]:
    return ("start_spin", "close_bets") if game in SPUN_FIRST else ("close_bets", "start_spin")


@pytest.mark.parametrize("steps", [0, 1, 2])
@each_game(VOID, of=ASKING)
def test_without_an_outcome_on_record_the_house_asks_what_the_wheel_shows(game: str, steps: int, table: Tables) -> None:
    play = table(game).open("a", "b", credits=1000).bet(a={evens(game): 300}, b={evens(game): 70})
    for step in spin_steps(game)[:steps]:
        play.ok(step)
    phase = play.phase
    [recovered] = play.reopen()
    assert (recovered["event"], recovered["phase"], recovered["asks"]) == ("interruption_recovered.v1", phase, True)
    assert recovered["clause"] == WITHOUT[game].rpartition(".")[0]
    assert (play.phase, play.state["interrupted"]) == ("interrupted", True)
    assert play.reopen() == [], "the interruption is recorded once"
    assert play.refused("ball_at_rest", outcome=wins(game), who="ann")[0] == "needs_second_person"
    for persons in ({"who": "ann"}, {"who": "ann", "second": "ann"}, {"second": "ben"}):
        assert play.refused("declare", irregularity=NONE_STANDS, **persons)[0] == "needs_second_person"
    void = the("round_voided", play.ok("declare", irregularity=NONE_STANDS))
    assert (void["clauses"], void["seats"]) == ([WITHOUT[game]], {"a": 300, "b": 70})
    assert (play.phase, play.credits("a", "b")) == ("idle", [1000, 1000])
    assert play.reopen() == []
    assert play.round(wins(game), a={evens(game): 100}) == 2


@pytest.mark.parametrize("steps", [0, 1, 2])
@each_game(CONCLUDED, of=ASKING)
def test_an_outcome_that_stands_on_the_wheel_is_told_by_two_persons(game: str, steps: int, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 300})
    for step in spin_steps(game)[:steps]:
        play.ok(step)
    play.reopen()
    late = play.refused("place_bets", seat="a", bets={evens(game): 10})[0]
    assert late == ("awaiting_wheel" if steps == 0 else "bets_are_closed")
    events = play.ok("ball_at_rest", outcome=wins(game), **TWO)
    assert kinds(events)[-2:] == ["ball_rested", "interruption_recovered"]
    assert events[-1]["clause"] == WITH[game]
    assert ("bets_closed" in kinds(events)) is (steps == 0)
    assert play.refused("amend_reading", outcome=loses(game), who="ann")[0] == "needs_second_person"
    play.ok("register_result", outcome=wins(game))
    assert play.refused("confirm_result")[0] == "spin_not_attested"
    play.ok("observe_spin", **play.spun())
    play.ok("confirm_result")
    assert play.credits("a") == [1300]


@pytest.mark.parametrize("registered", ["nothing", "right", "wrong"])
@each_game(CONCLUDED, of=ASKING)
def test_with_an_outcome_on_record_people_go_on_in_the_phase_reached(game: str, registered: str, table: Tables) -> None:
    play = table(game).open("a", "b", credits=1000).bet(a={evens(game): 300}, b={evens(game): 70}).spin()
    play.ok("ball_at_rest", outcome=wins(game))
    if registered != "nothing":
        play.ok("register_result", outcome=wins(game) if registered == "right" else loses(game))
    phase = play.phase
    [recovered] = play.reopen()
    assert (recovered["irregularity"], recovered["clause"]) == ("interrupted_with_outcome", WITH[game])
    assert (play.phase, play.credits("a", "b")) == (phase, [700, 930])
    if registered == "wrong":
        assert (recovered["phase"], play.state["outcome"]) == ("held", None)
        assert play.refused("confirm_result")[0] == "readings_disagree"
    play.ok("register_result", outcome=wins(game))
    assert play.refused("confirm_result")[0] == "spin_not_attested"
    play.ok("observe_spin", **play.spun())
    play.ok("confirm_result")
    assert play.credits("a", "b") == [1300, 1070]


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4])
@each_game({"mbs-sands": "general law", "rws-money-wheel": "general law"})
def test_a_rulebook_without_a_clause_suspends_and_refers_the_round(game: str, steps: int, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 300})
    first, then = spin_steps(game)
    results = [("ball_at_rest", {"outcome": wins(game)}), ("register_result", {"outcome": loses(game)})]
    play.script(*[(first, {}), (then, {}), *results][:steps])
    recovered, *closed, referred = play.reopen()
    assert recovered["event"] == "interruption_recovered.v1"
    assert (referred["clause"], referred["source"]) == ("general law", {"by": "system"})
    assert kinds(closed) == (["bets_closed"] if game in SPUN_FIRST and steps == 1 else [])
    assert (play.phase, play.credits("a")) == ("referred", [700])
    if steps < 3:
        assert play.refused("ball_at_rest", outcome=wins(game), who="ann")[0] == "needs_second_person"
        assert play.refused("decide", round=1, ruling="settle", reason="?", outcome=wins(game))[0] == NOT_AT_REST
        play.ok("ball_at_rest", outcome=wins(game), **TWO)
    assert play.state["phase"] == "referred"
    play.ok("decide", round=1, ruling="settle", outcome=wins(game), reason="the ball stands there", who="sam")
    assert play.credits("a") == [1300]


@each_game()
def test_an_interruption_between_rounds_needs_no_recovery(game: str, table: Tables) -> None:
    play = table(game)
    assert play.reopen() == []
    play.open("a", credits=1000)
    assert play.reopen() == []
    play.round(wins(game), a={evens(game): 100})
    with play.same_money():
        assert play.reopen() == []
        play.ok("close_table")
        assert play.reopen() == []
    assert play.phase == "closed"


def refer_and_interrupt(play: Play, steps: int) -> Play:
    """Refer a round a given number of steps after its bets, and interrupt it."""
    game = play.name
    play.open("a", credits=1000).bet(a={evens(game): 300})
    first, then = spin_steps(game)
    script = [
        (first, {}),
        (then, {}),
        ("ball_at_rest", {"outcome": wins(game)}),
        ("register_result", {"outcome": loses(game)}),
    ]
    play.script(*script[:steps])
    play.ok("refer", round=1, question="what is that on the rim?")
    (recovered,) = play.reopen()
    rested = steps > 2
    clause = (WITH if rested else ASKED).get(game, "general law")
    assert (recovered["event"], recovered["phase"]) == ("interruption_recovered.v1", "referred")
    assert recovered["irregularity"] == ("interrupted_with_outcome" if rested else "interrupted")
    assert recovered["clause"] == clause
    assert (play.phase, play.state["matters"]) == ("referred", {"1": "what is that on the rim?"})
    assert play.reopen() == [], "the interruption is already recorded"
    return play


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4])
@each_game({game: f"{VOID[game]}, {CONCLUDED[game]}, {DECIDES[game]}" for game in GAMES})
def test_a_referral_survives_an_interruption_and_people_go_on_with_its_round(
    game: str, steps: int, table: Tables
) -> None:
    play = refer_and_interrupt(table(game), steps)
    decision, *asks = play.ok("decide", round=1, ruling="stand", reason="a feather, now removed")
    assert decision["event"] == "decision_made.v1"
    if steps > 2:
        assert asks == []
        assert play.phase == ("at_rest" if steps == 3 else "registered")
    elif game in ASKING:
        assert [event["asks"] for event in asks] == [True]
        assert play.phase == "interrupted"
        play.ok("ball_at_rest", outcome=wins(game), **TWO)
    else:
        assert (asks, play.phase != "referred") == ([], True)
        # A referral during a spin has closed the bets.
        for do in spin_steps(game)[steps:] if play.phase != "spinning" else ():
            play.ok(do)
        was_spun = "start_spin" in spin_steps(game)[:steps]
        if was_spun:
            assert play.refused("ball_at_rest", outcome=wins(game), who="ann")[0] == "needs_second_person"
        play.ok("ball_at_rest", outcome=wins(game), **(TWO if was_spun else {}))
    play.ok("register_result", outcome=wins(game))
    play.ok("observe_spin", **play.spun())
    play.ok("confirm_result")
    assert (play.phase, play.credits("a")) == ("idle", [1300])
    assert play.reopen() == []
    play.bet(a={evens(game): 100})
    play.ok("refer", round=2, question="and now?")
    assert kinds(play.ok("decide", round=2, ruling="stand", reason="nothing")) == ["decision_made"], (
        "the next round was not interrupted"
    )
    assert play.phase == "bets_open"


@pytest.mark.parametrize("steps", [2, 4])
@each_game()
def test_a_decision_may_void_or_settle_an_interrupted_round(game: str, steps: int, table: Tables) -> None:
    play = refer_and_interrupt(table(game), steps)
    assert play.state["interrupted"]
    void = the("round_voided", play.ok("decide", round=1, ruling="void", reason="it was struck"))
    assert (void["clauses"], play.phase, play.credits("a")) == ([DECIDES[game]], "idle", [1000])
    assert not play.state["interrupted"]
    play = refer_and_interrupt(table(game), steps)
    settle: Json = {"round": 1, "ruling": "settle", "reason": "the cameras show it"}
    if steps == 2:
        assert play.refused("decide", **settle, outcome=loses(game))[0] == NOT_AT_REST
        assert play.refused("ball_at_rest", outcome=wins(game), who="ann")[0] == "needs_second_person"
        play.ok("ball_at_rest", outcome=wins(game), **TWO)
    made, _ = play.ok("decide", **settle, outcome=loses(game))
    assert made["off_record"], "there is no reading of this outcome"
    assert (play.phase, play.credits("a")) == ("idle", [700])


def test_a_last_round_that_ends_by_a_decision_closes_the_table(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 300})
    play.ok("close_table", last_rounds=1)
    play.spin().ok("refer", round=1, question="?")
    play.reopen()
    assert kinds(play.ok("decide", round=1, ruling="void", reason="r"))[-1] == "table_closed"
    assert play.phase == "closed"


def test_readings_that_differ_are_still_held_after_an_interrupted_referral(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100}).spin()
    play.rest("1", "2").ok("refer", round=1, question="which?")
    assert play.state["outcome"] is None, "no outcome is shown while readings differ"
    assert kinds(play.reopen()) == ["interruption_recovered"]
    assert kinds(play.ok("decide", round=1, ruling="stand", reason="look again")) == ["decision_made"]
    assert play.refused("confirm_result")[0] == "readings_disagree"


@each_game(
    {
        "rws-double-zero": "5.2, 5.2.1, 5.2.2",
        "rws-triple-zero": "5.2, 5.2.1, 5.2.2",
        "mbs-electronic-double-zero": "5.14, 5.14.1, 5.14.2",
    }
)
def test_a_reconnected_terminal_keeps_only_its_registered_bets(game: str, table: Tables) -> None:
    """A terminal disconnects with one registered and one unsent bet. The round continues without it."""
    play = table(game).open("a", "b", credits=1000)
    play.ok("open_bets")
    registered = play.request("place_bets", seat="a", bets={"red": 200})
    unregistered = play.request("place_bets", seat="a", bets={"red": 5, "nowhere": 5})
    first = play.send(registered)[0]
    # The connection breaks before the answer is read, and the second request never reaches the table.
    play.ok("place_bets", seat="b", bets={"red": 100})
    play.spin().ok("observe_spin", **play.spun())
    play.ok("ball_at_rest", outcome="1")
    # The terminal reconnects after the closing and repeats both requests.
    assert play.send(registered)[0] == first
    late = play.send(unregistered)[0]
    assert (late["ok"], late["refusal"]) == (False, "bets_are_closed")
    seat = play.state["seats"]["a"]
    assert (seat["bets"], seat["credits"]) == ({"red": 200}, 800)
    play.ok("register_result", outcome="1")
    assert the("round_settled", play.ok("confirm_result"))["seats"] == {"a": [200, 400], "b": [100, 200]}
    assert play.credits("a", "b") == [1200, 1100]


DARK: Json = {"irregularity": "terminals_interrupted", "by": "pit_manager"}


@pytest.mark.clause("mbs-electronic-double-zero", "5.14", "6.1")
def test_each_terminal_that_goes_dark_with_bets_is_referred(table: Tables) -> None:
    play = table("mbs-electronic-double-zero").open("a", "b", "c", "d").bet(a={"red": 100}, b={"red": 100})
    play.ok("place_bets", seat="c", bets={"red": 100})
    for seats, referred in ((["a"], ["a"]), (["b"], ["b"]), (["a", "c", "d"], ["c"])):
        events = play.ok("declare", seats=seats, **DARK)
        assert kinds(events) == ["terminals_interrupted", "matter_referred"]
        assert the("matter_referred", events)["for_seats"] == referred
    assert kinds(play.ok("declare", seats=["a", "b", "c"], **DARK)) == ["terminals_interrupted"], "all are referred"
    assert [f"seat {seat} was interrupted" in play.state["matters"]["1"] for seat in "abc"] == [True] * 3


@pytest.mark.parametrize("whole", ["", "before", "after"])
@pytest.mark.clause("mbs-electronic-double-zero", "5.14", "6.1")
def test_a_matter_of_seats_ends_with_the_decision_on_the_last_of_them(whole: str, table: Tables) -> None:
    play = table("mbs-electronic-double-zero").open("a", "b", credits=1000).bet(a={"red": 100}, b={"red": 100})
    refer: Json = {"round": 1, "question": "Does the round stand?", "who": "dee"}
    if whole == "before":
        play.ok("refer", **refer)
    play.ok("declare", seats=["a", "b"], who="dee", **DARK)
    if whole == "after":
        play.ok("refer", **refer)
    for seat in "ab":
        assert "1" in play.state["matters"]
        play.ok("decide", round=1, seat=seat, ruling="stand", reason="seen on the video", who="sam")
    assert play.state["matter_seats"] == {}
    if whole:
        assert (play.phase, "1" in play.state["matters"]) == ("referred", True), "the round itself was referred too"
        play.ok("decide", round=1, ruling="stand", reason="seen on the video", who="sam")
    assert (play.phase, play.state["matters"]) == ("bets_open", {})
    refused = play.refused("decide", round=1, ruling="stand", reason="again", who="sam")
    assert refused == ("nothing_referred", "6.1")


@pytest.mark.parametrize("step", [1, 2, 3, 4])
@pytest.mark.clause("mbs-electronic-double-zero", "5.14.1")
def test_bets_of_a_terminal_that_goes_dark_after_the_closing_are_settled(step: int, table: Tables) -> None:
    play = table("mbs-electronic-double-zero").open("a", credits=1000).bet(a={"red": 100})
    deal: list[tuple[str, Json]] = [
        ("close_bets", {}),
        ("start_spin", {}),
        ("observe_spin", play.spun()),
        ("ball_at_rest", {"outcome": "1"}),
        ("register_result", {"outcome": "1"}),
    ]
    for do, fields in deal[:step]:
        play.ok(do, **fields)
    assert kinds(play.ok("declare", seats=["a"], **DARK)) == ["terminals_interrupted"]
    assert play.state["matters"] == {}
    for do, fields in deal[step:]:
        play.ok(do, **fields)
    play.ok("confirm_result")
    assert play.credits("a") == [1100]


@each_game()
def test_the_end_of_an_interrupted_last_round_closes_the_table(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100})
    play.ok("close_table")
    play.reopen()
    if game in ASKING:
        events = play.ok("declare", irregularity=NONE_STANDS)
    else:
        events = play.ok("decide", round=1, ruling="void", reason="the wheel was not spun")
    assert kinds(events)[-2:] == ["round_voided", "table_closed"]
    assert (play.phase, play.credits("a")) == ("closed", [1000])
    play.ok("cash_out", seat="a")


def test_a_reopened_table_continues_its_round_numbers(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000)
    for _ in range(3):
        play.round("1", a={"red": 100})
    before = play.state_json()
    play.reopen()
    assert play.state_json() == before
    assert play.round("2", a={"red": 100}) == 4
    play.ok("correct_result", round=2, outcome="2")
    play.reopen()
    play.ok("correct_result", round=2, outcome="1")
    assert play.credits("a") == [1200]


def test_a_snapshot_restores_exactly_the_replayed_state(table: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table reopened from a snapshot equals one replayed from the first entry."""
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_EVERY", 1)
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_AT_LAST", 1)
    play = table(GAMES[0]).open("a", "b", credits=1000, types={"straight": {"min": 5, "max": 500}}, table=90_000)
    play.round("1", a={"red": 100}, b={"straight:1": 10})
    play.ok("cash_out", seat="b")
    play.ok("refer", round=1, question="was it?")
    play.ok("close_table", last_rounds=5)
    play.bet(a={"red": 100}).ok("double", seat="a")
    play.spin()
    play.do("place_bets", seat="a", bets={"red": 1})
    play.rest("3", "4").ok("refer", round=2, question="which?")
    play.reopen()
    before = play.state_json()
    play.reopen()
    assert play.store.snapshots(play.id)
    assert play.state_json() == before
    play.store._db.execute("DELETE FROM snapshots")
    play.reopen()
    assert play.state_json() == before


@each_game()
def test_an_interruption_after_an_orderly_stop_is_found_although_the_clock_was_set_back(
    game: str, table: Tables
) -> None:
    """The times of entries never decrease, so the next entries have the time of the stop."""
    play = table(game).open("a", credits=1000).bet(a={evens(game): 300})
    play.writer.stop_software()
    play.clock._now = Millis(play.clock._now - 3_600_000)
    assert play.reopen() == []
    play.ok("decide", round=1, ruling="stand", reason="the table is open again")
    assert play.writer.table.state.last_event_at > play.clock._now
    assert kinds(play.reopen())[0] == "interruption_recovered"
