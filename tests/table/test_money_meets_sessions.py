"""Money that comes to a seat in other ways than by a purchase, and the session and bounds of the seat.

Every test of a table ends with a proof of its journal by ``audit verify``.
"""

import msgspec
import pytest

from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.table import events as e
from roundhouse.table.decide import decide
from roundhouse.table.decision import Facts, Ticket
from roundhouse.table.names import Millis, TicketId
from roundhouse.table.protection import HOUR, MINUTE
from roundhouse.table.terms import HouseMoney, MoneyBound
from tests.support.protection import BLACK, Start, left, lose
from tests.support.tables import Json, Play, the
from tests.support.writers import command

LIMIT = 1_500


def wait(play: Play, minutes: int) -> None:
    play.clock._now = Millis(play.clock._now + minutes * MINUTE)


def by_goodwill(play: Play) -> None:
    play.ok("dispute", seat="a", round=1, about="payment")
    play.ok("close_dispute", dispute=1, reason="a long wait", paid=100)


def by_a_reversal(play: Play) -> None:
    play.ok("refer", round=1, question="was it a spin?")
    play.ok("decide", round=1, ruling="void", reason="the tape")


def by_a_decision_for_the_seat(play: Play) -> None:
    play.ok("refer", round=1, question="was it a spin?")
    play.ok("decide", round=1, seat="a", ruling="void", reason="the display was dark")


WAYS = (by_goodwill, by_a_reversal, by_a_decision_for_the_seat)


@pytest.mark.parametrize("pay", WAYS)
def test_money_that_comes_back_to_an_emptied_seat_continues_its_session(pay: object, start: Start) -> None:
    """The quarter of an hour without credits begins again when the credits that came back are lost."""
    assert callable(pay)
    play = start("a", credits=1_000)
    play.ok("set_protection", seat="a", loss_cents=LIMIT)
    lose(play, "a", 1_000)
    play.round(BLACK)  # The seat is empty from here on.
    wait(play, 14)
    pay(play)
    [credits] = play.credits("a")
    assert credits > 0
    wait(play, 2)
    lose(play, "a", credits)
    play.round(BLACK)
    bought = the("credits_bought", play.ok("buy_credits", seat="a", cents=10_000))
    assert "new_session" not in bought
    play.ok("open_bets")
    lost = 1_000 + (credits if pay is by_goodwill else 0)
    assert left(play, "a") == LIMIT - lost


def test_a_purchase_after_a_quarter_of_an_hour_without_the_credits_that_came_back(start: Start) -> None:
    play = start("a", credits=1_000)
    play.ok("set_protection", seat="a", loss_cents=LIMIT)
    lose(play, "a", 1_000)
    play.round(BLACK)
    by_goodwill(play)
    lose(play, "a", 100)
    play.round(BLACK)
    wait(play, 15)
    assert the("credits_bought", play.ok("buy_credits", seat="a", cents=10_000))["new_session"] is True


@pytest.mark.parametrize("spelling", ["Ann Lee", " ann lee ", "ann  lee", "an\u200bn lee", "ａnn lee"])
def test_the_bound_of_a_person_counts_every_spelling_of_a_name(spelling: str, start: Start) -> None:
    play = start("a", "b")
    play.writer.facts.money = HouseMoney({StaffPosition.DEALER: MoneyBound(hour=Cents(1_000))})
    play.ok("buy_credits", "dealer", seat="a", cents=600, who="ann lee")
    assert play.refused("buy_credits", "dealer", seat="b", cents=600, who=spelling)[0] == "needs_second_person"
    play.ok("buy_credits", "dealer", seat="b", cents=600, who="ben")


def test_a_reversed_purchase_changes_neither_net_nor_stake_nor_time(start: Start) -> None:
    play = start("a", credits=1_000)
    play.ok("set_protection", seat="a", loss_cents=LIMIT)
    lose(play, "a", 700)
    for _ in range(3):
        play.ok("buy_credits", "dealer", seat="a", cents=900, who="ann")
        play.ok("reverse_purchase", "dealer", seat="a", who="ann")
    play.ok("open_bets")
    play.ok("buy_credits", seat="a", cents=10_000)
    assert left(play, "a") == LIMIT - 700


def test_an_entry_without_facts_about_money_is_decided_as_before(start: Start) -> None:
    """Entries of earlier versions: no number, no session and no limits, also after an hour without credits."""
    play = start("a", credits=1_000)
    lose(play, "a", 1_000)
    play.round(BLACK)
    at = Millis(play.clock._now + HOUR)
    buy = command("x", "cashier", "buy_credits", seat="a", cents=500)
    assert decide(play.writer.table, buy, Facts(at)).events == [e.CreditsBought("a", Cents(500))]  # type: ignore[arg-type]
    number = TicketId("1" * 18)
    redeem = command("y", "player", "redeem_ticket", seat="a", ticket=number)
    facts = Facts(at, ticket=Ticket(number, Cents(500), at, redeemed=False))
    [event] = decide(play.writer.table, redeem, facts).events
    stored: Json = msgspec.to_builtins(event)
    assert stored == {"event": "ticket_redeemed.v1", "seat": "a", "cents": 500, "ticket": number}
