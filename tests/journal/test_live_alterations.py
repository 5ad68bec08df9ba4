"""The file is altered while the house runs, after it was checked at opening. No ticket is paid by the alteration."""

from pathlib import Path
from typing import Any

import pytest

from roundhouse.floor.opening import key_for
from roundhouse.journal.store import JournalDamaged
from tests.support.forgery import edit, query, rewrite
from tests.support.journals import ROULETTE, JournalHouse, seat


class Running(JournalHouse):
    """An open table with two seats, each of which has cashed out: 10.00 and 5,000.00."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        key_for(path, self.store)
        self.open(ROULETTE, "rws-double-zero")
        self.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1_000), *seat("b", "rapid-a", 500_000))
        self.small, self.large = (self._cash_out(name) for name in ("a", "b"))

    def _cash_out(self, name: str) -> str:
        (answer,) = self.do(ROULETTE, {"by": "cashier", "do": "cash_out", "seat": name})
        return str(getattr((answer.events or [])[0], "ticket"))  # noqa: B009

    def redeem(self, ticket: str) -> str | None:
        (answer,) = self.ask(ROULETTE, {"by": "cashier", "do": "redeem_ticket", "seat": "a", "ticket": ticket})
        return answer.refusal

    def paid(self) -> int:
        return self.writers[ROULETTE].table.state.meters.tickets_in


@pytest.fixture
def house(tmp_path: Path) -> Any:
    house = Running(tmp_path / "house.db")
    yield house
    house.close()


def test_a_ticket_is_not_paid_from_the_entry_of_another_ticket(house: Running) -> None:
    """The register names the entry of the large ticket for the small one."""
    edit(house.path, "UPDATE tickets SET seq = (SELECT max(seq) FROM tickets)")
    with pytest.raises(JournalDamaged, match="but it did not"):
        house.redeem(house.small)


def test_a_ticket_is_not_paid_from_a_rewritten_entry(house: Running) -> None:
    """Anyone can recompute the hash chain. Only the seal shows that the house did not write the entry."""
    ((seq,),) = query(house.path, "SELECT min(seq) FROM tickets")

    def raise_the_amount(entry: dict[str, Any]) -> None:
        entry["events"][0]["cents"] = 99_999_900

    rewrite(house.path, ROULETTE, seq, raise_the_amount)
    with pytest.raises(JournalDamaged, match="the seal of entry"):
        house.redeem(house.small)


def test_a_ticket_whose_mark_was_cleared_is_not_paid_again(house: Running) -> None:
    assert house.redeem(house.small) is None
    edit(house.path, "UPDATE tickets SET redeemed_table = NULL, redeemed_seq = NULL")
    assert house.redeem(house.small) == "ticket_is_redeemed"
    assert house.paid() == 1_000


def test_a_ticket_that_was_removed_from_the_register_is_noticed(house: Running) -> None:
    edit(house.path, "DELETE FROM tickets")
    with pytest.raises(JournalDamaged, match="is missing from the register"):
        house.redeem(house.large)
