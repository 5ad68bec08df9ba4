"""What is evidence enough that the wheel established a number in a game.

Three things speak for a number: statuses in state 5, the line with the number alone, and the next game, which
shows it as the last one. None of them is believed when another one contradicts it and nothing else supports it;
decision 0021 has the whole table.
"""

from collections import Counter
from dataclasses import dataclass, field

from roundhouse.wheel.protocol import BLANK, Code, Flag, Status


@dataclass(slots=True)
class Evidence:
    statuses: Counter[Code] = field(default_factory=Counter)
    """Statuses in state 5 without a fault, by the number that they show."""
    alone: Code | None = None
    """The number alone on its line, while the ball was in the rim."""
    after: Code | None = None
    """The last number as the wheel showed it when it had left the game."""
    remembered: bool = False
    """The line was lost with the ball about to drop, and the wheel's next game shows ``after`` as the last number."""
    tainted: Code | None = None
    """Shown in state 5 only together with a failure, or with the wheel's own word that the launch was void."""

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
        """The ball was in the rim again: what looked like a number was none."""
        self.statuses.clear()
        self.alone = self.tainted = None

    def weak(self, launched: bool, before: Code | None) -> bool:
        """One status that no ball and no new number supports: the halves of two lines look like that."""
        return (
            self.statuses.total() <= 1
            and self.alone is None
            and not launched
            and (before is None or before in self.statuses)
        )

    def weigh(self, launched: bool, before: Code | None) -> tuple[Code | None, str]:
        """The number and no doubt, no number and a doubt, or neither.

        ``before`` is the number that stood on the line before this game could have one, if that was heard.
        """
        pieces = Counter(self.statuses)
        if self.alone is not None:
            pieces[self.alone] += 1
        if self.after is not None and pieces:
            pieces[self.after] += 1
        if self.tainted and not self.statuses:
            return None, f"the wheel showed {self.tainted.strip()} together with a failure of its own"
        if not pieces:
            return (self.after if self.remembered and before not in (None, self.after) else None), ""
        (code, weight), *rivals = pieces.most_common()
        if code == BLANK:
            return None, "the wheel announced a winning number and showed none"
        if rivals and (weight < 2 or rivals[0][1] > 1):
            return None, "the wheel contradicts itself: it showed " + " and ".join(sorted(c.strip() for c in pieces))
        if not self.statuses and self.after != code:
            return None, f"the number {code.strip()} stood alone on its line, and no status confirmed it"
        if weight < 2 and self.weak(launched, before):
            return None, f"a single status showed {code.strip()} as the number, and no ball had been seen in the rim"
        return code, ""
