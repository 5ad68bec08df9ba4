"""Limits the refused requests of a seat that are recorded, so that no terminal can fill the disk.

A refused request has no effect. Beyond a rate it is answered like any other, but gets no entry in the table's chain.
The server counts it in the house's chain instead. A resent request gets the same answer as long as it is among the
latest ones; after that, and after a restart, it is decided again.
"""

from typing import Final

from msgspec import Struct

from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import Decision
from roundhouse.table.names import Millis, RequestId, SeatId

AT_ONCE: Final = 60
"""Refused requests of a seat that are recorded at once."""
MILLIS_EACH: Final = 1000
"""One more refused request of a seat is recorded after this time."""
_MAX_ANSWERS: Final = 1000


class UnrecordedAnswer(Answer, frozen=True, omit_defaults=True, gc=False):
    """The answer to a refused request without an entry. The client gets the same fields."""


class _Allowance(Struct):
    left: float
    since: Millis


class RefusalLimit:
    """Decides which refused requests of the seats of one table are recorded. Used by the thread of the writer."""

    def __init__(self) -> None:
        self.enabled = False
        """A server sets it. Otherwise all are recorded."""
        self.answers: dict[RequestId, tuple[AnyCommand, Answer]] = {}
        """The latest requests without an entry, with their answers."""
        self._seats: dict[SeatId, _Allowance] = {}

    def answer(self, command: AnyCommand | None, decision: Decision, version: Seq, at: Millis) -> Answer | None:
        """Return the answer to a refused request that is not recorded, or ``None`` if it gets an entry."""
        refused, seat = decision.refused, getattr(command, "seat", None)
        if not self.enabled or command is None or refused is None or decision.events or not isinstance(seat, str):
            return None
        if command.by is not StaffPosition.PLAYER or self._may_record(SeatId(seat), at):
            return None
        answer = UnrecordedAnswer(command.id, False, version, None, refused.refusal, refused.clause, refused.reason)
        self.answers[command.id] = (command, answer)
        if len(self.answers) > _MAX_ANSWERS:
            del self.answers[next(iter(self.answers))]
        return answer

    def answer_again(self, command: AnyCommand) -> Answer | None:
        """Return the answer to a resent request, or ``None`` if its id belongs to another request."""
        before, answer = self.answers[command.id]
        return answer if before == command else None

    def _may_record(self, seat: SeatId, at: Millis) -> bool:
        # Seats of guests are numbered. Terminals are enrolled by the pit or limited per address, so there are not many.
        allowance = self._seats.setdefault(seat, _Allowance(AT_ONCE, at))
        allowance.left = min(AT_ONCE, allowance.left + (at - allowance.since) / MILLIS_EACH)
        allowance.since = at
        if allowance.left < 1:
            return False
        allowance.left -= 1
        return True
