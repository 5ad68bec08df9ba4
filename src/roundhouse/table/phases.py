"""The table of phases and commands. Each cell is a refusal, or ``+`` if the phase allows the command."""

from roundhouse.rules.names import Clause
from roundhouse.rules.rulebook import Moment
from roundhouse.table import commands as c
from roundhouse.table.names import Phase
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.state import Table

_COLUMNS = (
    Phase.CLOSED,
    Phase.IDLE,
    Phase.BETS_OPEN,
    Phase.SPINNING_BETS_OPEN,
    Phase.BETS_CLOSED,
    Phase.SPINNING,
    Phase.AT_REST,
    Phase.REGISTERED,
    Phase.INTERRUPTED,
    Phase.REFERRED,
    Phase.STOPPED,
)

# Bet commands are handled by ``betting`` in every phase, because late bets are recorded.
_CELLS: dict[type[c.Command], str] = {
    #                  closed idle  open    spin+open closed    spinning  at rest   registered interr. referred stopped
    c.OpenTable:      "+      OPEN  OPEN    OPEN      OPEN      OPEN      OPEN      OPEN       OPEN    OPEN     STOP",
    c.CloseTable:     "SHUT   +     +       +         +         +         +         +          +       +        STOP",
    c.TakeSeat:       "SHUT   +     +       +         +         +         +         +          +       +        STOP",
    c.BuyCredits:     "SHUT   +     +       +         +         +         +         +          +       +        STOP",
    c.ReversePurchase: "SHUT  +     +       +         +         +         +         +          +       +        STOP",
    c.RequestCashOut: "+      +     +       +         +         +         +         +          +       +        STOP",
    c.AllowEnrolment: "+      +     +       +         +         +         +         +          +       +        STOP",
    c.ChangeLimits:   "SHUT   +     +       +         +         +         +         +          +       +        STOP",
    c.RedeemTicket:   "SHUT   +     +       +         +         +         +         +          +       +        STOP",
    c.CashOut:        "+      +     +       +         +         +         +         +          +       +        STOP",
    c.SetProtection:  "+      +     +       +         +         +         +         +          +       +        STOP",
    c.TakeBreak:      "+      +     +       +         +         +         +         +          +       +        STOP",
    c.AcknowledgeCheck: "+      +     +       +         +         +         +         +          +       +        STOP",
    c.CallAttendant:  "+      +     +       +         +         +         +         +          +       +        STOP",
    c.AttendCall:     "+      +     +       +         +         +         +         +          +       +        STOP",
    c.IssueColour:    "SHUT   +     +       +         +         +         +         +          +       +        STOP",
    c.RedeemColour:   "+      +     +       +         +         +         +         +          +       +        STOP",
    c.OpenBets:       "SHUT   +     ROUND   ROUND     ROUND     ROUND     ROUND     ROUND      WHEEL   WAIT     STOP",
    c.CloseBets:      "SHUT   EARLY +       +         BETS      BETS      BETS      BETS       WHEEL   WAIT     STOP",
    c.StartSpin:      "SHUT   NONE  +       SPUN      +         SPUN      REST      REST       WHEEL   WAIT     STOP",
    c.ObserveSpin:    "SHUT   NONE  UNSPUN  +         UNSPUN    +         +         +          WHEEL   WAIT     STOP",
    c.BallAtRest:     "SHUT   NONE  UNSPUN  +         UNSPUN    +         +         +          +       +        STOP",
    c.AmendReading:   "SHUT   NONE  ROLLING ROLLING   ROLLING   ROLLING   +         +          WHEEL   +        STOP",
    c.RegisterResult: "SHUT   NONE  ROLLING ROLLING   ROLLING   ROLLING   +         +          WHEEL   WAIT     STOP",
    c.ConfirmResult:  "SHUT   NONE  ROLLING ROLLING   ROLLING   ROLLING   BLANK     +          WHEEL   WAIT     STOP",
    c.Declare:        "+      +     +       +         +         +         +         +          +       +        STOP",
    c.CallNoSpin:     "SHUT   +     +       +         +         +         +         +          +       WAIT     STOP",
    c.CorrectResult:  "+      +     +       +         +         +         +         +          +       +        STOP",
    c.Refer:          "+      +     +       +         +         +         +         +          +       +        STOP",
    c.Decide:         "+      +     +       +         +         +         +         +          +       +        STOP",
    c.TakeOver:       "+      +     +       +         +         +         +         +          +       +        STOP",
    c.HandBack:       "+      +     +       +         +         +         +         +          +       +        STOP",
    c.Dispute:        "+      +     +       +         +         +         +         +          +       +        STOP",
    c.CloseDispute:   "+      +     +       +         +         +         +         +          +       +        STOP",
    c.QuestionDisplay:"+      +     +       +         +         +         +         +          +       +        STOP",
    c.PauseSeat:      "+      +     +       +         +         +         +         +          +       +        STOP",
    c.ResumeSeat:     "+      +     +       +         +         +         +         +          +       +        STOP",
    c.TakeTable:      "+      +     +       +         +         +         +         +          +       +        STOP",
    c.HandTable:      "+      +     +       +         +         +         +         +          +       +        STOP",
    c.CountFloat:     "+      +     +       +         +         +         +         +          +       +        STOP",
    c.Fill:           "+      +     +       +         +         +         +         +          +       +        STOP",
    c.Credit:         "+      +     +       +         +         +         +         +          +       +        STOP",
    c.DropRemoved:    "+      +     +       +         +         +         +         +          +       +        STOP",
    c.ResumeTable:    "SHUT   OPEN  OPEN    OPEN      OPEN      OPEN      OPEN      OPEN       OPEN    OPEN     +",
}  # fmt: skip

# Rows of the first procedure that differ.
_FIRST_CELLS: dict[type[c.Command], str] = {
    #                  closed idle  open    spin+open closed    spinning  at rest   registered interr. referred stopped
    c.ObserveSpin:    "SHUT   NONE  UNSPUN  +         UNSPUN    +         REST      REST       WHEEL   WAIT     STOP",
    c.BallAtRest:     "SHUT   NONE  UNSPUN  GOING     UNSPUN    +         REST      REST       WHEEL   WAIT     STOP",
    c.Declare:        "+      +     +       +         +         +         +         +          +       WAIT     STOP",
}  # fmt: skip

_REFUSALS = {
    "OPEN": Refusal.TABLE_IS_OPEN,
    "SHUT": Refusal.TABLE_IS_CLOSED,
    "STOP": Refusal.TABLE_IS_STOPPED,
    "WAIT": Refusal.AWAITING_DECISION,
    "WHEEL": Refusal.AWAITING_WHEEL,
    "ROUND": Refusal.ROUND_IN_PROGRESS,
    "NONE": Refusal.NO_ROUND,
    "EARLY": Refusal.BETS_ARE_NOT_OPEN,
    "GOING": Refusal.BETS_ARE_OPEN,
    "BETS": Refusal.BETS_ARE_CLOSED,
    "SPUN": Refusal.SPIN_HAS_STARTED,
    "UNSPUN": Refusal.SPIN_HAS_NOT_STARTED,
    "REST": Refusal.BALL_IS_AT_REST,
    "ROLLING": Refusal.BALL_IS_NOT_AT_REST,
    "BLANK": Refusal.NO_RESULT_REGISTERED,
}

_Answers = dict[type[c.Command], dict[Phase, Refusal]]


def _parse(cells: dict[type[c.Command], str]) -> _Answers:
    return {
        command: {phase: _REFUSALS[cell] for phase, cell in zip(_COLUMNS, row.split(), strict=True) if cell != "+"}
        for command, row in cells.items()
    }


_ANSWERS = _parse(_CELLS)
_FIRST_ANSWERS = _parse(_CELLS | _FIRST_CELLS)


def courses(moment: Moment) -> tuple[tuple[Phase, ...], ...]:
    """List the phases of a round in order, once for each moment of closing bets that the rulebook allows.

    >>> [course[2].value for course in courses(Moment.OPERATORS_CHOICE)]
    ['bets_closed', 'spinning_bets_open']
    """
    ways = {
        Moment.BEFORE_SPIN: (Phase.BETS_CLOSED,),
        Moment.WHILE_SPINNING: (Phase.SPINNING_BETS_OPEN,),
        Moment.OPERATORS_CHOICE: (Phase.BETS_CLOSED, Phase.SPINNING_BETS_OPEN),
    }
    ends = (Phase.SPINNING, Phase.AT_REST, Phase.REGISTERED)
    return tuple((Phase.IDLE, Phase.BETS_OPEN, between, *ends) for between in ways[moment])


def refusal_in(phase: Phase, command: type[c.Command]) -> Refusal | None:
    """Return the refusal of a command in a phase, or ``None`` if it is allowed. Not for bet commands."""
    return _ANSWERS[command].get(phase)


def out_of_phase(table: Table, command: c.Command) -> Refused | None:
    """Return the refusal of a command in the table's current phase, or ``None`` if it is allowed."""
    state = table.state
    answers = _ANSWERS if state.by_evidence else _FIRST_ANSWERS
    if (refusal := answers[type(command)].get(state.phase)) is None:
        return None
    reason = state.stopped if refusal is Refusal.TABLE_IS_STOPPED else None
    return Refused(refusal, _clause(table, refusal), reason)


def _clause(table: Table, refusal: Refusal) -> Clause | None:
    """Return the clause on which a refusal is based, if there is one."""
    rulebook = table.game.rulebook
    match refusal:
        case Refusal.AWAITING_DECISION:
            return rulebook.authority.decides.clause
        case Refusal.BETS_ARE_NOT_OPEN | Refusal.NO_ROUND:
            return rulebook.betting.opens.clause
        case Refusal.BETS_ARE_OPEN:
            return rulebook.betting.closes.moment_clause
        case Refusal.BETS_ARE_CLOSED:
            return rulebook.betting.closes.clause
        case Refusal.SPIN_HAS_NOT_STARTED:
            return rulebook.spin.clause
        case (
            Refusal.BALL_IS_NOT_AT_REST
            | Refusal.BALL_IS_AT_REST
            | Refusal.NO_RESULT_REGISTERED
            | Refusal.AWAITING_WHEEL
        ):
            return rulebook.spin.result
        case _:
            return None
