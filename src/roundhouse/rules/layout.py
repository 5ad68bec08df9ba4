"""The layout: every position a chip can stand on, with what it covers, what it pays and by which clause."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from roundhouse.rules.faults import Faults
from roundhouse.rules.geometry import spots
from roundhouse.rules.names import BetType, Clause, LayoutId, Pocket, PositionId, type_of
from roundhouse.rules.picture import NotAPicture, Point, Rect, cells_of
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


_Stand = tuple[PositionId, tuple[Pocket, ...], Point]
"""A bet before it has a price: its name, what it covers, where it stands."""


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


def lay_out(
    id: LayoutId, plan: LayoutPlan, wheel: Wheel, boxes: Mapping[PositionId, Box], faults: Faults
) -> Layout | None:
    """The layout that a rulebook's picture gives, or nothing and the faults that stand in its way."""
    place = f"layouts.{id}"
    before = len(faults.found)
    if not all(1 <= side <= 1000 for side in plan.square):
        faults.add(f"{place}.square", "a square has no such size", "write [width, height], each from 1 to 1000")
        return None
    try:
        squares = cells_of(plan.picture, plan.square)
    except NotAPicture as broken:
        for reason in broken.reasons:
            faults.add(f"{place}.picture", reason, "give every cell one rectangle of equal words")
        return None
    cells = {pocket: squares[pocket] for pocket in wheel.pockets if pocket in squares}
    drawn = {box: squares[box] for box in boxes if box in squares}
    for word in squares.keys() - cells.keys() - drawn.keys():
        faults.add(
            f"{place}.picture",
            f"'{word}' is neither a pocket of the wheel nor a box",
            "add it to wheel.pockets or to [boxes], or take it out of the picture",
        )
    top_line = _top_line(place, plan, wheel, faults)
    stands: list[_Stand] = [(spot.id, spot.covers, spot.at) for spot in spots(cells, wheel, top_line)]
    stands += [(box, covered_by(boxes[box], wheel), rect.middle) for box, rect in drawn.items()]
    _check_places(place, stands, faults)
    _check_singles(place, wheel, stands, faults)
    _check_offer(place, plan, [id for id, _, _ in stands], faults)
    if len(faults.found) > before:
        return None
    kinds = list(plan.bets)
    positions = list(_price(place, plan, stands, faults))
    positions.sort(key=lambda p: (kinds.index(_key(p.id, plan.bets)), [wheel.rank[pocket] for pocket in p.covers]))
    _check_rows(place, plan, wheel, positions, faults)
    if len(faults.found) > before:
        return None
    labels = {box: boxes[box].label for box in drawn}
    return Layout(id, plan.clause, wheel, cells, drawn, labels, tuple(positions))


def covered_by(box: Box, wheel: Wheel) -> tuple[Pocket, ...]:
    """The pockets that a box covers. A zero has a numeral but no number: no run contains it."""
    if box.run is not None:
        first, last = box.run
        return wheel.canonical({Pocket(str(number)) for number in range(first, last + 1, box.step)})
    if box.colour is not None:
        return wheel.canonical({pocket for pocket in wheel.pockets if wheel.colours.get(pocket) == box.colour})
    return (box.pocket,) if box.pocket is not None else ()


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


def _check_offer(place: str, plan: LayoutPlan, derived: list[PositionId], faults: Faults) -> None:
    """What the geometry gives and what ``bets`` offers must be the same."""
    for id in derived:
        if _key(id, plan.bets) not in plan.bets:
            faults.add(
                f"{place}.bets",
                f"the picture gives the bet {id}, but the layout does not offer the type {type_of(id)}",
                "add the type to 'bets' with its clause, or redraw the picture",
            )
    given = {_key(id, plan.bets) for id in derived}
    for offered in plan.bets.keys() - given:
        faults.add(
            f"{place}.bets.{offered}",
            f"the layout offers {offered}, but its picture gives no such bet",
            "redraw the picture or remove the type",
        )
    if plan.top_line is not None and "top_line" not in given:
        faults.add(f"{place}.top_line", "the picture gives no Top Line to define", "remove it or redraw the picture")


def _price(place: str, plan: LayoutPlan, stands: list[_Stand], faults: Faults) -> Iterator[Position]:
    prices: dict[str, PayRow] = {}
    for i, row in enumerate(plan.pay_table.rows):
        if row.pays < 1:
            faults.add(f"{place}.pay_table.rows[{i}]", f"it pays {row.pays} to 1", "write 1 or more")
        for bet in row.bets:
            if bet in prices:
                faults.add(f"{place}.pay_table.rows[{i}]", f"{bet} has a price already", "price every bet once")
            prices[bet] = row
    unpriced: dict[str, PositionId] = {}
    for id, covers, at in stands:
        key = _key(id, prices)
        if key in prices:
            described = plan.bets[_key(id, plan.bets)]
            yield Position(id, type_of(id), covers, at, prices[key].pays, plan.pay_table.clause, described)
        else:
            unpriced.setdefault(key, id)
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
    for i, row in enumerate(plan.pay_table.rows):
        priced = [position for position in positions if position.id in row.bets or position.type in row.bets]
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


def _check_singles(place: str, wheel: Wheel, stands: list[_Stand], faults: Faults) -> None:
    alone = {covers[0] for _, covers, _ in stands if len(covers) == 1}
    for pocket in wheel.pockets:
        if pocket not in alone:
            faults.add(
                f"{place}.picture",
                f"wheel and layout disagree: no bet on {pocket} alone can be placed",
                "draw the pocket or its box, or take it off the wheel",
            )
