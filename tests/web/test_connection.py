"""A terminal with a slow or lost connection shows what the house has registered."""

import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.support.browser import WALL, Desk, check_desk
from tests.support.screens import PLENTY, ConsoleScreen, TerminalScreen, sit
from tests.support.screens_house import ScreensHouse

UNREACHABLE = ("WebSocket connection", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "Failed to load resource")


@pytest.fixture
def own_desk(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """A desk with a separate house, which the test may kill."""
    house = ScreensHouse(tmp_path)
    yield from check_desk(Desk(browser, house), request)
    house.stop()


def test_the_screens_notice_a_killed_house_and_reconnect_after_its_restart(own_desk: Desk) -> None:
    house = own_desk.house
    table = house.table("rws-double-zero")
    player, dealer = sit(own_desk, table, WALL), ConsoleScreen(own_desk.console(table))
    for page in (player.page, dealer.page):
        own_desk.expect(page, *UNREACHABLE)
    dealer.press("open_bets", "bets_open")
    player.phase("bets_open")
    staked = player.bet("red")
    house.kill()
    player.page.locator('[data-connection="lost"]').wait_for()
    assert player.position("red").get_attribute("aria-disabled") == "true", "bets are disabled without a connection"
    assert player.position("red").get_attribute("data-staked") == str(staked), "registered bets stay visible"
    player.tap(player.places()["black"])
    house.start()
    player.page.locator('[data-connection="back"]').wait_for()
    # The house asks what the wheel shows before the round is void.
    assert house.view(table)["phase"] == "interrupted"
    player.phase("interrupted")
    assert house.seat(table, player.seat)["bets"] == {"red": staked}
    void = {"irregularity": "interrupted_without_outcome", "rounds": [1]}
    house.ask_two(table, "dealer", "pit_supervisor", "declare", **void)
    player.phase("idle")
    assert player.credits() == PLENTY
    assert house.seat(table, player.seat)["bets"] == {}
    # Sessions do not survive a restart: staff log in again.
    dealer.page.get_by_role("textbox").first.wait_for()
    again = ConsoleScreen(own_desk.console(table))
    again.press("open_bets", "bets_open")
    player.phase("bets_open")
    assert player.bet("black") == staked


def test_every_screen_announces_a_planned_stop(own_desk: Desk) -> None:
    house = own_desk.house
    house.stop()
    house.grace_seconds = 600
    house.start()
    table = house.table("rws-double-zero")
    player, dealer = sit(own_desk, table, WALL), ConsoleScreen(own_desk.console(table))
    pages = [player.page, dealer.page, own_desk.pit()]
    dealer.press("open_bets", "bets_open")
    for page in pages:
        own_desk.expect(page, *UNREACHABLE)
        expect(page.locator("[data-stopping]")).to_have_count(0)
    house.send(signal.SIGTERM)
    for page in pages:
        expect(page.locator("[data-stopping]")).to_have_text(
            "The house is stopping. This round is finished. No new round begins."
        )
    assert player.bet("red"), "bets of the round in progress are still taken"
    player.page.evaluate("localStorage.setItem('roundhouse.language', 'ms')")
    player.page.reload()
    expect(player.page.locator("[data-stopping]")).to_contain_text("Sistem akan dihentikan.")


def test_a_reloaded_terminal_shows_its_seat_and_bets(own_desk: Desk) -> None:
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
class SlowConnection:
    """A connection between a terminal and its house that can hold back the server's messages or break."""

    holding: bool = False
    held: list[str | bytes] = field(default_factory=list)
    routes: list[WebSocketRoute] = field(default_factory=list)

    def connect(self, route: WebSocketRoute) -> None:
        self.routes.append(route)
        route.connect_to_server().on_message(
            lambda message: self.held.append(message) if self.holding else route.send(message)
        )

    def release(self) -> None:
        self.holding = False
        for message in self.held:
            self.routes[-1].send(message)
        self.held.clear()

    def close(self) -> None:
        self.holding = False
        self.held.clear()
        self.routes[-1].close(code=1012)


def sit_on_slow_connection(desk: Desk, table: str) -> tuple[TerminalScreen, SlowConnection]:
    house, connection = desk.house, SlowConnection()
    seat = f"{next(iter(house.game(table).terminals))}-1"
    context = desk.context()
    context.route_web_socket("**/socket", connection.connect)
    assert context.request.post("/api/enrol", data={"code": house.code(table, seat)}).ok
    player = TerminalScreen(desk.open("/terminal/", context=context), house, table, seat)
    player.phase("idle")
    house.ask(table, "cashier", "buy_credits", seat=seat, cents=PLENTY)
    house.deal(table, "open")
    player.phase("bets_open")
    player.credits()
    return player, connection


def tap_pending(player: TerminalScreen, position: str) -> int:
    """Place a chip whose answer is held back, so that the terminal shows it as pending."""
    player.tap(player.places()[position])
    player.page.locator(f'[data-position="{position}"][data-pending]').wait_for()
    # Wait until the house has registered it.
    until = time.monotonic() + 20
    while not (bets := player.house.seat(player.table, player.seat)["bets"]) and time.monotonic() < until:
        player.page.wait_for_timeout(50)
    assert player.position(position).get_attribute("data-pending") == str(bets[position])
    return int(bets[position])


def test_a_chip_is_shown_as_pending_until_the_house_has_accepted_it(desk: Desk) -> None:
    player, connection = sit_on_slow_connection(desk, desk.house.table("rws-double-zero"))
    connection.holding = True
    chip = tap_pending(player, "red")
    spot = player.position("red")
    expect(player.page.get_by_text("Registering")).to_be_visible()
    assert spot.get_attribute("data-staked") is None, "the terminal has no answer yet"
    assert player.page.locator("[data-credits]").first.get_attribute("data-credits") == str(PLENTY)
    assert player.page.locator("[data-total-bet]").get_attribute("data-total-bet") == "0"
    connection.release()
    expect(spot).to_have_attribute("data-staked", str(chip))
    assert spot.get_attribute("data-pending") is None
    assert player.credits() == PLENTY - chip


def test_a_chip_whose_answer_was_lost_is_not_bet_again_in_the_next_round(desk: Desk) -> None:
    house = desk.house
    player, connection = sit_on_slow_connection(desk, house.table("rws-double-zero"))
    connection.holding = True
    chip = tap_pending(player, "red")
    house.deal(player.table, "spin", "rest", "settle", "open", outcome="0")
    connection.close()
    expect(player.page.locator("[data-notice]")).to_contain_text("1 action got no answer in time")
    player.page.locator("[data-pending]").first.wait_for(state="detached")
    assert house.seat(player.table, player.seat)["bets"] == {}
    assert player.credits() == PLENTY - chip, "it was registered and lost in its own round"
