"""A journal with the events that an ordinary day lacks: disputes, decisions, interruptions, chips."""

from pathlib import Path
from typing import Any

from roundhouse.table.decision import Decision
from roundhouse.table.lifecycle import stop_software
from roundhouse.table.names import TableId
from tests.support.journals import ROULETTE, SANDS, TWO_PERSONS, JournalHouse, bets, seat, spin

RAPID, MONEY = TableId("rapid-1"), TableId("money-1")
DEALER = {"by": "dealer", "who": "lena"}
PIT = {"by": "pit_supervisor", **TWO_PERSONS}
MANAGER = {"by": "shift_manager", **TWO_PERSONS}


def _read(outcome: str, **fields: Any) -> dict[str, Any]:
    return {"do": "ball_at_rest", "outcome": outcome, **fields}


def play_disputes(path: Path) -> None:
    """Play rounds of electronic roulette and of Sands. Tests rely on what happens in each."""
    house = JournalHouse(path)
    house.open(ROULETTE, "mbs-electronic-double-zero")
    house.open(SANDS, "mbs-sands")
    do = house.do
    do(ROULETTE, {"do": "open_table"}, *seat("a", "racetrack", 100_000), *seat("b", "racetrack", 100_000))
    # Round 1: two readings differ, one is amended, the registration differs and the pit resolves it.
    do(ROULETTE, {"do": "open_bets"}, bets("a", straight_17=100), bets("b", red=500), {"do": "close_bets"})
    do(ROULETTE, {"do": "start_spin", "by_hand": True, **DEALER})
    do(ROULETTE, {**spin("17")[2], **DEALER}, {**_read("18"), **DEALER})
    do(ROULETTE, {**_read("17"), "by": "pit_supervisor", "who": "arun"})
    do(ROULETTE, {"do": "amend_reading", "outcome": "17", **DEALER})
    do(ROULETTE, {"do": "register_result", "outcome": "18", **DEALER})
    do(ROULETTE, {"do": "register_result", "outcome": "20", **DEALER})
    do(ROULETTE, {"do": "correct_result", "round": 1, "outcome": "17", **PIT}, {"do": "confirm_result", **DEALER})
    # Round 2: reports of the spin differ; it is referred and decided to a number without a reading.
    do(ROULETTE, {"do": "open_bets"}, bets("a", red=100), bets("b", black=100), *spin("3")[:3])
    do(ROULETTE, {**spin("3")[2], "revolutions": 6}, _read("3"))
    do(ROULETTE, {"by": "pit_manager", "do": "refer", "round": 2, "question": "How many revolutions?"})
    settle = {"do": "decide", "round": 2, "ruling": "settle", "outcome": "4", "reason": "the film shows it", **MANAGER}
    do(ROULETTE, settle)
    # Round 3: terminals are cut off while bets are open; one seat's stake is returned, the other one is settled.
    do(ROULETTE, {"do": "open_bets"}, bets("a", red=100), bets("b", red=700))
    cut = {"do": "declare", "irregularity": "terminals_interrupted", "seats": ["a", "b"], "by": "pit_supervisor"}
    do(ROULETTE, cut)
    void = {"do": "decide", "ruling": "void", "reason": "the display was dark", **MANAGER}
    do(ROULETTE, {**void, "round": 3, "seat": "b"})
    do(ROULETTE, {"do": "decide", "round": 3, "ruling": "stand", "reason": "seat a is registered", **MANAGER})
    do(ROULETTE, *spin("3"))
    # Round 3 again: seat a alone is void, then settled with another number.
    do(ROULETTE, {"do": "refer", "round": 3, "question": "Was seat a dark, too?"}, {**void, "round": 3, "seat": "a"})
    do(ROULETTE, {**settle, "round": 3, "seat": "a", "outcome": "5"})
    # Round 4 is void, then reinstated.
    do(ROULETTE, {"do": "open_bets"}, bets("a", low=200), bets("b", high=300), *spin("7")[:4])
    do(ROULETTE, {"do": "call_no_spin", "reason": "a hand over the wheel"})
    do(ROULETTE, {"do": "refer", "round": 4, "question": "The hand was not near the ball."})
    do(ROULETTE, {**settle, "round": 4, "outcome": "7"})
    # Round 5: interrupted; the wheel shows an outcome.
    do(ROULETTE, {"do": "open_bets"}, bets("a", red=100), *spin("9")[:2])
    # Rapid: a broken ball reaches a void round, which is skipped, and a settled one.
    house.open(RAPID, "rws-double-zero")
    do(RAPID, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "open_bets"}, *spin("1")[:2])
    do(RAPID, {"do": "declare", "irregularity": "ball_left_wheel", "by": "pit_supervisor"})
    do(RAPID, {"do": "open_bets"}, bets("a", red=100), *spin("1"))
    do(RAPID, {"do": "declare", "irregularity": "ball_broke", "rounds": [1, 2], **PIT})
    do(RAPID, {"do": "open_bets"}, bets("a", red=100))
    writer = house.writers[RAPID]
    writer._act(Decision(stop_software(writer.table)))
    # Sands: colour chips, a question about the rules, and a stake that only the colour can make.
    do(SANDS, {"do": "open_table"}, *seat("x", "table", 20_000))
    do(SANDS, {"do": "issue_colour", "seat": "x", "colour": "pink", "value_cents": 250})
    do(SANDS, {"do": "refer", "question": "May a Player stand?"})
    do(SANDS, {"do": "decide", "ruling": "stand", "reason": "the rules do not forbid it", **MANAGER})
    do(SANDS, {"do": "open_bets"}, bets("x", green=250), {"do": "start_spin"}, {"do": "close_bets"}, *spin("S")[2:])
    do(SANDS, {"do": "redeem_colour", "seat": "x"})
    _play_money_wheel(house)
    house.close()
    again = JournalHouse(path, house.clock, house._requests)
    again.open(ROULETTE, "mbs-electronic-double-zero")
    again.do(ROULETTE, {**_read("9", reason="the line is cut"), "by": "dealer", "who": "lena", "second": "arun"})
    again.do(ROULETTE, spin("9")[2], *spin("9")[4:])
    # Round 6: two terminals go dark one after the other, and the Shift Manager settles their own reading.
    do = again.do
    do(ROULETTE, {"do": "open_bets"}, bets("a", red=100), bets("b", red=100))
    do(ROULETTE, {**cut, "seats": ["a"]}, {**cut, "seats": ["b"]})
    do(ROULETTE, *spin("9")[:4], {**_read("8"), "by": "shift_manager", "who": "arun"})
    do(ROULETTE, {"do": "refer", "round": 6, "question": "Which number?", **DEALER})
    do(ROULETTE, {**settle, "round": 6, "outcome": "8"})
    again.open(SANDS, "mbs-sands")
    again.open(MONEY, "rws-money-wheel")
    # Two persons attest the outcome, and with it the start of a spin that is not on record.
    do(MONEY, {**_read("20", segment=39), "by": "dealer", "who": "lena", "second": "arun"})
    again.close()


def _play_money_wheel(house: JournalHouse) -> None:
    """Amend a reading to another segment, then stop with bets open."""
    house.open(MONEY, "rws-money-wheel")
    house.do(MONEY, {"do": "open_table"}, *seat("m", "table", 20_000), {"do": "open_bets"})
    house.do(MONEY, {"do": "close_bets"}, {"do": "start_spin"}, {"do": "observe_spin", "revolutions": 3})
    house.do(MONEY, {**_read("20", segment=13), **DEALER})
    house.do(MONEY, {**_read("20", segment=39), "by": "pit_supervisor", "who": "arun"})
    house.do(MONEY, {"do": "amend_reading", "outcome": "20", "segment": 39, **DEALER})
    house.do(MONEY, {"do": "register_result", "outcome": "20"}, {"do": "confirm_result"}, {"do": "open_bets"})
