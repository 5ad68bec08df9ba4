"""Operates the screens in a browser: a Player at a terminal and a Dealer at a console."""

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page, expect

from roundhouse.rules.names import TerminalId
from tests.support.browser import Desk, Size
from tests.support.screens_house import ScreensHouse

PLENTY = 100_000_000
LOOK_MILLIS = 1_500
STILL_FRAMES = 20
_STANDS_STILL = """async (svg, frames) => {
    await document.fonts.ready
    let last = ""
    for (let still = 0; still < frames; still += 1) {
        await new Promise(requestAnimationFrame)
        const { x, y, width, height } = svg.getBoundingClientRect()
        if (last !== (last = [x, y, width, height].join())) still = 0
    }
}"""


@dataclass
class TerminalScreen:
    page: Page
    house: ScreensHouse
    table: str
    seat: str
    touch: bool = False
    _layout: dict[str, Any] = field(default_factory=dict)

    def phase(self, name: str) -> None:
        self.page.locator(f'main[data-phase="{name}"]').wait_for()

    def position(self, id: str) -> Locator:
        return self.page.locator(f'[data-position="{id}"]')

    def layout(self) -> dict[str, Any]:
        if not self._layout:
            kind = self.seat.rpartition("-")[0]
            game = self.house.game(self.table)
            layout = game.terminals[TerminalId(kind)].layout.id
            self._layout = self.house.http.get(f"/api/games/{game.id}/layouts/{layout}").json()
        return self._layout

    def wait_for_layout(self) -> None:
        """Wait until fonts are loaded and the board has not moved for some frames."""
        self.page.locator(".board[data-turned] svg").first.evaluate(_STANDS_STILL, STILL_FRAMES)

    def places(self) -> dict[str, tuple[float, float]]:
        """Return the screen coordinates of each position's chip, from the API's layout and the drawn board."""
        sheet = self.layout()
        board = self.page.locator(".board[data-turned]").first
        turned = board.get_attribute("data-turned") == "true"
        # The picture has a rail around the layout, and may be stretched in one direction.
        left, top, width, height, a, d, e, f = board.locator("svg").first.evaluate(
            """(svg) => { const [m, { x, y, width, height }] = [svg.getScreenCTM(), svg.viewBox.baseVal];
                return [x, y, width, height, m.a, m.d, m.e, m.f] }"""
        )
        area = sheet["area"]
        wide, high = area["x1"] - area["x0"], area["y1"] - area["y0"]
        if turned:
            wide, high = high, wide
        across, down = (width + 2 * left) / wide, (height + 2 * top) / high
        found = {}
        for one in sheet["positions"]:
            x, y = one["at"]["x"] - area["x0"], one["at"]["y"] - area["y0"]
            if turned:
                x, y = area["y1"] - one["at"]["y"], one["at"]["x"] - area["x0"]
            found[one["id"]] = (a * x * across + e, d * y * down + f)
        return found

    def tap(self, place: tuple[float, float]) -> None:
        if self.touch:
            self.page.touchscreen.tap(*place)
        else:
            self.page.mouse.click(*place)

    def bet(self, position: str) -> int:
        """Click a position to place a chip, and return the cents that the house has registered."""
        self.tap(self.places()[position])
        self.page.locator(f'[data-position="{position}"][data-staked]').wait_for()
        bets: dict[str, int] = self.house.seat(self.table, self.seat)["bets"]
        displayed = self.position(position).get_attribute("data-staked")
        assert displayed == str(bets[position]), "the screen shows another stake than the house has registered"
        return bets[position]

    def credits(self) -> int:
        """Return the credits, after checking that the screen shows those of the house."""
        own = self.house.seat(self.table, self.seat)["credits"]
        expect(self.page.locator("[data-credits]").first).to_have_attribute("data-credits", str(own))
        return int(own)


@dataclass
class ConsoleScreen:
    page: Page

    def phase(self, name: str) -> None:
        self.page.locator(f'.console[data-phase="{name}"]').wait_for()

    def press(self, action: str, then: str) -> None:
        """Press the button of the next step and wait for a phase."""
        self.page.locator(f'button.primary[data-action="{action}"]:enabled').click()
        self.phase(then)

    def enter(self, outcome: str) -> None:
        """Record the reading at the wheel, then register the result: two entries, each with its own confirmation."""
        self.choose("reading", outcome)
        self.press("ball_at_rest", "at_rest")
        self.choose("registration", outcome)
        self.press("register_result", "registered")

    def choose(self, entry: str, outcome: str, segment: int | None = None) -> None:
        """Choose an outcome on the keypad of an open entry. It is sent by the large button.

        A reading of a Money Wheel also gets a segment, or is marked as a reading without one.
        """
        keypad = self.page.locator(f'[data-entry="{entry}"] .keypad')
        keypad.locator(f'[data-pocket="{outcome}"]:enabled').click()
        expect(keypad.locator(f'[data-pocket="{outcome}"]')).to_have_attribute("aria-pressed", "true")
        picker = self.page.locator(f'[data-entry="{entry}"] [data-segment-picker]')
        if picker.count():
            choose_segment(picker, segment)

    def attest(self, revolutions: int = 9, ball: str = "Clockwise", wheel: str = "Anticlockwise") -> None:
        """Attest the spin in its dialog, with opposite directions unless told otherwise."""
        self.page.locator('[data-action="observe_spin"]:enabled').first.click()
        dialog = self.page.get_by_role("dialog")
        for part, direction in (("Ball", ball), ("Wheel", wheel)):
            group = dialog.get_by_role("group", name=part, exact=True)
            if group.count():
                group.get_by_role("radio", name=direction, exact=True).check(force=True)
        count = dialog.get_by_role("group", name="Completed revolutions")
        count.get_by_role("button", name="One more").click()
        while int(count.locator("output").inner_text()) < revolutions:
            count.get_by_role("button", name="One more").click()
        dialog.get_by_role("button", name="Attest").click()
        expect(dialog).to_have_count(0)
        self.page.locator('[data-spin="attested"]').wait_for()

    def rest(self) -> None:
        """Wait as long as a person takes to look at the wheel."""
        self.page.wait_for_timeout(LOOK_MILLIS)

    def key(self, key: str, action: str, then: str) -> None:
        """Take the next step with its key when the console is ready, and wait for a phase."""
        self.page.locator(f'button.primary[data-action="{action}"]:enabled').wait_for()
        self.page.keyboard.press(key)
        self.phase(then)

    def spin(self) -> None:
        """Close bets and start the spin, in the order of the rulebook."""
        first = self.page.locator('button.primary[data-action="close_bets"], button.primary[data-action="start_spin"]')
        if first.get_attribute("data-action") == "close_bets":
            self.press("close_bets", "bets_closed")
            self.press("start_spin", "spinning")
        else:
            self.press("start_spin", "spinning_bets_open")
            self.press("close_bets", "spinning")


def choose_segment(picker: Locator, segment: int | None) -> None:
    """Touch a segment on the ring, or mark it as not read. A symbol that occurs once has its segment already."""
    if segment is not None:
        picker.locator(f'[data-at="{segment}"]').click()
        expect(picker.locator("[data-segment]")).to_have_attribute("data-segment", str(segment))
    elif (skip := picker.get_by_role("button", name="Segment not read")).is_enabled():
        skip.click()


def sit(desk: Desk, table: str, size: Size, credits: int = PLENTY, number: int = 1, **options: Any) -> TerminalScreen:
    """Seat a Player at the game's first kind of terminal."""
    kind = next(iter(desk.house.game(table).terminals))
    seat = f"{kind}-{number}"
    page = desk.terminal(table, seat, size, credits, **options)
    player = TerminalScreen(page, desk.house, table, seat, size.touch)
    player.credits()
    return player


def two_bets(player: TerminalScreen, outcome: str) -> tuple[str, str]:
    """Return a position that covers only this pocket, and one that does not cover it."""
    positions = player.layout()["positions"]
    alone = next(one["id"] for one in positions if one["covers"] == [outcome])
    without = next(one["id"] for one in reversed(positions) if outcome not in one["covers"])
    return alone, without


def pays(player: TerminalScreen, position: str) -> int:
    return next(int(one["pays"]) for one in player.layout()["positions"] if one["id"] == position)
