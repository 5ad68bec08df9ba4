"""The lock of a staff screen hides everything, including open dialogs, until the password is entered."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser import Desk
from tests.support.houses import PASSWORD
from tests.support.screens import ConsoleScreen


def lock_idle_session(page: Page, context: BrowserContext) -> None:
    """Lock the session as the house does after idle time, and make the page check it."""
    token = context.request.get("/api/me").json()["csrf"]
    assert context.request.post("/api/lock", headers={"X-CSRF-Token": token}).ok
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator('[data-presence="locked"]').wait_for()


def unlock(page: Page) -> None:
    page.get_by_label("Password").click()
    page.keyboard.type(PASSWORD)
    page.get_by_role("button", name="Unlock").click()
    expect(page.locator("[data-presence]")).to_have_count(0)


def test_locking_a_console_closes_an_open_dialog(desk: Desk) -> None:
    table = desk.house.table("rws-double-zero")
    dealer = ConsoleScreen(desk.console(table))
    dealer.press("open_bets", "bets_open")
    dealer.page.get_by_role("button", name="Irregularities").first.click()
    dealer.page.locator('[data-irregularity][data-can="now"]').first.get_by_role("button").click()
    dealer.page.get_by_role("dialog").wait_for()
    lock_idle_session(dealer.page, dealer.page.context)
    expect(dealer.page.get_by_role("dialog")).to_have_count(0)
    expect(dealer.page.locator(".console")).to_be_hidden()
    unlock(dealer.page)
    dealer.phase("bets_open")
    assert desk.house.view(table)["phase"] == "bets_open", "the locked dialog declared an irregularity"


@pytest.mark.parametrize("opened", ["Correct a result…", "Refer a matter…"])
def test_locking_the_pit_desk_closes_an_open_dialog(desk: Desk, opened: str) -> None:
    table = desk.house.table("rws-double-zero")
    page = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    page.get_by_role("button", name=opened).click()
    page.get_by_role("dialog").wait_for()
    lock_idle_session(page, page.context)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(f'[data-table="{table}"]')).to_be_hidden()
    unlock(page)
    expect(page.get_by_role("heading", name=table, level=1)).to_be_visible()
