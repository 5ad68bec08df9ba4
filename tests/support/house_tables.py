"""A table with a real writer, and the house's permission checks on its requests."""

from typing import Any

import msgspec
from msgspec.structs import replace

from roundhouse.cage.commands import AnyCageCommand
from roundhouse.floor.permissions import refuse_terminal
from roundhouse.house.approvals import ApprovalNeeded, Approved
from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.house.writer import run_inline
from roundhouse.journal.entry import Answer
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Store
from roundhouse.people.names import HouseRefused, ProposalId
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Millis, TableId
from roundhouse.table.state import Table
from tests.support.clocks import START, ScriptedClock
from tests.support.houses import KEY, ROULETTE, SETTINGS
from tests.support.memory_store import MemoryStore
from tests.support.writers import open_writer


def command(do: str, **fields: Any) -> AnyCommand:
    """Decode a request as the server does. Its ``by`` is a placeholder that the house replaces."""
    raw = {"id": f"{do}:{sorted(fields.items())}"[:200], "do": do, "by": "casino_manager", **fields}
    return msgspec.convert(raw, AnyCommand)  # type: ignore[no-any-return]


class HouseTable:
    def __init__(self, id: TableId = ROULETTE, store: Store | None = None, key: Key = KEY) -> None:
        found = SETTINGS.games[id]
        store = store or MemoryStore()
        self.id = id
        self.writer = open_writer(store, id, found.game, found.content, key=key, clock=ScriptedClock())
        self._count = 0

    @property
    def table(self) -> Any:
        return self.writer.table

    def run(self, request: AnyCommand, by: StaffPosition) -> Answer:
        self._count += 1
        (answer,) = self.writer.handle([replace(request, by=by, id=f"r{self._count}")])
        return answer

    def must(self, by: str, do: str, **fields: Any) -> Answer:
        answer = self.run(command(do, **fields), StaffPosition(by))
        assert answer.ok, answer
        return answer

    def approved(self, found: Approved) -> Answer:
        assert not isinstance(found.command, AnyCageCommand), "the command is for a table"
        (answer,) = self.writer.handle([found.command])
        return answer

    def batch(self, person: str, by: str, *requests: AnyCommand) -> list[Answer]:
        """Handle one person's requests in one batch, as the server does."""
        self._count += 1
        position = StaffPosition(by)
        commands = [replace(one, by=position, who=person, id=f"r{self._count}:{i}") for i, one in enumerate(requests)]
        return self.writer.handle(commands)

    def permission(
        self,
        house: House,
        caller: Session | EnrolledTerminal,
        request: AnyCommand,
        by: StaffPosition | None = None,
        at: Millis = START,
    ) -> StaffPosition | ApprovalNeeded | HouseRefused:
        """Return the position in which the caller may send the request, or why it is refused."""
        if isinstance(caller, EnrolledTerminal):
            enrolled = house.terminals.is_enrolled(caller.number)
            return refuse_terminal(caller, enrolled, self.id, request, by) or StaffPosition.PLAYER
        return house.permissions.position_for(caller, self.id, self.table, request, at, by)

    def begin(self, credits: int = 100_000) -> None:
        terminal = next(iter(self.table.game.terminals))
        self.must("dealer", "open_table")
        self.must("player", "take_seat", seat="1", terminal=terminal)
        self.must("cashier", "buy_credits", seat="1", cents=credits)

    def bet(self, cents: int = 1000) -> None:
        self.must("dealer", "open_bets")
        self.must("player", "place_bets", seat="1", bets=[{"position": "straight:8", "cents": cents}])

    def spin(self, outcome: str = "8") -> None:
        steps = ["start_spin", "close_bets"] if self.id != ROULETTE else ["close_bets", "start_spin"]
        for do in steps:
            self.must("dealer", do)
        self.must("dealer", "observe_spin", revolutions=5, ball="clockwise", wheel="anticlockwise")
        self.must("dealer", "ball_at_rest", outcome=outcome)
        self.must("dealer", "register_result", outcome=outcome)

    def round(self, outcome: str = "8") -> None:
        self.bet()
        self.spin(outcome)
        self.must("dealer", "confirm_result")


def approve(house: House, by: Session, proposal: ProposalId, table: Table, at: Millis) -> Approved | HouseRefused:
    """Approve a proposal as a second person, as the server does."""
    effect = house.approvals.effect_of(proposal, table, at)
    return run_inline(house.approvals.approve(by, proposal, effect, at))
