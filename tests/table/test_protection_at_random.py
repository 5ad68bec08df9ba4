"""One Player plays at random at two tables, with tickets between four seats, and never loses more than the limit.

The Player buys credits once. The loss is counted from credits and tickets alone, not from sessions.
"""

import random
from pathlib import Path

import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import key_of
from roundhouse.table.seat_sessions import figures_of
from roundhouse.table.state import Seat
from tests.support.tables import Play

LIMIT, BOUGHT = 3_000, 20_000
SEATS = ("a", "b")


class Wanderer:
    """The Player: two tables, four seats, and the tickets in their pocket."""

    def __init__(self, path: Path, seed: int) -> None:
        self.random = random.Random(seed)
        first = Play(path, "rws-double-zero", "t1")
        self.tables = [first, Play(path, "rws-double-zero", "t2", beside=first)]
        for play in self.tables:
            play.open()
            for seat in SEATS:
                play.ok("take_seat", seat=seat, terminal="rapid-a")
        first.ok("buy_credits", seat="a", cents=BOUGHT)
        first.ok("set_protection", seat="a", loss_cents=LIMIT)
        self.pocket: dict[str, int] = {}
        self.refused = 0

    def seats(self) -> list[Seat]:
        return [seat for play in self.tables for seat in play.writer.table.state.seats.values()]

    def wealth(self) -> int:
        """Return the Player's money if all chips on the layouts are lost."""
        return sum(seat.credits for seat in self.seats()) + sum(self.pocket.values())

    def step(self) -> None:
        play, seat = self.random.choice(self.tables), self.random.choice(SEATS)
        act = self.random.choice(("bet", "bet", "bet", "bet", "leave", "arrive", "arrive", "round", "round", "undo"))
        if act == "bet":
            position = self.random.choice(("red", "black", "straight:17", "dozen:1"))
            answer = play.do("place_bets", seat=seat, bets={position: 10 * self.random.randint(1, 200)})
            self.refused += answer.get("refusal") == "loss_limit"
        elif act == "undo":
            play.do(self.random.choice(("undo", "clear", "double", "repeat")), seat=seat)
        elif act == "leave":
            answer = play.do("cash_out", seat=seat)
            if answer["ok"]:
                self.pocket[answer["events"][0]["ticket"]] = answer["events"][0]["cents"]
        elif act == "arrive" and self.pocket:
            number = self.random.choice(sorted(self.pocket))
            play.ok("redeem_ticket", seat=seat, ticket=number)
            del self.pocket[number]
        elif act == "round":
            if play.phase == "bets_open":
                play.spin().rest(self.random.choice(("1", "2", "17", "36", "0"))).ok("confirm_result")
            play.ok("open_bets")

    def come_home(self) -> None:
        """End all rounds, and bring everything to one seat."""
        for play in self.tables:
            if play.phase == "bets_open":
                play.spin().rest("2").ok("confirm_result")
        for play in self.tables:
            for seat in SEATS:
                answer = play.do("cash_out", seat=seat)
                if answer["ok"]:
                    self.pocket[answer["events"][0]["ticket"]] = answer["events"][0]["cents"]
        for number in sorted(self.pocket):
            self.tables[0].ok("redeem_ticket", seat="a", ticket=number)


@pytest.mark.parametrize("seed", range(6))
def test_a_player_with_many_tickets_never_loses_more_than_the_limit(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "journal"
    player = Wanderer(path, seed)
    for _ in range(120):
        player.step()
        assert player.wealth() >= BOUGHT - LIMIT
    player.come_home()
    wealth = player.wealth() if not player.pocket else player.tables[0].writer.table.state.seats["a"].credits  # type: ignore[index]
    assert wealth >= BOUGHT - LIMIT
    player.tables[0].store.close()
    assert verify_journal(path, key_of(path)).verifies
    assert figures_of(player.tables[0].writer.table.state.seats["a"]).net == wealth - BOUGHT  # type: ignore[index]
