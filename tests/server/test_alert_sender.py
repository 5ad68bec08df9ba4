"""Alerts that leave the house: a real HTTP server as the webhook, and real programs as the command."""

import asyncio
import json
import logging
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from roundhouse.config.schema import AlertsConfig
from roundhouse.floor.alerts import Alert, Clearing
from roundhouse.journal.entry import Seq
from roundhouse.people.events import HOUSE, AlertRaised, HouseEntry
from roundhouse.people.names import AlertId, Severity
from roundhouse.server.alert_sender import MAX_QUEUED, AlertSender
from roundhouse.table.names import TableId
from tests.support.clocks import START
from tests.support.running_house import OneTableHouse, configured

TABLE = TableId("roulette-1")
LOST = Alert("wheel", "the line was closed", TABLE, START)
NO_PAUSES = (0.0, 0.0)


class Receiver(BaseHTTPRequestHandler):
    """Keeps the bodies that were posted. The server's ``statuses`` are its next answers; then it answers 204."""

    def do_POST(self) -> None:
        server: Any = self.server
        body = self.rfile.read(int(self.headers["content-length"]))
        status = server.statuses.pop(0) if server.statuses else 204
        server.bodies.append((self.path, status, json.loads(body)))
        if status == 0:
            server.hang.wait(30)
            return
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def webhook(*statuses: int) -> Iterator[tuple[str, list[tuple[str, int, dict[str, Any]]]]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.statuses, server.bodies, server.hang = list(statuses), [], threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/alerts?to=pit", server.bodies  # type: ignore[attr-defined]
    finally:
        server.hang.set()  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()
        server.server_close()


async def until(condition: Any) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


def sent(config: AlertsConfig, changes: list[Alert | Clearing], done: Any) -> None:
    """Send alerts until ``done`` is true."""

    async def night() -> None:
        sender = AlertSender(config, "The House", NO_PAUSES)
        running = asyncio.create_task(sender.run())
        for change in changes:
            sender.changed(change)
        await until(done)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(night())


def test_the_webhook_receives_alerts_and_their_clearing_as_json() -> None:
    with webhook() as (url, bodies):
        cleared = Clearing("wheel", TABLE, START)
        sent(AlertsConfig(webhook=url), [LOST, cleared], lambda: len(bodies) == 2)
    time = "2023-11-14T22:13:20.000Z"
    common = {"house": "The House", "about": "wheel", "severity": "warning", "table": "roulette-1"}
    assert [body for _, _, body in bodies] == [
        {**common, "alert": "raised", "text": "the line was closed", "raised_at": time, "cleared_at": None},
        {**common, "alert": "cleared", "text": "", "raised_at": None, "cleared_at": time},
    ]
    assert {path for path, _, _ in bodies} == {"/alerts?to=pit"}


def test_a_failed_delivery_is_tried_again_in_order_and_then_dropped(caplog: pytest.LogCaptureFixture) -> None:
    second = Alert("journal", "cannot write", None, START)
    with webhook(500, 302, 204, 500, 500, 500) as (url, bodies), caplog.at_level(logging.ERROR, "roundhouse"):
        sent(AlertsConfig(webhook=url), [LOST, second], lambda: "alert_not_sent" in caplog.messages)
    assert [(body["about"], status) for _, status, body in bodies] == [
        *(("wheel", status) for status in (500, 302, 204)),
        *(("journal", 500),) * 3,
    ]


def test_a_webhook_that_never_answers_delays_neither_the_house_nor_the_command(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    script = program(tmp_path, f"cat >> {taken}; echo >> {taken}")
    with webhook(0, 0, 0) as (url, _):
        config = AlertsConfig(webhook=url, command=(str(script),), timeout_seconds=1)
        sent(config, [LOST, LOST], lambda: taken.is_file() and taken.read_text().count("\n") == 2)
    assert [json.loads(line)["text"] for line in taken.read_text().splitlines()] == ["the line was closed"] * 2


def is_running(pid: int) -> bool:
    """Return whether a process runs. One that has ended and was not waited for does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def program(folder: Path, script: str) -> Path:
    path = folder / "page"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("script", ["exit 7", "sleep 600 & echo $! > child; wait"])
def test_a_command_that_fails_or_hangs_is_ended_with_its_children_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, script: str
) -> None:
    path = program(tmp_path, f"cd {tmp_path}; echo try >> tries; {script}")
    with caplog.at_level(logging.ERROR, "roundhouse"):
        config = AlertsConfig(command=(str(path),), timeout_seconds=1)
        sent(config, [LOST], lambda: "alert_not_sent" in caplog.messages)
    assert (tmp_path / "tries").read_text().count("try") == 1 + len(NO_PAUSES)
    if (child := tmp_path / "child").exists():
        assert not is_running(int(child.read_text()))


def test_only_alerts_of_the_least_severity_are_sent() -> None:
    changes: list[Alert | Clearing] = [
        LOST,
        Clearing("wheel", TABLE, START),
        Alert("stopped", "accounts", TABLE, START),
    ]
    with webhook() as (url, bodies):
        sent(AlertsConfig(webhook=url, least=Severity.CRITICAL), changes, lambda: bodies)
    assert [body["about"] for _, _, body in bodies] == ["stopped"]


def test_a_flood_of_alerts_keeps_the_newest(caplog: pytest.LogCaptureFixture) -> None:
    async def night() -> None:
        sender = AlertSender(AlertsConfig(webhook="http://127.0.0.1:9/"), "H", NO_PAUSES)
        for number in range(MAX_QUEUED + 3):
            sender.changed(Alert("referred", f"question {number}", TABLE, START))
        (outbox,) = sender._outboxes
        assert outbox._queue.qsize() == MAX_QUEUED
        assert outbox._queue.get_nowait().text == "question 3"

    with caplog.at_level(logging.ERROR, "roundhouse"):
        asyncio.run(night())
    assert caplog.messages.count("alert_not_sent") == 3


def test_an_alert_is_sent_once_whether_it_was_raised_or_only_recorded() -> None:
    def recorded(about: str, text: str) -> HouseEntry:
        return HouseEntry(Seq(1), START, HOUSE, AlertRaised(AlertId("n1"), about, text, TABLE))

    async def night(url: str, bodies: list[Any]) -> None:
        sender = AlertSender(AlertsConfig(webhook=url), "H", NO_PAUSES)
        running = asyncio.create_task(sender.run())
        sender.changed(LOST)
        sender.recorded([recorded("wheel", LOST.text), recorded("lock_out", "Dee is locked")])
        sender.recorded([recorded("wheel", LOST.text)])
        await until(lambda: len(bodies) == 3)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    with webhook() as (url, bodies):
        asyncio.run(night(url, bodies))
    assert [body["about"] for _, _, body in bodies] == ["wheel", "lock_out", "wheel"]


def test_an_alert_leaves_the_house_although_the_journal_cannot_be_written(tmp_path: Path) -> None:
    from tests.support.faulty_store import Fault

    heard: list[str] = []

    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            running.house.alerts.on_change = lambda change: heard.append(change.about)
            running.store.fault = Fault.NOT_WRITTEN
            running.house.alerts.raise_alert("disk", "full")
            assert heard == ["disk"]

    asyncio.run(night())
