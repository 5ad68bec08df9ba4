"""The notary of a house: signs the heads of all chains and hands them to the witnesses, in separate threads.

A commit leaves its head in a dictionary and wakes the notary; it waits for nothing. The notary writes the head at once,
without a sync, to the file of heads of each local witness. Once a second it signs the new heads, submits them, and
stores the checkpoints in the journal. Each remote witness has a thread, so that a slow one delays no other.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from roundhouse.floor.logs import JournalLogs, SignedHead
from roundhouse.floor.witnesses import Contradiction, Refusal, Reply, WitnessLine
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalDamaged, JournalUnavailable, Row
from roundhouse.journal.tree import StoredCheckpoint
from roundhouse.logs import log, log_bug
from roundhouse.table.names import TableId
from roundhouse.witness.heads import NotedHead
from roundhouse.witness.local import LocalWitness

INTERVAL_SECONDS: Final = 0.5
"""Time between two checkpoints of a chain that grows. Signing and a sync take part of the second that is promised."""
_CLOSE_SECONDS: Final = 5.0
Report = Callable[[str], None]


def describe(refusal: Refusal) -> str:
    """Describe in one sentence what a witness refuses."""
    place, chain, size, seen = refusal.place, refusal.chain, refusal.size, refusal.seen
    if refusal.kind is Contradiction.ROLLED_BACK:
        return f"chain {chain} ends with entry {size}, but the witness {place} has seen entry {seen}"
    if refusal.kind is Contradiction.OTHER_KEY:
        return f"the witness {place} trusts another key of this house, so it cosigns nothing"
    return f"chain {chain} does not continue the {seen} entries that the witness {place} has seen"


class _RemoteThread:
    """Submits the newest heads to one witness. Heads that come while it is busy replace older ones."""

    def __init__(self, line: WitnessLine, handle: Callable[[WitnessLine, Reply], None]) -> None:
        self.line, self._handle = line, handle
        self._heads: dict[TableId, SignedHead] = {}
        self._changed = threading.Condition()
        self._closing = self._busy = False
        self._thread = threading.Thread(target=self._run, name=f"witness {line.client.place}", daemon=True)
        self._thread.start()

    def put(self, heads: Iterable[SignedHead]) -> None:
        with self._changed:
            self._heads.update((head.chain, head) for head in heads)
            self._changed.notify_all()

    def close(self, seconds: float) -> None:
        """Submit what waits and end the thread, or give up after ``seconds``."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._heads and not self._closing:
                    self._changed.wait()
                heads, self._heads = [*self._heads.values()], {}
                if not heads:
                    return
            try:
                self._handle(self.line, self.line.submit(heads))
            except Exception as bug:
                log_bug("the notary failed", bug)
            if not self._closing:
                time.sleep(INTERVAL_SECONDS)


class Notary:
    def __init__(self, logs: JournalLogs, lines: Sequence[WitnessLine], report: Report) -> None:
        """``report`` is called in the notary's threads, with a text for people."""
        self._logs, self.lines, self.report = logs, lines, report
        self.key = logs.key
        self._local = [line for line in lines if isinstance(line.client, LocalWitness)]
        self._heads: dict[TableId, Row] = {}
        self._unsigned: set[TableId] = set()
        self._unstored: dict[tuple[TableId, str], StoredCheckpoint] = {}
        self._wake, self._storing = threading.Event(), threading.Lock()
        self._closing = False
        self._signed_at = 0.0
        self._flushed = threading.Condition()
        self._flushes = self._flushes_done = 0
        self._remote: list[_RemoteThread] = []
        self._thread = threading.Thread(target=self._run, name="notary", daemon=True)

    def start(self) -> None:
        self._remote = [_RemoteThread(line, self._handle) for line in self.lines if line not in self._local]
        self._thread.start()

    def follow(self, store: SqliteStore) -> None:
        """Take the head of every commit from now on. A commit leaves it in a dictionary and sets an event."""
        store.new_heads, store.on_commit = self._heads, self._wake.set

    def flush(self, seconds: float = 2.0) -> bool:
        """Sign and store the heads of all chains now. Return whether that was done in time."""
        with self._flushed:
            self._flushes += 1
            number = self._flushes
            self._wake.set()
            return self._flushed.wait_for(lambda: self._flushes_done >= number, seconds)

    def close(self) -> None:
        """Sign, submit and store the last heads, then end the threads."""
        self._closing = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(_CLOSE_SECONDS)
        else:
            self._finish()
        for line in self.lines:
            line.client.close()

    def _run(self) -> None:
        while not self._closing:
            waits = self._unsigned or self._unstored
            due = self._signed_at + INTERVAL_SECONDS - time.monotonic() if waits else None
            if due is None or due > 0:
                self._wake.wait(due)
            self._wake.clear()
            try:
                self._work()
            except (JournalUnavailable, JournalDamaged):
                # The tables report it. The heads stay unsigned until the journal can be read again.
                time.sleep(INTERVAL_SECONDS)
            except Exception as bug:
                log_bug("the notary failed", bug)
                self.report("the notary failed, so the newest entries are not witnessed; the log names the bug")
                time.sleep(INTERVAL_SECONDS)
        self._finish()

    def _finish(self) -> None:
        """Sign, submit and store what is left."""
        try:
            self._note_heads()
            self._sign()
        except Exception as bug:
            log_bug("the notary failed", bug)
        ends = time.monotonic() + _CLOSE_SECONDS
        for remote in self._remote:
            remote.close(max(0.0, ends - time.monotonic()))
        try:
            self._store()
        except (JournalUnavailable, JournalDamaged):
            log("could not store the last checkpoints in the journal", logging.WARNING)

    def _work(self) -> None:
        flushes = self._flushes
        self._note_heads()
        if flushes != self._flushes_done or time.monotonic() >= self._signed_at + INTERVAL_SECONDS:
            self._sign()
            self._store()
        with self._flushed:
            self._flushes_done = flushes
            self._flushed.notify_all()

    def _note_heads(self) -> None:
        """Write new heads to the files of the local witnesses, without a sync."""
        heads: dict[TableId, Row] = {}
        while self._heads:
            # The committing thread may add heads at the same time. ``popitem`` is atomic.
            chain, row = self._heads.popitem()
            heads[chain] = row
        if not heads:
            return
        noted: dict[str, NotedHead] = {
            chain: NotedHead(self._logs.epoch, row.seq, row.hash) for chain, row in heads.items()
        }
        self._unsigned.update(heads)
        for line in self._local:
            assert isinstance(line.client, LocalWitness)
            try:
                line.client.heads.note(noted)
            except OSError as error:
                self._handle(line, Reply(problem=f"Could not write to the witness {line.client.place}: {error}"))

    def _sign(self) -> None:
        """Sign the heads of the chains that have grown, and submit them."""
        self._signed_at = time.monotonic()
        if not self._unsigned:
            return
        chains, self._unsigned = self._unsigned, set()
        try:
            heads = self._logs.sign_heads(sorted(chains))
        except BaseException:
            self._unsigned |= chains
            raise
        self.keep(StoredCheckpoint(head.chain, "", head.size, str(head.note)) for head in heads)
        for remote in self._remote:
            remote.put(heads)
        for line in self._local:
            reply = line.submit(heads)
            if not reply.problem and not reply.refusals:
                assert isinstance(line.client, LocalWitness)
                try:
                    line.client.heads.clear()
                except OSError as error:
                    reply.problem = f"Could not write to the witness {line.client.place}: {error}"
            self._handle(line, reply)

    def keep(self, notes: Iterable[StoredCheckpoint]) -> None:
        """Keep checkpoints to be stored in the journal."""
        with self._storing:
            self._unstored.update(((note.chain, note.signer), note) for note in notes)

    def _handle(self, line: WitnessLine, reply: Reply) -> None:
        """Keep the cosigned checkpoints of a witness, and report a new problem."""
        self.keep(reply.cosigned)
        self._wake.set()
        problem = "; ".join(map(describe, reply.refusals)) or reply.problem
        if problem and problem != line.problem:
            self.report(problem)
        elif line.problem and not problem:
            log("the witness answers again", place=line.client.place)
        line.problem = problem

    def _store(self) -> None:
        with self._storing:
            notes, self._unstored = self._unstored, {}
        nodes = self._logs.take_unstored()
        if not notes and not nodes:
            return
        try:
            self._logs.store(nodes, notes.values())
        except BaseException:
            # Stored nodes are missing now. The tree is computed from its entries where they are.
            with self._storing:
                self._unstored = notes | self._unstored
            raise
