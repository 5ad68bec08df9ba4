"""The journal cannot be written while the automatic dealer deals: what is not durable has not happened for it."""

import asyncio

import pytest

from roundhouse.journal.entry import decode
from roundhouse.table.names import TableId
from tests.support.dealt_table import DealtTable, outcome, run_dealt_table
from tests.support.faulty_store import Fault, FaultyStore

AWAY_SECONDS = 5.0


class EventStore(FaultyStore):
    """A store that refuses entries with an event of a given name for a while."""

    async def lose(self, word: bytes) -> None:
        """Refuse the next event of this name, and all of them for some seconds more."""
        self.affects = lambda batch: any(word in row.body for row in batch.rows)
        self.fault = Fault.NOT_WRITTEN
        while not self.failed:
            await asyncio.sleep(0.1)
        await asyncio.sleep(AWAY_SECONDS)
        self.fault = Fault.NONE

    def events(self) -> list[str]:
        """Return the names of all stored events."""
        rows = self.rows(TableId("t"))
        return [str(event.__struct_config__.tag).partition(".")[0] for row in rows for event in decode(row.body).events]


@pytest.mark.parametrize("word", [b"bets_opened", b"bets_closed", b"spin_started", b"ball_rested", b"round_settled"])
@pytest.mark.parametrize("game", ["mbs-electronic-double-zero", "mbs-sands"])
def test_what_the_journal_did_not_take_is_done_again(game: str, word: bytes) -> None:
    """At each step of a round: no question, the ball stays the round's, no wheel starts on a closing that is lost."""
    store, started = EventStore(), list[str]()

    async def script(house: DealtTable) -> None:
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

    run_dealt_table(game, script, store=store)


def test_manual_mode_is_put_on_record_when_the_journal_is_back() -> None:
    store = EventStore()

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("spin_started")
        house.unplug()
        await store.lose(b"manual_mode_entered")
        assert "connection to the wheel lost" in (await house.until("manual_mode_entered"))["reason"]
        assert store.events()[-1] == "manual_mode_entered"

    run_dealt_table("rws-double-zero", script, store=store)
