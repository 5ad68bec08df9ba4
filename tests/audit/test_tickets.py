"""Tickets across tables: each is redeemed once, for its value and after it was issued, whatever the clocks show."""

from pathlib import Path
from typing import Any

from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import read_key
from roundhouse.table.names import TableId
from tests.support.forgery import edit, finding, query, rewrite
from tests.support.journals import JournalHouse, seat

A, B = TableId("a-table"), TableId("b-table")


def redeem(ticket: str, at: str = "s") -> dict[str, Any]:
    return {"by": "cashier", "do": "redeem_ticket", "seat": at, "ticket": ticket}


CASH_OUT = {"by": "cashier", "do": "cash_out", "seat": "s"}


def two_tables(path: Path) -> JournalHouse:
    house = JournalHouse(path)
    for table in (A, B):
        house.open(table, "mbs-sands")
        house.do(table, {"do": "open_table"}, *seat("s", "table", 1000))
    return house


def test_tickets_between_two_tables_verify_in_both_directions(tmp_path: Path) -> None:
    """Verification of each table waits for the other one several times, in any order of the tables."""
    house = two_tables(tmp_path / "j")
    number = 0
    for _ in range(3):
        for here, there in ((B, A), (A, B)):
            house.do(here, CASH_OUT)
            number += 1
            house.do(there, redeem(f"{number:020d}"))
    house.close()
    summary = verify_journal(house.path, read_key(house.path))
    assert (summary.tickets_outstanding, summary.notes) == (0, [])


def test_clocks_that_disagree_are_noted_but_are_no_discrepancy(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    house.do(A, CASH_OUT)
    house.clock.at -= 1000
    house.do(B, redeem(f"{1:020d}"))
    house.close()
    notes = verify_journal(house.path, read_key(house.path)).notes
    assert notes == ["tickets redeemed before they were issued, by the clocks of the tables: 1"]


def test_a_ticket_redeemed_at_two_tables_is_detected(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    house.do(A, CASH_OUT)
    house.do(B, redeem(f"{1:020d}"))
    edit(house.path, "UPDATE tickets SET redeemed = 0")
    house.do(A, redeem(f"{1:020d}"))
    house.close()
    found = finding(house.path)
    assert found is not None
    assert (found.table, found.entry, found.what) == (B, 4, "a ticket is redeemed twice")


def test_a_ticket_redeemed_for_another_value_is_detected(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    house.do(A, CASH_OUT)
    edit(house.path, "UPDATE tickets SET cents = 5000")
    house.do(B, redeem(f"{1:020d}"))
    house.close()
    found = finding(house.path)
    assert found is not None
    assert (found.table, found.entry, found.what) == (B, 4, "a ticket differs from the one that was issued")


def test_tickets_redeemed_before_they_were_issued_are_detected(tmp_path: Path) -> None:
    """Each table redeems a ticket that the other would issue later, which no order of entries allows."""
    house = two_tables(tmp_path / "j")
    life = 30 * 24 * 3600 * 1000
    for number in ("1", "2"):
        expires = house.clock.at + 10 * house.clock.tick + life
        edit(house.path, "INSERT INTO tickets VALUES (?, 1000, ?, 0)", number, expires)
    house.do(A, redeem("2"))
    house.do(B, redeem("1"))
    house.close()
    found = finding(house.path)
    assert found is not None
    assert (found.table, found.entry) == (A, 4)
    assert "no table issued or redeemed" in found.what


def test_a_ticket_number_issued_twice_is_detected(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    house.do(A, CASH_OUT)
    house.do(B, CASH_OUT)
    house.close()
    second = f"{2:020d}"
    ((seq,),) = query(house.path, "SELECT max(seq) FROM entries WHERE table_id = ?", B)

    def same_number(entry: dict[str, Any]) -> None:
        assert entry["events"][0]["ticket"] == second
        entry["facts"]["fresh_ticket"] = entry["events"][0]["ticket"] = f"{1:020d}"

    rewrite(house.path, B, seq, same_number)
    found = finding(house.path, with_key=False)
    assert found is not None
    assert (found.table, found.what) == (B, "a ticket number is used twice")


def test_a_request_that_misses_an_existing_ticket_is_detected(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    house.do(A, CASH_OUT)
    ((number, cents, expires, _),) = query(house.path, "SELECT * FROM tickets")
    edit(house.path, "DELETE FROM tickets")
    house.ask(A, redeem(number))
    edit(house.path, "INSERT INTO tickets VALUES (?, ?, ?, 0)", number, cents, expires)
    house.close()
    found = finding(house.path)
    assert found is not None
    assert found.what == "the request for an existing ticket found none"


def test_a_refusal_for_a_ticket_that_was_never_redeemed_is_detected(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    house.do(A, CASH_OUT)
    edit(house.path, "UPDATE tickets SET redeemed = 1")
    house.ask(B, redeem(f"{1:020d}"))
    edit(house.path, "UPDATE tickets SET redeemed = 0")
    house.close()
    found = finding(house.path)
    assert found is not None
    assert (found.table, found.entry) == (B, 4)
    assert "no table issued or redeemed" in found.what
