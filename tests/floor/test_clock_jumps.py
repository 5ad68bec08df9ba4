"""A jump of the system clock stretches no lifetime, does not stop the chain of the house, and is reported."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest

from roundhouse.config.loading import Configuration, parse
from roundhouse.floor.opening import CannotOpen
from roundhouse.house.approvals import ApprovalNeeded, Proposal
from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.sessions import LogIn
from roundhouse.people import events as e
from roundhouse.people.names import HouseRefusal, HouseRefused, PersonId, Role
from roundhouse.rules.names import Pocket, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.names import Millis, RequestId, RoundNumber, SeatId
from tests.support.clocks import START, JumpingMachine
from tests.support.houses import PASSWORD, quick
from tests.support.running_house import TABLE, TOML, OneTableHouse
from tests.support.soak import Counted, Tally, times

MINUTE, HOUR, DAY = 60, 3600, 86_400
CORRECT = c.CorrectResult(id=RequestId("1"), by=StaffPosition.PIT_MANAGER, round=RoundNumber(1), outcome=Pocket("17"))
NEEDS = ApprovalNeeded(StaffPosition.PIT_MANAGER, (StaffPosition.PIT_SUPERVISOR,), ())
Night = Callable[["House", JumpingMachine, OneTableHouse], Awaitable[None]]


def config_in(folder: Path) -> Configuration:
    text = TOML.format(wheel="none", automatic="false", min_cents=500, game="rws-double-zero")
    text += '[[terminals]]\ntable = "t"\nkind = "rapid-a"\nseats = ["1"]\n'
    return parse(text.encode(), folder / "house.toml")


def run(folder: Path, machine: JumpingMachine, night: Night, accept_time: bool = False) -> None:
    async def whole() -> None:
        async with OneTableHouse(config_in(folder), machine.house_clock(), accept_time) as running:
            running.house.house.hashing.passwords = quick()
            await night(running.house.house, machine, running)

    asyncio.run(whole())


def now(running: OneTableHouse) -> Millis:
    return running.house.clock.now()


async def manager(house: House, running: OneTableHouse, name: str = "max") -> Session:
    role = (Role.PIT_MANAGER,)
    assert await house.staff.add(None, PersonId(name), name, role, PASSWORD, now(running)) is None
    found = await house.sessions.log_in(name, PASSWORD, None, now(running))
    assert isinstance(found, LogIn)
    return found.session


async def report(running: OneTableHouse) -> list[e.ClockDiffered]:
    """Compare the clocks now, as the house does every second, and return all recorded differences."""
    assert running.house.clock_watch is not None
    running.house.clock_watch.check()
    await running.house.alerts.wait_until_recorded()
    return [one.event for one in running.house.house.entries() if isinstance(one.event, e.ClockDiffered)]


def test_after_a_jump_forward_and_back_time_goes_on_and_a_code_expires(tmp_path: Path) -> None:
    async def night(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        session = await manager(house, running)
        code = await house.terminals.enrol_code(session, TABLE, SeatId("1"), now(running))
        assert isinstance(code, str)
        machine.jump(2 * HOUR)
        await house.alert("test", "written during the jump", now(running))
        machine.jump(-2 * HOUR)
        before = house.writer.state.at
        machine.wait(4 * MINUTE)
        assert await house.staff.appoint(session, PersonId("max"), Role.DEALER, before, before, now(running))
        house.sessions.touch(session, now(running))
        machine.wait(4 * MINUTE)
        at = now(running)
        ann = PersonId("ann")
        assert await house.staff.add(None, ann, "Ann", (Role.DEALER,), PASSWORD, at) is None
        assert house.writer.state.at == before + 8 * MINUTE * 1000, "the chain does not stand still"
        until = Millis(at + HOUR * 1000)
        term = await house.staff.appoint(session, ann, Role.PIT_SUPERVISOR, at, until, at)
        assert not isinstance(term, HouseRefused), "a term for the next hour can be given"
        assert Role.PIT_SUPERVISOR in house.staff.roles(ann, now(running))
        machine.wait(2 * MINUTE)
        answer = await house.terminals.enrol(code, now(running))
        assert isinstance(answer, HouseRefused), "the code is ten minutes old"
        assert answer.refusal is HouseRefusal.HAS_EXPIRED
        machine.jump(-DAY)
        machine.wait(HOUR)
        assert Role.PIT_SUPERVISOR not in house.staff.roles(ann, now(running)), "the term is over"

    run(tmp_path, JumpingMachine(), night)


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_session_locks_and_ends_in_time_whatever_the_system_clock_says(tmp_path: Path, jump: int) -> None:
    async def night(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        session = await manager(house, running)
        machine.jump(jump)
        machine.wait(4 * MINUTE)
        found = house.sessions.refreshed(session, now(running))
        assert found is not None
        assert not found.locked
        machine.wait(1 * MINUTE)
        found = house.sessions.refreshed(session, now(running))
        assert found is not None
        assert found.locked, "idle for five minutes"
        machine.wait(16 * HOUR)
        assert house.sessions.refreshed(session, now(running)) is None

    run(tmp_path, JumpingMachine(), night)


def test_a_proposal_expires_although_the_clock_is_set_back(tmp_path: Path) -> None:

    async def night(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        session = await manager(house, running)
        proposal = await house.approvals.propose(session, TABLE, CORRECT, NEEDS, now(running))
        assert isinstance(proposal, Proposal)
        machine.jump(-DAY)
        machine.wait(9 * MINUTE)
        assert [one.id for one in house.approvals.waiting(now(running))] == [proposal.id]
        machine.wait(1 * MINUTE)
        assert house.approvals.waiting(now(running)) == []

    run(tmp_path, JumpingMachine(), night)


def test_a_proposal_keeps_at_most_its_remaining_time_at_a_restart(tmp_path: Path) -> None:
    """The clock goes four minutes back while the house is stopped, which is within the tolerance at opening."""
    machine = JumpingMachine()

    async def first(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        session = await manager(house, running)
        assert isinstance(await house.approvals.propose(session, TABLE, CORRECT, NEEDS, now(running)), Proposal)
        machine.wait(6 * MINUTE)

    async def second(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        assert len(house.approvals.waiting(now(running))) == 1
        machine.wait(4 * MINUTE)
        assert house.approvals.waiting(now(running)) == [], "ten minutes in all"

    run(tmp_path, machine, first)
    machine.jump(-4 * MINUTE)
    run(tmp_path, machine, second)


def test_a_jump_of_more_than_two_seconds_is_recorded_and_alerted_until_it_is_over(tmp_path: Path) -> None:
    async def night(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        watch = running.house.clock_watch
        assert watch is not None
        machine.jump(2)
        assert await report(running) == []
        machine.jump(1)
        assert [one.ahead_millis for one in await report(running)] == [3000]
        assert "3 seconds ahead" in dict(running.alerts())["clock"]
        assert watch.ahead_millis == 3000
        machine.wait(10)
        assert len(await report(running)) == 1, "the same jump is reported once"
        machine.jump(-3)
        assert [one.ahead_millis for one in await report(running)] == [3000, 0]
        assert running.alerts() == []
        (past,) = house.past_alerts().values()
        assert (past.alert.about, past.by, past.ended - past.alert.at) == ("clock", None, 10_000)
        machine.jump(-HOUR)
        await report(running)
        assert "3,600 seconds behind" in dict(running.alerts())["clock"]

    run(tmp_path, JumpingMachine(), night)


def test_the_house_follows_a_clock_that_was_set_forward_when_the_engineer_asks(tmp_path: Path) -> None:
    async def night(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        watch = running.house.clock_watch
        assert watch is not None
        machine.jump(HOUR)
        await report(running)
        before = now(running)
        watch.follow()
        assert now(running) == before + HOUR * 1000
        followed = (await report(running))[1]
        assert (followed.followed, followed.ahead_millis, followed.system) == (True, HOUR * 1000, now(running))
        assert running.alerts() == []
        machine.jump(-HOUR)
        await report(running)
        watch.follow()
        assert now(running) == before + HOUR * 1000, "time never goes back"
        assert "clock" in dict(running.alerts())

    run(tmp_path, JumpingMachine(), night)


def test_a_journal_from_the_future_is_opened_only_with_the_engineers_consent(tmp_path: Path) -> None:
    machine = JumpingMachine()

    async def nothing(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        pass

    run(tmp_path, machine, nothing)
    machine.jump(-5 * MINUTE)
    run(tmp_path, machine, nothing)
    machine.jump(-1)
    with pytest.raises(CannotOpen, match=r"2023-11-14 22:13:20 UTC.*clock of this machine.*22:08:19.*--accept-time"):
        run(tmp_path, machine, nothing)

    async def accepted(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        assert now(running) == START, "time goes on from the last entry"
        machine.wait(30)
        assert now(running) == START + 30_000
        (first, last) = await report(running)
        assert (first.accepted, first.ahead_millis) == (False, -5 * MINUTE * 1000)
        assert (last.accepted, last.ahead_millis, last.system) == (True, -301_000, START - 301_000)
        assert "301 seconds behind" in [alert.text for alert in house.alerts().values()][-1]

    run(tmp_path, machine, accepted, accept_time=True)


def test_a_steady_clock_that_goes_back_does_not_stop_the_house(tmp_path: Path) -> None:
    machine = JumpingMachine()
    clock = machine.house_clock()
    machine.wait(60)
    assert clock.ahead_millis() == 0
    machine.steady_ns -= 50 * 10**9
    assert clock.ahead_millis() == 0
    machine.wait(5)
    assert clock.now() == START + 65_000


@pytest.mark.parametrize("part", range(times(1, 10)))
def test_no_random_jump_changes_the_time_of_the_house(tmp_path: Path, part: int, tally: Tally) -> None:
    dice = Random(f"jumps {part}")
    jumps = 60

    async def night(house: House, machine: JumpingMachine, running: OneTableHouse) -> None:
        began, steady = now(running), machine.steady_ns
        for number in range(jumps):
            jump = dice.choice((3, MINUTE, HOUR, DAY, 400 * DAY)) * dice.uniform(-1, 1)
            machine.jump(jump)
            tally.add(Counted.CLOCK_JUMPED, detail="back" if jump < 0 else "forward")
            running.house.clock_watch.check()  # type: ignore[union-attr]
            machine.wait(dice.uniform(0, HOUR))
            assert now(running) - began == (machine.steady_ns - steady) // 1_000_000
            await house.alert("test", f"jump {number}", now(running))
        times = [entry.at for entry in house.entries()]
        assert times == sorted(times)
        assert times[-1] <= now(running)

    run(tmp_path, JumpingMachine(), night)
