"""A line that is slow, or lost and comes back: what is registered stays, and the truth is shown."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.support.browser import WALL, Desk, at_a_desk
from tests.support.screens import PLENTY, AtConsole, AtTerminal, sit
from tests.support.screens_house import ScreensHouse

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


@dataclass
class SlowLine:
    """Between a terminal and its house, in the test's hands: what the house says can be held back."""

    holds: bool = False
    held: list[str | bytes] = field(default_factory=list)
    ends: list[WebSocketRoute] = field(default_factory=list)

    def lay(self, end: WebSocketRoute) -> None:
        self.ends.append(end)
        end.connect_to_server().on_message(
            lambda message: self.held.append(message) if self.holds else end.send(message)
        )

    def let_go(self) -> None:
        self.holds = False
        for message in self.held:
            self.ends[-1].send(message)
        self.held.clear()

    def breaks(self) -> None:
        self.holds = False
        self.held.clear()
        self.ends[-1].close(code=1012)


def on_a_slow_line(desk: Desk, table: str) -> tuple[AtTerminal, SlowLine]:
    house, line = desk.house, SlowLine()
    seat = f"{next(iter(house.game(table).terminals))}-1"
    context = desk.context()
    context.route_web_socket("**/socket", line.lay)
    assert context.request.post("/api/enrol", data={"code": house.code(table, seat)}).ok
    player = AtTerminal(desk.open("/terminal/", context=context), house, table, seat)
    player.phase("idle")
    house.ask(table, "cashier", "buy_credits", seat=seat, cents=PLENTY)
    house.deal(table, "open")
    player.phase("bets_open")
    player.credits()
    return player, line


def tapped(player: AtTerminal, position: str) -> int:
    """A chip that is asked for, and not yet registered as far as the terminal knows."""
    player.tap(player.places()[position])
    player.page.locator(f'[data-position="{position}"][data-pending]').wait_for()
    # Until the house has it, too.
    until = time.monotonic() + 20
    while not (bets := player.house.seat(player.table, player.seat)["bets"]) and time.monotonic() < until:
        player.page.wait_for_timeout(50)
    assert player.position(position).get_attribute("data-pending") == str(bets[position])
    return int(bets[position])


def test_a_chip_is_shown_as_asked_for_until_the_house_has_said_yes(desk: Desk) -> None:
    player, line = on_a_slow_line(desk, desk.house.table("rws-double-zero"))
    line.holds = True
    chip = tapped(player, "red")
    spot = player.position("red")
    expect(player.page.get_by_text("Registering")).to_be_visible()
    assert spot.get_attribute("data-staked") is None, "nobody has told the terminal yet"
    assert player.page.locator("[data-credits]").first.get_attribute("data-credits") == str(PLENTY)
    assert player.page.locator("[data-total-bet]").get_attribute("data-total-bet") == "0"
    line.let_go()
    expect(spot).to_have_attribute("data-staked", str(chip))
    assert spot.get_attribute("data-pending") is None
    assert player.credits() == PLENTY - chip


def test_a_chip_whose_answer_was_lost_is_not_put_into_the_next_round(desk: Desk) -> None:
    house = desk.house
    player, line = on_a_slow_line(desk, house.table("rws-double-zero"))
    line.holds = True
    chip = tapped(player, "red")
    house.deal(player.table, "spin", "rest", "settle", "open", outcome="0")
    line.breaks()
    expect(player.page.locator("[data-notice]")).to_contain_text("1 action got no answer in time")
    player.page.locator("[data-pending]").first.wait_for(state="detached")
    assert house.seat(player.table, player.seat)["bets"] == {}
    assert player.credits() == PLENTY - chip, "it was registered in its own round, and lost there"
