"""Authority over money on the screens: sales and cash-outs by staff, live limits, and approvals on a phone."""

import os
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.browser import PHONE, WALL, Desk
from tests.support.screens import PLENTY, sit, two_bets

PICTURES = os.environ.get("ROUNDHOUSE_MONEY_PICTURES")
"""Folder for pictures of these screens, for a person to look at."""


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.wait_for_timeout(400)
        page.screenshot(path=Path(PICTURES) / f"{name}.png")


def cage(console: Page, seat: str) -> None:
    console.get_by_role("tab", name="Seats").click()
    console.get_by_role("button", name=f"Credits of seat {seat}").click()


def test_a_dealer_sells_asks_and_the_player_cashes_out(desk: Desk) -> None:
    house = desk.house
    table = house.table("rws-double-zero")
    player = sit(desk, table, WALL, credits=0)
    console = desk.console(table)
    # A sale, which the terminal names.
    cage(console, player.seat)
    dialog = console.get_by_role("dialog")
    dialog.get_by_label("Amount").fill("550")
    picture(console, "console-sell")
    dialog.get_by_role("button", name="Sell credits: ").click()
    expect(player.page.locator("[data-notice]")).to_contain_text("Dealer added 550.00")
    picture(player.page, "terminal-sold")
    # It is reversed while it is unspent.
    cage(console, player.seat)
    dialog.get_by_role("radio", name="Reverse a sale").click()
    picture(console, "console-reverse")
    dialog.get_by_role("button", name="Reverse a sale: ").click()
    expect(player.page.locator('[data-money="reversed"]')).to_contain_text("reversed your purchase of")
    expect(player.page.locator("[data-credits]").first).to_have_attribute("data-credits", "0")
    player.page.locator('[data-money="reversed"]').get_by_role("button").click()
    # The Dealer asks, and the Player confirms at the terminal, which alone shows the ticket.
    house.ask(table, "cashier", "buy_credits", seat=player.seat, cents=5_000)
    cage(console, player.seat)
    dialog.get_by_role("radio", name="Cash out").click()
    picture(console, "console-cash-out")
    dialog.get_by_role("button", name="Ask the Player to confirm").click()
    asked = player.page.locator('[data-money="asked"]')
    expect(asked).to_contain_text("cash out your credits")
    picture(player.page, "terminal-asked")
    asked.get_by_role("button", name="Yes, cash out").click()
    ticket = player.page.locator("[data-ticket]")
    expect(ticket.first).to_be_visible()
    number = ticket.first.get_attribute("data-ticket")
    assert number is not None
    assert len(number) == 20
    assert number not in console.content()


def test_a_refused_ticket_stays_in_the_dialog(desk: Desk) -> None:
    table = desk.house.table("rws-double-zero")
    player = sit(desk, table, WALL, credits=1_000)
    console = desk.console(table)
    cage(console, player.seat)
    dialog = console.get_by_role("dialog")
    dialog.get_by_role("radio", name="Redeem a ticket").click()
    dialog.get_by_label("Ticket").fill("1" * 20)
    dialog.get_by_role("button", name="Redeem a ticket", exact=True).last.click()
    expect(dialog.get_by_role("alert")).to_contain_text("no such ticket")
    expect(dialog.get_by_label("Ticket")).to_have_value("1" * 20)


def test_staff_cash_out_what_the_player_asked_for(desk: Desk) -> None:
    house = desk.house
    table = house.table("rws-double-zero")
    player = sit(desk, table, WALL, credits=5_000)
    house.ask(table, "cashier", "request_cash_out", seat=player.seat)
    refused = house.ask(table, "cashier", "cash_out", seat=player.seat)
    assert refused["refusal"] == "needs_second_person", "the Player has not asked"
    player.page.locator('[data-money="asked"]').get_by_role("button", name="No").click()
    player.page.get_by_role("button", name="Credits").first.click()
    player.page.get_by_role("button", name="Ask staff to cash out").click()
    expect(player.page.locator(".reply")).to_contain_text("Staff may now cash out")
    answer = house.ask(table, "cashier", "cash_out", seat=player.seat)
    assert answer["events"][0]["ticket"].startswith("…"), "the number is for the Player"
    expect(player.page.locator('[data-money="cashedOut"]')).to_contain_text("cashed out your credits")
    number = player.page.locator("[data-ticket]").first.get_attribute("data-ticket")
    assert number is not None
    assert number.endswith(answer["events"][0]["ticket"][1:])
    picture(player.page, "terminal-cashed-out")


def test_limits_change_from_the_next_round(desk: Desk) -> None:
    house = desk.house
    table = house.table("rws-double-zero")
    player, console = sit(desk, table, WALL), desk.console(table)
    board = desk.open(f"/display/?table={table}")
    house.deal(table, "open")
    player.phase("bets_open")
    pit = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    pit.get_by_role("button", name="Change the limits…").click()
    form = pit.get_by_role("dialog")
    form.get_by_label("Maximum of a seat per round").fill("500")
    form.get_by_label("Reason").fill("a quiet night")
    picture(pit, "pit-limits-form")
    form.get_by_role("button", name="Change the limits", exact=True).last.click()
    for page, name in ((player.page, "terminal"), (board, "board"), (pit, "pit")):
        expect(page.locator("[data-next-limits]").first).to_be_visible()
        picture(page, f"{name}-next-limits")
    console.get_by_role("tab", name="Table").click()
    expect(console.locator("[data-next-limits]").first).to_be_visible()
    picture(console, "console-next-limits")
    outcome = house.game(table).wheel.pockets[3]
    house.deal(table, "spin", "rest", "settle", outcome=outcome)
    house.deal(table, "open")
    expect(player.page.locator("[data-next-limits]")).to_have_count(0)
    expect(player.page.locator('[data-limits] [data-limit="seat"]')).to_contain_text("500")


def test_an_approval_is_whole_on_a_phone(desk: Desk) -> None:
    """B15: every amount of a correction is in sight, and nothing has to be scrolled sideways."""
    house = desk.house
    table = house.table("rws-double-zero")
    player = sit(desk, table, WALL)
    house.deal(table, "open")
    player.phase("bets_open")
    was, now = house.game(table).wheel.pockets[3:5]
    winner, _ = two_bets(player, was)
    player.bet(winner)
    house.deal(table, "spin", "rest", "settle", outcome=was)
    player.phase("idle")
    proposed = house.ask(table, "pit_manager", "correct_result", round=1, outcome=now, reason="the video shows it")
    pit = desk.pit("shift_manager", PHONE, path="/pit/#waiting")
    card = pit.locator(f'[data-proposal="{proposed["proposal"]}"]').first
    card.scroll_into_view_if_needed()
    expect(card).to_contain_text("the video shows it")
    cells = card.locator("[data-changes] td")
    assert cells.count() >= 4
    for number in range(cells.count()):
        box = cells.nth(number).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE.wide, "an amount is cut"
    assert card.evaluate("(it) => it.scrollWidth <= it.clientWidth + 1")
    picture(pit, "pit-phone-approval")


def test_a_seat_with_money_gets_another_terminal_by_two(desk: Desk) -> None:
    house = desk.house
    table = house.table("rws-double-zero")
    player = sit(desk, table, WALL)
    assert player.credits() == PLENTY
    pit = desk.pit("pit_manager", path="/pit/#terminals")
    pit.get_by_label("Table", exact=True).select_option(table)
    pit.get_by_label("Seat", exact=True).select_option(player.seat)
    pit.get_by_role("button", name="Create").click()
    form = pit.get_by_role("dialog")
    form.get_by_label("Reason").fill("its screen is broken")
    picture(pit, "pit-allow-terminal")
    form.get_by_role("button", name="Allow another terminal").click()
    expect(form.locator("[data-proposed]")).to_be_visible()
    (waiting,) = [one for one in house.get("/api/proposals")["proposals"] if one["table"] == table]
    approver = desk.pit("shift_manager", path="/pit/#waiting")
    approver.locator(f'[data-proposal="{waiting["proposal"]}"]').first.get_by_role("button", name="Approve").click()
    expect(approver.locator(f'[data-proposal="{waiting["proposal"]}"]')).to_have_count(0)
    assert house.code(table, player.seat)
