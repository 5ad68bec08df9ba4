"""What the five rule documents say, written down a second time and by hand, to hold the rulebooks against.

Nothing here is read from a rulebook. Each statement carries the clause that it comes from, and each
document lists its own numbers, so that none can be missing from a register.
"""

from dataclasses import dataclass, field

from tests.support.layout_arithmetic import Bets


@dataclass(frozen=True)
class Document:
    game: str
    zeros: str
    rim: str
    """The wheel, clockwise."""
    offers: dict[str, dict[str, Bets]]
    """Layout → clause that describes a bet → the bets, with what they cover."""
    pays: dict[str, dict[str, tuple[str, int]]]
    """Layout → row of the pay table → (types of bet or positions, n of "n to 1")."""
    checksum: dict[str, int]
    """Layout → what one unit on every position returns, summed over every outcome: counted by hand."""
    positions: dict[str, int]
    series: dict[str, dict[str, tuple[str, str]]]
    """Terminal → package → (clause, pieces as ``2×corner:25-26-28-29``)."""
    neighbours: dict[str, tuple[str, tuple[int, ...]]]
    finales: dict[str, tuple[str, dict[str, str]]]
    irregularities: dict[str, str]
    """What was observed of a spin → the clause under which the round is void."""
    losing: dict[str, str]
    """Outcome → clause by which other bets lose, where the outcome has one of its own."""
    loses: str
    numbers: str
    """Every number of the document; ``5.3.1-9`` stands for a run."""
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Rows of tables that are neither bets, prices nor packages."""

    def all_numbers(self) -> set[str]:
        listed = {number for word in self.numbers.split(", ") for number in _run(word)}
        described = {clause for layout in self.offers.values() for clause in layout}
        priced = {row for layout in self.pays.values() for row in layout}
        packed = {clause for terminal in self.series.values() for clause, _ in terminal.values()}
        other = {clause for clause, _ in self.neighbours.values()} | {clause for clause, _ in self.finales.values()}
        rows = {f"{table} / {row}" for table, names in self.rows.items() for row in names}
        return listed | described | priced | packed | other | rows


def _run(word: str) -> list[str]:
    """
    >>> _run("5.3.1-3"), _run("Appendix A-C"), _run("general law")
    (['5.3.1', '5.3.2', '5.3.3'], ['Appendix A', 'Appendix B', 'Appendix C'], ['general law'])
    """
    head, dash, last = word.rpartition("-")
    if not dash:
        return [word]
    if word.startswith("Appendix"):
        return [f"Appendix {chr(letter)}" for letter in range(ord(head[-1]), ord(last) + 1)]
    stem, _, first = head.rpartition(".")
    return [f"{stem}.{n}" for n in range(int(first), int(last) + 1)]
