"""A real browser on a real house: pages of terminals, consoles and the pit, and what went wrong in them.

What a page complains of on its console is a fault, unless the test has said that it is to be expected.
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
NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_MILLIS: Final = 30_000
"""The machine may have much else to do."""
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio")


FAILED = pytest.StashKey[list[bool]]()
"""Set on a test that failed, so that its pages are pictured."""


@dataclass(frozen=True)
class Size:
    """What a screen is looked at on."""

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
    told = os.environ.get("ROUNDHOUSE_CHROMIUM")
    return told or next((found for name in NAMES if (found := shutil.which(name))), None)


def missing() -> str:
    """Why there can be no test in a browser here, or nothing."""
    if executable() is None:
        return "there is no Chromium: install chromium, or name one in ROUNDHOUSE_CHROMIUM"
    if not BUILT.exists() or not AXE.exists():
        return "the screens are not built: make web"
    return ""


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=executable(), args=list(ARGUMENTS))


@dataclass
class Watched:
    """A page, and what it complained of."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE_MILLIS)
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _said(self, message: ConsoleMessage) -> None:
        # Chromium reports every refusal over HTTP; those of the house's interface are answers like others.
        refused = message.text.startswith("Failed to load resource") and "/api/" in message.location.get("url", "")
        if message.type in ("error", "warning") and not refused:
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")

    def faults(self) -> list[str]:
        return [one for one in self.complaints if not any(word in one for word in self.expected)]


@dataclass
class Desk:
    """Opens pages for one test; they are closed, and held to account, when it ends."""

    browser: Browser
    house: ScreensHouse
    contexts: list[BrowserContext] = field(default_factory=list)
    watched: list[Watched] = field(default_factory=list)

    def context(self, size: Size = WALL, **options: Any) -> BrowserContext:
        # Wheels that turn on the screen are seen elsewhere; here they would only make the others wait.
        options.setdefault("reduced_motion", "reduce")
        made = self.browser.new_context(
            viewport=size.viewport, has_touch=size.touch, is_mobile=size.touch, base_url=self.house.address, **options
        )
        self.contexts.append(made)
        return made

    def open(self, path: str, size: Size = WALL, context: BrowserContext | None = None, **options: Any) -> Page:
        page = (context or self.context(size, **options)).new_page()
        self.watched.append(Watched(page))
        page.goto(path)
        return page

    def expect(self, page: Page, *words: str) -> None:
        """What this page may complain of."""
        for one in self.watched:
            if one.page is page:
                one.expected += words

    def terminal(self, table: str, seat: str, size: Size = WALL, credits: int = 0, **options: Any) -> Page:
        """A Player Terminal that the pit has enrolled, seated, with credits. ``seat`` names a kind of terminal too."""
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

    def pit(self, position: str = "pit_manager", size: Size = WALL, path: str = "/pit/") -> Page:
        return self._staff(path, position, None, size)

    def _staff(self, path: str, position: str, table: str | None, size: Size) -> Page:
        context = self.context(size)
        said = self.house.log_in(position, table if position in AT_A_CONSOLE else None)
        assert context.request.post("/api/log-in", data=said).ok
        return self.open(path, context=context)

    def close(self) -> list[str]:
        for context in self.contexts:
            context.close()
        return [fault for one in self.watched for fault in one.faults()]


@contextmanager
def pictured(desk: Desk, name: str, failed: "list[bool]") -> Iterator[None]:
    """When the test has failed, every page of it as it looked then."""
    try:
        yield
    finally:
        if failed:
            for number, one in enumerate(desk.watched):
                if not one.page.is_closed():
                    one.page.screenshot(path=PICTURES / "failed" / f"{name}-{number}.png")


def at_a_desk(desk: Desk, request: pytest.FixtureRequest) -> Iterator[Desk]:
    failed = request.node.stash.setdefault(FAILED, [])
    name = re.sub(r"\W+", "-", request.node.name).strip("-")
    try:
        with pictured(desk, name, failed):
            yield desk
    finally:
        faults = desk.close()
    assert faults == [], "a page complained on its console"


_STANDS = """() => Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity).map((one) => one.finished))"""


def accessibility(page: Page) -> list[str]:
    """What axe finds that is serious or worse, each in one line, when whatever fades in stands there."""
    page.evaluate(_STANDS)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run(document, { resultTypes: ['violations'] })).violations")
    return [
        f"{one['id']}: {one['help']}: {', '.join(str(node['target']) for node in one['nodes'][:5])}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
