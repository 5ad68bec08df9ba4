"""A ring of numbered changes: the last ones are at hand for whoever missed a few. It never grows."""

from collections import deque
from typing import Generic, TypeVar

Kept = TypeVar("Kept")


class Ring(Generic[Kept]):
    """
    >>> ring: Ring[str] = Ring(most=2)
    >>> for body in "abc": ring.add(body)
    >>> ring.last, ring.after(1), ring.after(3), ring.after(0), ring.after(4)
    (3, ['b', 'c'], [], None, None)
    """

    __slots__ = ("_kept", "last")

    def __init__(self, most: int) -> None:
        self.last = 0
        """The number of the last change; the first is 1."""
        self._kept: deque[Kept] = deque(maxlen=most)

    def add(self, change: Kept) -> None:
        self.last += 1
        self._kept.append(change)

    def skip(self) -> None:
        """A change that nobody was there to hear is not kept: whoever comes back is shown the whole."""
        self.last += 1
        self._kept.clear()

    def after(self, number: int) -> list[Kept] | None:
        """What came after this number, or nothing where not all of it is at hand."""
        missing = self.last - number
        if missing < 0 or missing > len(self._kept):
            return None
        return list(self._kept)[len(self._kept) - missing :]
