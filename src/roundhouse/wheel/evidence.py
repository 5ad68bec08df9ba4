"""Decides whether the wheel established a number in a game.

There are three kinds of evidence: statuses in state 5 (winning number), the line with only the number, and the last
number that the next game shows. If they contradict each other, a number needs two pieces of evidence. Decision 0021
contains the whole table.
"""

from collections import Counter
from dataclasses import dataclass, field

from roundhouse.wheel.protocol import BLANK, Code, Flag, Status


@dataclass(slots=True)
class Evidence:
    """The evidence for a number in one game."""

    statuses: Counter[Code] = field(default_factory=Counter)
    """Count of statuses in state 5 without a failure, by the number that they show."""
    alone: Code | None = None
    """Number from a line with only the number, received while the ball was in the rim."""
    after: Code | None = None
    """Last number that the wheel showed after it had left the game."""
    remembered: bool = False
    """Whether the connection was lost just before the ball dropped and the next game shows ``after`` as last number."""
    tainted: Code | None = None
    """Number shown in state 5 together with a failure or a void launch."""

    @property
    def empty(self) -> bool:
        return not self.statuses and self.alone is None and self.tainted is None

    @property
    def first(self) -> Code | None:
        return next(iter(self.statuses), self.alone)

    def add(self, status: Status) -> None:
        if status.flags & (Flag.FAILURE | Flag.LAUNCH_FAILED):
            self.tainted = status.shown
        else:
            self.statuses[status.shown] += 1

    def withdraw(self) -> None:
        """Discard the evidence, because the ball was seen in the rim again."""
        self.statuses.clear()
        self.alone = self.tainted = None

    def weak(self, launched: bool, before: Code | None) -> bool:
        """Return whether the only evidence is one status, no ball was seen, and the number is not known to be new.

        Such a status can be spliced from the halves of two lines.
        """
        return (
            self.statuses.total() <= 1
            and self.alone is None
            and not launched
            and (before is None or before in self.statuses)
        )

    def weigh(self, launched: bool, before: Code | None) -> tuple[Code | None, str]:
        """Return the established number or None, and why a number that was shown is not established, or "".

        ``before`` is the last number of the earlier games; None if it is not known.
        """
        pieces = Counter(self.statuses)
        if self.alone is not None:
            pieces[self.alone] += 1
        if self.after is not None and pieces:
            pieces[self.after] += 1
        if self.tainted and not self.statuses:
            return None, f"the wheel showed {self.tainted.strip()} together with a failure or a void launch"
        if not pieces:
            return (self.after if self.remembered and before not in (None, self.after) else None), ""
        (code, weight), *rivals = pieces.most_common()
        if code == BLANK:
            return None, "the wheel announced a winning number but showed none"
        if rivals and (weight < 2 or rivals[0][1] > 1):
            return None, "the wheel contradicts itself: it showed " + " and ".join(sorted(c.strip() for c in pieces))
        if not self.statuses and self.after != code:
            return None, f"the wheel sent the number {code.strip()}, but no status confirmed it"
        if weight < 2 and self.weak(launched, before):
            return None, f"a single status showed {code.strip()} as the number, but no ball had been seen in the rim"
        return code, ""
