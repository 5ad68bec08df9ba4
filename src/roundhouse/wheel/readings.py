"""From what the wheel did to what it means: an outcome, void under clauses of this rulebook, or unresolved.

The judge of the rules decides. Where the wheel cannot tell what happened, nothing is decided: the reason is
given in words, as a question for the Dealer.
"""

from collections.abc import Iterator

from msgspec import UNSET, Struct

from roundhouse.rules.judge import SAME_DIRECTION, TOO_FEW_REVOLUTIONS, Spin, Valid, Void, judge
from roundhouse.rules.names import Clause, IrregularityId, Pocket
from roundhouse.rules.rulebook import Rulebook, Spun
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.facts import Ending, GameEnded
from roundhouse.wheel.protocol import Flag, GameNumber, opposite, parts

_GONE = IrregularityId("ball_left_wheel")
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


def result(ended: GameEnded, rulebook: Rulebook, codes: Codes) -> Reading | None:
    """What a game of the wheel came to; nothing where no game began."""
    if not ended.began:
        return None
    spin = spin_of(ended, rulebook, codes)
    if spin is None:
        return UnresolvedReading(ended.game, _why(ended, rulebook), parts(ended.flags))
    match judge(rulebook, codes.wheel, spin):
        case Valid(outcome):
            return OutcomeReading(ended.game, outcome)
        case Void(clauses):
            return VoidReading(ended.game, clauses, parts(ended.flags))


def spin_of(ended: GameEnded, rulebook: Rulebook, codes: Codes) -> Spin | None:
    """The spin as the judge is to see it, or nothing where the wheel cannot tell.

    The wheel does not count revolutions: a number that it established is taken to have had enough of them,
    unless the Dealer says otherwise.
    """
    # A wheel that read no number has not seen where the ball is: that is unknown, and not nowhere.
    number = None if ended.number is None else codes.rest(ended.number)
    rest = UNSET if number is None else number
    seen = tuple(_seen(ended, rulebook))
    if rest is UNSET and not seen:
        return None
    enough = rulebook.spin.least_revolutions
    if codes.wheel.spun is Spun.WHEEL:
        return Spin(wheel=ended.rotor, revolutions=0 if TOO_FEW_REVOLUTIONS in seen else enough, rest=rest)
    with_rotor = SAME_DIRECTION in seen
    return Spin(
        ball=ended.rotor if with_rotor else opposite(ended.rotor),
        wheel=ended.rotor,
        revolutions=0 if TOO_FEW_REVOLUTIONS in seen else enough,
        rest=rest,
        seen=tuple(word for word in seen if word == _GONE),
    )


def questions(ended: GameEnded, rulebook: Rulebook, codes: Codes) -> Iterator[str]:
    """What the Dealer has to answer at the console before this reading can count."""
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
    """What the wheel's warnings mean in the rules' words."""
    if ended.launched:
        with_rotor, last = Flag.WITH_ROTOR in ended.launch_flags, ended.last_flags
    else:
        # No ball was in the rim, so that none can have left it.
        with_rotor, last = Flag.WITH_ROTOR in ended.flags and Flag.FAILURE not in ended.flags, ended.flags & _LAUNCH
    if with_rotor and rulebook.spin.against_the_wheel:
        yield SAME_DIRECTION
    if ended.number or ended.doubt or ended.ending is Ending.LINE_ENDED or Flag.FAILURE in last:
        return
    if Flag.BALL_GONE in last and rulebook.wheel.spun is Spun.BALL:
        yield _GONE
    if Flag.LAUNCH_FAILED in last:
        yield TOO_FEW_REVOLUTIONS


def _why(ended: GameEnded, rulebook: Rulebook) -> str:
    reasons = []
    if ended.number is not None:
        reasons.append(f"the wheel showed '{ended.number}', which is no place on this wheel")
    if ended.doubt:
        reasons.append(ended.doubt)
    if Flag.FAILURE in ended.flags:
        reasons.append("a sensor, the motor or the encoder failed")
    if Flag.BALL_GONE in ended.flags and not ended.launched:
        reasons.append("the ball was removed or not sensed before it was in the rim")
    if ended.number is None:
        reasons.append(_how_it_ended(ended, rulebook))
    if ended.shown_after is not None and not ended.doubt:
        reasons.append(f"the next game shows {ended.shown_after.strip()} as the last number")
    return "; ".join(reasons)


def _how_it_ended(ended: GameEnded, rulebook: Rulebook) -> str:
    ball = "with the ball in the rim" if ended.launched else "before a ball was in the rim"
    match ended.ending:
        case Ending.NEXT_GAME:
            return f"the wheel went on to another game {ball}, and no number was heard"
        case Ending.COUNTER_JUMPED:
            return f"the wheel lost power or was out of hearing {ball}: its counter jumped, and no number was heard"
        case Ending.FELL_BACK:
            return "the wheel fell back to place your bets with the ball in the rim and no number"
        case Ending.CLOSED:
            clause = rulebook.irregularities.get(_INTERRUPTED)
            rule = f" (void under {clause.clause} if no outcome stands)" if clause else ""
            return f"the table was closed or lost power {ball} and without a number{rule}"
        case Ending.LINE_ENDED:
            return f"the line ended {ball} and without a number"
        case Ending.NUMBER:
            return "the number was not heard whole"
