"""Requirements of the rules for a terminal, in a browser: limits in sight, chips, interruptions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from roundhouse.rules.clauses import readings
from tests.support.browser import WALL, Desk, Size, accessibility, check_desk
from tests.support.clauses import shows
from tests.support.processes import table_events
from tests.support.screens import PLENTY, ConsoleScreen, TerminalScreen, sit
from tests.support.screens_house import GAMES, ScreensHouse
from tests.support.screenshots import LANGUAGE_KEY, LANGUAGES
from tests.support.tables import each_game

UNREACHABLE = ("WebSocket connection", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "Failed to load resource")
WIDTHS = (Size("phone", 360, 740, True), Size("tablet", 768, 1024, True), Size("desk", 1280, 800), WALL)
NARROW = 1000
MAX_LINES = {"en": 4, "zh": 4, "ms": 5, "ta": 5}
"""Most lines of limits on a phone. Malay and Tamil names are longer."""
LIMITS = {
    "seat": {"min": 100, "max": 1_000_000},
    "types": {"straight": {"min": 100, "max": 25_000}, "split": {"min": 100, "max": 50_000}},
}


def check_limits(player: TerminalScreen) -> None:
    """Check that the limits of every kind of bet are labelled and wholly in sight."""
    bar = player.page.locator("[data-limits]")
    # A narrow screen names the shared minimum once. Screen readers get the whole range of each kind at every width.
    expect(bar.get_by_role("heading")).to_have_text("Bet limits, lowest – highest")
    if (brief := bar.locator("[data-brief]")).count():
        width = (player.page.viewport_size or {"width": 0})["width"]
        expect(brief).to_be_visible(visible=width <= NARROW)
        expect(brief).to_have_text("Lowest bet 1; highest:")
    kinds = {one["type"] for one in player.layout()["positions"]}
    shown = " ".join(bar.locator("[data-limit]").evaluate_all("(all) => all.map((one) => one.dataset.limit)")).split()
    assert kinds <= set(shown), "a kind of bet has no limits in sight"
    for row in bar.locator("[data-limit]").all():
        check_in_sight(player.page, row)


def check_in_sight(page: Page, part: Locator) -> None:
    """Check that nothing covers or cuts off an element."""
    seen = part.evaluate(
        """(one) => [...one.children].every((text) => [...text.getClientRects()].every((line) => {
            const { left, right, top, bottom } = line;
            const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
            return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && one.contains(found)
                && (getComputedStyle(text).display === "inline" || text.scrollWidth <= text.clientWidth + 1);
        }))"""
    )
    assert seen, f"not wholly in sight at {page.viewport_size}: {part.inner_text()}"


@pytest.mark.clause("rws-double-zero", "3.3")
@pytest.mark.parametrize("size", WIDTHS, ids=lambda size: str(size.wide))
def test_the_limits_of_every_kind_of_bet_are_always_in_sight(desk: Desk, size: Size) -> None:
    house, table = desk.house, desk.house.table("rws-double-zero")
    house.ask(table, "dealer", "close_table")
    house.ask(table, "pit_manager", "open_table", limits=LIMITS)
    player = sit(desk, table, size)
    check_limits(player)
    house.deal(table, "open")
    player.phase("bets_open")
    straight = player.page.locator('[data-limits] [data-limit="straight"]')
    expect(straight).to_contain_text("1 – 250")
    # A refusal and a looked-at position must not displace the limits.
    for _ in range(12):
        player.tap(player.places()["straight:17"])
    expect(player.page.locator("[data-notice]")).to_be_visible()
    check_limits(player)
    house.deal(table, "spin")
    player.phase("spinning")
    check_limits(player)
    house.deal(table, "rest", "settle", outcome="17")
    player.phase("idle")
    check_limits(player)


STAKES = {
    kind: {"min": 100, "max": 25_000 * step}
    for step, kinds in enumerate(
        ["straight", "split", "street", "corner", "line", "column dozen", "low high odd even red black"], 1
    )
    for kind in kinds.split()
}


@pytest.mark.parametrize("lowest", [100, 500], ids=["shared-minimum", "two-minima"])
def test_many_different_limits_take_few_lines_on_a_phone(desk: Desk, lowest: int) -> None:
    house, table = desk.house, desk.house.table("rws-double-zero")
    limits = {"seat": LIMITS["seat"], "types": {**STAKES, "straight": {"min": lowest, "max": 25_000}}}
    house.ask(table, "dealer", "close_table")
    house.ask(table, "pit_manager", "open_table", limits=limits)
    player = sit(desk, table, WIDTHS[0])
    bar = player.page.locator("[data-limits]")
    for language in LANGUAGES:
        player.page.evaluate("([key, value]) => localStorage.setItem(key, value)", [LANGUAGE_KEY, language])
        player.page.reload()
        player.page.locator(f'main[lang="{language}"]').wait_for()
        expect(bar.locator("[data-limit]")).to_have_count(len({str(one) for one in STAKES.values()}) + 1)
        for row in bar.locator("[data-limit]").all():
            check_in_sight(player.page, row)
        lines = bar.evaluate("(bar) => bar.clientHeight / parseFloat(getComputedStyle(bar).lineHeight)")
        assert lines < MAX_LINES[language] + 1, f"the limits leave too little of the layout ({language})"


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=shows(game, {"rws-double-zero": "3.3", "rws-triple-zero": "3.3"})) for game in GAMES],
)
def test_every_game_shows_its_limits_on_a_phone(desk: Desk, game: str) -> None:
    player = sit(desk, desk.house.table(game), WIDTHS[0])
    check_limits(player)
    assert player.page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[0].wide


@each_game({"mbs-sands": "1.1.1, 3.3", "rws-money-wheel": "1 / Colour Chips, 3.3"})
def test_a_player_bets_with_cash_chips_and_with_colour_chips(desk: Desk, game: str) -> None:
    house, table = desk.house, desk.house.table(game)
    player, dealer = sit(desk, table, WALL), ConsoleScreen(desk.console(table))
    cash = house.view(table)["cash_chips"]
    tray = player.page.get_by_role("toolbar")
    assert [int(str(one.get_attribute("data-chip"))) for one in tray.get_by_role("button").all()] == cash
    expect(player.page.get_by_text("Ask the Dealer for colour chips.")).to_be_visible()
    dealer.page.get_by_role("tab", name="Seats").click()
    dealer.page.locator(f'[data-seat="{player.seat}"] [data-colour]').click()
    dialog = dealer.page.get_by_role("dialog")
    dialog.get_by_role("radio", name="blue").check(force=True)
    dialog.get_by_label("Value of one chip").fill("2.50")
    assert accessibility(dealer.page) == []
    dialog.get_by_role("button", name="Issue colour chips").click()
    own = tray.locator("[data-own]")
    expect(own).to_have_attribute("data-chip", "250")
    own.click()
    house.deal(table, "open")
    player.phase("bets_open")
    position = player.layout()["positions"][0]["id"]
    assert player.bet(position) == 250
    assert house.view(table)["colours"] == {player.seat: {"colour": "blue", "value_cents": 250}}
    house.deal(table, "spin", "rest", "settle")
    dealer.page.locator(f'[data-seat="{player.seat}"] [data-colour="blue"]').click()
    dialog.get_by_role("button", name="Redeem colour chips").click()
    expect(own).to_have_count(0)
    assert house.view(table)["colours"] == {}


@pytest.mark.clause("rws-double-zero", "5.2", "5.2.1", "5.2.2")
def test_a_terminal_that_was_cut_off_tells_which_bets_are_registered(desk: Desk) -> None:
    house, table = desk.house, desk.house.table("rws-double-zero")
    player = sit(desk, table, WALL)
    pit = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    house.deal(table, "open")
    player.phase("bets_open")
    staked = player.bet("red")
    house.deal(table, "spin")
    context = player.page.context
    player.page.close()
    expect(pit.locator("[data-dark-seats]")).to_have_text(player.seat, timeout=60_000)
    again = TerminalScreen(desk.open(f"/terminal/?table={table}", context=context), house, table, player.seat)
    again.phase("spinning")
    notice = again.page.locator('[data-cut-off="1"]')
    expect(notice).to_contain_text("5.2.1")
    expect(notice).to_contain_text("5.2.2")
    expect(notice.locator("[data-registered-bets]")).to_contain_text("Red")
    expect(notice.locator("[data-registered-bets]")).to_contain_text(f"{staked / 100:.2f}")
    assert accessibility(again.page) == []
    notice.get_by_role("button", name="Close").click()
    expect(notice).to_have_count(0)


def test_the_pit_names_terminals_that_were_interrupted(desk: Desk) -> None:
    house, table = desk.house, desk.house.table("rws-triple-zero")
    player = sit(desk, table, WALL)
    house.deal(table, "open")
    player.phase("bets_open")
    player.bet("red")
    house.deal(table, "spin")
    pit = desk.pit("pit_manager", path=f"/pit/#table/{table}")
    pit.get_by_role("button", name="Terminals interrupted…").click()
    form = pit.get_by_role("dialog")
    form.get_by_role("checkbox", name=player.seat).check()
    assert accessibility(pit) == []
    form.get_by_role("button", name=f"Record: {player.seat}").click()
    form.get_by_role("status").wait_for()
    (event,) = table_events(house.file.parent / "data", table, "terminals_interrupted")
    assert event["terminals"] == [player.seat]
    player.page.locator('[data-cut-off="1"]').wait_for()


@pytest.fixture
def own_desk(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """A desk with a separate house, which the test may kill."""
    house = ScreensHouse(tmp_path)
    yield from check_desk(Desk(browser, house), request)
    house.stop()


def interrupted(desk: Desk, game: str = "rws-double-zero") -> tuple[str, TerminalScreen, ConsoleScreen, int]:
    """Kill the house during a spin and start it again."""
    house = desk.house
    table = house.table(game)
    player = sit(desk, table, WALL)
    desk.expect(player.page, *UNREACHABLE)
    house.deal(table, "open")
    player.phase("bets_open")
    staked = player.bet("red")
    house.deal(table, "spin")
    house.kill()
    player.page.locator('[data-connection="lost"]').wait_for()
    house.start()
    player.page.locator('[data-connection="back"]').wait_for()
    return table, player, ConsoleScreen(desk.console(table)), staked


def approve(desk: Desk, table: str, position: str) -> None:
    (pending,) = [one for one in desk.house.get("/api/proposals")["proposals"] if one["table"] == table]
    page = desk.pit(position)
    page.locator(f'[data-proposal="{pending["proposal"]}"]').first.get_by_role("button", name="Approve").click()


@pytest.mark.clause("rws-double-zero", "5.1", "5.1.1")
def test_an_interrupted_round_goes_on_if_two_persons_say_what_the_wheel_shows(own_desk: Desk) -> None:
    table, player, dealer, staked = interrupted(own_desk)
    player.phase("interrupted")
    expect(player.page.get_by_text("The staff are looking at the wheel").first).to_be_visible()
    assert accessibility(player.page) == []
    dealer.phase("interrupted")
    assert accessibility(dealer.page) == []
    dealer.page.locator('[data-answer="outcome"]').click()
    dealer.choose("reading", "1")
    dealer.page.locator('button.primary[data-action="ball_at_rest"]:enabled').click()
    dealer.page.locator("[data-proposal]").wait_for()
    assert own_desk.house.view(table)["phase"] == "interrupted", "one person alone said what the wheel shows"
    approve(own_desk, table, "pit_supervisor")
    dealer.phase("at_rest")
    dealer.choose("registration", "1")
    dealer.press("register_result", "registered")
    if own_desk.house.get(f"/api/tables/{table}/state")["evidence"].get("reports") is None:
        dealer.attest()
    dealer.press("confirm_result", "idle")
    player.phase("idle")
    assert player.credits() == PLENTY + staked


@pytest.mark.clause("rws-double-zero", "5.1.2")
def test_an_interrupted_round_is_void_if_two_persons_say_that_no_outcome_stands(own_desk: Desk) -> None:
    table, player, dealer, _ = interrupted(own_desk)
    dealer.phase("interrupted")
    dealer.page.locator('[data-answer="none"]').click()
    dealer.page.get_by_role("dialog").get_by_role("button", name="Void round 1").click()
    dealer.page.locator("[data-proposal]").wait_for()
    assert own_desk.house.view(table)["phase"] == "interrupted"
    approve(own_desk, table, "pit_supervisor")
    dealer.phase("idle")
    player.page.locator('[data-ending="void"]').wait_for()
    assert player.credits() == PLENTY


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_shown_as_summaries_with_their_readings(desk: Desk, game: str) -> None:
    player = sit(desk, desk.house.table(game), WALL)
    player.page.get_by_role("button", name="Rules and odds").click()
    player.page.get_by_role("tab", name="Rules").click()
    expect(player.page.locator("[data-paraphrase]")).to_contain_text("summaries")
    rulebook = desk.house.game(player.table).rulebook
    panel = player.page.get_by_role("tabpanel")
    expect(panel).to_contain_text(f"{rulebook.operator}, version {rulebook.version}")
    clauses = panel.locator("[data-clause]")
    # In the document's order, in which 7 does not come before 1.1.
    assert clauses.evaluate_all("(all) => all.map((one) => one.dataset.clause)") == list(rulebook.clauses)
    marked = clauses.evaluate_all(
        """(all) => all.flatMap((one) => {
            const texts = [...one.querySelectorAll("[data-reading]")].map((reading) => reading.textContent)
            return texts.length ? [[one.dataset.clause, texts]] : []
        })"""
    )
    by_clause = readings(rulebook)
    assert dict(marked) == {clause: [one.why for one in notes] for clause, notes in by_clause.items() if clause}
    others = panel.locator("[data-readings] dd").all_inner_texts()
    assert others == [one.why for one in by_clause[None]]
