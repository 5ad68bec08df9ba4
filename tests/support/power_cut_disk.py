"""A file system for SQLite that remembers what a power cut would leave, and that fails on demand.

Every write goes to a real file, as to the page cache of a kernel. The disk remembers beside it the content that was
synced. A power cut leaves this content; of the later writes it loses some, tears some and keeps some, in any order.
After a failed sync the kernel forgets which pages were not written: a later sync that succeeds does not bring them to
the disk.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import apsw

_numbers = itertools.count()


@dataclass
class Chances:
    """How often an operation of the disk fails."""

    write_fails: float = 0.0
    disk_is_full: float = 0.0
    sync_fails: float = 0.0


@dataclass
class _Content:
    """The durable content of one file, with the writes and truncations that are not synced."""

    durable: bytearray
    pending: "list[tuple[int, bytes | None]]" = field(default_factory=list)
    """Offsets with bytes, or new lengths without."""

    def apply(self, at: int, data: bytes | None) -> None:
        if data is None:
            del self.durable[at:]
            return
        self.durable.extend(bytes(max(0, at - len(self.durable))))
        self.durable[at : at + len(data)] = data


class PowerCutDisk(apsw.VFS):
    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self.chances = Chances()
        self.counts: Counter[str] = Counter()
        """Faults by kind: write_failed, disk_full, sync_failed, lost, torn."""
        self._contents: dict[str, _Content] = {}
        self.name = f"power-cut-{next(_numbers)}"
        self.base = apsw.vfs_names()[0]
        super().__init__(self.name, self.base)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  SQLite's name
        path = Path(name if isinstance(name, str) else name.filename())
        if str(path) not in self._contents:
            self._contents[str(path)] = _Content(bytearray(path.read_bytes() if path.exists() else b""))
        return _RememberedFile(self, self._contents[str(path)], name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802  SQLite's name
        self._contents.pop(filename, None)
        if Path(filename).exists():
            super().xDelete(filename, syncdir)

    @contextmanager
    def removed(self) -> Iterator[None]:
        """Make SQLite open files without this disk."""
        apsw.set_default_vfs(self.base)
        try:
            yield
        finally:
            apsw.set_default_vfs(self.name)

    def sync_file(self, path: Path) -> None:
        """Sync a file for a program that does so without SQLite."""
        self.sync(self._contents[str(path)])

    def sync(self, content: _Content) -> None:
        if self.fails(self.chances.sync_fails, "sync_failed"):
            self.lose(content)
            raise apsw.IOError("the sync failed")
        for at, data in content.pending:
            content.apply(at, data)
        content.pending.clear()

    def fails(self, chance: float, kind: str) -> bool:
        if self.dice.random() >= chance:
            return False
        self.counts[kind] += 1
        return True

    def lose(self, content: _Content) -> None:
        """Bring some of the pending writes to the disk, some of them in part, and forget the others."""
        keeps = self.dice.choice((0.0, 0.5, 0.9, 1.0))
        for at, data in content.pending:
            if self.dice.random() < keeps:
                content.apply(at, data)
            elif data is not None and self.dice.random() < 0.5:
                self.counts["torn"] += 1
                content.apply(at, data[: self.dice.randrange(len(data))])
            else:
                self.counts["lost"] += 1
        content.pending.clear()

    def cut_power(self, journal: Path, folder: Path) -> Path:
        """Write what a power cut leaves of a journal into another folder. The disk is without faults afterwards."""
        self.chances = Chances()
        for path, content in self._contents.items():
            if Path(path).name.startswith(journal.name) and Path(path).exists():
                self.lose(content)
                (folder / Path(path).name).write_bytes(content.durable)
        return folder / journal.name


class _RememberedFile(apsw.VFSFile):
    def __init__(self, disk: PowerCutDisk, content: _Content, name: Any, flags: list[int]) -> None:
        self._disk, self._content = disk, content
        super().__init__(disk.base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  SQLite's name
        disk, data = self._disk, bytes(data)
        for chance, kind, error in (
            (disk.chances.write_fails, "write_failed", apsw.IOError),
            (disk.chances.disk_is_full, "disk_full", apsw.FullError),
        ):
            if disk.fails(chance, kind):
                self._write(data[: disk.dice.randrange(len(data))], offset)
                raise error(kind)
        self._write(data, offset)

    def _write(self, data: bytes, offset: int) -> None:
        if data:
            super().xWrite(data, offset)
            self._content.pending.append((offset, data))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  SQLite's name
        super().xTruncate(newsize)
        self._content.pending.append((newsize, None))

    def xSync(self, flags: int) -> None:  # noqa: N802  SQLite's name
        self._disk.sync(self._content)
        super().xSync(flags)


@contextmanager
def power_cut_disk(dice: Random) -> Iterator[PowerCutDisk]:
    """Make SQLite open files through a ``PowerCutDisk``."""
    before, disk = apsw.vfs_names()[0], PowerCutDisk(dice)
    apsw.set_default_vfs(disk.name)
    try:
        yield disk
    finally:
        apsw.set_default_vfs(before)
        disk.unregister()
