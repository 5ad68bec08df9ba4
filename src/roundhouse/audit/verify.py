"""What a verification proved, in figures: for people as a table, for programs as it is.

Verifying a journal: every table from its first entry, then all that the file keeps for quick answers.

The first thing that does not hold is raised as ``DoesNotHold``. Memory stays bounded: entries are read one by
one, and what must be remembered of them is on a scratch pad.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from msgspec import Struct

from roundhouse.audit.chain import Chain
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.house import HouseProof, HouseSummary
from roundhouse.audit.journal_file import JournalFile, RulebookSet, check_log
from roundhouse.audit.replay import Replay
from roundhouse.audit.scratch import Scratch, ScratchArchive
from roundhouse.audit.tickets import Tickets
from roundhouse.journal.entry import ChainHash, Entry, Seq, encode
from roundhouse.journal.index import index_of
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Row
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.table.events import TableOpened
from roundhouse.table.names import Phase, TableId
from roundhouse.table.state import Table, TableState


class TableSummary(Struct, frozen=True):
    table: TableId
    game: str
    rulebook: str
    entries: int
    head: str
    """The hash of the last entry. Noted down elsewhere, it proves later that nothing was taken off the end."""
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
    """What the seats have, all together."""
    layout: int
    house: int
    shortfall: int


class Summary(Struct, frozen=True):
    verifies: bool
    tables: list[TableSummary]
    tickets_outstanding: int
    tickets_outstanding_cents: int
    seals_checked: bool
    notes: list[str]
    house: HouseSummary | None = None
    """Of the house's own chain, where it has one."""


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
    )


Progress = Callable[[int], None]
_REPORT_EVERY = 1000


def verify_journal(
    path: Path, key: Key | None, noted: Iterable[str] = (), progress: Progress = lambda entries: None
) -> Summary:
    """What was proven. ``noted`` are hashes that somebody wrote down earlier: they must still be in a chain."""
    notes = check_log(path)
    file, scratch = JournalFile(path), Scratch()
    try:
        notes += file.check_soundness()
        shelf = RulebookSet(file.rulebooks())
        shelf.check()
        missing = {hash.lower() for hash in noted}
        tickets = Tickets(scratch)
        listed = file.tables()
        file.check_no_strangers({HOUSE_CHAIN, *(id for id, _ in listed)})
        tables = [TableProof(file, shelf, scratch, id, first, key) for id, first in listed]
        house = HouseProof(file, key)
        for hash in house.check():
            missing.discard(hash.hex())
        _run(tables, house, tickets, missing, progress)
        if missing:
            fail("a hash that was noted down earlier is in no chain", expected=min(missing), found=None)
        _compare_tickets(file, scratch)
        if tickets.clocks_apart:
            notes.append(f"tickets redeemed before they were issued, by the tables' own clocks: {tickets.clocks_apart}")
        outstanding = scratch.outstanding()
        summaries = [table.summary() for table in tables]
        return Summary(True, summaries, outstanding.tickets, outstanding.cents, key is not None, notes, house.summary())
    finally:
        scratch.close()
        file.close()


def _run(
    tables: "list[TableProof]", house: HouseProof, tickets: Tickets, missing: set[str], progress: Progress
) -> None:
    """Each table as far as it goes; one that needs another's ticket waits for it."""
    done = 0
    waiting = list(tables)
    while waiting:
        before = done
        for table in waiting:
            for entry in table.ready(tickets):
                tickets.check(table.id, entry)
                house.check_names(table.id, entry)
                missing.discard(table.chain.hash.hex())
                done += 1
                if not done % _REPORT_EVERY:
                    progress(done)
        waiting = [table for table in waiting if table.waits]
        if waiting and done == before:
            table = waiting[0]
            what = "a ticket that no table had issued, or that none had redeemed"
            fail(what, expected=None, found=table.next_facts, table=table.id, entry=table.next_seq)


class TableProof:
    """One table of a journal under proof."""

    def __init__(
        self, file: JournalFile, shelf: RulebookSet, scratch: Scratch, id: TableId, first: str, key: Key | None
    ) -> None:
        self.id = id
        self._file = file
        self._scratch = scratch
        game = shelf.get(first)
        if game is None:
            fail("the rulebook of a table is not in the journal", expected=first, found=None, table=id)
        self._game_id = game.id
        self.replay = Replay(id, shelf, game, TableState(), ScratchArchive(scratch, id))
        self.chain = Chain(id, file.entries(id), file.seals(id), key)
        self._walk = iter(self.chain)
        self._next: tuple[Row, Entry] | None = None
        self._snapshots = {snapshot.seq: snapshot for snapshot in file.snapshots(id)}
        self._requests = 0
        self.waits = True

    def ready(self, tickets: Tickets) -> Iterator[Entry]:
        """Entries, each checked, until one must wait for another table or all have been."""
        while True:
            if self._next is None:
                self._next = next(self._walk, None)
            if self._next is None:
                self._finish()
                self.waits = False
                return
            row, entry = self._next
            if tickets.must_wait(entry):
                return
            self.replay.check(entry)
            self._check_request(entry)
            self._scratch.note_index(self.id, index_of([entry]))
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
                fail("a table plays another game", expected=self._game_id, found=event.game, table=self.id)
        if entry.request is None:
            return
        self._requests += 1
        seq = self._file.seq_of(self.id, entry.request.id)
        if seq != entry.seq:
            what = f"the register of requests, '{entry.request.id}'"
            fail(what, expected=f"entry {entry.seq}", found=seq, table=self.id, entry=entry.seq)

    def _check_snapshot(self, row: Row) -> None:
        if (snapshot := self._snapshots.pop(row.seq, None)) is None:
            return
        if snapshot.hash != row.hash:
            fail("a snapshot's hash", expected=row.hash, found=snapshot.hash, table=self.id, entry=row.seq)
        if (memory := encode(self.replay.table.state)) != snapshot.memory:
            fail("a snapshot", expected=memory, found=snapshot.memory, table=self.id, entry=row.seq)

    def _finish(self) -> None:
        """The end of the chain: what the file keeps for quick answers must be what was derived."""
        self.replay.check_end(self.chain.seq)
        for seq in self._snapshots:
            fail("a snapshot of an entry that is not there", expected=None, found=seq, table=self.id)
        if (found := self._file.count("requests", self.id)) != self._requests:
            fail("the register of requests", expected=self._requests, found=f"{found} requests", table=self.id)
        for derived, kept in zip_longest(self._scratch.rounds(self.id), self._file.rounds(self.id)):
            if derived != kept:
                fail("the register of rounds", expected=derived, found=kept, table=self.id)
        if self._file.is_indexed:
            for derived_row, kept_row in zip_longest(self._scratch.index(self.id), self._file.index(self.id)):
                if derived_row != kept_row:
                    fail("the index of entries (key, entry)", expected=derived_row, found=kept_row, table=self.id)

    def summary(self) -> TableSummary:
        return summary_of(self.id, self.replay.table, self.chain.seq, self.chain.hash, self.chain.seals)


def _compare_tickets(file: JournalFile, scratch: Scratch) -> None:
    for derived, kept in zip_longest(scratch.tickets(), file.tickets()):
        if derived != kept:
            fail("the register of tickets (number, cents, expiry, redeemed)", expected=derived, found=kept)
