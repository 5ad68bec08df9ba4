"""Failed log-ins: slowed down for person and address, restricted to known addresses, and lifted by managers."""

import asyncio
import itertools
from collections.abc import Callable
from typing import TypeVar

from roundhouse.house.delays import FIRST_DELAY
from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.sessions import LogIn
from roundhouse.house.writer import run_inline
from roundhouse.people import events as e
from roundhouse.people.names import HouseRefusal, HouseRefused, PersonId, Role
from roundhouse.table.names import Millis
from tests.support.clocks import START
from tests.support.faulty_store import FaultyStore, committing
from tests.support.houses import (
    PASSWORD,
    ROULETTE,
    bare_house,
    log_in,
    person_of,
    staffed_house,
)
from tests.support.memory_store import MemoryStore

WRONG = "incorrect horse battery"
DESK, ELSEWHERE = "192.0.2.1", "203.0.113.9"
_ADDRESSES = itertools.count()
Found = TypeVar("Found")


def refusal(answer: object) -> HouseRefusal | None:
    return answer.refusal if isinstance(answer, HouseRefused) else None


def names(house: House) -> list[str]:
    return [type(entry.event).__name__ for entry in house.entries()]


def fail(house: House, times: int, name: str = "dealer", at: Millis = START) -> list[object]:
    """Try a wrong password from as many new addresses."""
    places = [f"198.51.100.{next(_ADDRESSES) % 250}" for _ in range(times)]
    return [refusal(run_inline(house.sessions.log_in(name, WRONG, ROULETTE, at, place))) for place in places]


async def in_a_thread(function: Callable[[], Found], /, known: bool) -> Found:
    return await asyncio.to_thread(function)


def test_the_third_failed_log_in_locks_the_person_and_alerts_the_pit() -> None:
    house = staffed_house()
    assert fail(house, 3) == [HouseRefusal.WRONG_NAME_OR_PASSWORD] * 3
    (alert,) = house.alerts().values()
    assert (alert.about, alert.person) == ("lock_out", "dealer")
    assert names(house)[-3:] == ["LogInFailed", "PersonLocked", "AlertRaised"]
    right = run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START, ELSEWHERE))
    assert (
        right
        == run_inline(house.sessions.log_in("dealer", WRONG, ROULETTE, START, DESK))
        == run_inline(house.sessions.log_in("unknown", WRONG, None, START))
    )
    assert refusal(right) is HouseRefusal.WRONG_NAME_OR_PASSWORD, "the answer does not reveal a correct guess"
    assert [x.event for x in house.entries()][-3] == e.LogInFailed(HouseRefusal.PERSON_IS_LOCKED, PersonId("dealer"))
    assert len(house.alerts()) == 1
    assert run_inline(house.staff.unlock(log_in(house, Role.PIT_MANAGER), PersonId("dealer"), START)) is None
    assert isinstance(run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START)), LogIn)
    assert fail(house, 2) == [HouseRefusal.WRONG_NAME_OR_PASSWORD] * 2
    assert not house.staff.people()[PersonId("dealer")].locked


def test_a_log_in_resets_the_failure_count_but_a_restart_does_not() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    fail(house, 2)
    log_in(house, Role.DEALER)
    fail(house, 2)
    assert not house.staff.people()[PersonId("dealer")].locked
    assert house.writer.state.access_of(PersonId("dealer")).unknown_failures == 2
    again = bare_house(store)
    fail(again, 1)
    assert again.staff.people()[PersonId("dealer")].locked


def test_an_unknown_name_gets_the_same_answer_and_is_not_recorded() -> None:
    """The name is not recorded, because people sometimes type their password into the name field."""
    house = staffed_house()
    assert (
        refusal(run_inline(house.sessions.log_in("my secret phrase", WRONG, ROULETTE, START)))
        is HouseRefusal.WRONG_NAME_OR_PASSWORD
    )
    last = list(house.entries())[-1]
    assert last.event == e.LogInFailed(HouseRefusal.WRONG_NAME_OR_PASSWORD)


def test_a_stranger_neither_ends_a_session_at_work_nor_locks_a_known_desk() -> None:
    house = staffed_house()
    log_in_result = run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START, DESK))
    assert isinstance(log_in_result, LogIn)
    fail(house, 30)
    assert house.staff.people()[PersonId("dealer")].locked
    assert house.sessions.find(log_in_result.token, START) == log_in_result.session
    assert house.sessions.may_act(log_in_result.session, START) == log_in_result.session
    assert isinstance(run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START, DESK)), LogIn)
    elsewhere = run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START, ELSEWHERE))
    assert refusal(elsewhere) is HouseRefusal.WRONG_NAME_OR_PASSWORD
    assert run_inline(house.staff.unlock(log_in(house, Role.PIT_MANAGER), PersonId("dealer"), START)) is None
    assert isinstance(run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START, ELSEWHERE)), LogIn)


def test_the_last_manager_who_could_lift_a_restriction_is_not_restricted() -> None:
    house = bare_house(MemoryStore())
    for name, role in (("boss", Role.CASINO_MANAGER), ("second", Role.PIT_MANAGER), ("dee", Role.DEALER)):
        assert run_inline(house.staff.add(None, PersonId(name), name, (role,), PASSWORD, START)) is None
    for name in ("second", "boss", "dee"):
        fail(house, 4, name)
    locked = {name: bool(one.locked) for name, one in house.staff.people().items()}
    assert locked == {"boss": False, "second": True, "dee": True}
    assert [alert.person for alert in house.alerts().values()] == ["second", "boss", "dee"], "the pit is told of each"
    boss = run_inline(house.sessions.log_in("boss", PASSWORD, None, START, ELSEWHERE))
    assert isinstance(boss, LogIn)
    for name in ("second", "dee"):
        assert run_inline(house.staff.unlock(boss.session, PersonId(name), START)) is None


def test_wrong_passwords_from_one_address_slow_down_only_that_address() -> None:
    house = staffed_house()
    found = [run_inline(house.sessions.log_in("dealer", WRONG, ROULETTE, START, ELSEWHERE)) for _ in range(5)]
    wrong, slow = HouseRefusal.WRONG_NAME_OR_PASSWORD, HouseRefusal.TOO_MANY_FAILURES
    assert list(map(refusal, found)) == [wrong, wrong, wrong, slow, slow]
    unknown = [run_inline(house.sessions.log_in("nobody", WRONG, ROULETTE, START, ELSEWHERE)) for _ in range(5)]
    assert unknown == found, "the answers do not reveal who works here"
    recorded = len(names(house))
    assert refusal(run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START, ELSEWHERE))) is slow
    assert len(names(house)) == recorded, "an attempt that is too soon writes nothing"
    assert refusal(run_inline(house.sessions.log_in("dealer", WRONG, ROULETTE, START, DESK))) is wrong
    later = Millis(START + FIRST_DELAY)
    assert refusal(run_inline(house.sessions.log_in("dealer", WRONG, ROULETTE, later, ELSEWHERE))) is wrong
    again = Millis(later + FIRST_DELAY)
    assert refusal(run_inline(house.sessions.log_in("dealer", WRONG, ROULETTE, again, ELSEWHERE))) is slow


def test_parallel_guesses_from_one_address_are_slowed_down_too() -> None:
    async def guess(store: FaultyStore) -> list[object]:
        with committing(store) as house:
            house.hashing.run = in_a_thread
            guesses = (house.sessions.log_in("dealer", WRONG, ROULETTE, START, ELSEWHERE) for _ in range(20))
            return [refusal(one) for one in await asyncio.gather(*guesses)]

    store = FaultyStore()
    staffed_house(store)
    assert asyncio.run(guess(store)).count(HouseRefusal.TOO_MANY_FAILURES) == 17


def test_a_lock_set_from_above_is_not_lifted_from_below() -> None:
    house = staffed_house()
    person = PersonId("dealer")
    assert run_inline(house.staff.lock(log_in(house, Role.SHIFT_MANAGER), person, "x", START)) is None
    below = run_inline(house.staff.unlock(log_in(house, Role.PIT_MANAGER), person, START))
    assert refusal(below) is HouseRefusal.ABOVE_ONESELF
    assert run_inline(house.staff.unlock(log_in(house, Role.CASINO_MANAGER), person, START)) is None
    assert run_inline(house.staff.lock(None, person, "by the engineer", START)) is None
    below = run_inline(house.staff.unlock(log_in(house, Role.SHIFT_MANAGER), person, START))
    assert refusal(below) is HouseRefusal.ABOVE_ONESELF
    assert run_inline(house.staff.unlock(None, person, START)) is None


def test_a_manager_can_lock_a_person_whom_strangers_have_restricted() -> None:
    house = staffed_house()
    dealer = log_in(house, Role.DEALER)
    fail(house, 3)
    assert isinstance(house.sessions.may_act(dealer, START), Session)
    assert run_inline(house.staff.lock(log_in(house, Role.PIT_MANAGER), dealer.person, "x", START)) is None
    assert refusal(house.sessions.may_act(dealer, START)) is HouseRefusal.NOT_LOGGED_IN
    known = run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START))
    assert refusal(known) is HouseRefusal.WRONG_NAME_OR_PASSWORD


def test_a_lock_by_a_person_ends_the_sessions() -> None:
    house = staffed_house()
    assert run_inline(house.staff.lock(log_in(house, Role.PIT_MANAGER), person_of(Role.CASHIER), "x", START)) is None
    cashier = staffed_house()
    log_in_result = run_inline(cashier.sessions.log_in("cashier", PASSWORD, ROULETTE, START))
    assert isinstance(log_in_result, LogIn)
    assert run_inline(cashier.staff.lock(None, PersonId("cashier"), "by the engineer", START)) is None
    assert cashier.sessions.find(log_in_result.token, START) is None, "a lock by a person ends the sessions"


def test_wrong_passwords_at_a_locked_console_slow_it_down_without_a_lock() -> None:
    house = staffed_house()
    session = log_in(house, Role.DEALER)
    run_inline(house.sessions.lock_console(session, START))
    for _ in range(3):
        run_inline(house.sessions.unlock(session, WRONG, START))
    failed = [x.event for x in house.entries() if isinstance(x.event, e.LogInFailed)]
    assert [(one.unknown, one.session) for one in failed] == [(0, session.id)] * 3
    assert refusal(run_inline(house.sessions.unlock(session, PASSWORD, START))) is HouseRefusal.TOO_MANY_FAILURES
    assert run_inline(house.sessions.unlock(session, PASSWORD, Millis(START + FIRST_DELAY))) == session


def test_concurrent_wrong_guesses_are_counted_and_lock_after_three() -> None:
    """Threads check passwords concurrently. The writer decides whether the person is locked."""

    async def guess(store: FaultyStore) -> None:
        with committing(store) as house:
            house.hashing.run = in_a_thread
            guesses = (house.sessions.log_in("dealer", WRONG, ROULETTE, START, f"198.51.100.{n}") for n in range(40))
            assert {refusal(one) for one in await asyncio.gather(*guesses)} == {HouseRefusal.WRONG_NAME_OR_PASSWORD}

    store = FaultyStore()
    staffed_house(store)
    asyncio.run(guess(store))
    house = bare_house(store)
    counted = [x.event.unknown for x in house.entries() if isinstance(x.event, e.LogInFailed) and x.event.unknown]
    assert counted == [1, 2, 3]
    assert len(house.alerts()) == 1
