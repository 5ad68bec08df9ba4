"""The golden house: this version recovers it after a power cut and continues to play."""

import json
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.golden_journals import (
    AT_TIME,
    BET,
    DAY,
    MINUTE,
    a_round,
    archived,
    assert_holds,
    copy_of,
    each,
    lines_of,
    verified,
)


class House:
    """A client of the archived house, which this version serves over HTTP."""

    def __init__(self, url: str, secrets: Mapping[str, Any]) -> None:
        self.url, self.secrets = url, secrets
        self.tokens: dict[str, str] = {}
        self._count = 0

    def call(self, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        headers = {"content-type": "application/json"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def log_in(self, person: str, console: str | None = None) -> None:
        """Log in with the password set by the old version."""
        password = self.secrets["people"][person]["password"]
        status, answer = self.call(
            "POST", "/api/log-in", {"name": person, "password": password, "program": True, "console": console}
        )
        assert status == 200, (person, answer)
        self.tokens[f"{person}@{console}" if console else person] = answer["token"]

    def key(self, table: str, seat: str) -> str:
        """Return the terminal key that the old version issued."""
        key: str = self.secrets["terminal_keys"][f"{table}/{seat}"]
        return key

    def ask(self, token: str, table: str, do: str, **fields: object) -> tuple[int, Any]:
        self._count += 1
        body = {"id": f"on-{self._count}", "do": do, **fields}
        return self.call("POST", f"/api/tables/{table}/requests", body, token)

    def ok(self, token: str, table: str, do: str, **fields: object) -> list[dict[str, Any]]:
        status, answer = self.ask(token, table, do, **fields)
        assert status == 200, (table, do, fields, answer)
        events: list[dict[str, Any]] = answer["events"]
        return events

    def state(self, table: str) -> Any:
        status, answer = self.call("GET", f"/api/tables/{table}/state", token=self.tokens["mei"])
        assert status == 200, answer
        return answer

    def with_two(self, token: str, second: str, table: str, do: str, **fields: object) -> None:
        """Ask for something that needs a second person, and approve it."""
        status, answer = self.ask(token, table, do, **fields)
        assert (status, answer.get("refusal")) == (202, "needs_second_person"), answer
        self.approve(answer["proposal"], second)

    def approve(self, proposal: str, second: str) -> None:
        status, answer = self.call("POST", f"/api/proposals/{proposal}/approve", {}, self.tokens[second])
        assert status == 200, answer


@contextmanager
def running(golden: Path, journal: Path, after_millis: int) -> Iterator[House]:
    """Start the house with its clock set after its last entry, and stop it in order at the end."""
    secrets = json.loads((golden / "house" / "secrets.json").read_text())
    folder = journal.parent.parent
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    toml = folder / "house.toml"
    toml.write_text(toml.read_text().replace("port = 8080", f"port = {port}"))
    began = str(secrets["clock"]["last"] + after_millis)
    command = [sys.executable, "-c", AT_TIME, began, "serve", "--config", str(toml), "--grace", "0"]
    with (folder / "log").open("w+") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        house = House(f"http://127.0.0.1:{port}", secrets)
        try:
            _wait_for(house, server, folder / "log")
            yield house
            server.send_signal(signal.SIGTERM)
            assert server.wait(60) == 0, (folder / "log").read_text()[-2000:]
        finally:
            server.kill()


def _wait_for(house: House, server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(600):
        assert server.poll() is None, log.read_text()[-2000:]
        try:
            house.call("GET", "/api/me")
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the house did not start")


def tables_of(summary: Any) -> dict[str, Any]:
    return {record["table"]: record for record in summary["tables"]}


def end_interrupted_rounds(house: House) -> None:
    """Say what each wheel shows: none, the outcome on record, and a decision for the wheel without a clause."""
    for table in ("roulette-1", "electronic-1"):
        house.log_in("lena", table)
    dealer = house.tokens["lena@roulette-1"]
    house.with_two(dealer, "chong", "roulette-1", "declare", irregularity="interrupted_without_outcome")
    dealer = house.tokens["lena@electronic-1"]
    for do, fields in a_round("mbs-electronic-double-zero", "7"):
        if do in ("observe_spin", "register_result", "confirm_result"):
            house.ok(dealer, "electronic-1", do, **fields)
    number = house.state("wheel-1")["round"]
    decision = {"round": number, "ruling": "void", "reason": "the wheel was not spun"}
    house.ok(house.tokens["arun"], "wheel-1", "decide", **decision)


def test_people_end_the_rounds_that_a_power_cut_interrupted(golden: Path, tmp_path: Path) -> None:
    """The old version ended these rounds itself. Now people say what the wheel shows; each seat gets the same cents."""
    journal = copy_of(golden, "house", tmp_path)
    assert Path(f"{journal}-wal").stat().st_size, "the archive contains the write-ahead log of the killed process"
    with running(golden, journal, MINUTE) as house:
        for person in ("mei", "arun", "chong"):
            house.log_in(person)
        states = archived(golden, "house", "recovered-states.json")
        waiting = {table: house.state(table)["phase"] for table in ("roulette-1", "electronic-1", "wheel-1")}
        assert waiting == {"roulette-1": "interrupted", "electronic-1": "at_rest", "wheel-1": "referred"}
        end_interrupted_rounds(house)
        for table, state in states.items():
            # The readings at triple-1 differ, so no outcome is shown. The closed triple-2 has a later rulebook.
            changed = {"triple-1": ("outcome",), "triple-2": ("rulebook",)}
            assert_holds(state, house.state(table), changed.get(table, ()), where=table)
    found = verified(journal)
    assert found["verifies"]
    # Recovery entries contain the current time, so their hashes differ.
    expected = archived(golden, "house", "recovered-verify.json")
    assert_holds(expected["tables"], found["tables"], without=("head", "entries", "seals", "phase"))
    assert found["tickets_outstanding_cents"] == expected["tickets_outstanding_cents"]
    # The round without an outcome is void, the one with an outcome is settled, and earlier referrals still wait.
    # The planned stop at the end of the test refers the round at triple-1.
    before, after = tables_of(archived(golden, "house", "verify.json")), tables_of(found)
    phases = {table: (before[table]["phase"], after[table]["phase"]) for table in before}
    assert phases == {
        "roulette-1": ("spinning", "idle"),
        "roulette-2": ("idle", "idle"),
        "triple-1": ("registered", "referred"),
        "triple-2": ("closed", "closed"),
        "sands-1": ("referred", "referred"),
        "electronic-1": ("at_rest", "idle"),
        "electronic-2": ("stopped", "stopped"),
        "wheel-1": ("bets_open", "idle"),
    }
    ended = {"roulette-1": ("5.1.2", None), "electronic-1": ("5.13.2", "7"), "wheel-1": ("general law", None)}
    commands = {
        table: ("explain", str(journal), "--table", table, "--round", str(states[table]["round"]), "--json")
        for table in ended
    }
    for table, story in each(commands, tmp_path / "recovered").items():
        clause, outcome = ended[table]
        assert clause in {cited for step in story["steps"] for cited in step["clauses"]}, table
        assert [verdict["outcome"] for verdict in story["verdicts"]] == [outcome], table


def test_old_passwords_and_terminal_keys_still_work(golden: Path, tmp_path: Path) -> None:
    journal = copy_of(golden, "house", tmp_path)
    with running(golden, journal, MINUTE) as house:
        for person, record in house.secrets["people"].items():
            console = "roulette-1" if record["position"] in ("dealer", "cashier") else None
            house.log_in(person, console)
            token = house.tokens[f"{person}@{console}" if console else person]
            status, me = house.call("GET", "/api/me", token=token)
            assert (status, me["person"]) == (200, person)
            assert record["position"] in me["positions"]
        status, _ = house.call("POST", "/api/log-in", {"name": "mei", "password": "not her password", "program": True})
        assert status == 401
        for place in house.secrets["terminal_keys"]:
            table, _, seat = place.partition("/")
            status, me = house.call("GET", "/api/me", token=house.key(table, seat))
            assert (status, me["terminal"]["table"], me["terminal"]["seat"]) == (200, table, seat)
        # A terminal that repeats its old requests gets the old answers.
        requests = [json.loads(line) for line in lines_of(golden / "house" / "requests.jsonl")]
        again = [record for record in requests if record["who"].startswith("seat ") and "version" in record["answer"]]
        assert len(again) > 50
        for record in again:
            token = house.key(record["table"], record["who"].removeprefix("seat "))
            answer = house.call("POST", f"/api/tables/{record['table']}/requests", record["request"], token)
            assert answer == (record["status"], record["answer"])
    assert verified(journal)["verifies"]


def test_play_continues_in_the_recovered_house(golden: Path, tmp_path: Path) -> None:
    """Decide what is pending, resume the stopped table, redeem all tickets, and play a round at every table."""
    journal = copy_of(golden, "house", tmp_path)
    toml = tomllib.loads((golden / "house" / "house.toml").read_text())
    games = {record["id"]: record["game"] for record in toml["tables"]}
    with running(golden, journal, MINUTE) as house:
        for person in ("mei", "arun", "siti", "chong", "devi"):
            house.log_in(person)
        end_interrupted_rounds(house)
        for table in games:
            house.log_in("lena", table)
        dealer = {table: house.tokens[f"lena@{table}"] for table in games}
        # Approve the pending proposal of a correction.
        status, waiting = house.call("GET", "/api/proposals", token=house.tokens["chong"])
        assert status == 200
        (proposal,) = waiting["proposals"]
        assert (proposal["person"], proposal["table"]) == ("devi", "triple-1")
        # It has no reason, which a correction needs now, so it is proposed again.
        status, answer = house.call("POST", f"/api/proposals/{proposal['proposal']}/approve", {}, house.tokens["chong"])
        assert (status, answer["refusal"]) == (409, "state_has_changed")
        fields = {name: value for name, value in proposal["command"].items() if name in ("round", "outcome")}
        house.with_two(house.tokens["devi"], "chong", "triple-1", "correct_result", reason="on the tape", **fields)
        # Register the wheel's result, which ends the disagreement of the readings.
        house.ok(dealer["triple-1"], "triple-1", "register_result", outcome="5")
        # The first procedure kept no report of the spin, so the Dealer attests it.
        report = dict(a_round("rws-triple-zero", "5"))["observe_spin"]
        house.ok(dealer["triple-1"], "triple-1", "observe_spin", **report)
        assert "round_settled.v1" in _kinds(house.ok(dealer["triple-1"], "triple-1", "confirm_result"))
        # Decide the pending referral. The wheel was not watched after the interruption.
        number = house.state("sands-1")["round"]
        events = house.ok(
            house.tokens["arun"], "sands-1", "decide", round=number, ruling="void", reason="the ball was not seen"
        )
        assert _kinds(events) == ["decision_made.v1", "round_voided.v1"]
        # Resume the table that was stopped during a round.
        status, answer = house.ask(house.tokens["arun"], "electronic-2", "resume_table", reason="repaired")
        assert (status, answer["refusal"]) == (202, "needs_second_person"), answer
        house.approve(answer["proposal"], "siti")
        assert house.state("electronic-2")["phase"] == "interrupted"
        none = {"irregularity": "interrupted_without_outcome"}
        house.with_two(dealer["electronic-2"], "chong", "electronic-2", "declare", **none)
        assert house.state("electronic-2")["phase"] == "idle"
        house.ok(dealer["triple-2"], "triple-2", "open_table")
        # Redeem each outstanding ticket once, at another table than the one that issued it.
        for ticket, record in house.secrets["outstanding_tickets"].items():
            other = "triple-1" if record["table"] == "roulette-1" else "roulette-2"
            credits = house.state(other)["seats"]["1"]["credits"]
            house.ok(house.key(other, "1"), other, "redeem_ticket", ticket=ticket)
            assert house.state(other)["seats"]["1"]["credits"] == credits + record["cents"]
            status, answer = house.ask(house.key(other, "1"), other, "redeem_ticket", ticket=ticket)
            assert (status, answer["refusal"]) == (409, "ticket_is_redeemed")
        for table, game in games.items():
            position, outcome, pays = BET.get(game, ("straight:17", "17", 35))
            key = house.key(table, "1")
            house.ok(key, table, "buy_credits", cents=1000)
            before = house.state(table)
            house.ok(dealer[table], table, "open_bets")
            house.ok(key, table, "place_bets", bets=[{"position": position, "cents": 200}])
            for do, fields in a_round(game, outcome):
                house.ok(dealer[table], table, do, **fields)
            after = house.state(table)
            assert after["phase"] == "idle"
            assert after["round"] == before["round"] + 1
            assert after["seats"]["1"]["credits"] == before["seats"]["1"]["credits"] + 200 * pays
            assert after["accounts"]["house"] == before["accounts"]["house"] - 200 * pays
            assert sum(after["accounts"].values()) == 0
    found = verified(journal)
    assert found["verifies"]
    assert found["tickets_outstanding"] == 0
    for before in archived(golden, "house", "verify.json")["tables"]:
        assert tables_of(found)[before["table"]]["rounds"] > before["rounds"]


def _kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["event"] for event in events]


def test_a_ticket_of_the_house_expires_after_thirty_days(golden: Path, tmp_path: Path) -> None:
    journal = copy_of(golden, "house", tmp_path)
    with running(golden, journal, 31 * DAY) as house:
        for ticket in house.secrets["outstanding_tickets"]:
            status, answer = house.ask(house.key("roulette-2", "1"), "roulette-2", "redeem_ticket", ticket=ticket)
            assert (status, answer["refusal"]) == (409, "ticket_has_expired")
