"""Nothing is answered before it is durable: a journal that fails, a process that dies, a chain that was touched."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.floor.opening import CannotOpen, open_house, open_store
from roundhouse.house import writer as chains
from roundhouse.house.approvals import ApprovalNeeded
from roundhouse.house.house import House
from roundhouse.house.sessions import Session
from roundhouse.journal.entry import GENESIS, link
from roundhouse.journal.seal import key_path
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch, JournalDamaged, JournalUnavailable, Row, Store
from roundhouse.people import events as e
from roundhouse.people.admit import admit
from roundhouse.people.apply import apply
from roundhouse.people.events import decode, encode
from roundhouse.people.names import HOUSE_CHAIN, PersonId, Refused, Role
from roundhouse.people.state import HouseState
from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis, SeatId
from tests.house.building import KEY, PASSWORD, ROULETTE, SETTINGS, START, enrolled, log_in, quick, staffed_house
from tests.house.test_powers import CORRECT, METHODS, OTHER
from tests.journal.memory_store import MemoryStore
from tests.proof.forging import edit, make_format_1


class Plug:
    """A way to the store that can be pulled, before the batch is there or right after."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.pull = ""

    def __call__(self, batch: Batch) -> None:
        if self.pull == "before":
            raise JournalUnavailable("the disk is full")
        self._store.commit(batch)
        if self.pull == "after":
            raise KeyboardInterrupt("the process is killed")


def replayed(store: Store) -> HouseState:
    """The state as anyone derives it who has the rows alone."""
    state, hash = HouseState(), GENESIS
    for row in store.rows(HOUSE_CHAIN):
        hash = link(hash, row.body)
        assert row.hash == hash
        entry = decode(row.body)
        assert admit(state, entry) is None, entry
        apply(state, entry)
    return state


def plugged(store: Store) -> tuple[House, Plug]:
    plug = Plug(store)
    return House(store, KEY, SETTINGS, plug, quick()), plug


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    house = staffed_house(store)
    house.add_person(None, OTHER, "Somebody", (Role.CASHIER,), PASSWORD, START)
    return store


MANAGER_DOES: dict[str, Callable[[House, Session], object]] = {
    **{name: METHODS[name] for name in METHODS if name not in ("approve", "reject", "start_house", "revoke")},
    "revoke": lambda h, by: h.revoke(by, next(iter(h.terminals())), "stolen", START),
    "log_in": lambda h, by: h.log_in("dealer", PASSWORD, ROULETTE, START),
    "failed": lambda h, by: h.log_in("dealer", "wrong", ROULETTE, START),
    "enrol": lambda h, by: h.enrol("AAAAAAAA", START),
    "unlock_person": lambda h, by: h.unlock_person(by, PersonId("pit-manager"), START),
    "end_appointment": lambda h, by: h.end_appointment(by, next(iter(h.appointments())), START),
    "acknowledge": lambda h, by: h.acknowledge(by, next(iter(h.alerts())), START),
    "approve": lambda h, by: h.approve_what(by, h.proposals(START)[0].id, waiting(h).proposed.effect, START),
    "reject": lambda h, by: h.reject(by, h.proposals(START)[0].id, "no", START),
    "sweep": lambda h, by: h.sweep(Millis(START + 10**9)),
}


def waiting(house: House) -> Any:
    return next(iter(house.chain.state.proposals.values()))


def prepared(store: MemoryStore) -> tuple[House, Plug, Session]:
    """Something of everything that the methods act on."""
    house, plug = plugged(store)
    enrolled(house, "3")
    house.lock_person(None, PersonId("pit-manager"), "to be unlocked", START)
    house.appoint(None, OTHER, Role.DEALER, START, Millis(START + 1000), START)
    house.alert("wheel", "silent", START)
    supervisor = log_in(house, Role.PIT_SUPERVISOR)
    needs = ApprovalNeeded(StaffPosition.PIT_SUPERVISOR, (StaffPosition.CASINO_MANAGER,), ())
    house.propose(supervisor, ROULETTE, CORRECT, needs, START)
    return house, plug, log_in(house, Role.CASINO_MANAGER)


@pytest.mark.parametrize("method", MANAGER_DOES)
def test_when_the_journal_cannot_be_written_nothing_has_happened(method: str, store: MemoryStore) -> None:
    house, plug, session = prepared(store)
    before, rows = encode(replayed(store)), len(list(store.rows(HOUSE_CHAIN)))
    plug.pull = "before"
    with pytest.raises(JournalUnavailable):
        MANAGER_DOES[method](house, session)
    assert len(list(store.rows(HOUSE_CHAIN))) == rows
    assert encode(house.chain.current()) == before
    plug.pull = ""
    answer = MANAGER_DOES[method](house, session)
    assert method in ("failed", "enrol") or not isinstance(answer, Refused), answer
    assert encode(house.chain.state) == encode(replayed(store))
    assert len(list(store.rows(HOUSE_CHAIN))) > rows


@pytest.mark.parametrize("method", MANAGER_DOES)
def test_a_death_between_commit_and_answer_is_harmless(method: str, store: MemoryStore) -> None:
    """What was committed has happened, once; the house opens again and goes on."""
    house, plug, session = prepared(store)
    rows = len(list(store.rows(HOUSE_CHAIN)))
    plug.pull = "after"
    with pytest.raises(KeyboardInterrupt):
        MANAGER_DOES[method](house, session)
    assert len(list(store.rows(HOUSE_CHAIN))) > rows
    again, _ = plugged(store)
    assert encode(again.chain.state) == encode(replayed(store))
    manager = log_in(again, Role.CASINO_MANAGER) if method != "own_password" else None
    if manager is not None:
        assert again.alert("wheel", "it goes on", START, who=manager) is not None
    assert encode(again.chain.state) == encode(replayed(store))


def test_an_enrolment_whose_answer_was_lost_is_made_again_with_another_code(store: MemoryStore) -> None:
    house, plug = plugged(store)
    code = house.enrol_code(log_in(house, Role.PIT_MANAGER), ROULETTE, SeatId("1"), START)
    assert isinstance(code, str)
    plug.pull = "after"
    with pytest.raises(KeyboardInterrupt):
        house.enrol(code, START)
    again, _ = plugged(store)
    assert list(again.terminals()) == ["t1"]
    terminal, key = enrolled(again, "1")
    assert list(again.terminals()) == [terminal.number]
    assert again.terminal(key) == terminal


def test_a_restart_ends_the_sessions_on_record() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    log_in(house, Role.DEALER)
    assert house.chain.state.sessions
    again, _ = plugged(store)
    again.start("1", "a", START)
    assert not again.chain.state.sessions
    assert [entry.event for entry in again.entries()][-1] == e.HouseStarted("1", "a", SETTINGS.hash, "SGD")


def test_a_snapshot_gives_the_same_state_and_a_wrong_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "SNAPSHOT_EVERY", 5)
    store = MemoryStore()
    house = staffed_house(store)
    enrolled(house)
    for _ in range(20):
        house.log_in("dealer", "wrong", ROULETTE, START)
    snapshot = store.snapshot(HOUSE_CHAIN)
    assert snapshot is not None
    assert snapshot.seq > 20
    again, _ = plugged(store)
    assert encode(again.chain.state) == encode(replayed(store)) == encode(house.chain.state)
    store._snapshots[HOUSE_CHAIN] = msgspec.structs.replace(snapshot, hash=bytes(32))
    with pytest.raises(JournalDamaged, match="snapshot"):
        plugged(store)


def test_a_chain_that_was_touched_is_not_opened() -> None:
    store = MemoryStore()
    staffed_house(store)
    rows = store._rows[HOUSE_CHAIN]
    rows[2] = Row(rows[2].seq, rows[2].body.replace(b"dealer", b"healer"), rows[2].hash, None)
    with pytest.raises(JournalDamaged, match="entry 3 of the house"):
        plugged(store)


def test_whoever_wants_to_know_is_told_after_it_is_durable() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    told: list[tuple[int, int]] = []
    house.chain.on_recorded = lambda entries: told.append((entries[-1].seq, store.head(HOUSE_CHAIN).seq))
    log_in(house, Role.DEALER)
    house.log_in("dealer", "wrong", ROULETTE, START)
    assert told
    assert all(seq == head for seq, head in told)


def test_no_secret_is_in_the_chain(store: MemoryStore) -> None:
    house, _ = plugged(store)
    made = house.log_in("dealer", PASSWORD, ROULETTE, START)
    assert not isinstance(made, Refused)
    house.log_in("dealer", "a wrong one", ROULETTE, START)
    house.set_password(None, PersonId("dealer"), "brand new one", START)
    everything = b"".join(row.body for row in store.rows(HOUSE_CHAIN))
    token = made.token.partition(".")[2]
    for secret in (PASSWORD, "a wrong one", "brand new one", token, made.session.csrf, "argon2"):
        assert secret.encode() not in everything, secret


def test_a_house_on_disk_is_its_owners_alone_and_one_process_has_it(tmp_path: Path) -> None:
    journal = tmp_path / "new" / "house.db"
    store, key = open_store(journal)
    house = open_house(SETTINGS, store, key)
    house._passwords = quick()
    house.add_person(None, PersonId("anna"), "Anna", (Role.DEALER,), PASSWORD, START)
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
    with pytest.raises(CannotOpen, match="not the one that sealed"):
        open_store(journal)
    (tmp_path / "elsewhere").replace(key_path(journal))
    store, key = open_store(journal)
    assert open_house(SETTINGS, store, key).people()[PersonId("anna")].name == "Anna"
    store.close()


def test_a_folder_that_cannot_be_made_and_a_journal_from_the_future(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(CannotOpen, match="cannot write"):
        open_store(tmp_path / "file" / "house.db")
    store, _ = open_store(tmp_path / "house.db")
    store._db.execute("UPDATE meta SET value = 9")
    store.close()
    with pytest.raises(CannotOpen, match="format 9"):
        open_store(tmp_path / "house.db")


def test_a_journal_that_is_older_than_the_house_gets_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    SqliteStore(path).close()
    make_format_1(path)
    edit(path, "DROP TABLE credentials")
    store = SqliteStore(path)
    assert store.credentials() == []
    store.close()
