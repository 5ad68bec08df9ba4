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
from msgspec.structs import replace

from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.names import Cents, IrregularityId, Pocket, PositionId, StaffPosition
from roundhouse.rules.rulebook import Moment, Spun
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.apply import apply
from roundhouse.table.decide import MAY_NEED_APPROVAL, decide
from roundhouse.table.decision import Decision, Facts, HouseTerms, Ticket
from roundhouse.table.lifecycle import recover_from, stop_software
from roundhouse.table.limits import Bounds, Limits
from roundhouse.table.names import Millis, PersonName, Phase, RequestId, RoundNumber, Ruling, SeatId, TicketNumber
from roundhouse.table.permissions import Declarable, allowed, name_of, permissions
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import RoundRecord, Table, TableState
from tests.support.writers import TERMS

P = StaffPosition
SINGLE_ZERO = (Path(__file__).parents[1] / "rulebooks" / "single-zero.toml").read_text(encoding="utf-8")
IRREGULARITIES = """
[irregularities]
interrupted_with_outcome = { clause = "5", effect = "conclude_round", declared_by = ["system"] }
interrupted_without_outcome = { clause = "5", effect = "void_round", declared_by = ["system", "dealer"] }
terminals_interrupted = { clause = "5", effect = "continue_round", declared_by = ["system", "pit_supervisor"] }
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

AT = Millis(1_800_000_000_000)
SEAT = SeatId("a")
TICKET = TicketNumber("1" * 20)
FACTS = Facts(
    AT,
    fresh_ticket=TicketNumber("2" * 20),
    ticket=Ticket(TICKET, Cents(100), Millis(AT + 1), False),
    house=TERMS,
)
TWO = {"who": PersonName("ann"), "second": PersonName("ben")}
REAL_MONEY = HouseTerms(TERMS.limits, TERMS.chips, "SGD")
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

    def game(self, rulebook: str) -> Game | None:
        return None


def make(kind: Any, by: StaffPosition, **fields: Any) -> c.AnyCommand:
    """Build a command that two persons send, so that only position and phase can refuse it."""
    command: c.AnyCommand = kind(id=RequestId("x"), by=by, **{**TWO, **fields})
    return command


def deal(table: Table, kind: Any, by: StaffPosition = P.DEALER, facts: Facts = FACTS, **fields: Any) -> None:
    decision = decide(table, make(kind, by, **fields), facts)
    assert decision.refused is None, (kind, decision.refused)
    for event in decision.events:
        apply(table, event, AT)


def table_in(game: Game, phase: str, automatic: bool, terms: HouseTerms = TERMS) -> Table | None:
    """Return a table with two settled rounds in a phase, or None if the rulebook cannot reach the phase."""
    moment = game.rulebook.betting.closes.moment
    if (phase, moment) in (("bets_closed", Moment.WHILE_SPINNING), ("spinning_bets_open", Moment.BEFORE_SPIN)):
        return None
    if phase in ("interrupted", "asked after interruption") and INTERRUPTED not in game.rulebook.irregularities:
        return None
    spin = [c.StartSpin, c.CloseBets] if moment is Moment.WHILE_SPINNING else [c.CloseBets, c.StartSpin]
    outcome, table = game.wheel.pockets[0], Table(game, TableState(), RoundArchive())
    deal(table, c.OpenTable, facts=replace(FACTS, house=terms))
    deal(table, c.TakeSeat, P.PLAYER, seat=SEAT, terminal=game.rulebook.terminals[0].id)
    deal(table, c.BuyCredits, P.CASHIER, seat=SEAT, cents=Cents(9000))
    for _ in range(2):
        deal(table, c.OpenBets)
        for step in spin:
            deal(table, step)
        deal(table, c.ObserveSpin, **spun(game))
        deal(table, c.BallAtRest, outcome=outcome)
        deal(table, c.RegisterResult, outcome=outcome)
        deal(table, c.ConfirmResult)
    if automatic:
        apply(table, e.AutomaticModeEntered(), AT)
    if phase == "closed":
        deal(table, c.CloseTable)
    elif phase == "stopped":
        apply(table, e.TableStopped("a test"), AT)
    elif phase != "idle":
        deal_to(table, phase, spin)
    return table


def deal_to(table: Table, phase: str, spin: list[Any]) -> None:
    """Deal the third round to a phase."""
    outcome, other = table.game.wheel.pockets[:2]
    deal(table, c.OpenBets)
    early: dict[str, list[Any]] = {
        "bets_open": [],
        "asked": [],
        "interrupted": [],
        "asked after interruption": [],
        "stopped software": [],
        "seats asked": [],
        "spinning_bets_open": [c.StartSpin],
        "bets_closed": [c.CloseBets],
    }
    for step in early.get(phase, spin):
        deal(table, step)
    if phase in ("observed", "waits"):
        deal(table, c.ObserveSpin, **spun(table.game))
    if phase in ("at_rest", "registered", "held", "read twice", "waits"):
        deal(table, c.BallAtRest, outcome=outcome)
    if phase == "read twice":
        deal(table, c.BallAtRest, P.PIT_MANAGER, who=PersonName("kim"), outcome=other)
    if phase in ("registered", "waits"):
        deal(table, c.RegisterResult, outcome=outcome)
    if phase == "held":
        deal(table, c.RegisterResult, outcome=other)
    if phase in ("interrupted", "asked after interruption"):
        happen(table, recover_from(table, table.state.phase))
    if phase in ("asked", "asked spinning", "waits", "asked after interruption"):
        deal(table, c.Refer, round=table.state.round, question="was it struck?")
    if phase == "stopped software":
        happen(table, stop_software(table))
    if phase == "seats asked":
        clause = table.game.rulebook.authority.decides.clause
        happen(table, [e.MatterReferred(table.state.round, "?", P.SHIFT_MANAGER, clause, for_seats=(SEAT,))])


def happen(table: Table, events: list[e.AnyEvent]) -> None:
    for event in events:
        apply(table, event, AT)


def spun(game: Game) -> dict[str, Any]:
    spun = {"revolutions": 6, "ball": "clockwise", "wheel": "anticlockwise"}
    return spun if game.rulebook.wheel.spun is Spun.BALL else {"revolutions": 6}


INTERRUPTED = IrregularityId("interrupted_with_outcome")
REFERRED = ("asked", "asked spinning", "waits", "asked after interruption", "stopped software")
PHASES = [
    *(phase.value for phase in Phase if phase is not Phase.REFERRED),
    *("observed", "held", "read twice", "seats asked", *REFERRED),
]
"""Each phase; a spin with a report; readings that differ; a matter of one seat; and referrals in several phases."""


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
        case c.Undo | c.Clear | c.Repeat | c.Double | c.CashOut | c.RedeemColour:
            return [{"seat": SEAT}]
        case c.IssueColour:
            return [{"seat": SEAT, "colour": "blue", "value_cents": Cents(100)}]
        case c.ObserveSpin:
            return [spun(game)]
        case c.BallAtRest | c.RegisterResult | c.AmendReading:
            # Another person than the one who has read the outcome.
            return [{"outcome": pocket, "who": PersonName("cid")} for pocket in pockets]
        case c.Declare:
            ids = game.rulebook.irregularities
            named = [{"rounds": rounds, "seats": (SEAT,)} for rounds in (None, (BEFORE,))]
            return [{"irregularity": id, **fields} for id in ids for fields in named]
        case c.CorrectResult:
            return [{"round": number, "outcome": pocket} for number in rounds for pocket in pockets]
        case c.Refer:
            return [{"round": number, "question": "was it struck?"} for number in (*rounds, UNSET)]
        case c.Decide:
            reason = {"reason": "seen on the tape", "outcome": pockets[1]}
            return [{"round": number, "ruling": ruling, **reason} for number in rounds for ruling in Ruling]
        case c.TakeOver | c.ResumeTable | c.CallNoSpin:
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


CELLS = 2 * 9 * 31
"""Two modes, nine positions and 31 commands, in each phase."""


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
