"""The wheel: which outcomes there are, where they stand on the rim, and what colour they have."""

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
    """Each pocket's place in the canonical order: 0, 00, 000, S, 1 … 36."""
    segments: Mapping[Pocket, int] = field(init=False)
    """How many segments of the rim carry each pocket: one each in roulette."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rank", {pocket: i for i, pocket in enumerate(self.pockets)})
        object.__setattr__(self, "segments", Counter(self.order))

    def canonical(self, pockets: frozenset[Pocket] | set[Pocket]) -> tuple[Pocket, ...]:
        """Those of these pockets that the wheel has, in its order."""
        return tuple(pocket for pocket in self.pockets if pocket in pockets)

    def at(self, segment: Segment) -> Pocket:
        return self.order[segment]

    def around(self, centre: Pocket, each_side: int) -> tuple[Pocket, ...]:
        """A pocket with so many neighbours to its left and right, clockwise."""
        middle = self.order.index(centre)
        return tuple(self.order[i % len(self.order)] for i in range(middle - each_side, middle + each_side + 1))
