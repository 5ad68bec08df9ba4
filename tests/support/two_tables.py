"""Two tables of one store whose disk waits until it is told to go on, and requests to send them."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw

from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.committer import Committer
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry
from roundhouse.journal.seal import Key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch, JournalUnavailable
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, Pocket, PositionId, StaffPosition, TerminalId
from roundhouse.table.commands import (
    AnyCommand,
    BallAtRest,
    BuyCredits,
    CashOut,
    CloseBets,
    ConfirmResult,
    OpenBets,
    OpenTable,
    RedeemTicket,
    RegisterResult,
    StartSpin,
    TakeSeat,
)
from roundhouse.table.events import CashedOut
from roundhouse.table.names import Millis, RequestId, SeatId, TableId, TicketNumber

KEY = Key(b"k" * 32)
SEAT = SeatId("s1")
RED = PositionId("red")


class HeldStore(SqliteStore):
    """A disk that waits until it is told to go on, and then may fail."""

    on_use: Callable[[], object] = staticmethod(lambda: None)
    """Called whenever the store is read or written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.failures = 0
        self.transactions = 0

    def _reader(self) -> apsw.Connection:
        self.on_use()
        return super()._reader()

    def commit(self, *batches: Batch) -> None:
        self.on_use()
        self.entered.set()
        assert self.gate.wait(20)
        if self.failures:
            self.failures -= 1
            raise JournalUnavailable("the disk is full")
        self.transactions += 1
        super().commit(*batches)


class House:
    """Two tables of one store."""

    def __init__(self, path: Path, game: Game) -> None:
        self.store = HeldStore(path)
        self.committer = Committer(self.store)
        self.game = game
        self.landed: list[Entry] = []
        self.said: list[Sequence[Answer]] = []
        self.one, self.two = (self.table(name) for name in ("one", "two"))
        self.one.on_committed = lambda entries, _: self.landed.extend(entries)

    def table(self, name: str) -> TableWriter:
        id = TableId(name)
        self.store.add_table(id, self.game.hash)
        keeper = TableWriter(self.store, id, self.game, KEY, SteppingClock(Millis(0)), self.committer)
        assert all(answer.ok for answer in keeper.handle(opening()))
        return keeper

    def submit(self, keeper: TableWriter, *commands: AnyCommand) -> None:
        keeper.submit(commands, self.said.append)

    def stall(self, keeper: TableWriter, *commands: AnyCommand) -> None:
        """The disk stands still while this batch, alone, is being written."""
        self.store.entered.clear()
        self.store.gate.clear()
        self.submit(keeper, *commands)
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
        BallAtRest(id=RequestId("3"), outcome=Pocket(outcome), **dealer),
        RegisterResult(id=RequestId("4"), outcome=Pocket(outcome), **dealer),
        ConfirmResult(id=RequestId("5"), **dealer),
    ]


def credits(keeper: TableWriter) -> int:
    return keeper.table.state.seats[SEAT].credits


def ticket_of(answer: Answer) -> TicketNumber:
    (event,) = answer.events or []
    assert isinstance(event, CashedOut)
    return event.ticket
