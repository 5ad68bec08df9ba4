"""A whole recording, read in one pass: chunks of bytes in, games out, in order and in constant memory."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheelhead.codes import Codes
from roundhouse.wheelhead.facts import Fact, GameEnded
from roundhouse.wheelhead.follower import Follower
from roundhouse.wheelhead.line import read
from roundhouse.wheelhead.spins import Reading, result
from roundhouse.wheelhead.stream import Line, Splitter


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
