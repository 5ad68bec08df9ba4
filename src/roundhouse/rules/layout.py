"""The layout: every position a chip can stand on, with what it covers, what it pays and by which clause.

Laying out: from a rulebook's picture, boxes and pay table to a layout, with every fault on the way.

A flaw in one part does not hide the flaws of another: the layout is laid out as far as it can be. Whether it
may be used is decided by whether there were faults.

The one name of a position: what somebody may have meant who wrote another.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from roundhouse.rules.checks import check_boxes_against_cells
from roundhouse.rules.errors import Faults
from roundhouse.rules.geometry import NotAPicture, Point, Rect, cells_of, row_of, spots
from roundhouse.rules.names import BetType, Clause, LayoutId, Pocket, PositionId, type_of
from roundhouse.rules.rulebook import Box, LayoutPlan, PayRow
from roundhouse.rules.wheel import Wheel


class Position(Struct, frozen=True):
    id: PositionId
    type: BetType
    covers: tuple[Pocket, ...]
    at: Point
    pays: int
    """The n of "n to 1": a bet that wins gets its stake back and n times that."""
    clause: Clause
    """The pay table that prices it."""
    described: tuple[Clause, ...]
    """The clauses that say what this bet is and where it is placed."""


@dataclass(frozen=True)
class Layout:
    id: LayoutId
    clause: Clause
    wheel: Wheel
    cells: Mapping[Pocket, Rect]
    boxes: Mapping[PositionId, Rect]
    labels: Mapping[PositionId, str]
    positions: tuple[Position, ...]
    by_id: Mapping[PositionId, Position] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {position.id: position for position in self.positions})


def covered_by(box: Box, wheel: Wheel) -> tuple[Pocket, ...]:
    """The pockets that a box covers. A zero has a numeral but no number: no run contains it."""
    match box:
        case Box(run=(first, last)):
            covered = {Pocket(str(number)) for number in range(first, last + 1, box.step)}
        case Box(colour=str(colour)):
            covered = {pocket for pocket in wheel.pockets if wheel.colours.get(pocket) == colour}
        case _:
            covered = {box.pocket} if box.pocket is not None else set()
    return wheel.canonical(covered)


_Stand = tuple[PositionId, tuple[Pocket, ...], Point]
"""A bet before it has a price: its name, what it covers, where it stands."""


def build_layout(
    id: LayoutId, plan: LayoutPlan, wheel: Wheel, boxes: Mapping[PositionId, Box | None], faults: Faults
) -> Layout | None:
    """The layout, or nothing where there is no picture to see it in. A box that is ``None`` has a fault already."""
    place = f"layouts.{id}"
    squares = _squares(place, plan, faults)
    if squares is None:
        return None
    cells = {pocket: squares[pocket] for pocket in wheel.pockets if pocket in squares}
    drawn = {box: squares[box] for box in boxes if box in squares}
    for word in squares.keys() - cells.keys() - drawn.keys():
        faults.add(
            f"{place}.picture",
            f"'{word}' is neither a pocket of the wheel nor a box",
            "add it to wheel.pockets or to [boxes], or take it out of the picture",
            below=row_of(plan.picture, word),
        )
    top_line = _top_line(place, plan, wheel, faults)
    stands: list[_Stand] = [(spot.id, spot.covers, spot.at) for spot in spots(cells, wheel, top_line)]
    for id_of_box, rect in drawn.items():
        box = boxes[id_of_box]
        stands.append((id_of_box, covered_by(box, wheel) if box else (), rect.middle))
    _check_places(place, stands, faults)
    check_boxes_against_cells(place, stands, cells, drawn, wheel, faults)
    _check_singles(place, wheel, stands, faults)
    _check_offer(place, plan, [id for id, _, _ in stands], faults)
    kinds = list(plan.bets)
    positions = list(_price(place, plan, stands, faults))
    positions.sort(
        key=lambda p: (
            kinds.index(_key(p.id, plan.bets)) if _key(p.id, plan.bets) in kinds else len(kinds),
            [wheel.rank[pocket] for pocket in p.covers],
        )
    )
    _check_rows(place, plan, wheel, [p for p in positions if p.covers], faults)
    labels = {id: box.label for id, box in boxes.items() if box and id in drawn}
    return Layout(id, plan.clause, wheel, cells, drawn, labels, tuple(positions))


def _squares(place: str, plan: LayoutPlan, faults: Faults) -> Mapping[str, Rect] | None:
    sound = all(1 <= side <= 1000 for side in plan.square)
    if not sound:
        faults.add(f"{place}.square", "a square has no such size", "write [width, height], each from 1 to 1000")
    try:
        return cells_of(plan.picture, plan.square if sound else (1, 1))
    except NotAPicture as broken:
        for flaw in broken.flaws:
            faults.add(f"{place}.picture", flaw.wrong, flaw.remedy, below=flaw.row)
        return None


def _key(position: PositionId, table: Mapping[str, object]) -> str:
    """How a table names a position: by its own id where it has one there, else by its type."""
    return position if position in table else type_of(position)


def _top_line(place: str, plan: LayoutPlan, wheel: Wheel, faults: Faults) -> frozenset[Pocket] | None:
    if plan.top_line is None:
        return None
    named = [Pocket(word) for word in plan.top_line.split()]
    for pocket in named:
        if pocket not in wheel.rank:
            faults.add(f"{place}.top_line", f"the wheel has no pocket {pocket}", "name pockets of wheel.pockets")
    if len(set(named)) < len(named):
        faults.add(f"{place}.top_line", "a pocket stands twice", "name every pocket once")
    return frozenset(named) & wheel.rank.keys()


def _check_places(place: str, stands: list[_Stand], faults: Faults) -> None:
    """One name, one bet, one place: a chip must never stand for two things."""
    named: dict[PositionId, Point] = {}
    taken: dict[Point, PositionId] = {}
    for id, _, at in stands:
        if id in named:
            faults.add(f"{place}.picture", f"the picture gives the bet {id} twice", "redraw the picture")
        elif at in taken:
            faults.add(f"{place}.picture", f"{id} and {taken[at]} have one place", "redraw the picture")
        named[id] = at
        taken[at] = id


def _check_singles(place: str, wheel: Wheel, stands: list[_Stand], faults: Faults) -> None:
    alone = {covers[0] for _, covers, _ in stands if len(covers) == 1}
    unclear = any(not covers for _, covers, _ in stands)
    for pocket in wheel.pockets:
        if pocket not in alone and not unclear:
            faults.add(
                f"{place}.picture",
                f"wheel and layout disagree: no bet on {pocket} alone can be placed",
                "draw the pocket or its box, or take it off the wheel",
            )


def _check_offer(place: str, plan: LayoutPlan, derived: list[PositionId], faults: Faults) -> None:
    """What the geometry gives and what ``bets`` offers must be the same, type by type."""
    given: dict[str, list[PositionId]] = {}
    for id in derived:
        given.setdefault(_key(id, plan.bets), []).append(id)
    for kind, ids in given.items():
        if kind not in plan.bets and not faults.lost_in(f"{place}.bets"):
            some = f"the bet {ids[0]}" if len(ids) == 1 else f"{len(ids)} bets such as {ids[0]}"
            faults.add(
                f"{place}.bets",
                f"the picture gives {some}, but the layout does not offer the type {kind}",
                "add the type to 'bets' with its clause, or redraw the picture",
            )
    for kind, clauses in plan.bets.items():
        if not clauses:
            faults.add(f"{place}.bets.{kind}", "no clause describes it", "name at least one clause")
    for offered in plan.bets.keys() - given.keys():
        faults.add(
            f"{place}.bets.{offered}",
            f"the layout offers {offered}, but its picture gives no such bet",
            "redraw the picture or remove the type",
        )
    if plan.top_line is not None and "top_line" not in given:
        faults.add(f"{place}.top_line", "the picture gives no Top Line to define", "remove it or redraw the picture")


def _price(place: str, plan: LayoutPlan, stands: list[_Stand], faults: Faults) -> Iterator[Position]:
    """Every bet as a position; one without a price pays nothing, and that is a fault."""
    prices: dict[str, PayRow] = {}
    for i, row in enumerate(plan.pay_table.rows):
        if row.pays < 1:
            faults.add(f"{place}.pay_table.rows[{i}]", f"it pays {row.pays} to 1", "write 1 or more")
        if not row.bets:
            faults.add(f"{place}.pay_table.rows[{i}]", "the row prices nothing", "name its bets or remove it")
        for bet in row.bets:
            if bet in prices:
                faults.add(f"{place}.pay_table.rows[{i}]", f"{bet} has a price already", "price every bet once")
            prices[bet] = row
    unpriced: dict[str, PositionId] = {}
    for id, covers, at in stands:
        key = _key(id, prices)
        if key not in prices:
            unpriced.setdefault(key, id)
        pays = prices[key].pays if key in prices else 0
        described = plan.bets.get(_key(id, plan.bets), ())
        yield Position(id, type_of(id), covers, at, pays, plan.pay_table.clause, described)
    for kind, id in unpriced.items() if not faults.lost_in(f"{place}.pay_table") else ():
        faults.add(
            f"{place}.pay_table",
            f"the pay table leaves {id} without a price",
            f"add a row for {kind}, with what it pays",
        )
    for bet in prices.keys() - {_key(id, prices) for id, _, _ in stands}:
        faults.add(
            f"{place}.pay_table", f"a row prices {bet}, which the layout does not offer", "remove it from the row"
        )


def _check_rows(place: str, plan: LayoutPlan, wheel: Wheel, positions: list[Position], faults: Faults) -> None:
    """Each row of the pay table, held against the first of its positions that does not fit it."""
    prices = {bet: i for i, row in enumerate(plan.pay_table.rows) for bet in row.bets}
    for i, row in enumerate(plan.pay_table.rows):
        priced = [position for position in positions if prices.get(_key(position.id, prices)) == i]
        covered = {position: sum(wheel.segments[pocket] for pocket in position.covers) for position in priced}
        for position, segments in covered.items():
            if segments != row.numbers:
                faults.add(
                    f"{place}.pay_table.rows[{i}]",
                    f"the row is for bets on {row.numbers} of the wheel, but {position.id} covers {segments}",
                    "correct 'numbers', the picture, the box or the wheel",
                )
                break
        for position, segments in covered.items():
            # Of every segment of the wheel, those that win must not bring back more than all of them cost.
            if segments * (position.pays + 1) > len(wheel.order):
                faults.add(
                    f"{place}.pay_table.rows[{i}]",
                    f"{position.id} favours the player: {position.pays} to 1 on {segments} of {len(wheel.order)}",
                    "lower 'pays' or correct what the bet covers",
                )
                break


def canonical_name(layout: Layout, written: str) -> PositionId | None:
    """The canonical id, where the numbers are right but their order or spelling is not.

    An alias is told, never taken: two names for one bet would be two bets in a ledger.
    """
    kind, _, numbers = written.lower().replace("/", "-").partition(":")
    asked = sorted(_bare(number) for number in numbers.split("-"))
    for known in layout.positions:
        if known.id == written.lower() or (numbers and known.id.lower() == written.lower()):
            return known.id
        has_numbers = ":" in known.id and known.type == kind
        if numbers and has_numbers and asked == sorted(_bare(pocket.lower()) for pocket in known.covers):
            return known.id
    return None


def _bare(number: str) -> str:
    """``01`` is 1, but 0, 00 and 000 are three different pockets."""
    return number.lstrip("0") or number
