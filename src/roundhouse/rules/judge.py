"""Judges one spin: a valid spin has an outcome, an invalid one makes the round void.

The verdict cites all clauses that apply, in the order of the rule document. It does not depend on the bets.
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
"""Irregularities computed from measured values. All others are reported by a person or a sensor."""

BALL_DROPPED: Final = IrregularityId("ball_dropped")
WHEEL_NOT_ROTATING: Final = IrregularityId("wheel_not_rotating")
BALL_DID_NOT_DROP: Final = IrregularityId("ball_did_not_drop")

CLAPPER_ON_PIN: Final = IrregularityId("clapper_on_pin")
BALL_LEFT: Final = IrregularityId("ball_left_wheel")
BALL_BROKE: Final = IrregularityId("ball_broke")
BALL_NOT_IN_POCKET: Final = frozenset({BALL_DID_NOT_DROP, BALL_LEFT, BALL_BROKE})
"""Irregularities that explain why the ball rests in no pocket."""

VOCABULARY: Final = {
    Spun.BALL: frozenset(
        {
            BALL_DROPPED,
            BALL_DID_NOT_DROP,
            BALL_LEFT,
            WHEEL_NOT_ROTATING,
            IrregularityId("foreign_object"),
            IrregularityId("interference"),
            IrregularityId("wheel_stopped"),
            BALL_BROKE,
            IrregularityId("no_spin"),
        }
    ),
    Spun.WHEEL: frozenset({IrregularityId("interference"), CLAPPER_ON_PIN}),
}
"""Irregularities that people and sensors may report, by the part that is spun.

A reported irregularity has no effect if the rulebook does not list it.
"""


class Spin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The observations of one spin, as a person or a sensor reports them."""

    ball: Direction | UnsetType | None = UNSET
    """Direction of the ball; ``None`` if the ball was not spun."""
    wheel: Direction | UnsetType | None = UNSET
    """Direction of the wheel; ``None`` if it did not rotate."""
    revolutions: int | float
    """Completed revolutions of the ball. For a Money Wheel: of the wheel, from the symbol of the previous spin."""
    rest: str | int | UnsetType | None = UNSET
    """Pocket that holds the ball, or segment under the clapper; ``None`` if there is none."""
    seen: tuple[IrregularityId, ...] = ()


class Valid(Struct, frozen=True, tag="valid", tag_field="verdict"):
    outcome: Pocket


class Void(Struct, frozen=True, tag="void", tag_field="verdict"):
    clauses: tuple[Clause, ...]


class Misreported(UserError):
    """An observation is impossible on this wheel, or a required one is missing."""


def irregularities_of(rulebook: Rulebook, spin: Spin) -> dict[IrregularityId, Clause]:
    """Return the irregularities of a spin with their clauses, in the order of the rule document."""
    measured = [*_measured(rulebook, spin), *_missing(rulebook, spin)]
    observed = {*measured, *_reported(rulebook, spin)}
    found = {id: listed.clause for id, listed in rulebook.irregularities.items() if id in observed}
    # If the rulebook does not list a measured irregularity, its clause on valid spins is cited.
    return found | {id: rulebook.spin.clause for id in measured if id not in rulebook.irregularities}


def reported_irregularities(
    rulebook: Rulebook,
    ball: Direction | UnsetType | None,
    wheel: Direction | UnsetType | None,
    revolutions: int | float | None,
    seen: tuple[IrregularityId, ...],
) -> dict[IrregularityId, Clause]:
    """Find the irregularities in a report of a spin, in the document's order. ``None`` means not measured."""
    if rulebook.wheel.spun is Spun.BALL and (ball is UNSET or wheel is UNSET):
        raise Misreported("give the direction of 'ball' and of 'wheel', or null for one that was not measured")
    if rulebook.wheel.spun is Spun.WHEEL and ball:
        raise Misreported("this wheel has no ball; omit 'ball'")
    if revolutions is not None and not 0 <= revolutions < 1_000_000:
        raise Misreported(f"'revolutions' must be 0 or more and below 1000000, not {revolutions}")
    spin = Spin(revolutions=0, seen=seen)
    observed = set(_reported(rulebook, spin))
    if revolutions is not None and revolutions < rulebook.spin.least_revolutions:
        observed.add(TOO_FEW_REVOLUTIONS)
    if rulebook.spin.against_the_wheel and ball and ball == wheel:
        observed.add(SAME_DIRECTION)
    found = {id: listed.clause for id, listed in rulebook.irregularities.items() if id in observed}
    # A measured irregularity that the rulebook does not list breaks its clause on valid spins.
    return found | {id: rulebook.spin.clause for id in MEASURED & observed if id not in rulebook.irregularities}


def judge(rulebook: Rulebook, wheel: Wheel, spin: Spin) -> Valid | Void:
    outcome = _outcome(wheel, spin)
    clauses = list(irregularities_of(rulebook, spin).values())
    if not clauses and spin.rest is UNSET:
        raise Misreported("'rest' is missing: give the pocket or segment, or null if there is none")
    if clauses:
        return Void(tuple(dict.fromkeys(number_of(clause) for clause in clauses)))
    assert outcome is not None
    return Valid(outcome)


def reportable_irregularities(rulebook: Rulebook) -> frozenset[IrregularityId]:
    """Return the irregularities that may be reported of a spin: those of ``VOCABULARY`` and of the rulebook.

    Irregularities that the system itself declares, such as an interruption, are not included.
    """
    in_rulebook = {
        id
        for id, irregularity in rulebook.irregularities.items()
        if irregularity.effect.voids and StaffPosition.SYSTEM not in (irregularity.declared_by or ())
    }
    return (VOCABULARY[rulebook.wheel.spun] | in_rulebook) - MEASURED


def without_effect(rulebook: Rulebook, spin: Spin) -> tuple[IrregularityId, ...]:
    """Return the reported irregularities that the rulebook does not list, such as "no spin" in some games."""
    return tuple(code for code in spin.seen if code not in rulebook.irregularities)


def _reported(rulebook: Rulebook, spin: Spin) -> Iterator[IrregularityId]:
    reportable = reportable_irregularities(rulebook)
    for code in spin.seen:
        if code not in reportable:
            raise Misreported(f"'{code}' cannot be reported of a spin; use one of {', '.join(sorted(reportable))}")
        yield code


def _measured(rulebook: Rulebook, spin: Spin) -> Iterator[IrregularityId]:
    if not 0 <= spin.revolutions < 1_000_000:
        raise Misreported(f"'revolutions' must be 0 or more and below 1000000, not {spin.revolutions}")
    if spin.revolutions < rulebook.spin.least_revolutions:
        yield TOO_FEW_REVOLUTIONS
    match rulebook.wheel.spun:
        case Spun.WHEEL:
            if spin.ball:
                raise Misreported("this wheel has no ball; omit 'ball'")
            if spin.wheel is None:
                raise Misreported(
                    "'wheel' cannot be null, because this wheel itself is spun; omit it or give a direction"
                )
        case Spun.BALL:
            if spin.ball is UNSET or spin.wheel is UNSET:
                raise Misreported("give the direction of 'ball' and of 'wheel': clockwise, anticlockwise or null")
            if spin.ball is None:
                yield BALL_DROPPED
            if spin.wheel is None:
                yield WHEEL_NOT_ROTATING
            if rulebook.spin.against_the_wheel and spin.ball is not None and spin.ball == spin.wheel:
                yield SAME_DIRECTION


def _missing(rulebook: Rulebook, spin: Spin) -> Iterator[IrregularityId]:
    """Yield "ball did not drop" if the ball rests in no pocket and no reported irregularity explains this."""
    if spin.rest is not None:
        return
    if rulebook.wheel.spun is Spun.WHEEL:
        if CLAPPER_ON_PIN not in spin.seen:
            raise Misreported("'rest' cannot be null: give the segment at which the wheel stopped")
    elif not BALL_NOT_IN_POCKET.intersection(spin.seen):
        yield BALL_DID_NOT_DROP


def _outcome(wheel: Wheel, spin: Spin) -> Pocket | None:
    match wheel.spun, spin.rest:
        case _, None | UnsetType():
            return None
        case Spun.BALL, str(pocket) if pocket in wheel.rank:
            return Pocket(pocket)
        case Spun.BALL, int(number) if str(number) in wheel.rank:
            raise Misreported(f'write a pocket in quotes: "{number}"')
        case Spun.BALL, _:
            raise Misreported(f"the wheel has no pocket {spin.rest!r}; its pockets are {' '.join(wheel.pockets)}")
        case Spun.WHEEL, int(segment) if 0 <= segment < len(wheel.order):
            return wheel.at(Segment(segment))
        case _:
            raise Misreported(f"'rest' must be a segment from 0 to {len(wheel.order) - 1}, not {spin.rest!r}")
