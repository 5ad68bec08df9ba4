"""What may be said of the write-ahead log beside a journal that was not closed."""

import fcntl
from pathlib import Path

from roundhouse.journal.log import read_log
from roundhouse.proof.discrepancy import fail

_TORN = "the write-ahead log ends with a frame that is not whole: an unfinished write, or a damaged last commit"


def check_log(journal: Path) -> list[str]:
    """What is strange about the log; fails where frames that were whole have been cut off from the journal."""
    if _is_being_written(journal) or (log := read_log(journal)) is None:
        return []
    if not log.head_holds():
        fail("the head of the write-ahead log is not what was written", expected="its checksum", found=log.content[:32])
    sums = log.sums
    for number, frame in enumerate(log.frames, 1):
        found = log.sum(sums, frame.head + frame.page)
        if found == frame.sums and frame.ours:
            sums = found
            continue
        whole = found == frame.sums or any(later.ours for later in log.frames[number:])
        if whole:
            what = "the write-ahead log is broken in the middle: what follows was written, and is lost to SQLite"
            fail(what, expected=f"frame {number} of {len(log.frames)} as it was written", found="another")
        return [_TORN] if frame.ours else []
    return []


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
