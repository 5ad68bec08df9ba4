"""In every game, each command that needs a second person has a position that can approve it."""

from typing import Any

import pytest

from roundhouse import rulebooks
from roundhouse.house.approvals import ApprovalNeeded, approval_needed
from roundhouse.people.names import PIT, PersonId
from roundhouse.rules.names import StaffPosition as P
from roundhouse.rules.rulebook import Moment, Spun
from roundhouse.table.names import PersonName, Phase, TableId
from tests.support.clocks import START
from tests.support.house_tables import command
from tests.support.memory_store import MemoryStore
from tests.support.writers import command as sent
from tests.support.writers import open_writer

T = TableId("t")
ANN = PersonId("ann")


class Played:
    """A table of any game with one seat that has bets."""

    def __init__(self, game: str) -> None:
        self.game, content = rulebooks.find_with_content(game)
        self.store, self.content, self.count = MemoryStore(), content, 0
        self.open()
        self.outcomes = self.game.wheel.pockets
        terminal = next(iter(self.game.terminals.values()))
        self.do("dealer", "open_table")
        self.do("player", "take_seat", seat="1", terminal=terminal.plan.id)
        self.do("cashier", "buy_credits", seat="1", cents=100_000)
        self.do("dealer", "open_bets")
        bet = {"position": terminal.layout.positions[0].id, "cents": 100}
        self.do("player", "place_bets", seat="1", bets=[bet])

    def open(self) -> None:
        """Open the table, or open it again after an interruption."""
        self.writer = open_writer(self.store, T, self.game, self.content)

    def do(self, by: str, do: str, **fields: Any) -> None:
        self.count += 1
        (answer,) = self.writer.handle([sent(f"r{self.count}", by, do, **fields)])
        assert answer.ok, answer

    def spin(self) -> None:
        steps = ["close_bets", "start_spin"]
        if self.game.rulebook.betting.closes.moment is Moment.WHILE_SPINNING:
            steps.reverse()
        for do in steps:
            self.do("dealer", do)
        ball = {"ball": "clockwise", "wheel": "anticlockwise"} if self.game.wheel.spun is Spun.BALL else {}
        self.do("dealer", "observe_spin", revolutions=5, **ball)

    def register(self, outcome: str) -> None:
        self.do("dealer", "ball_at_rest", outcome=self.outcomes[0])
        self.do("dealer", "register_result", outcome=outcome)

    def settle(self) -> None:
        self.spin()
        self.register(self.outcomes[0])
        self.do("dealer", "confirm_result")

    def approvers(self, by: P, do: str, **fields: Any) -> tuple[P, ...]:
        needs = approval_needed(self.writer.table, command(do, **fields), by, PersonName(ANN), START)
        assert isinstance(needs, ApprovalNeeded), "the command needs a second person"
        return needs.approvers


def check(approvers: tuple[P, ...]) -> None:
    """Check that there is an approver, and that each of them has the right to approve."""
    assert approvers
    assert all(position in {role.position for role in PIT} for position in approvers)


@pytest.mark.parametrize("game", rulebooks.SHIPPED)
class TestSecondPersons:
    def test_cash_out_by_a_dealer(self, game: str) -> None:
        check(Played(game).approvers(P.DEALER, "cash_out", seat="1"))

    def test_resolving_readings_that_differ(self, game: str) -> None:
        table = Played(game)
        table.spin()
        table.register(table.outcomes[1])
        check(table.approvers(P.PIT_SUPERVISOR, "correct_result", round=1, outcome=table.outcomes[0]))

    def test_a_declaration_after_registration(self, game: str) -> None:
        table = Played(game)
        table.spin()
        table.register(table.outcomes[0])
        id = "interference" if "interference" in table.game.rulebook.irregularities else "foreign_object"
        check(table.approvers(P.DEALER, "declare", irregularity=id))

    def test_a_decision_to_an_outcome_without_a_reading(self, game: str) -> None:
        table = Played(game)
        table.spin()
        table.register(table.outcomes[0])
        table.do("dealer", "refer", round=1, question="?")
        settle = {"round": 1, "ruling": "settle", "outcome": table.outcomes[1], "reason": "The camera shows it."}
        check(table.approvers(P.SHIFT_MANAGER, "decide", **settle))

    def test_a_decision_on_a_settled_round_and_on_one_seat(self, game: str) -> None:
        table = Played(game)
        table.settle()
        table.do("dealer", "refer", round=1, question="?")
        void = {"round": 1, "ruling": "void", "reason": "The camera shows it."}
        check(table.approvers(P.SHIFT_MANAGER, "decide", **void))
        check(table.approvers(P.SHIFT_MANAGER, "decide", seat="1", **void))

    def test_a_report_after_an_interruption(self, game: str) -> None:
        table = Played(game)
        table.spin()
        table.open()
        if table.writer.table.state.phase is Phase.REFERRED:
            # This rulebook has no clause on interruptions, so one person decides.
            assert "interrupted_with_outcome" not in table.game.rulebook.irregularities
            return
        check(table.approvers(P.DEALER, "ball_at_rest", outcome=table.outcomes[0]))
        check(table.approvers(P.DEALER, "declare", irregularity="interrupted_without_outcome"))
