"""What may be said of the write-ahead log beside a journal that was not closed."""

from pathlib import Path

from roundhouse.journal.files import is_being_written, log_of
from roundhouse.journal.log import read_log
from roundhouse.proof.discrepancy import fail

_TORN = "the write-ahead log ends with a commit that is not whole: an unfinished write, or a damaged last commit"


def check_log(journal: Path) -> list[str]:
    """What is strange about the log; fails where what was durable has been cut off from the journal.

    By the rule by which a table is opened or not. A table that runs keeps its log whole, and changes it while we look.
    """
    if not log_of(journal).exists() or is_being_written(journal) or (log := read_log(journal)) is None:
        return []
    sums, taken, whole = log.sums, 0, 0
    for number, frame in enumerate(log.frames, 1):
        found = log.sum(sums, frame.head + frame.page)
        if found != frame.sums or not frame.ours:
            break
        sums, whole = found, number
        taken = number if frame.commits else taken
    if (lost := log.lost(taken)) is not None:
        fail("the write-ahead log has lost what was durable", expected="a log as it was written", found=lost)
    return [_TORN] if any(frame.ours for frame in log.frames[whole:]) else []
