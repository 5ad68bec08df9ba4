"""The contract of a store. Every store implementation inherits these tests unchanged."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import apsw
import pytest

from roundhouse.journal.entry import BEGINNING, GENESIS, ChainHash, Seq
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import (
    Batch,
    Credential,
    Head,
    Issued,
    JournalDamaged,
    JournalUnavailable,
    Redeemed,
    Row,
    Snapshot,
    Store,
    StoredRound,
    StoredTicket,
    TicketIsTaken,
    TicketRow,
)
from roundhouse.rules.names import Cents
from roundhouse.table.names import Millis, RequestId, RoundNumber, TableId, TicketId
from tests.support.memory_store import MemoryStore

T1, T2 = TableId("one"), TableId("two")


def row(seq: int, request: str | None = None) -> Row:
    return Row(
        Seq(seq), f"body {seq}".encode(), ChainHash(bytes([seq % 256]) * 32), RequestId(request) if request else None
    )


def record(content: bytes, version: int = 1) -> StoredRound:
    return StoredRound(content, version, b"seal of " + content)


def snapshot(seq: int) -> Snapshot:
    return Snapshot(Seq(seq), row(seq).hash, f"m{seq}".encode(), f"d{seq}".encode(), f"s{seq}".encode())


def batch(table: TableId, *rows: Row, **more: object) -> Batch:
    fields: dict[str, object] = {"rounds": {}, "issued": [], "redeemed": [], "seal": b"seal", **more}
    fields.setdefault("follows", row(rows[0].seq - 1).hash)
    return Batch(table, rows=list(rows), **fields)  # type: ignore[arg-type]


S = TypeVar("S", bound=Store)


def with_tables(store: S) -> S:
    for table in (T1, T2):
        store.add_table(table, "rulebook")
    return store


class StoreContract:
    """The behaviour that the writer relies on. A subclass provides the fixture ``store``."""

    def test_an_empty_store_finds_no_data(self, store: Store) -> None:
        assert store.head(T1) == Head(BEGINNING, GENESIS)
        assert list(store.rows(T1)) == []
        assert store.row(T1, Seq(1)) is None
        assert store.seqs_of(T1, [RequestId("a")]) == {}
        assert store.round(T1, RoundNumber(1)) is None
        assert store.ticket(TicketId("1")) is None
        assert list(store.ticket_rows()) == []
        assert store.next_seal(T1, Seq(1)) is None
        assert store.snapshots(T1) == []
        assert store.rulebook("x") is None

    def test_several_threads_can_read_at_the_same_time(self, store: Store) -> None:
        """A reader in another thread must not make the journal appear to be in use."""
        store.commit(batch(T1, row(1, "a")))
        finished = threading.Event()
        faults: list[Exception] = []

        def read_repeatedly() -> None:
            try:
                while not finished.is_set():
                    assert store.row(T1, Seq(1)) is not None
            except Exception as fault:
                faults.append(fault)

        thread = threading.Thread(target=read_repeatedly)
        thread.start()
        try:
            for _ in range(300):
                assert store.seqs_of(T1, [RequestId("a")]) == {"a": 1}
        finally:
            finished.set()
            thread.join()
        assert faults == []

    def test_rows_are_returned_unchanged_and_separately_for_each_table(self, store: Store) -> None:
        store.commit(batch(T1, row(1, "a"), row(2, "b")))
        store.commit(batch(T2, row(1, "a")))
        store.commit(batch(T1, row(3)))
        assert [(r.seq, r.body, r.hash) for r in store.rows(T1)] == [
            (r.seq, r.body, r.hash) for r in map(row, (1, 2, 3))
        ]
        assert [r.seq for r in store.rows(T1, Seq(2))] == [3]
        assert store.head(T1) == Head(Seq(3), row(3).hash)
        assert store.head(T2).seq == 1
        found = store.row(T1, Seq(2))
        assert found is not None
        assert found.body == b"body 2"
        assert store.row(T1, Seq(4)) is None

    def test_a_request_is_found_by_its_id(self, store: Store) -> None:
        store.commit(batch(T1, row(1, "a"), row(2, "b")))
        assert store.seqs_of(T1, [RequestId("b"), RequestId("c")]) == {"b": 2}
        assert store.seqs_of(T2, [RequestId("b")]) == {}

    def test_each_batch_has_one_seal_at_its_last_row(self, store: Store) -> None:
        store.commit(batch(T1, row(1), row(2)))
        store.commit(batch(T1, row(3)))
        assert list(store.seals(T1)) == [(2, b"seal"), (3, b"seal")]
        assert store.last_seal(T1) == (3, b"seal")
        assert store.last_seal(T2) is None
        assert [store.next_seal(T1, Seq(seq)) for seq in (1, 2, 3, 4)] == [
            (2, b"seal"),
            (2, b"seal"),
            (3, b"seal"),
            None,
        ]

    def test_a_rejected_batch_leaves_no_rows_tickets_or_rounds(self, store: Store) -> None:
        store.commit(batch(T1, row(1, "a")))
        ticket = Issued(TicketId("9"), Cents(5), Millis(7), Seq(2))
        for bad in (
            batch(T1, row(2), row(2), issued=[ticket]),
            batch(T1, row(2, "b"), row(3, "a"), rounds={1: record(b"x")}),
        ):
            with pytest.raises(JournalUnavailable):
                store.commit(bad)
            assert store.head(T1).seq == 1
            assert store.seqs_of(T1, [RequestId("b")]) == {}
            assert store.ticket(TicketId("9")) is None
            assert store.round(T1, RoundNumber(1)) is None
        store.commit(batch(T1, row(2, "b")))
        assert store.head(T1).seq == 2

    @pytest.mark.parametrize("seqs", [(2,), (1, 3), (1, 99, 3), (2, 1), (1, 1)])
    def test_rows_with_a_gap_are_rejected(self, store: Store, seqs: tuple[int, ...]) -> None:
        with pytest.raises(JournalUnavailable):
            store.commit(batch(T1, *(row(seq) for seq in seqs)))
        assert store.head(T1).seq == 0
        store.commit(batch(T1, row(1)))
        with pytest.raises(JournalUnavailable):
            store.commit(batch(T1, row(3)))
        assert store.head(T1).seq == 1

    @pytest.mark.parametrize("after", [0, 1, 2])
    def test_a_batch_that_follows_another_entry_is_rejected(self, store: Store, after: int) -> None:
        if after:
            store.commit(batch(T1, *(row(seq) for seq in range(1, after + 1))))
        for more in ({}, {"rounds": {1: record(b"x")}}):
            with pytest.raises(JournalUnavailable):
                store.commit(batch(T1, row(after + 1), follows=row(7).hash, **more))
            assert store.head(T1) == Head(Seq(after), row(after).hash)
            assert store.round(T1, RoundNumber(1)) is None
        store.commit(batch(T1, row(after + 1)))
        assert store.head(T1).seq == after + 1

    def test_the_first_entry_of_a_table_has_the_number_1(self, store: Store) -> None:
        for first in (2, 3):
            with pytest.raises(JournalUnavailable):
                store.commit(batch(T1, row(first), follows=GENESIS))
        store.commit(batch(T1, row(1)))
        for first in (1, 2):
            with pytest.raises(JournalUnavailable):
                store.commit(batch(T1, row(first), follows=GENESIS))
        assert store.head(T1).seq == 1

    def test_a_request_id_may_contain_invisible_characters(self, store: Store) -> None:
        store.commit(batch(T1, row(1, "nul\0nul"), row(2, "nul"), row(3, "é\n")))
        ids = [RequestId(id) for id in ("nul", "nul\0nul", "é\n", "nul\0")]
        assert store.seqs_of(T1, ids) == {"nul": 2, "nul\0nul": 1, "é\n": 3}

    def test_a_round_is_stored_and_can_be_replaced(self, store: Store) -> None:
        store.commit(batch(T1, row(1), rounds={1: record(b"first"), 2: record(b"second")}))
        store.commit(batch(T1, row(2), rounds={1: record(b"corrected", 2)}))
        assert store.round(T1, RoundNumber(1)) == record(b"corrected", 2)
        assert store.round(T1, RoundNumber(2)) == record(b"second")
        assert store.round(T2, RoundNumber(1)) is None
        store.keep_rounds(T1, {RoundNumber(2): record(b"second", 3), RoundNumber(4): record(b"fourth")})
        assert store.round(T1, RoundNumber(2)) == record(b"second", 3)
        assert store.round(T1, RoundNumber(4)) == record(b"fourth")

    def test_a_ticket_of_one_table_can_be_redeemed_at_another(self, store: Store) -> None:
        number = TicketId("00012345678901234567")
        store.commit(batch(T1, row(1), issued=[Issued(number, Cents(500), Millis(99), Seq(1))]))
        assert store.ticket(number) == StoredTicket(number, T1, Seq(1), False)
        store.commit(batch(T2, row(1), row(2), redeemed=[Redeemed(number, Seq(2))]))
        assert store.ticket(number) == StoredTicket(number, T1, Seq(1), True)
        issued = TicketRow(T1, Seq(1), number, (Cents(500), Millis(99)))
        assert list(store.ticket_rows()) == [issued, TicketRow(T2, Seq(2), number, None)]

    def test_a_register_that_is_not_trusted_finds_no_ticket(self, store: Store) -> None:
        number = TicketId("00012345678901234567")
        store.commit(batch(T1, row(1), issued=[Issued(number, Cents(500), Millis(99), Seq(1))]))
        store.distrust_tickets("table two is damaged")
        with pytest.raises(JournalUnavailable, match="table two is damaged"):
            store.ticket(number)

    def test_batches_of_several_tables_are_one_transaction(self, store: Store) -> None:
        store.commit(batch(T1, row(1, "a")), batch(T2, row(1, "a"), row(2, "b")))
        assert (store.head(T1).seq, store.head(T2).seq) == (1, 2)
        with pytest.raises(JournalUnavailable):
            store.commit(batch(T1, row(2)), batch(T2, row(2), row(2)))
        assert (store.head(T1).seq, store.head(T2).seq) == (1, 2)

    def test_two_batches_of_one_table_are_one_transaction(self, store: Store) -> None:
        store.commit(batch(T1, row(1, "a")), batch(T1, row(2, "b"), row(3)))
        assert store.head(T1) == Head(Seq(3), row(3).hash)
        assert list(store.seals(T1)) == [(1, b"seal"), (3, b"seal")]
        with pytest.raises(JournalUnavailable):
            store.commit(batch(T1, row(4, "d")), batch(T1, row(5), follows=row(9).hash))
        assert store.head(T1).seq == 3
        assert store.seqs_of(T1, [RequestId("d")]) == {}

    def test_one_transaction_redeems_a_ticket_once(self, store: Store) -> None:
        number = TicketId("00012345678901234567")
        store.commit(batch(T1, row(1), issued=[Issued(number, Cents(500), Millis(99), Seq(1))]))
        with pytest.raises(TicketIsTaken):
            store.commit(
                batch(T1, row(2), redeemed=[Redeemed(number, Seq(2))]),
                batch(T2, row(1), redeemed=[Redeemed(number, Seq(1))]),
            )
        assert store.ticket(number) == StoredTicket(number, T1, Seq(1), False)
        assert (store.head(T1).seq, store.head(T2).seq) == (1, 0)

    def test_a_batch_that_redeems_a_redeemed_ticket_is_rejected(self, store: Store) -> None:
        number = TicketId("00012345678901234567")
        store.commit(batch(T1, row(1), issued=[Issued(number, Cents(500), Millis(99), Seq(1))]))
        store.commit(batch(T2, row(1), redeemed=[Redeemed(number, Seq(1))]))
        with pytest.raises(TicketIsTaken):
            store.commit(batch(T1, row(2, "late"), redeemed=[Redeemed(number, Seq(1))], rounds={1: record(b"x")}))
        assert store.head(T1).seq == 1
        assert store.seqs_of(T1, [RequestId("late")]) == {}
        assert store.round(T1, RoundNumber(1)) is None

    def test_the_last_two_snapshots_are_returned(self, store: Store) -> None:
        for seq in (1, 2, 3, 4):
            store.commit(batch(T1, row(seq), snapshot=snapshot(seq)))
        assert store.snapshots(T1) == [snapshot(4), snapshot(3)]
        assert store.snapshots(T2) == []

    def test_rulebooks_and_tables_are_stored_once(self, store: Store) -> None:
        store.keep_rulebook("h", b"content")
        store.keep_rulebook("h", b"other")
        store.add_table(T1, "other")
        store.add_table(TableId("three"), "h")
        assert store.rulebook("h") == b"content"
        assert store.tables() == [(T1, "rulebook"), ("three", "h"), (T2, "rulebook")]

    def test_credentials_are_stored_changed_and_deleted_with_a_batch(self, store: Store) -> None:
        one, two = Credential("password", "anna", b"1"), Credential("terminal", "anna", b"2")
        store.commit(batch(T1, row(1), credentials=(one, two)))
        assert sorted(store.credentials(), key=lambda c: c.kind) == [one, two]
        changed = Credential("password", "anna", b"3")
        store.commit(batch(T1, row(2), credentials=(changed, Credential("terminal", "anna", None))))
        assert store.credentials() == [changed]
        with pytest.raises(JournalUnavailable):
            store.commit(batch(T1, row(2), credentials=(Credential("password", "anna", b"4"),)))
        assert store.credentials() == [changed], "a rejected batch changes no credentials"


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return with_tables(MemoryStore())


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        store = with_tables(SqliteStore(tmp_path / "journal.db"))
        yield store
        store.close()

    def test_all_data_is_present_after_reopening(self, tmp_path: Path) -> None:
        path = tmp_path / "again.db"
        store = with_tables(SqliteStore(path))
        store.commit(
            batch(
                T1, row(1, "a"), rounds={1: record(b"x")}, issued=[Issued(TicketId("1"), Cents(5), Millis(7), Seq(1))]
            )
        )
        store.close()
        store = SqliteStore(path)
        assert store.head(T1).seq == 1
        assert store.seqs_of(T1, [RequestId("a"), RequestId('é"')]) == {"a": 1}
        assert store.ticket(TicketId("1")) is not None
        store.close()

    def test_concurrent_commits_are_serialised_and_do_not_block_reads(self, tmp_path: Path) -> None:
        store = with_tables(SqliteStore(tmp_path / "j.db"))

        def write(table: TableId) -> None:
            for seq in range(1, 60):
                store.commit(batch(table, row(seq, f"r{seq}")))

        threads = [threading.Thread(target=write, args=(table,)) for table in (T1, T2)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            store.seqs_of(T1, [RequestId("r7")])
        assert (store.head(T1).seq, store.head(T2).seq) == (59, 59)
        store._db.execute("BEGIN EXCLUSIVE")
        assert store.seqs_of(T1, [RequestId("r7")]) == {"r7": 7}
        store._db.execute("ROLLBACK")
        store.close()

    def test_only_the_last_two_snapshots_are_stored(self, tmp_path: Path) -> None:
        store = with_tables(SqliteStore(tmp_path / "j.db"))
        for seq in (1, 2, 3, 4):
            store.commit(batch(T1, row(seq), snapshot=Snapshot(Seq(seq), row(seq).hash, b"m")))
        assert store._db.execute("SELECT seq FROM snapshots").fetchall() == [(3,), (4,)]
        store.close()

    def test_entries_cannot_be_edited_and_tickets_not_redeemed_twice(self, tmp_path: Path) -> None:
        path = tmp_path / "j.db"
        store = with_tables(SqliteStore(path))
        store.commit(batch(T1, row(1), issued=[Issued(TicketId("1"), Cents(5), Millis(7), Seq(1))]))
        store.commit(batch(T1, row(2), redeemed=[Redeemed(TicketId("1"), Seq(2))]))
        with pytest.raises(TicketIsTaken, match="once"):
            store.commit(batch(T1, row(3), redeemed=[Redeemed(TicketId("1"), Seq(2))]))
        store.close()
        raw = apsw.Connection(str(path))
        for sql in ("UPDATE entries SET body = x'00'", "DELETE FROM entries"):
            with pytest.raises(apsw.ConstraintError, match="never edited"):
                raw.execute(sql)

    def test_the_database_uses_a_synchronous_write_ahead_log(self, store: SqliteStore) -> None:
        assert store._db.execute("PRAGMA synchronous").fetchall() == [(2,)]
        assert store._db.execute("PRAGMA journal_mode").fetchall() == [("wal",)]

    @pytest.mark.parametrize("lost", ["entries", "requests"])
    def test_a_batch_with_a_missing_array_is_rejected(self, store: SqliteStore, lost: str) -> None:
        """A trigger inserts the rows from arrays. If SQLite passes no array to it, the batch must be rejected."""
        arrays = {"entries": apsw.carray((bytes(32) + b"body",)), "requests": apsw.carray((b"a",)), lost: None}
        values = (T1, 0, GENESIS, arrays["entries"], arrays["requests"], 1, 1, b"seal")
        with pytest.raises(apsw.ConstraintError, match=f"not all {lost} of the batch were inserted"):
            store._db.execute("INSERT INTO arriving VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        assert (store.head(T1), store.last_seal(T1)) == (Head(BEGINNING, GENESIS), None)

    def test_a_commit_on_a_full_disk_stores_no_rows(self, store: SqliteStore) -> None:
        """SQLite's page limit raises the same error as a full disk."""
        store.commit(batch(T1, row(1)))
        ((pages,),) = store._db.execute("PRAGMA page_count").fetchall()
        store._db.execute(f"PRAGMA max_page_count = {int(str(pages)) + 2}")
        big = Row(Seq(2), bytes(100_000), ChainHash(bytes(32)), RequestId("big"))
        with pytest.raises(JournalUnavailable, match="full"):
            store.commit(batch(T1, big))
        assert store.head(T1).seq == 1
        store._db.execute("PRAGMA max_page_count = 1000000")
        store.commit(batch(T1, big))
        assert store.head(T1).seq == 2

    @pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + bytes(4096)])
    def test_a_file_that_is_not_a_journal_is_reported_with_its_path(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "j.db"
        path.write_bytes(content)
        with pytest.raises((JournalDamaged, JournalUnavailable), match=r"j\.db"):
            SqliteStore(path)

    def test_another_sqlite_database_is_not_a_journal(self, tmp_path: Path) -> None:
        path = tmp_path / "j.db"
        apsw.Connection(str(path)).execute("CREATE TABLE shopping (item)")
        with pytest.raises(JournalDamaged, match="not a journal"):
            SqliteStore(path)

    def test_a_newer_format_is_refused_with_a_clear_message(self, tmp_path: Path) -> None:
        path = tmp_path / "j.db"
        SqliteStore(path).close()
        apsw.Connection(str(path)).execute("UPDATE meta SET value = 99")
        with pytest.raises(JournalUnavailable, match="newer version of Roundhouse: format 99, and this version reads"):
            SqliteStore(path)
