"""Reports in the pit desk: from a figure to its rounds, the story of one of them, and its capsule."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from roundhouse.audit.capsule_check import check_capsule
from tests.support.browser import DESK, TABLET, WALL, Desk, Size, accessibility
from tests.support.screens import sit

SIZES = (TABLET, DESK, WALL)


@pytest.fixture
def played(desk: Desk) -> str:
    """A table with three rounds: one settled, one corrected, and one void."""
    house, table = desk.house, desk.house.table("rws-double-zero")
    player = sit(desk, table, WALL)
    for outcome in ("17", "18", "19"):
        house.deal(table, "open")
        player.phase("bets_open")
        player.bet("red")
        house.deal(table, "spin", "rest", "settle", outcome=outcome)
        player.phase("idle")
    house.ask_two(table, "pit_manager", "pit_supervisor", "correct_result", round=2, outcome="1")
    house.ask_two(table, "pit_manager", "pit_supervisor", "declare", irregularity="ball_broke", rounds=[3])
    return table


def figure(page: Page, column: str) -> str:
    return page.locator(f'[data-figures="report"] tfoot [data-column="{column}"]').inner_text().strip()


def report(desk: Desk, table: str, size: Size = DESK, part: str = "play") -> Page:
    page = desk.pit("auditor", size, f"/pit/#reports?by=table&table={table}&part={part}")
    page.locator('[data-figures="report"] tfoot').wait_for()
    return page


def test_an_auditor_gets_from_a_figure_to_a_capsule(desk: Desk, played: str) -> None:
    page = report(desk, played)
    adjusted = figure(page, "adjusted")
    page.locator('[data-figures="report"] tbody [data-column="adjusted"] a').click()
    rows = page.locator("[data-rounds] tbody tr")
    expect(rows).to_have_count(2)
    expect(page.locator("[data-sum]")).to_have_text(adjusted)
    expect(rows.first).to_contain_text("Corrected")
    expect(rows.last).to_contain_text("Made void")
    expect(rows.first).to_contain_text("pit-manager + pit-supervisor")
    address = page.url
    rows.first.get_by_role("link", name="Round 2").click()
    page.locator("[data-evidence]").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("capsule", re.IGNORECASE)).first.click()
    capsule = Path(download.value.path()).read_bytes()
    assert check_capsule(capsule).round == 2
    # The address of the list can be sent to somebody else.
    other = desk.open(address, context=page.context)
    expect(other.locator("[data-rounds] tbody tr")).to_have_count(2)


def test_every_figure_of_a_row_is_the_sum_of_its_rounds(desk: Desk, played: str) -> None:
    for part in ("play", "theory", "cash"):
        page = report(desk, played, part=part)
        cells = page.locator('[data-figures="report"] tbody tr').first.locator("td:has(a)")
        links = [(cell.locator("a").inner_text(), cell.locator("a").get_attribute("href")) for cell in cells.all()]
        assert links
        for text, link in links:
            assert link is not None
            page.goto(page.url.partition("#")[0] + link)
            column = link.rpartition("column=")[2]
            if column in ("variance",) or "%" in text or re.fullmatch("−?[0-9]+[.][0-9]{2}", text) is None:
                continue
            shown = page.locator("[data-sum]")
            shown.wait_for()
            if column not in ("win", "theoretical_win"):
                expect(shown).to_have_text(text)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("part", ["play", "theory", "cash"])
def test_no_column_of_a_report_is_cut(desk: Desk, played: str, size: Size, part: str) -> None:
    page = report(desk, played, size, part)
    assert page.locator(".scrolls").evaluate("(one) => one.scrollWidth <= one.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert accessibility(page) == []


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_list_of_rounds_fits(desk: Desk, played: str, size: Size) -> None:
    page = desk.pit("auditor", size, f"/pit/#rounds?table={played}&column=win")
    page.locator("[data-rounds] tfoot").wait_for()
    assert page.locator(".scrolls").evaluate("(one) => one.scrollWidth <= one.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert accessibility(page) == []
