"""What a PAR sheet says, block by block, from its figures alone: no number is computed here that is not in them."""

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

from roundhouse import __version__
from roundhouse.lab.numbers import Root, decimal, percent, readable
from roundhouse.lab.parsheet import pictures
from roundhouse.lab.parsheet.blocks import Block, Heading, Words, packages, table
from roundhouse.lab.parsheet.changes import Change, Changes
from roundhouse.lab.parsheet.figures import COUNTED, LEVEL, NORMAL, Figures, LayoutFigures, Par, TerminalFigures

_Z95 = 1.959963984540054
_A_FEW = 20
"""Positions that find room on a page which has begun."""


def contents(par: Par, changes: Changes | None = None) -> Iterator[Block]:
    yield from _identity(par)
    if changes is not None:
        yield from _changes(changes)
    yield from _wheel(par)
    for layout in par.layouts:
        yield from _layout(par, layout)
        yield from _volatility(layout)
        yield from _liability(layout)
    yield from packages(par)
    yield from _floors(par)
    yield from _notes(par)
    for layout in par.layouts:
        yield from _every_bet(layout)


def _identity(par: Par) -> Iterator[Block]:
    book, wheel = par.game.rulebook, par.game.wheel
    edges = [bet.figures.edge for layout in par.layouts for bet in layout.bets]
    rows = [
        ("Game", book.title),
        ("Operator", book.operator),
        ("Rulebook", f"{book.id}, version {book.version}, effective {book.effective.isoformat(' ')}"),
        ("SHA-256 of the rulebook file", par.game.hash),
        ("Wheel", f"{len(wheel.order)} equal segments, {len(wheel.pockets)} outcomes; the {book.wheel.spun} is spun"),
        ("Layouts", ", ".join(f"{each.id} with {len(each.bets)} positions" for each in par.layouts)),
        ("Terminals", ", ".join(f"{terminal.name} ({_how_many(terminal)})" for terminal in par.terminals)),
        ("Edge of a single bet", _span(min(edges), max(edges))),
        ("Return to player of a single bet", _span(1 - max(edges), 1 - min(edges))),
        ("Made by", f"roundhouse {__version__}, from the rulebook file alone"),
    ]
    yield table("what | this sheet", rows, wide="this sheet")
    yield Words(
        "All figures are exact fractions of the unit staked, unless they bear the sign ≈: then the decimal is the "
        "nearest one to the exact figure beside it, or the figure has no finite decimals. √(a/b) is the square root "
        "of a fraction."
    )


def _how_many(terminal: TerminalFigures) -> str:
    packages = sum(len(kind.ids) for kind in terminal.packages)
    return f"{packages} packages" if packages else "no packages"


def _span(low: Fraction, high: Fraction) -> str:
    one = f"{low}  ({percent(low)})"
    return one if low == high else f"{one} to {high}  ({percent(high)})"


def _wheel(par: Par) -> Iterator[Block]:
    wheel = par.game.wheel
    yield Heading("The wheel")
    yield pictures.wheel_picture(par)
    groups: dict[tuple[str, int], list[str]] = {}
    for pocket in wheel.pockets:
        groups.setdefault((wheel.colours.get(pocket, ""), wheel.segments[pocket]), []).append(pocket)
    whole = len(wheel.order)
    rows = [
        (
            " ".join(pockets),
            *((colour or "–",) if wheel.colours else ()),
            str(segments),
            _with_decimal(Fraction(segments, whole)),
            str(len(pockets)),
            _with_decimal(Fraction(segments * len(pockets), whole)),
        )
        for (colour, segments), pockets in groups.items()
    ]
    numbers = "segments each | probability each | outcomes in all | probability in all"
    yield table(
        f"outcomes | {'colour | ' if wheel.colours else ''}{numbers}",
        rows,
        f"Clause {par.game.rulebook.wheel.clause}. {whole} segments, each as likely as every other.",
        right=numbers,
        wide="outcomes",
    )
    if not wheel.colours:
        yield Words("The rulebook gives the outcomes no colours; those of the drawing only tell them apart.")


def _layout(par: Par, layout: LayoutFigures) -> Iterator[Block]:
    yield Heading(f"Layout {layout.id}", new_page=True)
    yield pictures.layout_picture(par, layout)
    rows = [
        (
            kind.name,
            str(kind.count),
            str(kind.segments),
            f"{kind.pays} to 1",
            str(kind.figures.hit),
            str(kind.figures.returned),
            percent(kind.figures.returned),
            str(kind.figures.edge),
            percent(kind.figures.edge),
        )
        for kind in layout.kinds
    ]
    yield table(
        "bet | positions | segments | pays | hit | return | return in % | edge | edge in %",
        rows,
        f"Pay table of clause {layout.pay_table}, layout of {layout.clause}; alike for all positions of a kind.",
        right="positions | segments | pays | hit | return | return in % | edge | edge in %",
        wide="bet",
    )
    if layout.dominated:
        bad = [
            (d.id, _with_decimal(d.cost), ", ".join(f"{part} on {id}" for id, part in d.by.items()))
            for d in layout.dominated
        ]
        yield table(
            "dominated bet | the same costs | when staked so, for each unit",
            bad,
            "Nobody should make these bets: others return at least as much for every outcome and cost less.",
            wide="when staked so, for each unit",
        )
    else:
        yield Words(
            "No bet is dominated: no mixture of other bets of this layout returns at least as much for every outcome "
            "and costs less."
        )
    edges = {kind.figures.edge for kind in layout.kinds}
    if len(edges) == 1:
        (edge,) = edges
        yield Words(f"Every position of this layout has the same edge, {edge} ({percent(edge)}).")
    else:
        yield pictures.edges_picture(layout)


def _volatility(layout: LayoutFigures) -> Iterator[Block]:
    yield Heading(f"Layout {layout.id}: volatility and confidence bands", new_page=True)
    yield table(
        "bet | variance | standard deviation |  | skewness |   | kurtosis |    ",
        [(kind.name, *_moments(kind.figures)) for kind in layout.kinds],
        "Of the net result of one unit staked; kurtosis is 3 for the normal curve.",
        right="variance | standard deviation |  | skewness |   | kurtosis |    ",
        wide="bet",
    )
    counted = " | ".join(f"{rounds:,} rounds" for rounds in COUNTED)
    normal = " | ".join(f"{rounds:,} rounds" for rounds in NORMAL)
    rows = []
    for kind in layout.kinds:
        bands = [f"{percent(low, 2)} to {percent(high, 2)}" for low, high in kind.bands]
        middle, deviation = float(kind.figures.returned), float(kind.figures.moments.deviation)
        halves = [_Z95 * deviation / sqrt(rounds) for rounds in NORMAL]
        bands += [f"≈ {100 * (middle - half):.2f} % to {100 * (middle + half):.2f} %" for half in halves]
        rows.append((kind.name, *bands))
    yield table(
        f"bet | {counted} | {normal}",
        rows,
        f"The return to player lies within, with probability {percent(LEVEL)} or more; one unit a round. "
        f"Up to {COUNTED[-1]:,} rounds from the counted distribution, beyond by the normal curve.",
        right=f"{counted} | {normal}",
        wide="bet",
        size=7.2,
    )
    yield pictures.bands_picture(layout)
    yield from pictures.session_pictures(layout)


def _moments(figures: Figures) -> tuple[str, ...]:
    moments = figures.moments
    return (
        str(moments.variance),
        *_root(moments.deviation),
        *_root(moments.skewness),
        "–" if moments.kurtosis is None else str(moments.kurtosis),
        "" if moments.kurtosis is None else decimal(moments.kurtosis, 4),
    )


def _root(value: Root | None) -> tuple[str, str]:
    if value is None:
        return "–", ""
    return (str(value), decimal(value, 4)) if readable(value.square) else ("", decimal(value, 4))


def _liability(layout: LayoutFigures) -> Iterator[Block]:
    owed = layout.liability
    worst, outcomes = owed.worst, owed.worst_outcomes
    groups: dict[tuple[int, int], list[str]] = {}
    for outcome, units in owed.covering.items():
        groups.setdefault((units, owed.whole_layout[outcome]), []).append(outcome)
    rows = [
        (" ".join(pockets), f"{units:+d}", f"{whole:+d}")
        for (units, whole), pockets in sorted(groups.items(), reverse=True)
    ]
    yield Heading(f"Layout {layout.id}: liability at a limit of one unit on every position", 2)
    yield table(
        "outcomes | every bet on it at its limit | the whole layout at its limits",
        rows,
        f"What one player can win in one round, in units. {_the_worst(outcomes)}: {worst} units. "
        "A limit of L on every position multiplies the figures by L.",
        right="every bet on it at its limit | the whole layout at its limits",
        wide="outcomes",
    )


def _the_worst(outcomes: tuple[str, ...]) -> str:
    if len(outcomes) == 1:
        return f"The worst outcome is {outcomes[0]}"
    return f"The worst outcomes are {', '.join(outcomes[:-1])} and {outcomes[-1]}"


def _floors(par: Par) -> Iterator[Block]:
    yield Heading("Floor checks")
    yield table(
        "jurisdiction | demanded of every bet | least return | result | bets below",
        [
            (
                check.profile.name,
                percent(check.profile.minimum),
                _with_decimal(check.least),
                "passes" if check.passed else "FAILS",
                ", ".join(f"{b.id} (layout {b.layout})" for b in check.below) or "none",
            )
            for check in par.floors
        ],
        f"{par.floors[0].bets} bets and packages checked.",
        right="demanded of every bet | least return",
        wide="bets below",
    )
    yield table(
        "jurisdiction | source | confirmed | note",
        [(p.name, p.source, p.confirmed, p.note or "–") for p in (check.profile for check in par.floors)],
        "The profiles are data and not legal advice: check the text in force.",
        wide="source | confirmed | note",
        size=7.2,
    )


def _notes(par: Par) -> Iterator[Block]:
    yield Heading("How the figures are made")
    yield Words(
        "Every position is derived from the layout's geometry in the rulebook; its price is the row of the pay table "
        "that names it. With n segments on the wheel and k of them covered, a bet that pays p to 1 wins with "
        "probability k/n and has the edge 1 − k(p + 1)/n; variance, skewness and kurtosis follow from the same two "
        "results. Packages are added up outcome by outcome. Bands up to 10,000 rounds are quantiles of the n-fold "
        "distribution, computed by Fourier transform with an error below 10⁻¹¹ in every probability. A void round "
        "returns every stake and enters no figure."
    )
    if par.game.rulebook.inferred:
        yield Heading("What the rulebook infers", 2)
        yield table(
            "where | grade | why",
            [(note.at, note.grade, note.why) for note in par.game.rulebook.inferred],
            "Facts that the rule document does not state, as the rulebook marks them.",
            wide="why",
        )


def _changes(changes: Changes) -> Iterator[Block]:
    yield Heading(f"What changed against {changes.old.game.id}, version {changes.old.game.rulebook.version}")
    if changes.facts:
        yield table("what | before | after", [*changes.facts], wide="before | after", size=7.2)
    yield from _changed_bets(changes)
    if changes.dominated:
        became = [
            (where, id, "now dominated" if now else "no longer dominated") for where, id, now in changes.dominated
        ]
        yield table("where | bet | what became of it", became, wide="what became of it", size=7.2)
    else:
        yield Words("The same bets are dominated as before, or none.")
    if changes.clauses:
        texts = [(clause, was or "–", now or "–") for clause, was, now in changes.clauses]
        yield table("clause | text before | text after", texts, wide="text before | text after", size=7.2)
    else:
        yield Words("No clause of the rulebook has another text.")


def _changed_bets(changes: Changes) -> Iterator[Block]:
    if not changes.bets:
        yield Words(f"All {changes.same} bets and packages have the figures they had.")
        return
    rows = [
        (
            change.where,
            _family(change.id, count) + _moved(change),
            " → ".join("–" if pays is None else f"{pays} to 1" for pays in change.pays) if any(change.pays) else "",
            "not offered" if change.before is None else f"{change.before.edge}  ({percent(change.before.edge, 3)})",
            "withdrawn" if change.after is None else f"{change.after.edge}  ({percent(change.after.edge, 3)})",
            "" if change.bands_part_after is None else f"≈ {change.bands_part_after:,}",
        )
        for change, count in _alike(changes)
    ]
    yield table(
        "where | bet | pays | edge before | edge after | bands part after",
        rows,
        f"{changes.same} bets and packages are as they were. Bands part after: the number of rounds from which "
        "the 95 % bands of the old and of the new hold, by the normal curve, do not overlap any more.",
        right="pays | edge before | edge after | bands part after",
        wide="bet",
        size=7.2,
    )


def _alike(changes: Changes) -> list[tuple[Change, int]]:
    """One of each family of bets that changed in the same way, and how many there are of them."""
    groups: dict[tuple[object, ...], list[Change]] = {}
    for change in changes.bets:
        family = change.id.partition(":")[0]
        how = (change.pays, _key(change.before), _key(change.after), _moved(change))
        groups.setdefault((change.where, family, *how), []).append(change)
    return [(group[0], len(group)) for group in groups.values()]


def _key(figures: Figures | None) -> object:
    return None if figures is None else (figures.edge, figures.moments)


def _moved(change: Change) -> str:
    """The numbers or pieces before and after, where a bet keeps its name and not them."""
    was, now = change.of
    return "" if was is None or now is None or was == now else f": {was} → {now}"


def _family(id: str, count: int) -> str:
    return id if count == 1 else f"{id} and {count - 1} more of this kind"


def _every_bet(layout: LayoutFigures) -> Iterator[Block]:
    yield Heading(f"Appendix: every position of layout {layout.id}", new_page=len(layout.bets) > _A_FEW)
    yield table(
        "position | covers | pays | hit | return | edge | variance | clause",
        [
            (
                bet.id,
                bet.covers,
                f"{bet.pays} to 1",
                str(bet.figures.hit),
                str(bet.figures.returned),
                str(bet.figures.edge),
                str(bet.figures.moments.variance),
                bet.clause,
            )
            for bet in layout.bets
        ],
        right="pays | hit | return | edge | variance",
        wide="covers",
        size=7.2,
    )


def _with_decimal(value: Fraction) -> str:
    return f"{value}  {decimal(value)}" if value.denominator != 1 else str(value)
