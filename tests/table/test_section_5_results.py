"""Wrongly registered results, late bets and matters outside the rules: sections 5 and 6."""

import pytest

from tests.support.tables import (
    BALL_GAMES,
    EVERYBODY,
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

CORRECTS = {
    "rws-double-zero": "5.5",
    "rws-triple-zero": "5.5",
    "mbs-sands": "3.7",
    "mbs-electronic-double-zero": "6.3",
    "rws-money-wheel": "3.5",
}
"""The clause by which the wheel prevails over the registered result."""

WITHOUT_CLAUSE = ("mbs-sands", "rws-money-wheel")
"""Games in which a settled round is changed by a decision only."""
DECIDES = {"rws-double-zero": "5.10", "rws-triple-zero": "5.10", "mbs-electronic-double-zero": "6.1"}


def money(play: Play, seat: str = "a") -> tuple[int, int, int]:
    """Return the credits of a seat, the house's account and the shortfall."""
    accounts = play.state["accounts"]
    return accounts[f"seat:{seat}"], accounts["house"], accounts["shortfall"]


@each_game(CORRECTS)
def test_a_wrong_result_is_corrected_before_it_is_confirmed(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin().rest(wins(game), loses(game))
    again: Json = {"round": 1, "outcome": wins(game)}
    assert play.refused("correct_result", "dealer", **again)[0] == "not_authorised"
    assert play.refused("correct_result", round=1, outcome=loses(game)) == ("not_a_reading", CORRECTS[game])
    assert play.refused("correct_result", round=1, outcome="nowhere")[0] == "no_such_outcome"
    play.ok("correct_result", **again)
    assert play.state["outcome"] == wins(game)
    play.ok("confirm_result")
    assert play.credits("a") == [1100]
    assert play.state["meters"]["corrections"] == 1, "a correction within the round counts"


@each_game(CORRECTS)
def test_the_dealer_may_register_again_until_the_result_is_confirmed(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin().rest(wins(game), loses(game))
    play.ok("register_result", outcome=wins(game))
    play.ok("confirm_result")
    assert play.credits("a") == [1100]


@each_game(
    {"rws-double-zero": "5.5, 5.6, 5.8", "rws-triple-zero": "5.5, 5.6, 5.8", "mbs-electronic-double-zero": "6.3"}
)
def test_a_wrong_result_is_corrected_in_a_later_round_and_later_rounds_stand(game: str, table: Tables) -> None:
    play = table(game).open("a", "b", credits=1000)
    bet = evens(game)
    play.round(loses(game), a={bet: 100}, b={bet: 40})
    play.round(wins(game), a={bet: 100})
    play.bet(a={bet: 200}, b={bet: 30})
    assert play.credits("a", "b") == [800, 930]
    before = play.state
    corrected = the("round_corrected", play.ok("correct_result", round=1, outcome=wins(game)))
    assert (corrected["was"], corrected["outcome"]) == (loses(game), wins(game))
    assert corrected["clause"] == CORRECTS[game]
    assert play.credits("a", "b") == [1000, 1010]
    after = play.state
    assert [r["outcome"] for r in after["last_results"]] == [wins(game), wins(game)]
    assert after["seats"]["a"]["bets"] == before["seats"]["a"]["bets"], "the round in progress is unchanged"
    assert (after["phase"], after["round"], after["meters"]["corrections"]) == ("bets_open", 3, 1)
    play.spin().rest(loses(game)).ok("confirm_result")
    assert play.credits("a", "b") == [1000, 1010]


@each_game()
def test_only_these_positions_may_correct_a_result(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    play.round(loses(game), a={evens(game): 100})
    authorised = {"pit_supervisor", "pit_manager", "shift_manager"}
    outcomes = [wins(game), loses(game)] * 9
    for by in EVERYBODY:
        if by in authorised and game in WITHOUT_CLAUSE:
            refused = play.refused("correct_result", by, round=1, outcome=outcomes[0])
            assert refused == ("round_is_settled", "general law"), "the person who decides changes a settled round"
        elif by in authorised:
            play.ok("correct_result", by, round=1, outcome=outcomes.pop(0))
        else:
            assert play.refused("correct_result", by, round=1, outcome=outcomes[0])[0] == "not_authorised"


@each_game({"rws-double-zero": "5.5", "rws-triple-zero": "5.5"})
def test_a_round_can_be_corrected_twice_and_back(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    play.round("1", a={"straight:1": 100, "split:1-2": 100, "red": 100})
    assert money(play) == (1000 - 300 + 3600 + 1800 + 200, -5300, 0)
    play.ok("correct_result", round=1, outcome="2")
    assert money(play) == (1000 - 300 + 1800, -1500, 0)
    play.ok("correct_result", round=1, outcome="4")
    assert money(play) == (700, 300, 0)
    play.ok("correct_result", round=1, outcome="1")
    assert money(play) == (6300, -5300, 0)
    meters = play.state["meters"]
    assert (meters["corrections"], meters["handle"], meters["win"], meters["hold"]) == (3, 300, -5300, "-53/3")


@each_game({game: clause for game, clause in CORRECTS.items() if game not in WITHOUT_CLAUSE})
def test_cashed_out_winnings_become_a_shortfall_until_corrected_back(game: str, table: Tables) -> None:
    play = table(game).open("a", "b", credits=1000)
    bet = evens(game)
    play.round(wins(game), a={bet: 500})
    play.ok("cash_out", seat="a")
    play.ok("buy_credits", seat="a", cents=300)
    corrected = the("round_corrected", play.ok("correct_result", round=1, outcome=loses(game)))
    assert corrected["seats"] == [
        {"seat": "a", "was": 1000, "now": 0, "credited": 0, "taken": 300, "shortfall": 700, "owes": 700}
    ]
    assert money(play) == (0, 500, -700)
    assert play.state["seats"]["a"]["meters"]["shortfall"] == 700
    # Later winnings of the seat do not reduce the shortfall.
    play.ok("buy_credits", seat="a", cents=200)
    play.round(wins(game), a={bet: 200})
    assert money(play) == (400, 300, -700)
    back = the("round_corrected", play.ok("correct_result", round=1, outcome=wins(game)))
    assert back["seats"][0] | {"credited": 300, "shortfall": -700, "owes": 0} == back["seats"][0]
    assert money(play) == (700, -700, 0)
    assert play.credits("b") == [1000]


def test_a_shortfall_is_reduced_before_credits_are_given(table: Tables) -> None:
    """A correction leaves a shortfall of 3600. The second correction cancels it and gives no credits."""
    play = table("rws-double-zero").open("a", credits=100)
    play.round("1", a={"straight:1": 100})
    play.ok("cash_out", seat="a")
    play.ok("correct_result", round=1, outcome="2")
    assert money(play) == (0, 100, -3600)
    play.ok("buy_credits", seat="a", cents=50)
    play.ok("correct_result", round=1, outcome="1")
    assert money(play) == (50, -3500, 0)
    play.ok("declare", "pit_manager", irregularity="ball_broke", rounds=[1])
    assert money(play) == (0, 0, -3450)


def test_shortfalls_of_one_round_add_up(table: Tables) -> None:
    play = table("rws-double-zero").open("a", credits=200)
    play.round("1", a={"straight:1": 100, "split:1-2": 100})
    play.ok("cash_out", seat="a")
    play.ok("correct_result", round=1, outcome="2")
    assert money(play) == (0, -1600, -3600)
    again = the("round_corrected", play.ok("correct_result", round=1, outcome="5"))
    assert again["seats"][0] | {"shortfall": 1800, "owes": 5400} == again["seats"][0]
    assert money(play) == (0, 200, -5400)
    play.ok("correct_result", round=1, outcome="1")
    assert money(play) == (0, -5200, 0)


@each_game()
def test_impossible_corrections_are_refused(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    clause = CORRECTS[game]
    assert play.refused("correct_result", round=1, outcome=wins(game)) == ("no_such_round", None)
    play.round(wins(game), a={evens(game): 100})
    settled = ("round_is_settled", "general law") if game in WITHOUT_CLAUSE else ("nothing_to_correct", clause)
    assert play.refused("correct_result", round=1, outcome=wins(game)) == settled
    assert play.refused("correct_result", round=1, outcome="99") == ("no_such_outcome", None)
    for number in (0, -1, 2, 2**63, 10**30):
        assert play.refused("correct_result", round=number, outcome=loses(game)) == ("no_such_round", None)
    play.bet(a={evens(game): 100})
    assert play.refused("correct_result", round=2, outcome=wins(game)) == ("no_result_registered", clause)
    assert play.refused("correct_result", round=2, outcome="99") == ("no_result_registered", clause)
    play.spin().ok("declare", irregularity="interference")
    assert play.refused("correct_result", round=2, outcome=wins(game)) == ("round_is_void", clause)


def test_a_correction_uses_the_layout_of_each_seat(table: Tables) -> None:
    play = table("rws-double-zero").open("a", credits=1000)
    play.ok("take_seat", seat="b", terminal="rapid-b")
    play.ok("buy_credits", seat="b", cents=1000)
    play.round("5", a={"corner:0-1-2-3": 100}, b={"top_line": 100})
    assert play.credits("a", "b") == [900, 900]
    play.ok("correct_result", round=1, outcome="0")
    assert play.credits("a", "b") == [900 + 900, 900 + 700]


LATE = {
    "rws-double-zero": ("3.5", "5.7"),
    "rws-triple-zero": ("3.5", "5.7"),
    "mbs-sands": ("5.11", "5.12"),
    "mbs-electronic-double-zero": ("5.12", "5.11"),
    "rws-money-wheel": ("5.2", "5.2"),
}


@each_game({game: ", ".join(dict.fromkeys(clauses)) for game, clauses in LATE.items()})
def test_late_requests_are_refused_and_recorded_without_changing_stakes(game: str, table: Tables) -> None:
    """A late increase is refused and returned. A late withdrawal does not remove the stake."""
    late_bet, late_withdrawal = LATE[game]
    play = table(game).open("a", "b", credits=1000)
    bet = evens(game)
    play.bet(a={bet: 100}).ok("place_bets", seat="a", bets={bet: 50})
    play.spin().ok("observe_spin", **play.spun())
    recorded = 0
    moved = {"undo": {bet: 50}, "clear": {bet: 150}, "double": {bet: 150}}
    for moment in ("", "ball_at_rest", "register_result"):
        if moment:
            play.ok(moment, outcome=wins(game))
        for do in ("place_bets", "place_package", "repeat", "double", "withdraw_bets", "undo", "clear"):
            fields: Json = {"bets": {bet: 70}} if do.endswith("bets") else {}
            if do == "place_package":
                fields = {"package": "any", "unit_cents": 5}
            before = play.state["accounts"]
            answer = play.do(do, seat="a", **fields)
            takes_back = do in ("withdraw_bets", "undo", "clear")
            clause = late_withdrawal if takes_back else late_bet
            assert (answer["ok"], answer["refusal"], answer["clause"]) == (False, "bets_are_closed", clause)
            [event] = answer["events"]
            assert event["event"] == ("late_withdrawal_refused.v1" if takes_back else "late_bet_refused.v1")
            assert (event["seat"], event["clause"]) == ("a", clause)
            assert event.get("bets", {}) == ({bet: 70} if do.endswith("bets") else moved.get(do, {}))
            assert event["late_millis"] > 0
            assert play.state["accounts"] == before
            recorded += 1
    assert play.state["meters"]["late_bets"] == recorded
    assert play.refused("place_bets", seat="ghost", bets={bet: 1}) == ("no_such_seat", None)
    assert the("round_settled", play.ok("confirm_result"))["seats"] == {"a": [150, 300]}
    assert play.credits("a", "b") == [1150, 1000]


def test_lateness_is_measured_from_the_closing(table: Tables) -> None:
    play = table("mbs-sands").open("a").bet(a={"red": 100}).spin()
    closed_at = play.writer.table.state.closed_at
    for wait in (1, 250, 3000):
        play.clock._now += wait  # type: ignore[assignment]
        event = play.do("place_bets", seat="a", bets={"red": 1})["events"][0]
        assert event["late_millis"] == play.writer.table.state.last_event_at - closed_at


# Referrals of matters that the rules do not cover.


@each_game(
    {
        "rws-double-zero": "5.10",
        "rws-triple-zero": "5.10",
        "mbs-sands": "general law",
        "mbs-electronic-double-zero": "6.1",
        "rws-money-wheel": "general law",
    }
)
def test_only_the_named_position_decides_and_its_reason_is_recorded(game: str, table: Tables) -> None:
    clause = DECIDES.get(game, "general law")
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin()
    assert play.refused("refer", "player", round=1, question="?")[0] == "not_authorised"
    assert play.refused("refer", "cashier", round=1, question="?")[0] == "not_authorised"
    assert play.refused("refer", round=1, question="  ") == ("no_reason_given", None)
    assert play.refused("refer", round=2, question="?") == ("no_such_round", None)
    assert play.refused("refer", round=2, question=" ") == ("no_such_round", None)
    assert play.refused("decide", round=1, ruling="void", reason="x") == ("nothing_referred", clause)
    referred = the("matter_referred", play.ok("refer", round=1, question="a bird sat on the rim"))
    assert (referred["decides"], referred["clause"]) == ("shift_manager", clause)
    assert play.state["matters"] == {"1": "a bird sat on the rim"}
    assert play.refused("start_spin") == ("awaiting_decision", clause)
    for by in EVERYBODY:
        if by != "shift_manager":
            assert play.refused("decide", by, round=1, ruling="void", reason="x")[0] == "not_authorised"
    assert play.refused("decide", round=1, ruling="void", reason=" ") == ("no_reason_given", clause)
    for outcome in ({}, {"outcome": "99"}, {"outcome": wins(game)}):
        assert play.refused("decide", round=1, ruling="settle", reason="x", **outcome) == (
            "ball_is_not_at_rest",
            clause,
        )
    decision, *_ = play.ok("decide", round=1, ruling="void", reason="it touched the ball")
    assert (decision["by"], decision["reason"], decision["clause"]) == ("shift_manager", "it touched the ball", clause)
    assert play.credits("a") == [1000]
    assert play.state["matters"] == {}
    assert play.refused("decide", round=1, ruling="void", reason="x") == ("nothing_referred", clause)


@pytest.mark.parametrize("ruling", ["void", "settle", "stand"])
@each_game()
def test_a_decision_can_void_settle_or_continue_the_round_in_progress(game: str, ruling: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin()
    play.ok("observe_spin", **play.spun())
    play.ok("ball_at_rest", outcome=wins(game))
    play.ok("refer", round=1, question="what now?")
    events = play.ok("decide", round=1, ruling=ruling, reason="confirmed by the camera")
    if ruling == "void":
        assert kinds(events) == ["decision_made", "round_voided"]
        assert play.credits("a") == [1000]
    elif ruling == "settle":
        assert kinds(events) == ["decision_made", "round_settled"]
        assert play.credits("a") == [1100], "settled by the wheel unless the decision names an outcome"
    else:
        assert kinds(events) == ["decision_made"]
        assert play.phase == "at_rest"
        play.ok("register_result", outcome=wins(game))
        play.ok("confirm_result")
        assert play.credits("a") == [1100]


@each_game()
def test_a_decision_may_name_another_outcome(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 100}).spin()
    play.ok("ball_at_rest", outcome=wins(game))
    play.ok("refer", round=1, question="the number was misread")
    play.ok("decide", round=1, ruling="settle", outcome=loses(game), reason="the camera shows it")
    assert play.credits("a") == [900]


@pytest.mark.parametrize("ruling", ["void", "settle", "stand"])
@each_game()
def test_a_decision_can_void_settle_or_confirm_a_settled_round(game: str, ruling: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    play.round(loses(game), a={evens(game): 100})
    play.bet(a={evens(game): 100})
    play.ok("refer", round=1, question="was it so?")
    assert play.phase == "bets_open", "a referral of a settled round does not stop play"
    assert play.refused("refer", round=1, question="again") == ("already_referred", DECIDES.get(game, "general law"))
    clause = DECIDES.get(game, "general law")
    for by in EVERYBODY[:-1]:
        assert play.refused("decide", by, round=1, ruling=ruling, reason="x")[0] == "not_authorised"
    if ruling == "settle":
        assert play.refused("decide", round=1, ruling="settle", reason="x") == ("outcome_needed", clause)
        again = play.refused("decide", round=1, ruling="settle", outcome=loses(game), reason="x")
        assert again == ("nothing_to_correct", clause)
    fields = {"outcome": wins(game)} if ruling == "settle" else {}
    events = play.ok("decide", round=1, ruling=ruling, reason="confirmed by the camera", **fields)
    kind = {"void": ["round_reversed"], "settle": ["round_corrected"], "stand": []}[ruling]
    assert kinds(events) == ["decision_made", *kind]
    assert play.credits("a") == [{"void": 900, "settle": 1000, "stand": 800}[ruling]]
    assert play.state["seats"]["a"]["bets"] == {evens(game): 100}
    if ruling == "void":
        assert play.refused("decide", round=1, ruling="void", reason="x") == ("nothing_referred", clause)
        play.ok("refer", round=1, question="once more")
        assert play.refused("decide", round=1, ruling="void", reason="x") == ("round_is_void", clause)
        play.ok("decide", round=1, ruling="settle", outcome=loses(game), reason="it was valid after all")
        assert play.credits("a") == [800]


DEALERS = ["open_bets", "close_bets", "start_spin", "observe_spin", "ball_at_rest", "register_result", "confirm_result"]


@each_game({"rws-double-zero": "1.5", "rws-triple-zero": "1.5", "mbs-electronic-double-zero": "6.2"}, of=BALL_GAMES)
def test_a_higher_position_acts_for_the_dealer_only_where_the_rules_allow_it(game: str, table: Tables) -> None:
    higher = game == "mbs-electronic-double-zero"
    play = table(game).open("a")
    for do in DEALERS:
        fields = {"outcome": "1"} if do in ("ball_at_rest", "register_result") else {}
        fields = play.spun() if do == "observe_spin" else fields
        for by in ("player", "cashier"):
            assert play.refused(do, by, **fields)[0] == "not_authorised"
        for by in STAFF[1:]:
            if not higher:
                assert play.refused(do, by, **fields) == ("not_authorised", "1.5")
        play.ok(do, "pit_manager" if higher else "dealer", **fields)
    for by in EVERYBODY[1:]:
        play.ok("open_bets")
        assert play.refused("place_bets", by, seat="a", bets={"red": 100})[0] == "not_authorised"
        play.spin().ok("declare", irregularity="interference")


@each_game()
def test_only_these_positions_may_move_credits(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    for by in EVERYBODY:
        allowed = by in ("player", "cashier", "dealer") or game == "mbs-electronic-double-zero"
        assert play.do("buy_credits", by, seat="a", cents=100)["ok"] is allowed
        assert play.do("cash_out", by, seat="a")["ok"] is (allowed and by in ("player", "cashier"))
        assert play.do("buy_credits", by, seat="a", cents=100)["ok"] is allowed
        assert play.do("cash_out", by, seat="a", **TWO)["ok"] is allowed
        assert play.do("open_table", by)["refusal"] == ("table_is_open" if by in STAFF else "not_authorised")
