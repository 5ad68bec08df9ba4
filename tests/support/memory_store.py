"""A store in memory: fast enough for property tests, and checked by the store contract tests."""

import copy
from collections.abc import Iterator, Mapping, Sequence

from roundhouse.journal.entry import BEGINNING, GENESIS, Seq
from roundhouse.journal.store import (
    Batch,
    Credential,
    Head,
    Issued,
    JournalUnavailable,
    Row,
    Snapshot,
    StoredRound,
    StoredTicket,
    TicketIsTaken,
    TicketRow,
)
from roundhouse.table.names import RequestId, RoundNumber, TableId, TicketId


class MemoryStore:
    def __init__(self) -> None:
        self._rows: dict[TableId, list[Row]] = {}
        self._requests: dict[tuple[TableId, RequestId], Seq] = {}
        self._seals: dict[TableId, list[tuple[Seq, bytes]]] = {}
        self._rounds: dict[tuple[TableId, RoundNumber], StoredRound] = {}
        self._issued: dict[TicketId, tuple[TableId, Issued]] = {}
        self._redeemed: dict[TicketId, tuple[TableId, Seq]] = {}
        self.tickets_fault = ""
        self._snapshots: dict[TableId, list[Snapshot]] = {}
        self._rulebooks: dict[str, bytes] = {}
        self._tables: dict[TableId, str] = {}
        self._credentials: dict[tuple[str, str], Credential] = {}

    def head(self, table: TableId) -> Head:
        rows = self._rows.get(table)
        return Head(rows[-1].seq, rows[-1].hash) if rows else Head(BEGINNING, GENESIS)

    def commit(self, *batches: Batch) -> None:
        # A single batch is checked completely before any row is added, so the store need not be copied.
        before = copy.deepcopy(self.__dict__) if len(batches) > 1 else self.__dict__
        try:
            for batch in batches:
                self._check(batch)
                self._add(batch)
        except Exception:
            self.__dict__ = before
            raise

    def _check(self, batch: Batch) -> None:
        head = self.head(batch.table)
        if batch.follows != head.hash:
            raise JournalUnavailable("the batch does not follow the last entry")
        expected = head.seq + 1
        for row in batch.rows:
            if row.seq != expected or (row.request and (batch.table, row.request) in self._requests):
                raise JournalUnavailable("a row has a wrong number or a used request id")
            expected += 1
        if any(redeemed.id in self._redeemed for redeemed in batch.redeemed):
            raise TicketIsTaken("another table has redeemed the ticket")

    def _add(self, batch: Batch) -> None:
        self._rows.setdefault(batch.table, []).extend(batch.rows)
        for row in batch.rows:
            if row.request is not None:
                self._requests[batch.table, row.request] = row.seq
        self._seals.setdefault(batch.table, []).append((batch.rows[-1].seq, batch.seal))
        for number, record in batch.rounds.items():
            self._rounds[batch.table, number] = record
        for issued in batch.issued:
            self._issued[issued.id] = batch.table, issued
        for redeemed in batch.redeemed:
            self._redeemed[redeemed.id] = batch.table, redeemed.seq
        for credential in batch.credentials:
            self._credentials.pop((credential.kind, credential.name), None)
            if credential.verifier is not None:
                self._credentials[credential.kind, credential.name] = credential
        if batch.snapshot is not None:
            self._snapshots[batch.table] = [batch.snapshot, *self._snapshots.get(batch.table, [])[:1]]

    def credentials(self) -> list[Credential]:
        return list(self._credentials.values())

    def rows(self, table: TableId, after: Seq = BEGINNING) -> Iterator[Row]:
        return iter([row for row in self._rows.get(table, []) if row.seq > after])

    def row(self, table: TableId, seq: Seq) -> Row | None:
        rows = self._rows.get(table, [])
        return rows[seq - 1] if 1 <= seq <= len(rows) else None

    def seqs_of(self, table: TableId, requests: Sequence[RequestId]) -> dict[RequestId, Seq]:
        return {id: self._requests[table, id] for id in requests if (table, id) in self._requests}

    def seals(self, table: TableId) -> Iterator[tuple[Seq, bytes]]:
        return iter(self._seals.get(table, []))

    def last_seal(self, table: TableId) -> tuple[Seq, bytes] | None:
        seals = self._seals.get(table)
        return seals[-1] if seals else None

    def next_seal(self, table: TableId, seq: Seq) -> tuple[Seq, bytes] | None:
        return next((found for found in self._seals.get(table, []) if found[0] >= seq), None)

    def round(self, table: TableId, number: RoundNumber) -> StoredRound | None:
        return self._rounds.get((table, number))

    def keep_rounds(self, table: TableId, rounds: Mapping[RoundNumber, StoredRound]) -> None:
        self._rounds.update({(table, number): stored for number, stored in rounds.items()})

    def distrust_tickets(self, reason: str) -> None:
        self.tickets_fault = reason

    def ticket(self, id: TicketId) -> StoredTicket | None:
        if self.tickets_fault:
            raise JournalUnavailable(self.tickets_fault)
        if id not in self._issued:
            return None
        table, issued = self._issued[id]
        return StoredTicket(id, table, issued.seq, id in self._redeemed)

    def ticket_rows(self) -> Iterator[TicketRow]:
        rows = [TicketRow(table, one.seq, one.id, (one.cents, one.expires)) for table, one in self._issued.values()]
        rows += [TicketRow(table, seq, id, None) for id, (table, seq) in self._redeemed.items()]
        return iter(sorted(rows, key=lambda row: row.seq))

    def snapshots(self, table: TableId) -> list[Snapshot]:
        return self._snapshots.get(table, [])

    def rulebook(self, hash: str) -> bytes | None:
        return self._rulebooks.get(hash)

    def keep_rulebook(self, hash: str, content: bytes) -> None:
        self._rulebooks.setdefault(hash, content)

    def tables(self) -> list[tuple[TableId, str]]:
        return sorted(self._tables.items())

    def add_table(self, table: TableId, rulebook: str) -> None:
        self._tables.setdefault(table, rulebook)

    def close(self) -> None:
        pass
