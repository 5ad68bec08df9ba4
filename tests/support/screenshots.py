"""Takes screenshots of every screen in every phase, size and language: ``make screenshots``.

It plays rounds of every game and writes the pictures to ``screenshots``. ``OPTIONS=terminal`` limits it to the
scenes whose names begin with ``terminal``.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.support.browser import PHONE, PICTURES, SIZES, TABLET, WALL, Desk, Size, launch, missing
from tests.support.screens import ConsoleScreen, TerminalScreen
from tests.support.screens_house import GAMES, ScreensHouse

LANGUAGES = ("en", "zh", "ms", "ta")
PANELS = ("Results", "My rounds", "Rules and odds", "Favourites", "My session", "Credits and tickets")
PIT = ("tables", "waiting", "alerts", "reports", "rounds", "wheels", "staff", "terminals", "house")
LANGUAGE_KEY = "roundhouse.language"
MOVING = "no-preference"
ANIMATION_MILLIS = 900
"""Time after which animations have ended."""


Players = Sequence[tuple[TerminalScreen, tuple[str, ...]]]
"""Players with the names of their pictures."""


class Album:
    def __init__(self, desk: Desk, folder: Path) -> None:
        self.desk, self.house, self._folder = desk, desk.house, folder
        self.taken = 0

    def take(self, page: Page, *name: str) -> None:
        file = self._folder / name[0] / ("-".join(name[1:]) + ".png")
        page.screenshot(path=file)
        self.taken += 1

    @contextmanager
    def scene(self) -> Iterator[None]:
        """Close all pages that were opened in the block."""
        try:
            yield
        finally:
            faults = self.desk.close()
            self.desk.contexts.clear()
            self.desk.pages.clear()
            for fault in faults:
                sys.stderr.write(f"error in a page: {fault}\n")

    def set_language(self, page: Page, language: str) -> None:
        page.evaluate("([key, language]) => localStorage.setItem(key, language)", [LANGUAGE_KEY, language])
        page.reload()

    def seated(self, table: str, number: int, size: Size, language: str, motion: str = "reduce") -> TerminalScreen:
        kind = next(iter(self.house.game(table).terminals))
        seat = f"{kind}-{number}"
        page = self.desk.terminal(table, seat, size, 500_000, reduced_motion=motion)
        if language != "en":
            self.set_language(page, language)
        player = TerminalScreen(page, self.house, table, seat, size.touch)
        player.phase("idle")
        return player


def played(album: Album, table: str, players: Players, others: Sequence[tuple[Page, str]]) -> None:
    """Play a settled round and a void one, and take a picture of every screen in each phase."""
    house = album.house
    pockets = house.game(table).wheel.pockets
    outcome = pockets[len(pockets) // 2]

    def take_all(phase: str) -> None:
        for player, _ in players:
            player.phase(house.view(table)["phase"])
        players[0][0].page.wait_for_timeout(ANIMATION_MILLIS)
        for player, names in players:
            album.take(player.page, "terminal", *names, phase)
        for page, name in others:
            screen, _, rest = name.partition(":")
            album.take(page, screen, rest, phase)

    take_all("1-idle")
    house.deal(table, "open")
    for player, _ in players:
        player.phase("bets_open")
        positions = player.layout()["positions"]
        places = player.places()
        for one in positions[:: max(1, len(positions) // 6)]:
            player.tap(places[one["id"]])
        player.bet(next(one["id"] for one in positions if one["covers"] == [outcome]))
    take_all("2-bets-open")
    house.deal(table, "spin")
    take_all("3-spinning")
    house.deal(table, "rest", outcome=outcome)
    take_all("4-at-rest")
    house.ask(table, "dealer", "register_result", outcome=outcome)
    take_all("5-registered")
    house.ask(table, "dealer", "confirm_result")
    take_all("6-settled")
    house.deal(table, "open")
    for player, _ in players:
        player.phase("bets_open")
        player.bet(player.layout()["positions"][0]["id"])
    house.deal(table, "spin")
    house.ask(table, "dealer", "declare", irregularity="interference")
    take_all("7-void")


def terminals(album: Album) -> None:
    """Take pictures of one game in every size and language."""
    table = album.house.table(GAMES[0])
    with album.scene():
        wanted = [(size, language) for size in SIZES for language in LANGUAGES]
        players = [
            (album.seated(table, number, size, language), (size.name, language, GAMES[0]))
            for number, (size, language) in enumerate(wanted, start=1)
        ]
        played(album, table, players, [])
        for player, name in players:
            if name[:2] != (WALL.name, "en"):
                continue
            for panel in PANELS:
                player.page.get_by_role("button", name=panel).first.click()
                player.page.get_by_role("dialog").wait_for()
                player.page.wait_for_timeout(ANIMATION_MILLIS)
                album.take(player.page, "terminal", *name, "panel", panel.lower().replace(" ", "-"))
                player.page.keyboard.press("Escape")


def games(album: Album) -> None:
    """Take pictures of every game in every size, with its console and its display."""
    for game in GAMES:
        table = album.house.table(game)
        with album.scene():
            players = [
                # Only one terminal is animated, because animations slow each other down.
                (album.seated(table, number, size, "en", MOVING if size is WALL else "reduce"), (size.name, "en", game))
                for number, size in enumerate(SIZES, start=1)
            ]
            boards = [
                (
                    album.desk.open(f"/display/?table={table}", size),
                    f"display:{size.name}-{game}",
                )
                for size in (WALL, PHONE)
            ]
            consoles = [(album.desk.console(table, size), f"console:{size.name}-{game}") for size in (WALL, TABLET)]
            played(album, table, players, [*boards, *consoles])
        with album.scene():
            dealer = ConsoleScreen(album.desk.console(table))
            dealer.press("open_bets", "bets_open")
            dealer.spin()
            album.take(dealer.page, "console", "wall", game, "8-entering")
            dealer.page.locator("[data-action=observe_spin]").click()
            album.take(dealer.page, "console", "wall", game, "9-observing")


def languages(album: Album) -> None:
    """Take pictures of the public pages in every size and language."""
    table = album.house.table(GAMES[0])
    album.house.deal(table, "open")
    for path, name in (("/", "lobby"), ("/terminal/", "entry"), (f"/display/?table={table}", "display")):
        for size in SIZES:
            for language in LANGUAGES:
                with album.scene():
                    page = album.desk.open(path, size)
                    album.set_language(page, language)
                    page.wait_for_timeout(ANIMATION_MILLIS)
                    album.take(page, name, size.name, language)


def desks(album: Album) -> None:
    """Take pictures of the pit desk with data on every page, and of the recall of a round."""
    house, table = album.house, album.house.table(GAMES[0])
    with album.scene():
        player = album.seated(table, 1, WALL, "en")
        house.deal(table, "open")
        player.phase("bets_open")
        player.bet("red")
        house.deal(table, "spin", "rest", "settle", outcome="2")
        house.ask(table, "pit_manager", "correct_result", round=1, outcome="17")
        house.deal(table, "open")
        for size in (WALL, TABLET):
            pit = album.desk.pit("shift_manager", size)
            for page in (*PIT, f"table/{table}"):
                pit.evaluate("(hash) => { location.hash = hash }", page)
                pit.wait_for_timeout(ANIMATION_MILLIS)
                album.take(pit, "pit", size.name, page.partition("/")[0])
            recall = album.desk.pit("auditor", size, f"/recall/?table={table}&round=1")
            recall.wait_for_timeout(ANIMATION_MILLIS)
            album.take(recall, "recall", size.name)
            for path in ("console", "pit"):
                page_of_log_in = album.desk.open(f"/{path}/", size)
                page_of_log_in.wait_for_timeout(ANIMATION_MILLIS)
                album.take(page_of_log_in, path, size.name, "log-in")


SCENES: dict[str, Callable[[Album], None]] = {
    "terminals": terminals,
    "games": games,
    "languages": languages,
    "desks": desks,
}


def main(wanted: str = "") -> int:
    if why := missing():
        sys.stderr.write(f"roundhouse: {why}\n")
        return 2
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        house = ScreensHouse(Path(folder), tables=4, seats=len(SIZES) * len(LANGUAGES))
        browser = launch(playwright)
        try:
            album = Album(Desk(browser, house), PICTURES)
            for name, scene in SCENES.items():
                if name.startswith(wanted):
                    scene(album)
                    sys.stderr.write(f"roundhouse: {name}, {album.taken} pictures in {PICTURES}\n")
        finally:
            browser.close()
            house.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
