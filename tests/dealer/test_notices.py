"""Notices that a running table sends to its listeners, several tables in one event loop, and failures of the dealer."""

import asyncio
from itertools import pairwise

import pytest

from roundhouse import rulebooks
from roundhouse.dealer.dealer import Dealer
from roundhouse.dealer.loop import (
    BetsCloseAt,
    DealerLoop,
    DealerWaiting,
    Notice,
    WheelReliability,
    WheelStatus,
)
from roundhouse.dealer.steps import Pace, Step, TableSummary
from roundhouse.rules.rulebook import Spun
from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.driver import Driver, Listener
from roundhouse.wheel.ports import PortConnection
from roundhouse.wheel.protocol import State
from tests.support import virtual_time
from tests.support.dealt_table import QUICK, DealtTable, outcome, run_dealt_table
from tests.support.memory_store import MemoryStore


def test_a_round_sends_countdown_waiting_and_wheel_notices() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        await house.until("round_settled")
        closing = [notice for notice in house.notices if isinstance(notice, BetsCloseAt)]
        assert [(round(notice.seconds), notice.countdown) for notice in closing] == [
            (8, None), (5, 5), (4, 4), (3, 3), (2, 2), (1, 1),
        ]  # fmt: skip
        assert {notice.round for notice in closing} == {1}
        why = [notice.why for notice in house.notices if isinstance(notice, DealerWaiting)]
        assert "bets are open" in why
        assert "the wheel has not ended its game: check the result at the wheel" in why
        states = [notice.state for notice in house.notices if isinstance(notice, WheelStatus)]
        assert states[-4:] == [
            State.BALL_IN_RIM,
            State.NO_MORE_BETS,
            State.WINNING_NUMBER,
            State.PLACE_YOUR_BETS,
        ]
        reliable = [notice for notice in house.notices if isinstance(notice, WheelReliability)]
        assert reliable == [
            WheelReliability(True, False, ""),
            WheelReliability(True, True, ""),
        ]

    run_dealt_table("rws-double-zero", script)


@pytest.mark.parametrize("game", rulebooks.SHIPPED)
def test_the_path_of_each_launch_ends_where_the_ball_rests(game: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("round_settled", 3)
        assert len(house.paths) == len(house.played) == 3
        for path, played in zip(house.paths, house.played, strict=True):
            assert {frame.game for frame in path} == {played.game}
            assert path[0].seconds == 0
            assert all(later.seconds >= frame.seconds for frame, later in pairwise(path))
            ball = house.game.rulebook.wheel.spun is Spun.BALL
            assert all((frame.ball is not None) == ball for frame in path)
        assert [e["outcome"] for e in house.named("round_settled")] == [
            outcome(house, played.established) for played in house.played
        ]

    run_dealt_table(game, script)


def test_many_tables_run_in_one_event_loop_and_stop_after_their_rounds() -> None:
    async def main() -> None:
        houses = [DealtTable(MemoryStore(), game, seed=n) for n, game in enumerate(rulebooks.SHIPPED * 3)]
        for house in houses:
            house.sit()
        await asyncio.gather(*(house.until("round_settled", 2) for house in houses))
        for house in houses:
            house.table.stop()
        await asyncio.gather(*(house.running for house in houses))
        for house in houses:
            opened, ended = house.named("bets_opened"), house.named("round_settled") + house.named("round_voided")
            assert len(opened) == len(ended)
            await house.close()

    virtual_time.run(main())


class _Bug(Dealer):
    def next(self, view: TableSummary, wheel: object, since: float, now: float) -> Step:
        raise AssertionError("a bug of our own")


def test_a_bug_in_the_dealer_enters_manual_mode_with_its_reason() -> None:
    async def main() -> None:
        house = DealtTable(MemoryStore(), "mbs-sands")
        house.sit()
        await house.until("bets_opened")
        house.table._dealer = _Bug(house.game.rulebook, house.codes, QUICK)
        with pytest.raises(AssertionError, match="a bug of our own"):
            await house.running
        assert not house.state.automatic
        assert house.state.mode_reason == "the automatic dealer failed: AssertionError: a bug of our own"
        await house.close()

    virtual_time.run(main())


def test_a_bug_in_the_wheel_driver_enters_manual_mode_with_its_reason() -> None:
    async def main() -> None:
        house = DealtTable(MemoryStore(), "mbs-sands")
        house.sit()
        await house.until("bets_opened")
        house.port.write_error = AssertionError("a bug on the way")
        with pytest.raises(AssertionError, match="a bug on the way"):
            await house.running
        assert house.state.mode_reason == "the automatic dealer failed: AssertionError: a bug on the way"
        await house.close()

    virtual_time.run(main())


class _Jammed:
    """A port that accepts no data, because the other side never raises CTS."""

    name, comes_back = "jammed", True

    async def open(self) -> PortConnection:
        return self

    async def read(self) -> bytes:
        await asyncio.sleep(0.5)
        return b"*X;6;001;  ;0;000;0\r\n"

    async def write(self, data: bytes) -> None:
        await asyncio.Event().wait()

    async def close(self) -> None:
        return


def test_a_port_that_accepts_no_command_enters_manual_mode() -> None:
    async def main() -> None:
        house = DealtTable(MemoryStore(), "mbs-sands")
        await house.close()
        rulebook, codes, notices = house.game.rulebook, codes_for(house.game.wheel), list[Notice]()
        driver = Driver(Listener(_Jammed()), rulebook, codes)
        house.table = DealerLoop(house.dealers_table, driver, Dealer(rulebook, codes, Pace()), notices.append)
        running = asyncio.create_task(house.table.run())
        house.sit()
        await asyncio.sleep(Pace().wheel_timeout_seconds + 5)
        assert house.state.mode_reason == "could not command the wheel to set its mode: no answer within 2 s"
        running.cancel()

    virtual_time.run(main())
