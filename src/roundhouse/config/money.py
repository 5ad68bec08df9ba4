"""The ``[money]`` section of ``house.toml``: what each position may do alone with money, and the house's maximum."""

from msgspec import Struct
from msgspec.structs import asdict

from roundhouse.rules.errors import Faults
from roundhouse.rules.names import MAX_STAKE_CENTS, Cents, StaffPosition
from roundhouse.table.limits import Limits
from roundhouse.table.terms import HouseMoney, MoneyBound

_KINDS = ("buy_in", "cash_out", "ticket")


class _Section(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class BoundConfig(_Section, frozen=True):
    """Amounts in minor units of the currency, such as cents. Each counts what moved within the last hour."""

    alone: Cents | None = None
    """Most for one seat without a second person. Default: ``max``."""
    hour: Cents | None = None
    """Most that one person does alone at a table, at all seats together. Default: no bound."""
    max: Cents | None = None
    """Most for one seat at all. Default: no bound."""


class PositionBounds(_Section, frozen=True):
    """One bound for each position. A higher position without a bound has that of the next lower one."""

    player: BoundConfig | None = None
    """The terminal itself: with a bill acceptor, or for a cash-out or a ticket. It has no ``alone`` and no ``hour``."""
    cashier: BoundConfig | None = None
    dealer: BoundConfig | None = None
    pit_supervisor: BoundConfig | None = None
    pit_manager: BoundConfig | None = None
    shift_manager: BoundConfig | None = None
    casino_manager: BoundConfig | None = None


def _bound(alone: int, hour: int, max: int | None) -> BoundConfig:
    return BoundConfig(alone=Cents(alone), hour=Cents(hour), max=None if max is None else Cents(max))


class MoneyConfig(_Section, frozen=True):
    buy_in: PositionBounds = PositionBounds()
    """Bounds of the sale of credits and of its reversal."""
    cash_out: PositionBounds = PositionBounds()
    """Bounds of cash-outs by staff, and of the ticket that a terminal prints."""
    ticket: PositionBounds = PositionBounds()
    """Bounds of tickets that are redeemed at a seat."""
    limits_times: int = 10
    """Live limits, and limits given at an opening, are at most this many times the configured ones."""
    report_from: Cents = Cents(1_000_000)
    """Amount from which a purchase, a cash-out or a redeemed ticket is reported to the pit."""


_BUY_IN = PositionBounds(
    player=BoundConfig(max=Cents(1_000_000)),
    cashier=_bound(1_000_000, 10_000_000, 10_000_000),
    dealer=_bound(500_000, 5_000_000, 10_000_000),
)
_CASH_OUT = PositionBounds(
    player=BoundConfig(max=Cents(10_000_000)),
    cashier=_bound(1_000_000, 10_000_000, None),
    dealer=_bound(500_000, 5_000_000, None),
)
_TICKET = PositionBounds(cashier=_bound(1_000_000, 10_000_000, None), dealer=_bound(500_000, 5_000_000, None))
DEFAULTS = {"buy_in": _BUY_IN, "cash_out": _CASH_OUT, "ticket": _TICKET}
"""Bounds of a position that the file does not name."""


def bounds_of(section: PositionBounds, kind: str) -> dict[StaffPosition, MoneyBound]:
    """Return the bounds of a kind of movement by position. A position that is not written has the default."""
    defaults = asdict(DEFAULTS[kind])
    found = {name: bound or defaults[name] for name, bound in asdict(section).items()}
    return {StaffPosition(name): _effective(bound) for name, bound in found.items() if bound is not None}


def _effective(bound: BoundConfig) -> MoneyBound:
    return MoneyBound(bound.max if bound.alone is None else bound.alone, bound.hour, bound.max)


def house_money(money: MoneyConfig, limits: Limits | None) -> HouseMoney:
    """Return the authority over money at a table with these configured limits."""
    return HouseMoney(
        bounds_of(money.buy_in, "buy_in"),
        bounds_of(money.cash_out, "cash_out"),
        bounds_of(money.ticket, "ticket"),
        protects_seats=True,
        limits=limits,
        limits_times=money.limits_times,
    )


def check_money(money: MoneyConfig, faults: Faults) -> None:
    """Report bounds that contradict each other."""
    for kind in _KINDS:
        for name, bound in asdict(getattr(money, kind)).items():
            if bound is not None:
                _check_bound(f"money.{kind}.{name}", bound, name == StaffPosition.PLAYER, faults)
    if not 1 <= money.limits_times <= 1000:
        faults.add("money.limits_times", f"{money.limits_times} is out of range", "write a number from 1 to 1000")
    if not 0 < money.report_from <= MAX_STAKE_CENTS:
        faults.add(
            "money.report_from", f"{money.report_from} is out of range", f"write an amount from 1 to {MAX_STAKE_CENTS}"
        )


def _check_bound(place: str, bound: BoundConfig, is_player: bool, faults: Faults) -> None:
    for name, cents in asdict(bound).items():
        if cents is not None and not 0 <= cents <= MAX_STAKE_CENTS:
            faults.add(f"{place}.{name}", f"{cents} is out of range", f"write an amount from 0 to {MAX_STAKE_CENTS}")
    if is_player and (bound.alone is not None or bound.hour is not None):
        faults.add(place, "a terminal has no second person", "write { max = … } only")
    if bound.alone is not None and bound.max is not None and bound.alone > bound.max:
        remedy = "write an amount for 'alone' that is not above 'max'"
        faults.add(f"{place}.alone", f"{bound.alone} is more than max, {bound.max}", remedy)
    if bound.alone is not None and bound.hour is not None and bound.hour < bound.alone:
        remedy = "write an amount for 'hour' that is not below 'alone'"
        faults.add(f"{place}.hour", f"{bound.hour} is less than alone, {bound.alone}", remedy)
