"""The evidence of past rounds on the recall screen, in a browser."""

from playwright.sync_api import Locator, Page, expect

from tests.support.browser import PHONE, WALL, Desk, accessibility
from tests.support.screens import sit


def recall(desk: Desk, table: str, number: int = 1) -> tuple[Page, Locator]:
    page = desk.pit("auditor", path=f"/recall/?table={table}&round={number}")
    evidence = page.locator("[data-evidence]")
    evidence.wait_for()
    return page, evidence


def kind(evidence: Locator, name: str) -> Locator:
    return evidence.locator(f'[data-evidence-kind="{name}"] dd')


def test_a_disputed_round_shows_its_evidence_with_every_source(desk: Desk) -> None:
    house, table = desk.house, desk.house.table("rws-double-zero")
    player = sit(desk, table, WALL)
    house.deal(table, "open")
    player.phase("bets_open")
    player.bet("red")
    for do, fields in (
        ("close_bets", {}),
        ("start_spin", {}),
        ("observe_spin", {"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 9}),
        ("ball_at_rest", {"outcome": "18"}),
        ("amend_reading", {"outcome": "17"}),
        ("register_result", {"outcome": "19"}),
    ):
        house.ask(table, "dealer", do, **fields)
    house.ask_two(table, "pit_manager", "pit_supervisor", "correct_result", round=1, outcome="17")
    house.ask(table, "dealer", "confirm_result")
    page, evidence = recall(desk, table)
    expect(kind(evidence, "start")).to_contain_text("the Dealer (dealer)")
    by = "attested by the Dealer (dealer)"
    spin = kind(evidence, "spin").locator('[data-how="attested"]')
    expect(spin).to_contain_text([f"Ball: clockwise {by}", f"Wheel: anticlockwise {by}", f"Revolutions: 9 {by}"])
    expect(kind(evidence, "reading").locator('[data-value="18"]')).to_contain_text("the Dealer (dealer)")
    amended = kind(evidence, "amendment").locator("[data-pocket]")
    expect(amended).to_have_count(2)
    expect(amended.first).to_have_attribute("data-pocket", "18")
    expect(amended.last).to_have_attribute("data-pocket", "17")
    expect(kind(evidence, "registration").locator('[data-value="19"]')).to_be_visible()
    expect(kind(evidence, "resolution")).to_contain_text("(pit-manager, with pit-supervisor)")
    expect(kind(evidence, "confirmation")).to_contain_text("the Dealer (dealer)")
    assert accessibility(page) == []
    # The Player's terminal shows what was read and registered, and not by whom.
    own = desk.open(f"/recall/?table={table}&round=1", context=player.page.context)
    shown = own.locator("[data-evidence]")
    expect(kind(shown, "registration").locator('[data-value="19"]')).to_be_visible()
    expect(kind(shown, "spin")).to_contain_text("Ball: clockwise")
    for hidden in ("dealer", "pit-manager", "pit-supervisor", "source not on record"):
        expect(shown).not_to_contain_text(hidden)


def test_values_that_were_not_measured_and_a_referred_round_are_shown_on_a_phone(desk: Desk) -> None:
    house, table = desk.house, desk.house.table("rws-double-zero")
    house.deal(table, "open")
    house.ask(table, "dealer", "close_bets")
    house.ask(table, "dealer", "start_spin")
    house.ask(table, "dealer", "ball_at_rest", outcome="4")
    house.ask(table, "pit_manager", "refer", round=1, question="Did the ball leave the rim?")
    decided = {"round": 1, "ruling": "void", "reason": "The launch was not seen."}
    house.ask(table, "shift_manager", "decide", **decided)
    page = desk.pit("auditor", PHONE, f"/recall/?table={table}&round=1")
    evidence = page.locator("[data-evidence]")
    missing = kind(evidence, "spin").locator('[data-how="not_measured"]')
    expect(missing).to_have_text(["Ball: not measured", "Wheel: not measured", "Revolutions: not measured"])
    expect(kind(evidence, "referral")).to_contain_text("Did the ball leave the rim?")
    expect(kind(evidence, "decision")).to_contain_text("(shift-manager)")
    expect(kind(evidence, "decision")).to_contain_text("The launch was not seen.")
    expect(kind(evidence, "change")).to_contain_text("is void")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE.wide


def test_the_segment_of_a_money_wheel_is_shown_between_its_neighbours(desk: Desk) -> None:
    house, table = desk.house, desk.house.table("rws-money-wheel")
    order = house.game(table).wheel.order
    segment = [at for at, symbol in enumerate(order) if symbol == "10"][2]
    house.deal(table, "open", "spin")
    house.ask(table, "dealer", "ball_at_rest", outcome="10", segment=segment)
    house.deal(table, "settle", outcome="10")
    page, evidence = recall(desk, table)
    expect(kind(evidence, "reading").locator(f'[data-read-segment="{segment}"]')).to_have_text(f"segment {segment}")
    expect(page.get_by_text(f"10 at segment {segment}")).to_be_visible()
    near = page.locator(".near [data-pocket]").evaluate_all("(all) => all.map((one) => one.dataset.pocket)")
    assert near == [order[(segment + step) % len(order)] for step in range(-5, 6)]
