"""A table as the journal has it: its memory once copied, and then moved on by what has landed, and by nothing else.

The keeper's own state may be ahead by a batch that is being made durable. Whatever is shown is shown from here.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from roundhouse.rules.game import Game
from roundhouse.rules.names import Pocket
from roundhouse.server.wire.sockets import SeatMoney
from roundhouse.server.wire.tables import SeatShown
from roundhouse.table.deciding import AFTER_CLOSING, BETTING
from roundhouse.table.limits import Limits
from roundhouse.table.names import Phase, RoundNumber, SeatId
from roundhouse.table.showing import Shown, outcome_of, show
from roundhouse.table.state import Memory, Result, RoundRecord, Table

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Memory).decode

Recall = Callable[[RoundNumber], RoundRecord | None]


class _Past:
    """Past rounds are looked up when a correction comes; they are kept by the keeper, and not a second time here."""

    def __init__(self, recall: Recall) -> None:
        self._recall = recall

    def round(self, number: RoundNumber) -> RoundRecord | None:
        return self._recall(number)

    def keep(self, record: RoundRecord) -> None:
        pass


class Facets(NamedTuple):
    """What of a table everybody sees beside its events: compared before and after, so that changes are told."""

    phase: Phase
    round: RoundNumber
    phrase: str | None
    outcome: Pocket | None
    limits: Limits
    last_rounds: int | None
    mode: str
    mode_reason: str


class Standing:
    def __init__(self, game: Game, memory: Memory, recall: Recall) -> None:
        self.table = Table(game, _decode(_encode(memory)), _Past(recall))

    def play(self, game: Game) -> Table:
        """From here on by another rulebook; whose money is whose stays."""
        self.table = Table(game, self.table.memory, self.table.archive)
        return self.table

    @property
    def memory(self) -> Memory:
        return self.table.memory

    def facets(self) -> Facets:
        memory = self.table.memory
        return Facets(
            memory.phase,
            memory.round,
            phrase_of(self.table.game, memory.phase),
            outcome_of(memory),
            memory.limits,
            memory.last_rounds,
            "automatic" if memory.automatic else "manual",
            memory.mode_reason,
        )

    def results(self) -> dict[RoundNumber, Result]:
        return {result.round: result for result in self.table.memory.results}

    def seat(self, id: SeatId) -> SeatShown | None:
        seat = self.table.memory.seats.get(id)
        if seat is None:
            return None
        return SeatShown(id, seat.terminal, seat.credits, seat.bets, seat.standing, seat.last_slip, bool(seat.steps))

    def money(self, id: SeatId) -> SeatMoney:
        seat = self.table.memory.seats[id]
        return SeatMoney(seat.credits, seat.bets)

    def whole(self) -> Shown:
        return show(self.table)


def phrase_of(game: Game, phase: Phase) -> str | None:
    """The words that stand at the terminals."""
    betting = game.rulebook.betting
    if phase in BETTING:
        return betting.opens.phrases[0]
    return betting.closes.phrases[0] if phase in AFTER_CLOSING else None
