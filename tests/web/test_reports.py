"""Reports in the pit desk: from a figure to its rounds, the story of one of them, and its capsule."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from roundhouse.audit.capsule import read
from roundhouse.audit.capsule_check import verify_capsule
from tests.support.browser import WALL, Desk, Size, accessibility
from tests.support.screens import sit

LAPTOP = Size("laptop", 1366, 768)
SIZES = (Size("upright tablet", 820, 1180), Size("tablet", 1180, 820), LAPTOP, WALL)


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
    correction = {"round": 2, "outcome": "1", "reason": "seen on the video"}
    house.ask_two(table, "pit_manager", "pit_supervisor", "correct_result", **correction)
    house.ask_two(table, "pit_manager", "pit_supervisor", "declare", irregularity="ball_broke", rounds=[3])
    return table


def figure(page: Page, column: str) -> str:
    return page.locator(f'[data-figures="report"] tfoot [data-column="{column}"]').inner_text().strip()


def report(desk: Desk, table: str, size: Size = LAPTOP, part: str = "play") -> Page:
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
    rows.first.get_by_role("link", name=re.compile("· 2 ?: Recall")).click()
    page.locator("[data-evidence]").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("capsule", re.IGNORECASE)).first.click()
    capsule = Path(download.value.path()).read_bytes()
    assert verify_capsule(read(capsule), None).round == 2
    # The address of the list can be sent to another person.
    other = desk.open(address, context=page.context)
    expect(other.locator("[data-rounds] tbody tr")).to_have_count(2)


def test_every_figure_of_a_report_leads_to_a_list_with_the_same_sum(desk: Desk, played: str) -> None:
    page = report(desk, played)
    cells = page.locator('[data-figures="report"] tbody td:has(a)')
    links = [(cell.inner_text().strip(), cell.locator("a").get_attribute("href") or "") for cell in cells.all()]
    assert [link.rpartition("column=")[2] for _, link in links] == [
        *("played", "played_handle", "played_win", "adjustments", "adjusted", "win", "win", "voids", "corrections"),
        "late_bets",
    ]
    # The list of the hold is that of the win. It is left out, because its sum is not in percent.
    for text, link in links[:6] + links[7:-1]:
        page.goto(f"/pit/{link}")
        expect(page.locator("[data-sum]")).to_have_text(text)


def enlarge(page: Page) -> None:
    """Write the amounts of a large house into the cells."""
    page.evaluate(
        """() => { for (const cell of document.querySelectorAll('[data-figures] td.number')) {
            const text = cell.querySelector("a") ?? cell;
            if (/[.]/.test(text.textContent)) text.textContent = "−12,345,678.90";
        } }"""
    )


def fits(page: Page) -> bool:
    """Return whether no column is cut: neither the table nor the page scrolls sideways."""
    table = page.locator("main .scrolls")
    return bool(
        table.evaluate("(one) => one.scrollWidth <= one.clientWidth")
        and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    )


def test_no_column_is_cut_on_any_desk(desk: Desk, played: str) -> None:
    reports = report(desk, played)
    rounds = desk.pit("auditor", path=f"/pit/#rounds?table={played}&column=win")
    rounds.locator("[data-rounds] tfoot").wait_for()
    for size in SIZES:
        reports.set_viewport_size(size.viewport)
        rounds.set_viewport_size(size.viewport)
        for part in ("Play", "Theoretical win", "Cash and tickets"):
            reports.get_by_role("button", name=part, exact=True).click()
            enlarge(reports)
            assert fits(reports), (size, part)
            assert accessibility(reports) == []
        assert fits(rounds), size
        assert accessibility(rounds) == []
