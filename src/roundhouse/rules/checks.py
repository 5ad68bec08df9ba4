"""Checks of a rulebook's content, one function per section. Each reports all faults that it finds.

``schema`` checks the structure of the file. ``layout`` checks geometry and prices.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from roundhouse.rules.clauses import Citation
from roundhouse.rules.errors import Faults
from roundhouse.rules.geometry import Point, Rect
from roundhouse.rules.judge import MEASURED, SAME_DIRECTION, VOCABULARY
from roundhouse.rules.names import Clause, Colour, IrregularityId, Pocket, PositionId, StaffPosition, type_of
from roundhouse.rules.rulebook import (
    Authority,
    Betting,
    Box,
    ChipsRule,
    Inferred,
    Irregularity,
    SettlementRule,
    SpinRule,
    Spun,
    WheelPlan,
)
from roundhouse.rules.wheel import Wheel

SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_POCKET = re.compile(r"[A-Za-z0-9]+")
_BOX = re.compile(r"[a-z_]+(?::[A-Za-z0-9]+)?")
_DERIVED = {"straight", "split", "street", "corner", "line", "top_line"}
_OUTSIDE_THE_LADDER = {
    StaffPosition.PLAYER,
    StaffPosition.CASHIER,
    StaffPosition.AUTOMATIC_DEALER,
    StaffPosition.SYSTEM,
}


def duplicates(items: Iterable[str]) -> list[str]:
    return [item for item, count in Counter(items).items() if count > 1]


def check_identity(fields: Mapping[str, object], faults: Faults) -> None:
    match fields.get("id"):
        case str(id) if not SLUG.fullmatch(id):
            faults.add("id", f"'{id}' is not a game id", "write lower-case words and digits joined by dashes")
    for name in ("title", "operator", "version"):
        if str(fields.get(name, name)).strip() == "":
            faults.add(name, "empty", f"write the {name}")
    match fields.get("effective"):
        case datetime() as effective if effective.utcoffset() is None:
            faults.add("effective", "a time without its offset from UTC", "end it with an offset such as +08:00")


def check_wheel(plan: WheelPlan, faults: Faults) -> Wheel:
    """Check the wheel and build it from the entries that are valid."""
    by_ball = plan.spun is Spun.BALL and not faults.omitted_in("wheel.spun")
    pockets = tuple(Pocket(word) for word in plan.pockets.split())
    order = tuple(Pocket(word) for word in plan.order.split())
    if not pockets:
        faults.add("wheel.pockets", "no pockets", "list every outcome once")
    for pocket in duplicates(pockets):
        faults.add("wheel.pockets", f"pocket {pocket} is listed twice", "list every outcome once")
    for pocket in pockets:
        if not _POCKET.fullmatch(pocket):
            faults.add("wheel.pockets", f"'{pocket}' is not a valid pocket name", "use letters and digits only")
    for pocket in duplicates(order) if by_ball else []:
        faults.add("wheel.order", f"pocket {pocket} is listed twice", "give it one compartment")
    for pocket in dict.fromkeys(order):
        if pocket not in pockets:
            faults.add("wheel.order", f"{pocket} is not a pocket of the wheel", "add it to wheel.pockets")
    for pocket in pockets:
        if pocket not in order:
            faults.add("wheel.order", f"pocket {pocket} is missing", "add it at its place on the rim")
    for pocket, count in (plan.segments or {}).items():
        if order.count(pocket) != count:
            faults.add(
                "wheel.order", f"{pocket} is listed {order.count(pocket)} times, not {count}", "correct the order"
            )
    if plan.segments is not None and plan.segments.keys() != set(pockets):
        faults.add(
            "wheel.segments", "the keys differ from wheel.pockets", "give the number of segments of every pocket"
        )
    colours = _check_colours(plan, pockets, by_ball, faults)
    once = tuple(dict.fromkeys(pockets))
    return Wheel(plan.spun, once, tuple(pocket for pocket in order if pocket in once), colours)


def _check_colours(
    plan: WheelPlan, pockets: tuple[Pocket, ...], by_ball: bool, faults: Faults
) -> Mapping[Pocket, Colour]:
    colours: dict[Pocket, Colour] = {}
    for colour, named in plan.colours.items():
        for pocket in map(Pocket, named.split()):
            if pocket not in pockets:
                faults.add(f"wheel.colours.{colour}", f"the wheel has no pocket {pocket}", "use pockets of the wheel")
            elif pocket in colours:
                faults.add(f"wheel.colours.{colour}", f"pocket {pocket} already has a colour", "give it one colour")
            colours[pocket] = colour
    for pocket in pockets if by_ball and not faults.omitted_in("wheel.colours") else ():
        if pocket not in colours:
            faults.add("wheel.colours", f"pocket {pocket} has no colour", "add it to one of the colours")
    return colours


def check_spin(rule: SpinRule, wheel: WheelPlan, faults: Faults) -> None:
    if rule.least_revolutions < 1:
        faults.add("spin.least_revolutions", "a valid spin needs at least one revolution", "write 1 or more")
    if rule.against_the_wheel and wheel.spun is Spun.WHEEL:
        faults.add("spin.against_the_wheel", "this wheel has no ball", "remove the key")


def check_boxes(
    boxes: Mapping[PositionId, Box], wheel: Wheel, pictures: str, faults: Faults
) -> Mapping[PositionId, Box | None]:
    """Return the boxes, with ``None`` for invalid ones. ``pictures`` is the text of the pictures of all layouts."""
    checked: dict[PositionId, Box | None] = {}
    drawn = set(pictures.split())
    for id, box in boxes.items():
        before = len(faults.found)
        place = f"boxes.{id}"
        if not _BOX.fullmatch(id) or id.partition(":")[0] in _DERIVED:
            faults.add(place, f"'{id}' is not a valid box name", "use a name like red, dozen:1 or symbol:20")
        if sum(way is not None for way in (box.run, box.colour, box.pocket)) != 1:
            faults.add(place, "the box needs exactly one of run, colour and pocket", "give one of them")
        if box.run is not None and (box.step < 1 or box.run[0] > box.run[1]):
            faults.add(place, "the run is empty", "write [first, last] and a step of 1 or more")
        elif box.run is not None:
            run = range(box.run[0], box.run[1] + 1, box.step)
            missing = next((number for number in run if Pocket(str(number)) not in wheel.rank), None)
            if missing is not None:
                faults.add(place, f"the wheel has no pocket {missing}", "use a run of numbers on the wheel")
        if box.colour is not None and box.colour not in wheel.colours.values():
            faults.add(place, f"the wheel has no colour {box.colour}", "use a colour of wheel.colours")
        if box.pocket is not None and box.pocket not in wheel.rank:
            faults.add(place, f"the wheel has no pocket {box.pocket}", "use a pocket of wheel.pockets")
        if not box.label.strip():
            faults.add(place, "the box has no label", "write the text printed on it")
        checked[id] = box if len(faults.found) == before else None
        if id not in drawn:
            faults.add(place, "the box is not drawn on any layout", "draw it in a picture or remove it")
    return checked


def check_betting(betting: Betting, faults: Faults) -> None:
    for name, phrases in (("opens", betting.opens.phrases), ("closes", betting.closes.phrases)):
        if not phrases or not all(phrase.strip() for phrase in phrases):
            faults.add(f"betting.{name}.phrases", "the announcement is empty", "write its text")
    if set(betting.opens.phrases) & set(betting.closes.phrases):
        faults.add("betting.closes.phrases", "the same phrase opens and closes bets", "use a different phrase")


def check_chips(rule: ChipsRule, faults: Faults) -> None:
    place = "chips.colours"
    if not rule.colours and not faults.omitted_in(place):
        faults.add(place, "the list is empty", "give the colour of every set of chips at the table")
    for colour in rule.colours:
        if not SLUG.fullmatch(colour):
            faults.add(place, f"'{colour}' is not a colour", "write lower-case words joined by dashes")
    for colour in duplicates(rule.colours):
        faults.add(place, f"{colour} is listed twice", "list every colour once")


def check_settlement(rule: SettlementRule, wheel: Wheel, faults: Faults) -> None:
    for pocket in rule.loses_to:
        if pocket not in wheel.rank:
            faults.add(f"settlement.loses_to.{pocket}", f"the wheel has no pocket {pocket}", "remove it")


def check_irregularities(
    listed: Mapping[IrregularityId, Irregularity],
    wheel: WheelPlan,
    spin: SpinRule | None,
    ladder: tuple[StaffPosition, ...],
    faults: Faults,
) -> None:
    for id, irregularity in listed.items():
        place = f"irregularities.{id}"
        if not SLUG.fullmatch(id):
            faults.add(place, f"'{id}' is not a valid code", "write lower-case words joined by underscores")
        if id in VOCABULARY[wheel.spun] | MEASURED and not irregularity.effect.voids:
            faults.add(place, f"'{id}' must make the spin void", "set its effect to void_round")
        foreign = VOCABULARY[Spun.WHEEL if wheel.spun is Spun.BALL else Spun.BALL] - VOCABULARY[wheel.spun]
        if id in foreign and not faults.omitted_in("wheel.spun"):
            faults.add(place, f"'{id}' cannot happen to a {wheel.spun}", "remove it")
        if irregularity.declared_by is not None:
            _check_offices(f"{place}.declared_by", irregularity.declared_by, ladder, faults)
        if id == SAME_DIRECTION and spin is not None and not spin.against_the_wheel:
            faults.add(
                place,
                "spin.against_the_wheel is false, so the ball may turn in the wheel's direction",
                "set spin.against_the_wheel to true or remove the irregularity",
            )


def check_authority(authority: Authority, faults: Faults) -> None:
    ladder = authority.ladder
    for office in duplicates(ladder):
        faults.add("authority.ladder", f"{office} is listed twice", "list every position once, the lowest first")
    for office in _OUTSIDE_THE_LADDER.intersection(ladder):
        faults.add("authority.ladder", f"{office} cannot be in authority.ladder", "remove it")
    _check_offices("authority.declares", authority.declares, ladder, faults)
    _check_offices("authority.decides.position", (authority.decides.position,), ladder, faults)


def _check_offices(
    place: str, offices: tuple[StaffPosition, ...], ladder: tuple[StaffPosition, ...], faults: Faults
) -> None:
    if not offices and not faults.omitted_in(place):
        faults.add(place, "the list is empty", "give a position from authority.ladder")
    for office in offices:
        if office not in (*ladder, StaffPosition.SYSTEM) and not faults.omitted_in("authority"):
            faults.add(place, f"{office} is not in authority.ladder", "use a position of that list or add this one")


def check_clauses(cited: Iterable[Citation], register: Mapping[Clause, str], faults: Faults) -> None:
    for place, clause in cited:
        if clause not in register and not faults.omitted_in("clauses"):
            faults.add(
                place,
                f"clause '{clause}' is cited, but [clauses] does not list it",
                "add it to [clauses] or correct the citation",
            )
    for clause, demands in register.items():
        if not demands.strip():
            faults.add(f"clauses.{clause}", "empty", "write what the clause demands")


def check_inferred(inferred: tuple[Inferred, ...], raw: object, faults: Faults) -> None:
    for i, note in enumerate(inferred):
        if not _exists(raw, note.at.split(".")):
            faults.add(
                f"inferred[{i}].at",
                f"there is no key '{note.at}'",
                "use the path of a key in this file, such as wheel.order",
            )


def _exists(raw: object, path: list[str]) -> bool:
    """Return whether a path exists in parsed TOML. Items of a list are addressed by their id. Keys may contain dots."""
    if not path:
        return True
    if isinstance(raw, list):
        raw = {item["id"]: item for item in raw if isinstance(item, dict) and isinstance(item.get("id"), str)}
    if not isinstance(raw, dict):
        return False
    return any(
        ".".join(path[:n]) in raw and _exists(raw[".".join(path[:n])], path[n:]) for n in range(1, len(path) + 1)
    )


def check_boxes_against_cells(
    place: str,
    bets: list[tuple[PositionId, tuple[Pocket, ...], Point]],
    cells: Mapping[Pocket, Rect],
    drawn: Mapping[PositionId, Rect],
    wheel: Wheel,
    faults: Faults,
) -> None:
    """Check that boxes with a standard name (red, odd, dozen, symbol) cover the pockets that the name implies.

    Boxes with other names may cover any pockets. Boxes of one type must not overlap.
    """
    covers = {id: frozenset(of) for id, of, _ in bets if id in drawn and of}
    for id, of in covers.items():
        expected = _expected(id, drawn[id], cells, wheel)
        if expected is not None and of != expected:
            some = " ".join(wheel.canonical(expected)[:4])
            faults.add(f"boxes.{id}", f"a box of this name covers {some} …", "correct its pockets or its name")
    kinds = sorted({type_of(id) for id in covers})
    for kind in kinds:
        of_kind = [(id, of) for id, of in covers.items() if type_of(id) == kind]
        for (a, of_a), (b, of_b) in ((x, y) for i, x in enumerate(of_kind) for y in of_kind[i + 1 :]):
            if of_a & of_b:
                faults.add(
                    f"boxes.{b}",
                    f"the box shares pocket {min(of_a & of_b)} with {a}",
                    f"boxes of type {kind} must not overlap",
                )
    low, high = covers.get(PositionId("low")), covers.get(PositionId("high"))
    if low and high and max(map(_number, low)) >= min(map(_number, high)):
        faults.add("boxes.low", "some numbers of low are not below those of high", "correct the two runs")


def _expected(id: PositionId, box: Rect, cells: Mapping[Pocket, Rect], wheel: Wheel) -> frozenset[Pocket] | None:
    """Return the pockets that the name of a box implies, or ``None`` if it implies none."""
    kind, _, name = id.partition(":")
    numbers = {pocket for pocket in wheel.pockets if _number(pocket) > 0}
    match kind:
        case "symbol":
            return frozenset({Pocket(name)})
        case "column":
            return frozenset(p for p, cell in cells.items() if (cell.y0, cell.y1) == (box.y0, box.y1)) or None
        case "dozen":
            under = {p for p, cell in cells.items() if box.x0 <= cell.x0 and cell.x1 <= box.x1}
            return frozenset(under) or None
        case "odd" | "even":
            return frozenset(pocket for pocket in numbers if _number(pocket) % 2 == (kind == "odd"))
        case colour if Colour(colour) in wheel.colours.values():
            return frozenset(pocket for pocket, of in wheel.colours.items() if of == colour)
        case _:
            return None


def _number(pocket: Pocket) -> int:
    """Return the number of a pocket, or 0 for zeros and letters."""
    return int(pocket) if pocket.isdecimal() else 0
