"""Opens the web screens of a house in Chromium: terminals, consoles and the pit desk.

A test fails if a page logs an error or warning on the browser console that the test did not expect.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, ViewportSize

from tests.support.screens_house import AT_A_CONSOLE, ScreensHouse

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "screenshots"
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
BUILT = ROOT / "src/roundhouse/web/dist/index.html"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs to look for. The first is Chromium without windows, which needs less processor time."""
TIMEOUT_MILLIS: Final = 30_000
"""Timeout of a wait in a page. It is long, because the machine may be busy."""
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio")


FAILED = pytest.StashKey[list[bool]]()
"""Set on a failed test, so that screenshots of its pages are saved."""


@dataclass(frozen=True)
class Size:
    """A screen size in pixels."""

    name: str
    wide: int
    high: int
    touch: bool = False

    @property
    def viewport(self) -> ViewportSize:
        return {"width": self.wide, "height": self.high}


WALL, TABLET, PHONE = Size("wall", 1920, 1080), Size("tablet", 1280, 800), Size("phone", 390, 844, touch=True)
SIZES = (WALL, TABLET, PHONE)


def executable() -> str | None:
    configured = os.environ.get("ROUNDHOUSE_CHROMIUM")
    return configured or next((found for name in NAMES if (found := shutil.which(name))), None)


def missing() -> str:
    """Return why tests in a browser cannot run here; empty if they can."""
    if executable() is None:
        return "Chromium not found: install it, or set ROUNDHOUSE_CHROMIUM to its path"
    if not BUILT.exists() or not AXE.exists():
        return "the web screens are not built: run make web"
    return ""


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=executable(), args=list(ARGUMENTS))


@dataclass
class MonitoredPage:
    """A page and the errors and warnings of its browser console."""

    page: Page
    console_errors: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.page.set_default_timeout(TIMEOUT_MILLIS)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.console_errors.append(str(error)))

    def _on_console(self, message: ConsoleMessage) -> None:
        # Chromium logs every HTTP error status. Refusals of the API are normal answers and not reported.
        refused = message.text.startswith("Failed to load resource") and "/api/" in message.location.get("url", "")
        if message.type in ("error", "warning") and not refused:
            self.console_errors.append(f"{message.text} ({message.location.get('url', '')})")

    def faults(self) -> list[str]:
        return [error for error in self.console_errors if not any(text in error for text in self.expected)]


@dataclass
class Desk:
    """Opens pages for one test. ``close`` closes them and returns their unexpected console errors."""

    browser: Browser
    house: ScreensHouse
    contexts: list[BrowserContext] = field(default_factory=list)
    pages: list[MonitoredPage] = field(default_factory=list)

    def context(self, size: Size = WALL, **options: Any) -> BrowserContext:
        # Animated wheels would only slow the tests down.
        options.setdefault("reduced_motion", "reduce")
        context = self.browser.new_context(
            viewport=size.viewport, has_touch=size.touch, is_mobile=size.touch, base_url=self.house.address, **options
        )
        self.contexts.append(context)
        return context

    def open(self, path: str, size: Size = WALL, context: BrowserContext | None = None, **options: Any) -> Page:
        page = (context or self.context(size, **options)).new_page()
        self.pages.append(MonitoredPage(page))
        page.goto(path)
        return page

    def expect(self, page: Page, *texts: str) -> None:
        """Allow console errors of this page that contain one of these texts."""
        for one in self.pages:
            if one.page is page:
                one.expected += texts

    def terminal(self, table: str, seat: str, size: Size = WALL, credits: int = 0, **options: Any) -> Page:
        """Open an enrolled Player Terminal with credits. The seat's name begins with its kind of terminal."""
        context = self.context(size, **options)
        code = self.house.code(table, seat)
        assert context.request.post("/api/enrol", data={"code": code}).ok
        page = self.open(f"/terminal/?table={table}", context=context)
        page.locator("main[data-phase]").wait_for()
        if credits:
            self.house.ask(table, "cashier", "buy_credits", seat=seat, cents=credits)
        return page

    def console(self, table: str, size: Size = WALL, position: str = "dealer") -> Page:
        return self._staff(f"/console/?table={table}", position, table, size)

    def cage(self, position: str = "cashier", size: Size = WALL) -> Page:
        """Open the screen of the cage, as the person in a position."""
        return self._staff("/cage/", position, "@cage", size)

    def pit(self, position: str = "pit_manager", size: Size = WALL, path: str = "/pit/") -> Page:
        return self._staff(path, position, None, size)

    def _staff(self, path: str, position: str, table: str | None, size: Size) -> Page:
        context = self.context(size)
        login = self.house.log_in(position, table if position in AT_A_CONSOLE else None)
        assert context.request.post("/api/log-in", data=login).ok
        return self.open(path, context=context)

    def close(self) -> list[str]:
        for context in self.contexts:
            context.close()
        return [fault for one in self.pages for fault in one.faults()]


@contextmanager
def screenshots_on_failure(desk: Desk, name: str, failed: "list[bool]") -> Iterator[None]:
    """Save a screenshot of every open page if the test has failed."""
    try:
        yield
    finally:
        if failed:
            for number, one in enumerate(desk.pages):
                if not one.page.is_closed():
                    one.page.screenshot(path=PICTURES / "failed" / f"{name}-{number}.png")


def check_desk(desk: Desk, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """Yield the desk to a test, then close it and fail if a page logged an unexpected error."""
    failed = request.node.stash.setdefault(FAILED, [])
    name = re.sub(r"\W+", "-", request.node.name).strip("-")
    try:
        with screenshots_on_failure(desk, name, failed):
            yield desk
    finally:
        faults = desk.close()
    assert faults == [], "a page logged an unexpected error or warning"


_FAULTS_OF_FIT = """([selector, scrolls]) => {
    const root = document.documentElement
    const faults = root.scrollWidth > root.clientWidth ? [`the page is ${root.scrollWidth} wide`] : []
    const parts = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility())
    if (parts.length === 0) faults.push("nothing is drawn")
    for (const one of parts) {
        if (scrolls) one.scrollIntoView({ block: "nearest" })
        const { left, top, right, bottom } = one.getBoundingClientRect()
        if (right === left || bottom === top) continue
        const name = `${one.dataset.pocket ?? one.textContent.trim().slice(0, 40)}`
        if (left < 0 || top < 0 || right > root.clientWidth + 1 || bottom > innerHeight + 1) {
            faults.push(`${name} is cut off`)
            continue
        }
        const points = [[(left + right) / 2, (top + bottom) / 2], [left + 3, top + 3], [right - 3, bottom - 3]]
        const above = points.map(([x, y]) => document.elementFromPoint(x, y)).find((at) => at && !one.contains(at))
        if (above && !above.contains(one)) faults.push(`${name} is covered by ${above.className || above.tagName}`)
    }
    return faults
}"""


def faults_of_fit(page: Page, selector: str, scrolls: bool = False) -> list[str]:
    """List the elements that are cut off or covered by others, and a page that is wider than its window.

    With ``scrolls`` each element may be scrolled into view first.
    """
    page.evaluate(_ANIMATIONS_END)
    found: list[str] = page.evaluate(_FAULTS_OF_FIT, [selector, scrolls])
    return found


_ANIMATIONS_END = """() => Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity).map((one) => one.finished))"""


def accessibility(page: Page) -> list[str]:
    """Wait for animations to end, and list axe's serious and critical violations, one line each."""
    page.evaluate(_ANIMATIONS_END)
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run(document, { resultTypes: ['violations'] })).violations")
    return [
        f"{one['id']}: {one['help']}: {', '.join(str(node['target']) for node in one['nodes'][:5])}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
