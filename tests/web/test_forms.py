"""The request forms of the console and the pit: each sends the same request from both screens."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import TABLET, Desk, accessibility
from tests.support.processes import eventually
from tests.support.screens import ConsoleScreen

GAME = "rws-double-zero"


def at_console(desk: Desk, table: str, action: str) -> Page:
    """Open a table's console and the dialog of an action on its panel "Table"."""
    page = desk.console(table)
    page.get_by_role("tab", name="Table").click()
    page.locator(f'.tab [data-action="{action}"]').click()
    page.get_by_role("dialog").wait_for()
    assert accessibility(page) == []
    return page


def at_pit(desk: Desk, table: str, opener: str) -> Page:
    """Open the pit desk and a dialog of a table."""
    page = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    page.get_by_role("button", name=f"{opener}…").click()
    page.get_by_role("dialog").wait_for()
    assert accessibility(page) == []
    return page


def check_answered(page: Page, screen: str) -> None:
    """Check that the console closes the dialog and logs the event, or that the pit shows the reply."""
    if screen == "console":
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator(".tab ol li")).not_to_have_count(0)
    else:
        page.get_by_role("dialog").get_by_role("status").wait_for()


@pytest.mark.parametrize("screen", ["console", "pit"])
def test_a_question_is_referred_for_a_decision(desk: Desk, screen: str) -> None:
    house, table = desk.house, desk.house.table(GAME)
    house.deal(table, "open")
    page = at_console(desk, table, "refer") if screen == "console" else at_pit(desk, table, "Refer a matter")
    dialog = page.get_by_role("dialog")
    refer = dialog.get_by_role("button", name="Refer it")
    expect(refer).to_be_disabled()
    dialog.get_by_label("What is to be decided?").fill("Two balls?")
    refer.click()
    check_answered(page, screen)
    assert house.view(table)["phase"] == "referred"
    assert house.get(f"/api/tables/{table}/state")["matters"] == {"1": "Two balls?"}


@pytest.mark.parametrize("screen", ["console", "pit"])
def test_the_table_is_closed_between_rounds(desk: Desk, screen: str) -> None:
    table = desk.house.table(GAME)
    page = at_console(desk, table, "close_table") if screen == "console" else at_pit(desk, table, "Close the table")
    page.get_by_role("dialog").get_by_role("button", name="Close the table").click()
    expect(page.get_by_text("Table closed").first).to_be_visible()
    assert desk.house.view(table)["phase"] == "closed"


@pytest.mark.parametrize("screen", ["console", "pit"])
def test_the_last_rounds_are_announced(desk: Desk, screen: str) -> None:
    """The console counts the rounds after the one in progress, the pit the rounds still to be dealt."""
    house, table = desk.house, desk.house.table(GAME)
    house.deal(table, "open")
    if screen == "console":
        page = at_console(desk, table, "close_table")
        page.get_by_role("radio", name="After 2 more rounds").click()
    else:
        page = at_pit(desk, table, "Close the table")
        page.get_by_label("Rounds still to be played").fill("3")
    page.get_by_role("dialog").get_by_role("button", name="Close the table").click()
    check_answered(page, screen)
    assert house.view(table)["last_rounds"] == 3


@pytest.mark.parametrize("screen", ["console", "pit"])
def test_a_table_is_opened_with_other_limits(desk: Desk, screen: str) -> None:
    house, table = desk.house, desk.house.table(GAME)
    before = house.view(table)["limits"]
    house.ask(table, "dealer", "close_table")
    if screen == "console":
        page = desk.console(table)
        page.locator('[data-action="open_limits"]').click()
        form = page.get_by_role("dialog")
        form.wait_for()
    else:
        page = desk.pit("pit_manager", path=f"/pit/#table/{table}")
        form = page.locator("section", has=page.get_by_role("heading", name="Limits"))
    assert accessibility(page) == []
    opens = form.get_by_role("button", name="Open with these limits")
    form.get_by_label("Minimum of each bet").fill("lots")
    expect(opens).to_be_disabled()
    expect(form.get_by_text("“lots” is not an amount")).to_be_visible()
    form.get_by_label("Minimum of each bet").fill("2.50")
    form.get_by_label("Maximum of a seat per round").fill("1,000")
    form.get_by_label("Maximum on the whole layout").fill("5000")
    opens.click()
    expect(page.get_by_text("Between rounds").first).to_be_visible()
    # The pit desk lists other tables between rounds, so the text alone does not show that this table is open.
    eventually(lambda: house.view(table)["phase"] == "idle" or None)
    limits = house.view(table)["limits"]
    assert (limits["seat"], limits["table"]) == ({"min": 250, "max": 100_000}, 500_000)
    assert (limits["types"], limits["positions"]) == (before["types"], before["positions"])


def test_an_irregularity_of_a_past_round_is_declared_at_the_console(desk: Desk) -> None:
    house, table = desk.house, desk.house.table(GAME)
    house.deal(table, "open", "spin", "rest", "settle")
    dealer = ConsoleScreen(desk.console(table, position="pit_manager"))
    dealer.phase("idle")
    dealer.page.get_by_role("tab", name="Irregularities").click()
    dealer.page.locator('[data-can="past"]').first.get_by_role("button").click()
    dialog = dealer.page.get_by_role("dialog")
    declares = dialog.get_by_role("button", name="Void the chosen rounds")
    expect(declares).to_be_disabled()
    dialog.get_by_role("checkbox").first.check()
    assert accessibility(dealer.page) == []
    declares.click()
    dealer.page.locator("[data-proposal]").wait_for()
    (proposal,) = [one for one in house.get("/api/proposals")["proposals"] if one["table"] == table]
    assert proposal["command"]["rounds"] == [1]


@pytest.mark.parametrize("path", ["/console/", "/display/"])
def test_a_table_can_be_chosen_if_the_address_names_none(desk: Desk, path: str) -> None:
    table = desk.house.table(GAME)
    page = desk.open(path, TABLET)
    page.get_by_role("link", name=table).click()
    page.wait_for_url(f"**{path}?table={table}*")
