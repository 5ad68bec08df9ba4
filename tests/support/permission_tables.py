"""Tables in every phase, and the commands that are sent to them, for the tests of permissions."""

from pathlib import Path
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.names import Cents, IrregularityId, Pocket, PositionId, StaffPosition
from roundhouse.rules.rulebook import Moment, Spun
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.apply import apply
from roundhouse.table.decide import decide
from roundhouse.table.decision import Facts, HouseTerms, Ticket
from roundhouse.table.lifecycle import recover_from, stop_software
from roundhouse.table.limits import Limits
from roundhouse.table.names import (
    Millis,
    PersonName,
    Phase,
    RequestId,
    RoundNumber,
    Ruling,
    SeatId,
    TicketId,
    TicketNumber,
)
from roundhouse.table.state import Table, TableState
from roundhouse.table.terms import MoneyTerms
from tests.support.tables import RoundMemory
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

AT = Millis(1_800_000_000_000)
SEAT = SeatId("a")
TICKET = TicketNumber("1" * 20)
FACTS = Facts(
    AT,
    fresh_ticket=TicketId("2" * 20),
    ticket=Ticket(TicketId(TICKET), Cents(100), Millis(AT + 1), False),
    house=TERMS,
    money=MoneyTerms(),
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
    outcome, table = game.wheel.pockets[0], Table(game, TableState(), RoundMemory())
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
        case c.SetProtection:
            return [{"seat": SEAT, "loss_cents": 100}]
        case c.TakeBreak:
            return [{"seat": SEAT, "minutes": 1}]
        case c.AcknowledgeCheck | c.CallAttendant | c.AttendCall:
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
        case c.ReversePurchase | c.RequestCashOut:
            return [{"seat": SEAT}]
        case c.AllowEnrolment:
            return [{"seat": SEAT, "reason": "its screen is broken"}]
        case c.ChangeLimits:
            return [{"limits": Limits(table=Cents(70_000)), "reason": "a quiet night"}]
        case c.Dispute:
            return [{"seat": SEAT, "round": number, "about": "payment"} for number in rounds]
        case c.CloseDispute:
            return [{"dispute": 1, "reason": "the tape shows it"}]
        case c.QuestionDisplay:
            return [{"words": "it shows 71", "round": number} for number in (*rounds, UNSET)]
        case c.PauseSeat:
            return [{"seat": SEAT, "reason": "a moment"}]
        case c.ResumeSeat:
            return [{"seat": SEAT}]
        case c.TakeTable | c.HandTable:
            return [{"reason": "a relief"}]
        case c.CountFloat:
            return [{"count": "opener", "cents": Cents(100)}]
        case c.Fill | c.Credit | c.DropRemoved:
            return [{"cents": Cents(100)}]
        case c.TakeOver | c.ResumeTable | c.CallNoSpin:
            return [{"reason": "a fault"}]
        case _:
            return [{}]
