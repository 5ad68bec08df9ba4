"""The files of a journal: the database, its write-ahead log and its lock. Symbolic links are resolved first."""

import errno
import fcntl
import os
import time
from pathlib import Path
from typing import IO, Final

from roundhouse.journal.store import JournalDamaged, JournalUnavailable

FILE_SUFFIXES: Final = ("-wal", "-shm", ".key", ".lock", ".heads", ".signing", ".pub")
"""Suffixes of the other files of a journal, in the same folder."""
_LOCK_TRIES, _RETRY_SECONDS = 5, 0.05


def wal_of(path: Path) -> Path:
    """Return the path of the write-ahead log. SQLite removes the file when the last writer closes the journal."""
    return Path(f"{os.path.realpath(path)}-wal")


def lock_of(path: Path) -> Path:
    return Path(f"{os.path.realpath(path)}.lock")


def size_of(path: Path) -> int:
    """Return the size in bytes, or 0 if the file does not exist."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def sync_file(path: Path) -> None:
    """Make the content and the length of a file durable."""
    file = os.open(path, os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def ensure_writable_file(path: Path) -> None:
    """Create the journal if it does not exist, and check that it is writable.

    The file is readable only by its owner, because it contains tickets and password verifiers. A WAL without its
    journal is an error, because SQLite would remove the WAL.
    """
    if size_of(wal_of(path)) and not size_of(path):
        advice = "Put the file back, or move the log away to start a new journal"
        raise JournalDamaged(f"the journal '{path}' is missing or empty, but its log '{wal_of(path)}' exists. {advice}")
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    elif not os.access(path, os.W_OK):
        raise JournalUnavailable(f"Could not write '{path}': {os.strerror(errno.EACCES)}")


def take_lock(path: Path) -> IO[bytes]:
    """Lock the journal for this process. The operating system releases the lock when the process ends."""
    try:
        lock = open(lock_of(path), "ab")  # noqa: SIM115  it stays open with the store
    except OSError as error:
        raise JournalUnavailable(f"Could not write '{lock_of(path)}': {os.strerror(error.errno or 0)}") from error
    for _ in range(_LOCK_TRIES):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            # A process that verifies the journal may hold the lock briefly (``is_being_written``).
            time.sleep(_RETRY_SECONDS)
        else:
            return lock
    lock.close()
    raise JournalUnavailable(f"the journal '{path}' is in use by another process")


def lock_database(path: Path) -> int:
    """Lock the database file itself with ``flock``, and return the descriptor that holds the lock.

    The lock file can be removed, and a hard link in another folder has another lock file; the lock on the database
    excludes a second writer in both cases. On local file systems of Linux ``flock`` is independent of the record locks
    that SQLite takes on the same file. But closing any descriptor of a file releases all record locks of the process
    on it: the descriptor is opened before SQLite opens the file, and closed after SQLite has closed it.
    """
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError as error:
        raise JournalUnavailable(f"Could not write '{path}': {os.strerror(error.errno or 0)}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # The descriptor stays open. If the other writer is in this process, closing it would release SQLite's locks.
        raise JournalUnavailable(f"the journal '{path}' is in use by another process") from error
    if (names := os.fstat(descriptor).st_nlink) > 1:
        os.close(descriptor)
        advice = "SQLite keeps a separate log for each name, and two logs damage the file. Remove the other names"
        raise JournalUnavailable(f"the journal '{path}' has {names} names (hard links): {advice}")
    return descriptor


def is_being_written(path: Path) -> bool:
    try:
        with open(lock_of(path), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
