"""Rows of the clause registers that the table meets: evidence, irregularities, interruption, terminals and chips."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from roundhouse import rulebooks
from roundhouse.config.offers import offer_names, offered_packages
from roundhouse.floor.clock import SteppingClock
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.rules.names import StaffPosition, TerminalId
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import HouseTerms
from roundhouse.table.names import Millis, RequestId, SeatId, TableId
from roundhouse.table.round_events import SpinStarted
from tests.support.tables import BALL_GAMES, GAMES, SPUN_FIRST, Play, Tables, each_game, evens, kinds, the, wins
from tests.support.writers import TERMS, command, open_writer

SPUN: dict[str, Any] = {"revolutions": 14, "ball": "clockwise", "wheel": "anticlockwise"}
OTHER = dict.fromkeys(GAMES, "3")
TWO = {"who": "ann", "second": "ben"}


def report(game: str, **changed: Any) -> dict[str, Any]:
    spun = {**SPUN, **changed}
    return {key: value for key, value in spun.items() if game in BALL_GAMES or key == "revolutions"}


def at_rest(play: Play) -> Play:
    """Play until the Dealer has attested the spin and read the outcome."""
    play.open("a").bet(a={evens(play.name): 1000}).spin()
    play.ok("observe_spin", who="ann", **report(play.name))
    play.ok("ball_at_rest", who="ann", outcome=wins(play.name))
    return play


def shown(play: Play) -> str | None:
    """Return the outcome that displays show."""
    outcome: str | None = play.state["outcome"]
    return outcome


@each_game(
    {
        "rws-double-zero": "3.7, 5.5, 5.8",
        "rws-triple-zero": "3.7, 5.5, 5.8",
        "mbs-sands": "1.1.2, 3.7",
        "mbs-electronic-double-zero": "3.8, 6.3",
        "rws-money-wheel": "1 / Clapper, 1 / Dolly, 3.5, 3.6",
    }
)
def test_a_registered_result_that_differs_from_the_wheel_is_neither_shown_nor_settled(game: str, table: Tables) -> None:
    play = at_rest(table(game))
    assert shown(play) == wins(game)
    play.ok("register_result", outcome=OTHER[game])
    assert shown(play) is None
    assert play.refused("confirm_result", who="ann")[0] == "readings_disagree"
    assert play.refused("correct_result", round=1, outcome=OTHER[game], **TWO)[0] == "not_a_reading"
    assert play.refused("correct_result", round=1, outcome=wins(game), who="ann")[0] == "needs_second_person"
    play.ok("correct_result", round=1, outcome=wins(game), **TWO)
    assert shown(play) == wins(game)
    play.ok("confirm_result", who="ann")
    assert play.credits("a") == [101_000]


@each_game(
    {
        "rws-double-zero": "1.8, 1.10, 3.6",
        "rws-triple-zero": "1.8, 1.10, 3.6",
        "mbs-sands": "1.1.4, 1.1.6, 3.5",
        "mbs-electronic-double-zero": "1.1.3, 1.1.5, 3.6",
        "rws-money-wheel": "1 / Revolution, 1 / Spin, 3.4",
    }
)
def test_no_result_is_confirmed_before_a_person_attests_the_spin(game: str, table: Tables) -> None:
    play = table(game).open("a").bet(a={evens(game): 1000}).spin()
    play.ok("ball_at_rest", who="ann", outcome=wins(game))
    play.ok("register_result", outcome=wins(game))
    assert play.refused("confirm_result", who="ann")[0] == "spin_not_attested"
    play.ok("observe_spin", who="ann", **report(game, revolutions=None))
    assert play.refused("confirm_result", who="ann")[0] == "spin_not_attested"
    observed = the("spin_observed", play.ok("observe_spin", who="ann", **report(game)))
    assert observed["source"] == {"by": "dealer", "who": "ann"}
    play.ok("confirm_result", who="ann")


@each_game(
    {"rws-double-zero": "3.5", "rws-triple-zero": "3.5", "mbs-sands": "3.6", "rws-money-wheel": "3.2"},
)
def test_a_report_of_rest_closes_bets_that_are_still_open(game: str, table: Tables) -> None:
    play = table(game).open("a").bet(a={evens(game): 1000})
    play.ok("start_spin")
    events = play.ok("ball_at_rest", outcome=wins(game))
    assert kinds(events) == ["bets_closed", "ball_rested", "matter_referred"]
    assert play.refused("place_bets", seat="a", bets={evens(game): 1000})[0] == "bets_are_closed"


def void_clauses(game: str) -> str:
    if game.startswith("rws-") and game != "rws-money-wheel":
        return "5.3, " + ", ".join(f"5.3.{n}" for n in range(1, 10))
    return "5.1, 5.1.1, 5.1.2, 5.1.3" if game == "rws-money-wheel" else ", ".join(f"5.{n}" for n in range(1, 11))


@each_game({game: void_clauses(game) for game in GAMES})
def test_an_irregularity_is_declared_only_of_a_spin_and_not_against_the_record(game: str, table: Tables) -> None:
    play = table(game).open("a").bet(a={evens(game): 1000})
    listed = play.game.rulebook.irregularities
    others = {"interrupted_without_outcome", "no_spin"}
    declared = {str(id) for id in listed if listed[id].effect.voids} - others
    for id in sorted(declared):
        assert play.refused("declare", irregularity=id)[0] == "spin_has_not_started"
    play.spin().ok("observe_spin", who="ann", **report(game))
    against = {"too_few_revolutions", "same_direction", "wheel_not_rotating", "ball_dropped"} & declared
    for id in sorted(against):
        assert play.refused("declare", irregularity=id)[0] == "against_the_record"
    play.ok("ball_at_rest", who="ann", outcome=wins(game))
    for id in sorted({"ball_did_not_drop", "ball_left_wheel", "clapper_on_pin"} & declared):
        assert play.refused("declare", irregularity=id)[0] == "against_the_record"
    play.ok("register_result", outcome=wins(game))
    for id in sorted({"foreign_object", "interference", "wheel_stopped", "ball_broke"} & declared):
        assert play.refused("declare", irregularity=id, who="ann")[0] == "needs_second_person"
    play.ok("declare", irregularity="interference", **TWO)
    assert play.credits("a") == [100_000]


@each_game({"rws-double-zero": "5.1, 5.1.1, 5.1.2", "rws-triple-zero": "5.1, 5.1.1, 5.1.2"})
def test_after_an_interruption_the_wheel_is_asked_at_rws(game: str, table: Tables) -> None:
    asks_the_wheel(table(game), "5.1")


@pytest.mark.clause("mbs-electronic-double-zero", "5.13", "5.13.1", "5.13.2")
def test_after_an_interruption_the_wheel_is_asked_at_mbs_electronic(table: Tables) -> None:
    asks_the_wheel(table("mbs-electronic-double-zero"), "5.13")


def asks_the_wheel(play: Play, clause: str) -> None:
    play.open("a").bet(a={"red": 1000}).spin()
    recovered = the("interruption_recovered", play.reopen())
    assert (recovered["clause"], recovered["asks"], play.phase) == (clause, True, "interrupted")
    assert play.refused("ball_at_rest", outcome="1", who="ann")[0] == "needs_second_person"
    assert "ball_rested" in kinds(play.ok("ball_at_rest", outcome="1", **TWO))
    assert play.phase == "at_rest"
    play.ok("observe_spin", who="ann", **SPUN)
    play.ok("register_result", outcome="1")
    play.ok("confirm_result", who="ann")
    play.bet(a={"red": 1000}).spin().reopen()
    assert play.refused("declare", irregularity="interrupted_without_outcome", who="ann")[0] == "needs_second_person"
    void = the("round_voided", play.ok("declare", irregularity="interrupted_without_outcome", **TWO))
    assert void["clauses"][0].startswith(f"{clause}.")
    assert play.credits("a") == [101_000]


@each_game({"mbs-sands": "general law", "rws-money-wheel": "general law"})
def test_an_interrupted_round_of_a_live_table_waits_for_a_decision(game: str, table: Tables) -> None:
    play = table(game).open("a").bet(a={evens(game): 1000}).spin()
    assert kinds(play.reopen()) == ["interruption_recovered", "matter_referred"]
    assert play.phase == "referred"
    assert play.credits("a") == [99_000]


@each_game(
    {
        "rws-double-zero": "5.2, 5.2.1, 5.2.2",
        "rws-triple-zero": "5.2, 5.2.1, 5.2.2",
        "mbs-electronic-double-zero": "5.14, 5.14.1, 5.14.2, 6.1",
    }
)
def test_interrupted_terminals_are_recorded_and_the_round_goes_on(game: str, table: Tables) -> None:
    play = table(game).open("a", "b").bet(a={"red": 1000})
    events = play.ok("declare", "pit_manager", irregularity="terminals_interrupted", seats=["a", "b"])
    cut = the("terminals_interrupted", events)
    stem = "5.14" if game.startswith("mbs") else "5.2"
    assert (cut["clause"], cut["registered"], cut["unregistered"]) == (stem, f"{stem}.1", f"{stem}.2")
    referred = [event["for_seats"] for event in events if event["event"].startswith("matter_referred")]
    assert referred == ([["a"]] if game.startswith("mbs") else []), "mixed cases are for the Gaming Shift Manager"
    assert play.phase == "bets_open"


@each_game({"mbs-electronic-double-zero": "5.14, 6.1"})
def test_a_matter_of_single_seats_names_those_that_wait(game: str, table: Tables) -> None:
    """The round goes on. The decision of the round ends the matter."""
    play = table(game).open("a", "b").bet(a={"red": 1000}, b={"red": 1000})
    cut = {"irregularity": "terminals_interrupted", "who": "pam"}
    (_, first) = play.ok("declare", "pit_manager", seats=["a"], **cut)
    assert first["question"].startswith("The terminal of seat a was interrupted after")
    play.ok("declare", "pit_manager", seats=["b"], **cut)
    assert (play.state["matter_seats"], play.phase) == ({"1": ["a", "b"]}, "bets_open")
    stands = {"round": 1, "ruling": "stand", "reason": "seen on the video", "who": "sam"}
    play.ok("decide", "shift_manager", seat="a", **stands)
    assert play.state["matter_seats"] == {"1": ["b"]}
    play.ok("decide", "shift_manager", **stands)
    assert (play.state["matter_seats"], play.state["matters"], play.phase) == ({}, {}, "bets_open")


@each_game({"mbs-sands": "1.1.1, 3.3", "rws-money-wheel": "1 / Colour Chips, 3.3"})
def test_stakes_are_made_of_chips_and_a_colour_belongs_to_one_seat(game: str, table: Tables) -> None:
    play = table(game).open("a", "b")
    play.ok("open_bets")
    assert play.refused("place_bets", seat="a", bets={evens(game): 1234}) == ("not_in_chips", "3.3")
    colour = play.game.rulebook.chips.colours[0]  # type: ignore[union-attr]
    play.ok("issue_colour", "dealer", seat="a", colour=colour, value_cents=34)
    assert play.refused("issue_colour", "dealer", seat="b", colour=colour, value_cents=50)[0] == "colour_is_taken"
    play.ok("place_bets", seat="a", bets={evens(game): 1234})
    assert play.refused("place_bets", seat="b", bets={evens(game): 1234})[0] == "not_in_chips"
    assert play.refused("redeem_colour", "dealer", seat="a")[0] == "colour_is_on_layout"
    play.ok("clear", seat="a")
    play.ok("redeem_colour", "dealer", seat="a")
    play.ok("issue_colour", "dealer", seat="b", colour=colour, value_cents=50)


@each_game({"mbs-sands": "1.1.1, 3.3", "rws-money-wheel": "1 / Colour Chips, 3.3"})
def test_a_withdrawal_leaves_stakes_that_are_made_of_chips(game: str, table: Tables) -> None:
    play = table(game).open("a").bet(a={evens(game): 500})
    for cents in (1, 45, 499):
        assert play.refused("withdraw_bets", seat="a", bets={evens(game): cents}) == ("not_in_chips", "3.3")
    play.ok("withdraw_bets", seat="a", bets={evens(game): 50})
    assert play.state["seats"]["a"]["bets"] == {evens(game): 450}


COLOURS = ["yellow", "orange", "pink", "purple", "blue", "turquoise", "brown", "grey", "red", "green", "white", "black"]


@each_game({"mbs-sands": "1.1.1", "rws-money-wheel": "1 / Colour Chips"})
def test_twelve_colours_are_issued_and_none_is_worth_less_than_a_cash_chip(game: str, table: Tables) -> None:
    seats = [f"s{number}" for number, _ in enumerate(COLOURS)]
    play = table(game).open(*seats)
    smallest = play.terms.chips[0]
    clause = "1.1.1" if game == "mbs-sands" else "1 / Colour Chips"
    for seat, colour in zip(seats, COLOURS, strict=True):
        for cents in (0, -smallest, 1, smallest - 1):
            low = play.refused("issue_colour", seat=seat, colour=colour, value_cents=cents)
            assert low == ("bad_amount", clause)
        issued = the("colour_issued", play.ok("issue_colour", seat=seat, colour=colour, value_cents=smallest))
        assert (issued["colour"], issued["value_cents"]) == (colour, smallest)


@each_game({"rws-double-zero": "1.7", "rws-triple-zero": "1.6", "mbs-electronic-double-zero": "1.1.1"})
def test_a_dealer_alone_does_not_cash_out_a_player(game: str, table: Tables) -> None:
    play = table(game).open("a", "b")
    assert play.refused("cash_out", "dealer", seat="a", who="ann")[0] == "needs_second_person"
    play.ok("cash_out", "dealer", seat="a", **TWO)
    play.ok("cash_out", "player", seat="b")


WHO_DEALS = {
    "rws-double-zero": "1.2, 1.10",
    "rws-triple-zero": "1.2, 1.10",
    "mbs-sands": "1.1.6",
    "mbs-electronic-double-zero": "1.1.5",
    "rws-money-wheel": "1 / Spin",
}


@each_game(WHO_DEALS)
def test_a_program_does_not_deal_for_real_money(game: str, tmp_path: Path) -> None:
    found, content = rulebooks.find_with_content(game)
    for currency, refusal in (("SGD", "needs_a_dealer"), ("XXX", None)):
        terms = HouseTerms(TERMS.limits, TERMS.chips, currency)
        store = SqliteStore(tmp_path / f"{currency}.db")
        writer = open_writer(store, TableId("t1"), found, content, terms=terms)
        opened, handed = writer.handle(
            [command("1", "pit_manager", "open_table"), command("2", "pit_manager", "hand_back")]
        )
        assert opened.ok
        assert handed.refusal == refusal
        store.close()


def round_by_program(game: str) -> list[AnyCommand]:
    """Return the requests of a round that the automatic dealer sends."""
    spin = ("start_spin", "close_bets") if game in SPUN_FIRST else ("close_bets", "start_spin")
    read = ("ball_at_rest", "register_result")
    acts = {do: {"outcome": wins(game)} if do in read else {} for do in ("open_bets", *spin, *read, "confirm_result")}
    return [
        replace(command(do, "dealer", do, **fields), id=RequestId(f"auto:1:{do}"), by=StaffPosition.AUTOMATIC_DEALER)
        for do, fields in acts.items()
    ]


@pytest.mark.parametrize("currency", ["SGD", "XXX"])
@each_game(WHO_DEALS)
def test_a_program_that_deals_is_recorded_as_such_and_not_for_real_money(
    game: str, currency: str, table: Tables
) -> None:
    """The table is of an older version, under which it was handed to the automatic dealer."""
    play = table(game).by_first_procedure().open("a")
    play.ok("hand_back")
    play.writer.facts.terms = replace(play.terms, currency=currency)
    _, *answers = play.writer.handle(round_by_program(game))
    if currency == "SGD":
        assert {answer.refusal for answer in answers} == {"needs_a_dealer"}, "a person deals after the first act"
        return
    assert {answer.refusal for answer in answers} == {None}
    events = [event for answer in answers for event in answer.events or ()]
    (started,) = [event for event in events if isinstance(event, SpinStarted)]
    assert started.source is not None
    assert started.source.by is StaffPosition.AUTOMATIC_DEALER


@each_game()
def test_a_table_is_not_opened_before_its_rulebook_is_in_force(game: str, tmp_path: Path) -> None:
    found, content = rulebooks.find_with_content(game)
    instant = int(found.rulebook.effective.timestamp() * 1000)
    for at, refusal in ((instant - 60_000, "not_in_force"), (instant, None)):
        store = SqliteStore(tmp_path / f"{at}.db")
        writer = open_writer(store, TableId("t1"), found, content, clock=SteppingClock(Millis(at)))
        (answer,) = writer.handle([command("1", "pit_manager", "open_table")])
        assert answer.refusal == refusal
        store.close()


MBS = "mbs-electronic-double-zero"


@pytest.mark.clause(MBS, "3.1", "3.2")
def test_the_house_chooses_one_of_the_phrases_and_no_brackets_are_shown(table: Tables) -> None:
    betting = rulebooks.find(MBS).rulebook.betting
    assert not [phrase for phrase in (*betting.opens.phrases, *betting.closes.phrases) if set("()") & set(phrase)]
    for opens in betting.opens.phrases:
        for closes in betting.closes.phrases:
            play = table(MBS)
            play.writer.facts.terms = replace(play.terms, opens_phrase=opens, closes_phrase=closes)
            play.open("a")
            assert the("bets_opened", play.ok("open_bets"))["phrase"] == opens
            assert the("bets_closed", play.ok("close_bets"))["phrase"] == closes
            late = play.refused("place_bets", seat="a", bets={"red": 100})
            assert late == ("bets_are_closed", "5.12"), "each phrase closes the bets"


PACKAGES = {
    "big_series": "Appendix B",
    "small_series": "Appendix C",
    "orphans": "Appendix D",
    "zero_spiel": "Appendix E",
    "neighbours": "Appendix F",
    "finales": "Appendix H",
}
EXAMPLES = {"neighbours": "neighbours:22:2", "finales": "finales:4"}


@pytest.mark.parametrize(
    "left_out", [pytest.param(name, marks=pytest.mark.clause(MBS, clause)) for name, clause in PACKAGES.items()]
)
@pytest.mark.clause(MBS, "1.1.2", "3.5")
@pytest.mark.clause(MBS, "Appendix G")
def test_a_package_that_a_terminal_does_not_offer_is_refused(left_out: str, table: Tables) -> None:
    play = table(MBS)
    terminal = play.game.terminals[TerminalId("racetrack")]
    assert set(offer_names(terminal)) == set(PACKAGES)
    kept = [name for name in PACKAGES if name != left_out]
    play.writer.facts.offers = {SeatId("a"): offered_packages(terminal, kept)}
    play.open("a", "b").ok("open_bets")
    for name in PACKAGES:
        package: dict[str, Any] = {"package": EXAMPLES.get(name, name), "unit_cents": 100}
        play.ok("place_package", seat="b", **package)
        if name == left_out:
            assert play.refused("place_package", seat="a", **package)[0] == "no_such_package"
        else:
            play.ok("place_package", seat="a", **package)


@pytest.mark.clause("rws-money-wheel", "1 / Revolution", "1 / Clapper", "3.5")
def test_a_spin_starts_from_the_segment_that_the_clapper_indicated_before(table: Tables) -> None:
    play = table("rws-money-wheel").open("a")
    rim = play.game.wheel.order
    before = None
    for segment in (7, 50, 0):
        play.ok("open_bets")
        play.ok("close_bets")
        started = the("spin_started", play.ok("start_spin"))
        assert started.get("from_segment") == before
        play.ok("observe_spin", who="ann", revolutions=3)
        wrong = rim[segment + 1]
        assert play.refused("ball_at_rest", outcome=wrong, segment=segment)[0] == "no_such_segment"
        read = the("ball_rested", play.ok("ball_at_rest", outcome=rim[segment], segment=segment))
        assert (read["segment"], read["outcome"]) == (segment, rim[segment])
        play.ok("register_result", outcome=rim[segment])
        play.ok("confirm_result", who="ann")
        before = segment
