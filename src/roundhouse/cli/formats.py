"""The formats of a table: text, CSV, JSON and Parquet. Commands that print tables share the options."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

import click
import msgspec
from msgspec import Struct

from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.cli.output import printable, write_file
from roundhouse.office.dealers import AUTOMATIC, UNNAMED
from roundhouse.office.records import HOUSE
from roundhouse.rules.errors import UserError

csv_option = click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")


parquet_option = click.option("--parquet", metavar="FILE", help="Write a Parquet file. Needs roundhouse-games[data].")


class ConflictingFormats(UserError):
    """Two formats were chosen."""


class Formats(NamedTuple):
    """The chosen format of a table. A name that ends with ``.csv`` or ``.parquet`` chooses it, too."""

    as_csv: bool
    as_json: bool
    as_parquet: str | None
    output: str

    @property
    def parquet(self) -> str | None:
        """The Parquet file to write."""
        if self.as_parquet is not None:
            return self.as_parquet
        named = self.output.endswith(".parquet") and not (self.as_csv or self.as_json)
        return self.output if named else None

    @property
    def csv(self) -> bool:
        return self.as_csv or (self.output.endswith(".csv") and not self.as_json)

    @property
    def json(self) -> bool:
        return self.as_json or self.output != "-"


def check_format(as_csv: bool, as_json: bool) -> None:
    if as_csv and as_json:
        raise ConflictingFormats("--csv and --json cannot be combined; choose one")


def check_formats(formats: Formats) -> None:
    check_format(formats.as_csv, formats.as_json)
    if formats.as_parquet is not None and (formats.as_csv or formats.as_json or formats.output != "-"):
        raise ConflictingFormats("--parquet names its file; leave out --csv, --json and -o")
    if formats.parquet is not None:
        # Without the extra, say so before the journal is read.
        import roundhouse.cli.parquet  # noqa: F401


def csv_text(kind: type[Struct], rows: Iterable[Struct]) -> str:
    """Return rows as CSV with a header. A value that is neither text nor a number is JSON."""
    lines = [csv_line(kind.__struct_fields__)]
    for row in rows:
        cells = (msgspec.json.encode(one).decode() if isinstance(one, dict | tuple) else one for one in fields_of(row))
        lines.append(csv_line(list(cells)))
    return "".join(lines)


def write_parquet(file: str, kind: type[Struct], rows: Iterable[Struct], about: dict[str, str]) -> None:
    from roundhouse.cli.parquet import parquet_of

    write_file(file, parquet_of(kind, rows, about))


def csv_line(cells: Sequence[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([_csv_cell(cell) for cell in cells])
    return out.getvalue()


def _csv_cell(value: Any) -> Any:
    """Return a value for CSV. Text that a spreadsheet would run as a formula gets a leading apostrophe."""
    if isinstance(value, str):
        text = printable(value).replace("\n", " ")
        return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") and not _is_safe(text) else text
    return value.isoformat() if isinstance(value, date) else value


def _is_safe(text: str) -> bool:
    """Return whether a text that begins like a formula is a negative number or a name that Roundhouse gives."""
    is_number = text.lstrip("-").replace("/", "", 1).replace(".", "", 1).isdigit()
    return is_number or text in (HOUSE, CAGE_CHAIN, AUTOMATIC, UNNAMED)


def fields_of(row: Struct) -> list[Any]:
    return [getattr(row, name) for name in row.__struct_fields__]
