"""Staff of a house: changed positions, and a clock that is set back."""

from roundhouse.house.writer import run_inline
from roundhouse.people.names import HouseRefusal, HouseRefused, Role
from tests.support.clocks import START
from tests.support.houses import MINUTE, later, log_in, person_of, staffed_house


def refusal(answer: object) -> HouseRefusal | None:
    return answer.refusal if isinstance(answer, HouseRefused) else None


def test_entry_times_never_decrease_when_the_clock_is_set_back() -> None:
    house = staffed_house()
    log_in(house, Role.DEALER, at=later(10))
    log_in(house, Role.DEALER, at=START)
    times = [entry.at for entry in house.entries()]
    assert times == sorted(times)
    assert times[-1] == START + 10 * MINUTE


def test_becoming_an_auditor_ends_acting_positions() -> None:
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
