"""Seals: keyed hashes of a chain, of snapshots and of round records, which prove that the house wrote them.

The hash chain itself can be checked, and also forged, without a key. The key is in a separate file beside the journal.
"""

import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import NewType

from roundhouse.journal.entry import ChainHash, Seq
from roundhouse.journal.store import JournalUnavailable, Snapshot, StoredRound
from roundhouse.table.names import RoundNumber, TableId, TicketId

Key = NewType("Key", bytes)
KEY_BYTES = 32
_DIGEST_BYTES = 16


def dispute_digest(key: Key, ticket: TicketId) -> str:
    """Return the keyed digest by which the record names a disputed ticket. The number itself is bearer money."""
    return hmac.digest(key, b"roundhouse disputed ticket\0" + ticket.encode(), "sha256")[:_DIGEST_BYTES].hex()


def subkey(key: Key, purpose: str) -> Key:
    """Derive a key for one purpose, so that a seal made for one purpose never fits another."""
    return Key(hmac.digest(key, b"roundhouse " + purpose.encode(), "sha256"))


def sealed_snapshot(key: Key, table: TableId, seq: Seq, hash: ChainHash, memory: bytes, derived: bytes) -> Snapshot:
    """Return a snapshot with a seal that covers its place in the chain and all its bytes."""
    snapshot = Snapshot(seq, hash, memory, derived)
    return Snapshot(seq, hash, memory, derived, _seal_of_snapshot(key, table, snapshot))


def snapshot_fits(key: Key, table: TableId, snapshot: Snapshot) -> bool:
    return hmac.compare_digest(_seal_of_snapshot(key, table, snapshot), snapshot.seal)


def _seal_of_snapshot(key: Key, table: TableId, snapshot: Snapshot) -> bytes:
    place = f"{table}\0{snapshot.seq}\0".encode()
    content = hashlib.sha256(snapshot.memory).digest() + hashlib.sha256(snapshot.derived).digest()
    return hmac.digest(subkey(key, "snapshot"), place + snapshot.hash + content, "sha256")


def sealed_round(key: Key, table: TableId, number: RoundNumber, version: int, record: bytes) -> StoredRound:
    """Return the record of a round with its seal. ``version`` counts how often the record has been written."""
    return StoredRound(record, version, _seal_of_round(key, table, number, version, record))


def round_fits(key: Key, table: TableId, number: RoundNumber, stored: StoredRound) -> bool:
    return hmac.compare_digest(_seal_of_round(key, table, number, stored.version, stored.record), stored.seal)


def _seal_of_round(key: Key, table: TableId, number: RoundNumber, version: int, record: bytes) -> bytes:
    place = f"{table}\0{number}\0{version}\0".encode()
    return hmac.digest(subkey(key, "round"), place + hashlib.sha256(record).digest(), "sha256")


def key_path(journal: Path) -> Path:
    return journal.with_name(journal.name + ".key")


def read_key(journal: Path) -> Key | None:
    try:
        key = key_path(journal).read_bytes()
        if len(key) != KEY_BYTES:
            raise JournalUnavailable(
                f"'{key_path(journal)}' is not the key of a journal: it has {len(key)} bytes, not {KEY_BYTES}"
            )
        return Key(key)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalUnavailable(f"Could not read '{key_path(journal)}': {error.strerror}") from error


def key_of(journal: Path) -> Key:
    """Read the journal's key, or create it: 32 random bytes in a file that only the owner may read."""
    if (key := read_key(journal)) is not None:
        return key
    key = Key(secrets.token_bytes(KEY_BYTES))
    path = key_path(journal)
    fresh = path.with_name(path.name + ".new")
    try:
        # Write to a temporary file and rename it, so that a power cut never leaves a partial key.
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        fresh.rename(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise JournalUnavailable(f"Could not write '{path}': {error.strerror}") from error
    return key
