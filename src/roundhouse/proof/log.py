"""The write-ahead log beside a journal that was not closed: SQLite drops a broken frame and all that follow it.

That is right after a power cut, when the broken frame is the last. Whole frames *after* a broken one were
commits once, and whoever only asked SQLite would never hear of them.
"""

import fcntl
import struct
from pathlib import Path
from typing import NamedTuple

from roundhouse.journal.sqlite import log_of
from roundhouse.proof.discrepancy import fail

_HEADER, _FRAME = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)
_WORD = 0xFFFFFFFF
_TORN = "the write-ahead log ends with a frame that is not whole: an unfinished write, or a damaged last commit"

Sums = tuple[int, int]


class _Frame(NamedTuple):
    sums: Sums
    """As they are written in the frame."""
    ours: bool
    """Whether it bears the log's salts. A log that began anew keeps older frames behind its end."""
    head: bytes
    page: bytes


def check_log(journal: Path) -> list[str]:
    """What is strange about the log; fails where frames that were whole have been cut off from the journal."""
    path = log_of(journal)
    if not path.exists() or _is_being_written(journal):
        return []
    log = path.read_bytes()
    if len(log) < _HEADER + _FRAME:
        return []
    magic, _, page, _ = struct.unpack_from(">4I", log)
    order = ">" if magic & 1 else "<"
    sums: Sums = struct.unpack_from(">2I", log, _HEADER - 8)
    if magic not in _MAGIC or _sum(order, (0, 0), log[: _HEADER - 8]) != sums:
        fail("the head of the write-ahead log is not what was written", expected="its checksum", found=log[:_HEADER])
    frames = _frames(log, page)
    for number, frame in enumerate(frames, 1):
        found = _sum(order, sums, frame.head + frame.page)
        if found == frame.sums and frame.ours:
            sums = found
            continue
        whole = found == frame.sums or any(later.ours for later in frames[number:])
        if whole:
            what = "the write-ahead log is broken in the middle: what follows was committed and is lost to SQLite"
            fail(what, expected=f"frame {number} of {len(frames)} as it was written", found="another")
        return [_TORN] if frame.ours else []
    return []


def _frames(log: bytes, page: int) -> list[_Frame]:
    salts = log[16:24]
    frames = []
    for at in range(_HEADER, len(log) - _FRAME - page + 1, _FRAME + page):
        head = log[at : at + _FRAME]
        sums: Sums = struct.unpack(">2I", head[16:])
        frames.append(_Frame(sums, head[8:16] == salts, head[:8], log[at + _FRAME : at + _FRAME + page]))
    return frames


def _sum(order: str, sums: Sums, content: bytes) -> Sums:
    """SQLite's running checksum."""
    a, b = sums
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for i in range(0, len(words), 2):
        a = (a + words[i] + b) & _WORD
        b = (b + words[i + 1] + a) & _WORD
    return a, b


def _is_being_written(journal: Path) -> bool:
    """A table that runs keeps its own log whole, and changes it while we look."""
    try:
        with open(journal.with_name(journal.name + ".lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
