"""A planned stop of a running house: rounds in progress are dealt to their end, or referred."""

import asyncio
from pathlib import Path

import pytest

from roundhouse import rulebooks
from roundhouse.rules.names import StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.names import PLANNED_STOP, Phase, Ruling
from tests.support.faulty_store import Fault
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


def test_a_planned_stop_is_no_interruption_of_a_round_that_was_referred_before(tmp_path: Path) -> None:
    async def night() -> None:
        running = OneTableHouse(configured(tmp_path))
        await running.house.start()
        assert (await running.ask(c.OpenBets)).ok
        assert (await running.ask(c.Refer, round=1, question="Was it struck?")).ok
        (left,) = await running.house.close("the test stops the house")
        assert (left.round, left.unattended) == (1, False)
        assert running.table.state.orderly_stop_at == running.table.state.last_event_at, "the stop is published"
        async with OneTableHouse(configured(tmp_path)) as running:
            state = running.table.state
            assert (state.phase, state.referrals) == (Phase.REFERRED, {1: "Was it struck?"})
            assert (running.table.recovered, bool(state.interrupted)) == ([], False)

    asyncio.run(night())


def test_a_planned_stop_during_the_spin_closes_bets(tmp_path: Path) -> None:
    """The ball may be at rest when the house opens again, so a decision to let the round stand reopens no bets."""
    configuration = configured(tmp_path, game="mbs-sands")

    async def night() -> None:
        async with OneTableHouse(configuration) as running:
            assert (await running.ask(c.OpenBets)).ok
            assert (await running.ask(c.StartSpin)).ok
            assert running.table.state.phase is Phase.SPINNING_BETS_OPEN
        async with OneTableHouse(configuration) as running:
            decision = {"round": 1, "ruling": Ruling.STAND, "reason": "the house is open again", "who": "sue"}
            assert (await running.ask(c.Decide, StaffPosition.SHIFT_MANAGER, **decision)).ok
            assert running.table.state.phase is Phase.SPINNING

    asyncio.run(night())


def test_a_stop_that_cannot_be_written_is_an_interruption_at_the_next_start(tmp_path: Path) -> None:
    async def night() -> None:
        running = OneTableHouse(configured(tmp_path))
        await running.house.start()
        assert (await running.ask(c.OpenBets)).ok
        running.store.fault = Fault.NOT_WRITTEN
        assert await running.table.refer_unfinished() is None
        assert running.table.state.phase is Phase.BETS_OPEN
        running.store.fault = Fault.NONE
        assert (await running.ask(c.CloseBets)).ok, "the table goes on from what was written"
        running.store.fault = Fault.NOT_WRITTEN
        assert await running.house.close("the test stops the house") == []
        async with OneTableHouse(configured(tmp_path)) as running:
            assert running.table.state.phase is Phase.INTERRUPTED

    asyncio.run(night())


@pytest.mark.parametrize("game", rulebooks.SHIPPED)
def test_an_unattended_table_deals_on_a_round_that_a_planned_stop_referred_before_its_spin(
    tmp_path: Path, game: str
) -> None:
    configuration = configured(tmp_path, "simulated:100", automatic=True, game=game)

    async def night() -> None:
        running = OneTableHouse(configuration)
        await running.house.start()
        await running.until(lambda: running.table.table.state.phase is Phase.BETS_OPEN)
        (left,) = await running.house.close("the test stops the house")
        assert (left.table, left.clause) == (TABLE, running.table.game.rulebook.authority.decides.clause)
        assert left.unattended
        async with OneTableHouse(configuration) as running:
            state = running.table.table.state
            await running.until(lambda: state.meters.rounds and state.round > left.round)
            assert state.referrals == {}
            record = running.table.table.archive.round(left.round)
            assert record is not None
            assert not record.void, "a planned stop is no interruption, and no ball was spun"

    asyncio.run(night())


@pytest.mark.parametrize("wheel", ["none", "simulated:100"])
def test_a_round_that_people_deal_waits_for_them_after_a_planned_stop(tmp_path: Path, wheel: str) -> None:
    configuration = configured(tmp_path, wheel)

    async def night() -> None:
        running = OneTableHouse(configuration)
        await running.house.start()
        assert (await running.ask(c.OpenBets)).ok
        (left,) = await running.house.close("the test stops the house")
        assert not left.unattended
        async with OneTableHouse(configuration) as running:
            assert (running.table.state.phase, running.table.state.referrals) == (Phase.REFERRED, {1: PLANNED_STOP})

    asyncio.run(night())
