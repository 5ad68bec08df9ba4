"""The permissions that a table states match the commands that it accepts, for all phases and positions.

The rulebooks are the five shipped ones and a sixth with other authority rules: its Dealer corrects results and
only its casino manager declares irregularities without ``declared_by``. Variants of it let a higher position act
for a lower one.
"""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from msgspec import UNSET

from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, IrregularityId, StaffPosition
from roundhouse.rules.rulebook import Moment
from roundhouse.table import commands as c
from roundhouse.table.decide import MAY_NEED_APPROVAL, decide
from roundhouse.table.decision import Decision
from roundhouse.table.limits import Bounds, Limits
from roundhouse.table.permissions import Declarable, allowed, name_of, permissions
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table
from tests.support.permission_tables import (
    BEFORE,
    FACTS,
    INTERRUPTED,
    PHASES,
    REAL_MONEY,
    SEAT,
    SIXTH,
    P,
    arguments,
    make,
    table_in,
)

PHASE_REFUSALS = frozenset(
    {
        Refusal.NOT_AUTHORISED,
        Refusal.TABLE_IS_STOPPED,
        Refusal.TABLE_IS_CLOSED,
        Refusal.TABLE_IS_OPEN,
        Refusal.AWAITING_WHEEL,
        Refusal.AWAITING_DECISION,
        Refusal.ROUND_IN_PROGRESS,
        Refusal.NO_ROUND,
        Refusal.BETS_ARE_NOT_OPEN,
        Refusal.BETS_ARE_OPEN,
        Refusal.BETS_ARE_CLOSED,
        Refusal.BETS_CLOSE_WHILE_SPINNING,
        Refusal.BETS_CLOSE_BEFORE_SPIN,
        Refusal.SPIN_HAS_STARTED,
        Refusal.SPIN_HAS_NOT_STARTED,
        Refusal.BALL_IS_AT_REST,
        Refusal.BALL_IS_NOT_AT_REST,
        Refusal.NO_RESULT_REGISTERED,
        Refusal.MODE_IS_MANUAL,
        Refusal.MODE_IS_AUTOMATIC,
        Refusal.NEEDS_A_DEALER,
        Refusal.TOO_LATE_TO_DECLARE,
        Refusal.AGAINST_THE_RECORD,
        Refusal.ROUND_IS_SETTLED,
        Refusal.ALREADY_REFERRED,
        Refusal.NO_SUCH_IRREGULARITY,
    }
)
"""Refusals that depend on position and phase. All others depend on the content of the command."""


def is_permitted(decision: Decision) -> bool:
    return decision.refused is None or decision.refused.refusal not in PHASE_REFUSALS


def permitted(table: Table, kind: Any, by: StaffPosition, **wanted: Any) -> bool:
    """Return whether position and phase permit the command for any argument set with these values."""
    candidates = [candidate for candidate in arguments(table, kind) if wanted.items() <= candidate.items()]
    return any(is_permitted(decide(table, make(kind, by, **candidate), FACTS)) for candidate in candidates)


KINDS = [kind for kind in get_args(c.AnyCommand) if kind is not c.Show]
OUT_OF_ROUND = ("closed", "idle", "stopped")


def cases(game: Game) -> Iterator[tuple[str, Table]]:
    for phase in PHASES:
        for automatic in (False, True):
            if (table := table_in(game, phase, automatic)) is not None:
                yield phase, table


def compare_all(game: Game) -> int:
    """Compare all combinations of phase, mode, position and command, and return their number."""
    count = 0
    for phase, table in cases(game):
        for by in P:
            allowed_names = allowed(table, [by])
            for kind in KINDS:
                count += 1
                cell = (phase, table.state.automatic, by, name_of(kind))
                assert (cell, name_of(kind) in allowed_names) == (cell, permitted(table, kind, by))
    return count


CELLS = 2 * 9 * 51
"""Two modes, nine positions and 51 commands, in each phase."""


@pytest.mark.parametrize("game", SIXTH, ids=["strict", "or_above", "higher", "higher_or_above"])
def test_a_sixth_rulebook_permits_what_its_table_accepts(game: Game) -> None:
    # It cannot close bets before the spin.
    assert compare_all(game) == (len(PHASES) - 1) * CELLS


def test_the_five_rulebooks_permit_what_their_tables_accept(games: dict[str, Game]) -> None:
    for game in games.values():
        chosen = game.rulebook.betting.closes.moment is Moment.OPERATORS_CHOICE
        unreachable = (0 if chosen else 1) + (0 if INTERRUPTED in game.rulebook.irregularities else 2)
        assert compare_all(game) == (len(PHASES) - unreachable) * CELLS


def test_with_real_money_only_people_deal(games: dict[str, Game]) -> None:
    for game in games.values():
        for phase in PHASES:
            for automatic in (False, True):
                table = table_in(game, phase, automatic, REAL_MONEY)
                for by in P if table is not None else ():
                    assert table is not None
                    for kind in KINDS:
                        cell = (phase, automatic, by, name_of(kind))
                        assert (cell, name_of(kind) in allowed(table, [by])) == (cell, permitted(table, kind, by))
                if table is not None:
                    assert allowed(table, [P.AUTOMATIC_DEALER]) <= {"take_over"}


@pytest.mark.parametrize("game", SIXTH)
def test_permissions_state_the_rounds_that_a_command_may_name(game: Game) -> None:
    for phase, table in cases(game):
        for by in P:
            found, state = permissions(table, [by]), table.state
            for kind in (c.CorrectResult, c.Refer, c.Decide):
                cell = (phase, by, name_of(kind))
                if not (kind is c.Decide and by is P.AUTOMATIC_DEALER):
                    past = permitted(table, kind, by, round=BEFORE)
                    assert (cell, name_of(kind) in found.past) == (cell, past)
                here = phase not in OUT_OF_ROUND and permitted(table, kind, by, round=state.round)
                # A decision without a referral is refused for another reason than position or phase.
                here = here and (kind is not c.Decide or state.round in state.referrals)
                assert (cell, name_of(kind) in found.current) == (cell, here)


@pytest.mark.parametrize("game", SIXTH)
def test_permissions_state_which_irregularities_can_be_declared(game: Game) -> None:
    people = ["interrupted_without_outcome", "terminals_interrupted", "same_direction", "fire_alarm", "hand_on_ball"]
    for phase, table in cases(game):
        for by in P:
            found = permissions(table, [by])
            assert list(found.declare) == [*people, "loaded_ball", "no_spin"]
            assert_declarable(table, phase, by)
            assert ("declare" in found.current) == any(one.current is UNSET for one in found.declare.values())
            assert ("declare" in found.past) == any(one.past is UNSET for one in found.declare.values())


def test_the_five_rulebooks_state_which_irregularities_can_be_declared(games: dict[str, Game]) -> None:
    for game in games.values():
        for phase, table in cases(game):
            for by in P:
                assert_declarable(table, phase, by)


def assert_declarable(table: Table, phase: str, by: StaffPosition) -> None:
    for id, one in permissions(table, [by]).declare.items():
        for named, stated in ((None, one.current), ((BEFORE,), one.past)):
            command = make(c.Declare, by, irregularity=id, rounds=named, seats=(SEAT,))
            refused = decide(table, command, FACTS).refused
            decided = refused.refusal if refused is not None else UNSET
            assert (phase, by, id, named, stated) == (phase, by, id, named, decided)


def test_the_sixth_rulebook_has_other_authority_rules() -> None:
    strict = table_in(SIXTH[0], "registered", False)
    assert strict is not None
    assert "correct_result" in allowed(strict, [P.DEALER])
    assert "correct_result" not in allowed(strict, [P.SHIFT_MANAGER])
    assert "decide" in allowed(strict, [P.PIT_MANAGER])
    assert "decide" not in allowed(strict, [P.SHIFT_MANAGER])
    assert "call_no_spin" in allowed(strict, [P.PIT_SUPERVISOR])
    assert "call_no_spin" not in allowed(strict, [P.DEALER])
    found = permissions(strict, [P.SHIFT_MANAGER])
    assert found.declare[IrregularityId("loaded_ball")] == Declarable()
    assert found.declare[IrregularityId("hand_on_ball")].current is Refusal.NOT_AUTHORISED


def test_several_positions_combine_their_permissions() -> None:
    for _, table in cases(SIXTH[0]):
        for one in P:
            for other in P:
                assert allowed(table, [one, other]) == allowed(table, [one]) | allowed(table, [other])


def test_no_position_permits_no_command() -> None:
    for _, table in cases(SIXTH[0]):
        assert allowed(table, []) == frozenset()


def test_permissions_name_every_command_that_needs_an_approval(games: dict[str, Game]) -> None:
    for game in (*SIXTH, *games.values()):
        for phase, table in cases(game):
            for by in P:
                found = permissions(table, [by])
                for kind in MAY_NEED_APPROVAL:
                    alone = [make(kind, by, **{**fields, "second": UNSET}) for fields in arguments(table, kind)]
                    refusals = {one.refusal for command in alone if (one := decide(table, command, FACTS).refused)}
                    if Refusal.NEEDS_SECOND_PERSON in refusals:
                        cell = (phase, by, name_of(kind))
                        assert (cell, name_of(kind) in found.approval) == (cell, True)


def test_the_resolved_limits_match_those_that_the_table_applies(games: dict[str, Game]) -> None:
    for game in games.values():
        for layout in game.layouts.values():
            first, *_, last = (position.id for position in layout.positions)
            kinds = [position.split(":")[0] for position in (first, last)]
            limits = Limits(
                types={kind: Bounds(Cents(20), Cents(700)) for kind in kinds},  # type: ignore[misc]
                positions={first: Bounds(Cents(90), Cents(300)), last: Bounds(Cents(10))},
                seat=Bounds(Cents(50), Cents(9000)),
            )
            found = limits.resolved(layout)
            assert (found.seat.min, found.seat.max) == (50, 9000)
            for position in layout.positions:
                resolved = found.positions.get(position.id) or found.types[position.id.split(":")[0]]  # type: ignore[index]
                bounds = limits.bounds(position.id)
                assert (resolved.min, resolved.max or Bounds().max) == (bounds.min, bounds.max)
            assert found.positions[last].max is None
