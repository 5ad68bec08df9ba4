"""Logging in, locking after three failures, idle consoles, forged tokens, appointments and passwords."""

import itertools
from typing import TypeVar

import pytest

from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.sessions import LogIn
from roundhouse.house.writer import run_inline
from roundhouse.people import events as e
from roundhouse.people.names import IDLE_LIFE, SESSION_LIFE, HouseRefusal, HouseRefused, PersonId, Role
from roundhouse.table.names import Millis, TableId
from tests.support.clocks import START
from tests.support.houses import (
    PASSWORD,
    ROULETTE,
    SANDS,
    SETTINGS,
    bare_house,
    later,
    log_in,
    person_of,
    quick,
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


def test_only_the_exact_token_finds_its_session() -> None:
    house = staffed_house()
    log_in_result = run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START))
    assert isinstance(log_in_result, LogIn)
    id, _, secret = log_in_result.token.partition(".")
    assert house.sessions.find(log_in_result.token, START) == log_in_result.session
    other = log_in(house, Role.PIT_MANAGER, None)
    for forged in (
        "",
        ".",
        id,
        f"{id}.",
        f"{other.id}.{secret}",
        f"{id}.{secret[:-1]}",
        f"{id}.{secret}x",
        f"s99.{secret}",
    ):
        assert house.sessions.find(forged, START) is None, forged
    assert len(secret) == 43, "256 bits"


def test_a_session_ends_on_log_out_expiry_and_restart() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    log_in_result = run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START))
    assert isinstance(log_in_result, LogIn)
    assert house.sessions.find(log_in_result.token, Millis(START + SESSION_LIFE - 1)) is not None
    assert house.sessions.find(log_in_result.token, Millis(START + SESSION_LIFE)) is None
    assert bare_house(store).sessions.find(log_in_result.token, START) is None
    assert run_inline(house.sessions.log_out(log_in_result.session, START)) is None
    assert house.sessions.find(log_in_result.token, START) is None
    assert refusal(run_inline(house.sessions.log_out(log_in_result.session, START))) is HouseRefusal.NOT_LOGGED_IN


def test_an_idle_console_is_locked_and_unlocks_to_the_same_session() -> None:
    house = staffed_house()
    log_in_result = run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START))
    assert isinstance(log_in_result, LogIn)
    just_before, then = Millis(START + IDLE_LIFE - 1), Millis(START + IDLE_LIFE)
    assert (now := house.sessions.find(log_in_result.token, just_before)) is not None
    assert not now.locked
    house.sessions.touch(log_in_result.session, just_before)
    assert (now := house.sessions.find(log_in_result.token, then)) is not None
    assert not now.locked, "used in time"
    then = Millis(just_before + IDLE_LIFE)
    assert (now := house.sessions.find(log_in_result.token, then)) is not None
    assert now.locked
    house.sessions.touch(log_in_result.session, then)
    assert (now := house.sessions.find(log_in_result.token, then)) is not None
    assert now.locked, "activity does not unlock"
    run_inline(house.sessions.sweep(then))
    run_inline(house.sessions.sweep(then))
    assert names(house).count("ConsoleLocked") == 1
    assert (
        refusal(run_inline(house.sessions.unlock(log_in_result.session, WRONG, then)))
        is HouseRefusal.WRONG_NAME_OR_PASSWORD
    )
    unlocked = run_inline(house.sessions.unlock(log_in_result.session, PASSWORD, then))
    assert unlocked == log_in_result.session, "the session is unchanged"
    assert refusal(run_inline(house.sessions.unlock(log_in_result.session, PASSWORD, then))) is HouseRefusal.NOT_LOCKED


def test_unlocking_an_idle_console_first_records_the_lock() -> None:
    house = staffed_house()
    session = log_in(house, Role.DEALER)
    assert isinstance(run_inline(house.sessions.unlock(session, PASSWORD, Millis(START + IDLE_LIFE))), Session)
    assert names(house)[-2:] == ["ConsoleLocked", "ConsoleUnlocked"]


@pytest.mark.parametrize(
    ("role", "console", "expected"),
    [
        (Role.DEALER, None, HouseRefusal.CONSOLE_NEEDED),
        (Role.CASHIER, None, HouseRefusal.CONSOLE_NEEDED),
        (Role.DEALER, TableId("roulette-9"), HouseRefusal.NO_SUCH_TABLE),
        (Role.PIT_SUPERVISOR, None, None),
        (Role.PIT_SUPERVISOR, SANDS, None),
        (Role.AUDITOR, None, None),
    ],
)
def test_dealers_and_cashiers_need_a_console_to_log_in(
    role: Role, console: TableId | None, expected: HouseRefusal | None
) -> None:
    house = staffed_house()
    assert refusal(run_inline(house.sessions.log_in(person_of(role), PASSWORD, console, START))) is expected
    if expected:
        assert not house.staff.people()[person_of(role)].failures, "a correct password is no failure"


def test_a_person_without_positions_cannot_log_in_and_loses_all_sessions() -> None:
    house = staffed_house()
    log_in_result = run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START))
    assert isinstance(log_in_result, LogIn)
    assert run_inline(house.staff.set_positions(None, PersonId("dealer"), (), START)) is None
    assert house.sessions.find(log_in_result.token, START) is None
    assert refusal(run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START))) is HouseRefusal.NO_POSITION


def test_an_appointment_is_valid_exactly_for_its_term() -> None:
    house = staffed_house()
    dealer, manager = log_in(house, Role.DEALER), log_in(house, Role.PIT_MANAGER)
    begins, until = later(2), later(4)
    appointment = run_inline(
        house.staff.appoint(manager, PersonId("dealer"), Role.PIT_SUPERVISOR, begins, until, START)
    )
    assert appointment == "a1"

    def roles(at: Millis) -> tuple[Role, ...]:
        now = house.sessions.refreshed(dealer, at)
        assert now is not None
        return now.roles

    assert roles(Millis(begins - 1)) == (Role.DEALER,)
    assert roles(begins) == (Role.PIT_SUPERVISOR, Role.DEALER)
    assert roles(Millis(until - 1)) == (Role.PIT_SUPERVISOR, Role.DEALER)
    assert roles(until) == (Role.DEALER,)
    alert = run_inline(house.alert("wheel", "x", START))
    assert isinstance(alert, str)
    assert refusal(run_inline(house.acknowledge(dealer, alert, Millis(begins - 1)))) is HouseRefusal.NOT_AUTHORISED
    assert run_inline(house.acknowledge(dealer, alert, begins)) is None
    assert list(house.entries())[-1].by.position is Role.PIT_SUPERVISOR
    assert run_inline(house.staff.end_appointment(manager, appointment, begins)) is None
    assert roles(begins) == (Role.DEALER,)


@pytest.mark.parametrize(
    ("person", "role", "begins", "until", "expected"),
    [
        ("dealer", Role.CASINO_MANAGER, 0, 1, HouseRefusal.ABOVE_ONESELF),
        ("pit-manager", Role.PIT_MANAGER, 0, 1, HouseRefusal.SAME_PERSON),
        ("shift-manager", Role.PIT_MANAGER, 0, 1, HouseRefusal.ABOVE_ONESELF),
        ("auditor", Role.DEALER, 0, 1, HouseRefusal.ABOVE_ONESELF),
        ("dealer", Role.AUDITOR, 0, 1, HouseRefusal.BAD_POSITIONS),
        ("dealer", Role.PIT_SUPERVISOR, 2, 2, HouseRefusal.BAD_TERM),
        ("dealer", Role.PIT_SUPERVISOR, -2, -1, HouseRefusal.BAD_TERM),
        ("dealer", Role.PIT_SUPERVISOR, 0, 93 * 24 * 60, HouseRefusal.BAD_TERM),
        ("unknown", Role.PIT_SUPERVISOR, 0, 1, HouseRefusal.NO_SUCH_PERSON),
        ("dealer", Role.PIT_MANAGER, -1, 1, None),
    ],
)
def test_a_pit_manager_can_appoint_within_these_limits(
    person: str, role: Role, begins: int, until: int, expected: HouseRefusal | None
) -> None:
    house = staffed_house()
    manager = log_in(house, Role.PIT_MANAGER)
    assert (
        refusal(run_inline(house.staff.appoint(manager, PersonId(person), role, later(begins), later(until), START)))
        is expected
    )


@pytest.mark.parametrize(
    ("person", "name", "positions", "expected"),
    [
        ("Anna", "A", (Role.DEALER,), HouseRefusal.BAD_NAME),
        ("a", "A", (Role.DEALER,), HouseRefusal.BAD_NAME),
        ("anna\n", "A", (Role.DEALER,), HouseRefusal.BAD_NAME),
        ("anna", " ", (Role.DEALER,), HouseRefusal.BAD_NAME),
        ("anna", "A\x1b[2J", (Role.DEALER,), HouseRefusal.BAD_NAME),
        ("dealer", "A", (Role.DEALER,), HouseRefusal.NAME_IS_TAKEN),
        ("anna", "A", (), HouseRefusal.BAD_POSITIONS),
        ("anna", "A", (Role.DEALER, Role.DEALER), HouseRefusal.BAD_POSITIONS),
        ("anna", "A", (Role.AUDITOR, Role.DEALER), HouseRefusal.BAD_POSITIONS),
        ("anna", "A", (Role.CASINO_MANAGER,), HouseRefusal.ABOVE_ONESELF),
        ("anna", "A", (Role.DEALER, Role.CASHIER), None),
    ],
)
def test_a_shift_manager_can_add_people_within_these_limits(
    person: str, name: str, positions: tuple[Role, ...], expected: HouseRefusal | None
) -> None:
    house = staffed_house()
    by = log_in(house, Role.SHIFT_MANAGER)
    assert refusal(run_inline(house.staff.add(by, PersonId(person), name, positions, PASSWORD, START))) is expected


def test_a_manager_cannot_change_their_own_or_a_higher_position() -> None:
    house = staffed_house()
    by = log_in(house, Role.SHIFT_MANAGER)
    assert (
        refusal(run_inline(house.staff.set_positions(by, by.person, (Role.DEALER,), START))) is HouseRefusal.SAME_PERSON
    )
    auditor = person_of(Role.AUDITOR)
    assert refusal(run_inline(house.staff.set_positions(by, auditor, (), START))) is HouseRefusal.ABOVE_ONESELF
    assert refusal(run_inline(house.staff.lock(by, auditor, "x", START))) is HouseRefusal.ABOVE_ONESELF
    above = person_of(Role.CASINO_MANAGER)
    assert (
        refusal(run_inline(house.staff.set_positions(by, above, (Role.DEALER,), START))) is HouseRefusal.ABOVE_ONESELF
    )
    assert refusal(run_inline(house.staff.set_password(by, above, PASSWORD, START))) is HouseRefusal.ABOVE_ONESELF
    assert refusal(run_inline(house.staff.lock(by, above, "x", START))) is HouseRefusal.ABOVE_ONESELF
    assert isinstance(run_inline(house.sessions.log_in("casino-manager", PASSWORD, None, START)), LogIn)


COMMON = ["Password-2026", "1234567890", "p4ssw0rd!!", "1q2w3e4r5t"]


@pytest.mark.parametrize("password", ["short", "aaaaaaaaaaaaaaa", "dealer-dealer-12", "x" * 2000, *COMMON])
def test_a_weak_password_is_refused(password: str) -> None:
    house = staffed_house()
    assert (
        refusal(run_inline(house.staff.set_password(None, PersonId("dealer"), password, START)))
        is HouseRefusal.BAD_PASSWORD
    )


def test_a_new_password_ends_every_other_session_of_the_person() -> None:
    house = staffed_house()
    one, two = (run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START)) for _ in range(2))
    assert isinstance(one, LogIn)
    assert isinstance(two, LogIn)
    for wrong in (None, WRONG):
        answer = run_inline(house.staff.set_password(one.session, PersonId("dealer"), "another horse", START, wrong))
        assert refusal(answer) is HouseRefusal.WRONG_NAME_OR_PASSWORD, "a console may have been left unlocked"
        assert run_inline(house.staff.set_password(one.session, PersonId("dealer"), PASSWORD, START, PASSWORD)) is None
    one, two = (run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START)) for _ in range(2))
    assert isinstance(one, LogIn)
    assert isinstance(two, LogIn)
    assert (
        run_inline(house.staff.set_password(one.session, PersonId("dealer"), "another horse", START, PASSWORD)) is None
    )
    assert house.sessions.find(one.token, START) is not None
    assert house.sessions.find(two.token, START) is None
    assert (
        refusal(run_inline(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START)))
        is HouseRefusal.WRONG_NAME_OR_PASSWORD
    )
    assert isinstance(run_inline(house.sessions.log_in("dealer", "another horse", ROULETTE, START)), LogIn)


def test_unicode_variants_of_a_letter_give_the_same_password() -> None:
    house = staffed_house()
    run_inline(house.staff.set_password(None, PersonId("dealer"), "caf\u00e9 au lait!", START))
    assert isinstance(run_inline(house.sessions.log_in("dealer", "cafe\u0301 au lait!", ROULETTE, START)), LogIn)


def test_a_verifier_with_old_parameters_is_replaced_at_the_next_log_in() -> None:
    store = MemoryStore()
    staffed_house(store)
    slower = House(store, b"", SETTINGS, passwords=quick(2))  # type: ignore[arg-type]
    before = slower.writer.version.verifiers["password", "dealer"]
    assert b"t=1" in before
    log_in(slower, Role.DEALER)
    after = {one.name: one.verifier for one in store.credentials()}["dealer"]
    assert after is not None
    assert b"t=2" in after
    events = [entry.event for entry in slower.entries()]
    assert isinstance(events[-1], e.LoggedIn)
    assert events[-1].rehashed
    log_in(slower, Role.DEALER)
    assert {one.name: one.verifier for one in store.credentials()}["dealer"] == after, "replaced only once"


def test_the_password_hash_uses_the_documented_parameters() -> None:
    from roundhouse.house.passwords import Passwords

    assert Passwords().verifier(PASSWORD).startswith(b"$argon2id$v=19$m=65536,t=3,p=4$")
