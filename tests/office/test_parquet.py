"""DuckDB reads the Parquet and CSV files of a night and comes to the cents of the report and of ``verify``."""

from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import read_key
from roundhouse.office.dictionary import TABLES, ColumnType, columns_of
from roundhouse.office.report import ReportQuery, report
from tests.office.test_figures import GAMES
from tests.office.test_report_links import LongNight
from tests.support.command_line import Calling

MONEY = ("handle", "paid", "win", "bought", "tickets_in", "drop", "tickets_out", "shortfall", "adjusted", "theory_win")


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    night = LongNight(tmp_path_factory.mktemp("night") / "house.db", next(iter(GAMES)), 5)
    for _ in range(80):
        night.act()
    night.house.close()
    return night.house.path


def query(sql: str) -> list[Any]:
    result = duckdb.sql(sql)
    assert result is not None, "a SELECT has a result"
    return result.fetchall()


def sums(file: Path, columns: tuple[str, ...] = MONEY) -> tuple[Any, ...]:
    wanted = ", ".join(f'sum("{name}")' for name in columns)
    [row] = query(f"SELECT {wanted} FROM '{file}'")
    return tuple(map(int, row))


def test_parquet_csv_report_and_verify_have_the_same_cents(night: Path, tmp_path: Path, call: Calling) -> None:
    total = report(night, ReportQuery()).total
    expected = tuple(getattr(total, name) for name in MONEY)
    for by in ("table", "shift", "day", "dealer", "game", "kind", "seat"):
        for file in (tmp_path / f"{by}.parquet", tmp_path / f"{by}.csv"):
            assert call("house", "report", str(night), "--by", by, "-o", str(file))[0] == 0
            assert sums(file) == expected, file
    (verified,) = verify_journal(night, read_key(night)).tables
    for name in ("handle", "paid", "bought", "tickets_in", "tickets_out", "shortfall"):
        assert getattr(verified, name) == getattr(total, name), name
    assert verified.house == total.win


def test_the_rounds_of_the_win_add_up_to_the_win_in_parquet(night: Path, tmp_path: Path, call: Calling) -> None:
    total = report(night, ReportQuery()).total
    for file in (tmp_path / "rounds.parquet", tmp_path / "rounds.csv"):
        assert call("house", "rounds", str(night), "--column", "win", "-o", str(file))[0] == 0
        assert sums(file, ("amount",)) == (total.win,)
    joined = query(
        f"SELECT status, count(*) FROM '{tmp_path / 'rounds.parquet'}' WHERE len(adjusted_by) > 2 GROUP BY status"
    )
    assert {status for status, _ in joined} >= {"corrected"}


def test_a_parquet_file_names_its_currency_units_and_zone(night: Path, tmp_path: Path, call: Calling) -> None:
    file = tmp_path / "report.parquet"
    assert call("house", "report", str(night), "--parquet", str(file))[0] == 0
    schema = pq.read_schema(file)
    about = {name.decode(): value.decode() for name, value in schema.metadata.items()}
    assert about["roundhouse.currency"] == "XXX", "play money"
    assert about["roundhouse.time_zone"] == "UTC"
    assert about["roundhouse.table"] == "report"
    assert str(schema.field("win").type) == "int64"
    assert schema.field("win").metadata == {b"unit": b"minor units"}
    assert str(schema.field("day").type) == "date32[day]"


def test_parquet_and_another_format_are_refused(night: Path, call: Calling) -> None:
    assert "--parquet names its file" in call.refused("house", "report", str(night), "--parquet", "x", "--csv")


def test_every_column_has_a_meaning_and_every_amount_a_unit() -> None:
    for kind in TABLES.values():
        for column in columns_of(kind):
            assert column.unit or column.type is not ColumnType.INTEGER or column.name in COUNTS, column


COUNTS = {"rounds", "voids", "corrections", "late_bets", "played", "adjustments", "theory_rounds", "band"}
COUNTS |= {"round", "entry", "ended", "seq"}
"""Whole numbers that are counts, places or names."""
