"""Authority to move money and to change limits: every position and request, below, at and above each bound.

The bounds are those of a dealer and a cashier in one table, written by hand. ``alone`` and ``two`` are one and two
persons. Amounts are for one seat within an hour.
"""

from itertools import count
from typing import Any

import pytest
from msgspec import UNSET

from roundhouse.rules.game import Game
from roundhouse.rules.names import BetType, Cents, PositionId, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.apply import apply
from roundhouse.table.decide import decide
from roundhouse.table.decision import Decision, Facts, HouseTerms, Ticket
from roundhouse.table.ledger import balances, imbalance, postings
from roundhouse.table.limits import Bounds, Limits
from roundhouse.table.names import Millis, PersonName, RequestId, SeatId, TicketId, TicketNumber
from roundhouse.table.state import Table, TableState
from roundhouse.table.terms import HouseMoney, MoneyBound
from tests.support.tables import RoundMemory

P = StaffPosition
CONFIGURED = Limits({}, {}, Bounds(Cents(100), Cents(10_000)), Cents(100_000))
BOUNDS = {
    P.PLAYER: MoneyBound(max=Cents(3_000)),
    P.CASHIER: MoneyBound(Cents(2_000), Cents(8_000), Cents(9_000)),
    P.DEALER: MoneyBound(Cents(1_000), Cents(4_000), Cents(9_000)),
}
MONEY = HouseMoney(BOUNDS, BOUNDS, BOUNDS, protects_seats=True, limits=CONFIGURED, limits_times=3)
TICKET = TicketNumber("7" * 20)
MINUTE = 60_000
SEAT, OTHER = SeatId("a"), SeatId("b")
EVERYONE = (P.PLAYER, P.CASHIER, P.DEALER, P.PIT_SUPERVISOR, P.PIT_MANAGER, P.SHIFT_MANAGER, P.CASINO_MANAGER)


class House:
    """A table under these bounds. The time is what a test sets."""

    def __init__(self, game: Game, money: HouseMoney = MONEY) -> None:
        self.table, self.money = Table(game, TableState(), RoundMemory()), money
        self.at, self._ids = Millis(1_800_000_000_000), count(1)
        self.terms = HouseTerms(CONFIGURED, (Cents(100),), "SGD")
        self.ok(c.OpenTable, P.DEALER)
        for seat in (SEAT, OTHER):
            self.ok(c.TakeSeat, P.PLAYER, seat=seat, terminal=game.rulebook.terminals[0].id)

    def decide(self, kind: type[c.Command], by: P, who: str = "ann", second: str = "", **fields: Any) -> Decision:
        id = RequestId(f"r{next(self._ids)}")
        people = {"who": PersonName(who) if who else UNSET, "second": PersonName(second) if second else UNSET}
        command: Any = kind(id=id, by=by, **people, **fields)
        ticket = Ticket(TicketId(TICKET), self.ticket_cents, Millis(self.at + 1), False)
        facts = Facts(self.at, TicketId("8" * 20), ticket, house=self.terms, money=self.money.terms_for(command))
        return decide(self.table, command, facts)

    ticket_cents = Cents(0)

    def ok(self, kind: type[c.Command], by: P, who: str = "ann", second: str = "", **fields: Any) -> list[e.AnyEvent]:
        decision = self.decide(kind, by, who, second, **fields)
        assert decision.refused is None, (kind, by, decision.refused)
        for event in decision.events:
            assert sum(one.cents for one in postings(event)) == 0
            apply(self.table, event, self.at)
        assert imbalance(self.table.state) is None
        assert sum(balances(self.table.state).values()) == 0
        return decision.events

    def refusal(self, kind: type[c.Command], by: P, who: str = "ann", second: str = "", **fields: Any) -> str:
        refused = self.decide(kind, by, who, second, **fields).refused
        return "ok" if refused is None else refused.refusal.value

    def fill(self, cents: int, seat: SeatId = SEAT) -> None:
        """Give a seat credits that count towards no bound."""
        apply(self.table, e.CreditsBought(seat, Cents(cents)), self.at)


@pytest.fixture
def house(games: dict[str, Game]) -> House:
    return House(games["rws-double-zero"])


# Amount by position: one person, two persons. TWO: a second person is needed; MAX: above the house's maximum.
AMOUNTS = """
            1         999       1000      1001      2000      2001      3000      3001      8999      9000      9001
player      ok,ok     ok,ok     ok,ok     ok,ok     ok,ok     ok,ok     ok,ok     MAX,MAX   MAX,MAX   MAX,MAX   MAX,MAX
cashier     ok,ok     ok,ok     ok,ok     ok,ok     ok,ok     TWO,ok    TWO,ok    TWO,ok    TWO,ok    TWO,ok    MAX,MAX
dealer      ok,ok     ok,ok     ok,ok     TWO,ok    TWO,ok    TWO,ok    TWO,ok    TWO,ok    TWO,ok    TWO,ok    MAX,MAX
others      NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT
"""
WORDS = {"ok": "ok", "TWO": "needs_second_person", "MAX": "above_house_maximum", "NOT": "not_authorised"}
OTHERS = EVERYONE[3:]


def amount_cells() -> list[tuple[P, int, str, str]]:
    head, *rows = [line.split() for line in AMOUNTS.split("\n") if line.strip()]
    found = []
    for name, *cells in rows:
        positions = OTHERS if name == "others" else (P(name),)
        for by in positions:
            for cents, cell in zip(head, cells, strict=True):
                alone, two = cell.split(",")
                found.append((by, int(cents), WORDS[alone], WORDS[two]))
    return found


def test_the_table_has_every_position_and_amount() -> None:
    assert len(amount_cells()) == 7 * 11


@pytest.mark.parametrize(("by", "cents", "alone", "two"), amount_cells())
def test_amounts(games: dict[str, Game], by: P, cents: int, alone: str, two: str) -> None:
    """Buying and redeeming a ticket have the same bounds here. One person under two names is one person."""
    for kind, fields in ((c.BuyCredits, {"cents": Cents(cents)}), (c.RedeemTicket, {"ticket": TICKET})):
        house = House(games["rws-double-zero"])
        house.ticket_cents = Cents(cents)
        assert house.refusal(kind, by, "ann", seat=SEAT, **fields) == alone
        assert house.refusal(kind, by, "ann", "Ann ", seat=SEAT, **fields) == alone
        assert house.refusal(kind, by, "ann", "ben", seat=SEAT, **fields) == two
        assert house.refusal(kind, by, "", "ben", seat=SEAT, **fields) == alone


@pytest.mark.parametrize(("by", "cents", "alone", "two"), amount_cells())
def test_cash_outs(games: dict[str, Game], by: P, cents: int, alone: str, two: str) -> None:
    """Staff cash out alone only what the Player has asked for, and never more than their bound."""
    house = House(games["rws-double-zero"])
    house.fill(cents)
    staff = alone if by is P.PLAYER or alone in ("not_authorised", "above_house_maximum") else "needs_second_person"
    assert house.refusal(c.CashOut, by, "ann", seat=SEAT) == staff
    assert house.refusal(c.CashOut, by, "ann", "ben", seat=SEAT) == two
    house.ok(c.RequestCashOut, P.DEALER, "dee", seat=SEAT)
    assert house.refusal(c.CashOut, by, "ann", seat=SEAT) == staff, "staff have asked, not the Player"
    house.ok(c.RequestCashOut, P.PLAYER, "", seat=SEAT)
    assert house.refusal(c.CashOut, by, "ann", seat=SEAT) == alone
    house.at = Millis(house.at + 10 * MINUTE)
    assert house.refusal(c.CashOut, by, "ann", seat=SEAT) == alone
    house.at = Millis(house.at + 1)
    assert house.refusal(c.CashOut, by, "ann", seat=SEAT) == staff, "the request is too old"
    house.ok(c.RequestCashOut, P.PLAYER, "", seat=SEAT)
    house.fill(1)
    later = house.refusal(c.CashOut, by, "ann", seat=SEAT)
    assert later == staff or (later, cents) in (("above_house_maximum", 9000), ("above_house_maximum", 3000))


def test_a_cash_out_answers_only_for_the_approved_amount(house: House) -> None:
    house.fill(500)
    assert house.refusal(c.CashOut, P.DEALER, "ann", "ben", seat=SEAT, cents=Cents(499)) == "state_has_changed"
    assert house.refusal(c.CashOut, P.DEALER, "ann", "ben", seat=SEAT, cents=Cents(500)) == "ok"


# Slices


@pytest.mark.parametrize("slices", [2, 3, 7, 13])
def test_a_bound_is_not_passed_in_slices(house: House, slices: int) -> None:
    size = Cents(1000 // slices)
    for _ in range(slices):
        house.ok(c.BuyCredits, P.DEALER, seat=SEAT, cents=size)
    left = 1000 - size * slices
    assert house.refusal(c.BuyCredits, P.DEALER, seat=SEAT, cents=Cents(left + 1)) == "needs_second_person"
    # Another Dealer is not another hour, and neither is a cashier below the cashier's own bound.
    assert house.refusal(c.BuyCredits, P.DEALER, "dan", seat=SEAT, cents=Cents(left + 1)) == "needs_second_person"
    assert house.refusal(c.BuyCredits, P.CASHIER, "cho", seat=SEAT, cents=Cents(1001 + left)) == "needs_second_person"
    house.at = Millis(house.at + 59 * MINUTE)
    assert house.refusal(c.BuyCredits, P.DEALER, seat=SEAT, cents=Cents(left + 1)) == "needs_second_person"
    house.at = Millis(house.at + 6 * MINUTE)
    assert house.refusal(c.BuyCredits, P.DEALER, seat=SEAT, cents=Cents(1000)) == "ok"


def test_approved_amounts_count_towards_the_maximum_only(house: House) -> None:
    house.ok(c.BuyCredits, P.DEALER, "ann", "ben", seat=SEAT, cents=Cents(8_000))
    house.ok(c.BuyCredits, P.DEALER, "ann", seat=SEAT, cents=Cents(1_000))
    assert house.refusal(c.BuyCredits, P.DEALER, "ann", "ben", seat=SEAT, cents=Cents(1)) == "above_house_maximum"
    assert house.refusal(c.BuyCredits, P.PLAYER, "", seat=SEAT, cents=Cents(1)) == "above_house_maximum"


def test_one_person_does_not_sell_at_every_seat(house: House) -> None:
    seats = [SeatId(f"s{n}") for n in range(5)]
    terminal = house.table.game.rulebook.terminals[0].id
    for seat in seats:
        house.ok(c.TakeSeat, P.PLAYER, seat=seat, terminal=terminal)
    for seat in seats[:4]:
        house.ok(c.BuyCredits, P.DEALER, "ann", seat=seat, cents=Cents(1_000))
    assert house.refusal(c.BuyCredits, P.DEALER, "ann", seat=seats[4], cents=Cents(1)) == "needs_second_person"
    assert house.refusal(c.BuyCredits, P.DEALER, " ANN", seat=seats[4], cents=Cents(1)) == "needs_second_person"
    assert house.refusal(c.BuyCredits, P.DEALER, "dan", seat=seats[4], cents=Cents(1)) == "ok"


def test_a_bill_acceptor_has_a_maximum_for_an_hour(house: House) -> None:
    for _ in range(3):
        house.ok(c.BuyCredits, P.PLAYER, "", seat=SEAT, cents=Cents(1_000))
    assert house.refusal(c.BuyCredits, P.PLAYER, "", seat=SEAT, cents=Cents(1)) == "above_house_maximum"
    assert house.refusal(c.BuyCredits, P.PLAYER, "", "ben", seat=SEAT, cents=Cents(1)) == "above_house_maximum"
    house.at = Millis(house.at + 65 * MINUTE)
    assert house.refusal(c.BuyCredits, P.PLAYER, "", seat=SEAT, cents=Cents(3_000)) == "ok"


@pytest.mark.parametrize("second", range(0, 300, 60))
def test_an_amount_counts_for_an_hour_and_at_most_five_minutes_more(house: House, second: int) -> None:
    house.at = Millis(house.at - house.at % (5 * MINUTE) + second * 1000)
    begun = house.at
    house.ok(c.BuyCredits, P.DEALER, seat=SEAT, cents=Cents(1_000))
    for minute in range(66):
        house.at = Millis(begun + minute * MINUTE)
        refusal = house.refusal(c.BuyCredits, P.DEALER, seat=SEAT, cents=Cents(1))
        if minute <= 60 - 1 or minute >= 65:
            assert (minute, refusal) == (minute, "needs_second_person" if minute < 60 else "ok")


# Reversals


def test_a_purchase_is_reversed_while_it_is_unspent(house: House) -> None:
    (bought,) = house.ok(c.BuyCredits, P.DEALER, "ann", seat=SEAT, cents=Cents(700))
    assert isinstance(bought, e.CreditsBought)
    assert (bought.number, house.table.state.cashier) == (1, -700)
    (event,) = house.ok(c.ReversePurchase, P.DEALER, "ann", seat=SEAT, reason="mistyped")
    assert isinstance(event, e.PurchaseReversed)
    assert (event.purchase, event.cents, event.source.who, event.reason) == (1, 700, "ann", "mistyped")
    state = house.table.state
    assert (state.seats[SEAT].credits, state.seats[SEAT].bought, state.cashier, state.meters.bought) == (0, 0, 0, 0)
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", seat=SEAT) == "no_such_purchase"


def test_only_the_seller_reverses_a_purchase_alone(house: House) -> None:
    house.ok(c.BuyCredits, P.DEALER, "ann", seat=SEAT, cents=Cents(700))
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", seat=SEAT) == "ok"
    assert house.refusal(c.ReversePurchase, P.DEALER, "dan", seat=SEAT) == "needs_second_person"
    assert house.refusal(c.ReversePurchase, P.CASHIER, "cho", seat=SEAT) == "needs_second_person"
    assert house.refusal(c.ReversePurchase, P.CASHIER, "cho", "ben", seat=SEAT) == "ok"
    for by in (P.PLAYER, *OTHERS):
        assert house.refusal(c.ReversePurchase, by, "eve", "ben", seat=SEAT) == "not_authorised"
    house.at = Millis(house.at + 15 * MINUTE + 1)
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", seat=SEAT) == "needs_second_person"
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", "ben", seat=SEAT) == "ok"


def test_a_purchase_at_a_bill_acceptor_is_reversed_by_two(house: House) -> None:
    house.ok(c.BuyCredits, P.PLAYER, "", seat=SEAT, cents=Cents(700))
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", seat=SEAT) == "needs_second_person"
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", "ben", seat=SEAT) == "ok"


def test_selling_and_reversing_in_turn_has_a_bound(house: House) -> None:
    """Otherwise one person could take cash for credits that another person sold."""
    house.ok(c.BuyCredits, P.DEALER, "ann", "ben", seat=SEAT, cents=Cents(1_001))
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", seat=SEAT) == "needs_second_person"


def spend(house: House, position: str = "red") -> None:
    house.ok(c.OpenBets, P.DEALER)
    house.ok(c.PlaceBets, P.PLAYER, "", seat=SEAT, bets=(c.Chips(position, Cents(100)),))  # type: ignore[arg-type]


def test_spent_credits_are_not_reversed(house: House) -> None:
    house.ok(c.BuyCredits, P.DEALER, "ann", seat=SEAT, cents=Cents(700))
    spend(house)
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", "ben", seat=SEAT) == "credits_are_spent"
    house.ok(c.Undo, P.PLAYER, "", seat=SEAT)
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", seat=SEAT) == "ok", "the bet was taken back"
    house.ok(c.PlaceBets, P.PLAYER, "", seat=SEAT, bets=(c.Chips("red", Cents(100)),))  # type: ignore[arg-type]
    # A later purchase is unspent, the earlier one is not.
    house.ok(c.BuyCredits, P.DEALER, "ann", seat=SEAT, cents=Cents(200))
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", seat=SEAT, purchase=1) == "credits_are_spent"
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", seat=SEAT, purchase=2) == "ok"


def test_cashed_out_credits_are_not_reversed(house: House) -> None:
    house.ok(c.BuyCredits, P.DEALER, "ann", seat=SEAT, cents=Cents(700))
    house.ok(c.CashOut, P.PLAYER, "", seat=SEAT)
    house.fill(700)
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", "ben", seat=SEAT) == "credits_are_spent"


def test_a_purchase_of_another_seat_is_not_reversed(house: House) -> None:
    house.ok(c.BuyCredits, P.DEALER, "ann", seat=OTHER, cents=Cents(700))
    house.fill(700)
    assert house.refusal(c.ReversePurchase, P.DEALER, "ann", "ben", seat=SEAT, purchase=1) == "no_such_purchase"


# Limits: the maximum of a seat by position. The configuration has 10,000.

LIMITS = """
                9000      10000     10001     30000     30001
dealer          NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT
cashier         NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT
player          NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT
pit_supervisor  TWO,ok    TWO,ok    TWO,ok    TWO,ok    MAX,MAX
pit_manager     ok,ok     ok,ok     TWO,ok    TWO,ok    MAX,MAX
shift_manager   ok,ok     ok,ok     TWO,ok    TWO,ok    MAX,MAX
casino_manager  ok,ok     ok,ok     TWO,ok    TWO,ok    MAX,MAX
"""
OPENINGS = """
                9000      10000     10001     30000     30001
dealer          ok,ok     ok,ok     TWO,ok    TWO,ok    MAX,MAX
pit_supervisor  ok,ok     ok,ok     TWO,ok    TWO,ok    MAX,MAX
pit_manager     ok,ok     ok,ok     TWO,ok    TWO,ok    MAX,MAX
shift_manager   ok,ok     ok,ok     TWO,ok    TWO,ok    MAX,MAX
casino_manager  ok,ok     ok,ok     TWO,ok    TWO,ok    MAX,MAX
cashier         NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT
player          NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT   NOT,NOT
"""


def limit_cells(table: str) -> list[tuple[P, int, str, str]]:
    head, *rows = [line.split() for line in table.split("\n") if line.strip()]
    return [
        (P(name), int(cents), *(WORDS[one] for one in cell.split(",")))  # type: ignore[misc]
        for name, *cells in rows
        for cents, cell in zip(head, cells, strict=True)
    ]


def limits_with(seat_max: int) -> Limits:
    return Limits({}, {}, Bounds(Cents(100), Cents(seat_max)), Cents(100_000))


@pytest.mark.parametrize(("by", "cents", "alone", "two"), limit_cells(LIMITS))
def test_changes_of_limits(house: House, by: P, cents: int, alone: str, two: str) -> None:
    # Begin with other limits, so that the configured ones are a change too.
    house.ok(c.ChangeLimits, P.PIT_MANAGER, limits=limits_with(5_000), reason="a quiet night")
    fields: dict[str, Any] = {"limits": limits_with(cents), "reason": "a busy night"}
    assert house.refusal(c.ChangeLimits, by, "ann", **fields) == alone
    assert house.refusal(c.ChangeLimits, by, "ann", "ben", **fields) == two


@pytest.mark.parametrize(("by", "cents", "alone", "two"), limit_cells(OPENINGS))
def test_openings_with_limits(house: House, by: P, cents: int, alone: str, two: str) -> None:
    house.ok(c.CloseTable, P.DEALER)
    assert house.refusal(c.OpenTable, by, "ann", limits=limits_with(cents)) == alone
    assert house.refusal(c.OpenTable, by, "ann", "ben", limits=limits_with(cents)) == two


def test_no_kind_of_limit_is_raised_alone(house: House) -> None:
    straight = Bounds(Cents(100), Cents(10_000))
    limits = Limits({BetType("straight"): straight}, {}, CONFIGURED.seat, CONFIGURED.table)
    house.money = HouseMoney(limits=limits, limits_times=3)
    for raised in (
        Limits(table=Cents(100_001)),
        Limits(seat=Bounds(Cents(100), Cents(10_001))),
        Limits(seat=Bounds(Cents(100), Cents(20_000)), types={"straight": Bounds(Cents(100), Cents(10_001))}),  # type: ignore[dict-item]
        Limits(seat=Bounds(Cents(100), Cents(20_000)), positions={"straight:17": Bounds(Cents(100), Cents(10_001))}),  # type: ignore[dict-item]
    ):
        assert house.refusal(c.ChangeLimits, P.PIT_MANAGER, limits=raised, reason="x") == "needs_second_person"
    assert house.refusal(c.ChangeLimits, P.PIT_MANAGER, limits=Limits(), reason="x") == "bad_limits"
    assert house.refusal(c.ChangeLimits, P.PIT_MANAGER, limits=Limits(table=Cents(9)), reason=" ") == "no_reason_given"


def test_changed_limits_begin_with_the_next_round(house: House) -> None:
    house.fill(9_000)
    spend(house)
    house.ok(c.ChangeLimits, P.PIT_MANAGER, limits=limits_with(150), reason="a quiet night")
    assert house.table.state.limits == CONFIGURED
    house.ok(c.PlaceBets, P.PLAYER, "", seat=SEAT, bets=(c.Chips("black", Cents(500)),))  # type: ignore[arg-type]
    house.ok(c.CloseBets, P.DEALER)
    house.ok(c.StartSpin, P.DEALER)
    house.ok(c.ObserveSpin, P.DEALER, revolutions=5, ball="clockwise", wheel="anticlockwise")
    for kind in (c.BallAtRest, c.RegisterResult):
        house.ok(kind, P.DEALER, outcome="0")
    house.ok(c.ConfirmResult, P.DEALER)
    assert house.table.state.limits == CONFIGURED
    house.ok(c.OpenBets, P.DEALER)
    assert (house.table.state.limits.seat.max, house.table.state.next_limits) == (150, UNSET)
    bet: dict[str, Any] = {"seat": SEAT, "bets": (c.Chips(PositionId("red"), Cents(151)),)}
    assert house.refusal(c.PlaceBets, P.PLAYER, "", **bet) == "above_seat_maximum"


# A terminal at a seat with money


def test_another_terminal_at_a_seat_with_money_needs_two(house: House) -> None:
    assert house.refusal(c.AllowEnrolment, P.PIT_MANAGER, "ann", "ben", seat=SEAT, reason="x") == "no_credits"
    house.fill(1)
    for by in EVERYONE:
        expected = "needs_second_person" if by in OTHERS else "not_authorised"
        assert house.refusal(c.AllowEnrolment, by, "ann", seat=SEAT, reason="its screen is broken") == expected
    assert house.refusal(c.AllowEnrolment, P.PIT_MANAGER, "ann", "ben", seat=SEAT, reason=" ") == "no_reason_given"
    (event,) = house.ok(c.AllowEnrolment, P.PIT_SUPERVISOR, "ann", "ben", seat=SEAT, reason="its screen is broken")
    assert isinstance(event, e.EnrolmentAllowed)
    assert (event.cents, event.until - house.at) == (1, 10 * MINUTE)


# Without terms of the house


def test_without_bounds_one_person_sells_and_a_cashier_cashes_out(games: dict[str, Game]) -> None:
    """So it is in ``roundhouse deal``. A Dealer needs a second person for a cash-out there too, as before."""
    house = House(games["rws-double-zero"], HouseMoney())
    for by in (P.PLAYER, P.CASHIER, P.DEALER):
        house.ok(c.BuyCredits, by, "", seat=SEAT, cents=Cents(10**11))
    assert house.refusal(c.CashOut, P.CASHIER, "", seat=SEAT) == "ok"
    assert house.refusal(c.CashOut, P.DEALER, "", seat=SEAT) == "needs_second_person"
    assert house.refusal(c.ReversePurchase, P.CASHIER, "", seat=SEAT) == "ok"
    house.ok(c.CloseTable, P.DEALER)
    house.ok(c.OpenTable, P.DEALER, limits=Limits(table=Cents(10**16)))
