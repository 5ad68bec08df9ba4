"""Capsules: one round in one file, with everything needed to replay it.

A capsule holds the rulebook, the state before the round, the entries of the round, and each later entry about the
round with the state before it. The table is verified while a capsule is made. Decision 0016 explains what a capsule
can prove.
"""

import hashlib
from typing import Literal, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from roundhouse.audit.chain import Chain
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile, RulebookSet
from roundhouse.audit.origin import proof_of
from roundhouse.audit.replay import Replay
from roundhouse.audit.scratch import Scratch, ScratchArchive
from roundhouse.audit.verify import Progress
from roundhouse.journal.entry import ChainHash, Entry, Seq, encode
from roundhouse.journal.index import rounds_of
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Row
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.table.decision import IN_ROUND
from roundhouse.table.names import Phase, RoundNumber, TableId
from roundhouse.table.state import RoundRecord, TableState

START = b'{"capsule":'
"""The first bytes of every capsule."""


class CapsuleEntry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entry as it is in the journal. Hash and seal are hexadecimal."""

    seq: Seq
    body: str
    hash: str
    seal: str | None = None


class CapsulePart(Struct, frozen=True, forbid_unknown_fields=True):
    """Consecutive entries, with the state before the first of them."""

    rulebook: str
    """Hash of the rulebook."""
    before: str
    """Hash of the entry before the first one. It identifies the place of the state in the journal."""
    state: TableState
    records: dict[RoundNumber, RoundRecord | None]
    """Past rounds that the replay of these entries reads. None for a round that did not exist before them."""
    entries: list[CapsuleEntry]
    proof: str | UnsetType = UNSET
    """Proof that the house signed the last entry (c2sp.org/tlog-proof), which covers all entries before it."""


class Capsule(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a capsule file."""

    capsule: Literal[1, 2]
    """Version of the format. Version 2 has proofs."""
    table: TableId
    round: RoundNumber
    rulebooks: dict[str, str]
    """Content of each rulebook by its hash."""
    parts: list[CapsulePart]
    digest: str = ""
    """SHA-256 of the file with an empty digest."""


def encode_capsule(capsule: Capsule) -> bytes:
    """Return the canonical encoding of a capsule, with its digest. No other encoding is accepted."""
    digest = hashlib.sha256(_encode(msgspec.structs.replace(capsule, digest=""))).hexdigest()
    return _encode(msgspec.structs.replace(capsule, digest=digest))


def read(content: bytes) -> Capsule:
    try:
        capsule = msgspec.json.decode(content, type=Capsule)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fail("the capsule cannot be read", expected="a capsule", found=error)
    expected = encode_capsule(capsule)
    if expected != content:
        found = hashlib.sha256(content).hexdigest()
        fail("the capsule was changed", expected=f"digest {capsule.digest}", found=f"other bytes, SHA-256 {found}")
    return capsule


def _encode(capsule: Capsule) -> bytes:
    return msgspec.json.encode(capsule) + b"\n"


class NoSuchRound(UserError):
    """The journal or capsule does not contain the round."""


class _RecordingArchive(ScratchArchive):
    """An archive that records which past rounds the replay reads."""

    def __init__(self, scratch: Scratch, table: TableId, rulebooks: RulebookSet) -> None:
        super().__init__(scratch, table, rulebooks)
        self.reads: dict[RoundNumber, RoundRecord | None] = {}
        self.games: set[str] = set()
        """Hashes of older rulebooks by which the replay corrected past rounds."""

    def game(self, rulebook: str) -> Game | None:
        game = super().game(rulebook)
        if game is not None:
            self.games.add(rulebook)
        return game

    def round(self, number: RoundNumber) -> RoundRecord | None:
        record = super().round(number)
        self.reads.setdefault(number, record)
        return record

    def keep(self, record: RoundRecord) -> None:
        # The entries of this part create the round, so it did not exist before the part.
        self.reads.setdefault(record.number, None)
        super().keep(record)


class _OpenPart(NamedTuple):
    """A part to which entries are being added."""

    rulebook: str
    before: ChainHash
    state: bytes
    entries: list[CapsuleEntry]


def concerns(entry: Entry, number: RoundNumber) -> bool:
    """Return whether an event of the entry names the round."""
    return any(number in rounds_of(event) for event in entry.events)


def in_progress(state: TableState, number: RoundNumber) -> bool:
    """Return whether a round has begun and is neither settled nor void."""
    return state.round == number and state.phase_before_stop in (*IN_ROUND, Phase.INTERRUPTED, Phase.REFERRED)


def make_capsule(
    file: JournalFile, table: TableId, number: RoundNumber, key: Key | None, progress: Progress = lambda entries: None
) -> Capsule:
    """Replay a table from its first entry, and return the capsule of a round."""
    rulebooks = RulebookSet(file.rulebooks())
    rulebooks.check()
    scratch = Scratch()
    try:
        return _CapsuleBuilder(file, rulebooks, scratch, table, number, key).capsule(progress)
    finally:
        scratch.close()


class _CapsuleBuilder:
    def __init__(
        self,
        file: JournalFile,
        rulebooks: RulebookSet,
        scratch: Scratch,
        table: TableId,
        number: RoundNumber,
        key: Key | None,
    ) -> None:
        self._file, self._recorded = file, rulebooks
        self._id = table
        self._number = number
        self._archive = _RecordingArchive(scratch, table, rulebooks)
        first = dict(file.tables())[table]
        game = rulebooks.get(first)
        if game is None:
            fail("the rulebook of a table is not in the journal", expected=first, found=None, table=table)
        self._replay = Replay(table, rulebooks, game, TableState(), self._archive)
        self._chain = Chain(table, file.entries(table), file.seals(table), key)
        self._parts: list[CapsulePart] = []
        self._rulebooks: dict[str, str] = {}
        self._open: _OpenPart | None = None

    def capsule(self, progress: Progress) -> Capsule:
        before = self._chain.hash
        for row, entry in self._chain:
            if self._open is None and concerns(entry, self._number):
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
        parts = [*map(self._with_proof, self._parts)]
        version: Literal[1, 2] = 1 if all(part.proof is UNSET for part in parts) else 2
        return Capsule(version, self._id, self._number, self._rulebooks, parts)

    def _with_proof(self, part: CapsulePart) -> CapsulePart:
        proof = proof_of(self._file, self._id, part.entries[-1].seq)
        return msgspec.structs.replace(part, proof=proof) if proof is not None else part

    def _begin(self, before: ChainHash) -> None:
        table = self._replay.table
        self._archive.reads.clear()
        self._archive.games.clear()
        self._open = _OpenPart(table.game.hash, before, encode(table.state), [])
        self._add_rulebook(table.game.hash)

    def _add(self, part: _OpenPart, row: Row) -> None:
        seal = self._chain.last_seal
        part.entries.append(
            CapsuleEntry(row.seq, row.body.decode(), row.hash.hex(), seal.hex() if seal is not None else None)
        )
        self._add_rulebook(self._replay.table.game.hash)
        # A part ends with a sealed entry, so that the key can prove the whole part.
        if seal is not None and not in_progress(self._replay.table.state, self._number):
            self._end(part)

    def _end(self, part: _OpenPart) -> None:
        state = msgspec.json.decode(part.state, type=TableState)
        reads = dict(sorted(self._archive.reads.items()))
        for hash in sorted(self._archive.games):
            self._add_rulebook(hash)
        self._parts.append(CapsulePart(part.rulebook, part.before.hex(), state, reads, part.entries))
        self._open = None

    def _add_rulebook(self, hash: str) -> None:
        self._rulebooks.setdefault(hash, self._recorded.content(hash).decode())
