"""Two tables on one store with injected faults, and commands for them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roundhouse.floor.queue import Committer
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry
from roundhouse.rules.game import Game
from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Cents, Pocket, PositionId, StaffPosition, TerminalId
from roundhouse.table.commands import (
    AnyCommand,
    BallAtRest,
    BuyCredits,
    CashOut,
    CloseBets,
    ConfirmResult,
    ObserveSpin,
    OpenBets,
    OpenTable,
    RedeemTicket,
    RegisterResult,
    StartSpin,
    TakeSeat,
)
from roundhouse.table.events import CashedOut
from roundhouse.table.names import RequestId, SeatId, TableId, TicketNumber
from tests.support.faulty_store import FaultySqliteStore
from tests.support.writers import open_writer

SEAT = SeatId("s1")
RED = PositionId("red")
SPUN: dict[str, Any] = {"revolutions": 5, "ball": Direction.CLOCKWISE, "wheel": Direction.ANTICLOCKWISE}
"""A valid spin."""


class TwoTables:
    """Two tables on one store."""

    def __init__(self, path: Path, game: Game) -> None:
        self.store = FaultySqliteStore(path)
        self.committer = Committer(self.store)
        self.game = game
        self.committed: list[Entry] = []
        self.answers: list[Sequence[Answer]] = []
        self.one, self.two = (self.table(name) for name in ("one", "two"))
        self.one.on_committed = lambda entries, _: self.committed.extend(entries)

    def table(self, name: str) -> TableWriter:
        id = TableId(name)
        writer = open_writer(self.store, id, self.game, committer=self.committer)
        assert all(answer.ok for answer in writer.handle(opening()))
        return writer

    def submit(self, writer: TableWriter, *commands: AnyCommand) -> None:
        writer.submit(commands, self.answers.append)

    def stall(self, writer: TableWriter, *commands: AnyCommand) -> None:
        """Submit commands as one batch. Its commit hangs until the test sets ``store.gate``."""
        self.store.entered.clear()
        self.store.gate.clear()
        self.submit(writer, *commands)
        assert self.store.entered.wait(20)

    def close(self) -> None:
        self.store.gate.set()
        self.committer.close()
        self.store.close()


def opening() -> list[AnyCommand]:
    return [
        OpenTable(id=RequestId("a"), by=StaffPosition.DEALER),
        TakeSeat(id=RequestId("b"), by=StaffPosition.PLAYER, seat=SEAT, terminal=TerminalId("rapid-a")),
    ]


def buy(id: str, cents: int = 500) -> BuyCredits:
    return BuyCredits(id=RequestId(id), by=StaffPosition.PLAYER, seat=SEAT, cents=Cents(cents))


def cash_out(id: str) -> CashOut:
    return CashOut(id=RequestId(id), by=StaffPosition.PLAYER, seat=SEAT)


def redeem(id: str, number: TicketNumber) -> RedeemTicket:
    return RedeemTicket(id=RequestId(id), by=StaffPosition.PLAYER, seat=SEAT, ticket=number)


def open_bets(id: str) -> OpenBets:
    return OpenBets(id=RequestId(id), by=StaffPosition.DEALER)


def close_bets(id: str) -> CloseBets:
    return CloseBets(id=RequestId(id), by=StaffPosition.DEALER)


def spin_to(outcome: str) -> list[AnyCommand]:
    dealer: dict[str, Any] = {"by": StaffPosition.DEALER}
    return [
        CloseBets(id=RequestId("1"), **dealer),
        StartSpin(id=RequestId("2"), **dealer),
        ObserveSpin(id=RequestId("spun"), **SPUN, **dealer),
        BallAtRest(id=RequestId("3"), outcome=Pocket(outcome), **dealer),
        RegisterResult(id=RequestId("4"), outcome=Pocket(outcome), **dealer),
        ConfirmResult(id=RequestId("5"), **dealer),
    ]


def credits(writer: TableWriter) -> int:
    return writer.table.state.seats[SEAT].credits


def ticket_of(answer: Answer) -> TicketNumber:
    (event,) = answer.events or []
    assert isinstance(event, CashedOut)
    return TicketNumber(event.ticket)
