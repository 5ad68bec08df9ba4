"""The state of the cage: drawers, accounts, sums of the day and barred Players. Changed only by ``apply``."""

from collections.abc import Iterable

from msgspec import Struct, field

from roundhouse.cage.names import BarredId, CageTerms, CashDirection, Day, DrawerId, PersonKey
from roundhouse.rules.names import Cents
from roundhouse.table.names import Millis, PersonName, SeatId, TableId


class Drawer(Struct):
    """A drawer since it was last opened."""

    cashier: PersonName | None = None
    """Person who opened the drawer; ``None`` while it is closed."""
    opened: Millis = Millis(0)
    cash: int = 0
    """Cash that the drawer must contain."""
    float: int = 0
    """Cash with which it was opened."""
    filled: int = 0
    dropped: int = 0
    sold: int = 0
    paid: int = 0
    counted: int | None = None
    """The last count; ``None`` if the drawer was not counted."""
    variance: int = 0
    """Variance of the last count."""

    @property
    def is_open(self) -> bool:
        return self.cashier is not None


class Barred(Struct, frozen=True):
    """A person on the list of barred Players."""

    keys: tuple[PersonKey, ...]
    initials: str
    reason: str
    since: Millis
    by: PersonName | None


class CageState(Struct):
    at: Millis = Millis(0)
    terms: CageTerms = CageTerms()
    drawers: dict[DrawerId, Drawer] = field(default_factory=dict)
    vault: int = 0
    """Cash that the vault gave to drawers, minus what it got back. Positive: the drawers hold it."""
    tickets: int = 0
    """Tickets that the cage issued, minus those that it paid or voided. Tables issue tickets too, so it may be < 0."""
    voided: int = 0
    variance: int = 0
    """Sum of the variances of closed drawers. Negative if cash was missing."""
    day: Day = Day("")
    sums: dict[str, int] = field(default_factory=dict)
    """Sums of the day's cash transactions, by person or seat and direction. See ``person_sum`` and ``seat_sum``."""
    barred: dict[BarredId, Barred] = field(default_factory=dict)
    listed: int = 0
    """How many people were ever put on the list. Ids are never used again."""

    def drawer_of(self, person: PersonName) -> DrawerId | None:
        """Return the open drawer of a person."""
        return next((id for id, drawer in self.drawers.items() if drawer.cashier == person), None)

    def barred_as(self, keys: Iterable[PersonKey]) -> BarredId | None:
        """Return the entry of the list that one of these keys is on."""
        given = frozenset(keys)
        return next((id for id, one in self.barred.items() if not given.isdisjoint(one.keys)), None)

    def sum_of(self, day: Day, name: str) -> Cents:
        return Cents(self.sums.get(name, 0) if day == self.day else 0)


def person_sum(key: PersonKey, direction: CashDirection) -> str:
    return f"{direction} person {key}"


def seat_sum(table: TableId, seat: SeatId) -> str:
    return f"{CashDirection.OUT} seat {table}/{seat}"
