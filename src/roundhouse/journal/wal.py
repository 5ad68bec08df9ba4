"""Reads SQLite's write-ahead log (https://sqlite.org/walformat.html) to find committed entries that SQLite would drop.

SQLite silently drops a damaged frame and all later ones. This is correct if only the last commit is damaged, which a
power cut may have interrupted. If an earlier commit is damaged, SQLite drops data that was durable.
"""

import struct
from pathlib import Path
from typing import NamedTuple

from roundhouse.journal.files import wal_of

_HEADER_BYTES, _FRAME_BYTES = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)
_MAX_UINT32 = 0xFFFFFFFF

Checksums = tuple[int, int]


class Frame(NamedTuple):
    """One page of the log with its header."""

    sums: Checksums
    """Checksums stored in the frame."""
    is_current: bool
    """Whether the frame has the salts of the log's header. Frames from before a reset remain at the end of the log."""
    commits: bool
    """Whether this is the last frame of a commit."""
    head: bytes
    page: bytes


class WriteAheadLog:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.frames: list[Frame] = []
        self.sums: Checksums = (0, 0)
        """Checksums of the header. The running checksum of the frames starts with them."""
        if len(content) < _HEADER_BYTES + _FRAME_BYTES:
            return
        magic, _, page, _ = struct.unpack_from(">4I", content)
        self._order = ">" if magic & 1 else "<"
        self.sums = struct.unpack_from(">2I", content, _HEADER_BYTES - 8)
        self._magic = magic
        salts = content[16:24]
        for at in range(_HEADER_BYTES, len(content) - _FRAME_BYTES - page + 1, _FRAME_BYTES + page):
            head = content[at : at + _FRAME_BYTES]
            sums: Checksums = struct.unpack(">2I", head[16:])
            ours, commits = head[8:16] == salts, head[4:8] != bytes(4)
            self.frames.append(
                Frame(sums, ours, commits, head[:8], content[at + _FRAME_BYTES : at + _FRAME_BYTES + page])
            )

    def header_is_valid(self) -> bool:
        """Check the checksum of the header. A log too short for a frame counts as valid."""
        if len(self.content) < _HEADER_BYTES + _FRAME_BYTES:
            return True
        return self._magic in _MAGIC and self.checksum((0, 0), self.content[: _HEADER_BYTES - 8]) == self.sums

    def checksum(self, sums: Checksums, content: bytes) -> Checksums:
        """Continue SQLite's running checksum over ``content``."""
        a, b = sums
        numbers = struct.unpack(f"{self._order}{len(content) // 4}I", content)
        for i in range(0, len(numbers), 2):
            a = (a + numbers[i] + b) & _MAX_UINT32
            b = (b + numbers[i + 1] + a) & _MAX_UINT32
        return a, b

    def describe_loss(self, taken: int) -> str | None:
        """Describe the damage if the log has durable commits after the ``taken`` frames that SQLite accepts.

        One such commit is normal: a power cut may interrupt the last commit, which was not answered yet. Each commit is
        synced before the next begins, so a second one was durable. Returns ``None`` if there is no damage.
        """
        if not self.header_is_valid():
            return "its header is damaged"
        if sum(frame.is_current and frame.commits for frame in self.frames[taken:]) > 1:
            return f"frame {taken + 1} of {len(self.frames)} or a later one is damaged"
        return None


def read_wal(path: Path) -> WriteAheadLog | None:
    try:
        return WriteAheadLog(wal_of(path).read_bytes())
    except FileNotFoundError:
        return None
