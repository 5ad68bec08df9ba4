"""The seal: whoever rewrites a journal and its hashes has to forge this too, and needs the key for it.

The chain can be checked by anyone. The key stays with the house, beside the journal and not in it.
"""

import hmac
import os
import secrets
from pathlib import Path
from typing import NewType

from roundhouse.journal.entry import ChainHash
from roundhouse.journal.store import JournalUnavailable
from roundhouse.table.names import TableId

Key = NewType("Key", bytes)
KEY_BYTES = 32


def seal(key: Key, table: TableId, hash: ChainHash) -> bytes:
    return hmac.digest(key, table.encode() + b"\0" + hash, "sha256")


def key_path(journal: Path) -> Path:
    return journal.with_name(journal.name + ".key")


def read_key(journal: Path) -> Key | None:
    try:
        key = key_path(journal).read_bytes()
        if len(key) != KEY_BYTES:
            raise JournalUnavailable(
                f"'{key_path(journal)}' is not the key of a journal: {len(key)} bytes, not {KEY_BYTES}"
            )
        return Key(key)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalUnavailable(f"cannot read the key of '{journal}': {error.strerror}") from error


def key_of(journal: Path) -> Key:
    """The journal's key, made with the journal: 32 bytes that only the owner may read."""
    if (key := read_key(journal)) is not None:
        return key
    key = Key(secrets.token_bytes(KEY_BYTES))
    path = key_path(journal)
    fresh = path.with_name(path.name + ".new")
    try:
        # Written whole under another name and then renamed: a power cut leaves the key or no key, never half of one.
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
        raise JournalUnavailable(f"cannot write the key '{path}': {error.strerror}") from error
    return key
