"""The Dealer of record: one Dealer deals, another only looks on, and a supervisor always has a way on."""

import pytest

from roundhouse.table.dealers import GONE
from tests.support.tables import NOBODY, Json, Play, Tables, the

GAME = "rws-double-zero"


def changed(play: Play, do: str, by: str = "", **fields: object) -> Json:
    event = dict(the("dealer_changed", play.ok(do, by, **fields)))
    del event["event"]
    return event


def dealt_by(play: Play) -> str | None:
    found = play.state["dealer"]
    return found and str(found["name"])


def test_a_dealer_takes_the_table_and_hands_it_over(table: Tables) -> None:
    play = table(GAME).open("a")
    assert dealt_by(play) is None
    assert changed(play, "take_table", who="ann") == {"dealer": "ann"}
    assert play.state["dealer"] == {"name": "ann", "since": play.writer.table.state.last_event_at}
    play.reopen()
    assert dealt_by(play) == "ann"
    assert changed(play, "hand_table", who="ann") == {"was": "ann"}
    assert dealt_by(play) is None
    assert changed(play, "take_table", who="ben") == {"dealer": "ben"}


NO_FIELDS: Json = {}
LOOKS_ON: dict[str, Json] = {
    **dict.fromkeys(["open_table", "close_table", "hand_back", "open_bets"], NO_FIELDS),
    **dict.fromkeys(["close_bets", "start_spin", "confirm_result"], NO_FIELDS),
    "take_over": {"reason": "the wheel squeaks"},
    "observe_spin": {"revolutions": 6},
    "ball_at_rest": {"outcome": "17"},
    "amend_reading": {"outcome": "17"},
    "register_result": {"outcome": "17"},
    "declare": {"irregularity": "interference"},
    "call_no_spin": {"reason": "a hand"},
    "buy_credits": {"seat": "a", "cents": 100},
    "cash_out": {"seat": "a"},
    "redeem_ticket": {"seat": "a", "ticket": "1" * 20},
    "issue_colour": {"seat": "a", "colour": "blue", "value_cents": 100},
    "redeem_colour": {"seat": "a"},
    "hand_table": NO_FIELDS,
    "fill": {"cents": 100},
    "credit": {"cents": 100},
    "drop_removed": {"cents": 100},
    "count_float": {"count": "opener", "cents": 100},
}
"""Requests that a second Dealer may not send, though a Dealer may."""
SPEAKS: dict[str, Json] = {
    "refer": {"question": "was it struck?"},
    "question_display": {"words": "the board is dark"},
    "take_seat": {"seat": "new", "terminal": "rapid-a"},
}
"""Requests by which a second Dealer speaks up without dealing."""


@pytest.mark.parametrize("do", LOOKS_ON)
def test_a_second_dealer_only_looks_on(do: str, table: Tables) -> None:
    play = table(GAME).open("a")
    play.ok("take_table", who="ann")
    answer = play.do(do, "dealer", who="ben", **LOOKS_ON[do])
    # The phase may refuse it first. The Dealer of record gets the same answer then.
    if answer["refusal"] != "table_has_dealer":
        assert play.do(do, "dealer", who="ann", **LOOKS_ON[do])["refusal"] == answer["refusal"]
    else:
        assert "ann is the Dealer of record" in answer["reason"]
        assert play.do(do, "dealer", who="ann", **LOOKS_ON[do]).get("refusal") != "table_has_dealer"


@pytest.mark.parametrize("do", SPEAKS)
def test_a_second_dealer_may_speak_up(do: str, table: Tables) -> None:
    play = table(GAME).open("a")
    play.ok("take_table", who="ann")
    play.ok(do, "dealer", who="ben", **SPEAKS[do])


def test_a_name_is_one_person_in_any_spelling(table: Tables) -> None:
    play = table(GAME).open("a")
    play.ok("take_table", who="Ann")
    play.ok("open_bets", who=" ann ")
    assert play.refused("take_table", who="ANN") == ("already_dealer", None)


def test_without_a_name_or_a_dealer_of_record_every_dealer_may_deal(table: Tables) -> None:
    play = table(GAME).open("a")
    play.ok("open_bets", who="ann")
    play.ok("close_bets", who="ben")
    play.ok("take_table", who="ann")
    play.ok("start_spin", who=NOBODY)
    assert play.refused("take_table", who=NOBODY) == ("no_name_given", None)
    assert play.refused("observe_spin", who="ben", **play.spun())[0] == "table_has_dealer"
    play.ok("refer", "pit_supervisor", who="kim", round=1, question="was it struck?")
    play.ok("hand_table", who=NOBODY)
    assert play.refused("hand_table", who="ann") == ("no_dealer", None)


def test_a_supervisor_forces_a_change_with_a_reason(table: Tables) -> None:
    play = table(GAME).open("a")
    play.ok("take_table", who="ann")
    assert play.refused("take_table", who="ben")[0] == "table_has_dealer"
    assert play.refused("take_table", who="ben", reason="ann is unwell")[0] == "table_has_dealer"
    for do in ("take_table", "hand_table"):
        assert play.refused(do, "pit_supervisor", who="kim")[0] == "no_reason_given"
        assert play.refused(do, "player", who="kim", reason="r")[0] == "not_authorised"
        assert play.refused(do, "cashier", who="kim", reason="r")[0] == "not_authorised"
        assert play.refused(do, "pit_supervisor", who="kim", reason="r" * 1001)[0] == "text_is_too_long"
    unwell = "ann is unwell"
    taken = changed(play, "take_table", "pit_supervisor", who="kim", reason=unwell)
    assert taken == {"dealer": "kim", "was": "ann", "reason": unwell}
    ended = changed(play, "hand_table", "shift_manager", who="sue", reason="a break")
    assert ended == {"was": "kim", "reason": "a break"}


def test_a_dealer_whose_session_has_ended_is_replaced_by_the_next_one(table: Tables) -> None:
    play = table(GAME).open("a")
    play.ok("take_table", who="ann")
    play.writer.facts.is_gone = lambda name: name == "ann"
    assert changed(play, "take_table", who="ben") == {"dealer": "ben", "was": "ann", "reason": GONE}
    assert play.refused("take_table", who="ann")[0] == "table_has_dealer"


def test_the_automatic_dealer_ends_the_duty_of_a_person(table: Tables) -> None:
    play = table(GAME).open("a")
    play.ok("take_table", who="ann")
    events = play.ok("hand_back", who="ann")
    assert [event["event"] for event in events] == ["dealer_changed.v1", "automatic_mode_entered.v1"]
    assert events[0]["was"] == "ann"
    assert dealt_by(play) is None
    assert play.refused("take_table", who="ann") == ("mode_is_automatic", None)
    play.ok("take_over", reason="the wheel squeaks", who="ben")
    assert changed(play, "take_table", who="ben") == {"dealer": "ben"}
