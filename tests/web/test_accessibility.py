"""Accessibility of the screens: keyboard, screen reader, reduced motion, languages and download size."""

import re

import pytest
from playwright.sync_api import Page

from tests.support.browser import BUILT, PHONE, SIZES, TABLET, WALL, Desk, Size, accessibility
from tests.support.screens import ConsoleScreen, sit
from tests.support.screens_house import GAMES

FIRST_LOAD_BYTES = 300_000
SCREENS = ("", "terminal", "console", "pit", "display", "recall")


@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_load_of_a_screen_is_small(screen: str) -> None:
    """Adds up the page and all files that it loads, compressed with gzip."""
    page = BUILT.parent / screen / "index.html"
    wanted, seen = [page], set()
    while wanted:
        file = wanted.pop()
        if file in seen:
            continue
        seen.add(file)
        if file.suffix in {".html", ".js", ".css"}:
            named = re.findall(
                r"""["'(/](?:\./|/assets/|assets/)?([\w.-]+\.(?:js|css))["')]""", file.read_text("utf-8")
            )
            wanted += [found for name in named if (found := BUILT.parent / "assets" / name).exists()]
    assert len(seen) >= 3, seen
    sizes = [(small if (small := file.with_name(file.name + ".gz")).exists() else file).stat().st_size for file in seen]
    assert sum(sizes) < FIRST_LOAD_BYTES


def check_fits(page: Page, size: Size) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= size.wide, "the page scrolls horizontally"


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.name)
def test_axe_finds_nothing_serious_at_the_terminal(desk: Desk, size: Size) -> None:
    table = desk.house.table("rws-double-zero")
    player = sit(desk, table, size)
    found = {"idle": accessibility(player.page)}
    desk.house.deal(table, "open")
    player.phase("bets_open")
    player.bet("red")
    found["bets open"] = accessibility(player.page)
    check_fits(player.page, size)
    desk.house.deal(table, "spin")
    player.phase("spinning")
    found["spinning"] = accessibility(player.page)
    desk.house.deal(table, "rest", "settle")
    player.phase("idle")
    found["settled"] = accessibility(player.page)
    player.page.get_by_role("button", name="Credits and tickets").click()
    player.page.get_by_role("dialog").wait_for()
    found["credits"] = accessibility(player.page)
    check_fits(player.page, size)
    assert {where: faults for where, faults in found.items() if faults} == {}


@pytest.mark.parametrize("panel", ["Results", "My rounds", "Rules and odds", "Favourites", "My session"])
def test_axe_finds_nothing_serious_in_the_terminals_panels(desk: Desk, panel: str) -> None:
    table = desk.house.table("mbs-electronic-double-zero")
    player = sit(desk, table, WALL)
    desk.house.deal(table, "open")
    player.phase("bets_open")
    player.bet("red")
    desk.house.deal(table, "spin", "rest", "settle")
    player.phase("idle")
    player.page.get_by_role("button", name=panel).first.click()
    player.page.get_by_role("dialog").wait_for()
    player.page.wait_for_load_state("networkidle")
    assert accessibility(player.page) == []


@pytest.mark.parametrize("size", [WALL, TABLET], ids=lambda size: size.name)
def test_axe_finds_nothing_serious_at_the_console(desk: Desk, size: Size) -> None:
    table = desk.house.table("rws-triple-zero")
    dealer = ConsoleScreen(desk.console(table, size))
    dealer.phase("idle")
    found = {"idle": accessibility(dealer.page)}
    dealer.press("open_bets", "bets_open")
    # Steps and keys fade in, and have a low contrast until they can be pressed.
    dealer.rest()
    found["bets open"] = accessibility(dealer.page)
    check_fits(dealer.page, size)
    dealer.spin()
    dealer.rest()
    found["spinning"] = accessibility(dealer.page)
    dealer.page.locator('[data-action="observe_spin"]').click()
    dealer.page.get_by_role("dialog").wait_for()
    found["attesting"] = accessibility(dealer.page)
    dealer.page.keyboard.press("Escape")
    dealer.enter("17")
    dealer.rest()
    found["registered"] = accessibility(dealer.page)
    check_fits(dealer.page, size)
    assert {where: faults for where, faults in found.items() if faults} == {}


@pytest.mark.parametrize("path", ["/pit/", "/recall/", "/display/", "/console/", "/terminal/"])
def test_axe_finds_nothing_serious_on_the_entry_pages(desk: Desk, path: str) -> None:
    page = desk.open(path, TABLET)
    page.get_by_role("heading").first.wait_for()
    assert accessibility(page) == []


def test_a_round_can_be_bet_on_and_dealt_with_the_keyboard_only(desk: Desk) -> None:
    table = desk.house.table("rws-double-zero")
    player, dealer = sit(desk, table, WALL), ConsoleScreen(desk.console(table))
    dealer.key("o", "open_bets", "bets_open")
    player.phase("bets_open")
    keys = player.page.keyboard
    player.page.locator('[data-position][tabindex="0"]').focus()
    keys.press("End")
    keys.press("Home")
    first = player.page.evaluate("document.activeElement.dataset.position")
    keys.press("ArrowRight")
    second = player.page.evaluate("document.activeElement.dataset.position")
    assert first != second
    keys.press("Enter")
    player.page.locator(f'[data-position="{second}"][data-staked]').wait_for(state="attached")
    chip = desk.house.seat(table, player.seat)["bets"]
    keys.press("Delete")
    player.page.locator(f'[data-position="{second}"]:not([data-staked])').wait_for(state="attached")
    # Holding a key down places one chip.
    for _ in range(3):
        keys.down(" ")
    keys.up(" ")
    player.page.locator(f'[data-position="{second}"][data-staked]').wait_for(state="attached")
    player.page.locator("[data-pending]").first.wait_for(state="detached")
    assert list(chip) == [second]
    assert desk.house.seat(table, player.seat)["bets"] == chip
    dealer.key("c", "close_bets", "bets_closed")
    dealer.key("s", "start_spin", "spinning")
    dealer.attest()
    for entry in ("reading", "registration"):
        dealer.page.locator(f'[data-entry="{entry}"]').wait_for()
        dealer.rest()
        for key in ("1", "7", "Enter"):
            dealer.page.keyboard.press(key)
    dealer.phase("registered")
    dealer.key("y", "confirm_result", "idle")
    assert desk.house.view(table)["last_results"][0]["outcome"] == "17"


def test_nothing_moves_with_reduced_motion(desk: Desk) -> None:
    table = desk.house.table("rws-money-wheel")
    player = sit(desk, table, WALL, reduced_motion="reduce")
    desk.house.deal(table, "open", "spin")
    player.phase("spinning")
    player.page.wait_for_timeout(300)
    moving = """() => document.getAnimations().filter((one) => one.playState === "running"
        && (one.effect.getComputedTiming().duration > 100)).map((one) => one.animationName ?? one.transitionProperty)"""
    assert player.page.evaluate(moving) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_language_changes_all_texts_except_the_announcements_of_the_rules(desk: Desk, game: str) -> None:
    table = desk.house.table(game)
    player = sit(desk, table, WALL)
    desk.house.deal(table, "open")
    player.phase("bets_open")
    phrase = player.page.locator("[data-phrase]").inner_text()
    assert phrase == desk.house.game(table).rulebook.betting.opens.phrases[0]
    undo = {"en": "Undo"}
    for language in ("zh", "ms", "ta"):
        player.page.evaluate("(language) => localStorage.setItem('roundhouse.language', language)", language)
        player.page.reload()
        player.phase("bets_open")
        assert player.page.locator("html").get_attribute("lang") == language
        assert player.page.locator("[data-phrase]").inner_text() == phrase
        undo[language] = player.page.locator(".acts button").first.inner_text()
        check_fits(player.page, WALL)
    assert len(set(undo.values())) == 4, undo


@pytest.mark.parametrize("language", ["zh", "ms", "ta"])
def test_every_language_fits_on_a_phone(desk: Desk, language: str) -> None:
    table = desk.house.table("rws-double-zero")
    desk.house.deal(table, "open")
    player = sit(desk, table, PHONE)
    player.page.evaluate("(language) => localStorage.setItem('roundhouse.language', language)", language)
    player.page.reload()
    player.phase("bets_open")
    check_fits(player.page, PHONE)
    assert accessibility(player.page) == []
