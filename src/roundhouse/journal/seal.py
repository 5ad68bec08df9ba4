"""Seals: keyed hashes of a chain, which prove that the house wrote it.

The hash chain itself can be checked, and also forged, without a key. The key is in a separate file beside the journal.
"""

import hmac
import os
import secrets
from pathlib import Path
from typing import NewType

from roundhouse.journal.store import JournalUnavailable
from roundhouse.table.names import TicketNumber

Key = NewType("Key", bytes)
KEY_BYTES = 32
_DIGEST_BYTES = 16


def dispute_digest(key: Key, ticket: TicketNumber) -> str:
    """Return the keyed digest by which the record names a disputed ticket. The number itself is bearer money."""
    return hmac.digest(key, b"roundhouse disputed ticket\0" + ticket.encode(), "sha256")[:_DIGEST_BYTES].hex()


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
