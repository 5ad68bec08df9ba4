"""From what a request shows to who sent it. A token that is not known makes nobody; it is never an error by itself."""

from collections.abc import Mapping

from roundhouse.house.house import House
from roundhouse.server.callers import AtTerminal, Caller, Nobody, Staff
from roundhouse.server.safety.cookies import Kind, Shown, csrf_of_key, shown
from roundhouse.table.names import Millis


def identify(house: House, headers: Mapping[str, str], tls: bool, now: Millis) -> Caller:
    """The first token that is known counts: a key in a header, else staff's cookie, else a terminal's."""
    for one in shown(headers, tls):
        if (caller := _whose(house, one, now)) is not None:
            return caller
    return Nobody()


def _whose(house: House, one: Shown, now: Millis) -> Caller | None:
    if one.kind in (None, Kind.PERSON) and (session := house.session(one.token, now)) is not None:
        return Staff(session, one.by_cookie)
    if one.kind in (None, Kind.TERMINAL) and (terminal := house.terminal(one.token)) is not None:
        return AtTerminal(terminal, csrf_of_key(one.token), one.by_cookie)
    return None
