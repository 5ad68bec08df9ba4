"""The wheel of a table: one of this process, or one on a line. Nothing here can reach a bet."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from roundhouse.floor.dealer import Dealer
from roundhouse.floor.keeper import Keeper
from roundhouse.floor.news import News
from roundhouse.floor.running import AutomaticTable
from roundhouse.floor.steps import Settings
from roundhouse.house.plan import TablePlan, WheelKind
from roundhouse.house.wheels import Wheel
from roundhouse.server.running.hearing import Hearing
from roundhouse.server.running.watch import say_if_it_failed
from roundhouse.wheelhead.codes import Codes, codes_for
from roundhouse.wheelhead.driver import Driver
from roundhouse.wheelhead.listening import SILENCE_SECONDS
from roundhouse.wheelhead.listening import Listener as LineListener
from roundhouse.wheelhead.sources import Source, source

_LEAST_SECONDS = 10.0
"""However fast a simulated wheel turns, a busy machine may keep it and its dealer waiting so long."""


class Mounted(NamedTuple):
    """A table with its wheel, to be run; ``turning`` is there where the wheel is one of this process."""

    dealing: AutomaticTable
    hearing: Hearing
    turning: "asyncio.Task[None] | None"


def mount(keeper: Keeper, plan: TablePlan, wheel: Wheel, publish: Callable[[News], None], begin: bool) -> Mounted:
    """``begin`` lets the automatic dealer start by itself; otherwise it waits to be handed the table."""
    # Of the rulebook in play: what was begun under one is finished under it.
    game = keeper.table.game
    codes = codes_for(game.wheel, plan.codes)
    line, turning = _line(keeper, plan, wheel, codes)
    listener = LineListener(line, SILENCE_SECONDS if wheel.kind is WheelKind.LINE else _LEAST_SECONDS)
    driver, dealer = Driver(listener, game.rulebook, codes), Dealer(game.rulebook, codes, _pace(plan, wheel.speed))
    hearing = Hearing(wheel.line or wheel.kind.value, game.rulebook, codes)
    dealing = AutomaticTable(keeper, driver, dealer, publish, begin, wheel.speed, hearing.take)
    return Mounted(dealing, hearing, turning)


def _line(keeper: Keeper, plan: TablePlan, wheel: Wheel, codes: Codes) -> "tuple[Source, asyncio.Task[None] | None]":
    if wheel.kind is WheelKind.LINE:
        return source(wheel.line, plan.rtscts), None
    from roundhouse.wheelhead.simulator.chance import Chance
    from roundhouse.wheelhead.simulator.inprocess import SimulatedWheel

    simulated = SimulatedWheel(keeper.table.game.rulebook, codes, Chance(None), speed=wheel.speed)
    turning = asyncio.create_task(simulated.turn(), name=f"wheel of {plan.id}")
    turning.add_done_callback(say_if_it_failed)
    return simulated.source, turning


def _pace(plan: TablePlan, speed: float) -> Settings:
    return Settings(
        # In the dealer's own time, which passes so much faster.
        patience_seconds=max(Settings().patience_seconds, _LEAST_SECONDS * speed),
        betting_seconds=float(plan.betting_seconds),
        look_seconds=float(plan.look_seconds),
        pause_seconds=float(plan.pause_seconds),
        closes_while_spinning=plan.closes_while_spinning,
    )
