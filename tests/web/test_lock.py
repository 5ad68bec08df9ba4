"""The lock of a staff screen: nothing behind it is seen or touched, whatever was open; a password opens it again."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser import Desk
from tests.support.houses import PASSWORD
from tests.support.screens import AtConsole


def lock_by_the_clock(page: Page, context: BrowserContext) -> None:
    """As the house does it when nobody has touched the screen, whatever is open there; the page looks soon after."""
    token = context.request.get("/api/me").json()["csrf"]
    assert context.request.post("/api/lock", headers={"X-CSRF-Token": token}).ok
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator('[data-presence="locked"]').wait_for()


def unlock(page: Page) -> None:
    page.get_by_label("Password").click()
    page.keyboard.type(PASSWORD)
    page.get_by_role("button", name="Unlock").click()
    expect(page.locator("[data-presence]")).to_have_count(0)


def test_a_console_is_locked_with_a_dialog_open(desk: Desk) -> None:
    table = desk.house.table("rws-double-zero")
    dealer = AtConsole(desk.console(table))
    dealer.press("open_bets", "bets_open")
    dealer.page.get_by_role("button", name="Irregularities").first.click()
    dealer.page.locator('[data-irregularity][data-can="now"]').first.get_by_role("button").click()
    dealer.page.get_by_role("dialog").wait_for()
    lock_by_the_clock(dealer.page, dealer.page.context)
    expect(dealer.page.get_by_role("dialog")).to_have_count(0)
    expect(dealer.page.locator(".console")).to_be_hidden()
    unlock(dealer.page)
    dealer.phase("bets_open")
    assert desk.house.shown(table)["phase"] == "bets_open", "nothing was declared"


@pytest.mark.parametrize("opened", ["Correct a result…", "Refer a matter…"])
def test_the_pits_desk_is_locked_with_a_dialog_open(desk: Desk, opened: str) -> None:
    table = desk.house.table("rws-double-zero")
    page = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    page.get_by_role("button", name=opened).click()
    page.get_by_role("dialog").wait_for()
    lock_by_the_clock(page, page.context)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(f'[data-table="{table}"]')).to_be_hidden()
    unlock(page)
    expect(page.get_by_role("heading", name=table, level=1)).to_be_visible()
