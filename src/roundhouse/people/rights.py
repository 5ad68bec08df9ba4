"""Rights in the house: the roles and other actors that may cause each event.

These rights do not depend on a rulebook.
"""

from collections.abc import Iterable
from typing import Final, NewType

from msgspec import Struct

from roundhouse.people import events as e
from roundhouse.people.events import Actor, ActorKind
from roundhouse.people.names import MANAGERS, PIT, RANK, SHIFT, HouseRefusal, HouseRefused, Role, at_least
from roundhouse.people.state import HouseState
from roundhouse.table.names import Millis

WORKING: Final = at_least(Role.CASHIER)
DEALING: Final = WORKING - {Role.CASHIER}
_NO_ROLES: Final[frozenset[Role]] = frozenset()


Operation = NewType("Operation", str)
"""Name of an HTTP route by which people use the house."""


class Right(Struct, frozen=True):
    """The right to cause one type of event."""

    positions: frozenset[Role] = _NO_ROLES
    """Roles in which a person may cause the event."""
    others: tuple[ActorKind, ...] = ()
    """Actors other than people that may cause the event."""
    own: bool = False
    """Whether every person may cause the event for their own account, without a role."""
    operation: Operation | None = None
    """Operation by which a person in one of these roles causes the event."""


RIGHTS: Final[dict[type[e.HouseEvent], Right]] = {
    e.PersonAdded: Right(SHIFT, (ActorKind.ENGINEER,), operation=Operation("add_person")),
    e.PositionsSet: Right(SHIFT, (ActorKind.ENGINEER,), operation=Operation("set_positions")),
    e.Appointed: Right(MANAGERS, (ActorKind.ENGINEER,), operation=Operation("appoint")),
    e.AppointmentEnded: Right(MANAGERS, (ActorKind.ENGINEER,), operation=Operation("end_appointment")),
    e.PasswordSet: Right(SHIFT, (ActorKind.ENGINEER,), own=True, operation=Operation("set_password")),
    e.PersonLocked: Right(MANAGERS, (ActorKind.ENGINEER, ActorKind.HOUSE), operation=Operation("lock_person")),
    e.PersonUnlocked: Right(MANAGERS, (ActorKind.ENGINEER,), operation=Operation("unlock_person")),
    e.LoggedIn: Right(own=True),
    e.LogInFailed: Right(others=(ActorKind.NOBODY,)),
    e.LoggedOut: Right(others=(ActorKind.HOUSE,), own=True),
    e.ConsoleLocked: Right(others=(ActorKind.HOUSE,), own=True),
    e.ConsoleUnlocked: Right(own=True),
    e.EnrolmentOffered: Right(PIT, operation=Operation("offer_terminal")),
    e.EnrolmentFailed: Right(others=(ActorKind.NOBODY,)),
    e.TerminalEnrolled: Right(others=(ActorKind.NOBODY,)),
    e.TerminalRevoked: Right(PIT, (ActorKind.HOUSE, ActorKind.ENGINEER), operation=Operation("revoke_terminal")),
    e.Proposed: Right(WORKING),
    e.ProposalApproved: Right(PIT, operation=Operation("approve_proposal")),
    e.ProposalRejected: Right(WORKING, operation=Operation("reject_proposal")),
    e.AlertRaised: Right(WORKING, (ActorKind.HOUSE, ActorKind.TERMINAL)),
    e.AlertAcknowledged: Right(PIT, operation=Operation("acknowledge")),
    e.AlertCleared: Right(others=(ActorKind.HOUSE,)),
    e.HouseStarted: Right(others=(ActorKind.HOUSE,)),
    e.HouseStopped: Right(others=(ActorKind.HOUSE,)),
    e.SettingChanged: Right(SHIFT, (ActorKind.HOUSE, ActorKind.ENGINEER)),
    e.SelfChecked: Right(others=(ActorKind.HOUSE, ActorKind.ENGINEER)),
    e.BackedUp: Right(SHIFT, (ActorKind.HOUSE, ActorKind.ENGINEER)),
    e.HouseRestored: Right(others=(ActorKind.ENGINEER,)),
    e.TicketsDisputed: Right(others=(ActorKind.HOUSE,)),
    e.SigningKeySet: Right(others=(ActorKind.HOUSE, ActorKind.ENGINEER)),
    e.ClockDiffered: Right(others=(ActorKind.HOUSE,)),
    e.RequestRefused: Right(others=(ActorKind.HOUSE, ActorKind.NOBODY, ActorKind.TERMINAL), own=True),
}


READERS: Final = PIT | {Role.AUDITOR}
READING: Final = frozenset(
    Operation(name)
    for name in (
        "staff",
        "appointments",
        "terminals",
        "alerts",
        "alert_history",
        "report",
        "meters",
        "significant_events",
        "wheel_health",
        "plot_of_wheel",
        "list_rounds",
        "movements",
        "ticket_search",
        "barred_players",
        "cage_report",
    )
)
"""Operations that only read the state of the house. They cause no event."""

READ_CAGE: Final = Operation("cage")
ASK_CAGE: Final = Operation("ask_cage")
CAGE_RIGHTS: Final[dict[Operation, frozenset[Role]]] = {
    READ_CAGE: READERS | {Role.CASHIER},
    ASK_CAGE: PIT | {Role.CASHIER},
}
"""Roles that use the cage. The cage decides about every command again."""


def allowed(roles: Iterable[Role]) -> frozenset[Operation]:
    """Return the operations that these roles allow, in addition to those open to all staff.

    >>> sorted(allowed([Role.DEALER])), "unlock_person" in allowed([Role.PIT_MANAGER])
    (['reject_proposal'], True)
    """
    given = frozenset(roles)
    causing = {right.operation for right in RIGHTS.values() if right.operation is not None and right.positions & given}
    at_cage = {operation for operation, roles in CAGE_RIGHTS.items() if roles & given}
    return frozenset(causing) | at_cage | (READING if READERS & given else frozenset())


def denied(state: HouseState, by: Actor, event: e.AnyHouseEvent, at: Millis) -> HouseRefused | None:
    """Return the refusal if this actor has no right to cause the event, else ``None``."""
    right = RIGHTS[type(event)]
    if by.kind is not ActorKind.PERSON:
        consistent = (
            (by.terminal is not None) is (by.kind is ActorKind.TERMINAL) and by.person is None and by.position is None
        )
        return None if consistent and by.kind in right.others else HouseRefused(HouseRefusal.NOT_AUTHORISED)
    if by.person is None or by.person not in state.people or by.terminal is not None:
        return HouseRefused(HouseRefusal.NO_SUCH_PERSON)
    if by.position is None:
        return None if right.own else HouseRefused(HouseRefusal.NOT_AUTHORISED)
    if not any(session.person == by.person and not session.locked for session in state.sessions.values()):
        return HouseRefused(HouseRefusal.NOT_LOGGED_IN, f"{by.person} is not logged in, or the console is locked")
    if by.position not in state.roles(by.person, at):
        return HouseRefused(HouseRefusal.NOT_AUTHORISED, f"{by.person} does not have the position {by.position}")
    if by.position not in right.positions:
        lowest = min(right.positions, key=RANK.__getitem__, default=None)
        return HouseRefused(
            HouseRefusal.NOT_AUTHORISED,
            f"this action is for {lowest} and higher positions" if lowest else "no position may do this",
        )
    return None


def rank_of(by: Actor) -> int:
    """Return the rank of an actor. The engineer and the server have the highest rank."""
    match by.kind:
        case ActorKind.ENGINEER | ActorKind.HOUSE:
            return max(RANK.values())
        case ActorKind.PERSON if by.position is not None:
            return RANK[by.position]
        case _:
            return -1
