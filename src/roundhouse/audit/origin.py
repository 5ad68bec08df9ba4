"""Checks the origin of a journal or a capsule: the signatures of the house and of its witnesses on the checkpoints.

The chain shows that a journal is consistent. Only a key that the auditor already has shows who wrote it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile
from roundhouse.journal.entry import Seq
from roundhouse.journal.signing import house_name, origin_of
from roundhouse.journal.tree import ChainTree, JournalId, StoredCheckpoint
from roundhouse.people.events import SigningKeySet, decode
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.table.names import TableId
from roundhouse.tlog.announcement import read_announcement
from roundhouse.tlog.checkpoint import Checkpoint, checkpoint_of
from roundhouse.tlog.cosignature import cosigned_at
from roundhouse.tlog.merkle import BadProof, CompactRange, TreeHash, leaf_hash, node_hash, prove_inclusion
from roundhouse.tlog.note import KeyName, NotANote, Note, NotSigned, SignatureType, VerifierKey, check, read_note
from roundhouse.tlog.proof import InclusionProof, read_proof

_ID: Final = re.compile("[0-9a-f]{32}")
_TILE: Final = 256
"""Number of hashes that one stored hash covers."""
_KEY_SET: Final = '"event":"signing_key_set.'


class Origin(StrEnum):
    """Whether the house that wrote a journal or a capsule is proven."""

    KNOWN = "known"
    UNKNOWN = "unknown"


class TrustedKeys(Struct, frozen=True):
    """The public keys that an auditor has from elsewhere."""

    house: VerifierKey | None = None
    witnesses: tuple[VerifierKey, ...] = ()


NO_KEYS: Final = TrustedKeys()


class SignatureSummary(Struct, frozen=True):
    """The result of checking the signatures of a journal or a capsule."""

    signed: bool
    """Whether the house's key has signed every entry."""
    witnesses: list[str]
    """Names of the trusted witnesses that have cosigned."""
    notes: list[str]


def trusted(keys: Iterable[VerifierKey]) -> TrustedKeys:
    """Sort public keys by their use."""
    house, witnesses = None, []
    for key in keys:
        if key.type is SignatureType.COSIGNATURE:
            witnesses.append(key)
        else:
            house = key
    return TrustedKeys(house, tuple(witnesses))


def name_of(file: JournalFile) -> KeyName | None:
    """Return the name of the journal's key, or ``None`` if the journal is from before checkpoints were signed."""
    if not file.is_signed:
        return None
    rows = list(file.rows("SELECT id FROM journal", (), (str,)))
    if len(rows) != 1 or not _ID.fullmatch(rows[0][0]):
        fail("the journal does not have one id", expected="32 hexadecimal digits", found=rows)
    return house_name(JournalId(rows[0][0]))


def checkpoints_of(file: JournalFile, chain: TableId) -> list[StoredCheckpoint]:
    if not file.is_signed:
        return []
    sql = "SELECT table_id, signer, size, note FROM checkpoints WHERE table_id = ? ORDER BY signer"
    return [StoredCheckpoint(*row) for row in file.rows(sql, (chain,), (str, str, int, str))]


def tree_of(file: JournalFile, chain: TableId) -> dict[tuple[int, int], bytes]:
    """Return the stored hashes of a chain's tree by level and number."""
    if not file.is_signed:
        return {}
    sql = "SELECT level, number, hash FROM tree WHERE table_id = ?"
    return {(level, number): hash for level, number, hash in file.rows(sql, (chain,), (int, int, bytes))}


def epoch_of(file: JournalFile) -> int:
    """Return how often the journal was restored from a backup."""
    sql = "SELECT count(*) FROM entries WHERE table_id = ? AND instr(body, ?)"
    return int(file.query(sql, HOUSE_CHAIN, '"event":"house_restored.')[0][0])


def check_signatures(file: JournalFile, chains: Sequence[TableId], keys: TrustedKeys) -> SignatureSummary:
    """Compare the checkpoints and the stored trees with the entries, and verify the signatures of trusted keys.

    Call this after the chains were verified.
    """
    name = name_of(file)
    if name is None:
        return SignatureSummary(False, [], [])
    accepted: list[VerifierKey] = []
    if keys.house is not None:
        if keys.house.name != name:
            fail("the public key is that of another house", expected=name, found=keys.house.name)
        accepted = _successors(file, keys.house)
    notes: list[str] = []
    cosigners = {key.name for key in keys.witnesses}
    epoch = epoch_of(file)
    for chain in chains:
        stored = checkpoints_of(file, chain)
        size = _check_tree(file, chain, stored)
        origin = origin_of(name, epoch, chain)
        covered, cosigned = 0, set()
        for one in stored:
            note, checkpoint = read_checkpoint(one.note, chain)
            if checkpoint.origin != origin:
                fail("a checkpoint belongs to another log", expected=origin, found=checkpoint.origin, table=chain)
            if accepted:
                _check_signed(note, [key.named(origin) for key in accepted], chain)
                covered = max(covered, checkpoint.size)
            cosigned |= {key.name for key in keys.witnesses if _is_cosigned(note, key, chain)}
        if accepted and covered < size:
            notes.append(f"entries {covered + 1} to {size} of {chain} are not signed")
        if size:
            cosigners &= cosigned
    return SignatureSummary(bool(accepted) and not notes, sorted(cosigners), notes)


def _successors(file: JournalFile, key: VerifierKey) -> list[VerifierKey]:
    """Return a key and the keys that followed it, each announced by a signature of the one before it."""
    keys = [key]
    sql = "SELECT body FROM entries WHERE table_id = ? AND instr(body, ?) ORDER BY seq"
    for (body,) in file.query(sql, HOUSE_CHAIN, _KEY_SET):
        event = decode(body).event
        if isinstance(event, SigningKeySet) and event.announcement:
            try:
                keys.append(read_announcement(read_note(event.announcement), keys[-1]).key)
            except (NotSigned, NotANote):
                # A key from before the trusted one.
                continue
    return keys


class _Levels:
    """Computes the hashes of complete subtrees of 256, 65536, ... leaves, one leaf after the other."""

    def __init__(self) -> None:
        self._waiting: list[list[TreeHash]] = []
        self._counts: list[int] = []

    def add(self, hash: TreeHash, level: int = 0) -> Iterator[tuple[int, int, TreeHash]]:
        if level == len(self._waiting):
            self._waiting.append([])
            self._counts.append(0)
        self._waiting[level].append(hash)
        if len(self._waiting[level]) < _TILE:
            return
        hashes, self._waiting[level] = self._waiting[level], []
        while len(hashes) > 1:
            hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2])]
        number = self._counts[level]
        self._counts[level] += 1
        yield level + 1, number, hashes[0]
        yield from self.add(hashes[0], level + 1)


def _check_tree(file: JournalFile, chain: TableId, stored: Sequence[StoredCheckpoint]) -> int:
    """Compare the roots of the checkpoints and the stored hashes with those of the entries. Return the chain's size."""
    wanted: dict[int, list[StoredCheckpoint]] = {}
    for one in stored:
        wanted.setdefault(one.size, []).append(one)
    nodes, growing, levels = tree_of(file, chain), CompactRange(), _Levels()
    for row in file.entries(chain):
        leaf = leaf_hash(row.hash)
        growing.add(leaf)
        for level, number, expected in levels.add(leaf):
            found = nodes.pop((level, number), expected)
            if found != expected:
                fail("a stored hash of the tree differs", expected=expected, found=found, table=chain, entry=row.seq)
        for one in wanted.pop(growing.size, ()):
            _, checkpoint = read_checkpoint(one.note, chain)
            if (checkpoint.size, checkpoint.root) != (growing.size, growing.root):
                what = "a signed checkpoint does not fit the entries"
                fail(what, expected=growing.root, found=checkpoint.root, table=chain, entry=row.seq)
    if wanted:
        what = "a signed checkpoint covers entries that the journal lacks"
        fail(what, expected=f"{max(wanted)} entries", found=growing.size, table=chain)
    if nodes:
        fail("the tree has hashes of missing entries", expected=None, found=min(nodes), table=chain)
    return growing.size


def read_checkpoint(text: str, chain: TableId) -> tuple[Note, Checkpoint]:
    try:
        note = read_note(text)
        return note, checkpoint_of(note)
    except NotANote as error:
        fail("a checkpoint cannot be read", expected="a signed checkpoint", found=error, table=chain)


def _check_signed(note: Note, keys: Sequence[VerifierKey], chain: TableId) -> None:
    try:
        check(note, *keys)
    except NotSigned as error:
        fail("the key of the house has not signed a checkpoint", expected=str(keys[0]), found=error, table=chain)


def _is_cosigned(note: Note, key: VerifierKey, chain: TableId) -> bool:
    try:
        return cosigned_at(note, key) is not None
    except NotSigned as error:
        fail("a cosignature is wrong", expected=str(key), found=error, table=chain)


def proof_of(file: JournalFile, chain: TableId, seq: Seq) -> str | None:
    """Prove that an entry is in a signed checkpoint. ``None`` if no checkpoint covers it yet.

    Of the checkpoints that cover the entry, the one with the most signatures is taken, and the newest of those.
    """
    merged: dict[str, Note] = {}
    for one in checkpoints_of(file, chain):
        note, _ = read_checkpoint(one.note, chain)
        if one.size >= seq:
            known = merged.get(note.text, Note(note.text))
            merged[note.text] = Note(note.text, tuple(dict.fromkeys((*known.signatures, *note.signatures))))
    if not merged:
        return None
    note = max(merged.values(), key=lambda one: (len(one.signatures), checkpoint_of(one).size))
    tree = ChainTree(file, chain)
    hashes = prove_inclusion(tree, seq - 1, checkpoint_of(note).size)
    return str(InclusionProof(seq - 1, tuple(hashes), note))


def check_proof(text: str, chain: TableId, seq: Seq, hash: bytes, keys: TrustedKeys) -> tuple[bool, set[str]]:
    """Check the proof of an entry. Return whether the trusted key has signed it, and the witnesses that cosigned it."""
    try:
        proof = read_proof(text)
        proof.check(hash)
        origin = checkpoint_of(proof.note).origin
    except (NotANote, BadProof) as error:
        fail("the proof of an entry is wrong", expected="a proof", found=error, table=chain, entry=seq)
    if proof.index != seq - 1:
        fail("the proof is that of another entry", expected=seq, found=proof.index + 1, table=chain)
    start, _, name = origin.rpartition("/")
    journal, _, epoch = start.rpartition("/")
    if origin != origin_of(journal, int(epoch) if epoch.isdecimal() else -1, chain):
        fail("the proof belongs to another chain", expected=chain, found=name, table=chain, entry=seq)
    if keys.house is not None:
        if keys.house.name != journal:
            fail("the public key is that of another house", expected=journal, found=keys.house.name)
        _check_signed(proof.note, [keys.house.named(origin)], chain)
    cosigned = {str(key.name) for key in keys.witnesses if _is_cosigned(proof.note, key, chain)}
    return keys.house is not None, cosigned
