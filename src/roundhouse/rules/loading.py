"""Loading: from the bytes of a rulebook file to a game, or to every fault of the file at once."""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

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


def load(content: bytes) -> Game:
    """The game in a rulebook file. Raises ``UnsoundRulebook`` with all that is wrong with it."""
    raw, text = _parse(content)
    faults = Faults(Places(text))
    fitted: Mapping[str, Any] = check_structure(raw, _shape_of_a_rulebook(), "", faults)
    wheel, layouts, terminals = _check(fitted, raw, faults)
    if faults.found:
        raise InvalidRulebook(faults.in_file_order())
    assert wheel is not None, "a sound rulebook has a wheel"
    return Game(convert(fitted, Rulebook), hashlib.sha256(content).hexdigest(), wheel, layouts, terminals)


@cache
def _shape_of_a_rulebook() -> msgspec.inspect.Type:
    return msgspec.inspect.type_info(Rulebook)


def _parse(content: bytes) -> tuple[dict[str, Any], str]:
    try:
        text = content.decode().removeprefix("\ufeff")
        return tomllib.loads(text), text
    except UnicodeDecodeError as error:
        fault = Fault("file", None, f"byte {error.start} is not UTF-8 text", "save the file as UTF-8")
    except (ValueError, RecursionError) as error:  # numbers of a thousand digits, brackets in brackets without end
        line = re.search(r"at line (\d+)", str(error))
        words = str(error).replace("Cannot overwrite a value", "a key or table stands twice")
        fault = Fault("file", int(line[1]) if line else None, f"not TOML: {words}", "a rulebook is a TOML file")
    raise InvalidRulebook((fault,))


def _keys(raw: Mapping[str, Any], table: str) -> list[PositionId]:
    found = raw.get(table)
    return list(map(PositionId, found)) if isinstance(found, dict) else []


def _check(
    fitted: Mapping[str, Any], raw: Mapping[str, Any], faults: Faults
) -> tuple[Wheel | None, Mapping[LayoutId, Layout], Mapping[TerminalId, Terminal]]:
    """Every check whose sections could be read."""

    def section(name: str, kind: type[T]) -> T | None:
        return convert(fitted[name], kind) if name in fitted else None

    checks.check_identity(fitted, faults)
    plan = section("wheel", WheelPlan)
    spin = section("spin", SpinRule)
    boxes = section("boxes", dict[PositionId, Box]) or {}
    plans = section("layouts", dict[LayoutId, LayoutPlan]) or {}
    if not plans and not faults.lost_in("layouts"):
        faults.add("layouts", "no layout", "draw at least one")
    wheel = checks.check_wheel(plan, faults) if plan else None
    if plan and spin:
        checks.check_spin(spin, plan, faults)
    layouts: dict[LayoutId, Layout] = {}
    if wheel:
        drawn = " ".join(layout.picture for layout in plans.values())
        checked = checks.check_boxes(boxes, wheel, drawn, faults)
        # A box that could not even be read is still a word of the picture.
        checked = {id: checked.get(id) for id in [*boxes, *_keys(raw, "boxes")]}
        built = {id: build_layout(id, layout, wheel, checked, faults) for id, layout in plans.items()}
        layouts = {id: layout for id, layout in built.items() if layout}
    terminals = build_terminals(section("terminals", tuple[TerminalPlan, ...]) or (), layouts, plans.keys(), faults)
    if betting := section("betting", Betting):
        checks.check_betting(betting, faults)
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
        if field.name in fitted
        for citation in cited_in(convert(fitted[field.name], field.type), field.type, field.name)
    ]
    checks.check_clauses(cited, section("clauses", dict[Clause, str]) or {}, faults)
    return wheel, layouts, terminals
