"""The wheel: its outcomes, their order on the rim and their colours."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from roundhouse.rules.names import Colour, Pocket, Segment
from roundhouse.rules.rulebook import Spun


@dataclass(frozen=True)
class Wheel:
    spun: Spun
    pockets: tuple[Pocket, ...]
    order: tuple[Pocket, ...]
    colours: Mapping[Pocket, Colour]
    rank: Mapping[Pocket, int] = field(init=False)
    """Index of each pocket in the canonical order: 0, 00, 000, S, 1 … 36."""
    segments: Mapping[Pocket, int] = field(init=False)
    """Number of segments on the rim for each pocket: always one in roulette."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rank", {pocket: i for i, pocket in enumerate(self.pockets)})
        object.__setattr__(self, "segments", Counter(self.order))

    def canonical(self, pockets: frozenset[Pocket] | set[Pocket]) -> tuple[Pocket, ...]:
        """Sort these pockets in canonical order and drop those that the wheel does not have."""
        return tuple(pocket for pocket in self.pockets if pocket in pockets)

    def at(self, segment: Segment) -> Pocket:
        return self.order[segment]

    def around(self, centre: Pocket, each_side: int) -> tuple[Pocket, ...]:
        """Return a pocket and ``each_side`` neighbours on either side of it, clockwise."""
        middle = self.order.index(centre)
        return tuple(self.order[i % len(self.order)] for i in range(middle - each_side, middle + each_side + 1))
