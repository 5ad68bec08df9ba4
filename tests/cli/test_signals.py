"""Signals of a served house: SIGHUP reads certificate and pace again, SIGTERM is announced before the house stops."""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from tests.cli.test_serve import logged, serving, write_config
from tests.support.processes import ROUNDHOUSE, Process, entries, eventually, free_port, get, house_events, played

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed, so no certificate can be made")


def make_certificate(folder: Path, name: str, days: int) -> None:
    assert OPENSSL is not None
    kind = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", str(days))
    subject = ("-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1")
    files = ("-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem"))
    subprocess.run((OPENSSL, *kind, *subject, *files), check=True, capture_output=True)


def served_certificate(port: int) -> str:
    return ssl.get_server_certificate(("127.0.0.1", port))


def reloaded(process: Process, times: int) -> dict[str, Any] | None:
    """Return the last line about a reload, if there are this many."""
    lines = [line for line in logged(process) if line["what"] in ("reloaded", "reload_failed")]
    return lines[-1] if len(lines) == times else None


@needs_openssl
def test_sighup_loads_a_new_certificate_and_keeps_the_old_one_if_it_cannot_be_used(tmp_path: Path) -> None:
    make_certificate(tmp_path, "first", 60)
    port = free_port()
    tls = '[tls]\ncertificate = "certificate.pem"\nkey = "key.pem"\n'
    with serving(write_config(tmp_path, tls, wheel="none", port=port)) as (process, address):
        context = ssl._create_unverified_context()
        first = served_certificate(port)
        make_certificate(tmp_path, "second", 5)
        process.send(signal.SIGHUP)
        eventually(lambda: reloaded(process, 1))
        second = served_certificate(port)
        assert second != first
        text = httpx.get(f"{address}/metrics", verify=context).text
        (expires,) = [line for line in text.splitlines() if line.startswith("roundhouse_tls_expires_seconds ")]
        assert 4 * 86_400 < float(expires.split()[1]) <= 5 * 86_400
        (tmp_path / "key.pem").write_text("-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----\n")
        process.send(signal.SIGHUP)
        failed = eventually(lambda: reloaded(process, 2))
        assert failed["what"] == "reload_failed"
        assert served_certificate(port) == second
        assert process.stop() == 0
    about = [alert["about"] for alert in house_events(tmp_path / "data", "alert_raised")]
    assert "configuration" in about


def test_sighup_changes_the_pace_from_the_next_round_and_nothing_else(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with serving(config) as (process, address):
        assert get(address, "/api/tables/roulette-1")["facts"]["betting_seconds"] == 20
        text = config.read_text().replace("automatic = true", "automatic = true\nbetting_seconds = 7")
        config.write_text(text.replace("The House", "Another House"))
        process.send(signal.SIGHUP)
        line = eventually(lambda: reloaded(process, 1))
        assert (line["pace"], line["restart_needed"]) == ("roulette-1", True)
        eventually(lambda: get(address, "/api/tables/roulette-1")["facts"]["betting_seconds"] == 7 or None)
        assert get(address, "/api/house")["name"] == "The House"
        config.write_text("nonsense")
        process.send(signal.SIGHUP)
        assert eventually(lambda: reloaded(process, 2))["what"] == "reload_failed"
        assert get(address, "/healthz")["well"]
        assert process.stop() == 0
    (change,) = [one for one in house_events(tmp_path / "data", "setting_changed") if one["setting"] == "pace"]
    assert (change["table"], change["was"][:12], change["now"][:11]) == ("roulette-1", "betting 20 s", "betting 7 s")


def test_sigterm_is_announced_to_sockets_health_and_log(tmp_path: Path) -> None:
    """Bets are open at a table that people deal, so the stop waits for the grace period."""
    config = write_config(tmp_path, wheel="simulated:1")
    with serving(config, "--grace", "3") as (process, address):
        eventually(lambda: get(address, "/api/tables/roulette-1")["phase"] == "bets_open" or None)
        url = f"ws{address.removeprefix('http')}/api/tables/roulette-1/socket"
        with connect(url) as watching:
            watching.send(json.dumps({"id": "1", "do": "watch"}))
            while "snapshot" not in json.loads(watching.recv(60)):
                pass
            process.send(signal.SIGTERM)
            while "stopping" not in (message := json.loads(watching.recv(60))):
                pass
            assert set(message["stopping"]) == {"until"}
            assert get(address, "/healthz")["stopping"] is True
            answer = httpx.get(f"{address}/readyz")
            assert (answer.status_code, answer.json()["stopping"]) == (503, True)
            assert httpx.get(f"{address}/livez").status_code == 200
            with connect(url) as late:
                late.send(json.dumps({"id": "1", "do": "watch"}))
                while "stopping" not in json.loads(late.recv(60)):
                    pass
        assert process.end() == 0
    (line,) = [line for line in logged(process) if line["what"] == "stopping"]
    assert (line["why"], line["grace_seconds"]) == ("SIGTERM", 3)
    assert entries(tmp_path / "data", "@house")[-1]["event"] == {"event": "house_stopped.v1", "why": "SIGTERM"}


def test_sighup_stops_a_house_of_play_in_order(tmp_path: Path) -> None:
    """Closing its terminal sends the signal."""
    with played(tmp_path / "house") as (process, _):
        assert process.stop(signal.SIGHUP) == 0
    assert house_events(tmp_path / "house", "house_stopped") == [{"event": "house_stopped.v1", "why": "SIGHUP"}]


def test_the_service_manager_is_told_of_readiness_reload_and_stop(tmp_path: Path) -> None:
    config = write_config(tmp_path, wheel="none")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        environment = os.environ | {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "600000000"}
        arguments = ("house", "serve", "--config", str(config))
        process = subprocess.Popen((*ROUNDHOUSE, *arguments), env=environment)
        try:
            told = [manager.recv(4096).decode() for _ in range(2)]
            process.send_signal(signal.SIGHUP)
            told += [manager.recv(4096).decode() for _ in range(2)]
            process.terminate()
            told.append(manager.recv(4096).decode())
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
    assert sorted(message.partition("\n")[0] for message in told[:2]) == ["READY=1", "WATCHDOG=1"]
    assert [message.partition("\n")[0] for message in told[2:]] == ["RELOADING=1", "READY=1", "STOPPING=1"]
    assert "MONOTONIC_USEC=" in told[2]
    assert "EXTEND_TIMEOUT_USEC=90000000" in told[4]


def test_polls_and_levels_of_the_log_can_be_chosen(tmp_path: Path) -> None:
    found = []
    for options in ((), ("--log-polls",), ("--log-level", "warning")):
        with serving(write_config(tmp_path, wheel="none"), *options) as (process, address):
            for path in ("/api/tables", "/healthz", "/livez", "/readyz", "/metrics", "/api/house", "/api/games/none"):
                httpx.get(address + path)
            assert process.stop() == 0
        found.append([line["route"] for line in logged(process) if line["what"] == "http"])
        levels = {line["level"] for line in logged(process)}
        assert ("info" in levels) is (options != ("--log-level", "warning"))
    quiet, whole, silent = found
    assert quiet == ["/api/house", "/api/games/{game}"]
    assert len(whole) == 7
    assert silent == []
