"""Golden journals: what an earlier commit really wrote is opened, played on with and verified by this version.

The archive beside this file is never changed; its README says what is in it. The tests use the command line and HTTP
alone, so that they hold whatever the modules inside are called.
"""

import json
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

ARCHIVE: Final = Path(__file__).with_name("commit-9882772.tar.xz")
GAMES: Final = ("rws-double-zero", "rws-triple-zero", "mbs-sands", "mbs-electronic-double-zero", "rws-money-wheel")
JOURNALS: Final = (*(f"deal-{game}" for game in GAMES), "house")
"""By their names under ``expected/``."""
BET: Final = {"rws-money-wheel": ("symbol:5", "5", 5)}
"""For playing on: a position, an outcome that it wins with, and what it pays; elsewhere ``straight:17``."""
MINUTE: Final = 60_000
DAY: Final = 24 * 60 * MINUTE

AT_TIME: Final = """
import runpy, sys, time
real = time.time_ns
offset = int(sys.argv[1]) * 1_000_000 - real()
time.time_ns = lambda: real() + offset
time.time = lambda: time.time_ns() / 1_000_000_000
sys.argv = ["roundhouse", *sys.argv[2:]]
runpy.run_module("roundhouse", run_name="__main__", alter_sys=True)
"""
"""Runs the program with its clock set: the tickets of the archive expire 30 days after they were issued."""

EACH: Final = """
import json, os, runpy, sys
for arguments, file in json.load(sys.stdin):
    out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.close(out)
    sys.argv = ["roundhouse", *arguments]
    try:
        runpy.run_module("roundhouse", run_name="__main__", alter_sys=True)
    except SystemExit as left:
        if left.code:
            sys.exit(f"{arguments}: status {left.code}")
    sys.stdout.flush()
"""
"""Runs many commands in one process, each with its standard output in a file of its own."""


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive, unpacked. Tests read it; whoever opens a journal works on a copy."""
    folder = tmp_path_factory.mktemp("golden")
    with tarfile.open(ARCHIVE) as tar:
        tar.extractall(folder, filter="data")
    return folder


def copy_of(golden: Path, name: str, tmp_path: Path) -> Path:
    """A copy of a journal, with all files beside it; its path."""
    kind, _, game = name.partition("-")
    source = golden / "house" if kind == "house" else golden / "deal" / game
    folder = tmp_path / source.name
    shutil.copytree(source, folder)
    return folder / "data" / "house.db" if kind == "house" else folder / "journal.db"


def said(golden: Path, name: str, file: str) -> Any:
    """What the old version said."""
    return json.loads((golden / "expected" / name / file).read_text(encoding="utf-8"))


# running the program


def roundhouse(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", "roundhouse", *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (arguments, done.returncode, done.stdout[-1000:], done.stderr[-1000:])
    return done.stdout


def verified(journal: Path) -> Any:
    return json.loads(roundhouse("verify", str(journal), "--json"))


def each(commands: Mapping[str, Sequence[str]], folder: Path) -> dict[str, Any]:
    """The JSON answers of many commands, by the names that they are given here."""
    folder.mkdir()
    files = {name: folder / f"{number}.json" for number, name in enumerate(commands)}
    asked = json.dumps([[list(commands[name]), str(file)] for name, file in files.items()])
    done = subprocess.run([sys.executable, "-c", EACH], input=asked, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items()}


def deal(journal: Path, game: str, table: str, clock: int, lines: Sequence[str]) -> list[str]:
    """The lines that ``roundhouse deal`` answers to these."""
    command = [sys.executable, "-m", "roundhouse", "deal", "--game", game, "--table", table]
    command += ["--journal", str(journal), "--clock", str(clock)]
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (done.stdout[-1000:], done.stderr[-1000:])
    return done.stdout.splitlines()


def sessions_by_table(golden: Path, game: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for session in json.loads((golden / "deal" / game / "sessions.json").read_text()):
        found.setdefault(session["table"], []).append(session)
    return found


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def assert_holds(expected: Any, found: Any, without: Sequence[str] = (), where: str = "") -> None:
    """All that was said is still said. A newer version may say more."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), where
        for name, value in expected.items():
            if name not in without:
                assert name in found, f"{where}.{name} is gone"
                assert_holds(value, found[name], without, f"{where}.{name}")
    elif isinstance(expected, list):
        assert isinstance(found, list), where
        assert len(expected) == len(found), f"{where}: {len(expected)} were expected, {len(found)} are there"
        for number, (one, other) in enumerate(zip(expected, found)):
            assert_holds(one, other, without, f"{where}[{number}]")
    else:
        assert expected == found, f"{where}: {expected!r} was expected, {found!r} is there"


# reading


@pytest.mark.parametrize("name", JOURNALS)
def test_a_journal_verifies_with_the_same_figures(golden: Path, tmp_path: Path, name: str) -> None:
    found = verified(copy_of(golden, name, tmp_path))
    assert found["verifies"]
    assert found["seals_checked"]
    # Notes are words, and a newer version may have other ones.
    assert_holds(said(golden, name, "verify.json"), found, without=("notes",))


@pytest.mark.parametrize("name", JOURNALS)
def test_a_report_gives_the_same_figures(golden: Path, tmp_path: Path, name: str) -> None:
    journal = copy_of(golden, name, tmp_path)
    ways = ("table", "seat", "shift")
    commands = {by: ("report", str(journal), "--by", by, "--zone", "Asia/Singapore", "--json") for by in ways}
    for by, found in each(commands, tmp_path / "reports").items():
        assert_holds(said(golden, name, f"report-by-{by}.json"), found)


def assert_same_instants(found: Any, table: str, instants: Mapping[str, list[int]]) -> None:
    """``at`` is the instant of its entry: in milliseconds, or as text in Singapore time as the old version wrote it."""
    for told in (*found["steps"], *found["verdicts"]):
        millis = instants[table][told["entry"] - 1]
        moment = datetime.fromtimestamp(millis // 1000, UTC) + timedelta(hours=8)
        text = f"{moment:%Y-%m-%d %H:%M:%S}.{millis % 1000:03d}"
        assert told["at"] in (millis, text), told


@pytest.mark.parametrize("name", JOURNALS)
def test_a_story_is_the_same_apart_from_how_it_writes_instants(golden: Path, tmp_path: Path, name: str) -> None:
    journal = copy_of(golden, name, tmp_path)
    stories = {file.stem: json.loads(file.read_text()) for file in _stories(golden, name)}
    commands = {}
    for stem, story in stories.items():
        _, of_one, seat = stem.partition("-seat-")
        only = ("--seat", seat) if of_one else ()
        asked = ("--table", story["table"], "--round", str(story["round"]))
        commands[stem] = ("explain", str(journal), *asked, *only, "--json")
    instants = said(golden, name, "instants.json")
    for stem, found in each(commands, tmp_path / "stories").items():
        assert_holds(stories[stem], found, without=("at",), where=stem)
        assert_same_instants(found, found["table"], instants)


def _stories(golden: Path, name: str) -> list[Path]:
    found = sorted((golden / "expected" / name / "stories").glob("*.json"))
    assert found
    return found


def test_an_old_capsule_verifies_and_can_be_explained(golden: Path, tmp_path: Path) -> None:
    capsules = sorted((golden / "expected" / "house" / "capsules").glob("*.capsule.json"))
    assert len(capsules) == len(GAMES)
    key = str(golden / "house" / "data" / "house.db.key")
    names = [file.name.removesuffix(".capsule.json") for file in capsules]
    commands = {name: ("verify", str(file), "--key", key, "--json") for name, file in zip(names, capsules)}
    for name, found in each(commands, tmp_path / "verified").items():
        assert_holds(said(golden, "house", f"capsules/{name}.verify.json"), found, where=name)
    commands = {
        name: ("explain", str(file), "--round", name.rpartition("-")[2], "--json")
        for name, file in zip(names, capsules)
    }
    for name, found in each(commands, tmp_path / "explained").items():
        assert_holds(said(golden, "house", f"stories/{name}.json")["verdicts"], found["verdicts"], without=("at",))


# opening, and playing on


@pytest.mark.parametrize("game", GAMES)
def test_a_request_that_is_sent_again_gets_its_first_answer(golden: Path, tmp_path: Path, game: str) -> None:
    journal = copy_of(golden, f"deal-{game}", tmp_path)
    for table, sessions in sessions_by_table(golden, game).items():
        requests = [line for one in sessions for line in lines_of(journal.with_name(one["requests"]))]
        answers = [line for one in sessions for line in lines_of(journal.with_name(one["answers"]))[1:]]
        ready, *found = deal(journal, game, table, sessions[-1]["clock"] + DAY, requests)
        proven = next(one for one in said(golden, f"deal-{game}", "verify.json")["tables"] if one["table"] == table)
        assert json.loads(ready) == {"ready": True, "version": proven["entries"], "recovered": []}
        assert len(found) == len(answers) == len(requests)
        for stored, again in zip(answers, found):
            if "version" in json.loads(stored):
                assert again == stored
            else:
                # It is not in the journal: not understood, or another request under a used id.
                assert_holds(json.loads(stored), json.loads(again), without=("reason",))
    # Nothing was written.
    assert_holds(said(golden, f"deal-{game}", "verify.json"), verified(journal), without=("notes",))


@pytest.mark.parametrize("game", GAMES)
def test_a_table_stands_where_it_stood(golden: Path, tmp_path: Path, game: str) -> None:
    journal = copy_of(golden, f"deal-{game}", tmp_path)
    for table, sessions in sessions_by_table(golden, game).items():
        clock = sessions[-1]["clock"] + DAY
        _, shown = deal(journal, game, table, clock, [request("show", "show", "player")])
        assert_holds(said(golden, f"deal-{game}", f"state-{table}.json"), json.loads(shown)["state"], where=table)


def request(id: str, do: str, by: str, **fields: object) -> str:
    return json.dumps({"id": id, "by": by, "do": do, **fields})


def a_round(game: str, outcome: str) -> list[tuple[str, dict[str, Any]]]:
    """What the dealer asks for from the closing of bets to the settlement, by the rules of the game."""
    closing = ["start_spin", "close_bets"] if game == "mbs-sands" else ["close_bets", "start_spin"]
    ball = {} if game == "rws-money-wheel" else {"ball": "clockwise"}
    seen = {**ball, "wheel": "anticlockwise", "revolutions": 5}
    read = {"outcome": outcome}
    asked: list[tuple[str, dict[str, Any]]] = [(do, {}) for do in closing]
    return [*asked, ("observe_spin", seen), ("ball_at_rest", read), ("register_result", read), ("confirm_result", {})]


@pytest.mark.parametrize("game", GAMES)
def test_play_goes_on_with_a_deal_journal(golden: Path, tmp_path: Path, game: str) -> None:
    """A round is opened, bet on, settled and paid; the table is closed; all of it verifies."""
    journal = copy_of(golden, f"deal-{game}", tmp_path)
    position, outcome, pays = BET.get(game, ("straight:17", "17", 35))
    before = verified(journal)["tables"]
    for table, sessions in sessions_by_table(golden, game).items():
        old = said(golden, f"deal-{game}", f"state-{table}.json")
        terminal = next(iter(old["seats"].values()))["terminal"]
        bets = [{"position": position, "cents": 200}]
        asked: list[tuple[str, str, dict[str, Any]]] = []
        if old["phase"] == "closed":
            asked.append(("open_table", "dealer", {}))
        asked += [
            ("take_seat", "player", {"seat": "new", "terminal": terminal}),
            ("buy_credits", "cashier", {"seat": "new", "cents": 1000}),
            ("open_bets", "dealer", {}),
            ("place_bets", "player", {"seat": "new", "bets": bets}),
            *((do, "dealer", fields) for do, fields in a_round(game, outcome)),
            ("cash_out", "player", {"seat": "new"}),
            ("close_table", "dealer", {}),
        ]
        lines = [request(f"on-{number}", do, by, **fields) for number, (do, by, fields) in enumerate(asked)]
        _, *answers = [json.loads(line) for line in deal(journal, game, table, sessions[-1]["clock"] + DAY, lines)]
        assert all(answer["ok"] for answer in answers), [answer for answer in answers if not answer["ok"]]
        settled = next(
            event for answer in answers for event in answer["events"] if event["event"] == "round_settled.v1"
        )
        assert settled["round"] == old["round"] + 1
        assert settled["seats"] == {"new": [200, 200 * (1 + pays)]}
        cashed = next(event for answer in answers for event in answer["events"] if event["event"] == "cashed_out.v1")
        assert cashed["cents"] == 800 + 200 * (1 + pays)
        found = next(one for one in verified(journal)["tables"] if one["table"] == table)
        earlier = next(one for one in before if one["table"] == table)
        assert found["entries"] == earlier["entries"] + len(lines)
        assert found["rounds"] == earlier["rounds"] + 1
        assert found["credits"] == earlier["credits"]
        assert found["phase"] == "closed"
        assert found["house"] == earlier["house"] - 200 * pays


# the house


class House:
    """The house of the archive, started by this version; talked to over HTTP."""

    def __init__(self, url: str, secrets: Mapping[str, Any]) -> None:
        self.url, self.secrets = url, secrets
        self.tokens: dict[str, str] = {}
        self._count = 0

    def call(self, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        headers = {"content-type": "application/json"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        data = json.dumps(body).encode() if body is not None else None
        asked = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def log_in(self, person: str, console: str | None = None) -> None:
        """With the old password."""
        password = self.secrets["people"][person]["password"]
        status, answer = self.call(
            "POST", "/api/log-in", {"name": person, "password": password, "program": True, "console": console}
        )
        assert status == 200, (person, answer)
        self.tokens[f"{person}@{console}" if console else person] = answer["token"]

    def key(self, table: str, seat: str) -> str:
        """The key that a terminal was given when it was enrolled by the old version."""
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

    def approve(self, proposal: str, second: str) -> None:
        status, answer = self.call("POST", f"/api/proposals/{proposal}/approve", {}, self.tokens[second])
        assert status == 200, answer


@contextmanager
def running(golden: Path, journal: Path, after_millis: int) -> Iterator[House]:
    """The house, started so long after its last entry by its own clock; stopped in good order at the end."""
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
    return {one["table"]: one for one in summary["tables"]}


def test_a_house_recovers_what_a_power_cut_interrupted(golden: Path, tmp_path: Path) -> None:
    journal = copy_of(golden, "house", tmp_path)
    assert Path(f"{journal}-wal").stat().st_size, "the archive holds the write-ahead log that the kill left behind"
    with running(golden, journal, MINUTE) as house:
        house.log_in("mei")
        states = said(golden, "house", "recovered-states.json")
        for table, state in states.items():
            assert_holds(state, house.state(table), where=table)
    found = verified(journal)
    assert found["verifies"]
    # The entries of recovery hold the time, so that their hashes are others.
    expected = said(golden, "house", "recovered-verify.json")
    assert_holds(expected["tables"], found["tables"], without=("head",))
    assert found["tickets_outstanding_cents"] == expected["tickets_outstanding_cents"]
    # Void without an outcome, concluded with one; what waits for people still waits.
    before, after = tables_of(said(golden, "house", "verify.json")), tables_of(found)
    phases = {table: (before[table]["phase"], after[table]["phase"]) for table in before}
    assert phases == {
        "roulette-1": ("spinning", "idle"),
        "roulette-2": ("idle", "idle"),
        "triple-1": ("registered", "registered"),
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


def test_people_and_terminals_are_known_as_before(golden: Path, tmp_path: Path) -> None:
    journal = copy_of(golden, "house", tmp_path)
    with running(golden, journal, MINUTE) as house:
        for person, one in house.secrets["people"].items():
            console = "roulette-1" if one["position"] in ("dealer", "cashier") else None
            house.log_in(person, console)
            token = house.tokens[f"{person}@{console}" if console else person]
            status, me = house.call("GET", "/api/me", token=token)
            assert (status, me["person"]) == (200, person)
            assert one["position"] in me["positions"]
        status, _ = house.call("POST", "/api/log-in", {"name": "mei", "password": "not her password", "program": True})
        assert status == 401
        for place in house.secrets["terminal_keys"]:
            table, _, seat = place.partition("/")
            status, me = house.call("GET", "/api/me", token=house.key(table, seat))
            assert (status, me["terminal"]["table"], me["terminal"]["seat"]) == (200, table, seat)
        # A terminal that sends its old requests again gets its old answers.
        asked = [json.loads(line) for line in lines_of(golden / "house" / "requests.jsonl")]
        again = [one for one in asked if one["who"].startswith("seat ") and "version" in one["answer"]]
        assert len(again) > 50
        for one in again:
            token = house.key(one["table"], one["who"].removeprefix("seat "))
            answered = house.call("POST", f"/api/tables/{one['table']}/requests", one["request"], token)
            assert answered == (one["status"], one["answer"])
    assert verified(journal)["verifies"]


def test_play_goes_on_in_the_house(golden: Path, tmp_path: Path) -> None:
    """What waited is decided, what stopped goes on, tickets are redeemed, and every table plays a round."""
    journal = copy_of(golden, "house", tmp_path)
    toml = tomllib.loads((golden / "house" / "house.toml").read_text())
    games = {one["id"]: one["game"] for one in toml["tables"]}
    with running(golden, journal, MINUTE) as house:
        for person in ("mei", "arun", "siti", "chong", "devi"):
            house.log_in(person)
        for table in games:
            house.log_in("lena", table)
        dealer = {table: house.tokens[f"lena@{table}"] for table in games}
        # The proposal that waited for a second person.
        status, waiting = house.call("GET", "/api/proposals", token=house.tokens["chong"])
        assert status == 200
        (proposal,) = waiting["proposals"]
        assert (proposal["person"], proposal["table"]) == ("devi", "triple-1")
        house.approve(proposal["proposal"], "chong")
        # The held round: the console agrees with the wheel.
        house.ok(dealer["triple-1"], "triple-1", "register_result", outcome="5")
        assert "round_settled.v1" in _kinds(house.ok(dealer["triple-1"], "triple-1", "confirm_result"))
        # The matter that waited: an interrupted round does not go on.
        number = house.state("sands-1")["round"]
        decided = house.ok(
            house.tokens["arun"], "sands-1", "decide", round=number, ruling="stand", reason="it is seat 1's"
        )
        assert _kinds(decided) == ["decision_made.v1", "round_voided.v1"]
        # The table that had stopped in a round.
        status, answer = house.ask(house.tokens["arun"], "electronic-2", "resume_table", reason="it was mended")
        assert (status, answer["refusal"]) == (202, "needs_second_person"), answer
        house.approve(answer["proposal"], "siti")
        assert house.state("electronic-2")["phase"] == "idle"
        house.ok(dealer["triple-2"], "triple-2", "open_table")
        # The outstanding tickets, each at another table than its own, and once.
        for ticket, one in house.secrets["outstanding_tickets"].items():
            other = "triple-1" if one["table"] == "roulette-1" else "roulette-2"
            credits = house.state(other)["seats"]["1"]["credits"]
            house.ok(house.key(other, "1"), other, "redeem_ticket", ticket=ticket)
            assert house.state(other)["seats"]["1"]["credits"] == credits + one["cents"]
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
    for before in said(golden, "house", "verify.json")["tables"]:
        assert tables_of(found)[before["table"]]["rounds"] > before["rounds"]


def _kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["event"] for event in events]


def test_a_ticket_of_the_house_expires_after_thirty_days(golden: Path, tmp_path: Path) -> None:
    journal = copy_of(golden, "house", tmp_path)
    with running(golden, journal, 31 * DAY) as house:
        for ticket in house.secrets["outstanding_tickets"]:
            status, answer = house.ask(house.key("roulette-2", "1"), "roulette-2", "redeem_ticket", ticket=ticket)
            assert (status, answer["refusal"]) == (409, "ticket_has_expired")
