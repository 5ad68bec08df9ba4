"""Turns a game of the wheel into a reading: an outcome, void under clauses of the rulebook, or unresolved.

Only what the wheel measured counts. If its data are not sufficient, the reading is unresolved and contains the
reason, for a question to the Dealer.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from roundhouse.rules.judge import SAME_DIRECTION, TOO_FEW_REVOLUTIONS, Direction
from roundhouse.rules.names import Clause, IrregularityId, Pocket, Segment, number_of
from roundhouse.rules.rulebook import Rulebook, Spun
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.facts import Ending, GameEnded
from roundhouse.wheel.protocol import Code, Flag, GameNumber, parts

_BALL_GONE = IrregularityId("ball_left_wheel")
_INTERRUPTED = IrregularityId("interrupted_without_outcome")
_LAUNCH = Flag.LAUNCH_FAILED | Flag.FAILURE


class OutcomeReading(Struct, frozen=True):
    game: GameNumber
    outcome: Pocket


class VoidReading(Struct, frozen=True):
    game: GameNumber
    void: tuple[Clause, ...]
    flags: tuple[int, ...]


class UnresolvedReading(Struct, frozen=True, omit_defaults=True):
    game: GameNumber
    unresolved: str
    flags: tuple[int, ...] = ()


Reading = OutcomeReading | VoidReading | UnresolvedReading


class MeasuredSpin(Struct, frozen=True):
    """Values that the line of the wheel measured in one spin. It never measures the number of revolutions."""

    wheel: Direction
    """Direction of the rotor."""
    ball: Direction | None = None
    """Direction of the ball, measured only if the wheel warned that the ball travels with the rotor."""
    seen: tuple[IrregularityId, ...] = ()
    """Irregularities that a sensor detected."""
    launch_failed: bool = False
    """The wheel reported that the launch failed. How many revolutions there were is not measured."""


def result(ended: GameEnded, rulebook: Rulebook, codes: Codes) -> Reading | None:
    """Return the reading of a game; None if no game began."""
    if not ended.began:
        return None
    if found := tuple(_seen(ended, rulebook)):
        return VoidReading(ended.game, _clauses(rulebook, found), parts(ended.flags))
    if ended.number in codes.segment_of:
        assert ended.number is not None
        return OutcomeReading(ended.game, place_of(ended.number, codes)[0])
    return UnresolvedReading(ended.game, _why(ended, rulebook), parts(ended.flags))


def place_of(number: Code, codes: Codes) -> tuple[Pocket, Segment | None]:
    """Return the outcome for a known code, and on a Money Wheel the segment at the clapper."""
    segment = codes.segment_of[number]
    return codes.wheel.at(segment), segment if codes.wheel.spun is Spun.WHEEL else None


def measured_spin(ended: GameEnded, rulebook: Rulebook) -> MeasuredSpin:
    """Return what the line measured of the spin of an ended game."""
    seen = tuple(_seen(ended, rulebook))
    return MeasuredSpin(
        ended.rotor,
        ended.rotor if SAME_DIRECTION in seen else None,
        tuple(id for id in seen if id == _BALL_GONE),
        TOO_FEW_REVOLUTIONS in seen,
    )


def _clauses(rulebook: Rulebook, found: Iterable[IrregularityId]) -> tuple[Clause, ...]:
    """Return the clauses of irregularities in the document's order, or the clause on valid spins for unlisted ones."""
    listed = [one.clause for id, one in rulebook.irregularities.items() if id in found]
    if any(id not in rulebook.irregularities for id in found):
        listed.append(rulebook.spin.clause)
    return tuple(dict.fromkeys(number_of(clause) for clause in listed))


def questions(ended: GameEnded, rulebook: Rulebook, codes: Codes) -> Iterator[str]:
    """Yield the questions that the Dealer must answer at the console before the reading is valid."""
    match result(ended, rulebook, codes):
        case UnresolvedReading(unresolved=why):
            yield f"{why}: what does the wheel show?"
        case OutcomeReading(outcome=outcome):
            ball = "wheel" if codes.wheel.spun is Spun.WHEEL else "ball"
            yield (
                f"the wheel reads {outcome}; did the {ball} complete "
                f"{rulebook.spin.least_revolutions} revolutions ({rulebook.spin.clause})?"
            )


def _seen(ended: GameEnded, rulebook: Rulebook) -> Iterator[IrregularityId]:
    """Translate the wheel's warnings into irregularities of the rulebook."""
    if ended.launched:
        with_rotor, last = Flag.WITH_ROTOR in ended.launch_flags, ended.last_flags
    else:
        # No ball was in the rim, so BALL_GONE does not mean that the ball left the wheel.
        with_rotor, last = Flag.WITH_ROTOR in ended.flags and Flag.FAILURE not in ended.flags, ended.flags & _LAUNCH
    if with_rotor and rulebook.spin.against_the_wheel:
        yield SAME_DIRECTION
    if ended.number or ended.doubt or ended.ending is Ending.LINE_ENDED or Flag.FAILURE in last:
        return
    if Flag.BALL_GONE in last and rulebook.wheel.spun is Spun.BALL:
        yield _BALL_GONE
    if Flag.LAUNCH_FAILED in last:
        yield TOO_FEW_REVOLUTIONS


def _why(ended: GameEnded, rulebook: Rulebook) -> str:
    reasons = []
    if ended.number is not None:
        reasons.append(f"the wheel showed '{ended.number}', which is not a place on this wheel")
    if ended.doubt:
        reasons.append(ended.doubt)
    if Flag.FAILURE in ended.flags:
        reasons.append("a sensor, the motor or the encoder failed")
    if Flag.BALL_GONE in ended.flags and not ended.launched:
        reasons.append("the ball was removed, or not detected, before it was in the rim")
    if ended.number is None:
        reasons.append(_how_it_ended(ended, rulebook))
    if ended.shown_after is not None and not ended.doubt:
        reasons.append(f"the next game shows {ended.shown_after.strip()} as the last number")
    return "; ".join(reasons)


def _how_it_ended(ended: GameEnded, rulebook: Rulebook) -> str:
    ball = "with the ball in the rim" if ended.launched else "before a ball was in the rim"
    match ended.ending:
        case Ending.NEXT_GAME:
            return f"the wheel began another game {ball}, and no number was received"
        case Ending.COUNTER_JUMPED:
            return f"the wheel lost power or its connection {ball}: its counter jumped, and no number was received"
        case Ending.FELL_BACK:
            return "the wheel returned to 'place your bets' with the ball in the rim and without a number"
        case Ending.CLOSED:
            clause = rulebook.irregularities.get(_INTERRUPTED)
            rule = f" (void under {clause.clause} if there is no outcome)" if clause else ""
            return f"the wheel was closed or lost power {ball} and without a number{rule}"
        case Ending.LINE_ENDED:
            return f"the connection or recording ended {ball} and without a number"
        case Ending.NUMBER:
            return "the number was not received completely"
