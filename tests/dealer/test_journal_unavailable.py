"""The automatic dealer repeats its commands while the journal cannot be written."""

import asyncio

import pytest

from roundhouse.journal.entry import decode
from roundhouse.table.names import TableId
from tests.support.dealt_table import DealtTable, outcome, run_dealt_table
from tests.support.faulty_store import Fault, FaultyStore

UNAVAILABLE_SECONDS = 5.0


class EventStore(FaultyStore):
    """A store that refuses entries with an event of a given name for a while."""

    async def lose(self, event: bytes) -> None:
        """Refuse events with this name, from the next one until UNAVAILABLE_SECONDS after it."""
        self.affects = lambda batch: any(event in row.body for row in batch.rows)
        self.fault = Fault.NOT_WRITTEN
        while not self.failed:
            await asyncio.sleep(0.1)
        await asyncio.sleep(UNAVAILABLE_SECONDS)
        self.fault = Fault.NONE

    def events(self) -> list[str]:
        """Return the names of all stored events."""
        rows = self.rows(TableId("t"))
        return [str(event.__struct_config__.tag).partition(".")[0] for row in rows for event in decode(row.body).events]


@pytest.mark.parametrize("event", [b"bets_opened", b"bets_closed", b"spin_started", b"ball_rested", b"round_settled"])
@pytest.mark.parametrize("game", ["mbs-electronic-double-zero", "mbs-sands"])
def test_the_dealer_repeats_each_step_until_the_journal_stores_it(game: str, event: bytes) -> None:
    """At each step, the dealer stays automatic, uses the same ball, and starts no wheel before the step is stored."""
    store, started = EventStore(), list[str]()

    async def script(house: DealtTable) -> None:
        obey = house.wheel.machine.obey

        def recorded_obey(line: bytes) -> tuple[bytes, ...]:
            if line == b"*u 1":
                started.append([name for name in store.events() if name.startswith("bets_")][-1])
            return obey(line)

        house.wheel.machine.obey = recorded_obey  # type: ignore[method-assign]
        house.sit()
        await house.until("round_settled")
        await store.lose(event)
        await house.until("round_settled", 2)
        assert set(started) == {"bets_opened" if game == "mbs-sands" else "bets_closed"}
        assert house.named("manual_mode_entered") == []
        settled = [event["outcome"] for event in house.named("round_settled")]
        assert settled == [outcome(house, played.established) for played in house.played[:2]]

    run_dealt_table(game, script, store=store)


def test_manual_mode_is_recorded_when_the_journal_is_available_again() -> None:
    store = EventStore()

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("spin_started")
        house.unplug()
        await store.lose(b"manual_mode_entered")
        assert "connection to the wheel lost" in (await house.until("manual_mode_entered"))["reason"]
        assert store.events()[-1] == "manual_mode_entered"

    run_dealt_table("rws-double-zero", script, store=store)
