"""Whole rounds of every game at the terminal and the console, with exact amounts."""

import pytest

from tests.support.browser import PHONE, SIZES, TABLET, WALL, Desk, Size
from tests.support.screens import PLENTY, ConsoleScreen, pays, sit, two_bets
from tests.support.screens_house import GAMES
from tests.support.tables import each_game


def play_round(desk: Desk, game: str, size: Size, console_size: Size = WALL) -> None:
    table = desk.house.table(game)
    rules = desk.house.game(table)
    outcome = rules.wheel.pockets[7 % len(rules.wheel.pockets)]
    player, dealer = sit(desk, table, size), ConsoleScreen(desk.console(table, console_size))
    dealer.press("open_bets", "bets_open")
    player.phase("bets_open")
    assert player.page.locator("[data-phrase]").inner_text() == rules.rulebook.betting.opens.phrases[0]
    winner, loser = two_bets(player, outcome)
    staked = player.bet(winner) + player.bet(loser)
    assert player.credits() == PLENTY - staked
    dealer.spin()
    player.phase("spinning")
    before = player.credits()
    dealer.attest()
    dealer.enter(outcome)
    dealer.press("confirm_result", "idle")
    player.phase("idle")
    returned = (pays(player, winner) + 1) * (staked // 2)
    payout = player.page.locator(f'[data-returned="{returned}"]').first
    # On smaller screens the amount is not beside the layout.
    payout.wait_for(state="visible" if size is WALL else "attached")
    assert player.credits() == before + returned
    dolly = player.page.locator("[data-dolly]").bounding_box()
    x, y = player.places()[winner]
    assert dolly is not None
    assert dolly["x"] < x < dolly["x"] + dolly["width"]
    assert dolly["y"] < y < dolly["y"] + dolly["height"]
    assert desk.house.view(table)["last_results"][0] == {"round": 1, "outcome": outcome}


@each_game(
    {
        "rws-double-zero": "1.3, 1.7, 2.1, 3.2, 3.4",
        "rws-triple-zero": "1.3, 1.6, 2.1, 3.2, 3.4",
        "mbs-sands": "1.1.2, 3.7",
        "mbs-electronic-double-zero": "1.1.1, 3.1, 3.3, 3.8",
        "rws-money-wheel": "1 / Dolly, 3.6",
    }
)
def test_a_round_is_bet_on_dealt_and_paid_exactly(desk: Desk, game: str) -> None:
    play_round(desk, game, WALL)


@pytest.mark.parametrize("size", [TABLET, PHONE], ids=lambda size: size.name)
def test_a_round_can_be_played_on_a_smaller_screen(desk: Desk, size: Size) -> None:
    play_round(desk, "rws-double-zero", size, TABLET)


@pytest.mark.parametrize("game", GAMES)
def test_a_void_round_returns_every_stake_and_shows_its_clause(desk: Desk, game: str) -> None:
    table = desk.house.table(game)
    player, dealer = sit(desk, table, WALL), ConsoleScreen(desk.console(table))
    dealer.press("open_bets", "bets_open")
    player.phase("bets_open")
    position = player.layout()["positions"][0]["id"]
    player.bet(position)
    dealer.spin()
    dealer.page.get_by_role("button", name="Irregularities").first.click()
    listed = dealer.page.locator('[data-irregularity][data-can="now"]').first
    clause = listed.locator("small").inner_text()
    listed.get_by_role("button").click()
    dealer.page.get_by_role("dialog").get_by_role("button", name="Void").click()
    dealer.phase("idle")
    ended = player.page.locator('[data-ending="void"]')
    ended.wait_for()
    assert clause in ended.inner_text()
    assert player.credits() == PLENTY


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.name)
def test_a_ticket_moves_credits_from_one_terminal_to_another(desk: Desk, size: Size) -> None:
    table = desk.house.table("rws-triple-zero")
    player, other = sit(desk, table, size, 12_345), sit(desk, table, size, 0, number=2)
    player.page.get_by_role("button", name="Credits and tickets").click()
    player.page.get_by_role("button", name="Cash out 123.45").click()
    ticket = player.page.locator("[data-ticket]")
    number = ticket.get_attribute("data-ticket")
    assert number is not None
    assert "123.45" in ticket.inner_text()
    picture = ticket.get_by_role("img", name=number)
    picture.wait_for()
    assert picture.evaluate("(img) => img.decode().then(() => img.naturalWidth > 0)"), "the QR code is not drawn"
    player.page.get_by_role("button", name="I have it").click()
    assert player.credits() == 0
    other.page.get_by_role("button", name="Credits and tickets").click()
    other.page.get_by_label("Ticket number").fill(number)
    other.page.get_by_role("button", name="Redeem", exact=True).click()
    other.page.get_by_text("123.45 added from your ticket").wait_for()
    assert other.credits() == 12_345
