"""Tables of earlier versions: their decisions are repeated by ``verify``, and they adopt the current procedure.

A table is opened as those versions opened it. Its decisions are frozen, although they are not by the rules.
"""

import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import key_of
from tests.support.tables import GAMES, SPUN_FIRST, TWO, Json, Play, Tables, each_game, evens, kinds, loses, the, wins


def old(play: Play) -> Play:
    return play.by_first_procedure().open("a", credits=1000)


def assert_verifies(play: Play) -> None:
    play.store.close()
    verify_journal(play.path, key_of(play.path))


def begin(play: Play) -> Play:
    return play.bet(a={evens(play.name): 100}).spin()


@each_game()
def test_the_registered_outcome_was_the_result(game: str, table: Tables) -> None:
    play = begin(old(table(game)))
    play.ok("ball_at_rest", outcome=wins(game))
    play.ok("register_result", outcome=loses(game))
    confirmed = the("result_confirmed", play.ok("confirm_result"))
    assert (confirmed["dolly"], confirmed["wheel"]) == (loses(game), wins(game))
    assert play.credits("a") == [900]
    assert_verifies(play)


@each_game()
def test_a_dealer_alone_voided_a_round_before_its_spin(game: str, table: Tables) -> None:
    play = old(table(game)).bet(a={evens(game): 100})
    assert kinds(play.ok("declare", irregularity="interference", who="ann")) == ["round_voided"]
    assert play.credits("a") == [1000]
    assert_verifies(play)


@each_game(of=tuple(game for game in GAMES if game not in SPUN_FIRST))
def test_a_settled_round_was_corrected_without_names(game: str, table: Tables) -> None:
    play = begin(old(table(game)))
    play.ok("ball_at_rest", outcome=wins(game))
    play.ok("register_result", outcome=wins(game))
    play.ok("confirm_result")
    again: Json = {"round": 1, "outcome": loses(game)}
    assert play.refused("correct_result", **again, who="ann")[0] == "needs_second_person"
    play.ok("correct_result", **again, **TWO)
    assert play.credits("a") == [900]
    assert_verifies(play)


STEPS = ("bets_open", "spinning", "at_rest", "registered", "held", "referred", "stopped")


@pytest.mark.parametrize("step", STEPS)
@each_game()
def test_an_open_table_adopts_the_current_procedure_when_it_is_opened_again(
    game: str, step: str, table: Tables
) -> None:
    play = old(table(game)).bet(a={evens(game): 100})
    if step != "bets_open":
        play.spin()
    if step in ("at_rest", "registered", "held"):
        play.ok("ball_at_rest", outcome=wins(game))
    if step in ("registered", "held"):
        play.ok("register_result", outcome=wins(game) if step == "registered" else loses(game))
    if step == "referred":
        play.ok("refer", round=1, question="was it struck?")
    if step == "stopped":
        play.writer._stop("RuntimeError: internal error", [])
    recovered = play.reopen()
    if step == "stopped":
        # A table without a round in progress adopts the procedure with its next act.
        recovered = play.ok("resume_table", reason="the fault was found")
    adopted, *recovered = recovered
    assert (adopted["event"], adopted["procedure"]) == ("procedure_adopted.v1", 2)
    assert not {"round_settled", "round_voided"} & set(kinds(recovered))
    assert [event["event"] for event in play.reopen()][:1] != ["procedure_adopted.v1"]
    finish(play, step)
    assert_verifies(play)


def finish(play: Play, step: str) -> None:
    """Let people end the round by the current procedure."""
    game = play.name
    rested = step in ("at_rest", "registered", "held")
    if not rested and play.phase in ("interrupted", "referred"):
        if step == "referred":
            play.ok("ball_at_rest", outcome=wins(game), **TWO)
            play.ok("decide", round=1, ruling="stand", reason="it was not")
        else:
            play.ok("ball_at_rest", outcome=wins(game), **TWO)
    if play.phase == "referred":
        play.ok("decide", round=1, ruling="stand", reason="the ball rests")
    play.ok("register_result", outcome=wins(game))
    assert play.refused("confirm_result")[0] == "spin_not_attested"
    play.ok("observe_spin", **play.spun())
    play.ok("confirm_result")
    assert play.credits("a") == [1100]


def test_a_question_without_a_round_is_taken_before_the_first_opening(table: Tables) -> None:
    play = table(GAMES[0])
    play.ok("refer", question="what is a revolution?")
    play.ok("decide", ruling="stand", reason="360 degrees")
    assert not play.writer.table.state.by_evidence
