"""What ``report``, ``export``, ``backup`` and ``restore`` have in common: their journal, and CSV."""

import csv
import io
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from roundhouse.cli.output import printable
from roundhouse.office.records import HOUSE
from roundhouse.rules.mistakes import Mistake

journal_argument = click.argument("path", type=click.Path(path_type=Path), metavar="JOURNAL|FOLDER")
csv_option = click.option("--csv", "as_csv", is_flag=True, help="Answer in CSV, for spreadsheets.")


class OneForm(Mistake):
    """Two forms of answer were asked for at once."""


def check_form(as_csv: bool, as_json: bool) -> None:
    if as_csv and as_json:
        raise OneForm("choose --csv or --json")


def csv_line(cells: Sequence[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([_cell(cell) for cell in cells])
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Cents stay whole numbers. Words of others must not become a formula where somebody opens the file."""
    if isinstance(value, str):
        words = printable(value).replace("\n", " ")
        return f"'{words}" if words[:1] in ("=", "+", "-", "@", "\t") and not _is_ours(words) else words
    return value.isoformat() if isinstance(value, date) else value


def _is_ours(words: str) -> bool:
    """The chain of the house; a hold below nothing, as a fraction or in percent."""
    return words == HOUSE or words.lstrip("-").replace("/", "", 1).replace(".", "", 1).isdigit()


def fields_of(one: Struct) -> list[Any]:
    return [getattr(one, name) for name in one.__struct_fields__]
