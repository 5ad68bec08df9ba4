"""The cage of a running house over HTTP: drawers, sales, payments, approvals, and what verify says of it."""

from pathlib import Path
from typing import Any

from roundhouse.audit.verify import verify_journal
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.office.cage_records import cage_report
from roundhouse.office.export import Export
from roundhouse.office.gaming_days import Calendar
from roundhouse.people.names import PersonId, Role
from tests.support.cage_house import TOML, CageHouse, cage_house
from tests.support.clocks import START
from tests.support.houses import PASSWORD


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


def test_a_large_sale_needs_a_second_person_and_only_its_cashier_gets_the_number(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        house.ask("cashier", "open_drawer", drawer="cage-1", cents=0)
        asked = house.ask("cashier", "sell_credits", drawer="cage-1", cents=50_000)
        assert (asked["status"], asked["refusal"], asked["position"]) == (202, "needs_second_person", "pit_supervisor")
        assert (
            house.ask("cashier", "sell_credits", asked["id"], drawer="cage-1", cents=50_000)["proposal"]
            == (asked["proposal"])
        )
        assert house.approve("cashier", asked)["status"] == 403
        assert house.approve("dealer", asked)["status"] == 403
        (row,) = house.view()["proposals"]
        assert row["effect"][0]["cents"] == 50_000
        assert house.view()["drawers"][0]["cash"] == 0
        approved = house.approve("pit_supervisor", asked)
        assert approved["ok"]
        assert "ticket" not in approved
        assert house.approve("pit_manager", asked)["refusal"] == "no_such_proposal"
        sold = house.ask("cashier", "sell_credits", asked["id"], drawer="cage-1", cents=50_000)
        assert len(sold["ticket"]) == 20
        assert house.view()["drawers"][0]["cash"] == 50_000
        assert house.view()["transactions"][0]["second"] == "pit-supervisor"


def test_an_approval_is_for_the_effect_that_was_shown(tmp_path: Path) -> None:
    """A drawer that waits to be closed with a variance is not closed with another one."""
    with cage_house(tmp_path) as house:
        house.ask("cashier", "open_drawer", drawer="cage-1", cents=10_000)
        asked = house.ask("cashier", "close_drawer", drawer="cage-1", cents=9_000)
        assert asked["position"] == "shift_manager"
        assert house.approve("pit_manager", asked)["status"] == 403
        house.ask("cashier", "sell_credits", drawer="cage-1", cents=500)
        assert house.approve("shift_manager", asked)["refusal"] == "state_has_changed"
        assert house.view()["drawers"][0]["cash"] == 10_500
        again = house.ask("cashier", "close_drawer", drawer="cage-1", cents=9_500)
        assert house.approve("shift_manager", again)["ok"]
        assert house.view()["variance"] == -1_000
        texts = house.alerts()
        assert [text for text in texts if "variance -10.00" in text], texts


def test_cash_is_reported_when_its_sum_reaches_the_threshold(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        house.ask("cashier", "open_drawer", drawer="cage-1", cents=49_000)
        person = {"name": "Ann Lee", "document": "S1234567D"}
        for spelling in ({"document": "s-123 4567-d"}, {"name": "lee ann"}, person):
            sold = house.ask("cashier", "sell_credits", drawer="cage-1", cents=40_000, person=spelling)
            assert sold["ok"]
            reported = [event for event in sold["events"] if event["event"] == "cash_reported.v1"]
            assert reported == [], "each key alone has less than the threshold"
        sold = house.ask("cashier", "sell_credits", drawer="cage-1", cents=20_000, person=person)
        (report,) = [event for event in sold["events"] if event["event"] == "cash_reported.v1"]
        assert (report["total"], report["basis"], report["direction"]) == (100_000, "person", "in")
        assert report["initials"] == "AL"
        body = b"".join(row.body for row in house.store.rows(CAGE_CHAIN))
        assert b"Ann" not in body
        assert b"1234567" not in body
        single = house.approved("cashier", "pit_supervisor", "sell_credits", drawer="cage-1", cents=100_000)
        assert single["events"][1]["basis"] == "single"
        found = cage_report(house.configuration.journal, Calendar())
        assert [(one.total, one.basis) for one in found.reported] == [(100_000, "person"), (100_000, "single")]
        (shift,) = found.drawers
        assert (shift.float, shift.sold, shift.sales, shift.expected) == (49_000, 240_000, 5, 289_000)


def test_tickets_of_one_seat_are_summed(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        house.approved("cashier", "pit_supervisor", "open_drawer", drawer="cage-1", cents=150_000)
        house.at_table("dealer", "take_seat", seat="1", terminal="rapid-b")
        reported = []
        for _ in range(3):
            ticket = house.ask("cashier", "sell_credits", drawer="cage-1", cents=45_000)["ticket"]
            house.at_table("dealer", "redeem_ticket", seat="1", ticket=ticket)
            paid = house.ask("cashier", "pay_ticket", drawer="cage-1", ticket=_cash_out(house))
            assert paid["ok"]
            reported.append([(one["basis"], one["total"]) for one in paid["events"][1:]])
        assert reported == [[], [], [("seat", 135_000)]]


def test_barred_persons_buy_nothing(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        house.ask("cashier", "open_drawer", drawer="cage-1", cents=10_000)
        asked = house.ask("cashier", "bar_person", person={"name": "José Lee"}, reason="own wish")
        assert asked["status"] == 202
        assert house.approve("pit_supervisor", asked)["ok"]
        sale: dict[str, Any] = {"drawer": "cage-1", "cents": 100, "person": {"name": "LEE  jose"}}
        assert house.ask("cashier", "sell_credits", **sale)["refusal"] == "person_is_barred"
        ticket = house.ask("cashier", "sell_credits", drawer="cage-1", cents=100)["ticket"]
        paid = house.ask("cashier", "pay_ticket", drawer="cage-1", ticket=ticket, person={"name": "Jose Lee"})
        assert paid["status"] == 202, "a barred person's ticket needs a second person"
        assert house.call("cashier", "GET", "/api/cage/barred").status_code == 403
        (row,) = house.call("auditor", "GET", "/api/cage/barred").json()["barred"]
        assert (row["initials"], row["by"]) == ("JL", "cashier")
        assert house.ask("pit_manager", "unbar_person", barred="b1", reason="served")["ok"]
        assert house.ask("cashier", "sell_credits", **sale)["ok"]


def test_the_positions_that_see_and_use_the_cage(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        house.log_in("cashier-2", "t")
        for caller, read, asked in (
            ("cashier", 200, 200),
            ("cashier-2", 403, 403),
            ("dealer", 403, 403),
            ("pit_supervisor", 200, 403),
            ("shift_manager", 200, 403),
            ("auditor", 200, 403),
        ):
            assert house.call(caller, "GET", "/api/cage").status_code == read, caller
            body = {"do": "open_drawer", "id": f"open-{caller}", "drawer": "cage-1", "cents": 0}
            assert house.call(caller, "POST", "/api/cage/requests", body).status_code == asked, caller
        assert house.call(None, "GET", "/api/cage").status_code == 401


def test_a_house_without_a_cage_has_no_route_and_no_console(tmp_path: Path) -> None:
    text = TOML[: TOML.index("[cage]")] + TOML[TOML.index("[[tables]]") :]
    with cage_house(tmp_path, text, staffed=False) as house:
        person = PersonId("boss")
        run = house.run(house.house.house.staff.add(None, person, "Boss", (Role.PIT_MANAGER,), PASSWORD, START))
        assert run is None
        house.log_in("boss", None)
        assert house.call("boss", "GET", "/api/cage").status_code == 404
        body = {"name": "boss", "password": PASSWORD, "console": "@cage", "program": True}
        assert house.call(None, "POST", "/api/log-in", body).json()["refusal"] == "no_such_table"
    assert verify_journal(house.configuration.journal, house.key).cage is None


def test_a_restart_continues_with_the_drawers_and_records_new_terms(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        house.ask("cashier", "open_drawer", drawer="cage-1", cents=10_000)
        ticket = house.ask("cashier", "sell_credits", drawer="cage-1", cents=700)["ticket"]
    with cage_house(tmp_path, TOML.replace("maximum = 200000", "maximum = 60000"), staffed=False) as again:
        again.clock = house.clock
        for name in ("cashier", "auditor"):
            again.log_in(name, "@cage" if name == "cashier" else None)
        assert again.view()["drawers"][0]["cash"] == 10_700
        assert again.ask("cashier", "sell_credits", drawer="cage-1", cents=60_001)["refusal"] == "above_house_maximum"
        assert again.ask("cashier", "pay_ticket", drawer="cage-1", ticket=ticket)["ok"]
        rows = [row.body for row in again.store.rows(CAGE_CHAIN)]
        assert sum(b"cage_terms_set" in body for body in rows) == 2
    assert verify_journal(house.configuration.journal, house.key).cage is not None


def test_exports_see_the_cage(tmp_path: Path) -> None:
    with cage_house(tmp_path) as house:
        house.ask("cashier", "open_drawer", drawer="cage-1", cents=10_000)
        ticket = house.ask("cashier", "sell_credits", drawer="cage-1", cents=700)["ticket"]
        kept = house.ask("cashier", "sell_credits", drawer="cage-1", cents=900)["ticket"]
        house.ask("cashier", "pay_ticket", drawer="cage-1", ticket=ticket)
        house.ask("cashier", "look_up_ticket", ticket=ticket)
        with Export(house.configuration.journal) as export:
            events = [one for one in export.events() if one.table == CAGE_CHAIN]
            assert [(one.kind, one.cents) for one in events] == [
                ("cage_terms_set", None),
                ("drawer_opened", 10_000),
                ("credits_sold", 700),
                ("credits_sold", 900),
                ("ticket_paid", 700),
            ]
            assert events[-1].detail["ticket"] == f"…{ticket[-4:]}"
            assert [(row.ticket, row.cents, row.table) for row in export.tickets(START)] == [
                (f"…{kept[-4:]}", 900, CAGE_CHAIN)
            ]
            assert "@cage=6" in export.position()
            assert list(export.meters())
