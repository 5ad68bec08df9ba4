"""Backup and restore: a live house's journal copied whole, proven after it was written; and the way back.

A backup is a journal like any other. Two houses that run from one backup each believe in the same tickets: that is
for people to prevent, and both commands say so.
"""

from pathlib import Path

from msgspec import Struct

from roundhouse.journal.seal import KEY_BYTES, Key, key_path
from roundhouse.office.copying import CannotCopy, check_free, copy_and_prove, heads_now, key_beside
from roundhouse.office.records import HOUSE_FILE, Head, Records, journal_at
from roundhouse.proof.file import JournalFile
from roundhouse.proof.summary import Summary
from roundhouse.proof.verify import Progress

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
    tables: list[Head]
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
