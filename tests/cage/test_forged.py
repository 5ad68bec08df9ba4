"""Verify finds forged rows of the cage. Without the key a forger can recompute every hash; the decisions do not fit."""

from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import read_key
from tests.support.cage_house import cage_house
from tests.support.forgery import edit, rewrite

Entry = dict[str, Any]


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A day with a sale, payments, a redemption at a table, a report, a voided ticket, a check and a closing."""
    folder = tmp_path_factory.mktemp("cage")
    with cage_house(folder) as house:
        assert house.ask("cashier", "open_drawer", drawer="cage-1", cents=40_000)["ok"]  # entry 2
        paid = house.ask("cashier", "sell_credits", drawer="cage-1", cents=1_000)["ticket"]  # 3
        played = house.ask("cashier", "sell_credits", drawer="cage-1", cents=2_000)["ticket"]  # 4
        void = house.ask("cashier", "sell_credits", drawer="cage-1", cents=3_000)["ticket"]  # 5
        assert house.ask("cashier", "pay_ticket", drawer="cage-1", ticket=paid)["ok"]  # 6
        assert not house.ask("cashier", "pay_ticket", drawer="cage-1", ticket=paid)["ok"]  # 7
        assert house.at_table("dealer", "take_seat", seat="1", terminal="rapid-b")["ok"]
        assert house.at_table("dealer", "redeem_ticket", seat="1", ticket=played)["ok"]
        assert house.approved("cashier", "pit_manager", "void_ticket", ticket=void, reason="torn")["ok"]  # 8
        assert house.ask("pit_manager", "bar_person", person={"name": "Ann Lee"}, reason="own wish")["ok"]  # 9
        assert house.ask("cashier", "check_person", person={"name": "lee ann"})["events"][0]["barred"] == "b1"  # 10
        large = house.approved("cashier", "pit_supervisor", "sell_credits", drawer="cage-1", cents=100_000)  # 11
        assert [event["event"] for event in large["events"]] == ["credits_sold.v1", "cash_reported.v1"]
        again = house.ask("cashier", "pay_ticket", drawer="cage-1", ticket=played)  # 12
        assert again["refusal"] == "ticket_is_redeemed"
        assert house.ask("cashier", "count_drawer", drawer="cage-1", cents=144_900)["ok"]  # 13
        assert house.ask("cashier", "close_drawer", drawer="cage-1", cents=144_900)["ok"]  # 14
    return house.configuration.journal


def _event(name: str, **changes: Any) -> Callable[[Entry], None]:
    def change(entry: Entry) -> None:
        (event,) = [one for one in entry["events"] if one["event"] == name]
        event.update(changes)

    return change


def _paid_again(entry: Entry, cents: int = 1_000) -> None:
    """Turn the refused second payment into a payment."""
    entry["facts"]["ticket"]["redeemed"] = False
    ticket = entry["request"]["ticket"]
    entry["events"] = [{"event": "ticket_paid.v1", "drawer": "cage-1", "cents": cents, "ticket": ticket}]
    del entry["refusal"], entry["reason"]


def _raise_price(entry: Entry) -> None:
    for part in (entry["request"], entry["events"][0]):
        part["cents"] += 500


FORGERIES: dict[str, tuple[int, Callable[[Entry], None]]] = {
    "terms without reports": (1, lambda entry: entry["events"][0]["terms"].pop("report_from")),
    "more cash at the opening": (2, _event("drawer_opened.v1", cents=41_000)),
    "a sale of another amount": (3, _event("credits_sold.v1", cents=1_500)),
    "a sale and its request of another amount": (4, _raise_price),
    "a payment of another amount": (6, _event("ticket_paid.v1", cents=999)),
    "a ticket of another amount": (6, lambda entry: entry["facts"]["ticket"].update(cents=900)),
    "a ticket of another table": (6, lambda entry: entry["facts"]["ticket"].update(table="t")),
    "a second payment": (7, _paid_again),
    "a ticket voided alone": (8, lambda entry: entry["request"].pop("second")),
    "a ticket voided by another": (8, lambda entry: entry["request"].update(second="pit-supervisor")),
    "a barred person under another key": (9, _event("person_barred.v1", keys=["0" * 32])),
    "a barred person who was not found": (10, _event("person_checked.v1", barred=None)),
    "a report left out": (11, lambda entry: entry["events"].pop()),
    "a large sale alone": (11, lambda entry: entry["request"].pop("second")),
    "a second payment, after a table": (12, lambda entry: _paid_again(entry, 2_000)),
    "a count that agrees": (13, _event("drawer_counted.v1", variance=0)),
    "a closing that agrees": (14, _event("drawer_closed.v1", variance=0)),
    "an unknown person": (14, lambda entry: entry["request"].update(who="nobody")),
    "an earlier time": (14, lambda entry: entry["facts"].update(at=1)),
}


def test_the_journal_itself_verifies(journal: Path) -> None:
    assert verify_journal(journal, read_key(journal)).cage is not None
    assert verify_journal(journal, None).cage is not None


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_entry_is_found_without_the_key(journal: Path, tmp_path: Path, name: str) -> None:
    copied = _copied(journal, tmp_path)
    seq, change = FORGERIES[name]
    rewrite(copied, "@cage", seq, lambda entry: _applied(change, entry))
    with pytest.raises(DoesNotHold):
        verify_journal(copied, None)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE tickets SET redeemed_table = NULL, redeemed_seq = NULL WHERE redeemed_table = '@cage'",
        "UPDATE tickets SET cents = cents + 1 WHERE table_id = '@cage'",
        "DELETE FROM tickets WHERE table_id = '@cage' AND seq = 11",
        "UPDATE requests SET seq = 3 WHERE table_id = '@cage' AND seq = 6",
        "DELETE FROM requests WHERE table_id = '@cage' AND seq = 6",
        "INSERT INTO entry_index VALUES ('@cage', 'round 1', 3)",
        "INSERT INTO rounds VALUES ('@cage', 1, 1, x'', x'')",
        "DELETE FROM entries WHERE table_id = '@cage' AND seq = 14",
        "DELETE FROM entries WHERE table_id = '@cage'",
        "UPDATE seals SET seal = x'00' WHERE table_id = '@cage'",
    ],
)
def test_a_changed_row_is_found(journal: Path, tmp_path: Path, sql: str) -> None:
    copied = _copied(journal, tmp_path)
    edit(copied, sql)
    with pytest.raises(DoesNotHold):
        verify_journal(copied, read_key(copied))


def _applied(change: Callable[[Entry], object], entry: Entry) -> None:
    change(entry)


def _copied(journal: Path, folder: Path) -> Path:
    return Path(copytree(journal.parent, folder / "copy")) / journal.name
