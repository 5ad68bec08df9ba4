"""Verification of the house chain: changed, removed or reordered entries, seals, snapshots, credentials and events."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.floor.opening import open_store
from roundhouse.house import writer as chains
from roundhouse.house.house import House
from roundhouse.house.writer import run_inline
from roundhouse.journal.seal import key_of, key_path, sealed_snapshot
from roundhouse.people.names import HOUSE_CHAIN, PersonId, Role
from roundhouse.table.names import Millis, SeatId
from tests.support.clocks import START
from tests.support.forgery import edit, finding, make_format_1, query, rechain, rewrite
from tests.support.house_tables import HouseTable, approve, command
from tests.support.houses import PASSWORD, ROULETTE, SETTINGS, enrolled, log_in, quick

HOUSE = "@house"


def an_evening(path: Path) -> None:
    """Write a table and its house to one file, with events of many types in the house chain."""
    store, key = open_store(path)
    house = House(store, key, SETTINGS, passwords=quick())
    for role in Role:
        name = PersonId(role.value.replace("_", "-"))
        assert run_inline(house.staff.add(None, name, role.value, (role,), PASSWORD, START)) is None
    table = HouseTable(ROULETTE, store, key)
    table.begin()
    table.round()
    supervisor = log_in(house, Role.PIT_SUPERVISOR)
    request = command("correct_result", round=1, outcome="9")
    needs = table.permission(house, supervisor, request)
    proposal = run_inline(house.approvals.propose(supervisor, ROULETTE, request, needs, START))  # type: ignore[arg-type]
    manager = log_in(house, Role.PIT_MANAGER)
    done = approve(house, manager, proposal.id, table.table, START)  # type: ignore[union-attr]
    assert table.approved(done).ok  # type: ignore[arg-type]
    enrolled(house, "1")
    enrolled(house, "2")
    run_inline(house.terminals.revoke(manager, next(iter(house.terminals.all())), "stolen", START))
    for _ in range(4):
        run_inline(house.sessions.log_in("dealer", "wrong", ROULETTE, START))
    run_inline(house.staff.unlock(manager, PersonId("dealer"), START))
    run_inline(
        house.staff.appoint(manager, PersonId("dealer"), Role.PIT_SUPERVISOR, START, Millis(START + 1000), START)
    )
    run_inline(house.acknowledge(manager, next(iter(house.alerts())), START))
    run_inline(house.terminals.enrol_code(log_in(house, Role.CASHIER), ROULETTE, SeatId("1"), START))
    run_inline(house.sessions.log_out(manager, START))
    store.close()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("house") / "house.db"
    patch = pytest.MonkeyPatch()
    patch.setattr(chains, "SNAPSHOT_EVERY", 20)
    an_evening(path)
    patch.undo()
    return path


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    for file in (original, key_path(original)):
        shutil.copy(file, tmp_path)
    return tmp_path / original.name


def found_in(path: Path, **options: Any) -> tuple[str, str | None, int | None] | None:
    discrepancy = finding(path, **options)
    return (discrepancy.what, discrepancy.table, discrepancy.entry) if discrepancy else None


def seq_of(path: Path, event: str) -> int:
    (row,) = query(
        path,
        "SELECT min(seq) FROM entries WHERE table_id = ? AND json_extract(CAST(body AS TEXT), '$.event.event') = ?",
        HOUSE,
        event,
    )
    return int(row[0])


def test_an_unmodified_house_verifies(path: Path) -> None:
    proven = verify_journal(path, None)
    assert proven.house is not None
    assert (proven.house.people, proven.house.terminals) == (7, 1)
    assert proven.house.entries == query(path, "SELECT count(*) FROM entries WHERE table_id = '@house'")[0][0]
    assert [table.table for table in proven.tables] == [ROULETTE]
    assert query(path, "SELECT count(*) FROM snapshots WHERE table_id = '@house'") != [(0,)]
    assert finding(path, noted=(proven.house.head,)) is None
    assert finding(path, noted=("0" * 64,)) is not None


def test_a_flipped_byte_in_any_entry_is_detected(path: Path) -> None:
    ((count,),) = query(path, "SELECT count(*) FROM entries WHERE table_id = '@house'")
    for seq in range(1, count + 1):
        body = query(path, "SELECT body FROM entries WHERE table_id = '@house' AND seq = ?", seq)[0][0]
        at = seq * 7919 % len(body)
        flipped = bytes([*body[:at], body[at] ^ 1, *body[at + 1 :]])
        edit(path, "UPDATE entries SET body = ? WHERE table_id = '@house' AND seq = ?", flipped, seq)
        assert found_in(path) == ("the entry does not continue the chain", HOUSE, seq)
        edit(path, "UPDATE entries SET body = ? WHERE table_id = '@house' AND seq = ?", body, seq)
    assert found_in(path) is None


def test_a_snapshot_of_an_earlier_version_is_accepted(path: Path) -> None:
    """Earlier versions did not record from which addresses people log in, or hashes of verifiers."""
    with sqlite3.connect(path) as file:
        query = "SELECT seq, hash, memory, derived FROM snapshots WHERE table_id = '@house'"
        seq, hash, memory, derived = file.execute(query).fetchone()

    def write(fields: dict[str, Any]) -> None:
        state = msgspec.json.encode(fields)
        seal = sealed_snapshot(key_of(path), HOUSE_CHAIN, seq, hash, state, derived).seal
        edit(path, "UPDATE snapshots SET memory = ?, seal = ? WHERE table_id = '@house'", state, seal)

    fields = msgspec.json.decode(memory)
    assert fields.pop("access")
    assert fields.pop("verifiers")
    fields.pop("gifts", None)
    write(fields)
    assert found_in(path) is None
    fields["people"].pop("dealer")
    write(fields)
    found = found_in(path)
    assert found is not None
    assert found[0] == "a snapshot differs from the replayed state"


@pytest.mark.parametrize("kind", ["password", "terminal"])
def test_an_exchanged_or_damaged_verifier_is_detected(path: Path, kind: str) -> None:
    with sqlite3.connect(path) as file:
        query = "SELECT name, verifier FROM credentials WHERE kind = ? ORDER BY name"
        name, verifier = file.execute(query, (kind,)).fetchone()
        (other,) = file.execute("SELECT verifier FROM credentials WHERE name != ?", (name,)).fetchone()
    for altered in (other, bytes((verifier[0] ^ 1, *verifier[1:]))):
        edit(path, "UPDATE credentials SET verifier = ? WHERE kind = ? AND name = ?", altered, kind, name)
        assert found_in(path) == ("the verifier of a credential was exchanged or damaged", HOUSE, None)
    edit(path, "UPDATE credentials SET verifier = ? WHERE kind = ? AND name = ?", verifier, kind, name)
    assert found_in(path) is None


@pytest.mark.parametrize("seq", [1, 5, 20])
def test_a_removed_entry_is_detected(path: Path, seq: int) -> None:
    edit(path, "DELETE FROM entries WHERE table_id = '@house' AND seq = ?", seq)
    assert found_in(path) == ("an entry is missing or out of order", HOUSE, seq)


def test_a_removed_entry_is_detected_after_renumbering_and_rechaining(path: Path) -> None:
    edit(path, "DELETE FROM entries WHERE table_id = '@house' AND seq = 20")
    edit(path, "UPDATE entries SET seq = -seq WHERE table_id = '@house' AND seq > 20")
    edit(path, "UPDATE entries SET seq = -seq - 1 WHERE table_id = '@house' AND seq < 0")
    rechain(path, HOUSE)
    assert found_in(path) is not None


def test_reordered_entries_are_detected(path: Path) -> None:
    for step in ("-1 WHERE seq = 9", "9 WHERE seq = 10", "10 WHERE seq = -1"):
        edit(path, f"UPDATE entries SET seq = {step} AND table_id = '@house'")
    assert found_in(path) == ("the entry does not continue the chain", HOUSE, 9)
    rechain(path, HOUSE)
    assert found_in(path) is not None


def test_removed_last_entries_are_detected_by_their_seal_or_a_recorded_head(path: Path) -> None:
    proven = verify_journal(path, None)
    assert proven.house is not None
    last = proven.house.entries
    edit(path, "DELETE FROM entries WHERE table_id = '@house' AND seq = ?", last)
    assert found_in(path) == ("an entry is missing", HOUSE, last)
    edit(path, "DELETE FROM seals WHERE table_id = '@house' AND seq = ?", last)
    assert found_in(path) is None
    assert found_in(path, noted=(proven.house.head,)) is not None


def test_a_seal_made_with_another_key_is_detected(path: Path) -> None:
    edit(path, "UPDATE seals SET seal = zeroblob(32) WHERE table_id = '@house' AND seq = 2")
    assert found_in(path) == ("the seal does not match the entry and the key", HOUSE, 2)
    assert found_in(path, with_key=False) is None


def set_event(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda entry: entry["event"].update(values)


def set_by(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda entry: entry["by"].update(values)


@pytest.mark.parametrize(
    ("event", "change"),
    [
        ("person_added.v1", set_event(person="Not a name")),
        ("person_added.v1", set_by(kind="nobody")),
        ("logged_in.v1", set_event(session="s9")),
        ("logged_in.v1", set_event(person="cashier")),
        ("proposed.v1", set_by(person="cashier")),
        ("proposed.v1", set_event(expires=1)),
        ("proposal_approved.v1", set_by(person="pit-supervisor", position="pit_supervisor")),
        ("proposal_approved.v1", set_by(person="dealer", position="dealer")),
        ("proposal_approved.v1", set_event(proposal="p2")),
        ("enrolment_offered.v1", set_by(person="dealer", position="dealer")),
        ("terminal_enrolled.v1", set_event(bill_acceptor=True)),
        ("terminal_enrolled.v1", set_event(seat="5")),
        ("terminal_enrolled.v1", set_event(offer="e9")),
        ("terminal_revoked.v1", set_by(position="shift_manager")),
        ("log_in_failed.v1", set_event(failures=0)),
        ("log_in_failed.v1", set_event(failures=2)),
        ("person_locked.v1", set_event(person="cashier")),
        ("person_unlocked.v1", set_by(person="dealer", position="dealer")),
        ("person_unlocked.v1", set_event(person="cashier")),
        ("appointed.v1", set_event(position="casino_manager")),
        ("appointed.v1", set_event(until=2)),
        ("alert_acknowledged.v1", set_event(alert="n7")),
        ("alert_raised.v1", set_event(alert="n7")),
        ("logged_out.v1", set_event(session="s77")),
        ("request_refused.v1", set_event(times=0)),
        ("logged_out.v1", lambda entry: entry.update(at=5)),
        ("logged_out.v1", lambda entry: entry.update(seq=5)),
        ("logged_out.v1", set_event(event="logged_out.v9")),
    ],
)
def test_an_impossible_event_is_detected_without_the_key(
    path: Path, event: str, change: Callable[[dict[str, Any]], None]
) -> None:
    """Even with recomputed hashes, an event that the house would never record is detected."""
    edit(path, "DELETE FROM snapshots WHERE table_id = '@house'")
    seq = seq_of(path, event)
    rewrite(path, HOUSE, seq, change)
    discrepancy = finding(path, with_key=False)
    assert discrepancy is not None
    assert discrepancy.table == HOUSE
    assert discrepancy.entry is not None
    assert discrepancy.entry >= seq


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        (
            "UPDATE snapshots SET memory = x'7b7d' WHERE table_id = '@house'",
            "a snapshot differs from the replayed state",
        ),
        ("UPDATE snapshots SET seq = seq + 1 WHERE table_id = '@house'", "a snapshot has a wrong hash"),
        ("INSERT INTO requests VALUES ('@house', 'x', 1)", "the house's chain must have no requests"),
        ("INSERT INTO rounds VALUES ('@house', 1, 1, x'', x'00')", "the house's chain must have no rounds"),
        (
            "DELETE FROM credentials WHERE kind = 'password' AND name = 'dealer'",
            "the credentials are not those of the people and terminals of the house",
        ),
        (
            "INSERT INTO credentials VALUES ('terminal', 't99', x'00')",
            "the credentials are not those of the people and terminals of the house",
        ),
        (
            "INSERT INTO credentials VALUES ('password', 'ghost', x'00')",
            "the credentials are not those of the people and terminals of the house",
        ),
        (
            "DELETE FROM credentials WHERE kind = 'terminal'",
            "the credentials are not those of the people and terminals of the house",
        ),
    ],
)
def test_snapshots_indexes_and_credentials_are_checked_against_the_entries(path: Path, sql: str, what: str) -> None:
    edit(path, sql)
    discrepancy = finding(path)
    assert discrepancy is not None
    assert discrepancy.what == what


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"second": "shift-manager"}, "the entry names two persons, but the house recorded no approval by them"),
        ({"who": "dealer"}, "the entry names two persons, but the house recorded no approval by them"),
        ({"who": "ghost"}, "the entry names a person whom the house does not know"),
    ],
)
def test_persons_named_at_a_table_must_match_the_house_chain(path: Path, change: dict[str, str], what: str) -> None:
    """Without the key, a table chain with recomputed hashes still contradicts the house chain."""
    sql = "SELECT max(seq) FROM entries WHERE table_id = 'roulette-1' AND instr(body, 'correct_result')"
    ((seq,),) = query(path, sql)
    rewrite(path, ROULETTE, seq, lambda entry: entry["request"].update(change))
    discrepancy = finding(path, with_key=False)
    assert discrepancy is not None
    assert (discrepancy.what, discrepancy.entry) == (what, seq)


def test_journals_without_a_house_and_in_format_1_verify(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    store, key = open_store(path)
    HouseTable(ROULETTE, store, key).begin()
    store.close()
    make_format_1(path)
    edit(path, "DROP TABLE credentials")
    proven = verify_journal(path, key)
    assert proven.house is None
    assert proven.notes == []
