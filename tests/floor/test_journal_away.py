"""The journal cannot be written while the automatic dealer deals: what is not durable has not happened for it."""

import asyncio
from collections.abc import Callable

import pytest

from roundhouse.journal.entry import decode
from roundhouse.journal.store import Batch, JournalUnavailable
from roundhouse.table.names import TableId
from tests.floor.house import House, in_house
from tests.floor.test_automatic import outcome
from tests.journal.memory_store import MemoryStore

AWAY_SECONDS = 5.0


class AwayStore(MemoryStore):
    """``away`` says of what is to be written whether the disk is full just then."""

    def __init__(self) -> None:
        super().__init__()
        self.away: Callable[[bytes], bool] = lambda _: False
        self.refused = 0

    def commit(self, *batches: Batch) -> None:
        if any(self.away(row.body) for batch in batches for row in batch.rows):
            self.refused += 1
            raise JournalUnavailable("the disk is full")
        super().commit(*batches)

    async def lose(self, word: bytes) -> None:
        """The next event of this name is not taken, for a while."""
        self.away = lambda body: word in body
        while not self.refused:
            await asyncio.sleep(0.1)
        await asyncio.sleep(AWAY_SECONDS)
        self.away = lambda _: False

    def events(self) -> list[str]:
        """The names of all that is on record."""
        rows = self.rows(TableId("t"))
        return [str(event.__struct_config__.tag).partition(".")[0] for row in rows for event in decode(row.body).events]


@pytest.mark.parametrize("word", [b"bets_opened", b"bets_closed", b"spin_started", b"ball_rested", b"round_settled"])
@pytest.mark.parametrize("game", ["mbs-electronic-double-zero", "mbs-sands"])
def test_what_the_journal_did_not_take_is_done_again(game: str, word: bytes) -> None:
    """At each step of a round: no question, the ball stays the round's, no wheel starts on a closing that is lost."""
    store, started = AwayStore(), list[str]()

    async def script(house: House) -> None:
        obey = house.wheel.machine.obey

        def overheard(line: bytes) -> tuple[bytes, ...]:
            if line == b"*u 1":
                started.append([name for name in store.events() if name.startswith("bets_")][-1])
            return obey(line)

        house.wheel.machine.obey = overheard  # type: ignore[method-assign]
        house.sit()
        await house.until("round_settled")
        await store.lose(word)
        await house.until("round_settled", 2)
        assert set(started) == {"bets_opened" if game == "mbs-sands" else "bets_closed"}
        assert house.named("manual_mode_entered") == []
        settled = [event["outcome"] for event in house.named("round_settled")]
        assert settled == [outcome(house, played.established) for played in house.played[:2]]

    in_house(game, script, store=store)


def test_manual_mode_is_put_on_record_when_the_journal_is_back() -> None:
    store = AwayStore()

    async def script(house: House) -> None:
        house.sit()
        await house.until("spin_started")
        house.unplug()
        await store.lose(b"manual_mode_entered")
        assert "connection to the wheel lost" in (await house.until("manual_mode_entered"))["reason"]
        assert store.events()[-1] == "manual_mode_entered"

    in_house("rws-double-zero", script, store=store)
