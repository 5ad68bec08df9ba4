"""Takes the pictures of the README with Chromium: ``python -m tests.support.readme_pictures``.

Rounds are played at a real house, so that every amount and clause in the pictures is genuine.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

from tests.support.browser import ROOT, WALL, Desk, Size, launch, missing
from tests.support.screens import TerminalScreen
from tests.support.screens_house import GAMES, ScreensHouse

IMAGES = ROOT / "docs" / "images"
GAME = "rws-double-zero"
OUTCOMES = ("20", "17")
SMALL = Size("thumbnail", 1280, 800)
WIDE, STORY, THUMBNAIL = 1200, 800, 590
COLOURS = 128
"""Colours of a saved picture: few, for a small file with sharp text."""


def save(page: Page | Locator, name: str, wide: int) -> None:
    (page if isinstance(page, Page) else page.page).wait_for_timeout(3_000)
    file = IMAGES / f"{name}.png"
    page.screenshot(path=file)
    with Image.open(file) as taken:
        high = taken.height * wide // taken.width
        small = taken.convert("RGB").resize((wide, high), Image.Resampling.LANCZOS)
    small.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


def play(desk: Desk) -> None:
    house, table = desk.house, desk.house.table(GAME)
    seats = [
        TerminalScreen(desk.terminal(table, f"rapid-a-{number}", WALL, 50_000), house, table, f"rapid-a-{number}")
        for number in (1, 2)
    ]
    console, pit = desk.console(table, SMALL), desk.pit("shift_manager", SMALL)
    for outcome in OUTCOMES:
        house.deal(table, "open")
        for seat in seats:
            seat.phase("bets_open")
            for position in ("red", "straight:17", "split:17-20", "dozen:2"):
                seat.bet(position)
        if house.view(table)["round"] == 2:
            save(console, "console", THUMBNAIL)
        house.deal(table, "spin", "rest", "settle", outcome=outcome)
        seats[0].phase("idle")
    save(seats[0].page, "terminal", WIDE)
    seats[0].page.get_by_role("button", name="My rounds").first.click()
    dialog = seats[0].page.get_by_role("dialog")
    dialog.get_by_role("button", name="Round 2").click()
    save(dialog, "story", STORY)
    house.ask(table, "pit_manager", "correct_result", round=1, outcome="17")
    save(pit, "pit", THUMBNAIL)


def main() -> int:
    if why := missing():
        sys.stderr.write(f"roundhouse: {why}\n")
        return 2
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        house = ScreensHouse(Path(folder), tables=dict.fromkeys(GAMES, 1))
        browser = launch(playwright)
        try:
            desk = Desk(browser, house)
            play(desk)
            desk.close()
        finally:
            browser.close()
            house.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
