"""Interruptions and orderly stops of ``roundhouse deal`` in every phase of every game."""

import signal
from typing import Any

import pytest

from roundhouse.table.names import PLANNED_STOP
from tests.support.deal_acts import ASKS, WITHOUT_CLAUSE
from tests.support.tables import GAMES, TWO, each_game, kinds

PHASES = ("bets_open", "bets_closed", "spinning_bets_open", "spinning", "observed", "at_rest", "registered")
IMPOSSIBLE = {("mbs-sands", "bets_closed"), ("mbs-electronic-double-zero", "spinning_bets_open")}
PLACES = [(game, phase) for game in GAMES for phase in PHASES if (game, phase) not in IMPOSSIBLE]


@pytest.mark.parametrize(("game", "phase"), PLACES)
def test_r10_r11_r12_after_a_kill_people_are_asked_and_no_round_ends(game: str, phase: str, acts: Any) -> None:
    play = acts(game).open().at(phase)
    recovered = play.kill()
    assert not {"round_settled", "round_voided"} & set(kinds(recovered))
    assert play.credits() == 9_999_000
    rested = phase in ("at_rest", "registered")
    if game in WITHOUT_CLAUSE:
        assert kinds(recovered)[-1] == "matter_referred"
        assert play.state["phase"] == "referred"
        if not rested:
            assert play.refused("ball_at_rest", outcome=play.won, who="ann") == "needs_second_person"
            play.ok("ball_at_rest", outcome=play.won, **TWO)
        play.ok("decide", round=1, ruling="stand", reason="the ball rests", who="sam")
    elif rested:
        assert play.state["phase"] == phase
        assert recovered[0]["irregularity"] == "interrupted_with_outcome"
    else:
        assert (recovered[0]["clause"], recovered[0]["asks"]) == (ASKS[game], True)
        assert play.refused("ball_at_rest", outcome=play.won, who="ann") == "needs_second_person"
        assert play.refused("declare", irregularity="interrupted_without_outcome") == "needs_second_person"
        play.ok("ball_at_rest", outcome=play.won, **TWO)
    play.kill()
    if game in WITHOUT_CLAUSE:
        play.ok("decide", round=1, ruling="stand", reason="the ball rests", who="sam")
    if phase != "registered":
        play.ok("register_result", outcome=play.won)
    if phase not in ("observed", "at_rest", "registered"):
        assert play.refused("confirm_result") == "spin_not_attested"
        play.attest()
    play.ok("confirm_result")
    assert play.credits() == 10_000_000 + play.win


@each_game(of=tuple(ASKS))
def test_r10_two_persons_state_that_no_outcome_stands(game: str, acts: Any) -> None:
    play = acts(game).open().at("spinning")
    play.kill()
    [void] = play.ok("declare", irregularity="interrupted_without_outcome", **TWO)
    assert void["clauses"] == [ASKS[game] + (".1" if game.startswith("mbs") else ".2")]
    assert play.credits() == 10_000_000


@each_game(of=tuple(ASKS))
def test_a_referral_does_not_escape_the_question_after_an_interruption(game: str, acts: Any) -> None:
    play = acts(game).open().at("bets_open")
    play.kill()
    play.ok("refer", round=1, question="May betting go on?")
    assert play.refused("place_bets", seat="s0", bets={play.position: 1000}) == "awaiting_decision"
    play.ok("decide", round=1, ruling="stand", reason="ask the wheel", who="sam")
    assert play.state["phase"] == "interrupted"


@pytest.mark.parametrize(("game", "phase"), [*PLACES, *((game, "referred") for game in GAMES)])
def test_an_orderly_stop_refers_the_round_and_is_no_interruption(game: str, phase: str, acts: Any) -> None:
    play = acts(game).open().at("spinning" if phase == "referred" else phase)
    if phase == "referred":
        play.ok("refer", round=1, question="Was it struck?")
    assert play.stop() == []
    state = play.state
    assert (state["phase"], state["interrupted"]) == ("referred", False)
    assert (state["matters"]["1"] == PLANNED_STOP) is (phase != "referred")
    play.ok("decide", round=1, ruling="void", reason="the table is moved", who="sam")
    assert play.credits() == 10_000_000
    assert play.stop() == []
    assert play.state["phase"] == "idle"


def test_a_signal_stops_deal_in_an_orderly_way(acts: Any) -> None:
    play = acts("rws-double-zero").open().at("spinning")
    play.deal.process.send_signal(signal.SIGTERM)
    assert play.stop() == []
    assert play.state["phase"] == "referred"
