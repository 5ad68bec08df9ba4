"""Who may cause what at a house. One table: what does not stand in it, nobody may.

A house's own affairs are nobody's game: no rulebook speaks of them, so that they are the same at every table.
"""

from typing import Final

from msgspec import Struct

from roundhouse.people import events as e
from roundhouse.people.events import By, Kind
from roundhouse.people.names import MANAGERS, PIT, RANK, SHIFT, Refusal, Refused, Role, at_least
from roundhouse.people.state import State
from roundhouse.table.names import Millis

WORKING: Final = at_least(Role.CASHIER)
DEALING: Final = WORKING - {Role.CASHIER}
_NOBODYS: Final[frozenset[Role]] = frozenset()


class Power(Struct, frozen=True):
    positions: frozenset[Role] = _NOBODYS
    """In which positions a person may."""
    others: tuple[Kind, ...] = ()
    """Who may besides people."""
    own: bool = False
    """Whether everybody may for himself, in no position."""


POWERS: Final[dict[type[e.HouseEvent], Power]] = {
    e.PersonAdded: Power(SHIFT, (Kind.ENGINEER,)),
    e.PositionsSet: Power(SHIFT, (Kind.ENGINEER,)),
    e.Appointed: Power(MANAGERS, (Kind.ENGINEER,)),
    e.AppointmentEnded: Power(MANAGERS, (Kind.ENGINEER,)),
    e.PasswordSet: Power(SHIFT, (Kind.ENGINEER,), own=True),
    e.PersonLocked: Power(MANAGERS, (Kind.ENGINEER, Kind.HOUSE)),
    e.PersonUnlocked: Power(MANAGERS, (Kind.ENGINEER,)),
    e.LoggedIn: Power(own=True),
    e.LogInFailed: Power(others=(Kind.NOBODY,)),
    e.LoggedOut: Power(others=(Kind.HOUSE,), own=True),
    e.ConsoleLocked: Power(others=(Kind.HOUSE,), own=True),
    e.ConsoleUnlocked: Power(own=True),
    e.EnrolmentOffered: Power(PIT),
    e.EnrolmentFailed: Power(others=(Kind.NOBODY,)),
    e.TerminalEnrolled: Power(others=(Kind.NOBODY,)),
    e.TerminalRevoked: Power(PIT, (Kind.HOUSE, Kind.ENGINEER)),
    e.Proposed: Power(DEALING),
    e.ProposalApproved: Power(PIT),
    e.ProposalRejected: Power(DEALING),
    e.AlertRaised: Power(WORKING, (Kind.HOUSE, Kind.TERMINAL)),
    e.AlertAcknowledged: Power(PIT),
    e.HouseStarted: Power(others=(Kind.HOUSE,)),
    e.HouseStopped: Power(others=(Kind.HOUSE,)),
    e.SettingChanged: Power(SHIFT, (Kind.HOUSE, Kind.ENGINEER)),
    e.SelfChecked: Power(others=(Kind.HOUSE, Kind.ENGINEER)),
    e.BackedUp: Power(SHIFT, (Kind.HOUSE, Kind.ENGINEER)),
    e.RequestRefused: Power(others=(Kind.HOUSE, Kind.NOBODY, Kind.TERMINAL), own=True),
}


def lacks_power(state: State, by: By, event: e.AnyHouseEvent, at: Millis) -> Refused | None:
    """Why whoever it is may not cause such an event, or nothing."""
    power = POWERS[type(event)]
    if by.kind is not Kind.PERSON:
        shown = (by.terminal is not None) is (by.kind is Kind.TERMINAL) and by.person is None and by.position is None
        return None if shown and by.kind in power.others else Refused(Refusal.NOT_AUTHORISED)
    if by.person is None or by.person not in state.people or by.terminal is not None:
        return Refused(Refusal.NO_SUCH_PERSON)
    if by.position is None:
        return None if power.own else Refused(Refusal.NOT_AUTHORISED)
    if not any(session.person == by.person and not session.locked for session in state.sessions.values()):
        return Refused(Refusal.NOT_LOGGED_IN, f"{by.person} is not at a console")
    if by.position not in state.roles(by.person, at):
        return Refused(Refusal.NOT_AUTHORISED, f"{by.person} does not act as {by.position}")
    if by.position not in power.positions:
        lowest = min(power.positions, key=RANK.__getitem__, default=None)
        return Refused(Refusal.NOT_AUTHORISED, f"this is for {lowest} and above" if lowest else "this is for nobody")
    return None


def height(by: By) -> int:
    """How high whoever acts stands. The engineer has the whole machine in his hands, and stands above everybody."""
    match by.kind:
        case Kind.ENGINEER | Kind.HOUSE:
            return max(RANK.values())
        case Kind.PERSON if by.position is not None:
            return RANK[by.position]
        case _:
            return -1
