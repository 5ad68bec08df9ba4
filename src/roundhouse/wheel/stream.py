"""Splits a stream of bytes into lines, and decodes recordings in one pass and constant memory.

A recording contains the wheel's lines, either as they are or after a mark with the time and the direction
(``[2026-03-01 20:15:00.250] Receive >>> *X;…``). Lines that the recording program sent or noted are skipped.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.facts import Fact, GameEnded
from roundhouse.wheel.follower import Follower
from roundhouse.wheel.protocol import read
from roundhouse.wheel.readings import Reading, result

MAX_LINE_BYTES: Final = 512
"""A longer line is cut to this length and its rest is dropped. The lines of the wheel are much shorter."""

RECEIVED: Final = "Receive >>>"
_MARK: Final = re.compile(rb"\[([0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8}(?:\.[0-9]{1,6})?)\] ([^<>]{0,40})(>>>|<<<) ?")
_END: Final = re.compile(rb"[\r\n]+")


@dataclass(frozen=True, slots=True)
class Line:
    text: bytes
    """The line without its line ending and its mark."""
    at: datetime | None = None
    """Time of receipt from the mark, in the local time of the recording program; None without a mark."""


class Splitter:
    """Splits chunks of any size into lines."""

    __slots__ = ("_rest", "_too_long")

    def __init__(self) -> None:
        self._rest = b""
        self._too_long = False

    def feed(self, chunk: bytes) -> Iterator[Line]:
        *whole, self._rest = _END.split(self._rest + chunk)
        for text in whole:
            if self._too_long:
                # Skip the tail of a line that was too long: it may look valid, but it is not a whole line.
                self._too_long = False
            elif text and (line := unmarked(text)):
                yield line
        if len(self._rest) > MAX_LINE_BYTES:
            if not self._too_long:
                yield Line(self._rest[:MAX_LINE_BYTES])
            self._too_long, self._rest = True, b""

    def end(self) -> Iterator[Line]:
        """Yield the last line, which may lack a line ending."""
        text, too_long = self._rest, self._too_long
        self._rest, self._too_long = b"", False
        if text and not too_long and (line := unmarked(text)):
            yield line


def unmarked(text: bytes) -> Line | None:
    """Remove the mark of a recording program. Returns None for a line that the wheel did not send.

    >>> unmarked(b"[2026-03-01 20:15:00.250] Receive >>>  6").text
    b' 6'
    >>> unmarked(b"[2026-03-01 20:15:00.250] Send <<< *P 1") is None
    True
    """
    mark = _MARK.match(text) if text.startswith(b"[") else None
    if mark is None:
        return Line(text)
    if b"%s%s" % (mark[2], mark[3]) != RECEIVED.encode():
        return None
    return Line(text[mark.end() :], _moment(mark[1]))


def marked(line: Line) -> bytes:
    """Format a line with its mark, as ``record --times`` does."""
    if line.at is None:
        return line.text
    at = line.at.isoformat(sep=" ", timespec="milliseconds")
    return b"[%s] %s %s" % (at.encode(), RECEIVED.encode(), line.text)


def _moment(text: bytes) -> datetime | None:
    try:
        return datetime.fromisoformat(text.decode())
    except ValueError:
        return None  # The line has a mark, but its time is not valid.


def facts(chunks: Iterable[bytes], codes: Codes) -> Iterator[Fact]:
    """Yield all facts of a recording in order."""
    follower = Follower(codes.segment_of)
    last: datetime | None = None
    for line in _lines(chunks):
        if line.at is not None:
            if last is not None:
                follower.silence((line.at - last).total_seconds())
            last = line.at
        yield from follower.receive(read(line.text))
    yield from follower.end()


def _lines(chunks: Iterable[bytes]) -> Iterator[Line]:
    splitter = Splitter()
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.end()


def decode(chunks: Iterable[bytes], rulebook: Rulebook, codes: Codes) -> Iterator[Reading]:
    """Yield the reading of each game that began: an outcome, void or unresolved."""
    for fact in facts(chunks, codes):
        if isinstance(fact, GameEnded) and (reading := result(fact, rulebook, codes)):
            yield reading
