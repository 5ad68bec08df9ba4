"""``roundhouse play`` as processes that are started, stopped, killed and started again. Two of them are not forked."""

import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest

from roundhouse import rulebooks
from tests.support.processes import (
    Process,
    entries,
    eventually,
    get,
    house_events,
    played,
    post,
    refused,
    started,
    table_events,
    verifies,
)

GAMES = set(rulebooks.SHIPPED)


def tables(address: str) -> dict[str, Any]:
    return {table["id"]: table for table in get(address, "/api/tables")["tables"]}


def wait_for(address: str, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Wait until the condition is true for every table, and return the tables."""

    def matching_tables() -> dict[str, Any] | None:
        found = tables(address)
        return found if all(map(condition, found.values())) else None

    return eventually(matching_tables)


def wait_for_rounds(address: str, rounds: int) -> dict[str, Any]:
    return wait_for(address, lambda table: len(table["last_results"]) >= rounds)


def bets_open(table: dict[str, Any]) -> bool:
    return bool(table["phase"] == "bets_open")


def test_every_game_has_a_table_and_continues_after_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    with played(folder) as (process, address):
        found = wait_for_rounds(address, 2)
        assert set(found) == GAMES
        assert {table["mode"] for table in found.values()} == {"automatic"}
        health = get(address, "/healthz")
        assert (health["well"], health["journal"]) == (True, "writable")
        assert health["tables"] == health["wheels"] == dict.fromkeys(found, True)
        check = get(address, "/api/house")["self_check"]
        assert check["agrees"], check
        before = wait_for_rounds(address, 3)
        assert process.stop() == 0
    assert f"Data: {folder}" in process.text
    assert "Stopped after" in process.output[-1]
    verifies(folder)
    ended = {id: len(entries(folder, id)) for id in GAMES}
    with played(folder) as (process, address):
        after = wait_for_rounds(address, 4)
        assert all(after[id]["version"] >= ended[id] >= before[id]["version"] for id in GAMES)
        for id in GAMES:
            results = {one["round"]: one["outcome"] for one in after[id]["last_results"]}
            assert {one["round"]: one["outcome"] for one in before[id]["last_results"]}.items() <= results.items()
        assert process.stop(signal.SIGINT) == 0
    verifies(folder)
    for name, times in (("house_started", 2), ("self_checked", 2), ("house_stopped", 2)):
        assert len(house_events(folder, name)) == times, name
    assert [event["why"] for event in house_events(folder, "house_stopped")] == ["SIGTERM", "SIGINT"]
    # Each table was opened once, and its dealer started automatically.
    for id in GAMES:
        assert len(table_events(folder, id, "table_opened")) == 1
        assert len(table_events(folder, id, "automatic_mode_entered")) == 1


def ask(address: str, table: str, token: str, do: str, **fields: Any) -> Any:
    ask.count += 1  # type: ignore[attr-defined]
    body = {"id": f"test-{ask.count}", "do": do, **fields}  # type: ignore[attr-defined]
    return post(address, f"/api/tables/{table}/requests", body, token)


ask.count = 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("table", ["rws-double-zero", "mbs-sands"])
def test_a_round_with_a_bet_is_resolved_by_its_rulebook_after_a_kill(tmp_path: Path, table: str) -> None:
    folder = tmp_path / "house"
    game = rulebooks.find(table)
    with played(folder, speed=8) as (process, address):
        guest = post(address, "/api/guest", {"table": table, "program": True})
        token, seat = guest["token"], guest["me"]["terminal"]["seat"]
        terminal = guest["me"]["terminal"]["terminal"]
        assert ask(address, table, token, "take_seat", terminal=terminal)["ok"]
        assert ask(address, table, token, "buy_credits", cents=10_000)["ok"]
        position = game.terminals[terminal].layout.positions[0].id
        bets = [{"position": position, "cents": 700}]

        def bet() -> Any:
            answer = ask(address, table, token, "place_bets", bets=bets)
            return answer if answer["ok"] else None

        placed = eventually(bet)
        assert get(address, f"/api/tables/{table}/seats/{seat}", token)["credits"] == 9_300
        process.send(signal.SIGKILL)
        assert process.end() == -signal.SIGKILL
    assert len(entries(folder, table)) == placed["version"], "the answered bet is the last entry"
    with played(folder, speed=8) as (process, address):
        (recovered,) = table_events(folder, table, "interruption_recovered")
        clause = recovered["clause"]
        listed = game.rulebook.irregularities.get("interrupted_without_outcome")  # type: ignore[call-overload]
        decides = game.rulebook.authority.decides.clause
        assert clause == (listed.clause.rpartition(".")[0] if listed else decides)
        assert f"{table}: " in process.text
        assert clause in next(line for line in process.output if line.strip().startswith(f"{table}: "))
        path = f"/api/tables/{table}/seats/{seat}"
        if listed:
            # The simulated wheel answers for itself: the round is void, and the stake is returned.
            (voided,) = eventually(lambda: table_events(folder, table, "round_voided") or None)
            assert voided["clauses"] == [listed.clause]
            # The journal is written before the seat is published.
            assert eventually(lambda: get(address, path, token)["credits"] == 10_000 or None)
        else:
            # No clause voids a round without a spin: it goes on with the registered bet.
            [settled, *_] = eventually(lambda: table_events(folder, table, "round_settled") or None)
            assert settled["round"] == recovered["round"]
            assert settled["seats"][seat][0] == 700
        assert process.stop() == 0
    alerts = [alert for alert in house_events(folder, "alert_raised") if alert["table"] == table]
    assert alerts[0]["about"] == "interruption"
    assert clause in alerts[0]["text"]
    verifies(folder)


def test_rounds_in_progress_are_finished_on_an_orderly_stop(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    with played(folder, "--grace", "60", speed=20) as (process, address):
        open_rounds = {id: table["round"] for id, table in wait_for(address, bets_open).items()}
        # A signal to the process group can arrive twice, once from the parent. Both count as one.
        process.send(signal.SIGTERM)
        assert process.stop() == 0
    assert "was referred" not in process.text
    for id, number in open_rounds.items():
        settled = [event["round"] for event in table_events(folder, id, "round_settled")]
        assert number in settled
        assert settled[-1] == number, "no other round was opened"
    verifies(folder)


def test_a_second_signal_stops_at_once_without_damage(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    with played(folder, "--grace", "3000", speed=1) as (process, address):
        wait_for(address, bets_open)
        process.send(signal.SIGTERM)
        process.until("Stopping")
        assert get(address, "/healthz")["well"], "the server answers until the rounds are finished"
        while process.process.poll() is None:
            process.send(signal.SIGTERM)
            time.sleep(0.1)
        assert process.end() == 128 + signal.SIGTERM
    verifies(folder)


def test_a_failed_start_is_reported_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    with played(folder) as (process, address):
        status, message = refused("play", "--folder", str(folder), "--port", "0")
        assert (status, message.count("\n")) == (2, 1)
        assert "in use by another process" in message
        assert "--folder" in message
        port = address.rsplit(":", 1)[1]
        status, message = refused("play", "--folder", str(tmp_path / "other"), "--port", port)
        assert (status, message) == (
            2,
            f"roundhouse: port {port} of 127.0.0.1 is in use by another program;"
            " choose another with --port, or with make play OPTIONS=--port=8081\n",
        )
        assert not (tmp_path / "other").exists(), "no file was created"
        assert process.stop() == 0
    db = apsw.Connection(str(folder / "house.db"))
    db.execute("UPDATE meta SET value = 7 WHERE name = 'format'")
    db.close()
    status, message = refused("play", "--folder", str(folder), "--port", "0")
    assert (status, message.count("\n")) == (2, 1)
    assert "a newer version" in message
    (tmp_path / "file").write_text("")
    status, message = refused("play", "--folder", str(tmp_path / "file" / "in"), "--port", "0")
    assert (status, message.count("\n")) == (2, 1)
    assert "Could not write" in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_reported_in_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    status, message = refused("play", "--folder", str(tmp_path / "house"), "--port", "0")
    tmp_path.chmod(0o700)
    assert (status, message.count("\n")) == (2, 1)
    assert "Permission denied" in message


def test_play_stops_after_the_given_seconds_and_uses_the_default_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.chdir(tmp_path)
    arguments = ("play", "--port", "0", "--speed", "100", "--for", "1.5")
    with started(*arguments, errors=tmp_path / "errors", forked=False) as (process, _):
        assert process.end() == 0
    assert process.output[-1].startswith("Stopped after"), process.text
    assert int(process.output[-1].split(" s: ")[1].split()[0]) > 0, "rounds were dealt"
    assert f"Data: {tmp_path / 'share' / 'roundhouse'}" in process.text
    assert (tmp_path / "share" / "roundhouse" / "house.db").stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["errors", "share"]


def test_a_table_with_a_damaged_journal_is_stopped_and_the_others_continue(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    with played(folder) as (process, address):
        wait_for_rounds(address, 1)
        assert process.stop() == 0
    db = apsw.Connection(str(folder / "house.db"))
    triggers = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()]
    for name in triggers:
        db.execute(f'DROP TRIGGER "{name}"')
    changed = "CAST(replace(CAST(body AS TEXT), 'bets', 'best') AS BLOB)"
    db.execute(f"UPDATE entries SET body = {changed} WHERE table_id = 'mbs-sands' AND seq = 3")
    db.close()
    with played(folder) as (process, address):
        assert "out of service" in next(line for line in process.output if line.strip().startswith("mbs-sands: "))
        versions = {id: table["version"] for id, table in tables(address).items()}
        eventually(
            lambda: (
                all(table["version"] > versions[id] + 10 for id, table in tables(address).items() if id != "mbs-sands")
                or None
            )
        )
        found = get(address, "/healthz")
        assert found["well"] is False
        assert found["tables"] == {id: id != "mbs-sands" for id in GAMES}
        assert httpx.get(address + "/healthz").status_code == 503
        assert tables(address)["mbs-sands"]["phase"] == "stopped"
        assert process.stop() == 0
    alerts = [alert for alert in house_events(folder, "alert_raised") if alert["about"] == "journal"]
    assert [(alert["table"], "does not continue the chain" in alert["text"]) for alert in alerts] == [
        ("mbs-sands", True)
    ]


def test_play_listens_on_the_loopback_address_by_default(tmp_path: Path) -> None:
    """Connecting to 127.0.0.2 simulates a connection from another machine."""
    with played(tmp_path / "house") as (_, address), pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", int(address.rsplit(":", 1)[1])), timeout=20)
    with played(tmp_path / "house", "--guests-from-anywhere") as (_, address):
        outside = f"http://127.0.0.2:{address.rsplit(':', 1)[1]}"
        assert post(outside, "/api/guest", {"table": "mbs-sands", "program": True})["me"]["kind"] == "terminal"


def test_an_invalid_option_prints_no_traceback(tmp_path: Path) -> None:
    process = Process("play", "--folder", str(tmp_path), "--speed", "0", errors=tmp_path / "errors", forked=False)
    assert process.end() == 2
    assert "Traceback" not in (tmp_path / "errors").read_text()
