"""Disputes: a Player contests a round, what was on record is frozen, and the person in charge closes the dispute."""

from typing import Any

import pytest

from roundhouse.table.disputes import KEPT_CLOSED, MAX_OPEN_DISPUTES, MAX_REASON, MAX_WORDS, digest_of
from roundhouse.table.names import RoundNumber
from tests.support.tables import GAMES, NOBODY, TWO, Json, Play, Tables, each_game, evens, loses, the, wins

GAME = "rws-double-zero"
DECIDES = {"rws-double-zero": "5.10", "rws-triple-zero": "5.10", "mbs-electronic-double-zero": "6.1"}


def contest(play: Play, **fields: Any) -> Json:
    return the("dispute", play.ok("dispute", **{"seat": "a", "round": 1, "about": "payment", **fields}))


@each_game(DECIDES, of=tuple(DECIDES))
def test_the_person_whom_the_rulebook_names_closes_a_dispute(game: str, table: Tables) -> None:
    play = table(game).open("a")
    play.round(loses(game), a={evens(game): 100})
    made = contest(play)
    assert (made["decides"], made["clause"]) == ("shift_manager", DECIDES[game])
    for position in ("dealer", "pit_supervisor", "pit_manager"):
        refused = play.refused("close_dispute", position, who="kim", dispute=1, reason="the tape shows it")
        assert refused == ("not_authorised", DECIDES[game])
    closed = the("dispute_closed", play.ok("close_dispute", who="kim", dispute=1, reason="the tape shows it"))
    assert (closed["round"], closed["seat"], closed["reason"]) == (1, "a", "the tape shows it")
    assert (closed["by"], closed["who"], closed["clause"]) == ("shift_manager", "kim", DECIDES[game])


@pytest.mark.parametrize("game", GAMES)
def test_a_dispute_freezes_what_was_on_record(game: str, table: Tables) -> None:
    """A later change of the round leaves the frozen amounts, digest and hash as they are."""
    play = table(game).open("a")
    play.round(loses(game), a={evens(game): 100})
    record = play.writer.table.archive.round(RoundNumber(1))
    assert record is not None
    digest, head = digest_of(record), play.writer._hash.hex()
    made = contest(play, words="  it was the other one ")
    assert made["words"] == "it was the other one"
    assert (made["outcome"], made["staked"], made.get("returned", 0)) == (loses(game), 100, 0)
    assert (made["record"], made["head"]) == (digest, head)
    play.ok("refer", round=1, question="what does the tape show?")
    play.ok("decide", round=1, ruling="settle", outcome=wins(game), reason="the tape shows it")
    [open] = play.state["disputes"]
    assert (open["outcome"], open["staked"], open.get("returned", 0)) == (loses(game), 100, 0)
    record = play.writer.table.archive.round(RoundNumber(1))
    assert record is not None
    assert digest_of(record) != digest
    closed = the("dispute_closed", play.ok("close_dispute", dispute=1, reason="you were right"))
    assert (closed["returned"], closed.get("paid", 0)) == (200, 0)
    assert play.state["disputes"] == []


def test_a_round_in_progress_can_be_contested_and_goes_on(table: Tables) -> None:
    play = table(GAME).open("a").bet(a={"red": 300})
    made = contest(play, about="bet")
    assert ("record" in made, "outcome" in made, made["staked"]) == (False, False, 300)
    play.spin().rest("1").ok("confirm_result")
    assert play.phase == "idle"
    assert [one["number"] for one in play.state["disputes"]] == [1]


def test_a_void_round_returned_the_stake(table: Tables) -> None:
    play = table(GAME).open("a").bet(a={"red": 300}).spin()
    play.ok("declare", irregularity="interference")
    made = contest(play)
    assert ("outcome" in made, made["staked"], made["returned"]) == (False, 300, 300)


def test_a_seat_without_a_bet_can_contest_a_bet_that_was_not_taken(table: Tables) -> None:
    play = table(GAME).open("a", "b")
    play.round("1", a={"red": 100})
    made = contest(play, seat="b", about="bet")
    assert (made["outcome"], made.get("staked", 0), made.get("returned", 0)) == ("1", 0, 0)


def test_open_disputes_of_a_seat_are_bounded(table: Tables) -> None:
    play = table(GAME).open("a", "b")
    for _ in range(MAX_OPEN_DISPUTES + 1):
        play.round("1", a={"red": 100})
    for number in range(1, MAX_OPEN_DISPUTES + 1):
        contest(play, round=number)
    assert play.refused("dispute", seat="a", round=2, about="bet") == ("already_disputed", "5.10")
    last: Json = {"round": MAX_OPEN_DISPUTES + 1, "about": "bet"}
    assert play.refused("dispute", seat="a", **last) == ("too_many_disputes", "5.10")
    contest(play, seat="b", round=1)
    play.ok("close_dispute", dispute=1, reason="answered")
    assert contest(play, **last)["dispute"] == MAX_OPEN_DISPUTES + 2


def test_the_last_closed_disputes_of_a_seat_are_kept(table: Tables) -> None:
    play = table(GAME).open("a")
    for number in range(1, KEPT_CLOSED + 3):
        play.round("1", a={"red": 100})
        contest(play, round=number)
        play.ok("close_dispute", dispute=number, reason=f"answer {number}")
    register = play.writer.table.state.disputes
    assert register
    kept = [one.number for one in register.closed["a"]]  # type: ignore[index]
    assert kept == [KEPT_CLOSED + 2 - place for place in range(KEPT_CLOSED)]


def test_each_reason_for_a_refusal(table: Tables) -> None:
    play = table(GAME).open("a")
    play.round("1", a={"red": 100})
    cases: list[tuple[Json, str]] = [
        ({"seat": "ghost"}, "no_such_seat"),
        ({"round": 0}, "no_such_round"),
        ({"round": 2}, "no_such_round"),
        ({"round": -1}, "no_such_round"),
        ({"about": "other"}, "no_reason_given"),
        ({"about": "other", "words": "  "}, "no_reason_given"),
        ({"words": "w" * (MAX_WORDS + 1)}, "text_is_too_long"),
        ({"by": "cashier"}, "not_authorised"),
        ({"about": "weather"}, "not_understood"),
    ]
    for fields, refusal in cases:
        assert play.do("dispute", **{"seat": "a", "round": 1, "about": "payment", **fields})["refusal"] == refusal
    contest(play, words="w" * MAX_WORDS)
    play.writer.facts.goodwill_max = 500  # type: ignore[assignment]
    cases = [
        ({"dispute": 2}, "no_such_dispute"),
        ({"reason": " "}, "no_reason_given"),
        ({"reason": "r" * (MAX_REASON + 1)}, "text_is_too_long"),
        ({"paid": -1}, "bad_amount"),
        ({"paid": 501}, "above_goodwill"),
        ({"paid": 500, "who": "kim", "second": NOBODY}, "needs_second_person"),
        ({"paid": 500, "who": "kim", "second": " KIM"}, "needs_second_person"),
    ]
    for fields, refusal in cases:
        found = play.do("close_dispute", **{"dispute": 1, "reason": "r" * MAX_REASON, **TWO, **fields})
        assert (fields, found["refusal"]) == (fields, refusal)
    play.ok("close_dispute", dispute=1, reason="answered", paid=500)
    assert play.refused("close_dispute", dispute=1, reason="again") == ("no_such_dispute", "5.10")


def test_goodwill_has_a_separate_account(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    play.round("2", a={"red": 400})
    before = play.state
    assert "goodwill" not in before["accounts"]
    contest(play)
    play.ok("close_dispute", dispute=1, reason="a long wait", paid=250)
    after = play.state
    assert after["accounts"] == {**before["accounts"], "seat:a": 850, "goodwill": -250}
    assert after["meters"] == before["meters"], "goodwill is neither win nor drop"
    assert after["seats"]["a"]["meters"] == before["seats"]["a"]["meters"]
    play.reopen()
    assert play.ok("cash_out", seat="a")[0]["cents"] == 850


def test_a_person_does_not_close_alone_a_dispute_that_they_wrote_down(table: Tables) -> None:
    play = table(GAME).open("a")
    play.round("1", a={"red": 100})
    made = contest(play, by="shift_manager", who="sue")
    assert made["source"] == {"by": "shift_manager", "who": "sue"}
    alone: Json = {"dispute": 1, "reason": "answered", "second": NOBODY}
    assert play.refused("close_dispute", who="sue", **alone) == ("needs_second_person", None)
    play.ok("close_dispute", who="tom", **alone)


@pytest.mark.clause("rws-double-zero", "5.8")
@pytest.mark.clause("rws-triple-zero", "5.8")
def test_a_question_about_a_display_changes_no_money(table: Tables) -> None:
    """RWS 5.8: a display informs, and the outcome of the table prevails."""
    play = table(GAME).open("a")
    play.round("1", a={"red": 100})
    with play.same_money():
        asked = the("display_questioned", play.ok("question_display", words="the board shows 71", round=1))
        play.ok("question_display", words="the board is dark")
    assert (asked["round"], asked["words"]) == (1, "the board shows 71")
    assert play.refused("question_display", words="", round=1) == ("no_reason_given", None)
    assert play.refused("question_display", words="dark", round=7) == ("no_such_round", None)
    assert play.refused("question_display", "player", words="dark")[0] == "not_authorised"
