"""Every command to the cage in every state, as tables: the drawer, the ticket, the position and the amount."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from roundhouse.cage import commands as c
from roundhouse.cage.apply import apply
from roundhouse.cage.decide import decide, decide_with_approval
from roundhouse.cage.entry import CageFacts, PresentedTicket
from roundhouse.cage.events import CageTermsSet, DrawerOpened, PersonBarred
from roundhouse.cage.names import BarredId, CageTerms, Day, DrawerId, PersonKey
from roundhouse.cage.state import CageState
from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.table.names import Millis, PersonName, RequestId, SeatId, TableId, TicketId

AT = Millis(1_000_000)
CAS, DEE = PersonName("cas"), PersonName("dee")
ONE, TWO, OTHERS, NONE = map(DrawerId, ("one", "two", "others", "none"))
TERMS = CageTerms(
    (ONE, TWO, OTHERS), "SGD", Cents(50_000), Cents(200_000), Cents(100_000), Cents(500), barred_list=True
)
NUMBER = TicketId("0123-6745")
BAD = c.Customer((PersonKey("bad"),), "B")
GOOD = c.Customer((PersonKey("good"),), "G")
P = StaffPosition


def state_of(drawer: str, cash: int = 60_000) -> CageState:
    """Return a cage in which the drawer ``one`` is closed, the sender's, or another's."""
    state = CageState(at=AT)
    apply(state, CageTermsSet(TERMS), None)
    apply(state, PersonBarred(BarredId("b1"), BAD.keys, "B", "cheated"), CAS)
    if drawer != "closed":
        apply(state, DrawerOpened(ONE, Cents(cash)), CAS if drawer == "own" else DEE)
    return state


def ticket(**changes: Any) -> PresentedTicket:
    found = PresentedTicket(NUMBER, Cents(1_000), Millis(AT + 1), False, TableId("t"), SeatId("1"))
    return replace(found, **changes)


def facts(presented: PresentedTicket | None = None) -> CageFacts:
    return CageFacts(AT, Day("2026-11-18"), presented, TicketId("fresh-1"), "salt")


def command(kind: type[c.AnyCageCommand], by: P = P.CASHIER, **fields: Any) -> c.AnyCageCommand:
    given = {"drawer": ONE, "cents": 1_000, "ticket": NUMBER, "reason": "a reason", "barred": BarredId("b1")}
    wanted = {name: value for name, value in given.items() if name in kind.__struct_fields__}
    if "person" in kind.__struct_fields__ and kind in (c.BarPerson, c.CheckPerson):
        wanted["person"] = GOOD
    return kind(id=RequestId("1"), by=by, who=CAS, **{**wanted, **fields})


def result(state: CageState, sent: c.AnyCageCommand, known: CageFacts) -> str:
    """Return ``ok``, the lowest position that must approve the command, or the refusal."""
    found = decide_with_approval(state, sent, known)
    if found.refused is not None:
        assert found.events == ()
        return found.refused.refusal.value
    alone = decide(state, sent, known)
    if found.approvers:
        assert alone.refused is not None
        assert alone.refused.refusal == "needs_second_person"
        assert decide(state, replace(sent, second=DEE), known).events == found.events
        assert decide(state, replace(sent, second=PersonName(" CAS")), known).refused is not None
        return found.approvers[0].value
    assert alone == found
    return "ok"


DRAWERS = """
                closed             own               others
OpenDrawer      ok                 drawer_is_open    drawer_is_open
FillDrawer      drawer_is_closed   pit_supervisor    other_drawer
DropDrawer      drawer_is_closed   pit_supervisor    other_drawer
CountDrawer     drawer_is_closed   ok                other_drawer
CloseDrawer     drawer_is_closed   shift_manager     other_drawer
SellCredits     drawer_is_closed   ok                other_drawer
PayTicket       drawer_is_closed   ok                other_drawer
LookUpTicket    ok                 ok                ok
VoidTicket      pit_manager        pit_manager       pit_manager
BarPerson       pit_supervisor     pit_supervisor    pit_supervisor
UnbarPerson     pit_supervisor     pit_supervisor    pit_supervisor
CheckPerson     ok                 ok                ok
"""


def rows(table: str) -> list[tuple[str, str, str]]:
    head, *lines = [line.split() for line in table.strip().splitlines()]
    return [(name, state, expected) for name, *cells in lines for state, expected in zip(head, cells, strict=True)]


def test_the_table_of_drawers_has_every_command() -> None:
    assert {name for name, _, _ in rows(DRAWERS)} == {kind.__name__ for kind in c.AnyCageCommand.__args__}


@pytest.mark.parametrize(("name", "drawer", "expected"), rows(DRAWERS))
def test_every_command_in_every_state_of_the_drawer(name: str, drawer: str, expected: str) -> None:
    assert result(state_of(drawer), command(getattr(c, name)), facts(ticket())) == expected


TICKETS: dict[str, tuple[PresentedTicket | None, str, str, str]] = {
    # state of the ticket: the ticket, and the results of paying it, looking it up and voiding it
    "unknown": (None, "no_such_ticket", "unknown", "no_such_ticket"),
    "another": (ticket(number=TicketId("9-6745")), "no_such_ticket", "unknown", "no_such_ticket"),
    "outstanding": (ticket(), "ok", "outstanding", "pit_manager"),
    "large": (ticket(cents=Cents(50_000)), "pit_supervisor", "outstanding", "pit_manager"),
    "above the cash": (ticket(cents=Cents(60_001)), "not_enough_cash", "outstanding", "pit_manager"),
    "above the maximum": (ticket(cents=Cents(200_001)), "above_house_maximum", "outstanding", "pit_manager"),
    "in its last moment": (ticket(expires=AT), "ok", "outstanding", "pit_manager"),
    "expired": (ticket(expires=Millis(AT - 1)), "ticket_has_expired", "expired", "pit_supervisor"),
    "redeemed": (ticket(redeemed=True), "ticket_is_redeemed", "redeemed", "ticket_is_redeemed"),
    "disputed": (ticket(disputed=True), "pit_supervisor", "disputed", "pit_supervisor"),
}


@pytest.mark.parametrize("name", TICKETS)
def test_every_ticket_meets_every_command(name: str) -> None:
    presented, paid, status, voided = TICKETS[name]
    state, known = state_of("own"), facts(presented)
    assert result(state, command(c.PayTicket), known) == paid
    assert result(state, command(c.VoidTicket), known) == voided
    (found,) = decide(state, command(c.LookUpTicket), known).events
    assert getattr(found, "status", None) == status


POSITIONS = """
               player          cashier          dealer          pit_supervisor   pit_manager      shift_manager
OpenDrawer     not_authorised  ok               not_authorised  not_authorised   not_authorised   not_authorised
FillDrawer     not_authorised  pit_supervisor   not_authorised  not_authorised   not_authorised   not_authorised
DropDrawer     not_authorised  pit_supervisor   not_authorised  not_authorised   not_authorised   not_authorised
CountDrawer    not_authorised  ok               not_authorised  not_authorised   not_authorised   ok
CloseDrawer    not_authorised  ok               not_authorised  not_authorised   not_authorised   pit_supervisor
SellCredits    not_authorised  ok               not_authorised  not_authorised   not_authorised   not_authorised
PayTicket      not_authorised  ok               not_authorised  not_authorised   not_authorised   not_authorised
LookUpTicket   not_authorised  ok               not_authorised  ok               ok               ok
VoidTicket     not_authorised  pit_manager      not_authorised  pit_manager      pit_manager      pit_manager
BarPerson      not_authorised  pit_supervisor   not_authorised  pit_supervisor   ok               ok
UnbarPerson    not_authorised  pit_supervisor   not_authorised  pit_supervisor   ok               ok
CheckPerson    not_authorised  ok               not_authorised  ok               ok               ok
"""


@pytest.mark.parametrize(("name", "position", "expected"), rows(POSITIONS))
def test_every_position_meets_every_command(name: str, position: str, expected: str) -> None:
    fields = {"cents": 60_000} if name in ("CountDrawer", "CloseDrawer") else {}
    state = state_of("closed" if name == "OpenDrawer" else "own")
    assert result(state, command(getattr(c, name), P(position), **fields), facts(ticket())) == expected


AMOUNTS = [
    # command, fields, result
    ("OpenDrawer", {"cents": 0}, "ok"),
    ("OpenDrawer", {"cents": -1}, "bad_amount"),
    ("OpenDrawer", {"cents": 49_999}, "ok"),
    ("OpenDrawer", {"cents": 50_000}, "pit_supervisor"),
    ("OpenDrawer", {"drawer": NONE}, "no_such_drawer"),
    ("OpenDrawer", {"pieces": (c.Pieces(Cents(500), 2),)}, "ok"),
    ("OpenDrawer", {"pieces": (c.Pieces(Cents(500), 3),)}, "bad_count"),
    ("OpenDrawer", {"pieces": (c.Pieces(Cents(500), 1), c.Pieces(Cents(500), 1))}, "bad_count"),
    ("OpenDrawer", {"pieces": (c.Pieces(Cents(-500), -2),)}, "bad_count"),
    ("FillDrawer", {"cents": 0}, "bad_amount"),
    ("DropDrawer", {"cents": 60_000}, "pit_supervisor"),
    ("DropDrawer", {"cents": 60_001}, "not_enough_cash"),
    ("SellCredits", {"cents": 0}, "bad_amount"),
    ("SellCredits", {"cents": 49_999}, "ok"),
    ("SellCredits", {"cents": 50_000}, "pit_supervisor"),
    ("SellCredits", {"cents": 200_000}, "pit_supervisor"),
    ("SellCredits", {"cents": 200_001}, "above_house_maximum"),
    ("SellCredits", {"person": BAD}, "person_is_barred"),
    ("SellCredits", {"person": GOOD}, "ok"),
    ("SellCredits", {"person": c.Customer(())}, "bad_person"),
    ("PayTicket", {"person": BAD}, "pit_supervisor"),
    ("CloseDrawer", {"cents": 60_499}, "ok"),
    ("CloseDrawer", {"cents": 60_500}, "shift_manager"),
    ("CloseDrawer", {"cents": 59_501}, "ok"),
    ("CloseDrawer", {"cents": 59_500}, "shift_manager"),
    ("VoidTicket", {"reason": " "}, "no_reason_given"),
    ("BarPerson", {"person": BAD}, "already_barred"),
    ("UnbarPerson", {"barred": BarredId("b2")}, "not_barred"),
]


@pytest.mark.parametrize(("name", "fields", "expected"), AMOUNTS)
def test_the_bounds_of_every_amount(name: str, fields: dict[str, Any], expected: str) -> None:
    state = state_of("closed" if name == "OpenDrawer" else "own")
    assert result(state, command(getattr(c, name), **fields), facts(ticket())) == expected


def test_a_cashier_has_one_drawer() -> None:
    assert result(state_of("own"), command(c.OpenDrawer, drawer=TWO), facts()) == "has_a_drawer"


def test_a_command_without_a_name_is_refused() -> None:
    sent = replace(command(c.CountDrawer), who=UNSET)
    assert result(state_of("own"), sent, facts()) == "not_authorised"


def test_a_house_without_bounds_needs_no_second_person_for_amounts() -> None:
    state = state_of("own", 10**9)
    state.terms = CageTerms((ONE,), barred_list=False)
    known = facts(ticket(cents=Cents(10**8)))
    assert result(state, command(c.PayTicket, person=BAD), known) == "ok"
    assert result(state, command(c.SellCredits, cents=10**9, person=BAD), known) == "ok"
    assert result(state, command(c.CloseDrawer, cents=0), known) == "ok"
    assert result(state, command(c.CheckPerson), known) == "no_barred_list"
    assert len(decide(state, command(c.PayTicket), known).events) == 1, "nothing is reported"


def test_a_second_person_for_a_payment_is_approved_by_the_same_events() -> None:
    known = facts(ticket(cents=Cents(50_000)))
    (paid,) = decide(state_of("own"), replace(command(c.PayTicket), second=DEE), known).events
    assert paid == decide_with_approval(state_of("own"), command(c.PayTicket), known).events[0]
