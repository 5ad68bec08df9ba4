"""Screens of a house that plays for yen, which have no decimals, and for Kuwaiti dinars, which have three."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from roundhouse.rules.currency import format_amount
from tests.support.browser import WALL, Desk, check_desk
from tests.support.screens import sit
from tests.support.screens_house import ScreensHouse

GAME = "rws-double-zero"
CREDITS = 1_234_500


class Shown(NamedTuple):
    """A currency, and how the screens show the amounts of the test in it."""

    currency: str
    typed: str
    """The text that sells 1,500 minor units."""
    refused: str
    """An amount with more decimals than the currency has."""
    credits: str
    sold: str


CASES = [
    Shown("JPY", "1500", "15.00", "1,234,500", "JPY 1,500"),
    Shown("KWD", "1.5", "1.0005", "1,234.500", "KWD 1.500"),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.currency)
def case(request: pytest.FixtureRequest) -> Shown:
    found: Shown = request.param
    return found


@pytest.fixture(scope="module")
def foreign(case: Shown, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScreensHouse]:
    tables = dict.fromkeys(("rws-triple-zero", "mbs-sands", "mbs-electronic-double-zero", "rws-money-wheel"), 0)
    house = ScreensHouse(tmp_path_factory.mktemp("house"), {**tables, GAME: 1}, currency=case.currency)
    yield house
    house.stop()


@pytest.fixture
def desk(browser: Browser, foreign: ScreensHouse, request: pytest.FixtureRequest) -> Iterator[Desk]:
    yield from check_desk(Desk(browser, foreign), request)


def test_terminal_console_and_pit_show_the_decimals_of_the_currency(desk: Desk, case: Shown) -> None:
    house = desk.house
    table = house.table(GAME)
    player = sit(desk, table, WALL, CREDITS)
    page = player.page
    expect(page.locator(f'[data-credits="{CREDITS}"]')).to_have_text(case.credits)
    house.deal(table, "open")
    player.phase("bets_open")
    staked = player.bet("straight:17")
    stake, returned = (format_amount(cents, case.currency) for cents in (staked, 36 * staked))
    expect(page.locator(f'[data-total-bet="{staked}"]')).to_have_text(stake)
    pit = desk.pit()
    expect(pit.locator("body")).to_contain_text(stake)
    # The cashier types amounts of the currency.
    console = desk.console(table, position="cashier")
    console.get_by_role("tab", name="Seats").click(timeout=9000)
    console.locator(f'[data-seat="{player.seat}"] .act button').click(timeout=5000)
    dialog = console.get_by_role("dialog")
    field = dialog.get_by_role("textbox").first
    field.fill(case.refused)
    expect(dialog).to_contain_text("Enter an amount such as")
    field.fill(case.typed)
    expect(dialog).to_contain_text(case.sold)
    console.keyboard.press("Escape")
    house.deal(table, "spin", "rest", "settle", outcome="17")
    expect(page.locator(f'[data-returned="{36 * staked}"]').first).to_contain_text(returned)
