"""Permissions at the cage: the position in which a person sends a command, and whether it needs a second person."""

from msgspec import UNSET
from msgspec.structs import replace

from roundhouse.cage.commands import AnyCageCommand
from roundhouse.cage.decide import decide_with_approval
from roundhouse.cage.entry import CageFacts
from roundhouse.cage.names import CAGE_CHAIN, CageRefusal
from roundhouse.cage.state import CageState
from roundhouse.house.approvals import ApprovalNeeded
from roundhouse.house.session import Session
from roundhouse.house.sessions import Sessions
from roundhouse.people.names import HouseRefusal, HouseRefused
from roundhouse.people.proposed import ProposedEvent
from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis, PersonName


def position_at_cage(
    sessions: Sessions,
    caller: Session,
    state: CageState,
    command: AnyCageCommand,
    facts: CageFacts,
    at: Millis,
    requested: StaffPosition | None = None,
) -> StaffPosition | ApprovalNeeded | HouseRefused:
    """Find the position in which the caller sends a command. The cage may still refuse the command."""
    now = sessions.may_act(caller, at)
    if isinstance(now, HouseRefused):
        return now
    if now.auditor:
        return HouseRefused(HouseRefusal.NOT_AUTHORISED, "an auditor may read everything and change nothing")
    here = now.positions_at(CAGE_CHAIN)
    if not here:
        return HouseRefused(HouseRefusal.OTHER_TABLE, f"your console belongs to table {now.console}, not to the cage")
    if requested is not None and requested not in here:
        return HouseRefused(HouseRefusal.NOT_AUTHORISED, f"you do not act as {requested} at the cage")
    sent = replace(command, who=PersonName(now.person), second=UNSET)
    for position in (requested,) if requested is not None else here:
        found = decide_with_approval(state, replace(sent, by=position), facts)
        if found.refused is None:
            return ApprovalNeeded(position, found.approvers, found.events) if found.approvers else position
        if found.refused.refusal is not CageRefusal.NOT_AUTHORISED:
            return position
    return requested or here[0]


def cage_effect(
    state: CageState, command: AnyCageCommand, facts: CageFacts, by: StaffPosition, who: PersonName
) -> tuple[ProposedEvent, ...]:
    """Return the events that a proposed command would cause now; empty if it would be refused."""
    return decide_with_approval(state, replace(command, by=by, who=who, second=UNSET), facts).events
