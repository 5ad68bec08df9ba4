"""A tap at the drawn place of a position bets on exactly that position, for every layout."""

from typing import Any

import pytest

from roundhouse import rulebooks
from tests.support.browser import PHONE, WALL, Desk, Size
from tests.support.processes import table_events
from tests.support.screens import PLENTY, TerminalScreen
from tests.support.screens_house import GAMES

LAYOUTS = [
    (game, layout, next(kind for kind, one in found.terminals.items() if one.layout.id == layout))
    for game in GAMES
    for found in [rulebooks.find(game)]
    for layout in found.layouts
]

TIMEOUT_MILLIS = 120_000


@pytest.mark.clause("rws-double-zero", "2.1", "2.1.1", "Appendix A", "Appendix B")
@pytest.mark.clause("rws-triple-zero", "2.1", "2.1.1", "Appendix A")
@pytest.mark.clause("mbs-sands", "2.1")
@pytest.mark.clause("mbs-electronic-double-zero", "2.1", "3.3", "3.4")
@pytest.mark.clause("rws-money-wheel", "2.1.1")
@pytest.mark.parametrize("size", [WALL, PHONE], ids=lambda size: size.name)
@pytest.mark.parametrize(("game", "layout", "kind"), LAYOUTS)
def test_every_position_can_be_hit_where_it_is_drawn(desk: Desk, game: str, layout: str, kind: str, size: Size) -> None:
    table = desk.house.table(game)
    desk.house.deal(table, "open")
    player = TerminalScreen(
        desk.terminal(table, f"{kind}-1", size, PLENTY), desk.house, table, f"{kind}-1", touch=size.touch
    )
    player.phase("bets_open")
    player.wait_for_layout()
    places = player.places()
    assert len(places) == len(rulebooks.find(game).layouts[layout].positions)  # type: ignore[index]
    for place in places.values():
        player.tap(place)
    last = list(places)[-1]
    # Long timeouts, because each of many bets is committed before it is shown and the machine may be busy.
    player.page.locator(f'[data-position="{last}"][data-staked]').wait_for(state="attached", timeout=TIMEOUT_MILLIS)
    player.page.locator("[data-pending]").first.wait_for(state="detached", timeout=TIMEOUT_MILLIS)
    placed: list[dict[str, Any]] = table_events(desk.house.file.parent / "data", table, "bets_placed")
    assert [list(event["bets"]) for event in placed] == [[position] for position in places], "bets differ from the taps"
    assert set(desk.house.seat(table, player.seat)["bets"]) == set(places)
    registered = player.page.locator("[data-position][data-staked]")
    assert registered.count() == len(places), "some bets are not shown as registered"
