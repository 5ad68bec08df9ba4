"""A planned stop of a running house: rounds in progress are dealt to their end, or referred."""

import asyncio
from pathlib import Path

import pytest

from roundhouse import rulebooks
from roundhouse.rules.names import StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.names import PLANNED_STOP, Phase, Ruling
from tests.support.running_house import TABLE, OneTableHouse, configured


def test_a_planned_stop_refers_an_unfinished_round_and_is_no_interruption(tmp_path: Path) -> None:
    """People deal. The round waits for its decision after the next start, and then goes on where it stopped."""

    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            assert (await running.ask(c.OpenBets)).ok
            await running.house.finish_rounds(0.01)
        async with OneTableHouse(configured(tmp_path)) as running:
            state = running.table.table.state
            assert (state.phase, state.referrals) == (Phase.REFERRED, {1: PLANNED_STOP})
            assert running.table.recovered == []
            decision = {"round": 1, "ruling": Ruling.STAND, "reason": "the house is open again"}
            assert (await running.ask(c.Decide, StaffPosition.SHIFT_MANAGER, **decision)).ok
            assert running.table.table.state.phase is Phase.BETS_OPEN

    asyncio.run(night())


@pytest.mark.parametrize("game", rulebooks.SHIPPED)
def test_an_unattended_table_decides_a_round_that_a_planned_stop_referred(tmp_path: Path, game: str) -> None:
    configuration = configured(tmp_path, "simulated:100", automatic=True, game=game)

    async def night() -> None:
        running = OneTableHouse(configuration)
        await running.house.start()
        await running.until(lambda: running.table.table.state.phase is Phase.BETS_OPEN)
        (left,) = await running.house.close("the test stops the house")
        assert (left.table, left.clause) == (TABLE, running.table.game.rulebook.authority.decides.clause)
        async with OneTableHouse(configuration) as running:
            state = running.table.table.state
            await running.until(lambda: state.meters.rounds and state.round > left.round)
            assert state.referrals == {}
            record = running.table.table.archive.round(left.round)
            assert record is not None
            assert record.void

    asyncio.run(night())
