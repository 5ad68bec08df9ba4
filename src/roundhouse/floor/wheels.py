"""Connects a table to its wheel, and monitors the wheel for the pit.

The wheel is a device on a port, or a simulation in this process. The monitor only counts; it does not affect the table.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple, Protocol

from roundhouse.config.schema import TableConfig, WheelKind, WheelSpec
from roundhouse.dealer.dealer import Dealer
from roundhouse.dealer.loop import DealerLoop, DealtTable, Notice, WheelReliability
from roundhouse.dealer.steps import Pace
from roundhouse.floor.alerts import log_failure
from roundhouse.floor.clock import Clock
from roundhouse.floor.projection import UNREACHABLE, wheel_use
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.game import Game
from roundhouse.rules.rulebook import Rulebook
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Millis, RoundNumber
from roundhouse.table.state import TableState
from roundhouse.wheel.codes import Codes, codes_for
from roundhouse.wheel.driver import SILENCE_SECONDS, Connected, Disconnected, Driver, Event, Finished, Silent
from roundhouse.wheel.driver import Listener as LineListener
from roundhouse.wheel.health.bias import speed_bands, troubles
from roundhouse.wheel.health.record import Record
from roundhouse.wheel.ports import Port, port_at
from roundhouse.wheel.protocol import WARNINGS, Flag, Status, parts
from roundhouse.wire.operations import WheelFinding, WheelLineInfo

_QUANTILES = (0.05, 0.5, 0.95)


class WheelMonitor:
    """Counts the events of one wheel since its dealer was started, and reports them to the pit."""

    def __init__(self, line: str, rulebook: Rulebook, codes: Codes, clock: Clock) -> None:
        self._line, self._since, self._clock = line, clock.now(), clock
        self._record = Record(rulebook, codes)
        self._status: Status | None = None
        self._status_at: Millis | None = None

    def observe(self, event: Event) -> None:
        match event:
            case Status():
                self._status, self._status_at = event, self._clock.now()
            case Connected() | Disconnected() | Silent() | Finished():
                pass
            case _:
                self._record.take(event)

    def report(self, reliable: WheelReliability) -> WheelLineInfo:
        record, use = self._record, wheel_use(reliable)
        status = None if use in UNREACHABLE else self._status
        speed = speed_bands(record)
        low, middle, high = (record.seconds_quantile(share) for share in _QUANTILES)
        return WheelLineInfo(
            line=self._line,
            since=self._since,
            heard=self._status_at,
            connected=reliable.connected,
            ready=reliable.ready,
            use=use,
            alert=reliable.alert,
            state=status.state.name.lower() if status is not None else "",
            rotor=status.rotor.value if status is not None else "",
            rotor_decirpm=status.rotor_decirpm if status is not None else 0,
            warnings=tuple(WARNINGS[Flag(flag)] for flag in parts(status.flags)) if status is not None else (),
            raised={WARNINGS[Flag(flag)]: count for flag, count in sorted(record.flags.items())},
            numbers=record.spins,
            voids=record.voids,
            unresolved=record.unresolved,
            launches_failed=record.launches_failed,
            lines_not_understood=record.not_understood,
            counter_jumps=record.missed,
            turned_about=record.turned_about,
            kept_direction=record.kept_direction,
            seconds=(low, middle, high) if record.spins else None,
            speed=WheelFinding(speed.question, speed.chance, speed.suspicious, speed.words),
            troubles=tuple(text for _, text in troubles(record)),
        )


_MIN_TIMEOUT_SECONDS = 10.0
"""Minimum timeout for a simulated wheel, in real time. A busy machine may delay a fast simulation by some seconds."""


class ConnectedWheel(NamedTuple):
    """The dealer of a table and the monitor of its wheel. ``simulation`` is ``None`` for a physical wheel."""

    dealer: DealerLoop
    monitor: WheelMonitor
    simulation: "asyncio.Task[None] | None"


def connect_wheel(
    table: DealtTable,
    game: Game,
    plan: TableConfig,
    wheel: WheelSpec,
    publish: Callable[[Notice], None],
    begin: bool,
    clock: Clock,
    pace: Pace | None = None,
) -> ConnectedWheel:
    """Connect a table to its wheel and its automatic dealer.

    With ``begin`` the dealer starts at once; otherwise it waits for ``hand_back``. ``pace`` overrides that of ``plan``.
    """
    codes = codes_for(game.wheel, plan.codes)
    line, simulation = _port(game, plan, wheel, codes)
    listener = LineListener(line, SILENCE_SECONDS if wheel.kind is WheelKind.LINE else _MIN_TIMEOUT_SECONDS)
    driver = Driver(listener, game.rulebook, codes)
    dealer = Dealer(game.rulebook, codes, pace or pace_of(plan, wheel.speed), wheel.kind is WheelKind.SIMULATED)
    monitor = WheelMonitor(wheel.line or wheel.kind.value, game.rulebook, codes, clock)
    loop = DealerLoop(table, driver, dealer, publish, begin, wheel.speed, monitor.observe)
    return ConnectedWheel(loop, monitor, simulation)


def _port(game: Game, plan: TableConfig, wheel: WheelSpec, codes: Codes) -> "tuple[Port, asyncio.Task[None] | None]":
    if wheel.kind is WheelKind.LINE:
        return port_at(wheel.line, plan.rtscts), None
    from roundhouse.wheel.simulator.draws import Chance
    from roundhouse.wheel.simulator.port import SimulatedWheel

    simulated = SimulatedWheel(game.rulebook, codes, Chance(None), speed=wheel.speed)
    simulation = asyncio.create_task(simulated.turn(), name=f"wheel of {plan.id}")
    simulation.add_done_callback(log_failure)
    return simulated.source, simulation


def pace_of(plan: TableConfig, speed: float) -> Pace:
    """Return the configured pace of a table whose clock runs ``speed`` times faster than real time."""
    return Pace(
        # The dealer's clock runs ``speed`` times faster than real time.
        wheel_timeout_seconds=max(Pace().wheel_timeout_seconds, _MIN_TIMEOUT_SECONDS * speed),
        betting_seconds=float(plan.betting_seconds),
        look_seconds=float(plan.look_seconds),
        pause_seconds=float(plan.pause_seconds),
        closes_while_spinning=plan.closes_while_spinning,
    )


class HasState(Protocol):
    @property
    def state(self) -> TableState: ...


class CommandQueue(Protocol):
    """The queue of a table: ``TableQueue``, or a queue without a thread in tests."""

    version: Seq
    moved_at: Seq

    @property
    def writer(self) -> TableWriter: ...

    async def ask(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]: ...


class DealersTable:
    """A table as the automatic dealer uses it: its committed state and its command queue."""

    def __init__(self, committed: HasState, queue: CommandQueue) -> None:
        self._committed, self._queue = committed, queue

    @property
    def state(self) -> TableState:
        return self._committed.state

    @property
    def version(self) -> Seq:
        return self._queue.version

    @property
    def moved_at(self) -> Seq:
        return self._queue.moved_at

    def note_ball(self, round: RoundNumber, rolls: bool) -> None:
        facts = self._queue.writer.facts
        facts.ball_round, facts.ball_rolls = round, rolls

    async def send(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]:
        return await self._queue.ask(*commands, expects=expects)
