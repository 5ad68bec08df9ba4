"""Refusals for the house's chain: each kind at once, and then as one entry for all that came in a while.

Anybody can knock a thousand times a second; the record of it must not be how he fills the disk.
"""

from collections import OrderedDict
from dataclasses import dataclass

from roundhouse.house.part import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.people.entry import By, Kind
from roundhouse.people.events import RequestRefused
from roundhouse.server.callers import AtTerminal, Caller, Nobody, Staff

QUIET_SECONDS = 60.0
_MOST_KINDS = 500


Who = Session | EnrolledTerminal | By
Due = tuple[RequestRefused, Who]


@dataclass
class _Noted:
    who: Who
    at: float
    since: int = 0


class RefusalNotes:
    """What is to be recorded. Asked in one thread; recording is for whoever asks."""

    def __init__(self) -> None:
        self._noted: OrderedDict[tuple[str, str, str], _Noted] = OrderedDict()

    def due(
        self, what: str, word: str, caller: Caller, address: str, ticks: float
    ) -> tuple[RequestRefused, Who] | None:
        """What to record of one more refusal, if it is time for that."""
        key = (what, word, _key(caller))
        noted = self._noted.pop(key, None)
        if noted is not None and ticks - noted.at < QUIET_SECONDS:
            noted.since += 1
            self._noted[key] = noted
            return None
        who = _who(caller, address)
        self._noted[key] = _Noted(who, ticks)
        if len(self._noted) > _MOST_KINDS:
            self._noted.popitem(last=False)
        return RequestRefused(what, word, times=1 + (noted.since if noted else 0)), who

    def rest(self) -> list[Due]:
        """What was counted and not recorded yet, for a house that stops."""
        left = [(what, word, one) for (what, word, _), one in self._noted.items() if one.since]
        self._noted.clear()
        return [(RequestRefused(what, word, times=one.since), one.who) for what, word, one in left]


def _who(caller: Caller, address: str) -> Who:
    match caller:
        case Nobody():
            return By(Kind.NOBODY, address=address)
        case AtTerminal(terminal=terminal):
            return terminal
        case Staff(session=session):
            return session


def _key(caller: Caller) -> str:
    """Strangers are one: by their addresses they could be as many as they like."""
    match caller:
        case Nobody():
            return ""
        case AtTerminal(terminal=terminal):
            return terminal.number
        case Staff(session=session):
            return session.person
