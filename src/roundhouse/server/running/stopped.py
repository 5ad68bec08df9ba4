"""A table that cannot be opened, because its journal is damaged. It says so to everybody and does nothing else."""

from collections.abc import Callable

from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.game import Game
from roundhouse.server.wire.tables import TableFacts, WheelShown
from roundhouse.server.wire.wheels import WheelLine
from roundhouse.table.commands import AnyCommand, Show
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Millis, Phase, RoundNumber, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.showing import show
from roundhouse.table.state import Memory, RoundRecord, Table


class NoArchive:
    def round(self, number: RoundNumber) -> RoundRecord | None:
        return None

    def keep(self, record: RoundRecord) -> None:
        raise AssertionError("a table that cannot be opened keeps nothing")


class StoppedTable:
    """In the place of the table, and shown like it; others go on."""

    deadline: Millis | None = None
    wheel: WheelShown | None = None
    running = False

    def __init__(self, id: TableId, game: Game, facts: TableFacts, fault: str) -> None:
        self.id, self.game, self.facts, self.fault = id, game, facts, fault
        self.version = Seq(0)
        self.recovered: list[AnyEvent] = []
        self.table = blank(game, fault)

    def line(self) -> WheelLine | None:
        return None

    def put(self, command: AnyCommand, deliver: Callable[[Answer], None]) -> None:
        deliver(out_of_order(command, self.game, self.fault))

    async def ask(self, command: AnyCommand) -> Answer:
        return out_of_order(command, self.game, self.fault)


def blank(game: Game, fault: str) -> Table:
    """Nothing is certain but that the table stands still."""
    return Table(game, Memory(phase=Phase.STOPPED, stopped=fault, rulebook=game.hash), NoArchive())


def out_of_order(command: AnyCommand, game: Game, fault: str) -> Answer:
    if isinstance(command, Show):
        return Answer(command.id, True, 0, state=show(blank(game, fault)))
    return Answer(command.id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=fault)
