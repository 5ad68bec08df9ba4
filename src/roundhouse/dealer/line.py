"""The result of a round as the wheel's line tells it: certain readings only, and commands that record them."""

from typing import NamedTuple

from msgspec import UNSET

from roundhouse.dealer.wheel_state import Ball
from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Pocket, Segment, StaffPosition
from roundhouse.rules.rulebook import Rulebook, Spun
from roundhouse.table import commands as c
from roundhouse.table.names import ReadBy, RequestId
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.readings import MeasuredSpin, OutcomeReading, measured_spin, place_of, result


class LineReading(NamedTuple):
    """A certain reading of this round's ball, and what the line measured of its spin."""

    outcome: Pocket
    segment: Segment | None
    """Segment at the clapper of a Money Wheel."""
    spin: MeasuredSpin


def line_reading(ball: Ball | None, rulebook: Rulebook, codes: Codes) -> LineReading | None:
    """Return the certain reading of the ball; ``None`` if there is none yet, or if the wheel's data leave a doubt."""
    if ball is None:
        return None
    if (ended := ball.ended) is not None:
        if not isinstance(result(ended, rulebook, codes), OutcomeReading):
            return None
        assert ended.number is not None, "an outcome was read from a number"
        return LineReading(*place_of(ended.number, codes), measured_spin(ended, rulebook))
    if ball.number in codes.segment_of and ball.rotor is not None and not ball.warned:
        assert ball.number is not None
        return LineReading(*place_of(ball.number, codes), MeasuredSpin(ball.rotor))
    return None


def ball_at_rest(id: RequestId, by: StaffPosition, read: LineReading) -> c.BallAtRest:
    segment = UNSET if read.segment is None else read.segment
    return c.BallAtRest(id=id, by=by, outcome=read.outcome, read_by=ReadBy.WHEEL, segment=segment)


def observe_spin(id: RequestId, by: StaffPosition, spin: MeasuredSpin, rulebook: Rulebook) -> c.ObserveSpin:
    """Report what the line measured. The line does not count revolutions."""
    ball: Direction | None = spin.ball
    has_ball = rulebook.wheel.spun is Spun.BALL
    return c.ObserveSpin(
        id=id, by=by, revolutions=None, ball=ball if has_ball else UNSET, wheel=spin.wheel, seen=spin.seen
    )
