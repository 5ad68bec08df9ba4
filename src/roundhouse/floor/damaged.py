"""A table that cannot be opened because its journal is damaged. It refuses every command with the reason."""

from collections.abc import Callable, Sequence

from roundhouse.floor.feed import TableFeed
from roundhouse.floor.projection import TableProjection
from roundhouse.journal.entry import BEGINNING, Answer, Seq
from roundhouse.rules.game import Game
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Millis, Phase, RequestId, RoundNumber, SeatId, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import RoundRecord, Table, TableState
from roundhouse.wire.operations import WheelLineInfo
from roundhouse.wire.tables import TableFacts


class NoArchive:
    def round(self, number: RoundNumber) -> RoundRecord | None:
        return None

    def keep(self, record: RoundRecord) -> None:
        raise AssertionError("a damaged table has no rounds to store")

    def game(self, rulebook: str) -> Game | None:
        return None


class DamagedTable:
    """Replaces a damaged table, so that the other tables of the house can run."""

    running = False
    wheel_ready: bool | None = None

    def __init__(self, id: TableId, game: Game, facts: TableFacts, fault: str, epoch: str) -> None:
        self.id, self.game, self.fault = id, game, fault
        self.recovered: list[AnyEvent] = []
        self.table = damaged_state(game, fault)
        # The state of a damaged table never changes, so its projection needs no clock.
        projection = TableProjection(id, self.table, BEGINNING, game, facts, self.table.archive, lambda: Millis(0))
        self.projection, self.feed = projection, TableFeed(projection, epoch)

    def line(self) -> WheelLineInfo | None:
        return None

    def report_lost_terminals(self, seats: Sequence[SeatId]) -> None:
        pass

    def put(self, command: AnyCommand, deliver: Callable[[Answer], None]) -> None:
        deliver(refuse_damaged(self.fault, command))

    @property
    def moved_at(self) -> Seq:
        return BEGINNING

    async def has_recorded(self, id: RequestId) -> bool:
        return False

    async def ask(self, command: AnyCommand, expects: Seq | None = None) -> Answer:
        return refuse_damaged(self.fault, command)


def damaged_state(game: Game, fault: str) -> Table:
    """Return a stopped table without seats or history, because the journal cannot be trusted."""
    return Table(game, TableState(phase=Phase.STOPPED, stopped=fault, rulebook=game.hash), NoArchive())


def refuse_damaged(fault: str, command: AnyCommand) -> Answer:
    return Answer(command.id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=fault)
