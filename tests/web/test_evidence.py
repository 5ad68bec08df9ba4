"""Two entries, attested spins, readings that differ, amendments and their resolution, in a browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import TABLET, WALL, Desk, accessibility
from tests.support.processes import table_events
from tests.support.screens import ConsoleScreen, TerminalScreen, sit
from tests.support.screens_house import GAMES, ScreensHouse

GAME = "rws-double-zero"


def spinning(desk: Desk, game: str = GAME) -> tuple[str, ConsoleScreen]:
    """Open a console at a table whose spin has started and is not attested."""
    table = desk.house.table(game)
    dealer = ConsoleScreen(desk.console(table))
    dealer.press("open_bets", "bets_open")
    dealer.spin()
    return table, dealer


def differing(desk: Desk, player: bool = False) -> tuple[str, ConsoleScreen, TerminalScreen | None]:
    """Read 17 at the wheel and register 18."""
    table, dealer = spinning(desk)
    seated = sit(desk, table, WALL) if player else None
    dealer.attest()
    dealer.choose("reading", "17")
    dealer.press("ball_at_rest", "at_rest")
    dealer.choose("registration", "18")
    dealer.press("register_result", "registered")
    dealer.page.locator("[data-differs]").wait_for()
    return table, dealer, seated


def approve(desk: Desk, table: str, position: str) -> Page:
    """Approve the pending request of a table at the pit desk."""
    (pending,) = [one for one in desk.house.get("/api/proposals")["proposals"] if one["table"] == table]
    page = desk.pit(position)
    page.locator(f'[data-proposal="{pending["proposal"]}"]').first.get_by_role("button", name="Approve").click()
    return page


def test_the_reading_and_the_registration_are_two_entries(desk: Desk) -> None:
    table, dealer = spinning(desk)
    expect(dealer.page.locator('[data-entry="registration"]')).to_have_count(0)
    dealer.choose("reading", "17")
    dealer.press("ball_at_rest", "at_rest")
    data = desk.house.file.parent / "data"
    assert [event["outcome"] for event in table_events(data, table, "ball_rested")] == ["17"]
    assert table_events(data, table, "result_registered") == [], "one entry was sent as both"
    registration = dealer.page.locator('[data-entry="registration"]')
    registration.wait_for()
    expect(registration.locator("[aria-pressed=true]")).to_have_count(0)
    expect(dealer.page.locator('button.primary[data-action="register_result"]')).to_be_disabled()
    dealer.choose("registration", "17")
    dealer.press("register_result", "registered")
    assert [event["outcome"] for event in table_events(data, table, "result_registered")] == ["17"]


def test_no_line_of_the_console_shows_the_reading_while_the_result_is_entered(desk: Desk) -> None:
    _, dealer = spinning(desk)
    page = dealer.page
    page.get_by_role("tab", name="Table").click()
    dealer.choose("reading", "17")
    dealer.press("ball_at_rest", "at_rest")
    page.locator('[data-entry="registration"]').wait_for()
    log = page.get_by_role("region", name="Table")
    lines = (page.locator("main .messages"), log, page.locator("aside.rail"), page.locator("[data-entry] > header"))
    expect(lines[0]).to_have_text("At rest, read by dealer.")
    expect(log).to_contain_text("At rest, read by dealer.")
    for line in lines:
        expect(line).not_to_contain_text(re.compile(r"\b17\b"))
    dealer.choose("registration", "17")
    dealer.press("register_result", "registered")
    # Both acts are on record now, and the log tells the number.
    expect(log).to_contain_text("At rest: 17, read by dealer.")


def test_readings_that_differ_before_registration_are_shown_without_their_numbers(desk: Desk) -> None:
    table, dealer = spinning(desk)
    page = dealer.page
    dealer.choose("reading", "17")
    dealer.press("ball_at_rest", "at_rest")
    heading = page.locator('[data-entry="registration"] h2')
    expect(heading).to_contain_text("look at the wheel again")
    desk.house.ask(table, "pit_supervisor", "ball_at_rest", outcome="18")
    expect(heading).to_contain_text("The readings differ.")
    expect(page.locator('[data-entry="registration"]')).to_contain_text("Amend your reading if it is wrong.")
    expect(page.locator("main .messages")).to_have_text("A further reading, by pit-supervisor.")
    page.locator('[data-action="amend_reading"]').click()
    dialog = page.get_by_role("dialog")
    # The dialog is typed into like every other entry.
    dealer.rest()
    for key in ("4", "5", "Enter"):
        page.keyboard.press(key)
    expect(dialog.get_by_role("alert")).to_contain_text("45 is not on this wheel. Nothing was sent.")
    for key in ("1", "8"):
        page.keyboard.press(key)
    expect(dialog.get_by_role("button", name="Change 17 to 18")).to_be_enabled()
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(heading).not_to_contain_text("differ")
    (amended,) = table_events(desk.house.file.parent / "data", table, "reading_amended")
    assert (amended["was"], amended["outcome"], amended["source"]["who"]) == ("17", "18", "dealer")
    dealer.choose("registration", "18")
    dealer.press("register_result", "registered")
    expect(page.locator("[data-differs]")).to_have_count(0)


def test_fast_typing_sends_only_the_number_that_is_shown(desk: Desk) -> None:
    table, dealer = spinning(desk)
    data, keys = desk.house.file.parent / "data", dealer.page.keyboard
    dealer.rest()
    for key in ("4", "5", "Enter"):
        keys.press(key)
    expect(dealer.page.get_by_role("alert")).to_contain_text("45 is not on this wheel. Nothing was sent.")
    assert table_events(data, table, "ball_rested") == []
    # The whole burst is typed before the table has answered the first entry.
    for key in ("5", "Enter", "1", "2", "Enter"):
        keys.press(key)
    dealer.phase("at_rest")
    dealer.rest()
    assert [event["outcome"] for event in table_events(data, table, "ball_rested")] == ["5"]
    assert table_events(data, table, "result_registered") == []
    for key in ("1", "2", "Enter"):
        keys.press(key)
    dealer.phase("registered")
    assert [event["outcome"] for event in table_events(data, table, "result_registered")] == ["12"]


@pytest.mark.parametrize("game", GAMES)
def test_a_result_is_confirmed_only_after_the_spin_was_attested(desk: Desk, game: str) -> None:
    table, dealer = spinning(desk, game)
    outcome = desk.house.game(table).wheel.pockets[2]
    expect(dealer.page.locator('[data-spin="missing"]')).to_be_visible()
    dealer.enter(outcome)
    expect(dealer.page.locator("[data-missing]")).to_contain_text("revolutions")
    expect(dealer.page.locator('[data-action="confirm_result"]')).to_have_count(0)
    expect(dealer.page.locator('button.primary[data-action="observe_spin"]')).to_be_enabled()
    dealer.attest()
    expect(dealer.page.locator("[data-missing]")).to_have_count(0)
    expect(dealer.page.locator('[data-spin-value="revolutions"]')).to_contain_text("attested by dealer")
    dealer.press("confirm_result", "idle")
    assert desk.house.view(table)["last_results"][0]["outcome"] == outcome


def test_a_value_that_was_not_measured_is_recorded_as_such(desk: Desk) -> None:
    table, dealer = spinning(desk)
    dealer.page.locator('[data-action="observe_spin"]').click()
    dialog = dealer.page.get_by_role("dialog")
    attests = dialog.get_by_role("button", name="Attest")
    expect(attests).to_be_disabled()
    for part in ("Ball", "Wheel"):
        group = dialog.get_by_role("group", name=part, exact=True)
        group.get_by_role("radio", name="Not measured").check(force=True)
    dialog.get_by_role("group", name="Completed revolutions").get_by_role("button", name="Not measured").click()
    expect(dialog.get_by_text("cannot be confirmed until these are attested")).to_be_visible()
    attests.click()
    expect(dialog).to_have_count(0)
    (report,) = desk.house.get(f"/api/tables/{table}/state")["evidence"]["reports"]
    assert {report.get(value) for value in ("ball", "wheel", "revolutions")} == {None}
    expect(dealer.page.locator('[data-spin="missing"]')).to_be_visible()


def test_readings_that_differ_are_shown_to_staff_and_no_number_to_players(desk: Desk) -> None:
    table, dealer, player = differing(desk, player=True)
    assert player is not None
    board = desk.open(f"/display/?table={table}")
    panel = dealer.page.locator("[data-differs]")
    expect(panel).to_contain_text("17 and 18 differ")
    expect(panel.locator('[data-reading="17"]')).to_contain_text("dealer")
    expect(panel.locator('[data-registered-as="18"]')).to_be_visible()
    expect(dealer.page.locator('[data-action="confirm_result"]')).to_have_count(0)
    assert accessibility(dealer.page) == []
    player.phase("registered")
    expect(player.page.get_by_text("The result is being checked").first).to_be_visible()
    expect(player.page.locator("[data-outcome]")).to_have_count(0)
    expect(board.locator("[data-status]")).to_have_attribute("data-status", "checking")
    assert desk.house.view(table)["outcome"] is None


def test_a_dealer_amends_their_own_reading(desk: Desk) -> None:
    table, dealer, _ = differing(desk)
    dealer.page.locator('[data-action="amend_reading"]').click()
    dialog = dealer.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Your reading on record is 17")
    dialog.locator('[data-pocket="18"]').click()
    dialog.get_by_role("button", name="Change 17 to 18").click()
    expect(dealer.page.locator("[data-differs]")).to_have_count(0)
    (amended,) = table_events(desk.house.file.parent / "data", table, "reading_amended")
    assert (amended["was"], amended["outcome"], amended["source"]["who"]) == ("17", "18", "dealer")
    dealer.press("confirm_result", "idle")
    assert desk.house.view(table)["last_results"][0]["outcome"] == "18"


def test_a_dealer_registers_the_result_again(desk: Desk) -> None:
    table, dealer, _ = differing(desk)
    dealer.page.locator('[data-action="register_result"]').click()
    dealer.choose("registration", "17")
    dealer.page.locator('button.primary[data-action="register_result"]:enabled').click()
    expect(dealer.page.locator("[data-differs]")).to_have_count(0)
    dealer.press("confirm_result", "idle")
    assert desk.house.view(table)["last_results"][0]["outcome"] == "17"


def test_the_pit_resolves_readings_that_differ_with_a_second_person(desk: Desk) -> None:
    table, dealer, _ = differing(desk)
    pit = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    evidence = pit.locator("[data-evidence]")
    expect(evidence).to_contain_text("differ")
    # A registration is not a reading: only 17 is offered.
    expect(evidence.locator("[data-resolve]")).to_have_count(1)
    evidence.locator('[data-resolve="17"]').click()
    pit.locator("[data-proposed]").wait_for()
    assert desk.house.view(table)["outcome"] is None, "it takes effect before its approval"
    approve(desk, table, "pit_supervisor")
    expect(dealer.page.locator("[data-differs]")).to_have_count(0)
    dealer.press("confirm_result", "idle")
    assert desk.house.view(table)["last_results"][0]["outcome"] == "17"


def test_another_number_is_for_the_person_who_decides_and_is_marked(desk: Desk) -> None:
    house = desk.house
    table, dealer, _ = differing(desk)
    dealer.page.locator('[data-action="refer"]').first.click()
    dialog = dealer.page.get_by_role("dialog")
    dialog.get_by_label("What is to be decided?").fill("17 or 18?")
    dialog.get_by_role("button", name="Refer it").click()
    dealer.phase("referred")
    pit = desk.pit("shift_manager", path=f"/pit/#table/{table}")
    pit.get_by_role("button", name="Decide round 1").click()
    form = pit.get_by_role("dialog")
    form.get_by_role("radio", name="Settle").check()
    expect(form.locator("[data-read]")).to_have_count(1)
    form.get_by_text("Another number").click()
    form.locator('.keypad [data-pocket="5"]').click()
    expect(form.locator("[data-off-record]")).to_contain_text("5 was not read at the wheel")
    form.get_by_label("Reason").fill("The video shows 5.")
    form.get_by_role("button", name="Record decision").click()
    form.locator("[data-proposed]").wait_for()
    approve(desk, table, "casino_manager" if "casino_manager" in pending(house, table)["seconds"] else "pit_manager")
    dealer.phase("idle")
    (made,) = table_events(house.file.parent / "data", table, "decision_made")
    assert (made["outcome"], made["off_record"]) == ("5", True)


def pending(house: ScreensHouse, table: str) -> dict[str, list[str]]:
    (found,) = [one for one in house.get("/api/proposals")["proposals"] if one["table"] == table]
    return found  # type: ignore[no-any-return]


def test_a_question_without_a_round_is_referred_and_answered(desk: Desk) -> None:
    house, table = desk.house, desk.house.table(GAME)
    pit = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    pit.get_by_role("button", name="Refer a matter…").click()
    form = pit.get_by_role("dialog")
    form.get_by_role("checkbox", name="No round").check()
    form.get_by_label("What is to be decided?").fill("May a bet be announced?")
    form.get_by_role("button", name="Refer it").click()
    form.get_by_role("status").wait_for()
    assert house.get(f"/api/tables/{table}/state")["matters"] == {"0": "May a bet be announced?"}
    decider = desk.pit("shift_manager", TABLET, f"/pit/#table/{table}")
    decider.get_by_role("button", name="Answer the question").click()
    answer = decider.get_by_role("dialog")
    assert accessibility(decider) == []
    answer.get_by_label("Reason").fill("No.")
    answer.get_by_role("button", name="Record decision").click()
    answer.get_by_role("status").wait_for()
    assert house.get(f"/api/tables/{table}/state")["matters"] == {}


def test_no_spin_is_called_with_its_suspicion(desk: Desk) -> None:
    table, dealer = spinning(desk, "mbs-electronic-double-zero")
    dealer.page.get_by_role("button", name="No spin").click()
    dialog = dealer.page.get_by_role("dialog")
    calls = dialog.get_by_role("button", name="Void round 1")
    expect(calls).to_be_disabled()
    dialog.get_by_label("Which irregularity is suspected?").fill("a coin in the wheel")
    calls.click()
    dealer.phase("idle")
    (voided,) = table_events(desk.house.file.parent / "data", table, "round_voided")
    assert voided["reason"] == "a coin in the wheel"
