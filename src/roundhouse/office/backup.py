"""A copy of a journal that may be in use: one view of it, written whole under another name, then put in its place.

What stands under the name that was asked for is complete, proven and on the disk, or it is not there. Nothing is
ever written over.

Backup and restore: a live house's journal copied whole, proven after it was written; and the way back.

A backup is a journal like any other. Two houses that run from one backup each believe in the same tickets: that is
for people to prevent, and both commands say so.
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import msgspec
from msgspec import Struct

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile, check_log
from roundhouse.audit.verify import Progress, Summary, verify_journal
from roundhouse.journal.files import FILE_SUFFIXES
from roundhouse.journal.seal import KEY_BYTES, Key, key_path, read_key
from roundhouse.journal.sqlite import open_to_read
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.office.records import HOUSE_FILE, ChainHead, Records, journal_at
from roundhouse.rules.errors import UserError

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_OWNER_ONLY = 0o600


class CannotCopy(UserError):
    """The copy cannot be made, in words for the person who asked for it."""


def check_free(target: Path) -> None:
    """Nothing lies where a journal and what belongs to it would be put."""
    if not target.name or target.is_dir():
        raise CannotCopy(f"'{target}' is a folder; name the file that is to be written")
    for ending in ("", *FILE_SUFFIXES):
        if os.path.lexists(there := target.with_name(target.name + ending)):
            raise CannotCopy(f"'{there}' is there already; nothing is ever written over it")
    if not target.parent.is_dir():
        raise CannotCopy(f"there is no folder '{target.parent}'")


def key_beside(journal: Path) -> Key | None:
    try:
        return read_key(journal)
    except JournalUnavailable as error:
        raise CannotCopy(str(error)) from error


def copy_and_prove(
    source: Path, target: Path, key: Key | None, keep_secrets: bool, noted: tuple[str, ...], progress: Progress
) -> Summary:
    """A copy of a journal, with its key if one is given, in its place; and what was proven about it."""
    check_free(target)
    with _workshop(target) as folder:
        made = folder / target.name
        notes = _copy(source, made)
        if not keep_secrets:
            _forget_credentials(made)
        if key is not None:
            _write_key(key_path(made), key)
        if keep_secrets:
            made.chmod(_OWNER_ONLY)
        proven = verify_journal(made, key, noted, progress)
        _put_in_place(made, target, with_key=key is not None)
        return msgspec.structs.replace(proven, notes=notes + proven.notes)


@contextmanager
def _workshop(target: Path) -> Iterator[Path]:
    """A folder beside the target, on the same disk, that is gone afterwards."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise CannotCopy(f"cannot write in '{target.parent}': {error.strerror or error}") from error
    try:
        yield folder
    except OSError as error:
        raise CannotCopy(f"cannot write '{target}': {error.strerror or error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(source: Path, made: Path) -> list[str]:
    """Answers with what is strange about the source's log, which no copy shows any more."""
    notes = check_log(source)
    try:
        db = open_to_read(source)
    except JournalUnavailable as error:
        raise CannotCopy(str(error)) from error
    except JournalDamaged as error:
        fail("the file is not what was written", expected="a database that SQLite can read", found=error)
    try:
        db.execute("VACUUM INTO ?", (str(made.absolute()),)).fetchall()
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
        fail("the file is not what was written", expected="a database that SQLite can read", found=error)
    except apsw.Error as error:
        raise CannotCopy(f"'{source}' cannot be copied: {error}") from error
    finally:
        db.close()
    return notes


def _forget_credentials(made: Path) -> None:
    """What people and terminals prove themselves with is the house's own, like its key. Whose they were stays."""
    db = apsw.Connection(str(made))
    try:
        if db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'credentials'").fetchall():
            # Vacuumed, because a row that is changed leaves its bytes behind.
            db.execute("UPDATE credentials SET verifier = x''; VACUUM").fetchall()
    except apsw.Error as error:
        raise CannotCopy(f"the credentials cannot be taken out of the copy: {error}") from error
    finally:
        db.close()


def _write_key(path: Path, key: Key) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as file:
        file.write(key)


def _put_in_place(made: Path, target: Path, with_key: bool) -> None:
    """On the disk first, then under its name; the journal last, so that where it stands its key stands too."""
    _sync(made)
    if with_key:
        _sync(key_path(made))
        _name(key_path(made), key_path(target))
    try:
        _name(made, target)
    except BaseException:
        if with_key:
            key_path(target).unlink(missing_ok=True)
        raise
    _sync(target.parent)


def _name(made: Path, target: Path) -> None:
    """A second name for the file, which the system refuses where there is one already."""
    try:
        os.link(made, target)
    except FileExistsError as error:
        raise CannotCopy(f"'{target}' is there already; nothing is ever written over it") from error
    except OSError as error:
        if error.errno not in _NO_LINKS or os.path.lexists(target):
            raise
        made.rename(target)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def heads_now(source: Path) -> tuple[str, ...]:
    """The heads of all chains at this moment: a copy made from now on must have them."""
    records = Records(source)
    try:
        heads = [records.head(table) for table in records.chains()]
        return tuple(head.hash for head in heads if head.entries)
    finally:
        records.close()


WARNING = (
    "Only one house may run from this journal. Two would each pay out the same tickets, and neither would know"
    " what the other did."
)


class Copied(Struct, frozen=True):
    """What was written, proven as far as ``seals_checked`` says."""

    path: str
    key: str | None
    """Where the key of the seals was put; nothing where the copy has none."""
    bytes: int
    tables: list[ChainHead]
    """Every table, and the house itself: its version, its last instant, its head."""
    phases: dict[str, str]
    tickets_outstanding: int
    tickets_outstanding_cents: int
    seals_checked: bool
    notes: list[str]


def back_up(source: Path, target: Path, *, with_key: bool = True, progress: Progress = lambda entries: None) -> Copied:
    """A copy of a journal as it stands now. Whatever was acknowledged before this call is in it."""
    journal = journal_at(source)
    noted = heads_now(journal)
    key = key_beside(journal) if with_key else None
    if with_key and key is None and noted:
        raise CannotCopy(f"the key '{key_path(journal)}' is missing; --without-key leaves it out")
    proven = copy_and_prove(journal, target, key, with_key, noted, progress)
    return _told(target, key, proven)


def restore(
    backup: Path, folder: Path, key_file: Path | None = None, progress: Progress = lambda entries: None
) -> Copied:
    """The house of a backup, in a folder of its own. The key is the one that is named, or that lies beside it."""
    backup, target = journal_at(backup), folder / HOUSE_FILE
    if folder.exists() and not folder.is_dir():
        raise CannotCopy(f"'{folder}' is no folder")
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
        raise CannotCopy(f"cannot make the folder '{folder}': {error.strerror or error}") from error
    try:
        check_free(target)
        proven = copy_and_prove(backup, target, key, True, noted, progress)
    except BaseException:
        if fresh:
            folder.rmdir()
        raise
    return _told(target, key, proven)


def _key_in(path: Path) -> Key:
    try:
        key = path.read_bytes()
    except OSError as error:
        raise CannotCopy(f"cannot read the key '{path}': {error.strerror or error}") from error
    if len(key) != KEY_BYTES:
        raise CannotCopy(f"'{path}' is not the key of a journal: {len(key)} bytes, not {KEY_BYTES}")
    return Key(key)


def _told(target: Path, key: Key | None, proven: Summary) -> Copied:
    records = Records(target)
    try:
        heads = [records.head(table) for table in records.chains()]
    finally:
        records.close()
    return Copied(
        path=str(target),
        key=str(key_path(target)) if key is not None else None,
        bytes=target.stat().st_size,
        tables=heads,
        phases={table.table: table.phase for table in proven.tables},
        tickets_outstanding=proven.tickets_outstanding,
        tickets_outstanding_cents=proven.tickets_outstanding_cents,
        seals_checked=proven.seals_checked,
        notes=proven.notes,
    )
