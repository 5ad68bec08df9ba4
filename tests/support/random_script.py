"""Endless random requests for a table process, and simple readers of the journal that it writes."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roundhouse.journal.entry import Entry, Seq, decode, link
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.table import events as e
from roundhouse.table.names import TableId

CLAUSES = {
    "rws-double-zero": ("5.1.1", "5.1"),
    "mbs-electronic-double-zero": ("5.13.2", "5.13"),
    "mbs-sands": ("general law", "general law"),
}
"""Clauses on an interruption after the ball has come to rest, and before that."""
TWO = {"who": "ann", "second": "ben"}


SEATS = [f"s{n}" for n in range(40)]


TERMINALS = {"rws-double-zero": "rapid-a", "mbs-electronic-double-zero": "racetrack", "mbs-sands": "table"}


class Script:
    """Endless random requests for one table, each with a unique id. The sender need not wait for answers."""

    def __init__(self, game: str, dice: random.Random) -> None:
        self.game, self.dice, self.count = game, dice, 0

    def request(self, do: str, by: str = "dealer", **fields: Any) -> dict[str, Any]:
        self.count += 1
        return {"id": f"r{self.count}", "by": by, "do": do, **fields}

    def opening(self) -> list[dict[str, Any]]:
        terminal = TERMINALS[self.game]
        seats = [self.request("take_seat", "player", seat=seat, terminal=terminal) for seat in SEATS]
        return [self.request("open_table"), *seats, *self.money()]

    def money(self) -> list[dict[str, Any]]:
        return [self.request("buy_credits", "player", seat=seat, cents=100_000) for seat in SEATS]

    def after_interruption(self, phase: str, round: int, outcome: str | None) -> list[dict[str, Any]]:
        """List the requests that end an interrupted round: void, or settled if the outcome is on record."""
        spun = self.request("observe_spin", ball="clockwise", wheel="anticlockwise", revolutions=7, seen=[])
        match phase:
            case "interrupted":
                return [self.request("declare", irregularity="interrupted_without_outcome", **TWO)]
            case "referred":
                ruling = {"ruling": "void"} if outcome is None else {"ruling": "settle", "outcome": outcome}
                return [self.request("decide", "shift_manager", round=round, reason="The lights went out.", **ruling)]
            case "at_rest":
                return [spun, self.request("register_result", outcome=outcome), self.request("confirm_result")]
            case "registered":
                return [spun, self.request("confirm_result")]
            case _:
                return []

    def rounds(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the requests of endless rounds in groups of random size."""
        while True:
            waiting = [*self.round(), *self.money()]
            while waiting:
                size = self.dice.choice([1, 2, 5, 20])
                yield waiting[:size]
                waiting = waiting[size:]

    def round(self) -> list[dict[str, Any]]:
        dice = self.dice
        bets = []
        for seat in dice.choices(SEATS, k=60):
            position = dice.choice(
                ["red", "even", "straight:17", "split:0-00" if "S" not in self.game else "low", "dozen:2"]
            )
            if self.game == "mbs-sands" and position == "split:0-00":
                position = "split:0-00"
            chips = [{"position": position, "cents": dice.choice([100, 500, 2500])}]
            bets.append(self.request("place_bets", "player", seat=seat, bets=chips))
        bets += [self.request("undo", "player", seat=dice.choice(SEATS)) for _ in range(5)]
        outcome = dice.choice(["17", "0", "00", "2", "36"])
        close, spin = self.request("close_bets"), self.request("start_spin")
        turned = [spin, close] if self.game == "mbs-sands" else [close, spin]
        return [
            self.request("open_bets"),
            *bets,
            *turned,
            self.request("observe_spin", ball="clockwise", wheel="anticlockwise", revolutions=7, seen=[]),
            self.request("ball_at_rest", outcome=outcome),
            self.request("register_result", outcome=outcome),
            self.request("confirm_result"),
            self.request("cash_out", "player", seat=dice.choice(SEATS)),
            self.request("buy_credits", "player", seat=dice.choice(SEATS), cents=50_000),
        ]


def entries_of(path: Path, game: str) -> list[Entry]:
    """Read the journal's entries, and check their numbers and hashes."""
    store = SqliteStore(path, read_only=True)
    entries, hash, expected = [], bytes(32), 1
    for row in store.rows(TableId(game)):
        assert (row.seq, row.hash) == (expected, link(hash, row.body))  # type: ignore[arg-type]
        hash, expected = row.hash, Seq(expected + 1)
        entries.append(decode(row.body))
    store.close()
    return entries


def money(entries: list[Entry], before: dict[str, int] | None = None) -> dict[str, int]:
    """Add up the credits of each seat from the events, beginning with the credits before these entries."""
    credits = dict(before or {})
    for entry in entries:
        for event in entry.events:
            match event:
                case e.CreditsBought(seat, cents) | e.TicketRedeemed(seat, cents):
                    credits[seat] = credits.get(seat, 0) + cents
                case e.BetsPlaced(seat, bets):
                    credits[seat] -= sum(bets.values())
                case e.BetsWithdrawn(seat, bets):
                    credits[seat] += sum(bets.values())
                case e.RoundSettled():
                    for seat, (_, back) in event.seats.items():
                        credits[seat] += back
                case e.RoundVoided():
                    for seat, back in event.seats.items():
                        credits[seat] += back
                case e.CashedOut(seat, cents):
                    credits[seat] -= cents
                case _:
                    pass
    return credits


def in_round(entries: list[Entry]) -> tuple[bool, bool]:
    """Return whether a round was in progress and whether its ball had come to rest."""
    open_round = rested = False
    for entry in entries:
        for event in entry.events:
            if isinstance(event, e.BetsOpened):
                open_round, rested = True, False
            elif isinstance(event, e.BallRested):
                rested = True
            elif isinstance(event, e.RoundSettled | e.RoundVoided):
                open_round = rested = False
    return open_round, rested
