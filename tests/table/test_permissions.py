"""The permissions that a table states match the commands that it accepts, for all phases and positions.

The rulebooks are the five shipped ones and a sixth with other authority rules: its Dealer corrects results and
only its casino manager declares irregularities without ``declared_by``. Variants of it let a higher position act
for a lower one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec import UNSET

from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.names import Cents, IrregularityId, Pocket, PositionId, StaffPosition
from roundhouse.rules.rulebook import Moment
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.apply import apply
from roundhouse.table.decide import decide
from roundhouse.table.decision import Decision, Facts, Ticket
from roundhouse.table.limits import Bounds, Limits
from roundhouse.table.names import Millis, Phase, RequestId, RoundNumber, Ruling, SeatId, TicketNumber
from roundhouse.table.permissions import Declarable, allowed, name_of, permissions
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import RoundRecord, Table, TableState

P = StaffPosition
SINGLE_ZERO = (Path(__file__).parents[1] / "rulebooks" / "single-zero.toml").read_text(encoding="utf-8")
IRREGULARITIES = """
[irregularities]
same_direction = { clause = "5", effect = "void_round" }
fire_alarm = { clause = "5", effect = "void_round", declared_by = ["pit_manager"] }
hand_on_ball = { clause = "5", effect = "void_round", until = "rest", declared_by = ["dealer"] }
loaded_ball = { clause = "5", effect = "void_affected_rounds", until = "any_time", declared_by = ["shift_manager"] }
power_cut = { clause = "5", effect = "void_round", declared_by = ["system"] }
number_misread = { clause = "5", effect = "settle_by_wheel", until = "any_time", declared_by = ["dealer"] }
no_spin = { clause = "5", effect = "void_round", declared_by = ["pit_supervisor"] }

[authority]
ladder = ["dealer", "pit_supervisor", "pit_manager", "shift_manager", "casino_manager"]
declares = ["casino_manager"]
decides = { position = "pit_manager", clause = "6", or_above = %s }
%s

[clauses]
"""

PHASE_REFUSALS = frozenset(
    {
        Refusal.NOT_AUTHORISED,
        Refusal.TABLE_IS_STOPPED,
        Refusal.TABLE_IS_CLOSED,
        Refusal.TABLE_IS_OPEN,
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
        Refusal.TOO_LATE_TO_DECLARE,
        Refusal.ROUND_IS_SETTLED,
        Refusal.ALREADY_REFERRED,
        Refusal.NO_SUCH_IRREGULARITY,
    }
)
"""Refusals that depend on position and phase. All others depend on the content of the command."""

AT = Millis(1_700_000_000_000)
SEAT = SeatId("a")
TICKET = TicketNumber("1" * 20)
FACTS = Facts(AT, fresh_ticket=TicketNumber("2" * 20), ticket=Ticket(TICKET, Cents(100), Millis(AT + 1), False))
BEFORE, LAST = RoundNumber(1), RoundNumber(2)


def sixth(higher_may_act: bool, or_above: bool) -> Game:
    head = SINGLE_ZERO[: SINGLE_ZERO.index("[irregularities]")]
    tail = SINGLE_ZERO[SINGLE_ZERO.index("[clauses]") + len("[clauses]\n") :]
    authority = IRREGULARITIES % (str(or_above).lower(), 'higher_may_act = "6"' if higher_may_act else "")
    return load((head + authority + tail).encode())


SIXTH = [sixth(higher, above) for higher in (False, True) for above in (False, True)]


class RoundArchive:
    def __init__(self) -> None:
        self._rounds: dict[RoundNumber, RoundRecord] = {}

    def round(self, number: RoundNumber) -> RoundRecord | None:
        return self._rounds.get(number)

    def keep(self, record: RoundRecord) -> None:
        self._rounds[record.number] = record


def make(kind: Any, by: StaffPosition, **fields: Any) -> c.AnyCommand:
    command: c.AnyCommand = kind(id=RequestId("x"), by=by, **fields)
    return command


def deal(table: Table, kind: Any, by: StaffPosition = P.DEALER, **fields: Any) -> None:
    decision = decide(table, make(kind, by, **fields), FACTS)
    assert decision.refused is None, (kind, decision.refused)
    for event in decision.events:
        apply(table, event, AT)


def table_in(game: Game, phase: str, automatic: bool) -> Table | None:
    """Return a table with two settled rounds in a phase, or None if the rulebook cannot reach the phase."""
    moment = game.rulebook.betting.closes.moment
    if (phase, moment) in (("bets_closed", Moment.WHILE_SPINNING), ("spinning_bets_open", Moment.BEFORE_SPIN)):
        return None
    spin = [c.StartSpin, c.CloseBets] if moment is Moment.WHILE_SPINNING else [c.CloseBets, c.StartSpin]
    outcome, table = game.wheel.pockets[0], Table(game, TableState(), RoundArchive())
    deal(table, c.OpenTable)
    deal(table, c.TakeSeat, P.PLAYER, seat=SEAT, terminal=game.rulebook.terminals[0].id)
    deal(table, c.BuyCredits, P.CASHIER, seat=SEAT, cents=Cents(9000))
    for _ in range(2):
        deal(table, c.OpenBets)
        for step in spin:
            deal(table, step)
        deal(table, c.BallAtRest, outcome=outcome)
        deal(table, c.RegisterResult, outcome=outcome)
        deal(table, c.ConfirmResult)
    if automatic:
        deal(table, c.HandBack)
    if phase == "closed":
        deal(table, c.CloseTable)
    elif phase == "stopped":
        apply(table, e.TableStopped("a test"), AT)
    elif phase != "idle":
        deal(table, c.OpenBets)
        early: dict[str, list[Any]] = {
            "bets_open": [],
            "asked": [],
            "spinning_bets_open": [c.StartSpin],
            "bets_closed": [c.CloseBets],
        }
        for step in early.get(phase, spin):
            deal(table, step)
        if phase in ("at_rest", "registered", "held", "waits"):
            deal(table, c.BallAtRest, outcome=outcome)
        if phase in ("registered", "waits"):
            deal(table, c.RegisterResult, outcome=outcome)
        if phase == "held":
            deal(table, c.RegisterResult, outcome=game.wheel.pockets[1])
        if phase in ("asked", "waits"):
            deal(table, c.Refer, round=table.state.round, question="was it struck?")
    return table


PHASES = [*(phase.value for phase in Phase if phase is not Phase.REFERRED), "asked", "waits", "held"]
"""Each phase, a referral before (asked) and after (waits) the closing, and disagreeing readings (held)."""


def arguments(table: Table, kind: Any) -> list[dict[str, Any]]:
    """List argument sets of a command that differ in round, irregularity or result."""
    game, state = table.game, table.state
    pockets: tuple[Pocket, ...] = game.wheel.pockets[:2]
    position: PositionId = next(iter(game.layouts.values())).positions[0].id
    chips = (c.Chips(position, Cents(100)),)
    rounds = [BEFORE, state.round]
    match kind:
        case c.TakeSeat:
            return [{"seat": SeatId("new"), "terminal": game.rulebook.terminals[0].id}]
        case c.BuyCredits:
            return [{"seat": SEAT, "cents": Cents(100)}]
        case c.RedeemTicket:
            return [{"seat": SEAT, "ticket": TICKET}]
        case c.PlaceBets | c.WithdrawBets:
            return [{"seat": SEAT, "bets": chips}]
        case c.PlacePackage:
            return [{"seat": SEAT, "package": "neighbours:22:2", "unit_cents": Cents(100)}]
        case c.Undo | c.Clear | c.Repeat | c.Double | c.CashOut:
            return [{"seat": SEAT}]
        case c.ObserveSpin:
            return [{"revolutions": 6, "ball": "clockwise", "wheel": "anticlockwise"}]
        case c.BallAtRest | c.RegisterResult:
            return [{"outcome": pocket} for pocket in pockets]
        case c.Declare:
            ids = game.rulebook.irregularities
            return [{"irregularity": id, "rounds": named} for id in ids for named in (None, (BEFORE,))]
        case c.CorrectResult:
            return [{"round": number, "outcome": pocket} for number in rounds for pocket in pockets]
        case c.Refer:
            return [{"round": number, "question": "was it struck?"} for number in rounds]
        case c.Decide:
            reason = {"reason": "seen on the tape", "outcome": pockets[1]}
            return [{"round": number, "ruling": ruling, **reason} for number in rounds for ruling in Ruling]
        case c.TakeOver | c.ResumeTable:
            return [{"reason": "a fault"}]
        case _:
            return [{}]


def is_permitted(decision: Decision) -> bool:
    return decision.refused is None or decision.refused.refusal not in PHASE_REFUSALS


def permitted(table: Table, kind: Any, by: StaffPosition, **wanted: Any) -> bool:
    """Return whether position and phase permit the command for any argument set with these values."""
    candidates = [candidate for candidate in arguments(table, kind) if wanted.items() <= candidate.items()]
    return any(is_permitted(decide(table, make(kind, by, **candidate), FACTS)) for candidate in candidates)


KINDS = [kind for kind in get_args(c.AnyCommand) if kind is not c.Show]
IN_PROGRESS = (*PHASES[2:8], "asked", "waits", "held")


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


@pytest.mark.parametrize("game", SIXTH, ids=["strict", "or_above", "higher", "higher_or_above"])
def test_a_sixth_rulebook_permits_what_its_table_accepts(game: Game) -> None:
    # It cannot reach one of 12 phases: bets closed before the spin. There are 2 modes, 8 positions and 28 commands.
    assert compare_all(game) == 11 * 2 * 8 * 28


def test_the_five_rulebooks_permit_what_their_tables_accept(games: dict[str, Game]) -> None:
    states = {Moment.OPERATORS_CHOICE: 12, Moment.WHILE_SPINNING: 11, Moment.BEFORE_SPIN: 11}
    for game in games.values():
        assert compare_all(game) == states[game.rulebook.betting.closes.moment] * 2 * 8 * 28


@pytest.mark.parametrize("game", SIXTH)
def test_permissions_state_the_rounds_that_a_command_may_name(game: Game) -> None:
    for phase, table in cases(game):
        for by in P:
            found, state = permissions(table, [by]), table.state
            for kind in (c.CorrectResult, c.Refer, c.Decide):
                cell = (phase, by, name_of(kind))
                past = permitted(table, kind, by, round=BEFORE)
                assert (cell, name_of(kind) in found.past) == (cell, past)
                here = phase in IN_PROGRESS and permitted(table, kind, by, round=state.round)
                # A decision without a referral is refused for another reason than position or phase.
                here = here and (kind is not c.Decide or phase in ("asked", "waits"))
                assert (cell, name_of(kind) in found.current) == (cell, here)


@pytest.mark.parametrize("game", SIXTH)
def test_permissions_state_which_irregularities_can_be_declared(game: Game) -> None:
    for phase, table in cases(game):
        for by in P:
            found = permissions(table, [by])
            people = [id for id, one in found.declare.items()]
            assert people == ["same_direction", "fire_alarm", "hand_on_ball", "loaded_ball", "no_spin"]
            for id, one in found.declare.items():
                for named, stated in ((None, one.current), ((BEFORE,), one.past)):
                    refused = decide(table, make(c.Declare, by, irregularity=id, rounds=named), FACTS).refused
                    decided = refused.refusal if refused is not None else UNSET
                    assert (phase, by, id, named, stated) == (phase, by, id, named, decided)
            assert ("declare" in found.current) == any(one.current is UNSET for one in found.declare.values())
            assert ("declare" in found.past) == any(one.past is UNSET for one in found.declare.values())


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
    assert found.approval == ("declare",)


def test_several_positions_combine_their_permissions() -> None:
    for _, table in cases(SIXTH[0]):
        for one in P:
            for other in P:
                assert allowed(table, [one, other]) == allowed(table, [one]) | allowed(table, [other])


def test_no_position_permits_no_command() -> None:
    for _, table in cases(SIXTH[0]):
        assert allowed(table, []) == frozenset()


def test_only_changes_of_settled_rounds_and_resuming_need_an_approval() -> None:
    for phase, table in cases(SIXTH[3]):
        found = permissions(table, [P.CASINO_MANAGER])
        expected = {"declare", "correct_result", "decide"} & set(found.past)
        assert set(found.approval) == (expected if phase != "stopped" else {"resume_table"})


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
