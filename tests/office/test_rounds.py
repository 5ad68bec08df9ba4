"""Lists of rounds: periods, people, statuses, tickets, changes of the clock, and how little is read."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from roundhouse.journal.seal import read_key
from roundhouse.office.calendars import calendar_of
from roundhouse.office.columns import Column
from roundhouse.office.dealers import UNNAMED, DealerName
from roundhouse.office.records import Records
from roundhouse.office.report import GroupBy, ReportQuery, report
from roundhouse.office.round_facts import Change, RoundStatus
from roundhouse.office.round_rows import RoundsQuery
from roundhouse.office.rounds import rounds, rounds_of
from roundhouse.office.ticket_rounds import NoSuchTicket, find_ticket
from roundhouse.table.names import PersonName, SeatId, TableId, TicketNumber
from tests.support.clocked_table import TABLE, ClockedTable
from tests.support.journals import ROULETTE, SANDS, TWO_PERSONS, JournalHouse, bets, seat, spin


def listed(path: Path, **query: Any) -> list[tuple[str, int]]:
    return [(row.table, row.round) for row in rounds(path, RoundsQuery(**query)).rounds]


def test_a_list_of_a_day_has_every_round_with_its_changes(day: Path) -> None:
    rows = {(str(row.table), int(row.round)): row for row in rounds(day, RoundsQuery()).rounds}
    assert {place: row.status for place, row in rows.items()} == {
        (ROULETTE, 1): RoundStatus.SETTLED,
        (ROULETTE, 2): RoundStatus.CORRECTED,
        (ROULETTE, 3): RoundStatus.VOID,
        (ROULETTE, 4): RoundStatus.VOID,
        (ROULETTE, 5): RoundStatus.SETTLED,
        (SANDS, 1): RoundStatus.VOID,
        (SANDS, 2): RoundStatus.OPEN,
    }
    corrected = rows[ROULETTE, 2]
    assert (corrected.outcome, corrected.staked, corrected.returned, corrected.win) == ("9", 2_000, 0, 2_000)
    (change,) = corrected.adjusted_by
    # It had returned 36,000 to seat a, and 2,000 to seat b.
    assert (change.what, change.who, change.second, change.win) == (Change.CORRECTED, "arun", "mei", 38_000)
    assert change.clauses == ("5.5",)
    assert (corrected.decided_by, corrected.approved_by) == (("arun",), ("mei",))
    assert corrected.dealer == UNNAMED
    # A round in progress has stakes, and no win yet.
    assert (rows[SANDS, 2].staked, rows[SANDS, 2].win, rows[SANDS, 2].settled_at) == (5_000, 0, None)


def test_filters_by_seat_kind_status_and_person(day: Path) -> None:
    assert listed(day, seat=SeatId("a")) == [(ROULETTE, 1), (ROULETTE, 2)]
    assert listed(day, kind="straight") == [(ROULETTE, 1), (ROULETTE, 2)]
    assert listed(day, status=RoundStatus.OPEN) == [(SANDS, 2)]
    assert listed(day, person=PersonName("mei"), table=ROULETTE) == [(ROULETTE, 2), (ROULETTE, 3)]
    assert listed(day, game="mbs-sands") == [(SANDS, 1), (SANDS, 2)]
    (row,) = rounds(day, RoundsQuery(seat=SeatId("b"), status=RoundStatus.CORRECTED)).rounds
    assert (row.seats, row.staked, row.returned) == (("b",), 1_000, 0), "amounts are those of the seat"


def test_a_change_belongs_to_the_period_in_which_it_was_made(tmp_path: Path) -> None:
    night = ClockedTable(tmp_path / "house.db", "2026-11-15T05:00:00", "UTC")
    night.round("2026-11-15T13:00:00", "8", straight_8=1_000)
    night.at("2026-11-15T15:00:00")
    night.house.do(TABLE, {"by": "pit_supervisor", "do": "correct_result", "round": 1, "outcome": "9", **TWO_PERSONS})
    night.close()
    path = tmp_path / "house.db"
    first, second = (row for row in report(path, ReportQuery(GroupBy.SHIFT)).lines if row.shift != "22:00")
    assert (first.played, first.played_handle, first.played_win, first.adjusted) == (1, 1_000, -35_000, 0)
    assert (second.played, second.played_win, second.adjustments, second.adjusted) == (0, 0, 1, 36_000)
    # Theory takes the final result, in the shift in which the round ended.
    assert (first.theory_rounds, first.theory_win, second.theory_rounds) == (1, 1_000, 0)
    afternoon: dict[str, Any] = {"first": "2026-11-15T14:00", "last": "2026-11-15T22:00"}
    assert listed(path, **afternoon) == [], "the round ended earlier"
    (row,) = rounds(path, RoundsQuery(column=Column.ADJUSTED, **afternoon)).rounds
    assert (row.round, row.amount, row.status) == (1, 36_000, RoundStatus.CORRECTED)
    assert rounds(path, RoundsQuery(column=Column.PLAYED, **afternoon)).rounds == []


@pytest.mark.parametrize("by", [GroupBy.SHIFT, GroupBy.DAY])
def test_links_are_right_when_the_clocks_change(tmp_path: Path, by: GroupBy) -> None:
    """In Berlin on 25 October 2026, the hour from 02:00 to 03:00 comes twice. A shift begins at 02:30."""
    night = ClockedTable(tmp_path / "house.db", "2026-10-24T20:00:00", "Europe/Berlin")
    night.round("2026-10-25T02:15:00", "17", red=100)
    night.round("2026-10-25T02:45:00", "17", red=200)
    night.round("2026-10-25T02:15:00", "17", fold=1, red=400)
    night.round("2026-10-25T02:45:00", "17", fold=1, red=800)
    night.round("2026-10-25T10:00:00", "17", red=1_600)
    night.close()
    path, zone, shifts = tmp_path / "house.db", "Europe/Berlin", "02:30,10:00"
    lines = report(path, ReportQuery(by, zone=zone, shifts=shifts)).lines
    expected = {GroupBy.SHIFT: [100, 1_400, 1_600], GroupBy.DAY: [100, 3_000]}[by]
    assert [line.handle for line in lines if line.rounds] == expected
    for line in lines:
        query: dict[str, Any] = {
            name: value for name, value in _where(line.where).items() if name in ("table", "first", "last")
        }
        # Another zone changes nothing, because the times in a link have an offset from UTC.
        rows = rounds(path, RoundsQuery(column=Column.HANDLE, **query), "America/New_York").rounds
        assert sum(row.amount or 0 for row in rows) == line.handle


def _where(text: str) -> dict[str, str]:
    renamed = {"from": "first", "to": "last"}
    return {renamed.get(name, name): value for name, value in parse_qsl(text)}


def test_the_rounds_behind_a_ticket_are_those_of_both_seats(tmp_path: Path) -> None:
    house = JournalHouse(tmp_path / "house.db")
    house.open(ROULETTE, "rws-double-zero")
    house.open(SANDS, "rws-double-zero")
    for table in (ROULETTE, SANDS):
        house.do(table, {"do": "open_table"}, *seat("a", "rapid-a", 10_000), *seat("b", "rapid-b", 10_000))

    def play(table: TableId, *who: str) -> None:
        house.do(table, {"do": "open_bets"}, *(bets(one, red=100) for one in who), *spin("17"))

    def cash_out(table: TableId) -> str:
        (answer,) = house.do(table, {"by": "cashier", "do": "cash_out", "seat": "a"})
        assert answer.events is not None
        return str(getattr(answer.events[0], "ticket"))  # noqa: B009

    play(ROULETTE, "a")
    earlier = cash_out(ROULETTE)
    house.do(ROULETTE, {"by": "cashier", "do": "buy_credits", "seat": "a", "cents": 500})
    play(ROULETTE, "a", "b")
    play(ROULETTE, "b")
    play(ROULETTE, "a")
    number = cash_out(ROULETTE)
    play(SANDS, "a")
    house.do(SANDS, {"by": "player", "do": "redeem_ticket", "seat": "a", "ticket": number})
    play(SANDS, "a")
    cash_out(SANDS)
    play(SANDS, "b")
    house.close()
    path = tmp_path / "house.db"
    assert listed(path, ticket=number[-4:]) == [(ROULETTE, 2), (ROULETTE, 4), (SANDS, 2)]
    assert listed(path, ticket=earlier[-4:]) == [(ROULETTE, 1)]
    assert {row.seats for row in rounds(path, RoundsQuery(ticket=number[-4:])).rounds} == {("a",)}
    records = Records(path)
    place = find_ticket(records, TicketNumber(number), read_key(path))
    assert (place.table, place.redeemed_table, place.id[-4:]) == (ROULETTE, SANDS, number[-4:])
    with pytest.raises(NoSuchTicket, match="issued no ticket"):
        find_ticket(records, TicketNumber("1" * 20), read_key(path))
    records.close()
    with pytest.raises(NoSuchTicket, match="no ticket ends with"):
        listed(path, ticket="0000")


class CountingRecords(Records):
    """Records that count the entries whose content they read."""

    read = 0

    def rows(self, sql: str, values: tuple[Any, ...], kinds: tuple[type, ...]) -> Any:
        for row in super().rows(sql, values, kinds):
            self.read += bytes in kinds
            yield row


def test_a_page_reads_the_entries_of_its_rounds_only(tmp_path: Path) -> None:
    night = ClockedTable(tmp_path / "house.db", "2026-11-15T05:00:00", "UTC")
    for n in range(60):
        night.at(f"2026-11-15T{6 + n // 10:02}:{n % 10 * 5:02}:00")
        night.house.do(TABLE, {"do": "open_bets"}, *(bets("a", red=100) for _ in range(20)), *spin("17"))
    night.close()
    records = CountingRecords(tmp_path / "house.db")
    calendar = calendar_of(records)
    entries, records.read = records.head(TABLE).entries, 0
    page = rounds_of(records, RoundsQuery(first="2026-11-15T09:00", limit=3), calendar)
    assert [row.round for row in page.rounds] == [31, 32, 33]
    assert entries > 1_500
    # A round of 27 entries has 7 that name it. The rest is the binary search for the time.
    assert records.read < 100
    records.close()


def test_dealers_are_named_by_who_started_the_spin(tmp_path: Path) -> None:
    night = ClockedTable(tmp_path / "house.db", "2026-11-15T05:00:00", "UTC")
    acts = spin("17")
    names = ["dee", "dan", "dan", "dan", "eve", "dee"]
    night.house.do(TABLE, {"do": "open_bets", "who": "dee"}, bets("a", red=100))
    night.house.do(TABLE, *({**act, "who": name} for act, name in zip(acts, names, strict=True)))
    night.close()
    (row,) = rounds(tmp_path / "house.db", RoundsQuery()).rounds
    assert (row.dealer, row.dealt_by) == ("dan", ("dee", "dan"))
    (line,) = (line for line in report(tmp_path, ReportQuery(GroupBy.DEALER)).lines if line.dealer)
    assert (line.dealer, line.played, line.played_win) == ("dan", 1, 100)
    assert listed(tmp_path / "house.db", dealer=DealerName("dee")) == []
    assert listed(tmp_path / "house.db", person=PersonName("dee")) == [(TABLE, 1)]
