"""People of a house: positions that change, and a clock that goes back."""

from roundhouse.house.writer import run_inline
from roundhouse.people.names import HouseRefusal, HouseRefused, Role
from tests.support.clocks import START
from tests.support.houses import MINUTE, later, log_in, person_of, staffed_house


def refusal(answer: object) -> HouseRefusal | None:
    return answer.refusal if isinstance(answer, HouseRefused) else None


def test_the_clock_may_go_back_and_the_chain_does_not() -> None:
    house = staffed_house()
    log_in(house, Role.DEALER, at=later(10))
    log_in(house, Role.DEALER, at=START)
    times = [entry.at for entry in house.entries()]
    assert times == sorted(times)
    assert times[-1] == START + 10 * MINUTE


def test_who_becomes_an_auditor_acts_for_nobody_any_more() -> None:
    house = staffed_house()
    dealer = person_of(Role.DEALER)
    run_inline(house.staff.appoint(None, dealer, Role.CASINO_MANAGER, START, later(60), START))
    assert run_inline(house.staff.set_positions(None, dealer, (Role.AUDITOR,), START)) is None
    session = log_in(house, Role.DEALER)
    assert session.roles == (Role.AUDITOR,)
    assert (
        refusal(run_inline(house.staff.lock(session, person_of(Role.CASHIER), "x", START)))
        is HouseRefusal.NOT_AUTHORISED
    )
