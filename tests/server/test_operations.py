"""Operating a house: health, metrics, reports, settings and the description of the house."""

import asyncio
import dataclasses
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from prometheus_client import parser as text_parser
from prometheus_client.openmetrics import parser as openmetrics_parser

from roundhouse import __version__
from roundhouse.config.schema import ProxyConfig
from roundhouse.journal.entry import Answer
from roundhouse.journal.store import JournalDamaged
from roundhouse.people.names import HouseRefused, Severity
from roundhouse.rules.names import StaffPosition
from roundhouse.server.metrics import OPENMETRICS, TEXT, CounterOrGauge, Histogram, exposition
from roundhouse.server.settings import Rates, settings_of
from roundhouse.table.commands import CloseBets
from roundhouse.table.names import Millis, RequestId
from roundhouse.wire.messages import StopNotice
from roundhouse.wire.operations import ComparedWith, SelfCheck
from tests.support.clocks import START
from tests.support.houses import ROULETTE, SETTINGS
from tests.support.http_house import FREE, HttpHouse, http_house

_LINE = re.compile(r'([a-z_]+)((?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})?) ([0-9.e+-]+|\+Inf)')


def metrics(house: HttpHouse) -> dict[str, float]:
    text = house.call(None, "GET", "/metrics").text
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = _LINE.fullmatch(line)
            assert match, line
            found[match[1] + match[2]] = float(match[3])
    return found


def test_healthz_reports_a_healthy_house(ready_house: HttpHouse) -> None:
    answer = ready_house.call(None, "GET", "/healthz")
    assert answer.status_code == 200
    assert answer.json() == {
        "well": True,
        "journal": "writable",
        "tables": {"roulette-1": True, "sands-1": True},
        "wheels": {},
        "stopping": False,
        "clock_ahead_millis": 0,
    }


def test_livez_answers_and_readyz_reports_tables_and_wheels(ready_house: HttpHouse) -> None:
    assert ready_house.call(None, "GET", "/livez").json() == {"live": True}
    answer = ready_house.call(None, "GET", "/readyz")
    table = {"running": True, "wheel": "none"}
    tables = {"roulette-1": table, "sands-1": table}
    assert answer.status_code == 200
    assert answer.json() == {"ready": True, "stopping": False, "journal": "writable", "tables": tables}


def test_readyz_fails_while_the_house_stops_or_has_no_journal(house: HttpHouse) -> None:
    house.service.stop_notice = StopNotice(Millis(5))
    answer = house.call(None, "GET", "/readyz")
    assert (answer.status_code, answer.json()["stopping"]) == (503, True)
    assert house.call(None, "GET", "/healthz").json()["stopping"] is True
    assert house.call(None, "GET", "/livez").status_code == 200
    house.service.stop_notice = None
    assert house.call(None, "GET", "/readyz").status_code == 200
    house.service.floor.journal = house.service.floor.journal.parent / "gone" / "house.db"  # type: ignore[misc]
    answer = house.call(None, "GET", "/readyz")
    assert (answer.status_code, answer.json()["journal"]) == (503, "unavailable")


def test_a_jump_of_the_clock_is_in_the_health_page(house: HttpHouse) -> None:
    house.service.clock_ahead = lambda: -7_200_000
    assert house.call(None, "GET", "/healthz").json()["clock_ahead_millis"] == -7_200_000
    assert metrics(house)["roundhouse_clock_ahead_seconds"] == -7200


def test_healthz_fails_without_the_journal(house: HttpHouse) -> None:
    house.service.floor.journal = house.service.floor.journal.parent / "gone" / "house.db"  # type: ignore[misc]
    answer = house.call(None, "GET", "/healthz")
    assert (answer.status_code, answer.json()["journal"]) == (503, "unavailable")


def test_a_table_with_a_failed_writer_refuses_requests_and_is_unhealthy(house: HttpHouse) -> None:
    """Requests are refused at once instead of waiting for the failed writer."""
    queue = house.service.floor.tables[ROULETTE].queue  # type: ignore[attr-defined]
    queue.fail(JournalDamaged("a test"))
    assert queue.failed.exception() is not None
    answer = house.call("terminal", "POST", "/api/tables/roulette-1/requests", {"id": "1", "do": "undo"})
    assert (answer.status_code, answer.json()["refusal"]) == (503, "journal_unavailable")
    table = house.call(None, "GET", "/api/tables/roulette-1")
    assert (table.status_code, table.json()["phase"]) == (200, "stopped")
    health = house.call(None, "GET", "/healthz")
    assert (health.status_code, health.json()["tables"]) == (503, {"roulette-1": False, "sands-1": True})
    assert metrics(house)['roundhouse_table_running{table="roulette-1"}'] == 0


def test_a_request_that_is_waiting_when_the_writer_fails_is_refused(house: HttpHouse) -> None:
    table = house.service.floor.tables[ROULETTE]

    async def ask_then_fail() -> Answer:
        waiting = asyncio.ensure_future(table.ask(CloseBets(id=RequestId("s"), by=StaffPosition.DEALER)))
        await asyncio.sleep(0)
        table.queue.fail(JournalDamaged("a test"))  # type: ignore[attr-defined]
        return await asyncio.wait_for(waiting, 5)

    answer = house.runner.run(ask_then_fail())
    assert (answer.ok, answer.refusal) == (False, "journal_unavailable")
    assert table.queue.failed.exception() is not None  # type: ignore[attr-defined]


def test_metrics_count_bets_refusals_rounds_and_requests(house: HttpHouse) -> None:
    before = metrics(house)
    bet = {"do": "place_bets", "bets": [{"position": "red", "cents": 100}]}
    house.call("terminal", "POST", "/api/tables/roulette-1/requests", {"id": "1", **bet})
    house.call("terminal", "POST", "/api/tables/roulette-1/requests", {"id": "2", "do": "double"})
    house.call("terminal", "POST", "/api/tables/roulette-1/requests", {"id": "3", **bet, "bets": []})
    after = metrics(house)
    assert after['roundhouse_bets_total{table="roulette-1"}'] == 2
    assert after['roundhouse_refusals_total{table="roulette-1",refusal="bad_amount"}'] == 1
    assert after['roundhouse_answer_seconds_count{table="roulette-1"}'] == 3
    assert after["roundhouse_commit_seconds_count"] >= before["roundhouse_commit_seconds_count"] + 3
    assert after['roundhouse_rounds_total{table="roulette-1"}'] == 1
    assert after['roundhouse_voids_total{table="roulette-1"}'] == 1
    entries = 'roundhouse_journal_entries{table="roulette-1"}'
    assert after[entries] == before[entries] + 3
    assert after["roundhouse_journal_bytes"] > 10_000
    route = '{route="/api/tables/{table}/requests",method="POST",status="200"}'
    assert after[f"roundhouse_http_requests_total{route}"] == 2


def test_metrics_report_the_state_of_the_house(house: HttpHouse) -> None:
    assert not isinstance(house.runner.run(house.house.alert("wheel", "lost", START)), HouseRefused)
    critical = house.house.alert("journal", "gone", START, severity=Severity.CRITICAL)
    assert not isinstance(house.runner.run(critical), HouseRefused)
    body = {"id": "c1", "do": "correct_result", "round": 1, "outcome": "9", "reason": "on the tape"}
    answer = house.call("pit_manager", "POST", "/api/tables/roulette-1/requests", body)
    assert answer.status_code == 202, answer.text
    house.clock.at += 90_000
    house.service.certificate_ends = lambda: Millis(house.clock.at + 5_000)
    house.service.last_backup = lambda: START
    found = metrics(house)
    assert found['roundhouse_alerts_open{severity="warning"}'] == 1
    assert found['roundhouse_alerts_open{severity="critical"}'] == 1
    assert found['roundhouse_alerts_open{severity="info"}'] == 0
    assert found["roundhouse_proposals_open"] == 1
    assert found["roundhouse_uptime_seconds"] == 90
    assert found["roundhouse_tls_expires_seconds"] == 5
    assert found["roundhouse_backup_timestamp_seconds"] == START / 1000
    assert found["roundhouse_disk_free_bytes"] > 0
    assert (found["roundhouse_stopping"], found["roundhouse_clock_ahead_seconds"]) == (0, 0)
    (build,) = [name for name in found if name.startswith("roundhouse_build_info")]
    assert f'version="{__version__}"' in build


def test_metrics_in_openmetrics_are_read_by_the_parser_of_prometheus(house: HttpHouse) -> None:
    bet = {"id": "1", "do": "place_bets", "bets": [{"position": "red", "cents": 100}]}
    house.call("terminal", "POST", "/api/tables/roulette-1/requests", bet)
    accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"
    answer = house.call(None, "GET", "/metrics", accept=accept)
    assert answer.headers["content-type"] == OPENMETRICS
    read = openmetrics_parser.text_string_to_metric_families(answer.text)  # type: ignore[no-untyped-call]
    families = {family.name: family for family in read}
    assert families["roundhouse_bets"].type == "counter"
    (sample,) = families["roundhouse_bets"].samples
    assert (sample.name, sample.labels, sample.value) == ("roundhouse_bets_total", {"table": "roulette-1"}, 1)
    assert families["roundhouse_build"].type == "info"
    assert families["roundhouse_commit_seconds"].unit == "seconds"
    assert (families["roundhouse_answer_seconds"].type, families["roundhouse_uptime_seconds"].type) == (
        "histogram",
        "gauge",
    )
    plain = house.call(None, "GET", "/metrics", accept="text/plain")
    assert plain.headers["content-type"] == TEXT
    read = text_parser.text_string_to_metric_families(plain.text)
    names = {family.name for family in read}
    assert names - {"roundhouse_build_info"} == set(families) - {"roundhouse_build"}


def test_no_label_of_a_metric_holds_a_name_or_money(house: HttpHouse) -> None:
    labels = {label for family in house.service.metrics.families() for label in family.labels}
    allowed = {"route", "method", "status", "table", "refusal", "kind", "severity", "version", "python", "sqlite"}
    assert labels <= allowed


def test_past_alerts_tell_how_each_ended(house: HttpHouse) -> None:
    for text in ("lost", "silent"):
        house.runner.run(house.house.alert(text, text, house.clock.now()))
    open_alerts = house.call("pit_supervisor", "GET", "/api/alerts").json()["alerts"]
    assert [(one["text"], one["severity"]) for one in open_alerts] == [("lost", "warning"), ("silent", "warning")]
    first = open_alerts[0]["alert"]
    assert house.call("pit_supervisor", "POST", f"/api/alerts/{first}/acknowledge").status_code == 200
    house.clock.at += 60_000
    house.runner.run(house.house.clear_alerts("silent", None, house.clock.now()))
    assert house.call("auditor", "GET", "/api/alerts").json()["alerts"] == []
    past = house.call("auditor", "GET", "/api/alerts/history").json()["alerts"]
    ends = [(one["text"], one["cleared_at"], one["acknowledged_at"], one["acknowledged_by"]) for one in past]
    assert ends == [
        ("silent", house.clock.at, None, None),
        ("lost", None, house.clock.at - 60_000, "pit-supervisor"),
    ]
    assert house.call("dealer", "GET", "/api/alerts/history").status_code == 403
    gone = house.call("pit_supervisor", "POST", f"/api/alerts/{open_alerts[1]['alert']}/acknowledge")
    assert gone.json()["refusal"] == "no_such_alert"


def test_an_unknown_path_does_not_become_a_metric_label(house: HttpHouse) -> None:
    for name in ("a", "b", "c"):
        house.call(None, "GET", f"/api/{name}")
        house.call(None, "GET", f"/api/games/{name}")
    found = metrics(house)
    assert found['roundhouse_http_requests_total{route="none",method="GET",status="404"}'] == 3
    assert found['roundhouse_http_requests_total{route="/api/games/{game}",method="GET",status="404"}'] == 3


def test_histogram_buckets_are_cumulative() -> None:
    timed = Histogram("t", "about", ("of",), (0.1, 1.0))
    for seconds in (0.1, 0.125, 1.0, 1.5):
        timed.observe(seconds, 'a "b"\\')
    counted = CounterOrGauge("counter", "c", "about")
    assert exposition([timed, counted]).splitlines() == [
        "# HELP t about",
        "# TYPE t histogram",
        't_bucket{of="a \\"b\\"\\\\",le="0.1"} 1',
        't_bucket{of="a \\"b\\"\\\\",le="1"} 3',
        't_bucket{of="a \\"b\\"\\\\",le="+Inf"} 4',
        't_sum{of="a \\"b\\"\\\\"} 2.725',
        't_count{of="a \\"b\\"\\\\"} 4',
        "# HELP c about",
        "# TYPE c counter",
        "c 0",
    ]


@pytest.mark.parametrize(("anywhere", "headers", "status"), [(False, {}, 401), (True, {}, 200)])
def test_metrics_from_another_machine_must_be_configured(
    tmp_path: Path, anywhere: bool, headers: dict[str, str], status: int
) -> None:
    settings = msgspec.structs.replace(FREE, metrics_from_anywhere=anywhere)
    with http_house(tmp_path, settings, "192.0.2.7") as house:
        assert house.call(None, "GET", "/metrics", **headers).status_code == status


def test_metrics_are_for_loopback_clients_the_pit_and_the_auditor(house: HttpHouse) -> None:
    """A client behind a proxy on this machine is not a loopback client."""
    through = {"x-forwarded-for": "192.0.2.7"}
    assert house.call(None, "GET", "/metrics", **through).status_code == 401
    assert house.call("terminal", "GET", "/metrics", **through).status_code == 403
    assert house.call("auditor", "GET", "/metrics", **through).status_code == 200


def test_the_house_page_has_public_data_and_chain_heads_for_staff(house: HttpHouse) -> None:
    found = house.call(None, "GET", "/api/house").json()
    assert (found["name"], found["currency"], found["self_check"], found["chains"]) == ("My House", "SGD", None, [])
    house.service.self_check = SelfCheck(Millis(5), "aa", "aa", True, ComparedWith.NONE)
    found = house.call("dealer", "GET", "/api/house").json()
    assert found["self_check"] == {
        "at": 5,
        "software": "aa",
        "expected": "aa",
        "agrees": True,
        "compared_with": "none",
    }
    heads = {head["table"]: (head["entries"], head["hash"]) for head in found["chains"]}
    head = house.store.head(ROULETTE)
    assert heads["roulette-1"] == (head.seq, head.hash.hex())
    assert heads["@house"][0] == len(house.chain())


def test_every_caller_receives_the_time_zone_of_the_house(house: HttpHouse) -> None:
    people = house.service.house
    plan = people.config.plan
    tokyo = replace(plan, house=replace(plan.house, time_zone="Asia/Tokyo"))
    people.config = dataclasses.replace(people.config, plan=tokyo)
    assert house.call(None, "GET", "/api/house").json()["time_zone"] == "Asia/Tokyo"
    for caller in (None, *house.tokens):
        assert house.call(caller, "GET", "/api/me").json()["time_zone"] == "Asia/Tokyo", caller


def test_without_built_screens_the_first_page_explains_how_to_build_them(ready_house: HttpHouse) -> None:
    answer = ready_house.call(None, "GET", "/")
    assert (answer.status_code, answer.json()["refusal"]) == (404, "no_such_page")
    assert "make web" in answer.json()["reason"]


def get(house: HttpHouse, path: str) -> Any:
    answer = house.call("auditor", "GET", path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_reports_meters_and_significant_events_are_available_over_http(ready_house: HttpHouse) -> None:
    by_seat = get(ready_house, "/api/report?by=seat&table=roulette-1")
    assert {line["seat"]: (line["handle"], line["paid"]) for line in by_seat["lines"]} == {
        "1": (500, 18_000),
        "2": (777, 0),
    }
    meters = get(ready_house, "/api/meters")["meters"]
    assert {(one["table"], one["seat"]): one["credits"] for one in meters}["roulette-1", "1"] == 117_500
    found = get(ready_house, "/api/significant-events")
    assert "round_voided" in [one["kind"] for one in found["events"]]
    assert get(ready_house, f"/api/significant-events?since={found['next']}&table=roulette-1")["events"] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/report?table=none", 404),
        ("/api/report?first=2026-13-01", 400),
        ("/api/report?first=2026-02-02&last=2026-02-01", 404),
        ("/api/report?by=moon", 400),
        ("/api/significant-events?since=nonsense", 404),
    ],
)
def test_a_report_with_invalid_parameters_is_refused(ready_house: HttpHouse, path: str, status: int) -> None:
    assert ready_house.call("auditor", "GET", path).status_code == status


@pytest.mark.parametrize(
    ("address", "origins", "hosts", "tls"),
    [
        ("127.0.0.1", "", {"localhost", "127.0.0.1", "[::1]"}, False),
        ("10.0.0.5", "", {"10.0.0.5", "localhost", "127.0.0.1", "[::1]"}, False),
        ("0.0.0.0", "", set(), False),
        ("0.0.0.0", '"https://house.example:8443"', {"house.example", "localhost", "127.0.0.1", "[::1]"}, True),
    ],
)
def test_settings_come_from_the_configuration(address: str, origins: str, hosts: set[str], tls: bool) -> None:
    plan = SETTINGS.plan
    listen = msgspec.structs.replace(plan.listen, address=address, origins=tuple(filter(None, [origins.strip('"')])))
    requests = msgspec.structs.replace(plan.requests, request_bytes=1000, log_ins_per_minute=6)
    changed = msgspec.structs.replace(plan, listen=listen, requests=requests, tls=None)
    settings = settings_of(dataclasses.replace(SETTINGS, plan=changed))
    assert (set(settings.hosts), settings.tls, settings.body_bytes) == (hosts, tls, 1000)
    assert settings.log_ins == Rates(0.1, 6)
    if not origins:
        behind = settings_of(dataclasses.replace(SETTINGS, plan=msgspec.structs.replace(changed, proxy=ProxyConfig())))
        assert behind.tls, "a proxy terminates TLS, so cookies must be secure"
