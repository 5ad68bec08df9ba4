"""The judge: was it a valid spin, and with which outcome; if not, under which clauses is the round void.

All clauses that apply are named, in the document's order, and not only the first. The judge sees the wheel
and the rulebook; it is never shown a bet.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from roundhouse.rules.errors import UserError
from roundhouse.rules.names import Clause, IrregularityId, Pocket, Segment, StaffPosition, number_of
from roundhouse.rules.rulebook import Rulebook, Spun
from roundhouse.rules.wheel import Wheel


class Direction(StrEnum):
    CLOCKWISE = "clockwise"
    ANTICLOCKWISE = "anticlockwise"


SAME_DIRECTION: Final = IrregularityId("same_direction")
TOO_FEW_REVOLUTIONS: Final = IrregularityId("too_few_revolutions")
MEASURED: Final = frozenset({SAME_DIRECTION, TOO_FEW_REVOLUTIONS})
"""Irregularities that follow from what was measured; the others are seen by somebody."""

NOT_SPUN: Final = IrregularityId("ball_dropped")
STANDING_STILL: Final = IrregularityId("wheel_not_rotating")
NOWHERE: Final = IrregularityId("ball_did_not_drop")

CLAPPER_ON_PIN: Final = IrregularityId("clapper_on_pin")
BALL_LEFT: Final = IrregularityId("ball_left_wheel")
BALL_BROKE: Final = IrregularityId("ball_broke")
WHERE_IT_WENT: Final = frozenset({NOWHERE, BALL_LEFT, BALL_BROKE})

VOCABULARY: Final = {
    Spun.BALL: frozenset(
        {
            NOT_SPUN,
            NOWHERE,
            BALL_LEFT,
            STANDING_STILL,
            IrregularityId("foreign_object"),
            IrregularityId("interference"),
            IrregularityId("wheel_stopped"),
            BALL_BROKE,
            IrregularityId("no_spin"),
        }
    ),
    Spun.WHEEL: frozenset({IrregularityId("interference"), CLAPPER_ON_PIN}),
}
"""What may be reported of a spin in any game of its kind. A rulebook gives it a clause, or it has no effect."""


class Spin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was observed of one spin."""

    ball: Direction | UnsetType | None = UNSET
    """Nothing when the ball was not spun at all."""
    wheel: Direction | UnsetType | None = UNSET
    """Nothing when the wheel stood still."""
    revolutions: int | float
    """Completed ones: of the ball, or of a Money Wheel from the last symbol that it showed."""
    rest: str | int | UnsetType | None = UNSET
    """The pocket that holds the ball, or the segment under the clapper; nothing when there is none."""
    seen: tuple[IrregularityId, ...] = ()


class Valid(Struct, frozen=True, tag="valid", tag_field="verdict"):
    outcome: Pocket


class Void(Struct, frozen=True, tag="void", tag_field="verdict"):
    clauses: tuple[Clause, ...]


class Misreported(UserError):
    """An observation that cannot be of this wheel, in words for the person who reported it."""


def irregularities_of(rulebook: Rulebook, spin: Spin) -> dict[IrregularityId, Clause]:
    """What was irregular about a spin, wherever it came to rest, with the clauses, in the document's order."""
    measured = [*_measured(rulebook, spin), *_missing(rulebook, spin)]
    observed = {*measured, *_reported(rulebook, spin)}
    found = {id: listed.clause for id, listed in rulebook.irregularities.items() if id in observed}
    # What the rulebook lists no irregularity for breaks the rule on valid spins itself.
    return found | {id: rulebook.spin.clause for id in measured if id not in rulebook.irregularities}


def judge(rulebook: Rulebook, wheel: Wheel, spin: Spin) -> Valid | Void:
    outcome = _outcome(wheel, spin)
    clauses = list(irregularities_of(rulebook, spin).values())
    if not clauses and spin.rest is UNSET:
        raise Misreported("say where it came to 'rest', or null if nowhere")
    if clauses:
        return Void(tuple(dict.fromkeys(number_of(clause) for clause in clauses)))
    assert outcome is not None
    return Valid(outcome)


def may_be_seen(rulebook: Rulebook) -> frozenset[IrregularityId]:
    """The words for what can go wrong in a spin: those of its kind of game, and those of this rulebook.

    What the system itself may declare, an interruption, is nothing that is seen of a spin.
    """
    own = {
        id
        for id, irregularity in rulebook.irregularities.items()
        if irregularity.effect.voids and StaffPosition.SYSTEM not in (irregularity.declared_by or ())
    }
    return (VOCABULARY[rulebook.wheel.spun] | own) - MEASURED


def without_effect(rulebook: Rulebook, spin: Spin) -> tuple[IrregularityId, ...]:
    """What was seen although these rules say nothing of it, such as "no spin" where it does not exist."""
    return tuple(word for word in spin.seen if word not in rulebook.irregularities)


def _reported(rulebook: Rulebook, spin: Spin) -> Iterator[IrregularityId]:
    for word in spin.seen:
        if word not in may_be_seen(rulebook):
            raise Misreported(f"'{word}' cannot be seen here; known are {', '.join(sorted(may_be_seen(rulebook)))}")
        yield word


def _measured(rulebook: Rulebook, spin: Spin) -> Iterator[IrregularityId]:
    if not 0 <= spin.revolutions < 1_000_000:
        raise Misreported(f"revolutions are counted from 0 up, not {spin.revolutions}")
    if spin.revolutions < rulebook.spin.least_revolutions:
        yield TOO_FEW_REVOLUTIONS
    match rulebook.wheel.spun:
        case Spun.WHEEL:
            if spin.ball:
                raise Misreported("this wheel has no ball; leave 'ball' out")
            if spin.wheel is None:
                raise Misreported("a wheel that did not turn was not spun; leave 'wheel' out or say which way")
        case Spun.BALL:
            if spin.ball is UNSET or spin.wheel is UNSET:
                raise Misreported("say which way the 'ball' and the 'wheel' turned: clockwise, anticlockwise or null")
            if spin.ball is None:
                yield NOT_SPUN
            if spin.wheel is None:
                yield STANDING_STILL
            if rulebook.spin.against_the_wheel and spin.ball is not None and spin.ball == spin.wheel:
                yield SAME_DIRECTION


def _missing(rulebook: Rulebook, spin: Spin) -> Iterator[IrregularityId]:
    """A ball that rests nowhere did not drop, unless what was seen says where it went."""
    if spin.rest is not None:
        return
    if rulebook.wheel.spun is Spun.WHEEL:
        if CLAPPER_ON_PIN not in spin.seen:
            raise Misreported("say at which segment the wheel came to 'rest'; a wheel always stops somewhere")
    elif not WHERE_IT_WENT.intersection(spin.seen):
        yield NOWHERE


def _outcome(wheel: Wheel, spin: Spin) -> Pocket | None:
    match wheel.spun, spin.rest:
        case _, None | UnsetType():
            return None
        case Spun.BALL, str(pocket) if pocket in wheel.rank:
            return Pocket(pocket)
        case Spun.BALL, int(number) if str(number) in wheel.rank:
            raise Misreported(f'a pocket is written in quotes: "{number}"')
        case Spun.BALL, _:
            raise Misreported(f"the wheel has no pocket {spin.rest!r}; its pockets are {' '.join(wheel.pockets)}")
        case Spun.WHEEL, int(segment) if 0 <= segment < len(wheel.order):
            return wheel.at(Segment(segment))
        case _:
            raise Misreported(f"'rest' is a segment from 0 to {len(wheel.order) - 1}, not {spin.rest!r}")
