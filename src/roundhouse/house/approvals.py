"""Approvals: some commands need a second person, for example those that change a settled round.

A dry run of the table's decision shows whether a command needs a second person, and which positions may approve it.
Therefore this module contains no rules of games.
"""

from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from roundhouse.cage.commands import AnyCageCommand
from roundhouse.cage.effects import same_effect
from roundhouse.cage.events import AnyCageEvent
from roundhouse.house.draft import Draft
from roundhouse.house.session import Session
from roundhouse.house.sessions import RIGHTS_REFUSALS, Sessions, acting_as, record_refusal
from roundhouse.house.writer import HouseWriter
from roundhouse.people import events as e
from roundhouse.people.events import Actor, ActorKind
from roundhouse.people.names import PROPOSAL_LIFE, HouseRefusal, HouseRefused, PersonId, ProposalId, role_of
from roundhouse.people.proposed import ProposedCommand, ProposedEvent
from roundhouse.people.state import HouseState, ProposalRecord
from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.table.commands import AnyCommand, CashOut, Decide, ReversePurchase
from roundhouse.table.decide import MAY_NEED_APPROVAL, decide, effect_with_second_person
from roundhouse.table.decision import dry_run_facts
from roundhouse.table.events import (
    AnyEvent,
    BetsClosed,
    CashedOut,
    CreditsBought,
    EnrolmentAllowed,
    PurchaseReversed,
    RoundVoided,
)
from roundhouse.table.names import Millis, PersonName, TableId
from roundhouse.table.state import Table

_SUPERVISORS: Final = (
    StaffPosition.PIT_SUPERVISOR,
    StaffPosition.PIT_MANAGER,
    StaffPosition.SHIFT_MANAGER,
    StaffPosition.CASINO_MANAGER,
)
_APPROVE_DECISIONS: Final = _SUPERVISORS[1:]
"""The second person of a decision attests it and does not decide, so a Pit Manager or above approves it."""
_ANOTHER: Final = PersonName("second person")
"""Stands for a person who has not approved yet."""


class ApprovalNeeded(Struct, frozen=True):
    """Result of a check: the command needs the approval of a second person."""

    position: StaffPosition
    """Position of the first person."""
    approvers: tuple[StaffPosition, ...]
    """Positions that may approve the command, the lowest first."""
    effect: tuple[ProposedEvent, ...]


class Proposal(Struct, frozen=True):
    id: ProposalId
    person: PersonId
    at: Millis
    table: TableId
    command: ProposedCommand
    position: StaffPosition
    approvers: tuple[StaffPosition, ...]
    expires: Millis
    effect: tuple[ProposedEvent, ...]


class Approved(Struct, frozen=True):
    """An approved command, to be sent to its table."""

    proposal: ProposalId
    table: TableId
    command: ProposedCommand
    """The proposed command, with the first person's position and the names of both people."""


def effect_for(table: Table, command: AnyCommand, by: StaffPosition, who: PersonId, at: Millis) -> tuple[AnyEvent, ...]:
    """Return the events that a person's command would cause with a second person; empty if it needs none."""
    sent = replace(command, by=by, who=PersonName(who), second=UNSET)
    return effect_with_second_person(table, sent, dry_run_facts(table, sent, at))


def _may_send(table: Table, command: AnyCommand, by: StaffPosition, who: PersonId, at: Millis) -> bool:
    """Return whether a person in this position could send the command, alone or with a second person."""
    sent = replace(command, by=by, who=PersonName(who), second=_ANOTHER)
    return decide(table, sent, dry_run_facts(table, sent, at)).refused is None


def approval_needed(
    table: Table, command: AnyCommand, by: StaffPosition, who: PersonId, at: Millis
) -> ApprovalNeeded | None:
    if not isinstance(command, MAY_NEED_APPROVAL):
        return None
    effect = effect_for(table, command, by, who, at)
    if not effect:
        return None
    if isinstance(command, Decide):
        return ApprovalNeeded(by, _APPROVE_DECISIONS, effect)
    # Those who could send the command themselves approve it. If no supervisor could, every supervisor approves it.
    approvers = tuple(one for one in _SUPERVISORS if _may_send(table, command, one, who, at))
    return ApprovalNeeded(by, approvers or _SUPERVISORS, effect)


class Approvals:
    def __init__(self, writer: HouseWriter, sessions: Sessions) -> None:
        self._writer, self._sessions = writer, sessions

    def waiting(self, at: Millis) -> list[Proposal]:
        """List the proposals that wait for a second person, the oldest first."""
        return _waiting(self._writer.state, at)

    def effect_of(self, proposal: ProposalId, table: Table, at: Millis) -> tuple[AnyEvent, ...] | None:
        """Compute the effect that a proposal would have on settled rounds now. Call this in the table's thread."""
        found = self._writer.state.proposals.get(proposal)
        if found is None or isinstance(found.proposed.command, AnyCageCommand):
            return None
        return effect_for(table, found.proposed.command, found.proposed.position, found.person, at)

    async def propose(
        self, session: Session, table: TableId, command: ProposedCommand, needs: ApprovalNeeded, at: Millis
    ) -> Proposal | HouseRefused:
        """Record a command that needs a second person. A resent command returns the same proposal."""
        command = replace(command, by=needs.position)

        def decide(draft: Draft) -> Proposal | HouseRefused:
            now = self._sessions.may_act(session, at, draft.state)
            if isinstance(now, HouseRefused):
                return now
            for known in _waiting(draft.state, at):
                if (known.person, known.table, known.command) == (now.person, table, command):
                    return known
            id = ProposalId(draft.state.fresh("p"))
            expires = Millis(draft.state.now(at) + PROPOSAL_LIFE)
            event = e.Proposed(id, table, command, needs.position, needs.approvers, expires, needs.effect, True)
            by = Actor(ActorKind.PERSON, now.person, role_of(needs.position))
            return draft.record(at, [(by, event)]) or _proposal_of(id, draft.state.proposals[id])

        return await self._writer.record(decide)

    async def approve(
        self, session: Session, proposal: ProposalId, effect: tuple[ProposedEvent, ...] | None, at: Millis
    ) -> Approved | HouseRefused:
        """Approve a proposal and return its command, which the caller sends. ``effect`` comes from ``effect_of``."""

        def decide(draft: Draft) -> Approved | HouseRefused:
            found = draft.state.proposals.get(proposal)
            if refused := self._resolve(draft, session, e.ProposalApproved(proposal), found, effect, at):
                return refused
            assert found is not None, "an approved proposal exists"
            proposed = found.proposed
            command = replace(proposed.command, who=found.person, second=session.person)
            return Approved(proposal, proposed.table, _with_effect(command, proposed.effect))

        return await self._writer.record(decide)

    async def reject(self, session: Session, proposal: ProposalId, reason: str, at: Millis) -> HouseRefused | None:
        """Reject a proposal. Its approvers and the person who made it may do this."""
        event = e.ProposalRejected(proposal, reason)
        return await self._writer.record(
            lambda draft: self._resolve(draft, session, event, draft.state.proposals.get(proposal), None, at)
        )

    def _resolve(
        self,
        draft: Draft,
        session: Session,
        event: e.ProposalApproved | e.ProposalRejected,
        found: ProposalRecord | None,
        effect: tuple[ProposedEvent, ...] | None,
        at: Millis,
    ) -> HouseRefused | None:
        """Check the second person's right, then the effect of the command, and record the approval or the rejection."""
        now = self._sessions.may_act(session, at, draft.state)
        if isinstance(now, HouseRefused):
            return now
        approvers = found.proposed.seconds if found is not None else ()
        fitting = next((position for position in now.positions if position in approvers), None)
        by = Actor(ActorKind.PERSON, now.person, role_of(fitting)) if fitting else acting_as(now, event)
        refused = draft.refusal_of(at, by, event)
        if refused is not None:
            if refused.refusal in RIGHTS_REFUSALS:
                record_refusal(draft, Actor(ActorKind.PERSON, now.person), event, refused, at)
            return refused
        approves = isinstance(event, e.ProposalApproved)
        if found is not None and approves and (changed := _changed(draft.state, found, effect, at)):
            return changed
        return draft.record(at, [(by, event)])


def _waiting(state: HouseState, at: Millis) -> list[Proposal]:
    return [_proposal_of(id, one) for id, one in state.proposals.items() if state.now(at) < one.proposed.expires]


def _changed(
    state: HouseState, found: ProposalRecord, effect: tuple[ProposedEvent, ...] | None, at: Millis
) -> HouseRefused | None:
    proposed = found.proposed
    if role_of(proposed.position) not in state.roles(found.person, state.now(at)):
        reason = f"{found.person} no longer acts as {proposed.position}"
        return HouseRefused(HouseRefusal.STATE_HAS_CHANGED, reason)
    if effect is not None and _is_same(effect, proposed.effect):
        return None
    reason = "the effect of the command has changed since it was proposed; check it and propose it again"
    return HouseRefused(HouseRefusal.STATE_HAS_CHANGED, reason)


def _is_same(effect: tuple[ProposedEvent, ...], proposed: tuple[ProposedEvent, ...]) -> bool:
    """Compare effects, of a table or of the cage. An effect is never of both."""
    at_cage = [[one for one in events if isinstance(one, AnyCageEvent)] for events in (effect, proposed)]
    at_table = [[one for one in events if not isinstance(one, AnyCageEvent)] for events in (effect, proposed)]
    return same_effect(*at_cage) and [*map(_comparable, at_table[0])] == [*map(_comparable, at_table[1])]


def _with_effect(command: ProposedCommand, effect: tuple[ProposedEvent, ...]) -> ProposedCommand:
    """Name in a command what was approved, because a seat may change while the approval is recorded.

    Events of a single seat do not count as a move of the table, which the server checks for all other commands.
    """
    match command, effect:
        case CashOut(), [CashedOut(cents=cents)]:
            return replace(command, cents=cents)
        case ReversePurchase(), [PurchaseReversed(purchase=number)]:
            return replace(command, purchase=number)
    return command


def _comparable(event: AnyEvent) -> AnyEvent:
    """Return an event without what may change until the approval: bets of the round in progress, a ticket's expiry."""
    match event:
        case RoundVoided():
            return replace(event, seats={})
        case BetsClosed():
            return replace(event, staked=Cents(0))
        case CashedOut():
            return replace(event, expires=Millis(0))
        case CreditsBought():
            return replace(event, number=0)
        case EnrolmentAllowed():
            return replace(event, until=Millis(0))
        case _:
            return event


def _proposal_of(id: ProposalId, found: ProposalRecord) -> Proposal:
    p = found.proposed
    return Proposal(id, found.person, found.at, p.table, p.command, p.position, p.seconds, p.expires, p.effect)
