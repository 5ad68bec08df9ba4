"""The write-ahead log beside a journal that was not closed, as SQLite's own page on its format describes it.

SQLite drops a broken frame and all that follow it. That is right after a power cut, when the broken frame belongs to
the last commit. Commits *after* that were durable once, and whoever only asks SQLite never hears of them.
"""

import struct
from pathlib import Path
from typing import NamedTuple

from roundhouse.journal.files import wal_of

_HEADER_BYTES, _FRAME_HEADER_BYTES = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)
_MAX_UINT32 = 0xFFFFFFFF

Checksums = tuple[int, int]


class Frame(NamedTuple):
    sums: Checksums
    """As they are written in the frame."""
    is_current: bool
    """Whether it bears the log's salts. A log that began anew keeps older frames behind its end."""
    commits: bool
    """Whether a commit ends with it."""
    head: bytes
    page: bytes


class WriteAheadLog:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.frames: list[Frame] = []
        self.sums: Checksums = (0, 0)
        """Those of the head, on which the first frame's build."""
        if len(content) < _HEADER_BYTES + _FRAME_HEADER_BYTES:
            return
        magic, _, page, _ = struct.unpack_from(">4I", content)
        self._order = ">" if magic & 1 else "<"
        self.sums = struct.unpack_from(">2I", content, _HEADER_BYTES - 8)
        self._magic = magic
        salts = content[16:24]
        for at in range(_HEADER_BYTES, len(content) - _FRAME_HEADER_BYTES - page + 1, _FRAME_HEADER_BYTES + page):
            head = content[at : at + _FRAME_HEADER_BYTES]
            sums: Checksums = struct.unpack(">2I", head[16:])
            ours, commits = head[8:16] == salts, head[4:8] != bytes(4)
            self.frames.append(
                Frame(
                    sums, ours, commits, head[:8], content[at + _FRAME_HEADER_BYTES : at + _FRAME_HEADER_BYTES + page]
                )
            )

    def header_is_valid(self) -> bool:
        """Whether its head is what was written; of a log too short for a frame nothing is asked."""
        if len(self.content) < _HEADER_BYTES + _FRAME_HEADER_BYTES:
            return True
        return self._magic in _MAGIC and self.checksum((0, 0), self.content[: _HEADER_BYTES - 8]) == self.sums

    def checksum(self, sums: Checksums, content: bytes) -> Checksums:
        """SQLite's running checksum."""
        a, b = sums
        words = struct.unpack(f"{self._order}{len(content) // 4}I", content)
        for i in range(0, len(words), 2):
            a = (a + words[i] + b) & _MAX_UINT32
            b = (b + words[i + 1] + a) & _MAX_UINT32
        return a, b

    def describe_loss(self, taken: int) -> str | None:
        """What was durable and is not among the frames that SQLite took, in words; nothing where all is.

        One commit may be there that it did not take: a power cut may leave any part of the last one, which nobody was
        told of. Each is made durable before the next is begun, so two are one too many.
        """
        if not self.header_is_valid():
            return "its head is not what was written"
        if sum(frame.is_current and frame.commits for frame in self.frames[taken:]) > 1:
            return f"frame {taken + 1} of {len(self.frames)} or one soon after it is broken"
        return None


def read_wal(path: Path) -> WriteAheadLog | None:
    try:
        return WriteAheadLog(wal_of(path).read_bytes())
    except FileNotFoundError:
        return None
