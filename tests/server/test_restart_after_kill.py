"""A house is killed under load and started again; the clients of the players reconnect.

Every accepted bet is in the journal once, and every request gets its answer after the restart. The credits of each
seat are recomputed here from the journal's events, without the table's code.
"""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.client import TableClient, at_table
from roundhouse.journal.entry import Entry, decode
from roundhouse.journal.seal import key_of
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.table import events as e
from tests.support.house_process import Seat, SeatedHouse, T
from tests.support.soak import SOAK, Counted, Tally, times

PLAYERS, KILLS = (200, 10) if SOAK else (24, 3)
PARTS = times(1, 2)
CREDITS = 10_000_000
TIMEOUT_SECONDS = 1800 if SOAK else 120


class Player:
    """A client that bets whenever bets are open, and keeps its answers."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.accepted: Counter[str] = Counter()
        self.refused = 0
        self.staked = 0
        self.stopping = False
        self.credits = self.reconnects = 0

    async def play(self, url: str) -> None:
        async with at_table(url, T, self.seat.key) as table:
            assert (await table.take_seat(self.seat.kind)).ok
            assert (await table.buy_credits(CREDITS)).ok
            dice = random.Random(self.seat.seat)
            while not self.stopping:
                await self._bet(table, dice)
            # Wait for the end of the round, when the seat has no bets on the layout.
            while table.view.bets:
                await asyncio.sleep(0.02)
            self.credits, self.reconnects = table.view.credits, table.reconnects

    async def _bet(self, table: TableClient, dice: random.Random) -> None:
        cents = dice.randrange(100, 900)
        answer = await table.place_bets({f"straight:{dice.randrange(1, 37)}": cents})
        if answer.ok:
            self.accepted[str(answer.id)] += 1
            self.staked += cents
            await asyncio.sleep(dice.random() * 0.02)
        else:
            self.refused += 1
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_house_killed_under_load_loses_and_repeats_no_bet(tmp_path: Path, part: int, tally: Tally) -> None:
    house = SeatedHouse(tmp_path, PLAYERS)
    players = [Player(seat) for seat in house.seats]
    house.start()
    try:
        asyncio.run(_night(house, players))
    finally:
        house.stop()
    check(house, players)
    tally.add(Counted.HOUSE_KILLED, KILLS)
    accepted = sum(player.accepted.total() for player in players)
    tally.add(Counted.ACKNOWLEDGED_FOUND, accepted, "of a house")
    tally.add(Counted.BETS_FOUND, accepted, "of a house")


async def _night(house: SeatedHouse, players: list[Player]) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        playing = [asyncio.create_task(player.play(house.url)) for player in players]
        for _ in range(KILLS):
            await _wait_for_bets(players, playing)
            # The players keep betting while the house is killed.
            await asyncio.to_thread(house.kill)
            house.start()
        await _wait_for_bets(players, playing)
        for player in players:
            player.stopping = True
        await asyncio.gather(*playing)


async def _wait_for_bets(players: list[Player], playing: "list[asyncio.Task[None]]") -> None:
    """Wait until every player has placed four more bets."""
    enough = {player: player.accepted.total() + 4 for player in players}
    while any(player.accepted.total() < count for player, count in enough.items()):
        for task in playing:
            assert not task.done(), task.exception()
        await asyncio.sleep(0.01)


def check(house: SeatedHouse, players: list[Player]) -> None:
    store = SqliteStore(house.configuration.journal, read_only=True)
    try:
        entries = [decode(row.body) for row in store.rows(T)]
    finally:
        store.close()
    assert sum(any(isinstance(one, e.InterruptionRecovered) for one in entry.events) for entry in entries) > 0
    for player in players:
        placed, credits = _of_seat(entries, player.seat.seat)
        assert set(player.accepted) == set(placed), "the journal has exactly the accepted bets"
        assert set(player.accepted.values()) <= {1}
        assert player.staked == sum(placed.values())
        assert player.credits == credits
        assert player.reconnects >= KILLS, "every player reconnected after each kill"
    journal = house.configuration.journal
    proven = verify_journal(journal, key_of(journal))
    assert (proven.verifies, proven.seals_checked) == (True, True)
    assert proven.house is not None


def _of_seat(entries: list[Entry], seat: str) -> tuple[dict[str, int], int]:
    """Return the stakes of a seat by request id, and its credits, from the events only."""
    placed: dict[str, int] = {}
    credits = 0
    for entry in entries:
        for event in entry.events:
            match event:
                case e.BetsPlaced() if event.seat == seat:
                    assert entry.request is not None
                    placed[entry.request.id] = sum(event.bets.values())
                    credits -= placed[entry.request.id]
                case e.CreditsBought() if event.seat == seat:
                    credits += event.cents
                case e.RoundSettled():
                    credits += event.seats.get(seat, (0, 0))[1]  # type: ignore[call-overload]
                case e.RoundVoided():
                    credits += event.seats.get(seat, 0)  # type: ignore[call-overload]
    return placed, credits
