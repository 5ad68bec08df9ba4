"""The house answers only after a commit: failing journals, killed processes, damaged chains and file permissions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.floor.opening import CannotOpen, open_house, open_store
from roundhouse.house import writer as chains
from roundhouse.house.approvals import ApprovalNeeded
from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.sessions import LogIn
from roundhouse.house.writer import run_inline
from roundhouse.journal.seal import key_path
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalDamaged, JournalUnavailable, Row, Store
from roundhouse.people import events as e
from roundhouse.people.events import encode
from roundhouse.people.names import HOUSE_CHAIN, HouseRefused, PersonId, Role
from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis, SeatId
from tests.people.test_rights import CORRECT, METHODS, OTHER
from tests.support.clocks import START
from tests.support.faulty_store import Fault, FaultyStore
from tests.support.houses import KEY, PASSWORD, ROULETTE, SETTINGS, enrolled, log_in, quick, replayed, staffed_house
from tests.support.memory_store import MemoryStore


def open_again(store: Store) -> House:
    return House(store, KEY, SETTINGS, passwords=quick())


@pytest.fixture
def store() -> FaultyStore:
    store = FaultyStore()
    house = staffed_house(store)
    run_inline(house.staff.add(None, OTHER, "Other", (Role.CASHIER,), PASSWORD, START))
    return store


MANAGER_DOES: dict[str, Callable[[House, Session], object]] = {
    **{name: METHODS[name] for name in METHODS if name not in ("approve", "reject", "start_house", "revoke")},
    "revoke": lambda h, by: run_inline(h.terminals.revoke(by, next(iter(h.terminals.all())), "stolen", START)),
    "log_in": lambda h, by: run_inline(h.sessions.log_in("dealer", PASSWORD, ROULETTE, START)),
    "failed": lambda h, by: run_inline(h.sessions.log_in("dealer", "wrong", ROULETTE, START)),
    "enrol": lambda h, by: run_inline(h.terminals.enrol("AAAAAAAA", START)),
    "unlock_person": lambda h, by: run_inline(h.staff.unlock(by, PersonId("pit-manager"), START)),
    "end_appointment": lambda h, by: run_inline(h.staff.end_appointment(by, next(iter(h.staff.appointments())), START)),
    "acknowledge": lambda h, by: run_inline(h.acknowledge(by, next(iter(h.alerts())), START)),
    "approve": lambda h, by: run_inline(
        h.approvals.approve(by, h.approvals.waiting(START)[0].id, waiting(h).proposed.effect, START)
    ),
    "reject": lambda h, by: run_inline(h.approvals.reject(by, h.approvals.waiting(START)[0].id, "no", START)),
    "sweep": lambda h, by: run_inline(h.sessions.sweep(Millis(START + 10**9))),
}


def waiting(house: House) -> Any:
    return next(iter(house.writer.state.proposals.values()))


def prepare(store: FaultyStore) -> tuple[House, Session]:
    """Open a house with one object of each kind that the methods act on."""
    house = open_again(store)
    enrolled(house, "3")
    run_inline(house.staff.lock(None, PersonId("pit-manager"), "to be unlocked", START))
    run_inline(house.staff.appoint(None, OTHER, Role.DEALER, START, Millis(START + 1000), START))
    run_inline(house.alert("wheel", "silent", START))
    supervisor = log_in(house, Role.PIT_SUPERVISOR)
    needs = ApprovalNeeded(StaffPosition.PIT_SUPERVISOR, (StaffPosition.CASINO_MANAGER,), ())
    run_inline(house.approvals.propose(supervisor, ROULETTE, CORRECT, needs, START))
    return house, log_in(house, Role.CASINO_MANAGER)


@pytest.mark.parametrize("method", MANAGER_DOES)
def test_a_failed_write_leaves_the_house_unchanged(method: str, store: FaultyStore) -> None:
    house, session = prepare(store)
    before, rows = encode(replayed(store)), len(list(store.rows(HOUSE_CHAIN)))
    store.fault = Fault.NOT_WRITTEN
    with pytest.raises(JournalUnavailable):
        MANAGER_DOES[method](house, session)
    assert len(list(store.rows(HOUSE_CHAIN))) == rows
    assert encode(house.writer.state) == before
    store.fault = Fault.NONE
    answer = MANAGER_DOES[method](house, session)
    assert method in ("failed", "enrol") or not isinstance(answer, HouseRefused), answer
    assert encode(house.writer.state) == encode(replayed(store))
    assert len(list(store.rows(HOUSE_CHAIN))) > rows


@pytest.mark.parametrize("method", MANAGER_DOES)
def test_a_kill_between_commit_and_answer_is_harmless(method: str, store: FaultyStore) -> None:
    """A committed change is applied exactly once, and the house can be opened again."""
    house, session = prepare(store)
    rows = len(list(store.rows(HOUSE_CHAIN)))
    store.fault = Fault.KILLED
    with pytest.raises(KeyboardInterrupt):
        MANAGER_DOES[method](house, session)
    assert len(list(store.rows(HOUSE_CHAIN))) > rows
    store.fault = Fault.NONE
    again = open_again(store)
    assert encode(again.writer.state) == encode(replayed(store))
    manager = log_in(again, Role.CASINO_MANAGER) if method != "own_password" else None
    if manager is not None:
        assert run_inline(again.alert("wheel", "working again", START, caller=manager)) is not None
    assert encode(again.writer.state) == encode(replayed(store))


def test_an_enrolment_with_a_lost_answer_is_repeated_with_another_code(store: FaultyStore) -> None:
    house = open_again(store)
    code = run_inline(house.terminals.enrol_code(log_in(house, Role.PIT_MANAGER), ROULETTE, SeatId("1"), START))
    assert isinstance(code, str)
    store.fault = Fault.KILLED
    with pytest.raises(KeyboardInterrupt):
        run_inline(house.terminals.enrol(code, START))
    store.fault = Fault.NONE
    again = open_again(store)
    assert list(again.terminals.all()) == ["t1"]
    terminal, key = enrolled(again, "1")
    assert list(again.terminals.all()) == [terminal.number]
    assert again.terminals.find(key) == terminal


def test_a_restart_ends_all_sessions() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    log_in(house, Role.DEALER)
    assert house.writer.state.sessions
    again = open_again(store)
    run_inline(again.start("1", "a", START))
    assert not again.writer.state.sessions
    assert [entry.event for entry in again.entries()][-1] == e.HouseStarted("1", "a", SETTINGS.hash, "SGD")


def test_a_snapshot_gives_the_replayed_state_and_a_wrong_one_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "SNAPSHOT_EVERY", 5)
    store = MemoryStore()
    house = staffed_house(store)
    enrolled(house)
    for _ in range(20):
        run_inline(house.sessions.log_in("dealer", "wrong", ROULETTE, START))
    snapshot, before = store.snapshots(HOUSE_CHAIN)
    assert snapshot.seq > before.seq > 15
    again = open_again(store)
    assert encode(again.writer.state) == encode(replayed(store)) == encode(house.writer.state)
    forged = msgspec.structs.replace(snapshot, memory=snapshot.memory.replace(b"dealer", b"healer"))
    assert forged.memory != snapshot.memory
    for wrong in (forged, msgspec.structs.replace(snapshot, hash=bytes(32)), msgspec.structs.replace(snapshot, seq=3)):
        store._snapshots[HOUSE_CHAIN] = [wrong, before]
        again = open_again(store)
        assert encode(again.writer.state) == encode(house.writer.state)


def test_a_snapshot_of_an_earlier_version_is_replayed_with_its_log_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "SNAPSHOT_EVERY", 5)
    store = MemoryStore()
    house = staffed_house(store)
    log_in(house, Role.DEALER)
    snapshot, *_ = store.snapshots(HOUSE_CHAIN)
    fields = msgspec.json.decode(snapshot.memory)
    del fields["access"]
    store._snapshots[HOUSE_CHAIN] = [msgspec.structs.replace(snapshot, memory=encode(fields))]
    again = open_again(store)
    assert again.writer.state.access_of(PersonId("dealer")).addresses == ("",)
    assert encode(again.writer.state) == encode(house.writer.state)


def test_an_edited_chain_is_not_opened() -> None:
    store = MemoryStore()
    staffed_house(store)
    rows = store._rows[HOUSE_CHAIN]
    rows[2] = Row(rows[2].seq, rows[2].body.replace(b"dealer", b"healer"), rows[2].hash, None)
    with pytest.raises(JournalDamaged, match="entry 3 of the house"):
        open_again(store)


def test_entries_are_published_only_after_the_commit() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    published: list[tuple[int, int]] = []
    house.writer.on_recorded = lambda entries: published.append((entries[-1].seq, store.head(HOUSE_CHAIN).seq))
    log_in(house, Role.DEALER)
    run_inline(house.sessions.log_in("dealer", "wrong", ROULETTE, START))
    assert published
    assert all(seq == head for seq, head in published)


def test_no_secret_is_in_the_chain(store: FaultyStore) -> None:
    house = open_again(store)
    log_in_result = run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START))
    assert not isinstance(log_in_result, HouseRefused)
    run_inline(house.sessions.log_in("dealer", "a wrong one", ROULETTE, START))
    run_inline(house.staff.set_password(None, PersonId("dealer"), "brand new one", START))
    content = b"".join(row.body for row in store.rows(HOUSE_CHAIN))
    token = log_in_result.token.partition(".")[2]
    for secret in (PASSWORD, "a wrong one", "brand new one", token, log_in_result.session.csrf, "argon2"):
        assert secret.encode() not in content, secret


def test_only_the_owner_and_one_process_can_open_a_house(tmp_path: Path) -> None:
    journal = tmp_path / "new" / "house.db"
    store, key = open_store(journal)
    house = open_house(SETTINGS, store, key)
    house.hashing.passwords = quick()
    run_inline(house.staff.add(None, PersonId("anna"), "Anna", (Role.DEALER,), PASSWORD, START))
    for path in journal.parent.iterdir():
        if path.suffix != ".lock":
            assert path.stat().st_mode & 0o077 == 0, path
    with pytest.raises(CannotOpen, match="in use by another process"):
        open_store(journal)
    store.close()
    key_path(journal).rename(tmp_path / "elsewhere")
    with pytest.raises(CannotOpen, match="is missing"):
        open_store(journal)
    key_path(journal).write_bytes(bytes(32))
    with pytest.raises(CannotOpen, match="did not seal"):
        open_store(journal)
    (tmp_path / "elsewhere").replace(key_path(journal))
    store, key = open_store(journal)
    assert open_house(SETTINGS, store, key).staff.people()[PersonId("anna")].name == "Anna"
    store.close()


def test_a_password_exchanged_in_the_file_opens_no_session(tmp_path: Path) -> None:
    """A person who can write the file must not log in as another with their own password."""
    journal = tmp_path / "house.db"
    store, key = open_store(journal)
    house = open_house(SETTINGS, store, key)
    house.hashing.passwords = quick()
    for name, password in (("anna", PASSWORD), ("berta", "another password 7")):
        run_inline(house.staff.add(None, PersonId(name), name.title(), (Role.SHIFT_MANAGER,), password, START))
    sql = "UPDATE credentials SET verifier = (SELECT verifier FROM credentials WHERE name = ?) WHERE name = ?"
    store._db.execute(sql, ("anna", "berta"))
    store.close()
    store, key = open_store(journal)
    house = open_house(SETTINGS, store, key)
    house.hashing.passwords = quick()
    for name, allowed in (("anna", True), ("berta", False)):
        found = run_inline(house.sessions.log_in(PersonId(name), PASSWORD, None, START))
        assert isinstance(found, LogIn) is allowed
    assert run_inline(house.staff.set_password(None, PersonId("berta"), PASSWORD, START)) is None
    assert isinstance(run_inline(house.sessions.log_in(PersonId("berta"), PASSWORD, None, START)), LogIn)
    store.close()


def test_an_unusable_folder_and_a_newer_format_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(CannotOpen, match="Could not write"):
        open_store(tmp_path / "file" / "house.db")
    store, _ = open_store(tmp_path / "house.db")
    store._db.execute("UPDATE meta SET value = 9")
    store.close()
    with pytest.raises(CannotOpen, match="format 9"):
        open_store(tmp_path / "house.db")


def test_opening_a_journal_of_format_1_adds_the_missing_tables(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    store = SqliteStore(path)
    for name in ("credentials", "entry_index", "journal", "tree", "checkpoints"):
        store._db.execute(f"DROP TABLE {name}")
    store._db.execute("UPDATE meta SET value = 1 WHERE name = 'format'")
    store.close()
    store = SqliteStore(path)
    assert store.credentials() == []
    store.close()


@pytest.mark.parametrize("method", MANAGER_DOES)
def test_a_change_written_despite_an_error_is_applied_once(method: str, store: FaultyStore) -> None:
    """The commit is in doubt, so the house reads the journal."""
    house, session = prepare(store)
    rows = len(list(store.rows(HOUSE_CHAIN)))
    store.fault = Fault.WRITTEN
    answer = MANAGER_DOES[method](house, session)
    assert method in ("failed", "enrol") or not isinstance(answer, HouseRefused), answer
    assert len(list(store.rows(HOUSE_CHAIN))) > rows
    assert encode(house.writer.state) == encode(replayed(store))
    verifiers = {(one.kind, one.name): one.verifier for one in store.credentials()}
    assert house.writer.version.verifiers == verifiers
