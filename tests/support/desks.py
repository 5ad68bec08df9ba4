"""A night at the desks of two tables: disputes, a paused seat, Dealers of record and floats."""

from pathlib import Path
from typing import Any

from tests.support.journals import ROULETTE, SANDS, JournalHouse, bets, seat

CHIP_TABLE, CASH_TABLE = SANDS, ROULETTE
TWO: dict[str, Any] = {"who": "dee", "second": "arun"}
DEE: dict[str, Any] = {"who": "dee"}
MANAGER: dict[str, Any] = {"by": "shift_manager", "who": "mei", "second": "arun"}


def _round(outcome: str) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = [
        {"do": "start_spin"},
        {"do": "close_bets"},
        {"do": "observe_spin", "revolutions": 6, "ball": "clockwise", "wheel": "anticlockwise"},
        {"do": "ball_at_rest", "outcome": outcome},
        {"do": "register_result", "outcome": outcome},
        {"do": "confirm_result"},
    ]
    return [{**step, **DEE} for step in steps]


def play_desks(path: Path) -> None:
    house = JournalHouse(path)
    house.open(CHIP_TABLE, "mbs-sands")
    house.open(CASH_TABLE, "rws-double-zero")
    do = house.do
    do(CHIP_TABLE, {"do": "open_table"}, *seat("a", "table", 100_000), *seat("b", "table", 100_000))
    do(CHIP_TABLE, {"do": "take_table", **DEE}, {"do": "count_float", "count": "opener", "cents": 1_000_000, **TWO})
    # Round 1 is contested, decided to another number, and closed with goodwill.
    do(CHIP_TABLE, {"do": "open_bets", **DEE}, bets("a", red=1_000), *_round("2"))
    made = {"by": "player", "do": "dispute", "seat": "a", "round": 1, "about": "outcome", "words": "it was 1"}
    do(CHIP_TABLE, made, {"do": "question_display", "words": "the board shows 1", "round": 1, **DEE})
    do(CHIP_TABLE, {"do": "refer", "round": 1, "question": "what does the tape show?", **DEE})
    decided = {"do": "decide", "round": 1, "ruling": "settle", "outcome": "1", "reason": "the tape shows 1"}
    do(CHIP_TABLE, {**decided, **MANAGER})
    house.writers[CHIP_TABLE].facts.goodwill_max = 5_000  # type: ignore[assignment]
    do(CHIP_TABLE, {"do": "close_dispute", "dispute": 1, "reason": "you were right", "paid": 2_500, **MANAGER})
    # The seat is paused in round 2, which is void and contested.
    do(CHIP_TABLE, {"do": "open_bets", **DEE}, bets("b", red=500))
    pause = {"by": "pit_supervisor", "who": "arun", "seat": "b"}
    do(CHIP_TABLE, {"do": "pause_seat", "reason": "please wait", **pause}, *_round("3")[:2])
    do(CHIP_TABLE, {"do": "declare", "irregularity": "interference", **TWO}, {"do": "resume_seat", **pause})
    do(CHIP_TABLE, {"by": "player", "do": "dispute", "seat": "b", "round": 2, "about": "payment"})
    # Dealers change, and the float is closed 5.00 short.
    do(CHIP_TABLE, {"do": "fill", "cents": 50_000, **TWO}, {"do": "credit", "cents": 20_000, **TWO})
    do(CHIP_TABLE, {"do": "drop_removed", "cents": 30_000, **TWO}, {"do": "hand_table", **DEE})
    do(CHIP_TABLE, {"do": "take_table", "who": "dan"})
    closer = {"do": "count_float", "count": "closer", "who": "dan", "second": "arun"}
    do(CHIP_TABLE, {**closer, "cents": 1_000_000 + 50_000 - 20_000 - 1_000 - 2_500 - 30_000 - 500})
    # The other table holds cash only.
    do(CASH_TABLE, {"do": "open_table"}, *seat("x", "rapid-a", 0)[:1])
    do(CASH_TABLE, {"do": "count_float", "count": "opener", "cents": 10_000, **TWO})
    do(CASH_TABLE, {"do": "buy_credits", "seat": "x", "cents": 5_000, **DEE})
    do(CASH_TABLE, {"do": "count_float", "count": "closer", "cents": 15_000, **TWO})
    house.close()
