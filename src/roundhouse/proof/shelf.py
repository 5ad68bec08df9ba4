"""The rulebooks that a proof carries in itself, each checked against its hash and its own soundness.

No rulebook is taken from anywhere else: what a round was played by is what was recorded with it.
"""

import hashlib
from collections.abc import Iterable, Iterator

from roundhouse.proof.discrepancy import fail
from roundhouse.rules.faults import UnsoundRulebook
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load


class Shelf:
    def __init__(self, contents: Iterable[tuple[str, bytes]], read: dict[str, Game] | None = None) -> None:
        """``read`` keeps what was read before, for whoever looks at many rounds."""
        self._contents = dict(contents)
        self._games: dict[str, Game] = {} if read is None else read

    def check(self) -> None:
        for hash, content in self._contents.items():
            if (found := hashlib.sha256(content).hexdigest()) != hash:
                fail("a rulebook is not the one that was recorded", expected=hash, found=found)

    def get(self, hash: str) -> Game | None:
        if hash not in self._contents:
            return None
        if hash not in self._games:
            try:
                self._games[hash] = load(self._contents[hash])
            except UnsoundRulebook as unsound:
                fail(f"the rulebook {hash} is not sound", expected="a sound rulebook", found=unsound)
        return self._games[hash]

    def content(self, hash: str) -> bytes:
        return self._contents[hash]

    def others(self, game: Game) -> Iterator[Game]:
        """Other rulebooks of the same game."""
        for hash in self._contents:
            other = self.get(hash)
            if other is not None and other.id == game.id and other.hash != game.hash:
                yield other
