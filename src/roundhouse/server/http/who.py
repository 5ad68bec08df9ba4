"""Who may ask for a route: nobody in particular, a terminal, staff of a table, the pit, the auditor.

This is the first of two locks. The house and the table have their own, and ask again.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from roundhouse.people.events import HouseEvent
from roundhouse.people.names import AT_A_CONSOLE, PIT, Role
from roundhouse.people.powers import POWERS
from roundhouse.server.callers import AtTerminal, Caller, Nobody, Staff
from roundhouse.server.wire.problems import Problem
from roundhouse.table.names import TableId


class Reach(StrEnum):
    """Which terminals may ask."""

    NONE = "none"
    OWN_TABLE = "own_table"
    ALL = "all"


@dataclass(frozen=True)
class Who:
    words: str
    anybody: bool = False
    terminals: Reach = Reach.NONE
    roles: frozenset[Role] = frozenset()
    while_locked: bool = False
    """Whether a console that has locked itself may still ask."""


_ALL = frozenset(Role)
_AUDITOR = frozenset({Role.AUDITOR})

ANYBODY: Final = Who("anybody", anybody=True, terminals=Reach.ALL, roles=_ALL, while_locked=True)
SOMEBODY: Final = Who("staff or a terminal, also while locked", terminals=Reach.ALL, roles=_ALL, while_locked=True)
LOGGED_IN: Final = Who("staff, also while locked", roles=_ALL, while_locked=True)
STAFF: Final = Who("staff", roles=_ALL)
AT_TABLE: Final = Who("a terminal or staff of the table", terminals=Reach.OWN_TABLE, roles=_ALL)
TERMINAL_OR_STAFF: Final = Who("a terminal or staff", terminals=Reach.ALL, roles=_ALL)
OF_TABLE: Final = Who("staff of the table", roles=_ALL)
ASKS_TABLE: Final = Who(
    "a terminal or staff of the table, except the auditor", terminals=Reach.OWN_TABLE, roles=_ALL - _AUDITOR
)
PIT_OR_AUDITOR: Final = Who("the pit, or the auditor", roles=PIT | _AUDITOR)
THE_PIT: Final = Who("the pit", roles=PIT)


def who_may_cause(event: type[HouseEvent]) -> Who:
    """Those in whose positions the house lets somebody cause such an event."""
    roles = POWERS[event].positions
    return Who(" or ".join(role.value for role in Role if role in roles), roles=roles)


def turned_away(who: Who, caller: Caller, table: TableId | None) -> Problem | None:
    """Why this caller may not ask for it of that table, or nothing."""
    match caller:
        case Nobody():
            return None if who.anybody else Problem.NOT_LOGGED_IN
        case AtTerminal():
            if who.terminals is Reach.ALL or (who.terminals is Reach.OWN_TABLE and caller.terminal.table == table):
                return None
            return Problem.NOT_AUTHORISED
        case Staff():
            if caller.session.locked and not who.while_locked:
                return Problem.CONSOLE_IS_LOCKED
            may = who.while_locked or any(
                _counts(role, caller, table) for role in caller.session.roles if role in who.roles
            )
            return None if may else Problem.NOT_AUTHORISED
        case _:
            assert_never(caller)


def _counts(role: Role, caller: Staff, table: TableId | None) -> bool:
    """A Dealer or Cashier works at the console of one table and at no other."""
    return role not in AT_A_CONSOLE or table is None or caller.session.console == table


def kept_out(caller: Caller, table: TableId, pit: bool) -> Problem | None:
    """Why somebody may not listen to a table, or nothing. A console that is locked may stay, and is told nothing."""
    if isinstance(caller, Nobody):
        return Problem.NOT_LOGGED_IN if pit else None
    problem = turned_away(PIT_OR_AUDITOR if pit else AT_TABLE, caller, table)
    return None if problem is Problem.CONSOLE_IS_LOCKED else problem
