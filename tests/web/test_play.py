"""``roundhouse play`` in a browser: a guest, a dealer at a console, and the wheels in the pit."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import TABLET, WALL, Desk, check_desk
from tests.support.processes import played
from tests.support.screens import ConsoleScreen
from tests.support.screens_house import ScreensHouse

TABLE = "mbs-sands"


@dataclass
class DemoHouse:
    """A running demo house and the folder with its staff passwords."""

    address: str
    folder: Path

    def password(self, name: str) -> str:
        lines = (self.folder / "staff.txt").read_text(encoding="utf-8").splitlines()
        return next(row[1] for line in lines if (row := line.split()) and row[0] == name)


@pytest.fixture
def demo(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Desk, DemoHouse]]:
    with played(tmp_path / "house", speed=4) as (process, address):
        house = DemoHouse(address, tmp_path / "house")
        for desk in check_desk(Desk(browser, cast(ScreensHouse, house)), request):
            yield desk, house
        process.stop()


def test_a_guest_enters_from_the_lobby_and_plays_a_round_with_the_automatic_dealer(
    demo: tuple[Desk, DemoHouse],
) -> None:
    desk, _ = demo
    page = desk.open("/", WALL)
    page.locator("article", has_text=TABLE).get_by_role("link", name="Play", exact=True).click()
    page.wait_for_url("**/terminal/**")
    page.locator("main[data-phase]").wait_for()
    page.get_by_role("button", name="Credits and tickets").click()
    page.get_by_role("button", name="Add", exact=False).first.click()
    page.keyboard.press("Escape")
    expect(page.locator("[data-credits]").first).not_to_have_attribute("data-credits", "0")
    before = int(page.locator("[data-credits]").first.get_attribute("data-credits") or 0)
    page.locator('main[data-phase="bets_open"]').wait_for()
    page.locator('[data-position="red"]').focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.locator('[data-position="red"][data-staked]').wait_for(state="attached")
    page.locator("[data-ending]").wait_for(state="attached")
    after = int(page.locator("[data-credits]").first.get_attribute("data-credits") or 0)
    assert after != before or page.locator('[data-ending="void"]').count() > 0


def test_a_dealer_logs_in_takes_over_locks_and_unlocks_the_console(demo: tuple[Desk, DemoHouse]) -> None:
    desk, house = demo
    page = desk.open(f"/console/?table={TABLE}", TABLET)
    page.get_by_label("Name").fill("dee")
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("alert").filter(has_text="password").first.wait_for()
    page.get_by_label("Password").fill(house.password("dee"))
    page.get_by_role("button", name="Log in").click()
    dealer = ConsoleScreen(page)
    page.locator('.console[data-mode="automatic"]').wait_for()
    page.get_by_role("tab", name="Table").or_(page.get_by_role("button", name="Table", exact=True)).first.click()
    page.get_by_role("button", name="Take over").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("to try it")
    dialog.get_by_role("button", name="Take over").click()
    page.locator('.console[data-mode="manual"]').wait_for()
    page.get_by_role("button", name="Lock").click()
    page.locator('[data-presence="locked"]').wait_for()
    page.get_by_label("Password").fill(house.password("dee"))
    page.get_by_role("button", name="Unlock").click()
    page.locator('[data-presence="locked"]').wait_for(state="detached")
    expect(page.locator(".console")).to_have_attribute("data-mode", "manual")
    expect(dealer.page.get_by_text("Manual mode").first).to_be_visible()


def test_the_pit_sees_the_readings_of_a_wheel(demo: tuple[Desk, DemoHouse]) -> None:
    desk, house = demo
    page = desk.open("/pit/#wheels", WALL)
    page.get_by_label("Name").fill("max")
    page.get_by_label("Password").fill(house.password("max"))
    page.get_by_role("button", name="Log in").click()
    wheel = page.locator("[data-wheel]").first
    wheel.wait_for()
    page.get_by_text("simulated").first.wait_for()
    assert wheel.locator("svg rect").count() > 5
