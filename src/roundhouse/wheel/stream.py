"""Bytes in, lines out: what arrives is cut at every CR and LF, and nothing is kept but the line in progress.

Recordings carry the wheel's own lines, or the same lines behind a recorder's mark with the time and the
direction (``[2026-03-01 20:15:00.250] Receive >>> *X;…``). What a recorder sent or noted itself is not the
wheel's word and is left out.

A whole recording, read in one pass: chunks of bytes in, games out, in order and in constant memory.
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

LONGEST: Final = 512
"""No line of the wheel is near as long. What is longer is noise up to the next end of line."""

RECEIVED: Final = "Receive >>>"
_MARK: Final = re.compile(rb"\[([0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8}(?:\.[0-9]{1,6})?)\] ([^<>]{0,40})(>>>|<<<) ?")
_END: Final = re.compile(rb"[\r\n]+")


@dataclass(frozen=True, slots=True)
class Line:
    text: bytes
    at: datetime | None = None
    """When it was received, where a recorder noted it. Local to the recorder."""


class Splitter:
    """Feed it chunks of any size; it answers with the lines that they complete."""

    __slots__ = ("_drowned", "_rest")

    def __init__(self) -> None:
        self._rest = b""
        self._drowned = False

    def feed(self, chunk: bytes) -> Iterator[Line]:
        *whole, self._rest = _END.split(self._rest + chunk)
        for text in whole:
            if self._drowned:
                # The end of a line that was too long: it may look sound by itself, but it is not a whole line.
                self._drowned = False
            elif text and (line := unmarked(text)):
                yield line
        if len(self._rest) > LONGEST:
            if not self._drowned:
                yield Line(self._rest[:LONGEST])
            self._drowned, self._rest = True, b""

    def end(self) -> Iterator[Line]:
        """The stream is over: what was left without an end of line is a line all the same."""
        text, drowned = self._rest, self._drowned
        self._rest, self._drowned = b"", False
        if text and not drowned and (line := unmarked(text)):
            yield line


def unmarked(text: bytes) -> Line | None:
    """The wheel's line without the recorder's mark, or nothing where the recorder speaks for itself.

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
    """A line with its mark, the way ``record --times`` writes it."""
    if line.at is None:
        return line.text
    at = line.at.isoformat(sep=" ", timespec="milliseconds")
    return b"[%s] %s %s" % (at.encode(), RECEIVED.encode(), line.text)


def _moment(text: bytes) -> datetime | None:
    try:
        return datetime.fromisoformat(text.decode())
    except ValueError:
        return None  # a mark that names no moment is a mark all the same


def facts(chunks: Iterable[bytes], codes: Codes) -> Iterator[Fact]:
    """All that a recording tells, in order."""
    follower = Follower(codes.segment_of)
    last: datetime | None = None
    for line in _lines(chunks):
        if line.at is not None:
            if last is not None:
                follower.silence((line.at - last).total_seconds())
            last = line.at
        yield from follower.hear(read(line.text))
    yield from follower.end()


def _lines(chunks: Iterable[bytes]) -> Iterator[Line]:
    splitter = Splitter()
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.end()


def decode(chunks: Iterable[bytes], rulebook: Rulebook, codes: Codes) -> Iterator[Reading]:
    """Each game that began, with the outcome that the wheel established, or void, or unresolved."""
    for fact in facts(chunks, codes):
        if isinstance(fact, GameEnded) and (reading := result(fact, rulebook, codes)):
            yield reading
