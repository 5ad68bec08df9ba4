"""Terminals: enrolment codes valid once for ten minutes, keys valid until revoked, and guests."""

import asyncio
import dataclasses

import pytest

from roundhouse.config.schema import Guests
from roundhouse.house import terminals
from roundhouse.house.house import House
from roundhouse.house.terminals import EnrolledTerminal, TerminalKey
from roundhouse.house.writer import run_inline
from roundhouse.people import events as e
from roundhouse.people.names import CODE_LIFE, HouseRefusal, HouseRefused, Role
from roundhouse.rules.names import TerminalId
from roundhouse.table.names import Millis, SeatId, TableId
from tests.support.clocks import START
from tests.support.faulty_store import FaultyStore, committing, hanging
from tests.support.houses import KEY, ROULETTE, SANDS, SETTINGS, bare_house, enrolled, log_in, quick, staffed_house
from tests.support.memory_store import MemoryStore


def code(house: House, seat: str = "1", at: Millis = START) -> str:
    code = run_inline(house.terminals.enrol_code(log_in(house, Role.PIT_SUPERVISOR, at=at), ROULETTE, SeatId(seat), at))
    assert isinstance(code, str), code
    return code


def refusal(answer: object) -> HouseRefusal | None:
    return answer.refusal if isinstance(answer, HouseRefused) else None


def test_a_terminal_is_enrolled_as_its_seat_is_configured() -> None:
    house = staffed_house()
    terminal, key = enrolled(house, "bills")
    assert terminal == EnrolledTerminal("t1", ROULETTE, "bills", "rapid-b", True, False)  # type: ignore[arg-type]
    assert house.terminals.find(key) == terminal
    assert len(key.partition(".")[2]) == 43, "256 bits"


def test_a_code_works_once_in_lower_case_and_with_a_dash() -> None:
    house = staffed_house()
    issued = code(house)
    assert len(issued) == 8
    assert not set(issued) & set("IO01")
    typed = f" {issued[:4].lower()}-{issued[4:].lower()}"
    assert isinstance(run_inline(house.terminals.enrol(typed, START)), TerminalKey)
    assert refusal(run_inline(house.terminals.enrol(issued, START))) is HouseRefusal.NO_SUCH_CODE
    assert [x.event for x in house.entries()][-1] == e.EnrolmentFailed(HouseRefusal.NO_SUCH_CODE)


def test_a_code_expires_after_ten_minutes() -> None:
    house = staffed_house()
    issued = code(house)
    assert refusal(run_inline(house.terminals.enrol(issued, Millis(START + CODE_LIFE)))) is HouseRefusal.HAS_EXPIRED
    issued = code(house, at=Millis(START + CODE_LIFE))
    assert isinstance(run_inline(house.terminals.enrol(issued, Millis(START + 2 * CODE_LIFE - 1))), TerminalKey)


def test_codes_and_keys_are_not_stored_in_plain_text() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    issued = code(house)
    key = run_inline(house.terminals.enrol(issued, START))
    assert isinstance(key, TerminalKey)
    for secret in (issued, key.key.partition(".")[2]):
        assert not any(secret.encode() in row.body for row in store.rows(TableId("@house")))
        assert not any(secret.encode() in (one.verifier or b"") for one in store.credentials())


def test_a_new_enrolment_replaces_the_terminal_of_the_seat() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    _, old = enrolled(house)
    terminal, new = enrolled(house)
    assert house.terminals.find(old) is None
    assert house.terminals.find(new) == terminal
    assert list(house.terminals.all()) == [terminal.number]
    assert [one.name for one in store.credentials() if one.kind == "terminal"] == [terminal.number]


def test_forged_mixed_and_revoked_keys_are_refused() -> None:
    store = MemoryStore()
    house = staffed_house(store)
    one, key_of_one = enrolled(house, "1")
    two, key_of_two = enrolled(house, "2")
    secret = key_of_one.partition(".")[2]
    for forged in ("", ".", one.number, f"{one.number}.", f"{two.number}.{secret}", f"{key_of_one}x", key_of_one[:-1]):
        assert house.terminals.find(forged) is None, forged
    assert run_inline(house.terminals.revoke(log_in(house, Role.PIT_SUPERVISOR), one.number, "stolen", START)) is None
    assert house.terminals.find(key_of_one) is None
    assert house.terminals.find(key_of_two) == two
    assert (
        refusal(run_inline(house.terminals.revoke(None, one.number, "again", START))) is HouseRefusal.NO_SUCH_TERMINAL
    )
    again = bare_house(store)
    assert again.terminals.find(key_of_one) is None
    assert again.terminals.find(key_of_two) == two, "a key survives a restart"
    assert [one.name for one in store.credentials() if one.kind == "terminal"] == [two.number]


@pytest.mark.parametrize(("table", "seat"), [(ROULETTE, "99"), (TableId("nowhere"), "1"), (SANDS, "2")])
def test_a_seat_without_configuration_gets_no_code(table: TableId, seat: str) -> None:
    house = staffed_house()
    result = run_inline(house.terminals.enrol_code(log_in(house, Role.PIT_MANAGER), table, SeatId(seat), START))
    assert refusal(result) is HouseRefusal.NO_SUCH_SEAT


@pytest.mark.parametrize(
    ("guests", "address", "accepted"),
    [
        (Guests.NOBODY, "127.0.0.1", False),
        (Guests.LOOPBACK, "127.0.0.1", True),
        (Guests.LOOPBACK, "::1", True),
        (Guests.LOOPBACK, "::ffff:127.0.0.1", True),
        (Guests.LOOPBACK, "10.0.0.7", False),
        (Guests.LOOPBACK, "::ffff:10.0.0.7", False),
        (Guests.LOOPBACK, "localhost", False),
        (Guests.LOOPBACK, "", False),
        (Guests.ANYWHERE, "10.0.0.7", True),
    ],
)
def test_guests_are_accepted_only_from_the_configured_addresses(guests: Guests, address: str, accepted: bool) -> None:
    house = House(MemoryStore(), KEY, dataclasses.replace(SETTINGS, guests=guests), passwords=quick())
    result = run_inline(house.terminals.guest(SANDS, None, address, START))
    if accepted:
        assert isinstance(result, TerminalKey)
        assert result.terminal.guest
        assert house.terminals.find(result.key) == result.terminal
        other = run_inline(house.terminals.guest(SANDS, None, address, START))
        assert isinstance(other, TerminalKey)
        assert other.terminal.seat != result.terminal.seat
    else:
        assert refusal(result) is HouseRefusal.NO_GUESTS
        assert isinstance([x.event for x in house.entries()][-1], e.RequestRefused)


def test_a_guest_must_choose_an_existing_table_and_terminal() -> None:
    house = House(MemoryStore(), KEY, dataclasses.replace(SETTINGS, guests=Guests.LOOPBACK), passwords=quick())
    assert refusal(run_inline(house.terminals.guest(TableId("x"), None, "::1", START))) is HouseRefusal.NO_SUCH_TABLE
    assert (
        refusal(run_inline(house.terminals.guest(ROULETTE, TerminalId("x"), "::1", START)))
        is HouseRefusal.NO_SUCH_TERMINAL
    )
    result = run_inline(house.terminals.guest(ROULETTE, TerminalId("rapid-b"), "::1", START))
    assert isinstance(result, TerminalKey)
    assert result.terminal.terminal == "rapid-b"


def test_guests_of_an_earlier_day_are_replaced_when_the_limit_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminals, "MAX_TERMINALS", 2)
    house = House(MemoryStore(), KEY, dataclasses.replace(SETTINGS, guests=Guests.LOOPBACK), passwords=quick())
    keys = [run_inline(house.terminals.guest(SANDS, None, "::1", START)) for _ in range(3)]
    assert refusal(keys[2]) is HouseRefusal.NO_GUESTS
    tomorrow = Millis(START + 24 * 3_600_000)
    assert isinstance(run_inline(house.terminals.guest(SANDS, None, "::1", tomorrow)), TerminalKey)
    assert list(house.terminals.all()) == ["t2", "t3"]


def test_a_configuration_read_from_a_file_has_no_guests() -> None:
    assert SETTINGS.guests is Guests.NOBODY


def test_keys_are_checked_while_a_commit_is_pending() -> None:
    """A slow disk write of another change must not delay the check of a key."""

    async def night() -> None:
        store = FaultyStore()
        before = staffed_house(store)
        result = run_inline(before.terminals.enrol(code(before), START))
        assert isinstance(result, TerminalKey)
        with committing(store) as house:
            async with hanging(store, house.alert("wheel", "silent", START)) as writing:
                assert house.terminals.find(result.key) == result.terminal
                assert house.terminals.find(f"{result.terminal.number}.x") is None
                assert not writing.done()

    asyncio.run(night())
