"""Tables with a wheel that people deal or take over, in a browser: launches, and readings of wheel and Dealer."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import TIMEOUT_MILLIS, WALL, Desk, accessibility, check_desk
from tests.support.line_wheels import LineWheel, line_wheels
from tests.support.processes import eventually, table_events
from tests.support.screens import PLENTY, ConsoleScreen, choose_segment, sit
from tests.support.screens_house import GAMES, ScreensHouse

ROULETTE = "rws-double-zero"
EARLY_MILLIS = 12_000
DIGIT = re.compile(r"\d")
MONEY_WHEEL = "rws-money-wheel"
WHEELS = (ROULETTE,) * 9 + (MONEY_WHEEL,) * 2
"""The game of each wheel. Every test uses another table."""


@dataclass
class Floor:
    """A house whose tables have wheels, and those that no test has used."""

    house: ScreensHouse
    unused: list[tuple[str, LineWheel]]

    def take(self, game: str) -> tuple[str, LineWheel]:
        found = next(one for one in self.unused if one[1].game == game)
        self.unused.remove(found)
        return found


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with line_wheels(*WHEELS) as wheels:
        lines = [(wheel.game, wheel.path) for wheel in wheels]
        house = ScreensHouse(tmp_path_factory.mktemp("wheels"), dict.fromkeys(GAMES, 0), speed=1, lines=lines)
        yield Floor(house, list(zip(house.with_line, wheels, strict=True)))
        house.stop()


@pytest.fixture
def wheel_desk(browser: Browser, floor: Floor, request: pytest.FixtureRequest) -> Iterator[Desk]:
    yield from check_desk(Desk(browser, floor.house), request)


@dataclass
class Attended:
    """A table that people deal, with its wheel and its Dealer's console."""

    desk: Desk
    table: str
    wheel: LineWheel
    dealer: ConsoleScreen

    def events(self, name: str) -> list[dict[str, Any]]:
        return table_events(self.desk.house.file.parent / "data", self.table, name)

    def spin(self, outcome: str, action: str = "start_spin", number: int = 0) -> None:
        """Close bets when the wheel is ready, and start the spin that ends with an outcome."""
        self.wheel.will_show(outcome, number)
        self.dealer.press("close_bets", "bets_closed")
        self.dealer.page.locator(f'[data-action="{action}"]:enabled').click()
        self.dealer.phase("spinning")

    def rest(self, outcome: str, number: int = 0) -> None:
        """Let the wheel launch the ball and read its outcome."""
        self.spin(outcome, number=number)
        self.dealer.phase("at_rest")


@pytest.fixture
def attended(wheel_desk: Desk, floor: Floor) -> Attended:
    """A table of roulette with bets open and its wheel ready."""
    return open_bets(wheel_desk, floor, ROULETTE)


def open_bets(desk: Desk, floor: Floor, game: str) -> Attended:
    table, wheel = floor.take(game)
    dealer = ConsoleScreen(desk.console(table))
    dealer.press("open_bets", "bets_open")
    dealer.page.locator('[data-wheel-use="ready"]').wait_for()
    return Attended(desk, table, wheel, dealer)


def approve(desk: Desk, table: str, position: str) -> Page:
    (pending,) = [one for one in desk.house.get("/api/proposals")["proposals"] if one["table"] == table]
    page = desk.pit(position)
    page.locator(f'[data-proposal="{pending["proposal"]}"]').first.get_by_role("button", name="Approve").click()
    return page


def test_starting_the_spin_launches_a_ready_wheel_and_its_number_goes_on_record(attended: Attended) -> None:
    player = sit(attended.desk, attended.table, WALL)
    staked = player.bet("straight:17")
    dealer = attended.dealer
    attended.wheel.will_show("17")
    dealer.press("close_bets", "bets_closed")
    launch = dealer.page.locator('button.primary[data-action="start_spin"]')
    expect(launch).to_contain_text("Launch the ball")
    assert attended.wheel.launches == 0
    dealer.press("start_spin", "spinning")
    dealer.phase("at_rest")
    assert attended.wheel.launches == 1
    (read,) = attended.events("ball_rested")
    assert (read["outcome"], read["read_by"], read["source"]) == ("17", "wheel", {"by": "system"})
    # The wheel's number is a reading. It is neither registered nor proposed to the Dealer.
    assert attended.events("result_registered") == []
    entry = dealer.page.locator('[data-entry="registration"]')
    expect(entry).to_contain_text("The wheel has reported the outcome.")
    expect(entry.locator("[aria-pressed=true]")).to_have_count(0)
    # The Dealer's own reading stands beside the wheel's.
    dealer.page.locator('[data-action="ball_at_rest"]').click()
    dealer.choose("reading", "17")
    dealer.page.locator('button.primary[data-action="ball_at_rest"]:enabled').click()
    entry.wait_for()
    dealer.choose("registration", "17")
    dealer.press("register_result", "registered")
    readings = dealer.page.locator('[data-reading="17"]')
    expect(readings).to_have_count(2)
    expect(readings.first).to_contain_text("the wheel")
    expect(readings.last).to_contain_text("dealer")
    dealer.attest()
    dealer.press("confirm_result", "idle")
    player.phase("idle")
    assert player.credits() == PLENTY + 35 * staked


def test_a_ball_spun_by_hand_is_not_launched_and_is_read_by_the_wheel(attended: Attended) -> None:
    attended.spin("4", "spin_by_hand")
    expect(attended.dealer.page.get_by_text("spun by hand")).to_be_visible()
    attended.wheel.spin_by_hand()
    attended.dealer.phase("at_rest")
    assert attended.wheel.launches == 0
    (started,) = attended.events("spin_started")
    assert (started["by_hand"], started["source"]["who"]) == (True, "dealer")
    assert [(one["outcome"], one["read_by"]) for one in attended.events("ball_rested")] == [("4", "wheel")]


def test_a_reading_without_a_ball_on_the_line_needs_a_reason_and_alerts_the_pit(attended: Attended) -> None:
    attended.spin("4", "spin_by_hand")
    dealer = attended.dealer
    dealer.choose("reading", "22")
    dealer.page.locator('button.primary[data-action="ball_at_rest"]:enabled').click()
    dialog = dealer.page.get_by_role("dialog")
    expect(dialog).to_contain_text("The wheel's line reported no ball")
    assert attended.events("ball_rested") == [], "it went on record without a reason"
    confirm = dialog.get_by_role("button", name="Record 22")
    expect(confirm).to_be_disabled()
    assert accessibility(dealer.page) == []
    dialog.get_by_label("Why is 22 read by eye?").fill("the sensors are covered")
    confirm.click()
    dealer.phase("at_rest")
    (read,) = attended.events("ball_rested")
    assert (read["outcome"], read["reason"]) == ("22", "the sensors are covered")
    pit = attended.desk.pit("pit_manager", path="/pit/#alerts")
    alert = pit.get_by_text("22 was read although the wheel's line reported no ball: the sensors are covered")
    expect(alert.first).to_be_visible()


def differ(attended: Attended, read: str, seen: str) -> None:
    """Let the wheel read one outcome, and the Dealer read and register another."""
    attended.rest(read)
    dealer = attended.dealer
    dealer.page.locator('[data-action="ball_at_rest"]').click()
    dealer.choose("reading", seen)
    dealer.page.locator('button.primary[data-action="ball_at_rest"]:enabled').click()
    dealer.page.locator("[data-differs], [data-entry=registration]").first.wait_for()
    dealer.attest()


def test_a_dealer_whose_reading_differs_from_the_wheel_amends_it(attended: Attended) -> None:
    player = sit(attended.desk, attended.table, WALL)
    staked = player.bet("straight:17")
    board = attended.desk.open(f"/display/?table={attended.table}")
    differ(attended, "17", "18")
    dealer = attended.dealer
    dealer.choose("registration", "18")
    dealer.press("register_result", "registered")
    panel = dealer.page.locator("[data-differs]")
    expect(panel).to_contain_text("17 and 18 differ")
    expect(panel.locator('[data-reading="17"]')).to_contain_text("the wheel")
    expect(panel.locator('[data-reading="18"]')).to_contain_text("dealer")
    expect(dealer.page.locator('[data-action="confirm_result"]')).to_have_count(0)
    player.phase("registered")
    expect(player.page.get_by_text("The result is being checked").first).to_be_visible()
    expect(player.page.locator("[data-outcome]")).to_have_count(0)
    expect(board.locator("[data-status]")).to_have_attribute("data-status", "checking")
    assert attended.desk.house.view(attended.table)["outcome"] is None
    assert attended.events("round_settled") == []
    dealer.page.locator('[data-action="amend_reading"]').click()
    dialog = dealer.page.get_by_role("dialog")
    dialog.locator('[data-pocket="17"]').click()
    dialog.get_by_role("button", name="Change 18 to 17").click()
    expect(dialog).to_have_count(0)
    # The registration still differs from both readings.
    expect(panel).to_be_visible()
    dealer.page.locator('[data-action="register_result"]').click()
    dealer.choose("registration", "17")
    dealer.page.locator('button.primary[data-action="register_result"]:enabled').click()
    expect(panel).to_have_count(0)
    dealer.press("confirm_result", "idle")
    player.phase("idle")
    assert player.credits() == PLENTY + 35 * staked
    (amended,) = attended.events("reading_amended")
    assert (amended["was"], amended["outcome"], amended["source"]["who"]) == ("18", "17", "dealer")


def test_two_persons_resolve_wheel_and_dealer_to_one_of_their_readings(attended: Attended) -> None:
    differ(attended, "17", "18")
    dealer, desk, table = attended.dealer, attended.desk, attended.table
    dealer.choose("registration", "19")
    dealer.press("register_result", "registered")
    pit = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    evidence = pit.locator("[data-evidence]")
    expect(evidence.locator('[data-reading="17"]')).to_contain_text("the wheel")
    # A registration is not a reading: 19 is not offered.
    expect(evidence.locator("[data-resolve]")).to_have_count(2)
    evidence.locator('[data-resolve="17"]').click()
    pit.locator("[data-proposed]").wait_for()
    assert attended.events("round_settled") == []
    expect(dealer.page.locator("[data-differs]")).to_be_visible()
    approve(desk, table, "pit_supervisor")
    expect(dealer.page.locator("[data-differs]")).to_have_count(0)
    dealer.press("confirm_result", "idle")
    assert desk.house.view(table)["last_results"][0]["outcome"] == "17"


def test_a_number_typed_across_the_wheels_reading_is_not_sent(attended: Attended) -> None:
    """The Dealer types 1, the wheel's number arrives, and the Dealer types 2 and Enter."""
    attended.spin("30")
    dealer = attended.dealer
    dealer.page.locator('[data-entry="reading"]').wait_for()
    dealer.rest()
    dealer.page.keyboard.press("1")
    dealer.phase("at_rest")
    dealer.page.locator('[data-entry="registration"]').wait_for()
    dealer.rest()
    for key in ("2", "Enter"):
        dealer.page.keyboard.press(key)
    expect(dealer.page.get_by_role("alert")).to_contain_text("Nothing was sent")
    assert attended.events("result_registered") == []
    for key in ("3", "0", "Enter"):
        dealer.page.keyboard.press(key)
    dealer.phase("registered")
    assert [one["outcome"] for one in attended.events("result_registered")] == ["30"]


def test_the_segments_that_wheel_and_dealer_read_stand_beside_each_other(wheel_desk: Desk, floor: Floor) -> None:
    attended = open_bets(wheel_desk, floor, MONEY_WHEEL)
    dealer, table = attended.dealer, attended.table
    attended.rest("5", 2)
    (first,) = attended.events("ball_rested")
    segment = first["segment"]
    assert wheel_desk.house.game(table).wheel.order[segment] == "5"
    dealer.page.locator('[data-action="ball_at_rest"]').click()
    dealer.choose("reading", "5", segment)
    dealer.page.locator('button.primary[data-action="ball_at_rest"]:enabled').click()
    dealer.page.locator('[data-entry="registration"]').wait_for()
    dealer.choose("registration", "5")
    dealer.press("register_result", "registered")
    assert [one["segment"] for one in attended.events("outcome_read")] == [segment]
    pit = wheel_desk.pit("pit_manager", path=f"/pit/#table/{table}")
    for page in (dealer.page, pit):
        places = page.locator(f'[data-reading="5"] [data-read-segment="{segment}"]')
        expect(places).to_have_count(2)
        expect(places.first).to_have_text(f"segment {segment}")


def test_a_segment_that_differs_from_the_wheels_is_not_settled(wheel_desk: Desk, floor: Floor) -> None:
    attended = open_bets(wheel_desk, floor, MONEY_WHEEL)
    dealer, page = attended.dealer, attended.dealer.page
    attended.rest("5", 1)
    (first,) = attended.events("ball_rested")
    order = wheel_desk.house.game(attended.table).wheel.order
    other = next(at for at, symbol in enumerate(order) if symbol == "5" and at != first["segment"])
    page.locator('[data-action="ball_at_rest"]').click()
    dealer.choose("reading", "5", other)
    page.locator('button.primary[data-action="ball_at_rest"]:enabled').click()
    page.locator('[data-entry="registration"]').wait_for()
    dealer.choose("registration", "5")
    dealer.press("register_result", "registered")
    panel = page.locator("[data-differs]")
    expect(panel).to_contain_text("The segments differ")
    expect(panel.locator(f'[data-read-segment="{other}"]')).to_be_visible()
    expect(page.locator('[data-action="confirm_result"]')).to_have_count(0)
    page.locator('[data-action="amend_reading"]').click()
    dialog = page.get_by_role("dialog")
    dialog.locator('.keypad [data-pocket="5"]').click()
    choose_segment(dialog.locator("[data-segment-picker]"), first["segment"])
    dialog.get_by_role("button", name=f"Change 5, segment {other} to 5, segment {first['segment']}").click()
    expect(panel).to_have_count(0)
    dealer.attest()
    dealer.press("confirm_result", "idle")


def test_the_words_about_a_wheel_agree_on_every_screen(attended: Attended) -> None:
    """A wheel that falls silent has no speed anywhere, and is not called ready on one screen and useless on another."""
    desk, table, console = attended.desk, attended.table, attended.dealer.page
    pit = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    wheels = desk.pit("pit_manager", path="/pit/#wheels")
    expect(console.get_by_text("waiting for a launch")).to_be_visible()
    expect(pit.get_by_text("Ready · waiting for a launch")).to_be_visible()
    panel = wheels.locator("#line-head").locator("..")

    def show_wheel() -> None:
        wheels.get_by_role("button", name=table, exact=True).click()
        wheels.locator(f'[data-wheel="{table}"]').wait_for()

    show_wheel()
    expect(panel.locator('[data-wheel-use="ready"]')).to_have_text("Ready")
    attended.wheel.set_silent(True)
    expect(console.locator('[data-wheel-use="silent"]')).to_have_text("Not responding")
    expect(console.locator("aside.rail")).not_to_contain_text("rpm")
    expect(pit.locator("dd", has_text="Not responding")).to_be_visible()
    wheels.reload()
    show_wheel()
    expect(panel.locator('[data-wheel-use="silent"]')).to_have_text("Not responding")
    expect(panel).not_to_contain_text("rpm")
    # The wheel is back. No screen calls it lost, and the console says when it is used again.
    attended.wheel.set_silent(False)
    expect(console.locator('[data-wheel-use="out_of_use"]')).to_have_text("Out of use")
    expect(console.get_by_text("It is used again when bets are next opened.")).to_be_visible()
    attended.dealer.press("close_bets", "bets_closed")
    start = console.locator('button.primary[data-action="start_spin"]')
    expect(start).to_contain_text("The wheel is not ready.")
    expect(start).not_to_contain_text("Launch")
    # The Dealer starts the spin all the same. The wheel launches nothing, and the console says so.
    attended.dealer.press("start_spin", "spinning")
    expect(console.locator("[data-awaiting]")).to_contain_text("The wheel launched no ball", timeout=TIMEOUT_MILLIS)
    assert attended.wheel.launches == 0


def test_the_countdown_stops_when_people_take_the_table_over(wheel_desk: Desk) -> None:
    house, table = wheel_desk.house, f"{ROULETTE}-auto"
    player, board = sit(wheel_desk, table, WALL), wheel_desk.open(f"/display/?table={table}")
    dealer = ConsoleScreen(wheel_desk.console(table))
    pit = wheel_desk.pit("pit_manager", path=f"/pit/#table/{table}")
    page = dealer.page
    page.get_by_role("tab", name="Table").click()
    # Take over early in the betting time: everyone must see the countdown first.
    eventually(lambda: True if (house.view(table)["deadline"] or 0) - time.time() * 1000 > EARLY_MILLIS else None)
    page.locator('[data-action="take_over"]').first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("to count the chips")
    for screen in (player.page.get_by_role("timer"), board.get_by_role("timer"), pit.locator("p.left")):
        expect(screen).to_contain_text(DIGIT)
    expect(page.get_by_text("Bets close in")).to_be_visible()
    deadline = house.view(table)["deadline"]
    assert deadline is not None
    dialog.get_by_role("button", name="Take over").click()
    page.locator('.console[data-mode="manual"]').wait_for()
    expect(page.get_by_text("Bets close in")).to_have_count(0)
    expect(player.page.get_by_role("timer")).not_to_contain_text(DIGIT)
    expect(board.get_by_role("timer")).to_have_count(0)
    expect(pit.locator("p.left")).to_have_text("")
    assert house.view(table)["deadline"] is None
    # Bets stay open after the old deadline, until a person closes them.
    while time.time() * 1000 < deadline:
        page.wait_for_timeout(500)
    assert player.bet("red") > 0
    assert house.view(table)["phase"] == "bets_open"
    page.locator('[data-action="hand_back"]').first.click()
    page.get_by_role("dialog").get_by_role("button", name="Hand back").click()
    expect(page.get_by_text("Bets close in")).to_be_visible()
