"""Faults of a rulebook file: each with its place, what is wrong there and what to do.

A reader of a file collects them all before it gives up; nobody should mend a file one error at a time.
"""

import re

from msgspec import Struct

from roundhouse.rules.mistakes import Mistake
from roundhouse.rules.places import Places


class Fault(Struct, frozen=True):
    place: str
    line: int | None
    wrong: str
    remedy: str

    def __str__(self) -> str:
        where = f"line {self.line}, {self.place}" if self.line else self.place
        return f"{where}: {self.wrong}; {self.remedy}"


class Faults:
    """The collector that every check writes to."""

    def __init__(self, places: Places) -> None:
        self.found: list[Fault] = []
        self._places = places
        self._lost: list[str] = []
        self._kept: dict[str, list[int]] = {}

    def add(self, place: str, wrong: str, remedy: str, below: int = 0) -> None:
        """A fault at a place, or so many lines below where the place begins."""
        place = self._as_written(place)
        line = self._places.line_of(place)
        fault = Fault(place, line and line + below, wrong, remedy)
        if fault not in self.found:
            self.found.append(fault)

    def keep_only(self, place: str, kept: list[int]) -> None:
        """Of the list at a place, only these items could be read: later numbers stand for them."""
        self._kept[place] = kept

    def _as_written(self, place: str) -> str:
        """The place by the numbers of the file, where items that could not be read were left out before."""
        if not self._kept:
            return place
        written = ""
        for part in re.split(r"(\[\d+\])", place):
            kept = self._kept.get(written) if part.startswith("[") else None
            written += f"[{kept[int(part[1:-1])]}]" if kept else part
        return written

    def lose(self, place: str, wrong: str, remedy: str) -> None:
        """A fault for which something had to be left out, so that what is missing there proves nothing."""
        self.add(place, wrong, remedy)
        self.lost(place)

    def lost(self, place: str) -> None:
        self._lost.append(place)

    def lost_in(self, place: str) -> bool:
        return any(lost == place or lost.startswith((f"{place}.", f"{place}[")) for lost in self._lost)

    def in_file_order(self) -> tuple[Fault, ...]:
        return tuple(sorted(self.found, key=lambda fault: fault.line or 0))


class UnsoundRulebook(Mistake):
    """A rulebook file that cannot be used, with every fault that was found in it."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        self.file = "the rulebook"
        super().__init__(faults)

    def __str__(self) -> str:
        if len(self.faults) == 1:
            return f"{self.file}: {self.faults[0]}"
        return f"{self.file} has {len(self.faults)} faults ('roundhouse check' lists them); the first: {self.faults[0]}"
