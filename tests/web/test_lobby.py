"""The lobby opens in every screen size and is accessible."""

import pytest

from tests.support.browser import SIZES, Desk, Size, accessibility


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.name)
def test_the_lobby_opens_and_axe_finds_nothing_serious(desk: Desk, size: Size) -> None:
    page = desk.open("/", size)
    page.locator("main").wait_for()
    page.get_by_role("heading").first.wait_for()
    assert accessibility(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size.wide, "the page scrolls horizontally"
