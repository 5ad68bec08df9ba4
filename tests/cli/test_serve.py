"""``roundhouse serve`` for an operator: configuration, certificates, proxies and missing wheels."""

import json
import shutil
import signal
import socket
import ssl
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from roundhouse.cli.serve import _unfinished
from roundhouse.floor.house import UnfinishedRound
from roundhouse.rules.names import Clause
from roundhouse.table.names import RoundNumber, TableId
from tests.support.command_line import Calling
from tests.support.processes import (
    Process,
    eventually,
    free_port,
    get,
    house_events,
    refused,
    started,
    table_events,
    verifies,
)

TABLE = """
[[tables]]
id = "roulette-1"
game = "rws-double-zero"
wheel = "{wheel}"
automatic = {automatic}

[tables.limits]
seat = {{ min = 500, max = 90000 }}
table = 800000
"""


def write_config(tmp_path: Path, more: str = "", wheel: str = "simulated:60", port: int | None = None) -> Path:
    path = tmp_path / "house.toml"
    automatic = "false" if wheel == "none" else "true"
    house = '[house]\nname = "The House"\ncurrency = "XXX"\nplay_money = true\ndata = "data"\n'
    head = f"{house}[listen]\nport = {port or free_port()}\n"
    path.write_text(head + more + TABLE.format(wheel=wheel, automatic=automatic))
    return path


def serving(config: Path, *options: str) -> "AbstractContextManager[tuple[Process, str]]":
    return started("serve", "--config", str(config), *options, errors=config.with_suffix(".err"))


def logged(process: Process) -> list[dict[str, Any]]:
    return [json.loads(line) for line in process.errors.read_text().splitlines()]


def test_check_reports_every_fault_of_the_configuration(tmp_path: Path) -> None:
    config = write_config(tmp_path, "[proxy]\ntrusted = []\n", wheel="cardboard")
    config.write_text(config.read_text().replace('currency = "XXX"\nplay_money = true', 'currency = "pounds"'))
    done = Process("serve", "--config", str(config), "--check", errors=tmp_path / "errors")
    assert done.end() == 2
    assert len(done.output) == 4
    assert all(line.startswith(f"{config}: ") for line in done.output)
    assert [word in done.text for word in ("cardboard", "pounds", "proxy", "a Dealer deals")] == [True] * 4
    assert (tmp_path / "errors").read_text() == f"roundhouse: '{config}' is not valid: 4 faults\n"
    status, message = refused("serve", "--config", str(config))
    assert (status, message.count("\n"), "4 faults" in message) == (2, 1, True)
    config = write_config(tmp_path)
    valid = Process("serve", "--config", str(config), "--check", errors=tmp_path / "errors", forked=False)
    assert valid.end() == 0
    assert "is valid" in valid.text
    assert not (tmp_path / "data").exists(), "a check creates no files"


@pytest.mark.parametrize(
    ("was", "now", "fault"),
    [
        ('"SGD"', '"XYZ"', "ISO 4217 has no currency 'XYZ'"),
        ('"SGD"', '"XXX"', "play_money = true"),
        ('"SGD"', '"SGD"\nplay_money = true', "a house of play money has no currency"),
        ('wheel = "none"', 'wheel = "/dev/no-such-wheel"', "there is no device '/dev/no-such-wheel'"),
        ("port = 8080", 'port = 8080\n[alerts]\nwebhook = "alerts.example"', "is not a URL"),
        ("port = 8080", 'port = 8080\n[alerts]\nwebhook = "https://me:secret@alerts.example/"', "a name or a password"),
        ("port = 8080", 'port = 8080\n[alerts]\ncommand = ["page"]', "'page' is not an absolute path"),
        ("port = 8080", 'port = 8080\n[alerts]\ncommand = ["/no/such/page"]', "'/no/such/page' cannot be run"),
        ("port = 8080", 'port = 8080\n[alerts]\nleast = "loud"', "least"),
        ("port = 8080", 'port = 8080\n[backup]\nevery = "often"\nfolder = "b"', "'often' is not a duration"),
        ("port = 8080", "port = 8080\n[backup]\nkeep = 0", "0 is out of range"),
        ("port = 8080", "port = 8080\n[backup]", "backup.folder: missing"),
    ],
)
def test_check_names_each_fault_with_its_line(call: Calling, tmp_path: Path, was: str, now: str, fault: str) -> None:
    call("init", str(tmp_path))
    config = tmp_path / "house.toml"
    config.write_text(config.read_text().replace(was, now, 1))
    status, out, _ = call("serve", "--check", "--config", str(config))
    assert (status, fault in out, "line " in out) == (2, True, True), out


def test_check_opens_the_journal_without_changing_it(call: Calling, tmp_path: Path) -> None:
    config = write_config(tmp_path, wheel="none")
    journal = tmp_path / "data" / "house.db"
    check = ("serve", "--check", "--config", str(config))
    with serving(config) as (process, _):
        assert call(*check)[0] == 0, "the house may be running"
        assert process.stop() == 0
    before = journal.read_bytes()
    assert call(*check)[0] == 0
    text = config.read_text()
    config.write_text(text.replace('"XXX"\nplay_money = true', '"SGD"'))
    status, out, _ = call(*check)
    assert (status, "contains play money, not SGD" in out) == (2, True), out
    config.write_text(text.replace("rws-double-zero", "rws-triple-zero"))
    status, out, _ = call(*check)
    assert (status, "plays rws-double-zero, not rws-triple-zero" in out) == (2, True), out
    config.write_text(text)
    assert journal.read_bytes() == before
    (tmp_path / "data" / "house.db.key").rename(tmp_path / "key")
    status, out, _ = call(*check)
    assert (status, "the key" in out, "is missing" in out) == (2, True, True), out
    assert not (tmp_path / "data" / "house.db.key").exists(), "no new key is made"
    (tmp_path / "key").rename(tmp_path / "data" / "house.db.key")
    (tmp_path / "other").hardlink_to(journal)
    status, out, _ = call(*check)
    assert (status, "has 2 names (hard links)" in out) == (2, True), out
    (tmp_path / "other").unlink()
    journal.write_bytes(b"not a journal" * 1000)
    status, out, _ = call(*check)
    assert (status, "house.data" in out, "damaged" in out) == (2, True, True), out
    journal.unlink()
    status, out, _ = call(*check)
    assert (status, "is missing, but its key exists" in out) == (2, True), out


def test_idle_and_incomplete_connections_are_closed_and_limited(tmp_path: Path) -> None:
    limits = "[requests]\nconnections_per_address = 4\nsilent_seconds = 1\n"
    with serving(write_config(tmp_path, limits)) as (process, address):
        where = ("127.0.0.1", int(address.rsplit(":", 1)[1]))
        silent = [socket.create_connection(where, timeout=60) for _ in range(4)]
        with socket.create_connection(where, timeout=60) as more:
            assert _ended(more), "above the limit of one address"
        assert all(map(_ended, silent)), "no request arrived in time"
        with socket.create_connection(where, timeout=60) as slow:
            slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127")
            assert _ended(slow), "half of the headers is not a request"
        with socket.create_connection(where, timeout=60) as again:
            again.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert again.recv(12) == b"HTTP/1.1 200"
            again.sendall(b"GET /healthz HTTP/1.1\r\nX-Long: " + b"a" * 100_000)
            rest = b""
            while chunk := _read(again):
                rest += chunk
            assert b"HTTP/1.1 400" in rest, "the headers are too long"
        assert get(address, "/healthz")["well"]
        assert process.stop() == 0


def _read(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65_536)
    except ConnectionResetError:
        return b""


def _ended(connection: socket.socket) -> bool:
    with connection:
        return _read(connection) == b""


def test_forwarded_headers_are_accepted_from_trusted_proxies_only(tmp_path: Path) -> None:
    headers = {"x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https"}
    found = []
    for more in ('[proxy]\ntrusted = ["127.0.0.1"]\n', '[proxy]\ntrusted = ["10.0.0.0/24"]\n', ""):
        with serving(write_config(tmp_path, more)) as (process, address):
            assert httpx.get(address + "/api/house", headers=headers).status_code == 200
            assert process.stop() == 0
        found += [line["address"] for line in logged(process) if line["what"] == "http"]
    assert found == ["203.0.113.9", "127.0.0.1", "127.0.0.1"]


def test_the_server_uses_the_configured_certificate(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed, so no certificate can be created")
    names = ("certificate.pem", "key.pem", "other.pem", "other-key.pem")
    certificate, key, other, other_key = (tmp_path / name for name in names)
    for certificate_file, key_file in ((certificate, key), (other, other_key)):
        subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-nodes")
        kind = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")
        subprocess.run(
            (openssl, *kind, *subject, "-keyout", str(key_file), "-out", str(certificate_file)),
            check=True,
            capture_output=True,
        )
    config = write_config(tmp_path, f'[tls]\ncertificate = "{certificate.name}"\nkey = "{key.name}"\n')
    with serving(config) as (process, address):
        assert address.startswith("https://")
        trusting = ssl.create_default_context(cafile=str(certificate))
        answer = httpx.get(address + "/api/house", verify=trusting)
        assert answer.json()["name"] == "The House"
        assert "max-age" in answer.headers["strict-transport-security"]
        # TLS 1.2 has suites with CBC, which the server refuses.
        old = ssl.create_default_context(cafile=str(certificate))
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        assert httpx.get(address + "/api/house", verify=old).status_code == 200
        old.set_ciphers("ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA384:ECDHE-ECDSA-AES128-SHA")
        with pytest.raises(httpx.ConnectError, match="SSL"):
            httpx.get(address + "/api/house", verify=old)
        with pytest.raises(httpx.ConnectError, match="certificate"):
            httpx.get(address + "/api/house")
        with pytest.raises(httpx.HTTPError):
            httpx.get(address.replace("https", "http") + "/api/house")
        assert process.stop() == 0
    config = write_config(tmp_path, f'[tls]\ncertificate = "{certificate.name}"\nkey = "{other_key.name}"\n')
    status, message = refused("serve", "--check", "--config", str(config))
    assert (status, message.count("\n"), "cannot be used" in message) == (2, 1, True)


def test_a_missing_wheel_raises_an_alert_and_enters_manual_mode(tmp_path: Path) -> None:
    config = write_config(tmp_path, wheel=f"tcp://127.0.0.1:{free_port()}")
    data = tmp_path / "data"
    with serving(config) as (process, address):
        eventually(lambda: table_events(data, "roulette-1", "manual_mode_entered") or None)
        table = get(address, "/api/tables/roulette-1")
        assert (table["mode"], "cannot reach" in table["mode_reason"]) == ("manual", True)
        assert (table["limits"]["seat"], table["limits"]["table"]) == ({"min": 500, "max": 90_000}, 800_000)
        assert get(address, "/healthz")["well"], "the table can be dealt manually"
        assert process.stop(signal.SIGINT) == 0
    about = {alert["about"] for alert in house_events(data, "alert_raised")}
    assert about == {"wheel"}, "one loss of a wheel is one alert"
    assert len(house_events(data, "alert_raised")) == 1
    assert {line["about"] for line in logged(process) if line["what"] == "alert"} == {"wheel", "manual_mode"}
    verifies(data)


@pytest.mark.parametrize(
    ("unattended", "text"),
    [
        (False, " and was referred; it waits for a decision (clause 5.10)."),
        (
            True,
            ". At the next start it continues. "
            "A spin without an outcome on record is then void, and all stakes are returned.",
        ),
    ],
)
def test_a_stop_tells_what_happens_to_a_round_that_has_not_ended(unattended: bool, text: str) -> None:
    left = UnfinishedRound(TableId("roulette-1"), RoundNumber(7), Clause("5.10"), unattended)
    assert _unfinished(left) == f"roulette-1: round 7 had not ended{text}"
