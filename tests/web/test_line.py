"""A line that is lost and comes back: what is registered stays, and the truth is shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.web.acting import PLENTY, AtConsole, sit
from tests.web.browser import WALL, Desk
from tests.web.conftest import at_a_desk
from tests.web.house import ScreensHouse

NOT_THERE = ("WebSocket connection", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "Failed to load resource")


@pytest.fixture
def own_desk(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """With a house that only this test uses, and may do anything to."""
    house = ScreensHouse(tmp_path)
    yield from at_a_desk(Desk(browser, house), request)
    house.stop()


def test_a_house_that_loses_its_power_is_missed_and_found_again(own_desk: Desk) -> None:
    house = own_desk.house
    table = house.table("rws-double-zero")
    player, dealer = sit(own_desk, table, WALL), AtConsole(own_desk.console(table))
    for page in (player.page, dealer.page):
        own_desk.expect(page, *NOT_THERE)
    dealer.press("open_bets", "bets_open")
    player.phase("bets_open")
    staked = player.bet("red")
    house.kill()
    player.page.locator('[data-connection="lost"]').wait_for()
    assert player.position("red").get_attribute("aria-disabled") == "true", "nothing can be placed now"
    assert player.position("red").get_attribute("data-staked") == str(staked), "what is registered stays in sight"
    player.tap(player.places()["black"])
    house.start()
    player.page.locator('[data-connection="back"]').wait_for()
    # The round was interrupted: it ended by its rulebook's clause when the house came back.
    assert house.shown(table)["phase"] == "idle"
    player.phase("idle")
    assert player.credits() == PLENTY
    assert house.seat(table, player.seat)["bets"] == {}
    # Sessions end with the house: staff log in again, and deal the next round.
    dealer.page.get_by_role("textbox").first.wait_for()
    again = AtConsole(own_desk.console(table))
    again.press("open_bets", "bets_open")
    player.phase("bets_open")
    assert player.bet("black") == staked


def test_a_browser_that_was_closed_finds_its_seat_and_its_bets(own_desk: Desk) -> None:
    house = own_desk.house
    table = house.table("mbs-sands")
    house.deal(table, "open")
    player = sit(own_desk, table, WALL)
    staked = player.bet("red")
    player.page.reload()
    player.phase("bets_open")
    assert player.position("red").get_attribute("data-staked") == str(staked)
    assert player.credits() == PLENTY - staked
