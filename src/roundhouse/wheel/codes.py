"""Maps the two-character codes of a wheel to its pockets or segments.

A pocket with a name of at most two characters has its right-aligned name as code (`` 6``, ``00``). A Money Wheel sends
the number of the segment under its clapper. A longer name (``000``) gets a default code, which a house can replace.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from roundhouse.rules.errors import UserError
from roundhouse.rules.names import Pocket, Segment
from roundhouse.rules.rulebook import Spun
from roundhouse.rules.wheel import Wheel
from roundhouse.wheel.protocol import BLANK, Code

_WIDTH = 2


class InvalidCodes(UserError):
    """Codes that are malformed, ambiguous, or for a place that this wheel does not have."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of one wheel."""

    wheel: Wheel
    segment_of: Mapping[Code, Segment]
    code_of: Mapping[Segment, Code]

    def rest(self, code: Code) -> Pocket | Segment | None:
        """Return the pocket (ball) or the segment (Money Wheel) of a code; None if the code is unknown."""
        segment = self.segment_of.get(code)
        if segment is None or self.wheel.spun is Spun.WHEEL:
            return segment
        return self.wheel.at(segment)


def codes_for(wheel: Wheel, chosen: Mapping[str, str] | None = None) -> Codes:
    """Create the codes of a wheel. ``chosen`` maps single places to codes that replace the defaults.

    >>> from roundhouse.rules.rulebook import Spun
    >>> small = Wheel(Spun.BALL, *((Pocket("0"), Pocket("00"), Pocket("000")),) * 2, {})
    >>> list(codes_for(small, {"000": "37"}).segment_of)
    [' 0', '00', '37']
    """
    names = [str(i) if wheel.spun is Spun.WHEEL else name for i, name in enumerate(wheel.order)]
    code_of = dict(zip(names, _natural(names)))
    for name, code in (chosen or {}).items():
        if name not in code_of:
            raise InvalidCodes(f"this wheel has no place '{name}'; it has {' '.join(names)}")
        if len(code) > _WIDTH or not code.strip() or not code.isascii() or ";" in code or "*" in code:
            raise InvalidCodes(f"'{code}' is not a valid code; use one or two ASCII characters except ';' and '*'")
        code_of[name] = Code(code.rjust(_WIDTH))
    segment_of = {code_of[name]: Segment(i) for i, name in enumerate(names)}
    if len(segment_of) < len(names) or BLANK in segment_of:
        raise InvalidCodes("two places of the wheel have the same code; give each place a different code")
    return Codes(wheel, segment_of, {segment: code for code, segment in segment_of.items()})


def _natural(names: list[str]) -> list[Code]:
    long = [name for name in names if len(name) > _WIDTH]
    return [Code(f"+{long.index(name) + 1}" if name in long else name.rjust(_WIDTH)) for name in names]
