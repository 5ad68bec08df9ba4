"""Exports: every kind of significant event, and a stream without losses or repetitions."""

import csv
import json
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from roundhouse.journal.entry import GENESIS, link
from roundhouse.office.export import Export
from roundhouse.office.records import HOUSE
from roundhouse.office.significant_events import Significant, SignificantKind, Thresholds
from roundhouse.table.names import TableId
from tests.support.command_line import Calling
from tests.support.desks import play_desks
from tests.support.disputes import play_disputes
from tests.support.journals import ROULETTE, SANDS, TWO_PERSONS, JournalHouse, bets, seat, spin
from tests.support.tables import Play


def events_of(path: Path, **thresholds: int) -> list[Significant]:
    with Export(path) as journal:
        return list(journal.events(None, Thresholds(**thresholds)))


def lines_of(call: Calling, *arguments: str) -> list[dict[str, Any]]:
    status, out, err = call("export", *arguments, "--json")
    assert (status, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


def test_the_significant_events_of_a_day_are_listed(day: Path) -> None:
    found = [(one.table, one.seq, one.kind, one.round, one.seat, one.cents, one.by) for one in events_of(day)]
    assert found == [
        (ROULETTE, 1, "table_opened", None, None, None, "dealer"),
        (SANDS, 1, "table_opened", None, None, None, "dealer"),
        (ROULETTE, 29, "cashed_out_by_staff", None, "a", 151_500, "cashier"),
        (ROULETTE, 32, "result_corrected", 2, None, -38_000, "pit_supervisor"),
        (ROULETTE, 32, "shortfall", 2, "a", 36_000, "pit_supervisor"),
        (SANDS, 11, "round_voided", 1, None, 5_000, "dealer"),
        (ROULETTE, 43, "matter_referred", 4, None, None, "pit_manager"),
        (ROULETTE, 44, "decision_made", 4, None, None, "shift_manager"),
        (ROULETTE, 44, "round_voided", 4, None, 400, "shift_manager"),
        (ROULETTE, 45, "round_reversed", 3, None, 300, "pit_manager"),
        (ROULETTE, 52, "interruption_recovered", 5, None, None, None),
        (ROULETTE, 55, "cashed_out_by_staff", None, "b", 51_600, "cashier"),
        (ROULETTE, 56, "table_closed", None, None, None, "dealer"),
    ]


def test_amounts_at_or_above_a_threshold_are_large(day: Path) -> None:
    def large(kind: SignificantKind, **thresholds: int) -> list[tuple[str | None, int | None]]:
        return [(one.seat, one.cents) for one in events_of(day, **thresholds) if one.kind == kind]

    assert large(SignificantKind.LARGE_WIN, win_cents=16_500) == [("a", 16_500), ("a", 35_000)]
    assert large(SignificantKind.LARGE_WIN, win_cents=16_501) == [("a", 35_000)]
    assert large(SignificantKind.LARGE_TICKET_ISSUED, ticket_cents=51_600) == [("a", 151_500), ("b", 51_600)]
    assert large(SignificantKind.LARGE_TICKET_ISSUED, ticket_cents=51_601) == [("a", 151_500)]
    assert large(SignificantKind.LARGE_TICKET_REDEEMED, ticket_cents=151_500) == [("x", 151_500)]
    assert large(SignificantKind.LARGE_TICKET_REDEEMED, ticket_cents=151_501) == []


def test_a_large_win_includes_the_stake(day: Path) -> None:
    (one,) = [one for one in events_of(day, win_cents=20_000) if one.kind == SignificantKind.LARGE_WIN]
    assert one.detail == {"outcome": "8", "staked": 1_000, "returned": 36_000}


def busy_house(path: Path) -> None:
    """Write the events that the day lacks: a no spin, both modes, a correction within the round and a stop."""
    house = JournalHouse(path)
    house.open(ROULETTE, "mbs-electronic-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "racetrack", 1000))
    house.do(ROULETTE, {"do": "hand_back"}, {"do": "take_over", "reason": "the wheel is silent"})
    house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=100), *spin("3")[:2])
    house.do(ROULETTE, {"do": "call_no_spin", "reason": "the ball jumped"})
    house.do(ROULETTE, {"do": "open_bets"}, *spin("18")[:4], {"do": "register_result", "outcome": "17"})
    house.do(ROULETTE, {"by": "pit_supervisor", "do": "correct_result", "round": 2, "outcome": "18", **TWO_PERSONS})
    house.do(ROULETTE, {"do": "confirm_result"}, {"do": "close_table", "last_rounds": 2})
    house.writers[ROULETTE].table.state.seats["a"].credits += 1  # type: ignore[index]
    house.ask(ROULETTE, {"do": "open_bets"})
    house.writers[ROULETTE].table.state.seats["a"].credits -= 1  # type: ignore[index]
    house.do(ROULETTE, {"by": "shift_manager", "do": "resume_table", "reason": "found", **TWO_PERSONS})
    house.close()


def test_rare_kinds_of_events_are_listed(tmp_path: Path) -> None:
    busy_house(tmp_path / "house.db")
    found = [(one.kind, one.round) for one in events_of(tmp_path)]
    assert found == [
        ("table_opened", None),
        ("automatic_mode", None),
        ("manual_mode", None),
        ("no_spin", 1),
        ("readings_differ", 2),
        ("result_corrected", 2),
        ("last_rounds_announced", None),
        ("table_stopped", None),
        ("table_resumed", None),
    ]


def play_money(path: Path) -> None:
    """Reverse a purchase, change the limits, and allow another terminal at a seat with credits."""
    play = Play(path, "mbs-electronic-double-zero").open("a", credits=1000)
    play.ok("reverse_purchase", "dealer", seat="a", who="dee")
    play.ok("buy_credits", "dealer", seat="a", cents=500, who="dee")
    play.ok("change_limits", limits={"table": 60_000}, reason="a busy night", who="ann", second="ben")
    play.ok("allow_enrolment", seat="a", reason="its screen is broken", who="ann", second="ben")
    play.store.close()


def test_the_test_data_contains_every_kind(day: Path, tmp_path: Path) -> None:
    busy_house(tmp_path / "house.db")
    play_disputes(tmp_path / "disputes.db")
    play_desks(tmp_path / "desks.db")
    play_money(tmp_path / "money.db")
    journals = (day, tmp_path, *(tmp_path / f"{name}.db" for name in ("disputes", "desks", "money")))
    seen = {one.kind for path in journals for one in events_of(path, win_cents=1, ticket_cents=1, purchase_cents=1)}
    # An old journal adopts the procedure; tests/journal has one.
    assert seen == {kind.value for kind in SignificantKind} - {SignificantKind.PROCEDURE_ADOPTED}


def test_every_kind_and_field_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "reports.md").read_text(encoding="utf-8")
    for name in (*SignificantKind, *Significant.__struct_fields__):
        assert f"`{name}`" in page, name


def test_a_stream_continues_from_its_position(tmp_path: Path) -> None:
    """Read after every entry: the parts together equal one complete read."""
    house = JournalHouse(tmp_path / "house.db")
    for table, game in ((ROULETTE, "rws-double-zero"), (SANDS, "mbs-sands")):
        house.open(table, game)
    got: list[Significant] = []
    position = None

    def read_on() -> None:
        nonlocal position
        with Export(house.path) as journal:
            got.extend(journal.events(position))
            position = journal.position(position)

    steps: list[dict[str, Any]] = [
        {"do": "open_table"},
        {"do": "open_bets"},
        {"do": "close_table"},
        {"do": "hand_back"},
    ]
    for step in steps:
        for table in (ROULETTE, SANDS):
            house.do(table, step)
            read_on()
            read_on()
    assert got == events_of(house.path)
    assert len(got) == 6
    assert position == f"{ROULETTE}=4,{SANDS}=4"
    house.close()


def test_a_position_covers_only_the_tables_that_it_names(day: Path) -> None:
    with Export(day) as journal:
        since = f"{ROULETTE}=56"
        assert {one.table for one in journal.events(since)} == {SANDS}
    with Export(day, TableId(SANDS)) as journal:
        assert journal.position(f"{ROULETTE}=7") == f"{ROULETTE}=7,{SANDS}=13"
        assert {one.table for one in journal.events(f"{ROULETTE}=7")} == {SANDS}
    with Export(day, TableId(ROULETTE)) as journal:
        assert [one.seq for one in journal.events("45")] == [52, 55, 56]


def test_json_lines_end_with_the_position(day: Path, call: Calling) -> None:
    *lines, last = lines_of(call, str(day), "--what", "events")
    assert last == {"export": "position.v1", "next": f"{ROULETTE}=56,{SANDS}=13"}
    assert len(lines) == 13
    assert {line["export"] for line in lines} == {"event.v1"}
    assert lines_of(call, str(day), "--what", "events", "--since", last["next"]) == [last]


def test_csv_has_the_same_rows_and_prints_the_position_to_standard_error(day: Path, call: Calling) -> None:
    status, out, err = call("export", str(day), "--what", "events", "--csv")
    assert (status, err) == (0, f"position: {ROULETTE}=56,{SANDS}=13\n")
    rows = list(csv.DictReader(out.splitlines()))
    assert [(row["table"], row["seq"], row["kind"]) for row in rows] == [
        (one.table, str(one.seq), one.kind) for one in events_of(day)
    ]
    assert json.loads(rows[7]["detail"])["reason"] == "The ball was not seen."
    status, out, _ = call("export", str(day), "--what", "events")
    assert status == 0
    assert "interruption_recovered" in out


def test_meters_are_exported_for_each_table_and_seat(day: Path, call: Calling) -> None:
    lines = lines_of(call, str(day))
    found = [(m["table"], m["seat"], m["seq"], m["handle"], m["drop"], m["credits"], m["on_layout"]) for m in lines]
    assert found == [
        (ROULETTE, None, 56, 6_100, 150_000, 0, 0),
        (ROULETTE, "a", 56, 2_500, 100_000, 0, 0),
        (ROULETTE, "b", 56, 3_600, 50_000, 0, 0),
        (SANDS, None, 13, 0, 171_500, 166_500, 5_000),
        (SANDS, "x", 13, 0, 171_500, 166_500, 5_000),
    ]
    status, out, _ = call("export", str(day), "--csv", "--table", SANDS)
    rows = list(csv.DictReader(out.splitlines()))
    assert (status, [row["credits"] for row in rows]) == (0, ["166500", "166500"])
    assert "1,665.00" in call("export", str(day))[1]


CARL = {"kind": "person", "person": "carl", "position": "pit_manager", "address": "192.0.2.7"}
HOUSE_EVENTS: list[dict[str, Any]] = [
    {"event": "log_in_failed.v1", "person": "anna"},
    {"event": "person_locked.v1", "person": "anna", "reason": "=cmd()"},
    {"event": "appointed.v1", "person": "ben", "position": "pit_manager"},
]


def add_house_chain(path: Path) -> None:
    """Add a house chain to the file, in the form that a house writes."""
    db = apsw.Connection(str(path))
    hash = GENESIS
    for seq, event in enumerate(HOUSE_EVENTS, 1):
        at = 1_700_000_000_000 + seq * 5_000
        body = msgspec.json.encode({"entry": "house.v1", "seq": seq, "at": at, "by": CARL, "event": event})
        hash = link(hash, body)
        db.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (HOUSE, seq, body, hash))
    db.close()


@pytest.mark.parametrize("listed", [True, False], ids=["listed as a table", "not listed"])
def test_the_house_chain_is_in_the_event_stream_but_in_no_report(copy: Path, call: Calling, listed: bool) -> None:
    reported = call.json("report", str(copy))
    meters = lines_of(call, str(copy))
    add_house_chain(copy)
    if listed:
        db = apsw.Connection(str(copy))
        db.execute("INSERT INTO tables VALUES (?, '')", (HOUSE,))
        db.close()
    assert call.json("report", str(copy)) == reported
    assert lines_of(call, str(copy)) == meters
    *lines, last = lines_of(call, str(copy), "--what", "events")
    house = [line for line in lines if line["table"] == HOUSE]
    assert [(one["kind"], one["who"], one["detail"]["person"]) for one in house] == [
        ("log_in_failed", "carl", "anna"),
        ("person_locked", "carl", "anna"),
        ("appointed", "carl", "ben"),
    ]
    assert {(one["by"], one["detail"]["asked_by"]["address"]) for one in house} == {("pit_manager", "192.0.2.7")}
    assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)
    assert last["next"] == f"{HOUSE}=3,{ROULETTE}=56,{SANDS}=13"
    assert [
        one["seq"] for one in lines_of(call, str(copy), "--what", "events", "--table", HOUSE, "--since", "2")[:-1]
    ] == [3]
    out = call("export", str(copy), "--what", "events", "--csv")[1]
    assert [row["table"] for row in csv.DictReader(out.splitlines())].count(HOUSE) == 3
