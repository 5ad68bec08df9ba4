"""A person's mistake, told in one line to the person who made it: what was wrong, where, what to do.

Where in a rulebook's text a key stands, so that a fault can name its line.

The TOML reader keeps no positions, so this looks the headings and keys up in the text. It is a help for
people and nothing depends on it: a place written in a way it does not follow has no line, never a wrong one
of another table.

Faults of a rulebook file: each with its place, what is wrong there and what to do.

A reader of a file collects them all before it gives up; nobody should mend a file one error at a time.
"""

import re
from collections import Counter

from msgspec import Struct


class UserError(Exception):
    """Raised where input is turned into rules' terms; beyond that point only sound things travel."""


_HEADING = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*=\s*(.*)$""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


class Places:
    """Line numbers by dotted place (``layouts.A.pay_table.rows[3].pays``)."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[str, int] = {}

    def _read(self) -> None:
        table = ""
        tables: Counter[str] = Counter()
        array: str | None = None
        item = 0
        quote: str | None = None
        for number, line in enumerate(self._text.splitlines(), start=1):
            if quote:
                quote = None if quote in line else quote
                continue
            if array is not None:
                if line.lstrip().startswith(("{", '"', "'")):
                    self._lines[f"{array}[{item}]"] = number
                    item += 1
                if line.strip().startswith("]"):
                    array = None
                continue
            if heading := _HEADING.match(line):
                table = self._heading(heading[1], _parts(heading[2]), tables)
                self._lines.setdefault(table, number)
            elif key := _KEY.match(line):
                place = ".".join(filter(None, [table, *_parts(key[1])]))
                self._lines.setdefault(place, number)
                value = key[2].split("#")[0].strip() if not key[2].startswith(("'", '"')) else key[2]
                if value == "[":
                    array, item = place, 0
                for mark in ("'''", '"""'):
                    if value.startswith(mark) and mark not in value[3:]:
                        quote = mark

    @staticmethod
    def _heading(bracket: str, parts: list[str], tables: Counter[str]) -> str:
        """The place of a table; one of an array of tables carries its number."""
        place = ""
        for depth, part in enumerate(parts, start=1):
            place = f"{place}.{part}" if place else part
            last = depth == len(parts)
            if last and bracket == "[[":
                tables[place] += 1
            if place in tables:
                place = f"{place}[{tables[place] - 1}]"
        return place

    def line_of(self, place: str) -> int | None:
        """The line of a place, or of the nearest thing around it that has one."""
        if not self._lines:  # sound files, which are nearly all, are never searched
            self._read()
        while place:
            if place in self._lines:
                return self._lines[place]
            place = place.rpartition("[")[0] if place.endswith("]") else place.rpartition(".")[0]
        return None


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]


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


class InvalidRulebook(UserError):
    """A rulebook file that cannot be used, with every fault that was found in it."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        self.file = "the rulebook"
        super().__init__(faults)

    def __str__(self) -> str:
        if len(self.faults) == 1:
            return f"{self.file}: {self.faults[0]}"
        count = f"{len(self.faults)} faults ('roundhouse game check' lists them)"
        return f"{self.file} has {count}; the first: {self.faults[0]}"
