"""Backup and restore: copy a journal, which may be in use, and verify the copy.

The copy is written to a temporary folder, verified and synced, and only then linked to its final name. Existing
files are never overwritten.
"""

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile, check_log
from roundhouse.audit.verify import Progress, Summary, verify_journal
from roundhouse.journal.connections import open_to_read
from roundhouse.journal.files import FILE_SUFFIXES
from roundhouse.journal.seal import KEY_BYTES, Key, key_path, read_key
from roundhouse.journal.signing import public_path, signing_path
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.office.records import HOUSE_FILE, ChainHead, Records, journal_at
from roundhouse.office.restoration import record_restoration
from roundhouse.rules.errors import UserError
from roundhouse.table.names import Millis

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_OWNER_ONLY = 0o600


class CannotCopy(UserError):
    """The journal cannot be copied. The message explains why."""


def check_free(target: Path) -> None:
    """Raise an error unless the names of the journal, its key and its SQLite files are free."""
    if not target.name or target.is_dir():
        raise CannotCopy(f"'{target}' is a folder; name the file to write")
    for ending in ("", *FILE_SUFFIXES):
        if os.path.lexists(existing := target.with_name(target.name + ending)):
            raise CannotCopy(f"'{existing}' already exists and is not overwritten; choose another name")
    if not target.parent.is_dir():
        raise CannotCopy(f"there is no folder '{target.parent}'; create it first")


def key_beside(journal: Path) -> Key | None:
    try:
        return read_key(journal)
    except JournalUnavailable as error:
        raise CannotCopy(str(error)) from error


def copy_and_verify(
    source: Path,
    target: Path,
    key: Key | None,
    keep_secrets: bool,
    noted: tuple[str, ...],
    progress: Progress,
    restored_at: Millis | None = None,
) -> Summary:
    """Copy a journal to ``target``, with its key if one is given, and return the summary of its verification.

    The public key is always copied, and the signing key with the key of the seals. ``restored_at`` is the time of a
    restoration, which is recorded in the copy.
    """
    check_free(target)
    with _temporary_folder(target) as folder:
        copy = folder / target.name
        notes = _copy(source, copy)
        if not keep_secrets:
            _erase_credentials(copy)
        if key is not None:
            _write_key(key_path(copy), key)
            if restored_at is not None:
                record_restoration(copy, key, restored_at)
        _copy_signing_keys(source, copy, with_private=key is not None)
        copy.chmod(_OWNER_ONLY)
        summary = verify_journal(copy, key, noted, progress)
        _publish(copy, target)
        return msgspec.structs.replace(summary, notes=notes + summary.notes)


@contextmanager
def _temporary_folder(target: Path) -> Iterator[Path]:
    """Create a folder beside the target, on the same file system, and remove it afterwards."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise CannotCopy(f"Could not create a file in {target.parent}: {error.strerror or error}") from error
    try:
        yield folder
    except OSError as error:
        raise CannotCopy(f"Could not write {target}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(source: Path, copy: Path) -> list[str]:
    """Copy a journal. Return notes on its write-ahead log, which is merged into the copy."""
    notes = check_log(source)
    try:
        db = open_to_read(source)
    except JournalUnavailable as error:
        raise CannotCopy(str(error)) from error
    except JournalDamaged as error:
        fail("the file is damaged", expected="a database that SQLite can read", found=error)
    try:
        db.execute("VACUUM INTO ?", (str(copy.absolute()),)).fetchall()
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
        fail("the file is damaged", expected="a database that SQLite can read", found=error)
    except apsw.Error as error:
        raise CannotCopy(f"Could not copy {source}: {error}") from error
    finally:
        db.close()
    return notes


def _erase_credentials(copy: Path) -> None:
    """Erase the password and terminal-key verifiers from a copy. The names of their owners stay."""
    db = apsw.Connection(str(copy))
    try:
        if db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'credentials'").fetchall():
            # VACUUM, because an UPDATE leaves the old bytes in free pages of the file.
            db.execute("UPDATE credentials SET verifier = x''; VACUUM").fetchall()
    except apsw.Error as error:
        raise CannotCopy(f"Could not erase the credentials from the copy: {error}") from error
    finally:
        db.close()


def _write_key(path: Path, key: Key) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as file:
        file.write(key)


def _copy_signing_keys(source: Path, copy: Path, with_private: bool) -> None:
    """Copy the keys of the signatures that are beside the journal. The private key may be elsewhere."""
    for path_of, mode in ((public_path, 0o644), (signing_path, _OWNER_ONLY)):
        if path_of(source).exists() and (with_private or path_of is public_path):
            with os.fdopen(os.open(path_of(copy), os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
                file.write(path_of(source).read_bytes())


def _publish(copy: Path, target: Path) -> None:
    """Write copy and keys to disk, then link them to their names. The journal is last, so it never lacks its keys."""
    _sync(copy)
    linked: list[Path] = []
    try:
        for path_of in (key_path, signing_path, public_path):
            if path_of(copy).exists():
                _sync(path_of(copy))
                _link(path_of(copy), path_of(target))
                linked.append(path_of(target))
        _link(copy, target)
    except BaseException:
        for path in linked:
            path.unlink(missing_ok=True)
        raise
    _sync(target.parent)


def _link(copy: Path, target: Path) -> None:
    """Link the file to its final name. Unlike a rename, a link fails if the name exists."""
    try:
        os.link(copy, target)
    except FileExistsError as error:
        raise CannotCopy(f"'{target}' already exists and is not overwritten; choose another name") from error
    except OSError as error:
        if error.errno not in _NO_LINKS or os.path.lexists(target):
            raise
        copy.rename(target)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def heads_now(source: Path) -> tuple[str, ...]:
    """Return the head hashes of all chains now. A copy made after this call must contain them."""
    records = Records(source)
    try:
        heads = [records.head(table) for table in records.chains()]
        return tuple(head.hash for head in heads if head.entries)
    finally:
        records.close()


WARNING = (
    "Only one house may run: from this copy, from the original or from another copy. Two houses would each redeem the"
    " same tickets."
)


class CopySummary(Struct, frozen=True):
    """A verified copy of a journal, as ``backup`` and ``restore`` report it."""

    path: str
    key: str | None
    """Path of the key's copy. None if the copy has no key."""
    bytes: int
    tables: list[ChainHead]
    """The last entry of every table and of the house's own chain."""
    phases: dict[str, str]
    tickets_outstanding: int
    tickets_outstanding_cents: int
    seals_checked: bool
    notes: list[str]
    currency: str = ""
    """Currency of the amounts; empty if none is on record."""


def back_up(
    source: Path, target: Path, *, with_key: bool = True, progress: Progress = lambda entries: None
) -> CopySummary:
    """Copy a journal, which may be in use. The copy contains everything that was committed before this call."""
    journal = journal_at(source)
    noted = heads_now(journal)
    key = key_beside(journal) if with_key else None
    if with_key and key is None and noted:
        raise CannotCopy(f"the key '{key_path(journal)}' is missing; use --without-key to copy without it")
    summary = copy_and_verify(journal, target, key, with_key, noted, progress)
    return _copy_summary(target, key, summary)


_NAME: Final = re.compile(r"house-(\d{8}T\d{6})Z\.db")
_TIME: Final = "%Y%m%dT%H%M%S"


def backup_name(at: Millis) -> str:
    """Return the file name of a backup that is made now. Names sort by time.

    >>> backup_name(Millis(1_700_000_000_000))
    'house-20231114T221320Z.db'
    """
    return f"house-{datetime.fromtimestamp(at / 1000, UTC).strftime(_TIME)}Z.db"


def backups_in(folder: Path) -> dict[Path, Millis]:
    """Return the backups in a folder that ``backup_name`` named, with their times, the oldest first."""
    found: dict[Path, Millis] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (match := _NAME.fullmatch(path.name)) is not None:
            at = datetime.strptime(match[1], _TIME).replace(tzinfo=UTC)
            found[path] = Millis(int(at.timestamp() * 1000))
    return found


def prune(folder: Path, keep: int) -> list[Path]:
    """Remove all but the newest ``keep`` backups and their other files. Other names stay. Return the removed."""
    assert keep > 0, "the newest backup is never removed"
    removed = list(backups_in(folder))[:-keep]
    for path in removed:
        # The journal first: a copy without its key is still verified, but a key alone is only a secret lying about.
        path.unlink()
        for ending in FILE_SUFFIXES:
            path.with_name(path.name + ending).unlink(missing_ok=True)
    return removed


def restore(
    backup: Path,
    folder: Path,
    key_file: Path | None = None,
    progress: Progress = lambda entries: None,
    at: Millis | None = None,
) -> CopySummary:
    """Copy a backup to a data folder, and record the restoration, which begins a new epoch of the journal.

    The key is read from ``key_file``, or from the file beside the backup. Without a key nothing can be recorded. ``at``
    is the time now; the record is never older than the last entry.
    """
    backup, target = journal_at(backup), folder / HOUSE_FILE
    if folder.exists() and not folder.is_dir():
        raise CannotCopy(f"'{folder}' is not a folder")
    noted = heads_now(backup)
    key = key_beside(backup) if key_file is None else _key_in(key_file)
    file = JournalFile(backup)
    try:
        file.check_soundness()
    finally:
        file.close()
    fresh = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotCopy(f"Could not create the folder {folder}: {error.strerror or error}") from error
    try:
        check_free(target)
        summary = copy_and_verify(backup, target, key, True, noted, progress, restored_at=at or Millis(0))
    except BaseException:
        if fresh:
            folder.rmdir()
        raise
    return _copy_summary(target, key, summary)


def _key_in(path: Path) -> Key:
    try:
        key = path.read_bytes()
    except OSError as error:
        raise CannotCopy(f"cannot read the key '{path}': {error.strerror or error}") from error
    if len(key) != KEY_BYTES:
        raise CannotCopy(f"'{path}' is not the key of a journal: it has {len(key)} bytes, not {KEY_BYTES}")
    return Key(key)


def _copy_summary(target: Path, key: Key | None, summary: Summary) -> CopySummary:
    records = Records(target)
    try:
        heads = [records.head(table) for table in records.chains()]
    finally:
        records.close()
    return CopySummary(
        path=str(target),
        key=str(key_path(target)) if key is not None else None,
        bytes=target.stat().st_size,
        tables=heads,
        phases={table.table: table.phase for table in summary.tables},
        tickets_outstanding=summary.tickets_outstanding,
        tickets_outstanding_cents=summary.tickets_outstanding_cents,
        seals_checked=summary.seals_checked,
        notes=summary.notes,
        currency=next((table.currency for table in summary.tables if table.currency), ""),
    )
