"""Parts of a table's state: open disputes, the Dealer of record and the float."""

from msgspec import Struct, field

from roundhouse.rules.names import Cents, Pocket
from roundhouse.table.evidence import Source
from roundhouse.table.names import Contested, DisputeNumber, Millis, PersonName, RoundNumber, SeatId


class DisputeRecord(Struct, frozen=True, omit_defaults=True):
    """A dispute with what was on record when it was made. Amounts are in cents."""

    number: DisputeNumber
    round: RoundNumber
    seat: SeatId
    about: Contested
    at: Millis
    words: str = ""
    outcome: Pocket | None = None
    staked: Cents = Cents(0)
    returned: Cents = Cents(0)
    source: Source | None = None
    """The member of staff who wrote it down; ``None`` if the Player sent it."""


class ClosedDispute(Struct, frozen=True, omit_defaults=True):
    """The end of a dispute."""

    number: DisputeNumber
    round: RoundNumber
    at: Millis
    reason: str
    paid: Cents = Cents(0)


class DisputeRegister(Struct):
    last: DisputeNumber = DisputeNumber(0)
    open: dict[DisputeNumber, DisputeRecord] = field(default_factory=dict)
    closed: dict[SeatId, list[ClosedDispute]] = field(default_factory=dict)
    """The last closed disputes of each seat, the newest first."""


class DealerOfRecord(Struct, frozen=True):
    name: PersonName
    since: Millis


class Float(Struct):
    """The float since its opener. Amounts are in cents."""

    opener: int
    in_chips: bool
    since: Millis
    fills: int = 0
    credits: int = 0
    exchanged: int = 0
    drop: int = 0
    won_before: int = 0
    """Win of the house before the opener: the accounts ``house``, ``shortfall`` and ``goodwill``."""


class Tray(Struct, omit_defaults=True):
    """The float that is open, and the last closer."""

    open: Float | None = None
    last_closer: int | None = None
