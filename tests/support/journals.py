"""Journals with real play: rounds, voids, corrections, a decision, and a ticket used at another table."""

from pathlib import Path
from typing import Any

import msgspec

from roundhouse import rulebooks
from roundhouse.floor.opening import writer_of
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer
from roundhouse.journal.seal import key_of
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Store
from roundhouse.rules.loading import load
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import TableId
from tests.support.clocks import ScriptedClock
from tests.support.writers import TERMS, command

ROULETTE, SANDS = TableId("roulette-1"), TableId("sands-1")


class JournalHouse:
    """Several tables on one journal file, each with its writer. It has no people."""

    def __init__(self, path: Path, clock: ScriptedClock | None = None, requests_before: int = 0) -> None:
        self.path = path
        self.clock = clock or ScriptedClock()
        self.store: Store = SqliteStore(path)
        self.writers: dict[TableId, TableWriter] = {}
        self._requests = requests_before

    def open(self, table: TableId, game: str, content: bytes | None = None) -> None:
        _, shipped = rulebooks.find_with_content(game)
        played = load(content or shipped)
        shipped = content or shipped
        self.writers[table] = writer_of(self.store, key_of(self.path), table, played, shipped, self.clock, TERMS)

    def ask(self, table: TableId, *requests: dict[str, Any]) -> list[Answer]:
        """Handle requests as one batch."""
        commands = []
        for request in requests:
            self._requests += 1
            commands.append(command(f"r{self._requests}", **{"by": "dealer", **request}))
        return self.writers[table].handle(commands)

    def do(self, table: TableId, *requests: dict[str, Any]) -> list[Answer]:
        """Handle a batch in which every request must be accepted."""
        answers = self.ask(table, *requests)
        assert all(answer.ok for answer in answers), answers
        return answers

    def as_program(self, table: TableId, id: str, request: dict[str, Any]) -> None:
        """Handle a request of a program of the house, which the decoder of clients' requests refuses."""
        decoded = msgspec.convert({"id": id, **request}, AnyCommand)
        (answer,) = self.writers[table].handle([decoded])
        assert answer.ok, answer

    def close(self) -> None:
        self.store.close()


def bets(seat: str, **cents: int) -> dict[str, Any]:
    """Build a request: ``bets("a", straight_17=500)`` bets 500 cents on ``straight:17``."""
    chips = [{"position": name.replace("__", "-").replace("_", ":", 1), "cents": c} for name, c in cents.items()]
    return {"by": "player", "do": "place_bets", "seat": seat, "bets": chips}


TWO_PERSONS = {"who": "arun", "second": "mei"}
"""Fields of a request that needs a second person."""


def spin(outcome: str, misread: str | None = None) -> list[dict[str, Any]]:
    """List the requests from closing bets to settlement, for games where bets close before the spin.

    ``misread`` is the outcome that the Dealer reads and registers by mistake.
    """
    read = misread or outcome
    return [
        {"do": "close_bets"},
        {"do": "start_spin"},
        {"do": "observe_spin", "revolutions": 5, "ball": "clockwise", "wheel": "anticlockwise"},
        {"do": "ball_at_rest", "outcome": read},
        {"do": "register_result", "outcome": read},
        {"do": "confirm_result"},
    ]


def seat(name: str, terminal: str, cents: int) -> list[dict[str, Any]]:
    return [
        {"by": "player", "do": "take_seat", "seat": name, "terminal": terminal},
        {"by": "cashier", "do": "buy_credits", "seat": name, "cents": cents},
    ]


def play_a_day(path: Path) -> None:
    """Play five rounds of roulette and two of Sands. Tests rely on what happens in each."""
    house = JournalHouse(path)
    house.open(ROULETTE, "rws-double-zero")
    house.open(SANDS, "mbs-sands")
    do, ask = house.do, house.ask
    do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 100_000), *seat("b", "rapid-b", 50_000))
    do(SANDS, {"do": "open_table"}, *seat("x", "table", 20_000))
    # Round 1: both bet, one undoes a bet, one bets too late; 17 wins.
    do(ROULETTE, {"do": "open_bets"}, bets("a", straight_17=500, red=1000), bets("b", black=2000))
    do(ROULETTE, bets("a", straight_5=100), {"by": "player", "do": "undo", "seat": "a"})
    ask(ROULETTE, bets("b", straight_99=100))
    do(ROULETTE, {"do": "close_bets"})
    ask(ROULETTE, bets("b", red=700), {"by": "player", "do": "clear", "seat": "a"})
    do(ROULETTE, *spin("17")[1:])
    # Round 2: misread and settled; the seat cashes out before the mistake is noticed.
    do(ROULETTE, {"do": "open_bets"}, bets("a", straight_8=1000), bets("b", even=1000))
    do(ROULETTE, *spin("9", "8"))
    (out,) = do(ROULETTE, {"by": "cashier", "do": "cash_out", "seat": "a"})
    assert out.events is not None
    ticket = str(getattr(out.events[0], "ticket"))  # noqa: B009
    # Round 3 is running when round 2 is corrected.
    do(ROULETTE, {"do": "open_bets"}, bets("b", red=300))
    do(ROULETTE, {"by": "pit_supervisor", "do": "correct_result", "round": 2, "outcome": "9", **TWO_PERSONS})
    do(ROULETTE, *spin("00"))
    # The ticket is redeemed at the other table, and then a second time.
    redeem = {"by": "cashier", "do": "redeem_ticket", "seat": "x", "ticket": ticket}
    do(SANDS, redeem)
    ask(SANDS, redeem, {**redeem, "ticket": "no such number"})
    # Sands 1: a void spin. Sands 2: never finished.
    do(SANDS, {"do": "open_bets"}, bets("x", green=5000), {"do": "start_spin"}, {"do": "close_bets"})
    do(SANDS, {"do": "observe_spin", "revolutions": 2, "ball": "clockwise", "wheel": "anticlockwise"})
    do(SANDS, {"do": "open_bets"}, {"by": "player", "do": "repeat", "seat": "x"})
    # Round 4: a situation that the rules do not cover.
    do(ROULETTE, {"do": "open_bets"}, bets("b", low=400), {"do": "close_bets"}, {"do": "start_spin"})
    do(ROULETTE, {"by": "pit_manager", "do": "refer", "round": 4, "question": "The lights went out."})
    ruling = {"do": "decide", "round": 4, "ruling": "void", "reason": "The ball was not seen."}
    do(ROULETTE, {"by": "shift_manager", **ruling})
    # Round 3 is void after all: the ball was broken.
    do(ROULETTE, {"by": "pit_manager", "do": "declare", "irregularity": "ball_broke", "rounds": [3], **TWO_PERSONS})
    # Round 5: interrupted by a power cut.
    do(ROULETTE, {"do": "open_bets"}, bets("b", high=600), *spin("36")[:4])
    house.close()
    again = JournalHouse(path, house.clock)
    again._requests = house._requests
    again.open(ROULETTE, "rws-double-zero")
    assert again.writers[ROULETTE].recovered
    again.do(ROULETTE, *spin("36")[4:], {"by": "cashier", "do": "cash_out", "seat": "b"}, {"do": "close_table"})
    again.close()
