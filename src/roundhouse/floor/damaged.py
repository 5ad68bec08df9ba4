"""A table that cannot be opened because its journal is damaged. It refuses everything and says why."""

from collections.abc import Callable

from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.game import Game
from roundhouse.table.commands import AnyCommand, Show
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Millis, Phase, RoundNumber, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import RoundRecord, Table, TableState
from roundhouse.table.view import view_of
from roundhouse.wire.operations import WheelLineInfo
from roundhouse.wire.tables import TableFacts, WheelInfoNow


class NoArchive:
    def round(self, number: RoundNumber) -> RoundRecord | None:
        return None

    def keep(self, record: RoundRecord) -> None:
        raise AssertionError("a table that cannot be opened keeps nothing")


class DamagedTable:
    """In the place of the table, and shown like it; others go on."""

    deadline: Millis | None = None
    wheel: WheelInfoNow | None = None
    running = False

    def __init__(self, id: TableId, game: Game, facts: TableFacts, fault: str) -> None:
        self.id, self.game, self.facts, self.fault = id, game, facts, fault
        self.version = Seq(0)
        self.recovered: list[AnyEvent] = []
        self.table = damaged_state(game, fault)

    def line(self) -> WheelLineInfo | None:
        return None

    def put(self, command: AnyCommand, deliver: Callable[[Answer], None]) -> None:
        deliver(refuse_damaged(command, self.game, self.fault))

    async def ask(self, command: AnyCommand) -> Answer:
        return refuse_damaged(command, self.game, self.fault)


def damaged_state(game: Game, fault: str) -> Table:
    """Nothing is certain but that the table stands still."""
    return Table(game, TableState(phase=Phase.STOPPED, stopped=fault, rulebook=game.hash), NoArchive())


def refuse_damaged(command: AnyCommand, game: Game, fault: str) -> Answer:
    if isinstance(command, Show):
        return Answer(command.id, True, 0, state=view_of(damaged_state(game, fault)))
    return Answer(command.id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=fault)
