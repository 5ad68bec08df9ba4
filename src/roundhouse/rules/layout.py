"""A layout: every position where a chip can be placed, with its pockets, its payout and its clauses.

Builds layouts from a rulebook's picture, boxes and pay table. A fault in one part does not stop the checks
of the others; the caller discards the layout if there were faults.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from roundhouse.rules.checks import check_boxes_against_cells
from roundhouse.rules.errors import Faults
from roundhouse.rules.geometry import InvalidPicture, Point, Rect, cells_of, row_of, spots
from roundhouse.rules.names import BetType, Clause, LayoutId, Pocket, PositionId, type_of
from roundhouse.rules.rulebook import Box, LayoutPlan, PayRow
from roundhouse.rules.wheel import Wheel


class Position(Struct, frozen=True):
    id: PositionId
    type: BetType
    covers: tuple[Pocket, ...]
    at: Point
    pays: int
    """The n of "n to 1": a winning bet returns its stake and n times the stake."""
    clause: Clause
    """Clause of the pay table that prices this position."""
    described: tuple[Clause, ...]
    """Clauses that define this bet and where it is placed."""


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
    """Return the pockets that a box covers. A run of numbers never contains a zero."""
    match box:
        case Box(run=(first, last)):
            covered = {Pocket(str(number)) for number in range(first, last + 1, box.step)}
        case Box(colour=str(colour)):
            covered = {pocket for pocket in wheel.pockets if wheel.colours.get(pocket) == colour}
        case _:
            covered = {box.pocket} if box.pocket is not None else set()
    return wheel.canonical(covered)


_UnpricedBet = tuple[PositionId, tuple[Pocket, ...], Point]
"""A bet without its price: its id, the pockets that it covers, and its point on the layout."""


def build_layout(
    id: LayoutId, plan: LayoutPlan, wheel: Wheel, boxes: Mapping[PositionId, Box | None], faults: Faults
) -> Layout | None:
    """Build a layout, or return ``None`` if its picture is invalid. ``boxes`` has ``None`` for each invalid box."""
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
            "add it to wheel.pockets or to [boxes], or remove it from the picture",
            below=row_of(plan.picture, word),
        )
    top_line = _top_line(place, plan, wheel, faults)
    unpriced: list[_UnpricedBet] = [(spot.id, spot.covers, spot.at) for spot in spots(cells, wheel, top_line)]
    for id_of_box, rect in drawn.items():
        box = boxes[id_of_box]
        unpriced.append((id_of_box, covered_by(box, wheel) if box else (), rect.middle))
    _check_places(place, unpriced, faults)
    check_boxes_against_cells(place, unpriced, cells, drawn, wheel, faults)
    _check_singles(place, wheel, unpriced, faults)
    _check_offer(place, plan, [id for id, _, _ in unpriced], faults)
    order = {kind: n for n, kind in enumerate(plan.bets)}
    positions = list(_price(place, plan, unpriced, faults))
    positions.sort(
        key=lambda p: (order.get(_key(p.id, order), len(order)), [wheel.rank[pocket] for pocket in p.covers])
    )
    _check_rows(place, plan, wheel, [p for p in positions if p.covers], faults)
    labels = {id: box.label for id, box in boxes.items() if box and id in drawn}
    return Layout(id, plan.clause, wheel, cells, drawn, labels, tuple(positions))


def _squares(place: str, plan: LayoutPlan, faults: Faults) -> Mapping[str, Rect] | None:
    valid = all(1 <= side <= 1000 for side in plan.square)
    if not valid:
        faults.add(f"{place}.square", "the size is out of range", "write [width, height], each from 1 to 1000")
    try:
        return cells_of(plan.picture, plan.square if valid else (1, 1))
    except InvalidPicture as error:
        for flaw in error.flaws:
            faults.add(f"{place}.picture", flaw.wrong, flaw.remedy, below=flaw.row)
        return None


def _key(position: PositionId, table: Mapping[str, object]) -> str:
    """Return the key of a position in a table: its id if the table lists the id, else its bet type."""
    return position if position in table else type_of(position)


def _top_line(place: str, plan: LayoutPlan, wheel: Wheel, faults: Faults) -> frozenset[Pocket] | None:
    if plan.top_line is None:
        return None
    named = [Pocket(word) for word in plan.top_line.split()]
    for pocket in named:
        if pocket not in wheel.rank:
            faults.add(f"{place}.top_line", f"the wheel has no pocket {pocket}", "use pockets of wheel.pockets")
    if len(set(named)) < len(named):
        faults.add(f"{place}.top_line", "a pocket is listed twice", "list every pocket once")
    return frozenset(named) & wheel.rank.keys()


def _check_places(place: str, bets: list[_UnpricedBet], faults: Faults) -> None:
    """Check that ids and points are unique, so that each point stands for one bet."""
    named: dict[PositionId, Point] = {}
    taken: dict[Point, PositionId] = {}
    for id, _, at in bets:
        if id in named:
            faults.add(f"{place}.picture", f"the picture gives the bet {id} twice", "redraw the picture")
        elif at in taken:
            faults.add(f"{place}.picture", f"{id} and {taken[at]} are at the same point", "redraw the picture")
        named[id] = at
        taken[at] = id


def _check_singles(place: str, wheel: Wheel, bets: list[_UnpricedBet], faults: Faults) -> None:
    alone = {covers[0] for _, covers, _ in bets if len(covers) == 1}
    unclear = any(not covers for _, covers, _ in bets)
    for pocket in wheel.pockets:
        if pocket not in alone and not unclear:
            faults.add(
                f"{place}.picture",
                f"there is no bet on {pocket} alone, although the wheel has this pocket",
                "draw the pocket or its box, or remove it from the wheel",
            )


def _check_offer(place: str, plan: LayoutPlan, derived: list[PositionId], faults: Faults) -> None:
    """Check that the bet types derived from the picture are the types that ``bets`` lists."""
    given: dict[str, list[PositionId]] = {}
    for id in derived:
        given.setdefault(_key(id, plan.bets), []).append(id)
    for kind, ids in given.items():
        if kind not in plan.bets and not faults.omitted_in(f"{place}.bets"):
            some = f"the bet {ids[0]}" if len(ids) == 1 else f"{len(ids)} bets such as {ids[0]}"
            faults.add(
                f"{place}.bets",
                f"the picture gives {some}, but the layout does not offer the type {kind}",
                "add the type to 'bets' with its clause, or redraw the picture",
            )
    for kind, clauses in plan.bets.items():
        if not clauses:
            faults.add(f"{place}.bets.{kind}", "no clause describes this type of bet", "give at least one clause")
    for offered in plan.bets.keys() - given.keys():
        faults.add(
            f"{place}.bets.{offered}",
            f"the layout offers {offered}, but its picture gives no such bet",
            "redraw the picture or remove the type",
        )
    if plan.top_line is not None and "top_line" not in given:
        faults.add(f"{place}.top_line", "the picture gives no Top Line", "remove the key or redraw the picture")


def _price(place: str, plan: LayoutPlan, bets: list[_UnpricedBet], faults: Faults) -> Iterator[Position]:
    """Price every bet. A bet that the pay table leaves out gets the price 0 and adds a fault."""
    prices: dict[str, PayRow] = {}
    for i, row in enumerate(plan.pay_table.rows):
        if row.pays < 1:
            faults.add(f"{place}.pay_table.rows[{i}]", f"the row pays {row.pays} to 1", "write 1 or more")
        if not row.bets:
            faults.add(f"{place}.pay_table.rows[{i}]", "the row lists no bets", "list its bets or remove it")
        for bet in row.bets:
            if bet in prices:
                faults.add(f"{place}.pay_table.rows[{i}]", f"{bet} already has a price", "price every bet once")
            prices[bet] = row
    unpriced: dict[str, PositionId] = {}
    for id, covers, at in bets:
        key = _key(id, prices)
        if key not in prices:
            unpriced.setdefault(key, id)
        pays = prices[key].pays if key in prices else 0
        described = plan.bets.get(_key(id, plan.bets), ())
        yield Position(id, type_of(id), covers, at, pays, plan.pay_table.clause, described)
    for kind, id in unpriced.items() if not faults.omitted_in(f"{place}.pay_table") else ():
        faults.add(
            f"{place}.pay_table",
            f"{id} has no price",
            f"add a row for {kind}",
        )
    for bet in prices.keys() - {_key(id, prices) for id, _, _ in bets}:
        faults.add(
            f"{place}.pay_table", f"a row prices {bet}, which the layout does not offer", "remove it from the row"
        )


def _check_rows(place: str, plan: LayoutPlan, wheel: Wheel, positions: list[Position], faults: Faults) -> None:
    """Check each row of the pay table against its positions. Report the first position that does not match."""
    prices = {bet: i for i, row in enumerate(plan.pay_table.rows) for bet in row.bets}
    by_row: dict[int | None, dict[Position, int]] = {}
    for position in positions:
        row_number = prices.get(_key(position.id, prices))
        by_row.setdefault(row_number, {})[position] = sum([wheel.segments[pocket] for pocket in position.covers])
    for i, row in enumerate(plan.pay_table.rows):
        covered = by_row.get(i, {})
        for position, segments in covered.items():
            if segments != row.numbers:
                faults.add(
                    f"{place}.pay_table.rows[{i}]",
                    f"'numbers' is {row.numbers}, but {position.id} covers {segments} segments",
                    "correct 'numbers', the picture, the box or the wheel",
                )
                break
        for position, segments in covered.items():
            # Over all segments, one unit staked per spin must not return more than was staked.
            if segments * (position.pays + 1) > len(wheel.order):
                faults.add(
                    f"{place}.pay_table.rows[{i}]",
                    f"{position.id} favours the player: {position.pays} to 1 on {segments} of {len(wheel.order)}",
                    "lower 'pays' or correct what the bet covers",
                )
                break


def canonical_name(layout: Layout, name: str) -> PositionId | None:
    """Find the position that a name means if the order or spelling of its numbers differs from the canonical id.

    For error messages only. Input must use the canonical id, because the ledger treats two names as two bets.
    """
    kind, _, numbers = name.lower().replace("/", "-").partition(":")
    wanted = sorted(_bare(number) for number in numbers.split("-"))
    for known in layout.positions:
        if known.id == name.lower() or (numbers and known.id.lower() == name.lower()):
            return known.id
        has_numbers = ":" in known.id and known.type == kind
        if numbers and has_numbers and wanted == sorted(_bare(pocket.lower()) for pocket in known.covers):
            return known.id
    return None


def _bare(number: str) -> str:
    """Strip leading zeros, so that ``01`` means 1. Keep 0, 00 and 000, which are different pockets."""
    return number.lstrip("0") or number
