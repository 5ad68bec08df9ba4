"""Taking a seat at a terminal, and cashing it out at the console."""

from playwright.sync_api import expect

from tests.support.browser import WALL, Desk
from tests.support.screens import ConsoleScreen, sit


def test_a_terminal_takes_its_seat_when_a_closed_table_is_opened(desk: Desk) -> None:
    house, table = desk.house, desk.house.table("rws-double-zero")
    seat = f"{next(iter(house.game(table).terminals))}-1"
    house.ask(table, "dealer", "close_table")
    context = desk.context()
    assert context.request.post("/api/enrol", data={"code": house.code(table, seat)}).ok
    page = desk.open("/terminal/", context=context)
    expect(page.get_by_role("alert")).to_have_text("This table is closed.")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_text("This table is closed.")
    house.ask(table, "dealer", "open_table")
    page.locator('main[data-phase="idle"]').wait_for()
    assert house.seat(table, seat)["credits"] == 0


def test_a_ticket_paid_out_at_the_console_stays_visible_until_it_is_confirmed(desk: Desk) -> None:
    table = desk.house.table("mbs-sands")
    player, dealer = sit(desk, table, WALL, 12_345), ConsoleScreen(desk.console(table))
    dealer.page.get_by_role("tab", name="Seats").click()
    dealer.page.locator(f'[data-seat="{player.seat}"]').get_by_role("button", name="Credits of seat").click()
    dialog = dealer.page.get_by_role("dialog")
    dialog.get_by_role("radio").last.click()
    dialog.get_by_role("button", name="123.45").click()
    # A Dealer alone does not cash out a Player.
    dealer.page.locator("[data-proposal]").wait_for()
    assert player.credits() == 12_345
    (pending,) = [one for one in desk.house.get("/api/proposals")["proposals"] if one["table"] == table]
    pit = desk.pit("pit_supervisor")
    pit.locator(f'[data-proposal="{pending["proposal"]}"]').first.get_by_role("button", name="Approve").click()
    ticket = dealer.page.locator("[data-ticket]")
    expect(ticket).to_contain_text("123.45")
    dealer.press("open_bets", "bets_open")
    expect(ticket).to_contain_text("123.45")
    ticket.get_by_role("button").click()
    expect(ticket).to_have_count(0)
    assert player.credits() == 0
