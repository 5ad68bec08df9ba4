"""Writes tables to Parquet files. Needs the extra ``data``, which installs PyArrow.

Money is int64 in minor units. The currency is in the file's metadata, and so is the time zone.
"""

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from roundhouse.office.dictionary import ColumnEntry, ColumnType, columns_of

_TYPES: dict[ColumnType, Any] = {
    ColumnType.INTEGER: pa.int64(),
    ColumnType.TEXT: pa.string(),
    ColumnType.DAY: pa.date32(),
    ColumnType.TIME: pa.timestamp("ms", tz="UTC"),
    ColumnType.TEXTS: pa.list_(pa.string()),
    ColumnType.JSON: pa.string(),
}
_BATCH = 10_000


def parquet_of(kind: type[Struct], rows: Iterable[Struct], metadata: Mapping[str, str]) -> bytes:
    """Return a Parquet file with these rows. The metadata are stored in the schema of the file."""
    columns = columns_of(kind)
    fields = [
        pa.field(one.name, _TYPES[one.type], one.nullable, {"unit": one.unit} if one.unit else None) for one in columns
    ]
    schema = pa.schema(fields, {f"roundhouse.{name}": value for name, value in metadata.items()})
    out, waiting = BytesIO(), list[Struct]()
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        for row in rows:
            waiting.append(row)
            if len(waiting) == _BATCH:
                writer.write_table(_table(columns, waiting, schema))
                waiting = []
        if waiting:
            writer.write_table(_table(columns, waiting, schema))
    return out.getvalue()


def _table(columns: tuple[ColumnEntry, ...], rows: list[Struct], schema: Any) -> Any:
    values = {one.name: [_value(one.type, getattr(row, one.name)) for row in rows] for one in columns}
    return pa.table(values, schema)


def _value(type: ColumnType, value: Any) -> Any:
    if type is ColumnType.JSON and value is not None:
        return msgspec.json.encode(value).decode()
    return value
