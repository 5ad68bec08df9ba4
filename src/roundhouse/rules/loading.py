"""Loads a rulebook file into a game, or reports all faults of the file."""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final, TypeVar

import msgspec.inspect
from msgspec import convert

from roundhouse.rules import checks
from roundhouse.rules.clauses import cited_in
from roundhouse.rules.errors import Fault, Faults, InvalidRulebook, Places
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout, build_layout
from roundhouse.rules.names import Clause, IrregularityId, LayoutId, PositionId, TerminalId
from roundhouse.rules.packages import Terminal, build_terminals
from roundhouse.rules.rulebook import (
    Authority,
    Betting,
    Box,
    ChipsRule,
    Inferred,
    Irregularity,
    LayoutPlan,
    Rulebook,
    SettlementRule,
    SpinRule,
    TerminalPlan,
    WheelPlan,
)
from roundhouse.rules.schema import check_structure
from roundhouse.rules.wheel import Wheel

T = TypeVar("T")


# Cached, because every table of a house loads its rulebook several times, and a game never changes.
@lru_cache(maxsize=32)
def load(content: bytes) -> Game:
    """Load the game in a rulebook file. Raises ``InvalidRulebook`` with all faults found."""
    raw, text = _parse(content)
    faults = Faults(Places(text))
    valid: Mapping[str, Any] = check_structure(raw, _rulebook_type(), "", faults)
    wheel, layouts, terminals = _check(valid, raw, faults)
    if faults.found:
        raise InvalidRulebook(faults.in_file_order())
    assert wheel is not None, "a valid rulebook has a wheel"
    return Game(convert(valid, Rulebook), hashlib.sha256(content).hexdigest(), wheel, layouts, terminals)


@cache
def _rulebook_type() -> msgspec.inspect.Type:
    return msgspec.inspect.type_info(Rulebook)


MAX_BYTES: Final = 256 * 1024
"""Largest rulebook file. The shipped ones have less than 30 KiB."""
_MAX_DOTS: Final = 100
"""Largest number of dots in a line. ``tomllib`` needs minutes for a dotted key of some ten thousand parts."""


def _parse(content: bytes) -> tuple[dict[str, Any], str]:
    if len(content) > MAX_BYTES:
        wrong = f"the file has more than {MAX_BYTES // 1024} KiB"
        raise InvalidRulebook((Fault("file", None, wrong, "remove what is not part of the rules"),))
    for number, found in enumerate(content.split(b"\n"), start=1):
        if found.count(b".") > _MAX_DOTS:
            wrong = f"the line has more than {_MAX_DOTS} dots"
            raise InvalidRulebook((Fault("file", number, wrong, "write it as several lines"),))
    try:
        text = content.decode().removeprefix("\ufeff")
        return tomllib.loads(text), text
    except UnicodeDecodeError as error:
        fault = Fault("file", None, f"byte {error.start} is not UTF-8 text", "save the file as UTF-8")
    except (ValueError, RecursionError) as error:  # Huge numbers and deeply nested brackets also raise these.
        line = re.search(r"at line (\d+)", str(error))
        reason = str(error).replace("Cannot overwrite a value", "a key or table is defined twice")
        fault = Fault("file", int(line[1]) if line else None, f"not valid TOML: {reason}", "correct the file")
    raise InvalidRulebook((fault,))


def _keys(raw: Mapping[str, Any], table: str) -> list[PositionId]:
    found = raw.get(table)
    return list(map(PositionId, found)) if isinstance(found, dict) else []


def _check(
    valid: Mapping[str, Any], raw: Mapping[str, Any], faults: Faults
) -> tuple[Wheel | None, Mapping[LayoutId, Layout], Mapping[TerminalId, Terminal]]:
    """Check the sections whose structure is ``valid``. Build the wheel, layouts and terminals from them."""

    def section(name: str, kind: type[T]) -> T | None:
        return convert(valid[name], kind) if name in valid else None

    checks.check_identity(valid, faults)
    plan = section("wheel", WheelPlan)
    spin = section("spin", SpinRule)
    boxes = section("boxes", dict[PositionId, Box]) or {}
    plans = section("layouts", dict[LayoutId, LayoutPlan]) or {}
    if not plans and not faults.omitted_in("layouts"):
        faults.add("layouts", "no layout", "add at least one")
    wheel = checks.check_wheel(plan, faults) if plan else None
    if plan and spin:
        checks.check_spin(spin, plan, faults)
    layouts: dict[LayoutId, Layout] = {}
    if wheel:
        pictures = " ".join(layout.picture for layout in plans.values())
        checked = checks.check_boxes(boxes, wheel, pictures, faults)
        # Add boxes with an invalid structure, so that their names in a picture are not reported as unknown.
        checked = {id: checked.get(id) for id in [*boxes, *_keys(raw, "boxes")]}
        built = {id: build_layout(id, layout, wheel, checked, faults) for id, layout in plans.items()}
        layouts = {id: layout for id, layout in built.items() if layout}
    terminals = build_terminals(section("terminals", tuple[TerminalPlan, ...]) or (), layouts, plans.keys(), faults)
    if betting := section("betting", Betting):
        checks.check_betting(betting, faults)
    if chips := section("chips", ChipsRule):
        checks.check_chips(chips, faults)
    if wheel and (settlement := section("settlement", SettlementRule)):
        checks.check_settlement(settlement, wheel, faults)
    authority = section("authority", Authority)
    if plan and (irregularities := section("irregularities", dict[IrregularityId, Irregularity])):
        checks.check_irregularities(irregularities, plan, spin, authority.ladder if authority else (), faults)
    if authority:
        checks.check_authority(authority, faults)
    checks.check_inferred(section("inferred", tuple[Inferred, ...]) or (), raw, faults)
    cited = [
        citation
        for field in msgspec.structs.fields(Rulebook)
        if field.name in valid
        for citation in cited_in(convert(valid[field.name], field.type), field.type, field.name)
    ]
    checks.check_clauses(cited, section("clauses", dict[Clause, str]) or {}, faults)
    return wheel, layouts, terminals
