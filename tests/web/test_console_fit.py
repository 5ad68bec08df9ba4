"""The console fits its screen: no part of an entry is covered or cut off, and the page is not wider than its window."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import TABLET, Desk, Size, faults_of_fit
from tests.support.screens import ConsoleScreen
from tests.support.screens_house import GAMES

SIZES = (
    Size("wall", 1920, 1080),
    Size("laptop", 1366, 768),
    TABLET,
    Size("small", 1024, 768),
    Size("upright", 768, 1024),
    Size("phone", 390, 844),
    Size("small-phone", 360, 640),
)
NARROW = 700
"""Up to this width the console is one column, and the person scrolls."""
ENTRY = "[data-entry] :is(button, h2, p, footer span), main .messages > *, main > footer button, header button"
DIALOG = "dialog :is(button, h2, p, .chosen span)"


def check(page: Page, selector: str, dialog: bool = False) -> None:
    for size in SIZES:
        page.set_viewport_size(size.viewport)
        scrolls = size.wide <= NARROW or (dialog and size.high < NARROW)
        page.evaluate("scrollTo(0, 0)")
        assert faults_of_fit(page, selector, scrolls) == [], size.name


@pytest.mark.parametrize("game", GAMES)
def test_every_part_of_an_entry_can_be_seen_and_touched(desk: Desk, game: str) -> None:
    house, table = desk.house, desk.house.table(game)
    house.deal(table, "open")
    dealer = ConsoleScreen(desk.console(table))
    page = dealer.page
    dealer.spin()
    page.locator('[data-entry="reading"] .keypad button:enabled').first.wait_for()
    check(page, ENTRY)
    first, second = house.game(table).wheel.pockets[5:7]
    house.ask(table, "dealer", "ball_at_rest", outcome=first)
    page.locator('[data-entry="registration"] .keypad button:enabled').first.wait_for()
    check(page, ENTRY)
    page.locator('[data-action="amend_reading"]').click()
    expect(page.get_by_role("dialog")).to_be_visible()
    check(page, DIALOG, dialog=True)
    page.keyboard.press("Escape")
    page.set_viewport_size(SIZES[0].viewport)
    # A message of two lines and a spin with its sources leave less room.
    dealer.attest()
    house.ask(table, "dealer", "register_result", outcome=second)
    page.locator('[data-action="register_result"]').click()
    page.locator('[data-entry="registration"] .keypad button:enabled').first.wait_for()
    check(page, ENTRY)
