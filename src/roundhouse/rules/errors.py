"""Errors in a person's input, and faults in TOML files with their line numbers.

All faults of a file are collected before it is rejected, so that they can be fixed together.
"""

import re
from collections import Counter

from msgspec import Struct


class UserError(Exception):
    """A mistake in a person's input. The message names the input, what is wrong and what to do.

    Parsers raise it, so the code that uses the parsed values receives only valid ones.
    """


_HEADING = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*=\s*(.*)$""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


class Places:
    """Line numbers of the keys in a TOML text, by dotted path (``layouts.A.pay_table.rows[3].pays``).

    ``tomllib`` reports no positions, so this class scans the text for headings and keys. The scan does not parse
    all of TOML. A key in a notation that it does not recognise has no line number.
    """

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
        """Return the path of a table. An item in an array of tables gets its index."""
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
        """Return the line of a path, or of the closest enclosing path that has one."""
        if not self._lines:  # Scan on first use, because a valid file needs no line numbers.
            self._read()
        while place:
            if place in self._lines:
                return self._lines[place]
            place = place.rpartition("[")[0] if place.endswith("]") else place.rpartition(".")[0]
        return None


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]


class Fault(Struct, frozen=True):
    """One fault in a file: its path and line, what is wrong, and how to fix it."""

    place: str
    line: int | None
    wrong: str
    remedy: str

    def __str__(self) -> str:
        where = f"line {self.line}, {self.place}" if self.line else self.place
        return f"{where}: {self.wrong}; {self.remedy}"


class Faults:
    """Collects the faults of one file. The check functions add them."""

    def __init__(self, places: Places) -> None:
        self.found: dict[Fault, None] = {}
        """The faults in the order in which they were found, each once."""
        self._places = places
        self._omitted: list[str] = []
        self._file_indexes: dict[str, list[int]] = {}

    def add(self, place: str, wrong: str, remedy: str, below: int = 0) -> None:
        """Add a fault at a path. ``below`` is the number of lines from the key to the fault, for multi-line strings."""
        place = self._path_in_file(place)
        line = self._places.line_of(place)
        fault = Fault(place, line and line + below, wrong, remedy)
        self.found[fault] = None

    def set_file_indexes(self, place: str, indexes: list[int]) -> None:
        """Set the index in the file of each item of a checked list, from which invalid items were left out."""
        self._file_indexes[place] = indexes

    def _path_in_file(self, place: str) -> str:
        """Convert the list indexes of a path to those in the file, which differ if invalid items were left out."""
        if not self._file_indexes:
            return place
        path = ""
        for part in re.split(r"(\[\d+\])", place):
            indexes = self._file_indexes.get(path) if part.startswith("[") else None
            path += f"[{indexes[int(part[1:-1])]}]" if indexes else part
        return path

    def omit(self, place: str, wrong: str, remedy: str) -> None:
        """Add a fault and mark its value as left out, so that later checks do not report the value as missing."""
        self.add(place, wrong, remedy)
        self.mark_omitted(place)

    def mark_omitted(self, place: str) -> None:
        self._omitted.append(place)

    def omitted_in(self, place: str) -> bool:
        """Return whether this value or a part of it was left out because of a fault."""
        return any(path == place or path.startswith((f"{place}.", f"{place}[")) for path in self._omitted)

    def in_file_order(self) -> tuple[Fault, ...]:
        return tuple(sorted(self.found, key=lambda fault: fault.line or 0))


class InvalidRulebook(UserError):
    """A rulebook file is invalid. ``faults`` lists all faults found in it."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        self.file = "the rulebook"
        super().__init__(faults)

    def __str__(self) -> str:
        if len(self.faults) == 1:
            return f"{self.file}: {self.faults[0]}"
        count = f"{len(self.faults)} faults ('roundhouse game check' lists them)"
        return f"{self.file} has {count}; the first: {self.faults[0]}"
