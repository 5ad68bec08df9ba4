"""Second persons: what touches a settled round is asked for by one person and approved by another.

Whether a request does so is not guessed from its name: the table decides it, on its state of now and without any
effect, and what would happen to settled rounds is read off. In which positions it may be approved is asked of the
table in the same way, so that no rule of a rulebook is written down twice.
"""

from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from roundhouse.house.draft import Draft
from roundhouse.house.session import Session
from roundhouse.house.sessions import RIGHTS_REFUSALS, Sessions, acting_as, record_refusal
from roundhouse.house.writer import HouseWriter
from roundhouse.people import events as e
from roundhouse.people.events import Actor, ActorKind
from roundhouse.people.names import PROPOSAL_LIFE, HouseRefusal, HouseRefused, PersonId, ProposalId, role_of
from roundhouse.people.state import HouseState, ProposalRecord
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decide import MAY_NEED_APPROVAL, decide, effects_needing_approval
from roundhouse.table.decision import Decision, Facts
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Millis, TableId
from roundhouse.table.state import Table

_SUPERVISORS: Final = (
    StaffPosition.PIT_SUPERVISOR,
    StaffPosition.PIT_MANAGER,
    StaffPosition.SHIFT_MANAGER,
    StaffPosition.CASINO_MANAGER,
)


class ApprovalNeeded(Struct, frozen=True):
    """The request needs a second person, who acts in one of these positions, the lowest first."""

    position: StaffPosition
    """In which the first person asks."""
    approvers: tuple[StaffPosition, ...]
    effect: tuple[AnyEvent, ...]


class Proposal(Struct, frozen=True):
    id: ProposalId
    person: PersonId
    at: Millis
    table: TableId
    command: AnyCommand
    position: StaffPosition
    approvers: tuple[StaffPosition, ...]
    expires: Millis
    effect: tuple[AnyEvent, ...]


class Approved(Struct, frozen=True):
    """What the table is now to be asked."""

    proposal: ProposalId
    table: TableId
    command: AnyCommand
    """In the first person's position, and in both names."""


def dry_run(table: Table, command: AnyCommand, by: StaffPosition, at: Millis) -> Decision:
    """What the table would do, which it does not."""
    return decide(table, replace(command, by=by, who=UNSET, second=UNSET), Facts(at))


def approval_needed(table: Table, command: AnyCommand, by: StaffPosition, at: Millis) -> ApprovalNeeded | None:
    if not isinstance(command, MAY_NEED_APPROVAL):
        return None
    effect = effects_needing_approval(dry_run(table, command, by, at))
    if not effect:
        return None
    may = [one for one in _SUPERVISORS if dry_run(table, command, one, at).refused is None]
    return ApprovalNeeded(by, tuple(may), effect)


class Approvals:
    def __init__(self, writer: HouseWriter, sessions: Sessions) -> None:
        self._writer, self._sessions = writer, sessions

    def waiting(self, at: Millis) -> list[Proposal]:
        """The proposals that wait for a second person, the oldest first."""
        return _waiting(self._writer.state, at)

    def effect_of(self, proposal: ProposalId, table: Table, at: Millis) -> tuple[AnyEvent, ...] | None:
        """The effect that a proposal would have on settled rounds now. Only for the thread that owns the table."""
        found = self._writer.state.proposals.get(proposal)
        if found is None:
            return None
        return effects_needing_approval(dry_run(table, found.proposed.command, found.proposed.position, at))

    async def propose(
        self, session: Session, table: TableId, command: AnyCommand, needs: ApprovalNeeded, at: Millis
    ) -> Proposal | HouseRefused:
        """Record a command that needs a second person. The same command, sent again, is the same proposal."""
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
            event = e.Proposed(id, table, command, needs.position, needs.approvers, expires, needs.effect)
            by = Actor(ActorKind.PERSON, now.person, role_of(needs.position))
            return draft.record(at, [(by, event)]) or _proposal_of(id, draft.state.proposals[id])

        return await self._writer.record(decide)

    async def approve(
        self, session: Session, proposal: ProposalId, effect: tuple[AnyEvent, ...] | None, at: Millis
    ) -> Approved | HouseRefused:
        """``effect`` comes from ``effect_of``. The caller then sends the command, in both names, to the table."""

        def decide(draft: Draft) -> Approved | HouseRefused:
            found = draft.state.proposals.get(proposal)
            if refused := self._resolve(draft, session, e.ProposalApproved(proposal), found, effect, at):
                return refused
            assert found is not None, "what was approved was proposed"
            what = found.proposed
            command = replace(what.command, who=found.person, second=session.person)
            return Approved(proposal, what.table, command)

        return await self._writer.record(decide)

    async def reject(self, session: Session, proposal: ProposalId, reason: str, at: Millis) -> HouseRefused | None:
        """For everybody who could approve the proposal, and for the person who made it."""
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
        effect: tuple[AnyEvent, ...] | None,
        at: Millis,
    ) -> HouseRefused | None:
        """Check the right of the second person first, and then whether the table has changed."""
        now = self._sessions.may_act(session, at, draft.state)
        if isinstance(now, HouseRefused):
            return now
        wanted = found.proposed.seconds if found is not None else ()
        fitting = next((position for position in now.positions if position in wanted), None)
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
    state: HouseState, found: ProposalRecord, effect: tuple[AnyEvent, ...] | None, at: Millis
) -> HouseRefused | None:
    what = found.proposed
    if role_of(what.position) not in state.roles(found.person, state.now(at)):
        return HouseRefused(HouseRefusal.STATE_HAS_CHANGED, f"{found.person} does not act as {what.position} any more")
    if effect == what.effect:
        return None
    return HouseRefused(HouseRefusal.STATE_HAS_CHANGED, "it would do something else by now; look, and propose it again")


def _proposal_of(id: ProposalId, found: ProposalRecord) -> Proposal:
    what = found.proposed
    return Proposal(
        id, found.person, found.at, what.table, what.command, what.position, what.seconds, what.expires, what.effect
    )
