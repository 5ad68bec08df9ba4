"""A capsule: one round in one file, with all that is needed to decide it over again, and nothing else.

It holds the rulebook, the state before the round, every entry from the opening of bets to the end, and each
later entry that touched the round with the state that *it* met. It is written in one way only, so that no
byte of it can differ. What it proves and what it cannot is in the decision log, page 0016.

Making a capsule: the table is verified on the way to the round, so that a capsule is only made of what holds.
"""

import hashlib
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from roundhouse.audit.chain import Chain
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile, RulebookSet
from roundhouse.audit.replay import Replay
from roundhouse.audit.scratch import Scratch, ScratchArchive
from roundhouse.audit.verify import Progress
from roundhouse.journal.entry import ChainHash, Entry, Seq, encode
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Row
from roundhouse.rules.errors import UserError
from roundhouse.table.decision import IN_ROUND
from roundhouse.table.names import Phase, RoundNumber, TableId
from roundhouse.table.state import RoundRecord, TableState

START = b'{"capsule":'


class CapsuleEntry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entry as the journal has it."""

    seq: Seq
    body: str
    hash: str
    seal: str | None = None


class CapsulePart(Struct, frozen=True, forbid_unknown_fields=True):
    """Entries in a row, and what they met."""

    rulebook: str
    before: str
    """The chain's hash before the first entry: it ties the state to the journal."""
    state: TableState
    records: dict[RoundNumber, RoundRecord | None]
    """Past rounds that these entries looked at."""
    entries: list[CapsuleEntry]


class Capsule(Struct, frozen=True, forbid_unknown_fields=True):
    capsule: Literal[1]
    table: TableId
    round: RoundNumber
    rulebooks: dict[str, str]
    parts: list[CapsulePart]
    digest: str = ""
    """SHA-256 of the file with this left empty."""


def written(capsule: Capsule) -> bytes:
    """The one way in which a capsule is written."""
    digest = hashlib.sha256(_encode(msgspec.structs.replace(capsule, digest=""))).hexdigest()
    return _encode(msgspec.structs.replace(capsule, digest=digest))


def read(content: bytes) -> Capsule:
    try:
        capsule = msgspec.json.decode(content, type=Capsule)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fail("the capsule cannot be read", expected="a capsule", found=error)
    expected = written(capsule)
    if expected != content:
        found = hashlib.sha256(content).hexdigest()
        fail("the capsule is not as it was written", expected=f"digest {capsule.digest}", found=f"other bytes: {found}")
    return capsule


def _encode(capsule: Capsule) -> bytes:
    return msgspec.json.encode(capsule) + b"\n"


class NoSuchRound(UserError):
    """The journal has no such round, in words for the person who asked."""


class _Watched(ScratchArchive):
    """Past rounds, with a note of each one that was looked at."""

    def __init__(self, scratch: Scratch, table: TableId) -> None:
        super().__init__(scratch, table)
        self.looked_at: dict[RoundNumber, RoundRecord | None] = {}

    def round(self, number: RoundNumber) -> RoundRecord | None:
        record = super().round(number)
        self.looked_at.setdefault(number, record)
        return record

    def keep(self, record: RoundRecord) -> None:
        # What is made within a part is not looked up from outside it.
        self.looked_at.setdefault(record.number, None)
        super().keep(record)


class _Open(NamedTuple):
    """A part that is being filled."""

    rulebook: str
    before: ChainHash
    state: bytes
    lines: list[CapsuleEntry]


def touches(entry: Entry, number: RoundNumber) -> bool:
    return any(getattr(event, "round", None) == number for event in entry.events)


def make_capsule(
    file: JournalFile, table: TableId, number: RoundNumber, key: Key | None, progress: Progress = lambda entries: None
) -> Capsule:
    shelf = RulebookSet(file.rulebooks())
    shelf.check()
    scratch = Scratch()
    try:
        return _Making(file, shelf, scratch, table, number, key).capsule(progress)
    finally:
        scratch.close()


class _Making:
    def __init__(
        self,
        file: JournalFile,
        shelf: RulebookSet,
        scratch: Scratch,
        table: TableId,
        number: RoundNumber,
        key: Key | None,
    ) -> None:
        self._shelf = shelf
        self._id = table
        self._number = number
        self._archive = _Watched(scratch, table)
        first = dict(file.tables())[table]
        game = shelf.get(first)
        if game is None:
            fail("the rulebook of a table is not in the journal", expected=first, found=None, table=table)
        self._replay = Replay(table, shelf, game, TableState(), self._archive)
        self._chain = Chain(table, file.entries(table), file.seals(table), key)
        self._parts: list[CapsulePart] = []
        self._rulebooks: dict[str, str] = {}
        self._open: _Open | None = None

    def capsule(self, progress: Progress) -> Capsule:
        before = self._chain.hash
        for row, entry in self._chain:
            if self._open is None and touches(entry, self._number):
                self._begin(before)
            self._replay.check(entry)
            if self._open is not None:
                self._add(self._open, row)
            before = row.hash
            if not row.seq % 1000:
                progress(row.seq)
        if self._open is not None:
            self._end(self._open)
        if not self._parts:
            raise NoSuchRound(f"table '{self._id}' has no round {self._number}")
        return Capsule(1, self._id, self._number, self._rulebooks, self._parts)

    def _begin(self, before: ChainHash) -> None:
        table = self._replay.table
        self._archive.looked_at.clear()
        self._open = _Open(table.game.hash, before, encode(table.state), [])
        self._keep_rulebook(table.game.hash)

    def _add(self, part: _Open, row: Row) -> None:
        seal = self._chain.last_seal
        part.lines.append(
            CapsuleEntry(row.seq, row.body.decode(), row.hash.hex(), seal.hex() if seal is not None else None)
        )
        self._keep_rulebook(self._replay.table.game.hash)
        state = self._replay.table.state
        in_progress = state.round == self._number and state.phase_before_stop in (*IN_ROUND, Phase.REFERRED)
        # A part ends with a sealed entry, so that whoever has the key can check the whole of it.
        if seal is not None and not in_progress:
            self._end(part)

    def _end(self, part: _Open) -> None:
        state = msgspec.json.decode(part.state, type=TableState)
        looked_at = dict(sorted(self._archive.looked_at.items()))
        self._parts.append(CapsulePart(part.rulebook, part.before.hex(), state, looked_at, part.lines))
        self._open = None

    def _keep_rulebook(self, hash: str) -> None:
        self._rulebooks.setdefault(hash, self._shelf.content(hash).decode())
