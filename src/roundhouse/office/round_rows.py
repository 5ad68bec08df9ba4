"""The query of a list of rounds, and the rows of its answer."""

from typing import Annotated

from msgspec import Meta, Struct, field

from roundhouse.journal.entry import Seq
from roundhouse.office.columns import Column
from roundhouse.office.dealers import DealerName
from roundhouse.office.round_facts import Adjustment, RoundStatus
from roundhouse.rules.names import BetType, GameId, Pocket
from roundhouse.table.names import Millis, PersonName, RoundNumber, SeatId, TableId

PAGE = 200
MAX_PAGE = 1000


class RoundsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which rounds to list. None leaves a filter out."""

    table: TableId | None = None
    seat: SeatId | None = None
    dealer: DealerName | None = None
    """The Dealer to whom reports count the round."""
    game: GameId | None = None
    kind: BetType | None = None
    """Kind of bet, such as ``straight``."""
    person: PersonName | None = None
    """Person who dealt, decided or approved."""
    ticket: str | None = None
    """Last four digits of a ticket. Lists the rounds from which its credits came, and those that they were bet in."""
    entry: Seq | None = None
    """Entry that issued or redeemed the ticket, if several end with these digits."""
    status: RoundStatus | None = None
    first: str | None = field(default=None, name="from")
    """Begin of the period: a gaming day or a time."""
    last: str | None = field(default=None, name="to")
    """End of the period: the last gaming day, or the first time after it."""
    column: Column | None = None
    """Column of a report. Lists the rounds of its figure."""
    after: str | None = None
    """``next`` of the page before."""
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = PAGE
    newest: bool = False
    """Whether the latest round comes first."""


class RoundRow(Struct, frozen=True):
    """One round. Amounts are whole minor units of the currency."""

    table: TableId
    """The table."""
    round: RoundNumber
    """Number of the round at its table."""
    game: GameId
    """The game that was played."""
    rulebook: str
    """Hash of the rulebook that it was played by."""
    began_at: Millis
    """When bets were opened."""
    settled_at: Millis | None
    """When the round was settled or made void. None while it is in progress."""
    outcome: Pocket | None
    """Outcome after all changes. None if the round is void or in progress."""
    status: RoundStatus
    """``open``, ``referred``, ``settled``, ``corrected``, ``reinstated`` or ``void``."""
    dealer: DealerName
    """The Dealer to whom reports count the round; ``@automatic_dealer``, or ``@dealer`` for one without a name."""
    dealt_by: tuple[DealerName, ...]
    """Everyone who opened bets, started the spin or confirmed the result."""
    decided_by: tuple[PersonName, ...]
    """People who decided, declared, corrected or referred something about the round."""
    approved_by: tuple[PersonName, ...]
    """People who approved such a request as the second person."""
    seats: tuple[SeatId, ...]
    """Seats with bets."""
    staked: int
    """Stakes of these seats, also of void bets."""
    returned: int
    """Amount returned to these seats, after all changes. A void bet returns its stake."""
    win: int
    """Stakes less the amount returned. 0 while the round is in progress."""
    adjusted_by: tuple[Adjustment, ...]
    """Later changes of the round, the earliest first."""
    entry: Seq
    """Entry that opened the round."""
    ended: Seq | None
    """Entry that settled the round or made it void."""
    amount: int | None = None
    """Contribution to the figure of the column. None without a column."""
    exact: str | None = None
    """Contribution to a figure of theory as a fraction of a cent, or of a squared cent. None for other columns."""


class RoundList(Struct, frozen=True, tag_field="list", tag="rounds.v1"):
    zone: str
    rounds: list[RoundRow]
    next: str | None
    """Pass this as ``after`` for the next page. None on the last page."""
