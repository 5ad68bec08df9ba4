"""Records a round at a Player Terminal for the README: ``python -m tests.support.readme_animation``.

An automatic dealer deals the round with a simulated wheel. Rounds are played until one is won.
"""

import io
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.support.browser import ROOT, Desk, Size, launch, missing
from tests.support.screens import TerminalScreen
from tests.support.screens_house import GAMES, ScreensHouse

FILE = ROOT / "docs" / "images" / "round.webp"
TABLE, SEAT = "rws-double-zero-auto", "rapid-a-1"
POSITIONS = ("red", "dozen:2", "straight:17", "corner:17-18-20-21")
SCREEN = Size("animation", 1200, 720)
WIDE = 800
SPEED = 5
"""Speed of the animation relative to the recorded round."""

STEP_SECONDS = 0.4
"""Shortest time between two pictures, in seconds of the round."""

HOLD_MILLIS = 2_500
"""Duration of the last picture, which shows the payments."""

CREDITS_CENTS = 250_000
ROUND_TIMEOUT_MILLIS = 180_000
MAX_ROUNDS = 20


class Picture(NamedTuple):
    at: float
    """Seconds of the monotonic clock."""

    image: Image.Image


def take(page: Page) -> Picture:
    at = time.monotonic()
    with Image.open(io.BytesIO(page.screenshot())) as screenshot:
        high = screenshot.height * WIDE // screenshot.width
        return Picture(at, screenshot.convert("RGB").resize((WIDE, high), Image.Resampling.LANCZOS))


def record(seat: TerminalScreen) -> list[Picture]:
    """Play one round from the opening of bets until its payments are shown, and take pictures."""
    seat.phase("idle")
    seat.phase("bets_open")
    pictures = [take(seat.page)]
    bets = list(POSITIONS)
    while bets or seat.page.locator('main[data-phase="idle"]').count() == 0:
        if bets:
            seat.bet(bets.pop(0))
        pictures.append(take(seat.page))
        seat.page.wait_for_timeout(1_000 * max(0.0, STEP_SECONDS - (time.monotonic() - pictures[-1].at)))
    seat.page.wait_for_timeout(1_500)
    return [*pictures, take(seat.page)]


def save(pictures: list[Picture]) -> None:
    """Write the pictures as an animated WebP file. Each is shown for its share of the round's time."""
    durations = [round(1_000 * (after.at - before.at) / SPEED) for before, after in pairwise(pictures)]
    first, *rest = (picture.image for picture in pictures)
    first.save(
        FILE, save_all=True, append_images=rest, duration=[*durations, HOLD_MILLIS], loop=0, quality=70, method=6
    )


def main() -> int:
    if reason := missing():
        sys.stderr.write(f"roundhouse: {reason}\n")
        return 2
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        house = ScreensHouse(Path(folder), tables=dict.fromkeys(GAMES, 0), speed=1)
        browser = launch(playwright)
        try:
            desk = Desk(browser, house)
            page = desk.terminal(TABLE, SEAT, SCREEN, CREDITS_CENTS, reduced_motion="no-preference")
            page.set_default_timeout(ROUND_TIMEOUT_MILLIS)
            seat = TerminalScreen(page, house, TABLE, SEAT)
            for _ in range(MAX_ROUNDS):
                before = seat.credits()
                pictures = record(seat)
                if seat.credits() > before:
                    save(pictures)
                    break
            desk.close()
        finally:
            browser.close()
            house.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
