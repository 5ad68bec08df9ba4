"""The cage of a running house over HTTP: drawers, sales, payments, approvals, and what verify says of it."""

from pathlib import Path

from roundhouse.audit.verify import verify_journal
from tests.support.cage_house import CageHouse, cage_house


def test_a_day_at_the_cage_balances_and_verifies(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        assert house.ask("cashier", "open_drawer", drawer="cage-1", cents=40_000)["ok"]
        sold = house.ask("cashier", "sell_credits", drawer="cage-1", cents=12_300)
        assert sold["ok"]
        assert len(sold["ticket"]) == 20
        answer = house.at_table("dealer", "take_seat", seat="1", terminal="rapid-b")
        assert answer["ok"], answer
        answer = house.at_table("dealer", "redeem_ticket", seat="1", ticket=sold["ticket"])
        assert answer["ok"], answer
        again = house.ask("cashier", "pay_ticket", drawer="cage-1", ticket=sold["ticket"])
        assert again["refusal"] == "ticket_is_redeemed"
        ticket = _cash_out(house)
        paid = house.ask("cashier", "pay_ticket", drawer="cage-1", ticket=ticket)
        assert paid["ok"]
        assert paid["events"][0]["cents"] == 12_300
        assert house.at_table("dealer", "redeem_ticket", seat="1", ticket=ticket)["refusal"] == "ticket_is_redeemed"
        closed = house.ask("cashier", "close_drawer", drawer="cage-1", cents=39_900)
        assert closed["ok"]
        assert closed["events"][1]["variance"] == -100
        view = house.view()
        assert (view["vault"], view["variance"], view["tickets"]) == (100, -100, 0)
        key, journal = house.key, house.configuration.journal
    summary = verify_journal(journal, key)
    assert summary.cage is not None
    assert summary.cage.variance == -100
    assert summary.tickets_outstanding == 0


def _cash_out(house: CageHouse) -> str:
    asked = house.at_table("dealer", "cash_out", seat="1")
    assert asked["status"] == 202, asked
    assert house.approve("pit_supervisor", asked)["ok"]
    body = {"do": "cash_out", "id": asked["id"], "seat": "1"}
    found = house.call("dealer", "POST", "/api/tables/t/requests", body).json()
    ticket: str = found["events"][0]["ticket"]
    return ticket
