"""The screen of the cage at a running house: drawers, sales, payments, approvals and wrong numbers."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import PHONE, WALL, Desk, Size, accessibility

UNKNOWN = "12345678901234567890"


@pytest.fixture
def cash(desk: Desk) -> Iterator[Desk]:
    """Close the Cashier's drawer after the test, because the tests share the house."""
    yield desk
    view = desk.house.get("/api/cage", "cashier", "@cage")
    for row in view["drawers"]:
        if row["cashier"] == "cashier":
            _ask(desk, do="close_drawer", drawer=row["drawer"], cents=row["cash"])


def _ask(desk: Desk, position: str = "cashier", **fields: object) -> dict[str, object]:
    token = desk.house.token(position, "@cage")
    body = {"id": f"cage-{position}-{json.dumps(fields)}", **fields}
    answer = desk.house.http.post("/api/cage/requests", json=body, headers={"authorization": f"Bearer {token}"})
    found: dict[str, object] = answer.json()
    return found


def open_drawer(page: Page, amount: str) -> None:
    drawer = page.locator("[data-drawer]")
    drawer.get_by_label("Counted cash").fill(amount)
    drawer.get_by_role("button", name="Open the drawer").click()
    expect(page.locator("[data-cash]")).to_be_visible()


def sell(page: Page, amount: str) -> str:
    sale = page.locator("[data-sale]")
    sale.get_by_label("Cash received").fill(amount)
    sale.get_by_role("button", name=re.compile("Sell a ticket of")).click()
    ticket = page.locator("[data-ticket]")
    expect(ticket.locator("img")).to_be_visible()
    number = ticket.get_attribute("data-ticket")
    assert number is not None
    page.get_by_role("button", name="Done").click()
    return number


def look_up(page: Page, number: str) -> None:
    page.locator('input[name="ticket"]').fill(number)
    page.get_by_role("button", name="Look up").click()


@pytest.mark.parametrize("size", [WALL, PHONE], ids=["desktop", "phone"])
def test_a_cashier_sells_and_pays(cash: Desk, size: Size) -> None:
    page = cash.cage(size=size)
    open_drawer(page, "500")
    number = sell(page, "120.50")
    look_up(page, UNKNOWN)
    field = page.locator('input[name="ticket"]')
    expect(page.locator("#ticket-result")).to_have_text("No such ticket")
    expect(field).to_have_value(UNKNOWN)
    look_up(page, f"{number[:4]} {number[4:]}")
    found = page.locator('[data-ticket-status="outstanding"]')
    expect(found.locator("[data-amount]")).to_have_attribute("data-amount", "12050")
    expect(found).to_contain_text(number[-4:])
    found.get_by_role("button", name=re.compile("Pay 120.50")).click()
    expect(page.locator("#ticket-result")).to_contain_text(f"Ticket {number[-4:]} is paid")
    expect(field).to_have_value("")
    expect(page.locator("[data-cash]")).to_have_attribute("data-cash", "50000")
    look_up(page, number)
    expect(page.locator('[data-ticket-status="redeemed"]')).to_be_visible()
    assert page.get_by_role("button", name=re.compile("^Pay ")).count() == 0
    expect(page.locator('[data-row="pay_ticket"]').first).to_contain_text("120.50")
    assert accessibility(page) == []
    page.get_by_role("button", name="Count and close…").click()
    page.locator("[data-drawer]").get_by_label("Counted cash").fill("499")
    page.get_by_role("button", name=re.compile("Close the drawer")).click()
    expect(page.locator("[data-drawer]")).to_contain_text("Variance −1.00")


def test_a_large_payment_waits_for_the_pit(cash: Desk) -> None:
    page = cash.cage()
    open_drawer(page, "900")
    numbers = [sell(page, "900") for _ in range(2)]
    look_up(page, numbers[0])
    page.get_by_role("button", name=re.compile("Void the ticket")).click()
    page.get_by_label("Reason for voiding").fill("printed twice")
    page.get_by_role("button", name=re.compile("^Void ")).click()
    expect(page.locator("[data-waiting]")).to_contain_text("Pit Manager")
    pit = cash.pit("pit_manager", path="/pit/#waiting")
    proposal = pit.locator("[data-proposal]").first
    expect(proposal).to_contain_text(numbers[0][-4:])
    expect(proposal.locator("[data-effect]")).to_contain_text("900.00")
    proposal.get_by_role("button", name="Approve").click()
    expect(page.locator("#ticket-result")).to_contain_text("is void")
    look_up(page, numbers[0])
    expect(page.locator('[data-ticket-status="redeemed"]')).to_be_visible()


def test_a_large_sale_shows_its_ticket_after_the_approval(cash: Desk) -> None:
    page = cash.cage()
    open_drawer(page, "10")
    sale = page.locator("[data-sale]")
    sale.get_by_label("Cash received").fill("1500")
    sale.get_by_role("button", name=re.compile("Sell a ticket of")).click()
    expect(page.locator("[data-waiting]")).to_contain_text("1,500.00")
    page.reload()
    expect(page.locator("[data-waiting]")).to_contain_text("1,500.00")
    pit = cash.pit("pit_supervisor", path="/pit/#waiting")
    pit.locator("[data-proposal]").first.get_by_role("button", name="Approve").click()
    expect(page.locator("[data-ticket]")).to_contain_text("1,500.00")


def test_the_pit_bars_a_person_whom_the_cashier_then_finds(cash: Desk) -> None:
    manager = cash.cage("pit_manager")
    barred = manager.locator("[data-barred]")
    barred.get_by_label("Name", exact=True).fill("José Lee")
    barred.get_by_role("button", name="Put on the list…").click()
    barred.get_by_label("Reason").fill("own wish")
    barred.get_by_role("button", name="Put on the list", exact=True).click()
    expect(barred).to_contain_text("On the list as b")
    page = cash.cage()
    check = page.locator("[data-barred]")
    check.get_by_label("Name", exact=True).fill("lee JOSE")
    check.get_by_role("button", name="Check").click()
    expect(check).to_contain_text("Barred: b")
    check.get_by_label("Name", exact=True).fill("Ann Tan")
    check.get_by_role("button", name="Check").click()
    expect(check).to_contain_text("Not on the list.")
