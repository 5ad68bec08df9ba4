"""Fixtures for tests in a browser: one house and one browser per process, and new pages for each test."""

import os
from collections.abc import Generator, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.support.browser import FAILED, Desk, check_desk, launch, missing
from tests.support.screens_house import GAMES, ScreensHouse

TABLES = {game: 72 if game == GAMES[0] else 24 for game in GAMES}
"""Number of tables per game. The tests use up to 57 and 18 if one process runs them all."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests with a reason where there is no browser, except in CI, which must have one."""
    if (why := missing()) and os.environ.get("CI") != "true":
        for item in items:
            if item.path.parent.name == "web":
                item.add_marker(pytest.mark.skip(reason=why))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash.setdefault(FAILED, []).append(True)
    return report


# Not session scope, because Playwright occupies this thread's event loop, which other tests need.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    assert not missing(), missing()
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScreensHouse]:
    house = ScreensHouse(tmp_path_factory.mktemp("screens"), TABLES)
    yield house
    house.stop()


@pytest.fixture
def desk(browser: Browser, house: ScreensHouse, request: pytest.FixtureRequest) -> Iterator[Desk]:
    yield from check_desk(Desk(browser, house), request)
