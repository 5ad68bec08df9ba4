"""Tickets across tables: each is redeemed once, for its value and after it was issued, whatever the clocks show."""

from pathlib import Path
from typing import Any

import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.journal.entry import Answer
from roundhouse.journal.seal import read_key
from roundhouse.journal.store import JournalDamaged
from roundhouse.journal.ticket_numbers import TicketNumbers
from roundhouse.table.names import TableId
from tests.support.forgery import edit, finding, query, rechain, reseal, rewrite
from tests.support.journals import JournalHouse, seat

A, B = TableId("a-table"), TableId("b-table")
FREE = "UPDATE tickets SET redeemed_table = NULL, redeemed_seq = NULL"


def redeem(ticket: str, at: str = "s") -> dict[str, Any]:
    return {"by": "cashier", "do": "redeem_ticket", "seat": at, "ticket": ticket}


def cash_out(house: JournalHouse, table: TableId) -> str:
    """Cash out the seat and return the number of its ticket."""
    (answer,) = house.do(table, {"by": "cashier", "do": "cash_out", "seat": "s"})
    return ticket_in(answer)


def ticket_in(answer: Answer) -> str:
    (event,) = answer.events or []
    return str(getattr(event, "ticket"))  # noqa: B009


def two_tables(path: Path) -> JournalHouse:
    house = JournalHouse(path)
    for table in (A, B):
        house.open(table, "mbs-sands")
        house.do(table, {"do": "open_table"}, *seat("s", "table", 1000))
    return house


def again(house: JournalHouse) -> JournalHouse:
    """Close the journal and open both tables again, without the checks of a house that opens."""
    house.close()
    reopened = JournalHouse(house.path, house.clock, house._requests)
    for table in (A, B):
        reopened.open(table, "mbs-sands")
    return reopened


def test_tickets_between_two_tables_verify_in_both_directions(tmp_path: Path) -> None:
    """Verification of each table waits for the other one several times, in any order of the tables."""
    house = two_tables(tmp_path / "j")
    for _ in range(3):
        for here, there in ((B, A), (A, B)):
            house.do(there, redeem(cash_out(house, here)))
    house.close()
    summary = verify_journal(house.path, read_key(house.path))
    assert (summary.tickets_outstanding, summary.notes) == (0, [])


def test_clocks_that_disagree_are_noted_but_are_no_discrepancy(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    ticket = cash_out(house, A)
    house.clock.at -= 1000
    house.do(B, redeem(ticket))
    house.close()
    notes = verify_journal(house.path, read_key(house.path)).notes
    assert notes == ["tickets redeemed before they were issued, by the clocks of the tables: 1"]


def test_a_cleared_mark_pays_no_ticket_while_the_house_runs(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    ticket = cash_out(house, A)
    house.do(B, redeem(ticket))
    edit(house.path, FREE)
    (answer,) = house.ask(A, redeem(ticket))
    assert answer.refusal == "ticket_is_redeemed"
    house.close()
    found = finding(house.path)
    assert found is not None
    assert "register of tickets" in found.what


def test_a_ticket_redeemed_at_two_tables_is_detected(tmp_path: Path) -> None:
    """The journal of a house that did not check the register when it opened."""
    house = two_tables(tmp_path / "j")
    ticket = cash_out(house, A)
    house.do(B, redeem(ticket))
    edit(house.path, FREE)
    house = again(house)
    house.do(A, redeem(ticket))
    house.close()
    found = finding(house.path)
    assert found is not None
    assert (found.table, found.entry, found.what) == (B, 4, "a ticket is redeemed twice")


def test_a_ticket_is_paid_from_its_entry_and_not_from_the_register(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    ticket = cash_out(house, A)
    edit(house.path, "UPDATE tickets SET cents = 5000, expires = 1")
    (answer,) = house.do(B, redeem(ticket))
    assert answer.events is not None
    assert getattr(answer.events[0], "cents") == 1000  # noqa: B009
    house.close()
    found = finding(house.path)
    assert found is not None
    assert "register of tickets" in found.what


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE tickets SET seq = seq - 1",
        "UPDATE tickets SET table_id = 'b-table'",
        "UPDATE tickets SET seq = 99",
        "DELETE FROM tickets",
        "UPDATE entries SET body = CAST(replace(CAST(body AS TEXT), '1000', '9000') AS BLOB) WHERE seq = 4",
        "UPDATE seals SET seal = zeroblob(32) WHERE seq = 4",
        "DELETE FROM seals",
    ],
)
def test_a_ticket_without_a_proven_entry_is_not_paid(tmp_path: Path, sql: str) -> None:
    house = two_tables(tmp_path / "j")
    ticket = cash_out(house, A)
    edit(house.path, sql)
    with pytest.raises(JournalDamaged):
        house.ask(B, redeem(ticket))
    house.close()


def test_an_entry_with_a_recomputed_chain_is_not_paid_without_the_key(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    ticket = cash_out(house, A)

    def worth_more(entry: dict[str, Any]) -> None:
        entry["events"][0]["cents"] = 9000

    rewrite(house.path, A, 4, worth_more)
    with pytest.raises(JournalDamaged, match="the seal of entry 4"):
        house.ask(B, redeem(ticket))
    house.close()


def test_the_id_of_a_ticket_does_not_redeem_it(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    cash_out(house, A)
    ((id,),) = query(house.path, "SELECT id FROM tickets")
    for presented in (id, id[:32], id[-4:]):
        (answer,) = house.ask(B, redeem(presented))
        assert answer.refusal == "no_such_ticket"
    house.close()


def test_a_ticket_number_issued_twice_is_detected(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    cash_out(house, A)
    cash_out(house, B)
    house.close()
    (first,) = query(house.path, "SELECT id FROM tickets WHERE table_id = ?", A)

    def same_number(entry: dict[str, Any]) -> None:
        entry["facts"]["fresh_ticket"] = entry["events"][0]["ticket"] = first[0]

    rewrite(house.path, B, 4, same_number)
    found = finding(house.path, with_key=False)
    assert found is not None
    assert (found.table, found.what) == (B, "a ticket number is used twice")


def test_an_id_that_is_not_of_its_salt_is_detected_with_the_key(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    cash_out(house, A)
    house.close()
    rewrite(house.path, A, 4, lambda entry: entry["facts"].update(salt="00"))
    reseal(house.path, A)
    assert finding(house.path, with_key=False) is None
    found = finding(house.path)
    assert found is not None
    assert (found.entry, found.what) == (4, "the id of a ticket is not that of its salt")


def test_a_resent_cash_out_gets_the_same_number_after_a_restart(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    ticket = cash_out(house, A)
    house = again(house)
    house._requests -= 1
    assert cash_out(house, A) == ticket
    house.close()
    (entry,) = query(house.path, "SELECT body FROM entries WHERE table_id = ? AND seq = 4", A)
    assert ticket.encode() not in entry[0]


def test_no_file_of_the_journal_contains_a_ticket_number(tmp_path: Path) -> None:
    """Neither a cash-out, nor a redemption, nor a refused redemption leaves the number in the file or its log."""
    house = two_tables(tmp_path / "j")
    tickets = [cash_out(house, A), cash_out(house, B)]
    house.do(B, redeem(tickets[0]))
    house.ask(A, redeem(tickets[0]), redeem(tickets[1], at="nobody"))
    files = [*tmp_path.iterdir()]
    contents = b"".join(file.read_bytes() for file in files if file.suffix != ".key" and not file.name.endswith("-shm"))
    house.close()
    contents += house.path.read_bytes()
    assert b"redeem_ticket" in contents
    for ticket in tickets:
        assert ticket.encode() not in contents


def test_numbers_of_tickets_depend_on_key_table_and_salt(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    key = read_key(house.path)
    house.close()
    assert key is not None
    numbers = TicketNumbers(key)
    found = {numbers.number(table, f"{salt}") for table in (A, B) for salt in range(500)}
    assert len(found) == 1000
    assert all(len(number) == 20 and number.isdigit() for number in found)
    assert len({numbers.id(number) for number in found}) == 1000
    # All digits occur at every place about equally often.
    for place in range(20):
        counts = [sum(number[place] == digit for number in found) for digit in "0123456789"]
        assert 50 < min(counts) <= max(counts) < 160, counts


def test_a_request_that_misses_an_existing_ticket_is_detected(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    ticket = cash_out(house, A)
    (row,) = query(house.path, "SELECT * FROM tickets")
    house.ask(A, redeem("12345678901234567890"))
    house.close()

    def missed(entry: dict[str, Any]) -> None:
        entry["request"]["ticket"] = row[0]

    rewrite(house.path, A, 5, missed)
    reseal(house.path, A)
    found = finding(house.path)
    assert ticket
    assert found is not None
    assert found.what == "the request for an existing ticket found none"


def test_a_refusal_for_a_ticket_that_was_never_redeemed_is_detected(tmp_path: Path) -> None:
    house = two_tables(tmp_path / "j")
    ticket = cash_out(house, A)
    edit(house.path, "UPDATE tickets SET redeemed_table = 'a-table', redeemed_seq = 4")
    house.ask(B, redeem(ticket))
    edit(house.path, FREE)
    house.close()
    rechain(house.path, B)
    found = finding(house.path)
    assert found is not None
    assert (found.table, found.entry) == (B, 4)
    assert "no table issued or redeemed" in found.what
