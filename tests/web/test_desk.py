"""The desk of a table on screen: a dispute from the terminal to its answer, the Dealer of record, a float, a pause."""

import os
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.browser import PHONE, TABLET, WALL, Desk
from tests.support.houses import PASSWORD
from tests.support.screens import PLENTY, ConsoleScreen, sit, two_bets

GAME = "rws-double-zero"
_PICTURES = os.environ.get("ROUNDHOUSE_PICTURES")
"""Folder for pictures of the screens, for people who look at them. Default: none are taken."""


def picture(page: Page, name: str) -> None:
    if _PICTURES:
        page.screenshot(path=Path(_PICTURES) / f"{name}.png", full_page=True)


def test_a_player_contests_a_round_and_reads_the_answer(desk: Desk) -> None:
    house, table = desk.house, desk.house.table(GAME)
    player = sit(desk, table, PHONE)
    house.deal(table, "open")
    player.phase("bets_open")
    _, loser = two_bets(player, "0")
    staked = player.bet(loser)
    house.deal(table, "spin", "rest", "settle", outcome="0")
    player.phase("idle")
    page = player.page
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Call about a round").click()
    panel = page.get_by_role("dialog")
    send = panel.get_by_role("button", name="Call the staff")
    expect(send).to_be_disabled()
    panel.get_by_role("button", name="The outcome").click()
    panel.get_by_label("In your words").fill("The ball was in 17.")
    picture(page, "terminal-contest-phone")
    send.click()
    expect(panel.locator('[data-dispute="1"]')).to_contain_text("The staff have your question")
    expect(panel.locator("form")).to_contain_text("The staff have your question")
    manager = desk.pit("shift_manager", path="/pit/#disputes", size=TABLET)
    queue = manager.locator(f'[data-dispute="1"]:has(a[href="#table/{table}"])')
    expect(queue).to_contain_text("“The ball was in 17.”")
    picture(manager, "pit-disputes-tablet")
    queue.get_by_role("button", name="Close the dispute").click()
    form = manager.get_by_role("dialog")
    form.get_by_label("Answer to the Player").fill("The video shows the ball in 0. We are sorry for the wait.")
    form.get_by_label("Goodwill").fill("25")
    expect(form.locator("[data-effect-of-closing]")).to_contain_text("25.00")
    picture(manager, "pit-close-dispute-tablet")
    form.get_by_role("button", name="Close the dispute").click()
    form.locator("[data-proposed]").wait_for()
    assert player.credits() == PLENTY - staked, "goodwill is paid before its approval"
    second = desk.pit("casino_manager", size=PHONE)
    second.get_by_role("link", name="Approvals").click()
    proposal = second.locator("[data-proposal]", has_text="Close dispute 1").first
    picture(second, "pit-approve-goodwill-phone")
    proposal.get_by_role("button", name="Approve").click()
    expect(panel.locator('[data-dispute="1"]')).to_contain_text("We are sorry for the wait")
    assert player.credits() == PLENTY - staked + 2_500
    panel.get_by_role("button", name="Close", exact=True).click()
    notice = page.locator('[data-matter="dispute_closed"]')
    expect(notice).to_contain_text("Your question about round 1 is answered")
    picture(page, "terminal-answer-phone")
    notice.get_by_role("button").click()
    expect(notice).to_have_count(0)
    page.reload()
    player.phase("idle")
    expect(notice).to_have_count(0)


def test_a_second_dealer_looks_on_until_the_table_is_handed_over(desk: Desk) -> None:
    house, table = desk.house, desk.house.table(GAME)
    dealer = ConsoleScreen(desk.console(table, TABLET))
    dealer.page.get_by_role("tab", name="Table", exact=True).click()
    dealer.page.locator('[data-action="take_table"]').click()
    expect(dealer.page.locator("header .mode")).to_have_text("Dealer: dealer")
    picture(dealer.page, "console-dealer-tablet")
    context = desk.context(WALL)
    login = {"name": "relief", "password": PASSWORD, "console": table}
    assert context.request.post("/api/log-in", data=login).ok
    other = desk.open(f"/console/?table={table}", context=context)
    looks_on = other.get_by_text("dealer deals at this table. You look on.")
    expect(looks_on).to_be_visible()
    expect(other.locator('[data-action="open_bets"]')).to_have_count(0)
    picture(other, "console-looks-on-wall")
    card = desk.pit("pit_supervisor", size=WALL)
    expect(card.locator(f'article[data-table="{table}"] [data-dealer]')).to_have_text("dealer")
    dealer.press("open_bets", "bets_open")
    dealer.page.locator('[data-action="hand_table"]').click()
    expect(dealer.page.locator("header .mode")).to_have_text("Manual mode")
    expect(looks_on).to_have_count(0)
    other.get_by_role("tab", name="Table", exact=True).click()
    other.locator('[data-action="take_table"]').click()
    expect(dealer.page.get_by_text("relief deals at this table")).to_be_visible()
    assert house.get(f"/api/tables/{table}/state")["dealer"]["name"] == "relief"


def test_a_float_is_counted_by_two_persons(desk: Desk) -> None:
    house, table = desk.house, desk.house.table(GAME)
    dealer = desk.console(table, WALL)
    dealer.get_by_role("tab", name="Table", exact=True).click()
    float_of_table = dealer.locator("[data-float-of-table]")
    float_of_table.locator("summary").click()
    dealer.get_by_label("Amount").fill("1000")
    dealer.get_by_role("button", name="Count the opener:").click()
    supervisor = desk.pit("pit_supervisor", path=f"/pit/#table/{table}", size=TABLET)
    proposal = supervisor.locator("[data-proposal]", has_text="Count the float").first
    proposal.get_by_role("button", name="Approve").click()
    expect(supervisor.locator("[data-float]")).to_have_attribute("data-float", "100000")
    house.ask_two(table, "dealer", "pit_supervisor", "fill", cents=50_000)
    expect(supervisor.locator("[data-float]")).to_have_attribute("data-float", "150000")
    expect(float_of_table).to_contain_text("500.00")
    assert "1,500.00" not in float_of_table.inner_text(), "the Dealer counts the float and does not copy the sum"
    picture(dealer, "console-float-wall")
    picture(supervisor, "pit-table-tablet")
    house.ask_two(table, "dealer", "pit_supervisor", "count_float", count="closer", cents=149_500)
    expect(dealer.get_by_text("The float is not counted.")).to_be_visible()
    supervisor.get_by_role("link", name="Alerts").first.click()
    expect(supervisor.get_by_text("5.00 short").first).to_be_visible()


def test_a_paused_seat_reads_why(desk: Desk) -> None:
    house, table = desk.house, desk.house.table(GAME)
    player = sit(desk, table, PHONE)
    house.deal(table, "open")
    player.phase("bets_open")
    supervisor = desk.pit("pit_supervisor", path=f"/pit/#table/{table}", size=PHONE)
    supervisor.get_by_role("button", name=f"Pause seat {player.seat}").click()
    form = supervisor.get_by_role("dialog")
    form.get_by_label("Reason").fill("Please wait for the Pit Supervisor.")
    form.get_by_role("button", name="Pause").click()
    expect(player.page.get_by_text("No new bets at this seat for the moment")).to_be_visible()
    picture(player.page, "terminal-paused-phone")
    supervisor.keyboard.press("Escape")
    expect(supervisor.get_by_text("Paused: Please wait")).to_be_visible()
    picture(supervisor, "pit-paused-phone")
    supervisor.get_by_role("button", name="Resume").click()
    expect(player.page.get_by_text("No new bets at this seat for the moment")).to_have_count(0)


def test_a_locked_pit_desk_shows_that_a_table_needs_attention(desk: Desk) -> None:
    house, table = desk.house, desk.house.table(GAME)
    page = desk.pit("pit_manager", size=TABLET)
    page.get_by_role("heading", name="Tables", level=1).wait_for()
    page.get_by_role("button", name="Lock", exact=True).click()
    page.locator('[data-presence="locked"]').wait_for()
    house.ask(table, "dealer", "refer", question="what is a revolution?")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("[data-attention]")).to_contain_text(table)
    expect(page.locator("[data-attention]")).not_to_contain_text("revolution")
    picture(page, "pit-locked-tablet")
