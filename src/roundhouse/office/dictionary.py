"""The data dictionary: the columns of the exported tables with their types, units and meanings.

Files and the page ``docs/reference/data-dictionary.md`` are made of it, so they cannot differ.
"""

from enum import StrEnum
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec import inspect as i

from roundhouse.office.export import MetersRow
from roundhouse.office.movements import Movement
from roundhouse.office.report import ReportRow
from roundhouse.office.round_rows import RoundRow

TABLES: Final[dict[str, type[Struct]]] = {
    "report": ReportRow,
    "rounds": RoundRow,
    "movements": Movement,
    "meters": MetersRow,
}
"""Exported tables by name, with the type of their rows."""

_MONEY: Final = frozenset(
    {
        "handle",
        "paid",
        "win",
        "bought",
        "reversed",
        "tickets_in",
        "drop",
        "tickets_out",
        "shortfall",
        "played_handle",
        "played_win",
        "adjusted_handle",
        "adjusted",
        "theory_handle",
        "theory_win",
        "theoretical",
        "sigma",
        "staked",
        "returned",
        "credits",
        "on_layout",
    }
)
_MONEY_IF_COLUMN_IS: Final = "amount"
_TIMES: Final = frozenset({"began_at", "settled_at", "at"})


class ColumnType(StrEnum):
    """Type of a column in a Parquet file."""

    INTEGER = "int64"
    TEXT = "string"
    DAY = "date32"
    TIME = "timestamp[ms, tz=UTC]"
    TEXTS = "list<string>"
    JSON = "string, JSON"


class ColumnEntry(NamedTuple):
    """One column of an exported table."""

    name: str
    type: ColumnType
    nullable: bool
    unit: str
    """Unit of the values; empty for names and counts."""


def columns_of(kind: type[Struct]) -> tuple[ColumnEntry, ...]:
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, i.StructType)
    return tuple(_column(field.name, field.type) for field in info.fields)


def _column(name: str, type: i.Type) -> ColumnEntry:
    nullable = isinstance(type, i.UnionType) and type.includes_none
    if isinstance(type, i.UnionType):
        (type,) = (one for one in type.types if not isinstance(one, i.NoneType))
    return ColumnEntry(name, _type(name, type), nullable, _unit(name))


def _type(name: str, type: i.Type) -> ColumnType:
    match type:
        case i.IntType():
            return ColumnType.TIME if name in _TIMES else ColumnType.INTEGER
        case i.EnumType(cls=cls):
            return ColumnType.INTEGER if issubclass(cls, int) else ColumnType.TEXT
        case i.DateType():
            return ColumnType.DAY
        case i.VarTupleType(item_type=i.StrType()):
            return ColumnType.TEXTS
        case i.VarTupleType():
            return ColumnType.JSON
        case i.StrType():
            return ColumnType.TEXT
        case _:
            raise AssertionError(f"there is no column type for {type!r}; add it to _type")


def _unit(name: str) -> str:
    if name in _MONEY:
        return "minor units"
    if name in _TIMES:
        return "ms since 1970, UTC"
    return {
        _MONEY_IF_COLUMN_IS: "minor units, or a count",
        "theoretical_win": "minor units, exact",
        "variance": "squared minor units, exact",
        "hold_percent": "percent",
        "exact": "minor units, or their squares, exact",
    }.get(name, "")


def is_money(name: str) -> bool:
    return name in _MONEY
