"""The health of a wheel over HTTP: results from the journal, and readings from the connection of a wheel."""

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from roundhouse.config.demo import demo_configuration
from roundhouse.drawing.charts import Bar, draw_counts
from roundhouse.floor.clock import SystemClock
from roundhouse.floor.opening import open_house, open_store
from roundhouse.house.writer import run_inline
from roundhouse.people.names import PersonId, Role
from tests.support.houses import PASSWORD
from tests.support.http_house import HttpHouse
from tests.support.processes import eventually, get, played, post

_SVG = "{http://www.w3.org/2000/svg}"


def test_results_are_counted_from_the_journal(ready_house: HttpHouse) -> None:
    found = ready_house.call("auditor", "GET", "/api/tables/roulette-1/wheel").json()
    assert (found["spins"], found["voids"], found["first"], found["last"]) == (1, 1, 1, 2)
    assert [one["pocket"] for one in found["pockets"] if one["count"]] == ["17"]
    assert len(found["pockets"]) == 38
    assert sum(one["expected"] for one in found["pockets"]) == pytest.approx(1)
    assert [one["question"] for one in found["findings"]] == [
        "single pockets", "uniformity", "sectors", "serial dependence",
    ]  # fmt: skip
    assert not any(one["suspicious"] for one in found["findings"])
    assert found["line"] is None, "this table has no connected wheel"
    last = ready_house.call("pit_manager", "GET", "/api/tables/roulette-1/wheel?count=2").json()
    assert (last["spins"], last["voids"], last["first"]) == (0, 1, 2), "the third round is in progress"


@pytest.mark.parametrize("query", ["count=0", "count=20001", "count=many", "rounds=3"])
def test_an_invalid_number_of_rounds_is_refused(ready_house: HttpHouse, query: str) -> None:
    assert ready_house.call("auditor", "GET", f"/api/tables/roulette-1/wheel?{query}").status_code == 400


def test_a_table_without_rounds_has_no_findings(ready_house: HttpHouse) -> None:
    found = ready_house.call("auditor", "GET", "/api/tables/sands-1/wheel").json()
    assert (found["spins"], found["first"], found["last"]) == (0, None, None)
    assert all(one["chance"] is None for one in found["findings"])
    assert ET.fromstring(ready_house.call("auditor", "GET", "/api/tables/sands-1/wheel.svg").text).tag == f"{_SVG}svg"


def test_the_plot_marks_outliers_by_a_pattern_and_not_only_by_colour() -> None:
    even = [Bar(str(number), 100, 100.0) for number in range(9)]
    odd = draw_counts([*even, Bar("<9>", 160, 100.0)], 1060, "<title>")
    root = ET.fromstring(odd)
    hatched = [bar[0].text for bar in root.iter(f"{_SVG}rect") if bar.get("fill") == "url(#odd)"]
    assert hatched == ["<9>: 160, expected 100.0"]
    assert [text.text for text in root.iter(f"{_SVG}text")][:10] == [*map(str, range(9)), "<9>"]
    assert "url(#odd)" not in draw_counts(even, 900, "even")


def test_the_pit_receives_the_readings_of_a_connected_wheel(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    configuration = demo_configuration(folder)
    store, key = open_store(configuration.journal)
    pia = open_house(configuration, store, key).staff.add(
        None, PersonId("pia"), "Pia", (Role.PIT_MANAGER,), PASSWORD, SystemClock().now()
    )
    assert run_inline(pia) is None
    store.close()
    with played(folder) as (process, address):
        login = post(address, "/api/log-in", {"name": "pia", "password": PASSWORD, "program": True})

        def poll() -> dict[str, Any] | None:
            found = get(address, "/api/tables/rws-double-zero/wheel", login["token"])
            return found if found["line"] and found["line"]["numbers"] >= 2 and found["spins"] >= 2 else None

        found = eventually(poll)
        line = found["line"]
        assert (line["line"], line["connected"], line["alert"]) == ("simulated", True, "")
        assert line["heard"] >= line["since"]
        assert line["turned_about"] + line["kept_direction"] >= 1
        assert line["seconds"][0] <= line["seconds"][1] <= line["seconds"][2]
        assert line["speed"]["question"] == "speed bands"
        assert process.stop() == 0
