"""Acts that need two persons: refused without a person, for one, and for the same person twice."""

from collections.abc import Callable

import pytest

from tests.support.tables import NOBODY, Json, Play, Tables, each_game, evens, loses, wins

TOO_FEW: list[Json] = [
    {"who": NOBODY, "second": NOBODY},
    {"who": "ann", "second": NOBODY},
    {"who": NOBODY, "second": "ben"},
    {"who": "ann", "second": "ann"},
    {"who": "ann", "second": " Ann"},
    {"who": " ", "second": "ben"},
]


def registered(play: Play) -> Play:
    return play.open("a", credits=1000).bet(a={evens(play.name): 100}).spin().rest(wins(play.name))


def not_attested(play: Play) -> Play:
    play.open("a", credits=1000).bet(a={evens(play.name): 100}).spin().ok("ball_at_rest", outcome=wins(play.name))
    play.ok("register_result", outcome=wins(play.name))
    return play


def referred(play: Play) -> Play:
    registered(play).ok("confirm_result")
    play.ok("refer", round=1, question="was it so?")
    return play


def interrupted(play: Play) -> Play:
    play.open("a", credits=1000).bet(a={evens(play.name): 100}).spin().resume()
    return play


def attested_by_two(play: Play) -> Play:
    interrupted(play).ok("ball_at_rest", outcome=wins(play.name), who="ann", second="ben")
    if play.phase == "referred":
        play.ok("decide", round=1, ruling="stand", reason="it rests", who="sam")
    return play


def stopped(play: Play) -> Play:
    play.open("a", credits=1000).writer._stop("RuntimeError: internal error", [])
    play.events.append({"event": "table_stopped.v1"})
    return play


def held(play: Play) -> Play:
    return play.open("a", credits=1000).bet(a={evens(play.name): 100}).spin().rest(wins(play.name), loses(play.name))


def seated(play: Play) -> Play:
    return play.open("a", credits=1000)


Prepare = Callable[[Play], Play]
ACTS: dict[str, tuple[Prepare, str, str, Callable[[Play], Json]]] = {
    "void a registered round": (registered, "declare", "dealer", lambda _: {"irregularity": "interference"}),
    "report an irregular spin of a registered round": (
        not_attested,
        "observe_spin",
        "dealer",
        lambda play: play.spun(revolutions=1),
    ),
    "resolve readings that differ": (
        held,
        "correct_result",
        "pit_supervisor",
        lambda play: {"round": 1, "outcome": wins(play.name)},
    ),
    "change a settled round": (
        referred,
        "decide",
        "shift_manager",
        lambda play: {"round": 1, "ruling": "settle", "outcome": loses(play.name), "reason": "seen"},
    ),
    "void a settled round": (
        referred,
        "decide",
        "shift_manager",
        lambda _: {"round": 1, "ruling": "void", "reason": "seen"},
    ),
    "decide one seat of a settled round": (
        referred,
        "decide",
        "shift_manager",
        lambda _: {"round": 1, "seat": "a", "ruling": "void", "reason": "seen"},
    ),
    "tell the outcome after an interruption": (
        interrupted,
        "ball_at_rest",
        "dealer",
        lambda play: {"outcome": wins(play.name)},
    ),
    "amend a reading of two persons": (
        attested_by_two,
        "amend_reading",
        "dealer",
        lambda play: {"outcome": loses(play.name)},
    ),
    "resume a stopped table": (stopped, "resume_table", "shift_manager", lambda _: {"reason": "the fault was found"}),
    "cash out a player": (seated, "cash_out", "dealer", lambda _: {"seat": "a"}),
}


@pytest.mark.parametrize("act", ACTS)
@each_game()
def test_an_act_of_two_persons_is_refused_for_fewer(game: str, act: str, table: Tables) -> None:
    prepare, do, by, fields = ACTS[act]
    play = prepare(table(game))
    for persons in TOO_FEW:
        refusal = play.refused(do, by, **fields(play), **persons)[0]
        # The reading of a named person is not that of a person without a name.
        nameless = act == "amend a reading of two persons" and persons["who"] in (NOBODY, " ")
        assert refusal == ("no_reading_to_amend" if nameless else "needs_second_person"), persons
    play.ok(do, by, **fields(play), who="ann", second="ben")


ONE_PERSON = {
    "case and spaces": ("Ann Lee", " ann   LEE "),
    "a tab": ("ann lee", "ann\tlee"),
    "a zero-width space": ("ann", "an\u200bn"),
    "a soft hyphen": ("ann", "a\u00adnn"),
    "a byte order mark": ("ann", "\ufeffann"),
    "full-width letters": ("ann", "\uff41\uff4e\uff4e"),
    "a composed and a decomposed letter": ("jos\u00e9", "jose\u0301"),
    "a sharp s": ("stra\u00dfe", "STRASSE"),
}
TWO_PERSONS = {"a longer name": ("ann", "anne"), "an accent": ("jose", "jos\u00e9"), "words": ("ann lee", "annlee")}


@pytest.mark.parametrize("spelling", ONE_PERSON)
def test_one_name_in_two_spellings_is_one_person(spelling: str, table: Tables) -> None:
    who, second = ONE_PERSON[spelling]
    play = seated(table("rws-double-zero"))
    for persons in ({"who": who, "second": second}, {"who": second, "second": who}):
        assert play.refused("cash_out", "dealer", seat="a", **persons)[0] == "needs_second_person"


@pytest.mark.parametrize("spelling", TWO_PERSONS)
def test_names_that_differ_are_two_persons(spelling: str, table: Tables) -> None:
    who, second = TWO_PERSONS[spelling]
    seated(table("rws-double-zero")).ok("cash_out", "dealer", seat="a", who=who, second=second)


def test_a_reading_in_another_spelling_is_that_of_the_person(table: Tables) -> None:
    play = seated(table("rws-double-zero")).bet(a={"red": 100}).spin()
    play.ok("ball_at_rest", outcome="1", who="jos\u00e9")
    assert play.refused("ball_at_rest", outcome="2", who="JOSE\u0301")[0] == "ball_is_at_rest"
    play.ok("amend_reading", outcome="2", who="JOSE\u0301")
