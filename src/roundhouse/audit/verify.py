"""Verifies a journal: replays every table from its first entry, then compares the derived data in the file.

The first discrepancy is raised as ``DoesNotHold``. Memory stays bounded, because entries are read one by one and
derived data is stored in a temporary database.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from roundhouse.audit.cage import CageProof, CageSummary, check_outstanding
from roundhouse.audit.chain import Chain
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.house import HouseProof, HouseSummary
from roundhouse.audit.journal_file import JournalFile, RulebookSet, check_log
from roundhouse.audit.origin import NO_KEYS, Origin, TrustedKeys, check_signatures
from roundhouse.audit.protection import ProtectionProof
from roundhouse.audit.replay import Replay
from roundhouse.audit.scratch import Scratch, ScratchArchive
from roundhouse.audit.tickets import Tickets
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.journal.derived import EMPTY_LOG, derived_of, extend_by
from roundhouse.journal.entry import ChainHash, Entry, Seq, encode
from roundhouse.journal.index import index_of
from roundhouse.journal.seal import Key, round_fits, snapshot_fits
from roundhouse.journal.store import Row, StoredRound
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.table.events import TableOpened
from roundhouse.table.names import Phase, RoundNumber, TableId, TicketId
from roundhouse.table.state import Table, TableState


class TableSummary(Struct, frozen=True):
    """Figures of a table after its verification. Amounts are in cents."""

    table: TableId
    game: str
    rulebook: str
    entries: int
    head: str
    """Hash of the last entry. A copy kept elsewhere later proves that no entry was removed from the end."""
    seals: int
    phase: Phase
    rounds: int
    voids: int
    corrections: int
    bought: int
    handle: int
    paid: int
    tickets_in: int
    tickets_out: int
    credits: int
    """Credits of all seats."""
    layout: int
    house: int
    shortfall: int
    procedure: int
    """Procedure that the table is under: 1 for entries of the Dealer, 2 for evidence."""
    goodwill: int = 0
    """Goodwill paid in disputes."""
    open_disputes: int = 0


class Summary(Struct, frozen=True):
    """The result of a successful verification of a journal."""

    verifies: bool
    tables: list[TableSummary]
    tickets_outstanding: int
    tickets_outstanding_cents: int
    seals_checked: bool
    notes: list[str]
    house: HouseSummary | None = None
    """The house's own chain. None if the journal has none."""
    cage: CageSummary | None = None
    """The chain of the cage. None if the journal has none."""
    origin: Origin = Origin.UNKNOWN
    """Whether a key shows that the house wrote every entry."""
    witnesses: list[str] = []
    """Names of the given witnesses that have cosigned every chain."""


def summary_of(id: TableId, table: Table, seq: Seq, head: ChainHash, seals: int) -> TableSummary:
    state = table.state
    meters = state.meters
    return TableSummary(
        table=id,
        game=table.game.rulebook.title,
        rulebook=table.game.hash,
        entries=seq,
        head=head.hex(),
        seals=seals,
        phase=state.phase,
        rounds=meters.rounds,
        voids=meters.voids,
        corrections=meters.corrections,
        bought=meters.bought,
        handle=meters.handle,
        paid=meters.paid,
        tickets_in=meters.tickets_in,
        tickets_out=meters.tickets_out,
        credits=sum(seat.credits for seat in state.seats.values()),
        layout=state.layout,
        house=state.house,
        shortfall=-state.shortfall,
        procedure=state.terms.procedure,
        goodwill=-(state.goodwill or 0),
        open_disputes=len(state.disputes.open) if state.disputes else 0,
    )


Progress = Callable[[int], None]
_REPORT_EVERY = 1000


def verify_journal(
    path: Path,
    key: Key | None,
    noted: Iterable[str] = (),
    progress: Progress = lambda entries: None,
    keys: TrustedKeys = NO_KEYS,
) -> Summary:
    """Verify a journal. ``noted`` are chain heads recorded earlier, which must still be in a chain.

    ``key`` is the secret key of the seals; without it they are counted but not checked. ``keys`` are public keys.
    """
    notes = check_log(path)
    file, scratch = JournalFile(path), Scratch()
    try:
        notes += file.check_soundness()
        rulebooks = RulebookSet(file.rulebooks())
        rulebooks.check()
        missing = {hash.lower() for hash in noted}
        listed = file.tables()
        file.check_table_ids({HOUSE_CHAIN, CAGE_CHAIN, *(id for id, _ in listed)})
        tables = [TableProof(file, rulebooks, scratch, id, first, key) for id, first in listed]
        house = HouseProof(file, key)
        tickets, cage = Tickets(scratch, key, house.disputes(key)), CageProof(file, scratch, key)
        for hash in house.check():
            missing.discard(hash.hex())
        _run(tables, cage, house, tickets, house.disputes(key), missing, progress)
        if missing:
            fail("a chain head recorded earlier is not in the journal", expected=min(missing), found=None)
        _compare_tickets(file, scratch)
        if tickets.clocks_apart:
            notes.append(
                f"tickets redeemed before they were issued, by the clocks of the tables: {tickets.clocks_apart}"
            )
        outstanding = scratch.outstanding()
        check_outstanding({one.id: one.replay.table.state.tickets for one in tables}, cage.tickets, outstanding.cents)
        summaries = [table.summary() for table in tables]
        signatures = check_signatures(file, [*(id for id, _ in listed), HOUSE_CHAIN, CAGE_CHAIN], keys)
        known = key is not None or signatures.signed
        return Summary(
            verifies=True,
            tables=summaries,
            tickets_outstanding=outstanding.tickets,
            tickets_outstanding_cents=outstanding.cents,
            seals_checked=key is not None,
            notes=notes + signatures.notes,
            house=house.summary(),
            cage=cage.summary(),
            origin=Origin.KNOWN if known else Origin.UNKNOWN,
            witnesses=signatures.witnesses,
        )
    finally:
        scratch.close()
        file.close()


def _run(
    tables: "list[TableProof]",
    cage: CageProof,
    house: HouseProof,
    tickets: Tickets,
    is_disputed: Callable[[TicketId], bool],
    missing: set[str],
    progress: Progress,
) -> None:
    """Replay all tables and the cage. A chain that needs another one's ticket waits until the replay has issued it."""
    done = 0
    waiting = list(tables)
    while waiting or cage.waits:
        before = done
        if cage.waits:
            for hash, moved in cage.ready(tickets, is_disputed):
                house.check_names(CAGE_CHAIN, moved)
                missing.discard(hash.hex())
                done += 1
        for table in waiting:
            for entry in table.ready(tickets):
                tickets.check(table.id, entry)
                house.check_names(table.id, entry)
                missing.discard(table.chain.hash.hex())
                done += 1
                if not done % _REPORT_EVERY:
                    progress(done)
        waiting = [table for table in waiting if table.waits]
        if (waiting or cage.waits) and done == before:
            stuck = waiting[0] if waiting else cage
            what = "an entry needs a ticket that no table issued or redeemed"
            fail(what, expected=None, found=stuck.next_facts, table=stuck.id, entry=stuck.next_seq)


class TableProof:
    """The verification of one table."""

    def __init__(
        self, file: JournalFile, rulebooks: RulebookSet, scratch: Scratch, id: TableId, first: str, key: Key | None
    ) -> None:
        """Begin with the table's first rulebook, whose hash is ``first``."""
        self.id = id
        self._file = file
        self._scratch = scratch
        game = rulebooks.get(first)
        if game is None:
            fail("the rulebook of a table is not in the journal", expected=first, found=None, table=id)
        self._game_id = game.id
        self._key = key
        self._archive = ScratchArchive(scratch, id, rulebooks)
        self._ticket_log = EMPTY_LOG
        self.replay = Replay(id, rulebooks, game, TableState(), self._archive)
        self.chain = Chain(id, file.entries(id), file.seals(id), key)
        self._rows = iter(self.chain)
        self._next: tuple[Row, Entry] | None = None
        self._snapshots = {snapshot.seq: snapshot for snapshot in file.snapshots(id)}
        self._protection = ProtectionProof(id)
        self._requests = 0
        self.waits = True

    def ready(self, tickets: Tickets) -> Iterator[Entry]:
        """Check and yield entries, until one must wait for another table or the chain ends."""
        while True:
            if self._next is None:
                self._next = next(self._rows, None)
            if self._next is None:
                self._finish()
                self.waits = False
                return
            row, entry = self._next
            if tickets.must_wait(entry):
                return
            self.replay.check(entry)
            self._protection.check(entry)
            self._check_request(entry)
            self._ticket_log = extend_by(self._ticket_log, entry)
            self._scratch.add_index(self.id, index_of([entry]))
            self._check_snapshot(row)
            self._next = None
            yield entry

    @property
    def next_seq(self) -> Seq | None:
        return self._next[1].seq if self._next else None

    @property
    def next_facts(self) -> object:
        return self._next[1].facts.ticket if self._next else None

    def _check_request(self, entry: Entry) -> None:
        for event in entry.events:
            if isinstance(event, TableOpened) and event.game != self._game_id:
                fail("the table was opened with another game", expected=self._game_id, found=event.game, table=self.id)
        if entry.request is None:
            return
        self._requests += 1
        seq = self._file.seq_of(self.id, entry.request.id)
        if seq != entry.seq:
            what = f"the register of requests has a wrong entry for '{entry.request.id}'"
            fail(what, expected=f"entry {entry.seq}", found=seq, table=self.id, entry=entry.seq)

    def _check_snapshot(self, row: Row) -> None:
        if (snapshot := self._snapshots.pop(row.seq, None)) is None:
            return
        if snapshot.hash != row.hash:
            fail("a snapshot has a wrong hash", expected=row.hash, found=snapshot.hash, table=self.id, entry=row.seq)
        if not self._file.names_entries:
            # Snapshots before format 3 are not used any more, and states had other fields.
            return
        derived, stored = self._archive.derived(self._ticket_log), derived_of(snapshot)
        if stored.shape == derived.shape and (state := encode(self.replay.table.state)) != snapshot.memory:
            what = "a snapshot differs from the replayed state"
            fail(what, expected=state, found=snapshot.memory, table=self.id, entry=row.seq)
        if replace(derived, shape=stored.shape) != stored:
            what = "the digests in a snapshot differ from the replayed ones"
            fail(what, expected=derived, found=stored, table=self.id, entry=row.seq)
        if self._key is not None and not snapshot_fits(self._key, self.id, snapshot):
            what = "the seal of a snapshot does not fit"
            fail(what, expected="the seal of the house", found=snapshot.seal.hex(), table=self.id, entry=row.seq)

    def _finish(self) -> None:
        """Compare the derived data in the file with that of the replay, at the end of the chain."""
        self.replay.check_end(self.chain.seq)
        for seq in self._snapshots:
            fail("a snapshot of a missing entry", expected=None, found=seq, table=self.id)
        if (found := self._file.count("requests", self.id)) != self._requests:
            what = "the register of requests has a wrong number of rows"
            fail(what, expected=self._requests, found=found, table=self.id)
        for derived, stored in zip_longest(self._scratch.rounds(self.id), self._file.rounds(self.id)):
            self._check_round(derived, stored)
        if self._file.is_indexed:
            for derived_row, stored_row in zip_longest(self._scratch.index(self.id), self._file.index(self.id)):
                if derived_row != stored_row:
                    what = "the index of entries differs (key, entry)"
                    fail(what, expected=derived_row, found=stored_row, table=self.id)

    def _check_round(
        self, derived: tuple[RoundNumber, int, bytes] | None, stored: tuple[RoundNumber, StoredRound] | None
    ) -> None:
        """Compare a record with the replayed one. A record without a seal is of a table not opened since format 3."""
        found = (stored[0], stored[1].version, stored[1].record) if stored is not None else None
        if found is not None and derived is not None and not found[1]:
            found = (found[0], derived[1], found[2])
        if derived != found:
            what = "the register of rounds differs (number, version, record)"
            fail(what, expected=derived, found=found, table=self.id)
        if self._key is None or stored is None or not stored[1].version:
            return
        if not round_fits(self._key, self.id, *stored):
            what = f"the seal of the record of round {stored[0]} does not fit"
            fail(what, expected="the seal of the house", found=stored[1].seal.hex(), table=self.id)

    def summary(self) -> TableSummary:
        return summary_of(self.id, self.replay.table, self.chain.seq, self.chain.hash, self.chain.seals)


def _compare_tickets(file: JournalFile, scratch: Scratch) -> None:
    for derived, stored in zip_longest(scratch.tickets(), file.tickets()):
        expected = derived
        if derived is not None and not file.names_entries:
            redeemed = Seq(1) if derived.redeemed_seq is not None else None
            expected = derived._replace(table=None, seq=None, redeemed_table=None, redeemed_seq=redeemed)
        if expected != stored:
            what = "the register of tickets differs (ticket, cents, expiry, table, entry, redeemed at table, entry)"
            fail(what, expected=expected, found=stored)
