"""Where in a rulebook's text a key stands, so that a fault can name its line.

The TOML reader keeps no positions, so this looks the headings and keys up in the text. It is a help for
people and nothing depends on it: a place written in a way it does not follow has no line, never a wrong one
of another table.
"""

import re
from collections import Counter

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
