"""A file system for SQLite whose syncs call a hook, which may wait or fail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import apsw


class FaultyDisk(apsw.VFS):
    """SQLite's own file system, with a hook that is called before every sync."""

    def __init__(self) -> None:
        self.before_sync: Callable[[], None] = lambda: None
        self._base = apsw.vfs_names()[0]
        super().__init__("faulty", self._base)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  SQLite's name
        return _FaultyFile(self, self._base, name, flags)


class _FaultyFile(apsw.VFSFile):
    def __init__(self, disk: FaultyDisk, base: str, name: Any, flags: list[int]) -> None:
        self._disk = disk
        super().__init__(base, name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802  SQLite's name
        self._disk.before_sync()
        super().xSync(flags)


@contextmanager
def faulty_disk() -> Iterator[FaultyDisk]:
    """Make SQLite open files through a ``FaultyDisk``."""
    before, disk = apsw.vfs_names()[0], FaultyDisk()
    apsw.set_default_vfs("faulty")
    try:
        yield disk
    finally:
        apsw.set_default_vfs(before)
        disk.unregister()
