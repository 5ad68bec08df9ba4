"""Permissions: the position in which a person of the staff may send a command to a table.

Reads the committed state of the house without a lock. The person is identified by the session, never by the content
of a message. ``floor/permissions.py`` checks the commands of terminals.
"""

from msgspec.structs import replace

from roundhouse.house.approvals import ApprovalNeeded, approval_needed
from roundhouse.house.session import Session
from roundhouse.house.sessions import Sessions
from roundhouse.people.names import HouseRefusal, HouseRefused
from roundhouse.rules.names import StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.decide import MAY_NEED_APPROVAL, decide, may_ask
from roundhouse.table.decision import dry_run_facts
from roundhouse.table.names import Millis, TableId
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.table.state import Table


class Permissions:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def position_for(
        self,
        caller: Session,
        table: TableId,
        state: Table,
        command: c.AnyCommand,
        at: Millis,
        requested: StaffPosition | None = None,
    ) -> StaffPosition | ApprovalNeeded | HouseRefused:
        """Find the position in which the caller sends a command. The table may still refuse the command.

        ``command.by`` is ignored; ``requested`` is the position that the request names, if it names one.
        """
        now = self._sessions.may_act(caller, at)
        if isinstance(now, HouseRefused):
            return now
        if now.auditor:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, "an auditor may read everything and change nothing")
        here = now.positions_at(table)
        if not here:
            return HouseRefused(HouseRefusal.OTHER_TABLE, f"your console belongs to table {now.console}")
        if requested is not None and requested not in here:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, f"you do not act as {requested} at this table")
        position = requested or _choose(here, state, command, at)
        return approval_needed(state, command, position, now.person, at) or position


def _choose(positions: tuple[StaffPosition, ...], state: Table, command: c.AnyCommand, at: Millis) -> StaffPosition:
    """Choose the highest position that may send the command. If none may, choose the highest; the table refuses it."""
    for position in positions:
        if _is_authorised(state, command, position, at):
            return position
    return positions[0]


def _is_authorised(state: Table, command: c.AnyCommand, position: StaffPosition, at: Millis) -> bool:
    if not isinstance(command, MAY_NEED_APPROVAL):
        return may_ask(state, command, position)
    sent = replace(command, by=position)
    refused = decide(state, sent, dry_run_facts(state, sent, at)).refused
    return refused is None or refused.refusal is not TableRefusal.NOT_AUTHORISED
