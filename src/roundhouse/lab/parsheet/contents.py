"""The content of a PAR sheet as a list of blocks, built from its figures."""

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

from roundhouse import __version__
from roundhouse.lab.numbers import Root, decimal, percent, readable
from roundhouse.lab.parsheet import pictures
from roundhouse.lab.parsheet.blocks import Block, Heading, Paragraph, packages, table
from roundhouse.lab.parsheet.changes import Change, Changes
from roundhouse.lab.parsheet.figures import (
    DISTRIBUTION_ROUNDS,
    LEVEL,
    NORMAL_ROUNDS,
    Figures,
    LayoutFigures,
    Par,
    TerminalFigures,
)

_Z95 = 1.959963984540054
_MAX_APPENDED = 20
"""An appendix with more positions than this starts a new page."""


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
    yield from _minimum_returns(par)
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
        ("Created by", f"roundhouse {__version__}, from the rulebook file only"),
    ]
    yield table("item | this sheet", rows, wide="this sheet")
    yield Paragraph(
        "Figures are per unit staked unless stated otherwise. Fractions, and decimals without ≈, are exact. A number "
        "with ≈ is rounded, or follows from a normal approximation where the caption says so. √(a/b) is the square "
        "root of a fraction."
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
    numbers = "segments each | probability each | number of outcomes | total probability"
    yield table(
        f"outcomes | {'colour | ' if wheel.colours else ''}{numbers}",
        rows,
        f"Clause {par.game.rulebook.wheel.clause}. All {whole} segments are equally probable.",
        right=numbers,
        wide="outcomes",
    )
    if not wheel.colours:
        yield Paragraph("The rulebook defines no colours; the drawing uses colours only to distinguish the outcomes.")


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
        f"Pay table: clause {layout.pay_table}. Layout: clause {layout.clause}. "
        "The figures apply to every position of a kind. Segments: number of segments covered.",
        right="positions | segments | pays | hit | return | return in % | edge | edge in %",
        wide="bet",
    )
    if layout.dominated:
        bad = [
            (d.id, _with_decimal(d.cost), ", ".join(f"{part} on {id}" for id, part in d.by.items()))
            for d in layout.dominated
        ]
        yield table(
            "dominated bet | cost of the better bets | better bets, per unit staked",
            bad,
            "Figures are per unit staked on the dominated bet. The better bets together return at least as much for "
            "every outcome. They cost less, or cost the same and return more for some outcome.",
            wide="better bets, per unit staked",
        )
    else:
        yield Paragraph(
            "No bet is dominated. No mixture of other bets of this layout costs less and returns at least as much for "
            "every outcome. No other bet costs the same, returns at least as much for every outcome and returns more "
            "for some outcome."
        )
    edges = {kind.figures.edge for kind in layout.kinds}
    if len(edges) == 1:
        (edge,) = edges
        yield Paragraph(f"Every position of this layout has the same edge, {edge} ({percent(edge)}).")
    else:
        yield pictures.edges_picture(layout)


def _volatility(layout: LayoutFigures) -> Iterator[Block]:
    yield Heading(f"Layout {layout.id}: volatility and confidence bands", new_page=True)
    yield table(
        "bet | variance | standard deviation |  | skewness |   | kurtosis |    ",
        [(kind.name, *_moments(kind.figures)) for kind in layout.kinds],
        "Moments of the net result per unit staked. The kurtosis of a normal distribution is 3.",
        right="variance | standard deviation |  | skewness |   | kurtosis |    ",
        wide="bet",
    )
    counted = " | ".join(f"{rounds:,} rounds" for rounds in DISTRIBUTION_ROUNDS)
    normal = " | ".join(f"{rounds:,} rounds" for rounds in NORMAL_ROUNDS)
    rows = []
    for kind in layout.kinds:
        bands = [f"{percent(low, 2)} to {percent(high, 2)}" for low, high in kind.bands]
        middle, deviation = float(kind.figures.returned), float(kind.figures.moments.deviation)
        halves = [_Z95 * deviation / sqrt(rounds) for rounds in NORMAL_ROUNDS]
        bands += [f"≈ {100 * (middle - half):.2f} % to {100 * (middle + half):.2f} %" for half in halves]
        rows.append((kind.name, *bands))
    yield table(
        f"bet | {counted} | {normal}",
        rows,
        f"Interval that contains the return to player with probability {percent(LEVEL)} or more, at one unit a round. "
        f"Up to {DISTRIBUTION_ROUNDS[-1]:,} rounds: quantiles of the distribution. Above: normal approximation.",
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
    liability = layout.liability
    worst, outcomes = liability.worst, liability.worst_outcomes
    groups: dict[tuple[int, int], list[str]] = {}
    for outcome, units in liability.covering.items():
        groups.setdefault((units, liability.whole_layout[outcome]), []).append(outcome)
    rows = [
        (" ".join(pockets), f"{units:+d}", f"{whole:+d}")
        for (units, whole), pockets in sorted(groups.items(), reverse=True)
    ]
    yield Heading(f"Layout {layout.id}: liability at a limit of one unit on every position", 2)
    yield table(
        "outcomes | all bets on the outcome | all bets of the layout",
        rows,
        "Net win in units of one player in one round, with these bets at their limits and no others. "
        f"{_the_worst(outcomes)}: {worst} units. A limit of L on every position multiplies the figures by L.",
        right="all bets on the outcome | all bets of the layout",
        wide="outcomes",
    )


def _the_worst(outcomes: tuple[str, ...]) -> str:
    if len(outcomes) == 1:
        return f"The worst outcome is {outcomes[0]}"
    return f"The worst outcomes are {', '.join(outcomes[:-1])} and {outcomes[-1]}"


def _minimum_returns(par: Par) -> Iterator[Block]:
    yield Heading("Minimum return checks")
    yield table(
        "jurisdiction | minimum return | lowest return | result | bets below the minimum",
        [
            (
                check.profile.name,
                percent(check.profile.minimum),
                _with_decimal(check.least),
                "passes" if check.passed else "FAILS",
                ", ".join(f"{b.id} (layout {b.layout})" for b in check.below) or "none",
            )
            for check in par.minimum_returns
        ],
        f"{par.minimum_returns[0].bets} bets and packages were checked. The minimum applies to every single one.",
        right="minimum return | lowest return",
        wide="bets below the minimum",
    )
    yield table(
        "jurisdiction | source | confirmed | note",
        [(p.name, p.source, p.confirmed, p.note or "–") for p in (check.profile for check in par.minimum_returns)],
        "The profiles are not legal advice. Check them against the law in force.",
        wide="source | confirmed | note",
        size=7.2,
    )


def _notes(par: Par) -> Iterator[Block]:
    yield Heading("How the figures are computed")
    yield Paragraph(
        "The positions are derived from the geometry of the layout in the rulebook, and the odds from the pay table. "
        "On a wheel with n segments, a bet that covers k of them and pays p to 1 wins with probability k/n and has the "
        "edge 1 − k(p + 1)/n. Variance, skewness and kurtosis follow from the two possible net results, p and −1. The "
        "net result of a package is the sum of the results of its pieces for each outcome. Bands up to 10,000 rounds "
        "are quantiles of the distribution of the total net result, computed by Fourier transform with an error below "
        "10⁻¹¹ in every probability. A void round returns every stake and is not part of any figure."
    )
    if par.game.rulebook.inferred:
        yield Heading("Inferred facts", 2)
        yield table(
            "where | grade | why",
            [(note.at, note.grade, note.why) for note in par.game.rulebook.inferred],
            "Facts of the rulebook that the rule document does not state, with the rulebook's own grade and reason.",
            wide="why",
        )


def _changes(changes: Changes) -> Iterator[Block]:
    yield Heading(f"Changes from {changes.old.game.id}, version {changes.old.game.rulebook.version}")
    if changes.facts:
        yield table("item | before | after", [*changes.facts], wide="before | after", size=7.2)
    yield from _changed_bets(changes)
    if changes.dominated:
        dominated = [
            (where, id, "now dominated" if now else "no longer dominated") for where, id, now in changes.dominated
        ]
        yield table("where | bet | change", dominated, wide="change", size=7.2)
    else:
        yield Paragraph("No bet has become dominated or ceased to be dominated.")
    if changes.clauses:
        texts = [(clause, was or "–", now or "–") for clause, was, now in changes.clauses]
        yield table("clause | text before | text after", texts, wide="text before | text after", size=7.2)
    else:
        yield Paragraph("The texts of all clauses are unchanged.")


def _changed_bets(changes: Changes) -> Iterator[Block]:
    if not changes.bets:
        yield Paragraph(f"The figures of all {changes.same} bets and packages are unchanged.")
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
        for change, count in _grouped(changes)
    ]
    yield table(
        "where | bet | pays | edge before | edge after | rounds to separate",
        rows,
        f"{changes.same} bets and packages are unchanged. Rounds to separate: the number of rounds after which the "
        "95 % bands of the old and the new hold no longer overlap (normal approximation).",
        right="pays | edge before | edge after | rounds to separate",
        wide="bet",
        size=7.2,
    )


def _grouped(changes: Changes) -> list[tuple[Change, int]]:
    """Group bets of a family that changed in the same way. Returns one change of each group and the group's size."""
    groups: dict[tuple[object, ...], list[Change]] = {}
    for change in changes.bets:
        family = change.id.partition(":")[0]
        how = (change.pays, _key(change.before), _key(change.after), _moved(change))
        groups.setdefault((change.where, family, *how), []).append(change)
    return [(group[0], len(group)) for group in groups.values()]


def _key(figures: Figures | None) -> object:
    return None if figures is None else (figures.edge, figures.moments)


def _moved(change: Change) -> str:
    """Format the changed numbers of a bet or pieces of a package; empty if they are unchanged."""
    was, now = change.of
    return "" if was is None or now is None or was == now else f": {was} → {now}"


def _family(id: str, count: int) -> str:
    return id if count == 1 else f"{id} and {count - 1} more of this kind"


def _every_bet(layout: LayoutFigures) -> Iterator[Block]:
    yield Heading(f"Appendix: every position of layout {layout.id}", new_page=len(layout.bets) > _MAX_APPENDED)
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
