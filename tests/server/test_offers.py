"""Packages that the house offers at single terminals, over HTTP."""

from pathlib import Path

import pytest

from tests.support.houses import ROULETTE, TOML
from tests.support.http_house import http_house, play_rounds, staff_house

PACKAGES = "/api/games/rws-double-zero/terminals/rapid-a/packages"
ODDS = "/api/games/rws-double-zero/terminals/rapid-a/odds"
SEATS = 'seats = ["1", "2", "3", "4", "5", "6"]'
ONE_LESS = """seats = ["1"]
offers = ["tiers", "neighbours"]

[[terminals]]
table = "roulette-1"
kind = "rapid-a"
seats = ["2"]"""
"""The terminal of seat 1 offers two kinds of packages, the terminal of seat 2 all packages of its type."""


@pytest.mark.clause("rws-double-zero", "Appendix C")
def test_a_terminal_gets_and_places_only_the_packages_that_it_offers(tmp_path: Path) -> None:
    assert SEATS in TOML
    with http_house(tmp_path, text=TOML.replace(SEATS, ONE_LESS)) as house:
        staff_house(house)
        play_rounds(house)
        every = house.call(None, "GET", PACKAGES)
        ids = [package["id"] for package in every.json()["packages"]]
        offered = [id for id in ids if id == "tiers" or id.startswith("neighbours:")]
        assert 10 < len(offered) < len(ids)
        own = house.call("terminal", "GET", PACKAGES)
        assert [package["id"] for package in own.json()["packages"]] == offered
        assert own.headers["etag"] != every.headers["etag"]
        assert [row["id"] for row in house.call("terminal", "GET", ODDS).json()["odds"]] == offered
        assert house.call("terminal-2", "GET", PACKAGES).json() == every.json()
        place = {"id": "p", "do": "place_package", "package": "finales:1", "unit_cents": 100}
        refused = house.call("terminal", "POST", f"/api/tables/{ROULETTE}/requests", place)
        assert (refused.status_code, refused.json()["refusal"]) == (409, "no_such_package")
        assert "does not offer" in refused.json()["reason"]
        allowed = {**place, "package": "neighbours:17:1"}
        assert house.call("terminal", "POST", f"/api/tables/{ROULETTE}/requests", {**allowed, "id": "q"}).json()["ok"]
