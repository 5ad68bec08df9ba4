"""What of a table's events everybody may see: the same names, without anybody's money.

Events that carry none are sent as they are. Under a name that stands here, the public part has fewer fields.
"""

from msgspec import Struct

from roundhouse.rules.names import Clause, IrregularityId, Pocket, StaffPosition
from roundhouse.table import events as e
from roundhouse.table.names import RoundNumber, Ruling


class PublicEvent(Struct, frozen=True, tag_field="event", omit_defaults=True, gc=False):
    pass


class PublicTableStopped(PublicEvent, frozen=True, tag="table_stopped.v1", gc=False):
    pass


class PublicTableResumed(PublicEvent, frozen=True, tag="table_resumed.v1", gc=False):
    by: StaffPosition
    clause: Clause


class PublicBetsClosed(PublicEvent, frozen=True, tag="bets_closed.v1", gc=False):
    round: RoundNumber
    phrase: str
    clause: Clause


class PublicRoundSettled(PublicEvent, frozen=True, tag="round_settled.v1", gc=False):
    round: RoundNumber
    outcome: Pocket


class PublicRoundVoided(PublicEvent, frozen=True, tag="round_voided.v1", gc=False):
    round: RoundNumber
    clauses: tuple[Clause, ...]
    returns: Clause
    causes: tuple[IrregularityId, ...] = ()


class PublicRoundCorrected(PublicEvent, frozen=True, tag="round_corrected.v1", gc=False):
    round: RoundNumber
    was: Pocket
    outcome: Pocket
    clause: Clause


class PublicRoundReversed(PublicEvent, frozen=True, tag="round_reversed.v1", gc=False):
    round: RoundNumber
    was: Pocket
    clauses: tuple[Clause, ...]
    causes: tuple[IrregularityId, ...] = ()


class PublicMatterReferred(PublicEvent, frozen=True, tag="matter_referred.v1", gc=False):
    round: RoundNumber
    decides: StaffPosition
    clause: Clause


class PublicDecisionMade(PublicEvent, frozen=True, tag="decision_made.v1", gc=False):
    round: RoundNumber
    ruling: Ruling
    by: StaffPosition
    clause: Clause


AsItIs = (
    e.TableOpened
    | e.LastRoundsAnnounced
    | e.TableClosed
    | e.BetsOpened
    | e.SpinStarted
    | e.SpinObserved
    | e.BallRested
    | e.ResultRegistered
    | e.ResultConfirmed
    | e.ManualModeEntered
    | e.AutomaticModeEntered
    | e.InterruptionRecovered
)

AnyPublicEvent = (
    AsItIs
    | PublicTableStopped
    | PublicTableResumed
    | PublicBetsClosed
    | PublicRoundSettled
    | PublicRoundVoided
    | PublicRoundCorrected
    | PublicRoundReversed
    | PublicMatterReferred
    | PublicDecisionMade
)
