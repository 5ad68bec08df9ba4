"""The files of a journal: itself, its log, its lock. By whatever name it is reached, they lie where it really is."""

import fcntl
import os
import time
from pathlib import Path
from typing import IO, Final

from roundhouse.journal.store import JournalDamaged, JournalUnavailable

FILE_SUFFIXES: Final = ("-wal", "-shm", ".key", ".lock")
"""How the names of all files end that belong to a journal and lie beside it."""
_LOCK_TRIES, _RETRY_SECONDS = 5, 0.05


def wal_of(path: Path) -> Path:
    """What was committed last and is not in the file itself yet; it goes when the last writer closes the journal."""
    return Path(f"{os.path.realpath(path)}-wal")


def lock_of(path: Path) -> Path:
    return Path(f"{os.path.realpath(path)}.lock")


def size_of(path: Path) -> int:
    """Nothing, where there is no such file (any more)."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def ensure_writable_file(path: Path) -> None:
    """The file can be written, and is made for its owner alone: it holds tickets, which are money, and verifiers.

    SQLite would remove the log of a journal that is gone: asked first, it can still be kept.
    """
    if size_of(wal_of(path)) and not size_of(path):
        words = "is gone or empty, and its log is there. Put the file back, or move the log away to begin anew"
        raise JournalDamaged(f"the journal '{path}' {words}")
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    elif not os.access(path, os.W_OK):
        raise JournalUnavailable(f"the journal '{path}' may not be written")


def take_lock(path: Path) -> IO[bytes]:
    """One writer. The lock ends with the process, however it ends."""
    try:
        lock = open(lock_of(path), "ab")  # noqa: SIM115  kept open for as long as the store is
    except OSError as error:
        raise JournalUnavailable(f"cannot write beside '{path}': {os.strerror(error.errno or 0)}") from error
    for _ in range(_LOCK_TRIES):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            # Who verifies asks for a moment whether anybody writes.
            time.sleep(_RETRY_SECONDS)
        else:
            return lock
    lock.close()
    raise JournalUnavailable(f"the journal '{path}' is in use by another process")


def is_being_written(path: Path) -> bool:
    try:
        with open(lock_of(path), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
