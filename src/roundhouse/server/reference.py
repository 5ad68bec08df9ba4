"""Writes the generated parts of the pages in ``docs/reference``: ``python -m roundhouse.server.reference``.

A part is generated if it is between ``<!-- generated: NAME -->`` and ``<!-- end -->``, where NAME is a key of
``BLOCKS``. A test fails if a page is out of date.
"""

import ast
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
from msgspec import NODEFAULT, UNSET, Struct
from msgspec.structs import FieldInfo, fields

from roundhouse.config import loading, schema
from roundhouse.office import dictionary
from roundhouse.people.names import HouseRefusal, Role
from roundhouse.people.rights import RIGHTS
from roundhouse.rules.names import StaffPosition
from roundhouse.server.app import ROUTES
from roundhouse.server.metrics import Metrics
from roundhouse.table import decide, phases
from roundhouse.table.commands import AnyCommand, Command
from roundhouse.table.names import Phase
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.wire.problems import STATUS, ErrorCode

REFERENCE: Final = Path(__file__).parents[3] / "docs" / "reference"
_BLOCK: Final = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_COMMON_FIELDS: Final = frozenset(Command.__struct_fields__)


def routes() -> Iterator[str]:
    for tag in dict.fromkeys(route.tag for route in ROUTES):
        yield from (f"### {tag.capitalize()}", "")
        yield from _table(
            ("route", "description", "access"),
            (
                (f"`{route.method} {route.path}`", route.about, route.access.description)
                for route in ROUTES
                if route.tag == tag
            ),
        )
        yield ""


def problems() -> Iterator[str]:
    return _table(("code", "status"), ((f"`{code}`", str(STATUS[code])) for code in ErrorCode))


def settings() -> Iterator[str]:
    for section in fields(schema.HouseConfig):
        kind, is_list = _section_type(section.type)
        heading = f"`[[{section.name}]]`" if is_list else f"`[{section.name}]`"
        yield from (f"### {heading}", "")
        texts = _field_texts(kind)
        yield from _table(
            ("key", "type", "default", "meaning"),
            (
                (f"`{key.name}`", _type(msgspec.inspect.type_info(key.type)), _default(key), texts[key.name])
                for key in fields(kind)
            ),
        )
        yield ""


def template() -> Iterator[str]:
    yield from ("```toml", *loading.TEMPLATE.read_text(encoding="utf-8").rstrip().splitlines(), "```")


def house_rights() -> Iterator[str]:
    return _table(
        ("event", "positions", "others"),
        (
            (
                f"`{event.__struct_config__.tag}`",
                _listed(role.value for role in Role if role in right.positions),
                _listed((*(f"`{kind}`" for kind in right.others), *(["the person concerned"] if right.own else []))),
            )
            for event, right in RIGHTS.items()
        ),
    )


def table_rights() -> Iterator[str]:
    return _table(
        ("request", "positions", "may need an approval"),
        (
            (f"`{_tag(command)}`", _positions(command), "yes" if command in decide.MAY_NEED_APPROVAL else "")
            for command in get_args(AnyCommand)
        ),
    )


def commands() -> Iterator[str]:
    return _table(
        ("`do`", "fields", "positions"),
        (
            (
                f"`{_tag(command)}`",
                _listed(
                    f"`{field.name}`" + ("" if _required(field) else "?")
                    for field in fields(command)
                    if field.name not in _COMMON_FIELDS
                ),
                _positions(command),
            )
            for command in get_args(AnyCommand)
        ),
    )


def phase_table() -> Iterator[str]:
    for command, refusals in phases._ANSWERS.items():
        by_refusal: dict[TableRefusal, list[Phase]] = {}
        for phase, refusal in refusals.items():
            by_refusal.setdefault(refusal, []).append(phase)
        yield f"- `{_tag(command)}`: " + "; ".join(
            f"`{refusal}` in {', '.join(f'`{phase}`' for phase in found)}" for refusal, found in by_refusal.items()
        )


def house_refusals() -> Iterator[str]:
    return (f"- `{refusal}`" for refusal in HouseRefusal)


def table_refusals() -> Iterator[str]:
    return (f"1. `{refusal}`" for refusal in TableRefusal)


def metrics() -> Iterator[str]:
    return _table(
        ("metric", "kind", "labels", "meaning"),
        (
            (f"`{family.name}`", family.kind, _listed(f"`{label}`" for label in family.labels), family.about)
            for family in Metrics().families()
        ),
    )


def data_dictionary() -> Iterator[str]:
    """Yield a table for each exported table: its columns with type, unit and meaning."""
    for name, kind in dictionary.TABLES.items():
        yield from (f"## `{name}`", "", *_about(kind), "")
        texts = _field_texts(kind)
        yield from _table(
            ("column", "type", "unit", "meaning"),
            (
                (
                    f"`{column.name}`",
                    f"{column.type}{', or empty' if column.nullable else ''}",
                    column.unit,
                    texts[column.name],
                )
                for column in dictionary.columns_of(kind)
            ),
        )
        yield ""


def _about(kind: type[Struct]) -> list[str]:
    return [" ".join((kind.__doc__ or "").split())]


BLOCKS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "routes": routes,
    "problems": problems,
    "settings": settings,
    "template": template,
    "house-rights": house_rights,
    "house-refusals": house_refusals,
    "table-rights": table_rights,
    "table-refusals": table_refusals,
    "commands": commands,
    "phases": phase_table,
    "metrics": metrics,
    "data-dictionary": data_dictionary,
}


def blocks_in(page: str) -> list[str]:
    """Return the names of the generated parts of a page.

    >>> blocks_in("<!-- generated: routes -->\\nold\\n<!-- end -->")
    ['routes']
    """
    return [found[2] for found in _BLOCK.finditer(page)]


def fresh(page: str) -> str:
    """Return the page with its generated parts updated."""
    return _BLOCK.sub(lambda found: "\n".join((found[1], *BLOCKS[found[2]](), "", found[3])), page)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items)


def _tag(command: type[Command]) -> str:
    return str(command.__struct_config__.tag)


def _positions(command: type[Command]) -> str:
    offices = decide._RIGHTS[command][0] if command in decide._RIGHTS else tuple(StaffPosition)
    return _listed(office.value for office in StaffPosition if office in offices and office is not StaffPosition.SYSTEM)


def _required(field: FieldInfo) -> bool:
    return field.default is NODEFAULT and field.default_factory is NODEFAULT


def _section_type(kind: Any) -> tuple[type[Struct], bool]:
    """Return the struct of a configuration section, and whether the file may have several of it."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        return kind, False
    found = next(one for one in get_args(kind) if isinstance(one, type) and issubclass(one, Struct))
    return found, getattr(kind, "__origin__", None) is tuple


def _field_texts(kind: type[Struct]) -> dict[str, str]:
    """Return the text below each field of a struct in its source, with Markdown's mark of code."""
    (body,) = (node.body for node in ast.parse(inspect.getsource(kind)).body if isinstance(node, ast.ClassDef))
    return {
        field.target.id: " ".join(text.value.value.replace("``", "`").split())
        for field, text in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }


def _type(info: msgspec.inspect.Type) -> str:
    match info:
        case msgspec.inspect.StrType():
            return "text"
        case msgspec.inspect.IntType():
            return "whole number"
        case msgspec.inspect.BoolType():
            return "`true` or `false`"
        case msgspec.inspect.UnionType(types=(kind, msgspec.inspect.NoneType())):
            return _type(kind)
        case msgspec.inspect.VarTupleType(item_type=item):
            return "list of text" if isinstance(item, msgspec.inspect.StrType) else "list"
        case _:
            return "table"


_DEFAULTS: Final = {
    "chips": "values that fit the limits",
    "opens_phrase": "the rulebook's first phrase",
    "closes_phrase": "the rulebook's first phrase",
    "limits": "required",
    "offers": "all packages of the kind",
}
"""Defaults of settings that the schema cannot express."""


def _default(field: FieldInfo) -> str:
    if (described := _DEFAULTS.get(field.name)) is not None:
        return described
    if field.default_factory is not NODEFAULT:
        return ""
    if field.default in (NODEFAULT, UNSET, ""):
        return "required"
    if isinstance(field.default, Struct):
        return ""
    value = field.default.value if isinstance(field.default, Enum) else field.default
    return f"`{msgspec.json.encode(value).decode()}`"


def main() -> int:
    for path in sorted(REFERENCE.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if (updated := fresh(page)) != page:
            path.write_text(updated, encoding="utf-8")
            sys.stdout.write(f"wrote {path.relative_to(REFERENCE.parents[1])}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
