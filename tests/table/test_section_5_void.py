"""Irregularities of the spin (section 5): each cause, the positions that may declare it, and until when.

A void returns every stake exactly once: the accounts are the same as before the first bet.
"""

import pytest

from tests.support.tables import (
    EVERYBODY,
    GAMES,
    SPUN_FIRST,
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

MBS = {
    "same_direction": "5.1",
    "ball_dropped": "5.2",
    "too_few_revolutions": "5.3",
    "foreign_object": "5.4",
    "ball_did_not_drop": "5.5",
    "ball_left_wheel": "5.6",
    "ball_broke": "5.7",
    "wheel_stopped": "5.8",
    "wheel_not_rotating": "5.9",
    "interference": "5.10",
}
RWS = {
    "ball_dropped": "5.3.1",
    "too_few_revolutions": "5.3.2",
    "ball_did_not_drop": "5.3.3",
    "ball_left_wheel": "5.3.4",
    "wheel_not_rotating": "5.3.5",
    "same_direction": "5.3.6",
    "foreign_object": "5.3.7",
    "interference": "5.3.8",
    "wheel_stopped": "5.3.9",
    "ball_broke": "5.4",
}
CUT = "interrupted_without_outcome"
"""An interruption outside the spin, such as a wheel without power. It can be declared until the ball rests."""
CAUSES = {
    "rws-double-zero": {**RWS, CUT: "5.1.2"},
    "rws-triple-zero": {**RWS, CUT: "5.1.2"},
    "mbs-sands": MBS,
    "mbs-electronic-double-zero": {**MBS, "no_spin": "5.15", CUT: "5.13.1"},
    "rws-money-wheel": {"interference": "5.1.1", "clapper_on_pin": "5.1.2", "too_few_revolutions": "5.1.3"},
}
RETURNS = {"rws-double-zero": "5.9", "rws-triple-zero": "5.9"}
"""The clause by which stakes are returned. In the other games it is general law."""

PIT = ("dealer", "pit_supervisor", "pit_manager")
DECLARERS = dict.fromkeys(GAMES, PIT) | {"mbs-electronic-double-zero": (*PIT, "shift_manager")}
"""Positions that may declare. Only the MBS electronic game lets a higher position act for a lower one (6.2)."""

NO_RIGHT = {"rws-double-zero": "1.5", "rws-triple-zero": "1.5", "mbs-electronic-double-zero": "6.2"}


def steps(game: str) -> list[tuple[str, Json]]:
    first, then = ("start_spin", "close_bets") if game in SPUN_FIRST else ("close_bets", "start_spin")
    return [
        (first, {}),
        (then, {}),
        ("ball_at_rest", {"outcome": wins(game)}),
        ("register_result", {"outcome": wins(game)}),
    ]


def deal_to_step(play: Play, step: int) -> None:
    """Deal a round with two seats to ``step`` steps after the bets."""
    game = play.name
    bets = [("place_bets", {"seat": s, "bets": {evens(game): cents}}) for s, cents in (("a", 300), ("b", 70))]
    play.script(("open_bets", {}), *bets, *steps(game)[:step])


def cited_clauses() -> dict[str, str]:
    """Return the clauses of all causes of each game, which a test cites."""
    return {
        game: ", ".join([*causes.values(), *(["1.11", "5.9"] if game in RETURNS else ["general law"])])
        for game, causes in CAUSES.items()
    }


@each_game(cited_clauses())
def test_authorised_positions_can_declare_each_cause_until_settlement(game: str, table: Tables) -> None:
    play = table(game).open("a", "b", credits=1000)
    accounts_before = play.state["accounts"]
    voids = 0
    for cause, clause in CAUSES[game].items():
        for step in range(5):
            at_rest, has_spin = step >= 3, step >= (1 if game in SPUN_FIRST else 2)
            for by in EVERYBODY:
                if play.phase == "idle":
                    deal_to_step(play, step)
                if by not in DECLARERS[game]:
                    assert play.refused("declare", by, irregularity=cause) == ("not_authorised", NO_RIGHT.get(game))
                elif not has_spin and cause != CUT:
                    assert play.refused("declare", by, irregularity=cause) == ("spin_has_not_started", clause)
                elif cause == CUT and at_rest:
                    assert play.refused("declare", by, irregularity=cause) == ("too_late_to_declare", clause)
                elif cause in NOT_AT_REST and at_rest:
                    assert play.refused("declare", by, irregularity=cause) == ("against_the_record", clause)
                elif cause == "no_spin":
                    assert play.refused("declare", by, irregularity=cause) == ("no_reason_given", clause)
                else:
                    if step == 4 or cause == CUT:
                        alone = play.refused("declare", by, irregularity=cause, who="ann")
                        assert alone == ("needs_second_person", None)
                    void = the("round_voided", play.ok("declare", by, irregularity=cause))
                    assert (void["clauses"], void["causes"]) == ([clause], [cause])
                    assert void["returns"] == RETURNS.get(game, "general law")
                    assert void["seats"] == {"a": 300, "b": 70}
                    assert play.state["accounts"] == accounts_before
                    voids += 1
            if play.phase != "idle":
                for do, fields in steps(game)[step:2]:
                    play.ok(do, **fields)
                play.ok("declare", irregularity="interference")
                voids += 1
    assert play.state["meters"]["voids"] == voids
    assert play.state["meters"]["handle"] == 0


NOT_AT_REST = ("ball_did_not_drop", "ball_left_wheel", "clapper_on_pin")
"""Causes that a reading of the outcome contradicts."""
SEEN: dict[str, Json] = {
    "same_direction": {"ball": "clockwise", "wheel": "clockwise"},
    "too_few_revolutions": {"revolutions": 3},
}


@each_game(cited_clauses() | {"rws-money-wheel": "3.4, 5.1, 5.1.1, 5.1.2, 5.1.3"})
def test_each_observed_cause_voids_the_round_at_once(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    turning = {} if game == "rws-money-wheel" else {"ball": "clockwise", "wheel": "anticlockwise"}
    for cause, clause in CAUSES[game].items():
        few = {"revolutions": 2} if game == "rws-money-wheel" else SEEN["too_few_revolutions"]
        observation = {**SEEN, "too_few_revolutions": few}.get(cause, {"seen": [cause]})
        play.bet(a={evens(game): 400}).spin()
        if cause == CUT:
            assert play.refused("observe_spin", **turning, revolutions=6, seen=[cause])[0] == "misreported"
            play.ok("declare", irregularity=cause)
            continue
        if cause == "no_spin":
            assert play.refused("observe_spin", **turning, revolutions=6, seen=[cause]) == ("no_reason_given", clause)
            play.ok("call_no_spin", reason="a hand at the wheel")
            continue
        events = play.ok("observe_spin", **{**turning, "revolutions": 6, **observation})
        assert kinds(events) == ["spin_observed", "round_voided"]
        assert clause in the("round_voided", events)["clauses"]
        assert play.credits("a") == [1000]


@each_game(
    {"rws-double-zero": "3.6", "rws-triple-zero": "3.6", "mbs-sands": "3.5", "mbs-electronic-double-zero": "3.6"}
)
def test_four_revolutions_against_the_wheel_are_a_valid_spin(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={"red": 100}).spin()
    valid: Json = {"ball": "anticlockwise", "wheel": "clockwise", "revolutions": 4}
    assert kinds(play.ok("observe_spin", **valid)) == ["spin_observed"]
    assert play.refused("observe_spin", **{**valid, "revolutions": -1})[0] == "misreported"
    assert play.refused("observe_spin", revolutions=4)[0] == "misreported"
    assert play.refused("observe_spin", **valid, seen=["a_ghost"])[0] == "misreported"
    differs = play.ok("observe_spin", **{**valid, "revolutions": 3.75})
    assert kinds(differs) == ["spin_observed"], "reports that differ are a dispute"


@pytest.mark.clause("rws-money-wheel", "3.4", "5.1.3")
def test_three_revolutions_of_a_money_wheel_are_a_valid_spin(table: Tables) -> None:
    play = table("rws-money-wheel").open("a").bet(a={"symbol:1": 100}).spin()
    assert kinds(play.ok("observe_spin", revolutions=3)) == ["spin_observed"]
    assert play.refused("observe_spin", revolutions=3, ball="clockwise")[0] == "misreported"
    assert play.refused("observe_spin", revolutions=3, seen=["ball_broke"])[0] == "misreported"


def test_a_void_names_all_applicable_clauses(table: Tables) -> None:
    play = table("mbs-sands").open("a").bet(a={"red": 100}).spin()
    events = play.ok("observe_spin", ball="clockwise", wheel="clockwise", revolutions=2, seen=["interference"])
    assert the("round_voided", events)["clauses"] == ["5.1", "5.3", "5.10"]


@each_game(
    {
        "rws-double-zero": "5.3",
        "rws-triple-zero": "5.3",
        "mbs-sands": "5.10",
        "mbs-electronic-double-zero": "5.10",
        "rws-money-wheel": "5.1",
    }
)
def test_a_void_does_not_affect_earlier_rounds(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    first = play.round(wins(game), a={evens(game): 100})
    assert play.refused("declare", irregularity="interference")[0] == "no_round"
    assert play.refused("declare", irregularity="interference", rounds=[first])[0] == "round_is_settled"
    play.bet(a={evens(game): 100}).spin()
    assert play.refused("declare", irregularity="interference", rounds=[first])[0] == "round_is_settled"
    assert play.refused("declare", irregularity="interference", rounds=[first, 2])[0] == "round_is_settled"
    play.ok("declare", irregularity="interference", rounds=[2])
    assert play.credits("a") == [1100]
    assert [(r["round"], r.get("outcome")) for r in play.state["last_results"]] == [(2, None), (1, wins(game))]


@each_game()
def test_irregularities_outside_the_rules_cannot_be_declared(game: str, table: Tables) -> None:
    play = table(game).open("a").bet(a={evens(game): 100})
    for irregularity in ("a_ghost", "interrupted_with_outcome", "display_is_wrong", "wrong_result_registered"):
        assert play.refused("declare", irregularity=irregularity)[0] == "no_such_irregularity"
    known = CAUSES[game]
    for irregularity in ("no_spin", "clapper_on_pin", "ball_broke", CUT):
        if irregularity not in known:
            assert play.refused("declare", irregularity=irregularity)[0] == "no_such_irregularity"


@pytest.mark.clause("mbs-electronic-double-zero", "5.15", "6.2")
def test_no_spin_can_be_called_by_staff_until_settlement(table: Tables) -> None:
    play = table("mbs-electronic-double-zero").open("a", "b", credits=1000)
    for by in ("dealer", "pit_supervisor", "pit_manager", "shift_manager"):
        for step in range(2, 5):
            deal_to_step(play, step)
            for unauthorised in ("player", "cashier"):
                assert play.refused("call_no_spin", unauthorised) == ("not_authorised", "6.2")
            void = the("round_voided", play.ok("call_no_spin", by))
            assert (void["clauses"], void["causes"]) == (["5.15"], ["no_spin"])
            assert play.credits("a", "b") == [1000, 1000]
    play.round("1", a={"red": 100})
    assert play.refused("call_no_spin") == ("no_round", "5.15")
    assert play.credits("a") == [1100]


@each_game(of=("rws-double-zero", "rws-triple-zero", "mbs-sands", "rws-money-wheel"))
def test_the_other_games_have_no_call_of_no_spin(game: str, table: Tables) -> None:
    play = table(game).open("a").bet(a={evens(game): 100}).spin()
    assert play.refused("call_no_spin")[0] == "no_such_irregularity"
    if game != "rws-money-wheel":
        observation: Json = {"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 5, "seen": ["no_spin"]}
        assert kinds(play.ok("observe_spin", **observation)) == ["spin_observed"], "a reported no spin has no effect"
        assert play.phase == "spinning"


@each_game({"mbs-sands": "5.7", "mbs-electronic-double-zero": "5.7"})
def test_at_mbs_a_broken_ball_voids_the_round_and_no_other(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    play.round("1", a={"red": 100})
    assert play.refused("declare", irregularity="ball_broke", rounds=[1]) == ("round_is_settled", "5.7")
    play.bet(a={"red": 100}).spin()
    assert play.refused("declare", irregularity="ball_broke", rounds=[1, 2]) == ("round_is_settled", "5.7")
    play.ok("declare", irregularity="ball_broke")
    assert play.credits("a") == [1100]


@each_game({"rws-double-zero": "5.4, 5.9", "rws-triple-zero": "5.4, 5.9"})
def test_at_rws_a_broken_ball_voids_every_affected_round(game: str, table: Tables) -> None:
    """Void three of four rounds after one player has cashed out."""
    play = table(game).open("a", "b", credits=1000)
    play.round("1", a={"straight:1": 100}, b={"red": 500})
    play.round("2", a={"red": 200}, b={"black": 500})
    play.round("3", b={"even": 10})
    assert play.credits("a", "b") == [4300, 1990]
    play.ok("cash_out", seat="a")
    play.bet(b={"red": 90}).spin()
    broken: Json = {"irregularity": "ball_broke", "rounds": [1, 2, 4]}
    assert play.refused("declare", **broken)[0] == "not_authorised", "a dealer does not void settled rounds"
    assert play.refused("declare", "pit_supervisor", **broken, who="ann")[0] == "needs_second_person"
    events = play.ok("declare", "pit_supervisor", **broken)
    # Reversals that return credits come first, so that later ones can take them.
    assert kinds(events) == ["round_voided", "round_reversed", "round_reversed"]
    assert [event["round"] for event in events] == [4, 2, 1]
    assert all(event["clauses"] == ["5.4"] and event["causes"] == ["ball_broke"] for event in events)
    # Seat a won 3600 in round 1 and owes 3500: the 200 returned for round 2, and a shortfall of 3300.
    assert play.credits("a", "b") == [0, 990]
    state = play.state
    assert state["accounts"]["shortfall"] == -3300
    assert state["seats"]["a"]["meters"]["shortfall"] == 3300
    assert (state["meters"]["rounds"], state["meters"]["voids"], state["meters"]["handle"]) == (1, 3, 10)
    assert [r.get("outcome") for r in state["last_results"]] == [None, "3", None, None]
    for rounds, refusal in (([1], "round_is_void"), ([99], "no_such_round"), ([0], "no_such_round")):
        again = play.refused("declare", "pit_manager", irregularity="ball_broke", rounds=rounds)
        assert again == (refusal, None)
    assert play.refused("declare", "pit_manager", irregularity="ball_broke", rounds=[10**30])[0] == "no_such_round"
    skipped, *_ = play.ok("declare", "pit_manager", irregularity="ball_broke", rounds=[3, 2, 3])
    assert (skipped["event"], skipped["rounds"], skipped["clause"]) == ("rounds_skipped.v1", [2], "5.4")
    assert play.credits("b") == [1000]


def test_rounds_reversed_together_never_take_the_same_credits_twice(table: Tables) -> None:
    play = table("rws-double-zero").open("a", credits=1000)
    play.round("1", a={"red": 300})
    play.round("1", a={"red": 400})
    assert play.credits("a") == [1700]
    play.ok("open_bets")
    play.ok("place_bets", seat="a", bets={"red": 1200})
    reversals = play.ok("declare", "pit_manager", irregularity="ball_broke", rounds=[1, 2])
    taken = [(e["seats"][0]["taken"], e["seats"][0]["shortfall"]) for e in reversals]
    assert taken == [(300, 0), (200, 200)], "500 credits were left, 700 are due"
    assert play.credits("a") == [0]
    play.ok("clear", seat="a")
    assert play.credits("a") == [1200]


@each_game(of=GAMES)
def test_a_round_can_be_voided_once(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin()
    play.ok("declare", irregularity="interference")
    for again in ("declare", "confirm_result", "ball_at_rest"):
        fields = {"declare": {"irregularity": "interference"}, "ball_at_rest": {"outcome": loses(game)}}
        assert play.refused(again, **fields.get(again, {}))[0] == "no_round"
    assert play.credits("a") == [1000]


@each_game(
    {"rws-double-zero": "5.1.2, 5.3", "rws-triple-zero": "5.1.2, 5.3", "mbs-electronic-double-zero": "5.13.1, 5.15"}
)
def test_a_cause_that_voids_an_interrupted_round_needs_two_persons(game: str, table: Tables) -> None:
    """The wheel may show an outcome that no person has told yet."""
    play = table(game).open("a", credits=1000)
    for cause in CAUSES[game]:
        play.bet(a={evens(game): 300}).spin().reopen()
        void: Json = {"do": "declare", "irregularity": cause}
        if cause == "no_spin":
            void = {"do": "call_no_spin", "reason": "a hand at the wheel"}
        for persons in ({"who": "ann"}, {"who": "ann", "second": "ann"}, {"second": "ben"}):
            assert play.refused(**void, **persons)[0] == "needs_second_person", cause
        assert kinds(play.ok(**void, **TWO)) == ["round_voided"]
        assert play.credits("a") == [1000]
