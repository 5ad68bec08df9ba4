"""Two tables of one store whose disk waits until it is told to go on, and requests to send them."""

import threading
from pathlib import Path
from typing import Any

from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.committer import Committer
from roundhouse.floor.keeper import Keeper
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

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.failures = 0
        self.transactions = 0

    def commit(self, *batches: Batch) -> None:
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
        self.said: list[list[Answer]] = []
        self.one, self.two = (self.table(name) for name in ("one", "two"))
        self.one.on_landed = self.landed.extend

    def table(self, name: str) -> Keeper:
        id = TableId(name)
        self.store.add_table(id, self.game.hash)
        keeper = Keeper(self.store, id, self.game, KEY, SteppingClock(Millis(0)), self.committer)
        assert all(answer.ok for answer in keeper.handle(opening()))
        return keeper

    def launch(self, keeper: Keeper, *commands: AnyCommand) -> None:
        keeper.launch(commands, self.said.append)

    def stall(self, keeper: Keeper, *commands: AnyCommand) -> None:
        """The disk stands still while this batch, alone, is being written."""
        self.store.entered.clear()
        self.store.gate.clear()
        self.launch(keeper, *commands)
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


def spin_to(outcome: str) -> list[AnyCommand]:
    dealer: dict[str, Any] = {"by": StaffPosition.DEALER}
    return [
        CloseBets(id=RequestId("1"), **dealer),
        StartSpin(id=RequestId("2"), **dealer),
        BallAtRest(id=RequestId("3"), outcome=Pocket(outcome), **dealer),
        RegisterResult(id=RequestId("4"), outcome=Pocket(outcome), **dealer),
        ConfirmResult(id=RequestId("5"), **dealer),
    ]


def credits(keeper: Keeper) -> int:
    return keeper.table.state.seats[SEAT].credits


def ticket_of(answer: Answer) -> TicketNumber:
    (event,) = answer.events or []
    assert isinstance(event, CashedOut)
    return event.ticket
