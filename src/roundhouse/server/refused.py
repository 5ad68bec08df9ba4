"""Refusals for the house's chain: each kind at once, and then as one entry for all that came in a while.

Anybody can knock a thousand times a second; the record of it must not be how he fills the disk.
"""

from collections import OrderedDict
from dataclasses import dataclass

from roundhouse.house.house import House
from roundhouse.house.part import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.people.entry import By, Kind
from roundhouse.people.events import RequestRefused
from roundhouse.server.callers import AtTerminal, Caller, Nobody, Staff
from roundhouse.table.names import Millis

QUIET_SECONDS = 60.0
_MOST_KINDS = 500


@dataclass
class _Noted:
    at: float
    since: int = 0


class RefusalNotes:
    def __init__(self, house: House) -> None:
        self._house = house
        self._noted: OrderedDict[tuple[str, str, str], _Noted] = OrderedDict()

    def note(self, what: str, word: str, caller: Caller, address: str, at: Millis, ticks: float) -> None:
        key = (what, word, _key(caller))
        noted = self._noted.pop(key, None)
        if noted is not None and ticks - noted.at < QUIET_SECONDS:
            noted.since += 1
            self._noted[key] = noted
            return
        times = 1 + (noted.since if noted else 0)
        self._noted[key] = _Noted(ticks)
        if len(self._noted) > _MOST_KINDS:
            self._noted.popitem(last=False)
        self._house.note(RequestRefused(what, word, times=times), at, _who(caller, address))


def _who(caller: Caller, address: str) -> Session | EnrolledTerminal | By:
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
