"""A whole recording, read in one pass: chunks of bytes in, games out, in order and in constant memory."""

from collections.abc import Iterable, Iterator

from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheelhead.codes import Codes
from roundhouse.wheelhead.facts import Fact, GameEnded
from roundhouse.wheelhead.follower import Follower
from roundhouse.wheelhead.line import read
from roundhouse.wheelhead.spins import Reading, result
from roundhouse.wheelhead.stream import Splitter


def facts(chunks: Iterable[bytes], codes: Codes) -> Iterator[Fact]:
    splitter, follower = Splitter(), Follower(codes.segment_of)
    for chunk in chunks:
        for line in splitter.feed(chunk):
            yield from follower.hear(read(line.text))
    for line in splitter.end():
        yield from follower.hear(read(line.text))
    yield from follower.end()


def decode(chunks: Iterable[bytes], rulebook: Rulebook, codes: Codes) -> Iterator[Reading]:
    """Each game that began, with the outcome that the wheel established, or void, or unresolved."""
    for fact in facts(chunks, codes):
        if isinstance(fact, GameEnded) and (reading := result(fact, rulebook, codes)):
            yield reading
