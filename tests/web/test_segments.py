"""The segment of the Money Wheel at the console: named on the ring, by keys or as not read, and amended."""

from typing import Any

from playwright.sync_api import expect

from tests.support.browser import PHONE, WALL, Desk, Size, accessibility
from tests.support.processes import table_events
from tests.support.screens import ConsoleScreen, choose_segment

GAME = "rws-money-wheel"


def spinning(desk: Desk, size: Size = WALL) -> tuple[str, ConsoleScreen]:
    table = desk.house.table(GAME)
    dealer = ConsoleScreen(desk.console(table, size))
    dealer.press("open_bets", "bets_open")
    dealer.spin()
    return table, dealer


def readings(desk: Desk, table: str, event: str = "ball_rested") -> list[tuple[str, int | None]]:
    found: list[dict[str, Any]] = table_events(desk.house.file.parent / "data", table, event)
    return [(one["outcome"], one.get("segment")) for one in found]


def segments(desk: Desk, table: str, symbol: str) -> list[int]:
    return [at for at, one in enumerate(desk.house.game(table).wheel.order) if one == symbol]


def test_a_dealer_names_the_symbol_and_then_its_segment_on_the_ring(desk: Desk) -> None:
    table, dealer = spinning(desk)
    large = dealer.page.locator("button.primary.step")
    expect(large).to_contain_text("Choose the outcome")
    dealer.page.locator('[data-entry="reading"] .keypad [data-pocket="1"]:enabled').click()
    # A symbol alone is not sent: which of its segments is at the clapper?
    expect(large).to_contain_text("Choose the segment")
    expect(large).to_be_disabled()
    picker = dealer.page.locator("[data-segment-picker]")
    assert accessibility(dealer.page) == []
    ones = segments(desk, table, "1")
    # A touch on a neighbour chooses the nearest segment with the chosen symbol.
    picker.locator(f'[data-at="{ones[7]}"]').click()
    expect(picker.locator("[data-segment]")).to_have_attribute("data-segment", str(ones[7]))
    expect(large).to_contain_text(f"Record 1, segment {ones[7]}")
    picker.get_by_role("button", name="Next segment with this symbol").click()
    expect(large).to_contain_text(f"Record 1, segment {ones[8]}")
    dealer.press("ball_at_rest", "at_rest")
    assert readings(desk, table) == [("1", ones[8])]
    # A registration is a result and has no segment.
    expect(dealer.page.locator("[data-segment-picker]")).to_have_count(0)


def test_a_segment_that_was_not_read_is_left_out_only_explicitly(desk: Desk) -> None:
    table, dealer = spinning(desk)
    dealer.page.locator('[data-entry="reading"] .keypad [data-pocket="3"]:enabled').click()
    picker = dealer.page.locator("[data-segment-picker]")
    picker.get_by_role("button", name="Segment not read").click()
    expect(dealer.page.locator("button.primary.step")).to_contain_text("Record 3, segment not read")
    dealer.press("ball_at_rest", "at_rest")
    assert readings(desk, table) == [("3", None)]
    dealer.choose("registration", "3")
    dealer.press("register_result", "registered")
    expect(dealer.page.locator('[data-reading="3"]')).to_contain_text("segment not read")


def test_the_segment_is_named_by_keys(desk: Desk) -> None:
    table, dealer = spinning(desk)
    dealer.rest()
    tens, keys = segments(desk, table, "10"), dealer.page.keyboard
    for key in ("1", "0", "Enter", "Enter"):
        keys.press(key)
    assert readings(desk, table) == [], "a symbol was sent without its segment"
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        keys.press(key)
    expect(dealer.page.locator("[data-segment]")).to_have_attribute("data-segment", str(tens[1]))
    keys.press("Enter")
    dealer.phase("at_rest")
    assert readings(desk, table) == [("10", tens[1])]


def test_a_symbol_that_the_wheel_has_once_needs_no_further_choice(desk: Desk) -> None:
    table, dealer = spinning(desk)
    dealer.rest()
    for key in ("c", "Enter"):
        dealer.page.keyboard.press(key)
    dealer.phase("at_rest")
    assert readings(desk, table) == [("CROCKFORDS", segments(desk, table, "CROCKFORDS")[0])]


def test_a_reading_is_amended_with_its_segment_on_a_phone(desk: Desk) -> None:
    table, dealer = spinning(desk, PHONE)
    fives = segments(desk, table, "5")
    dealer.choose("reading", "5", fives[3])
    dealer.press("ball_at_rest", "at_rest")
    dealer.choose("registration", "5")
    dealer.press("register_result", "registered")
    dealer.page.locator('[data-action="amend_reading"]').click()
    dialog = dealer.page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"Your reading on record is 5, segment {fives[3]}")
    dialog.locator('.keypad [data-pocket="5"]').click()
    choose_segment(dialog.locator("[data-segment-picker]"), fives[4])
    assert accessibility(dealer.page) == []
    dialog.get_by_role("button", name=f"Change 5, segment {fives[3]} to 5, segment {fives[4]}").click()
    expect(dialog).to_have_count(0)
    expect(dealer.page.locator(f'[data-read-segment="{fives[4]}"]')).to_be_visible()
    assert readings(desk, table, "reading_amended") == [("5", fives[4])]
    assert dealer.page.evaluate("document.documentElement.scrollWidth") <= PHONE.wide
