"""The house is killed in the middle of everything and started again; players come back by themselves.

What a player was told is there, once; what he was not told, he is told when he is back. The money of every seat is
what its own requests and the wheel say, added up here from the journal's events and by nothing of the table's own.
"""

import asyncio
import os
import random
from collections import Counter
from pathlib import Path

from roundhouse.audit.verify import verify_journal
from roundhouse.client import TableClient, at_table
from roundhouse.journal.entry import Entry, decode
from roundhouse.journal.seal import key_of
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.table import events as e
from tests.support.house_process import Seat, SeatedHouse, T

SOAK = os.environ.get("ROUNDHOUSE_TESTS") == "soak"
PLAYERS, KILLS = (60, 12) if SOAK else (24, 3)
CREDITS = 10_000_000
PATIENCE_SECONDS = 120.0


class Player:
    """Bets whenever bets are open, and remembers what he was answered."""

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
            # Until the round is over: then nothing of his is on the layout.
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


def test_killed_under_load_and_started_again(tmp_path: Path) -> None:
    house = SeatedHouse(tmp_path, PLAYERS)
    players = [Player(seat) for seat in house.seats]
    house.start()
    try:
        asyncio.run(_night(house, players))
    finally:
        house.stop()
    check(house, players)


async def _night(house: SeatedHouse, players: list[Player]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS * (8 if SOAK else 1)):
        playing = [asyncio.create_task(player.play(house.url)) for player in players]
        for _ in range(KILLS):
            await _everybody_bets(players, playing)
            # In the middle of whatever they do by now.
            await asyncio.to_thread(house.kill)
            house.start()
        await _everybody_bets(players, playing)
        for player in players:
            player.stopping = True
        await asyncio.gather(*playing)


async def _everybody_bets(players: list[Player], playing: "list[asyncio.Task[None]]") -> None:
    """Until every one of them has placed some bets from now on."""
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
        assert set(player.accepted) == set(placed), "what was accepted is in the journal, and nothing else is"
        assert set(player.accepted.values()) <= {1}
        assert player.staked == sum(placed.values())
        assert player.credits == credits
        assert player.reconnects >= KILLS, "everybody came back each time"
    journal = house.configuration.journal
    proven = verify_journal(journal, key_of(journal))
    assert (proven.verifies, proven.seals_checked) == (True, True)
    assert proven.house is not None


def _of_seat(entries: list[Entry], seat: str) -> tuple[dict[str, int], int]:
    """What a seat's requests have placed, and its credits: added up from its events alone."""
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
