"""Every figure of a report is the sum of the rounds that its link lists, for every cell of random nights."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import msgspec
import pytest

from roundhouse.office.calendars import calendar_of
from roundhouse.office.columns import Column
from roundhouse.office.movements import MovementColumn, MovementsQuery, movements
from roundhouse.office.records import Records
from roundhouse.office.report import GroupBy, ReportQuery, ReportRow, report, report_of
from roundhouse.office.round_rows import RoundList, RoundRow, RoundsQuery
from roundhouse.office.round_search import exact_sum
from roundhouse.office.rounds import rounds, rounds_of
from tests.office.test_figures import GAMES, Night
from tests.support.clocked_table import TABLE, ClockedTable
from tests.support.journals import TWO_PERSONS, seat


def linked(records: Records, where: str, **more: Any) -> RoundList:
    """Return the first page of the list that the link of a cell opens."""
    query = msgspec.convert({**dict(parse_qsl(where)), **more}, RoundsQuery, strict=False)
    return rounds_of(records, query, calendar_of(records))


def unequal_cells(records: Records, by: GroupBy) -> Iterator[tuple[ReportRow, Column, Fraction]]:
    """Yield the cells whose figure differs from the sum of the rounds behind it."""
    result = report_of(records, ReportQuery(by))
    for row in (*result.lines, result.total):
        for column in Column:
            listed = linked(records, row.where, column=column, limit=1000)
            assert listed.next is None
            if row is not result.total and belongs_to_none(by, row) and not Fraction(getattr(row, column)):
                continue
            if exact_sum(listed.rounds) != Fraction(getattr(row, column)):
                yield row, column, exact_sum(listed.rounds)


def unequal_money(path: Path, by: GroupBy) -> Iterator[tuple[ReportRow, MovementColumn, int]]:
    """Yield the cells of credits and tickets whose figure differs from the sum of the movements behind it."""
    result = report(path, ReportQuery(by))
    for row in (*result.lines, result.total):
        where = dict(parse_qsl(row.where))
        for column in MovementColumn:
            if "dealer" in where or "kind" in where:
                # Credits and tickets belong to no Dealer and to no kind of bet. The row without a name has them.
                assert getattr(row, column) == 0
                continue
            query = msgspec.convert({**where, "column": column, "limit": 1000}, MovementsQuery, strict=False)
            listed = sum(one.amount for one in movements(path, query).movements)
            if listed != getattr(row, column):
                yield row, column, listed


def belongs_to_none(by: GroupBy, row: ReportRow) -> bool:
    """Return whether a row has the figures that belong to no Dealer or kind. Only those above zero have rounds."""
    return by in (GroupBy.DEALER, GroupBy.GAME, GroupBy.KIND) and getattr(row, by.value) is None


class LongNight(Night):
    """A night of many shifts, in which several people deal."""

    def ask(self, *requests: dict[str, Any]) -> None:
        self.house.clock.at += self.random.choice((0, 60_000, 3_600_000))
        who = self.random.choice(("dee", "dan"))
        super().ask(*({"who": who, **asked} if asked.get("by") in (None, "dealer") else asked for asked in requests))


def played(night: Night, acts: int) -> Path:
    for _ in range(acts):
        night.act()
    night.house.close()
    return night.house.path


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("nights")
    return [played(LongNight(folder / f"{n}.db", game, 100 + n), 60) for n, game in enumerate(GAMES)]


@pytest.fixture(scope="module")
def decided_nights(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Nights with every kind of decision, among them decisions on one seat."""
    folder = tmp_path_factory.mktemp("nights")
    return [played(Night(folder / f"{n}.db", game, n), 120) for n, game in enumerate(list(GAMES) * 3)]


@pytest.mark.parametrize("by", GroupBy)
def test_every_figure_is_the_sum_of_the_rounds_that_its_link_lists(nights: list[Path], day: Path, by: GroupBy) -> None:
    for path in (*nights, day):
        records = Records(path)
        assert list(unequal_cells(records, by)) == [], path
        records.close()
        assert list(unequal_money(path, by)) == [], path


def test_the_pages_of_a_list_are_the_whole_list(nights: list[Path]) -> None:
    for newest in (False, True):
        whole = rounds(nights[0], RoundsQuery(limit=1000, newest=newest)).rounds
        assert len(whole) > 10
        paged: list[RoundRow] = []
        after: str | None = None
        while True:
            page = rounds(nights[0], RoundsQuery(limit=3, after=after, newest=newest))
            paged += page.rounds
            if (after := page.next) is None:
                break
        assert paged == whole
    assert [row.round for row in whole] == sorted((row.round for row in whole), reverse=True)


def test_a_reversed_purchase_is_behind_the_figures_of_the_cash(tmp_path: Path) -> None:
    night = ClockedTable(tmp_path / "house.db", "2026-11-15T05:00:00", "UTC")
    night.house.do(TABLE, *seat("b", "rapid-b", 700))
    night.house.do(TABLE, {"by": "cashier", "do": "reverse_purchase", "seat": "b", "purchase": 2, **REVERSED})
    night.close()
    total = report(tmp_path, ReportQuery()).total
    assert (total.bought, total.reversed, total.drop) == (1_000_000, 700, 1_000_000)
    for by in GroupBy:
        assert list(unequal_money(tmp_path / "house.db", by)) == [], by


REVERSED = {"reason": "The wrong seat.", **TWO_PERSONS}


@pytest.mark.parametrize("by", [GroupBy.TABLE, GroupBy.SEAT, GroupBy.DEALER, GroupBy.GAME, GroupBy.KIND])
def test_over_all_time_theory_is_compared_with_the_net_win(decided_nights: list[Path], day: Path, by: GroupBy) -> None:
    """Final results and the sum of all events are two ways to the same money."""
    for path in (*decided_nights, day):
        for row in report(path, ReportQuery(by)).lines:
            assert (row.theory_handle, row.theory_win) == (row.handle, row.win), (path, row)
