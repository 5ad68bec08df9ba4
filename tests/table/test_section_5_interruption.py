"""Technical interruptions: the journal is closed and reopened in every phase of every game."""

import pytest

from tests.support.tables import GAMES, SPUN_FIRST, Play, Tables, each_game, evens, kinds, loses, the, wins

WITHOUT = {"rws-double-zero": "5.1.2", "rws-triple-zero": "5.1.2", "mbs-electronic-double-zero": "5.13.1"}
WITH = {"rws-double-zero": "5.1.1", "rws-triple-zero": "5.1.1", "mbs-electronic-double-zero": "5.13.2"}
"""The other two documents have no clause on interruptions. The same is done under general law."""

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


def spin_steps(game: str) -> tuple[str, str]:
    return ("start_spin", "close_bets") if game in SPUN_FIRST else ("close_bets", "start_spin")


@pytest.mark.parametrize("steps", [0, 1, 2])
@each_game(VOID)
def test_without_an_outcome_the_interrupted_round_is_void(game: str, steps: int, table: Tables) -> None:
    play = table(game).open("a", "b", credits=1000).bet(a={evens(game): 300}, b={evens(game): 70})
    for step in spin_steps(game)[:steps]:
        play.ok(step)
    phase = play.phase
    recovered, void = play.reopen()
    clause = WITHOUT.get(game, "general law")
    assert (recovered["event"], recovered["phase"]) == ("interruption_recovered.v1", phase)
    assert (recovered["irregularity"], recovered["clause"]) == ("interrupted_without_outcome", clause)
    assert (void["event"], tuple(void["clauses"]), void["seats"]) == ("round_voided.v1", (clause,), {"a": 300, "b": 70})
    assert (play.phase, play.credits("a", "b")) == ("idle", [1000, 1000])
    assert play.reopen() == [], "the round is recovered once"
    assert play.round(wins(game), a={evens(game): 100}) == 2


@pytest.mark.parametrize("registered", ["nothing", "right", "wrong"])
@each_game(CONCLUDED)
def test_with_an_outcome_the_interrupted_round_is_settled_by_the_wheel(
    game: str, registered: str, table: Tables
) -> None:
    play = table(game).open("a", "b", credits=1000).bet(a={evens(game): 300}, b={evens(game): 70}).spin()
    play.ok("ball_at_rest", outcome=wins(game))
    if registered != "nothing":
        play.ok("register_result", outcome=wins(game) if registered == "right" else loses(game))
    recovered, settled = play.reopen()
    clause = WITH.get(game, "general law")
    assert (recovered["irregularity"], recovered["clause"]) == ("interrupted_with_outcome", clause)
    assert (settled["event"], settled["outcome"]) == ("round_settled.v1", wins(game))
    assert (play.phase, play.credits("a", "b")) == ("idle", [1300, 1070])
    assert play.reopen() == []


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
    clause = (WITH if rested else WITHOUT).get(game, "general law")
    assert (recovered["event"], recovered["phase"]) == ("interruption_recovered.v1", "referred")
    assert recovered["irregularity"] == f"interrupted_with{'' if rested else 'out'}_outcome"
    assert recovered["clause"] == clause
    assert (play.phase, play.state["matters"]) == ("referred", {"1": "what is that on the rim?"})
    assert play.reopen() == [], "the interruption is already recorded"
    return play


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4])
@each_game({game: f"{VOID[game]}, {CONCLUDED[game]}, {DECIDES[game]}" for game in GAMES})
def test_a_referral_survives_an_interruption_and_its_round_ends(game: str, steps: int, table: Tables) -> None:
    play = refer_and_interrupt(table(game), steps)
    decision, ended = play.ok("decide", round=1, ruling="stand", reason="a feather, now removed")
    assert decision["event"] == "decision_made.v1"
    if steps > 2:
        assert (ended["event"], ended["outcome"]) == ("round_settled.v1", wins(game))
    else:
        clause = WITHOUT.get(game, "general law")
        assert (ended["event"], ended["clauses"]) == ("round_voided.v1", [clause])
        assert ended["causes"] == ["interrupted_without_outcome"]
    assert (play.phase, play.credits("a")) == ("idle", [1300 if steps > 2 else 1000])
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
    play.ok("decide", round=1, ruling="settle", outcome=loses(game), reason="the cameras show it")
    assert (play.phase, play.credits("a")) == ("idle", [700])


def test_a_last_round_that_ends_by_a_decision_closes_the_table(table: Tables) -> None:
    for steps in (2, 3):
        play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 300})
        play.ok("close_table", last_rounds=1)
        play.spin()
        if steps > 2:
            play.ok("ball_at_rest", outcome="1")
        play.ok("refer", round=1, question="?")
        play.reopen()
        assert kinds(play.ok("decide", round=1, ruling="stand", reason="r"))[-1] == "table_closed"
        assert play.phase == "closed"


@pytest.mark.clause("rws-double-zero", "5.1", "5.1.1")
def test_disagreeing_readings_are_still_held_after_an_interruption(table: Tables) -> None:
    play = table("rws-double-zero").open("a", credits=1000).bet(a={"red": 100}).spin()
    play.ok("ball_at_rest", outcome="1", read_by="wheel")
    play.ok("register_result", outcome="2")
    (recovered,) = play.reopen()
    assert (recovered["phase"], recovered["clause"]) == ("held", "5.1.1")
    assert (play.phase, play.state["interrupted"], play.reopen()) == ("registered", True, [])
    assert play.refused("confirm_result")[0] == "readings_disagree"
    play.ok("register_result", outcome="1")
    play.ok("confirm_result")
    assert (play.credits("a"), play.state["interrupted"]) == ([1100], False)


def test_disagreeing_readings_are_still_held_after_an_interrupted_referral(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100}).spin()
    play.ok("ball_at_rest", outcome="1", read_by="wheel")
    play.ok("register_result", outcome="2")
    play.ok("refer", round=1, question="which?")
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
    play.spin().ok("ball_at_rest", outcome="1")
    # The terminal reconnects after the closing and repeats both requests.
    assert play.send(registered)[0] == first
    late = play.send(unregistered)[0]
    assert (late["ok"], late["refusal"]) == (False, "bets_are_closed")
    seat = play.state["seats"]["a"]
    assert (seat["bets"], seat["credits"]) == ({"red": 200}, 800)
    play.ok("register_result", outcome="1")
    assert the("round_settled", play.ok("confirm_result"))["seats"] == {"a": [200, 400], "b": [100, 200]}
    assert play.credits("a", "b") == [1200, 1100]


@each_game()
def test_recovery_of_the_last_announced_round_closes_the_table(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100})
    play.ok("close_table")
    assert kinds(play.reopen()) == ["interruption_recovered", "round_voided", "table_closed"]
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
    assert play.store.snapshot(play.id) is not None
    assert play.state_json() == before
    play.store._db.execute("DELETE FROM snapshots")
    play.reopen()
    assert play.state_json() == before
