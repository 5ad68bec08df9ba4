"""The five rule documents, transcribed by hand as an independent copy to compare the rulebooks with.

This package reads no rulebook. Each statement has the clause that it comes from. Each document lists
all of its clause numbers, so a clause missing from a register is detected.
"""

from dataclasses import dataclass, field

from tests.support.layout_arithmetic import Bets


@dataclass(frozen=True)
class Document:
    game: str
    zeros: str
    rim: str
    """The pockets of the wheel in clockwise order."""
    offers: dict[str, dict[str, Bets]]
    """Layout → clause that describes a bet → the bets and the pockets that they cover."""
    pays: dict[str, dict[str, tuple[str, int]]]
    """Layout → row of the pay table → (types of bet or positions, n of "n to 1")."""
    checksum: dict[str, int]
    """Layout → total return of one unit on every position, summed over all outcomes. Counted by hand."""
    positions: dict[str, int]
    series: dict[str, dict[str, tuple[str, str]]]
    """Terminal → package → (clause, pieces as ``2×corner:25-26-28-29``)."""
    neighbours: dict[str, tuple[str, tuple[int, ...]]]
    finales: dict[str, tuple[str, dict[str, str]]]
    irregularities: dict[str, str]
    """Irregularity of a spin → the clause under which the round is void."""
    losing: dict[str, str]
    """Outcome → clause by which other bets lose, for outcomes with a special clause."""
    loses: str
    numbers: str
    """All clause numbers of the document. ``5.3.1-9`` means 5.3.1 to 5.3.9."""
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Table → its rows, for tables that list no bets, odds or packages."""

    def all_numbers(self) -> set[str]:
        listed = {number for text in self.numbers.split(", ") for number in _expand(text)}
        described = {clause for layout in self.offers.values() for clause in layout}
        priced = {row for layout in self.pays.values() for row in layout}
        packed = {clause for terminal in self.series.values() for clause, _ in terminal.values()}
        other = {clause for clause, _ in self.neighbours.values()} | {clause for clause, _ in self.finales.values()}
        rows = {f"{table} / {row}" for table, names in self.rows.items() for row in names}
        return listed | described | priced | packed | other | rows


def _expand(text: str) -> list[str]:
    """Expand a range of clause numbers.

    >>> _expand("5.3.1-3"), _expand("Appendix A-C"), _expand("general law")
    (['5.3.1', '5.3.2', '5.3.3'], ['Appendix A', 'Appendix B', 'Appendix C'], ['general law'])
    """
    head, dash, last = text.rpartition("-")
    if not dash:
        return [text]
    if text.startswith("Appendix"):
        return [f"Appendix {chr(letter)}" for letter in range(ord(head[-1]), ord(last) + 1)]
    stem, _, first = head.rpartition(".")
    return [f"{stem}.{n}" for n in range(int(first), int(last) + 1)]
