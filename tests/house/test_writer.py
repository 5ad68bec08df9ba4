"""The writer of the house chain: readers never wait, changes keep their order, and failed commits are handled."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence

import pytest

from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.sessions import LogIn
from roundhouse.house.writer import run_inline
from roundhouse.journal.store import BatchState, JournalDamaged, JournalUnavailable
from roundhouse.people import events as e
from roundhouse.people.events import HOUSE, HouseEntry, encode
from roundhouse.people.names import HOUSE_CHAIN, IDLE_LIFE, HouseRefusal, HouseRefused, PersonId, Role
from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis
from tests.support.clocks import START
from tests.support.faulty_store import Fault, FaultyStore, committing, hanging
from tests.support.house_tables import HouseTable, command
from tests.support.houses import PASSWORD, ROULETTE, enrolled, replayed, staffed_house

DEALER, NEW = PersonId("dealer"), PersonId("new-one")
Script = Callable[[House, FaultyStore], Awaitable[None]]


def run_in_house(script: Script) -> FaultyStore:
    """Run a test in a staffed house with a committer, and check at the end that its state matches the journal."""
    store = FaultyStore()
    staffed_house(store)

    async def run() -> None:
        with committing(store) as house:
            store.threads.clear()
            async with asyncio.timeout(20):
                await script(house, store)
            assert threading.get_ident() not in store.threads, "the event loop's thread used the store"
            assert encode(house.writer.state) == encode(replayed(store))

    asyncio.run(run())
    return store


def raise_alert(house: House, n: int) -> Coroutine[object, object, object]:
    return house.alert("wheel", f"alert {n}", START)


async def log_in_at(house: House, name: str = "dealer") -> LogIn:
    result = await house.sessions.log_in(name, PASSWORD, ROULETTE, START)
    assert isinstance(result, LogIn), result
    return result


# Reads during a commit.


def test_reads_are_answered_while_a_commit_hangs() -> None:
    async def script(house: House, store: FaultyStore) -> None:
        log_in, table = await log_in_at(house), HouseTable()
        async with hanging(store, house.staff.add(None, NEW, "New", (Role.DEALER,), PASSWORD, START)) as writing:
            assert house.sessions.find(log_in.token, START) == log_in.session
            assert house.sessions.refreshed(log_in.session, START) == log_in.session
            house.sessions.touch(log_in.session, START)
            assert table.permission(house, log_in.session, command("open_bets")) is StaffPosition.DEALER
            assert not house.alerts()
            assert not house.terminals.all()
            assert not house.staff.appointments()
            assert not house.approvals.waiting(START)
            assert NEW not in house.staff.people(), "not committed"
            assert house.writer.pending is BatchState.SUBMITTED
            assert not writing.done()
        assert await writing is None
        assert NEW in house.staff.people()
        assert house.writer.pending is None

    run_in_house(script)


def test_a_terminal_may_bet_until_its_revocation_is_committed() -> None:
    store = FaultyStore()
    terminal, key = enrolled(staffed_house(store))

    async def script() -> None:
        with committing(store) as house:
            table, request = HouseTable(), command("undo", seat="1")
            async with hanging(store, house.terminals.revoke(None, terminal.number, "stolen", START)):
                assert table.permission(house, terminal, request) is StaffPosition.PLAYER
                assert house.terminals.find(key) == terminal
            assert isinstance(table.permission(house, terminal, request), HouseRefused)
            assert house.terminals.find(key) is None

    asyncio.run(script())


def test_an_earlier_version_of_the_state_is_never_changed() -> None:
    async def script(house: House, store: FaultyStore) -> None:
        log_in = await log_in_at(house)
        version = house.writer.version
        before, keys = encode(version.state), dict(version.verifiers)
        await house.sessions.lock_console(log_in.session, START)
        await house.sessions.unlock(log_in.session, PASSWORD, START)
        await house.sessions.log_in("dealer", "wrong", ROULETTE, START)
        await house.staff.set_positions(None, DEALER, (Role.CASHIER,), START)
        await house.staff.set_password(None, DEALER, "another horse", START)
        await house.staff.lock(None, DEALER, "gone", START)
        await house.start("1", "a", START)
        assert encode(version.state) == before
        assert version.verifiers == keys
        assert encode(house.writer.state) != before

    run_in_house(script)


# The order of changes.


def test_waiting_changes_are_decided_in_order_and_committed_together() -> None:
    published: list[int] = []

    async def script(house: House, store: FaultyStore) -> None:
        def recorded(entries: Sequence[HouseEntry]) -> None:
            assert store.head(HOUSE_CHAIN).seq >= entries[-1].seq, "published before it is durable"
            assert house.writer.version.seq == entries[-1].seq
            published.extend(entry.seq for entry in entries)

        house.writer.on_recorded = recorded
        commits = store.commits
        async with hanging(store, raise_alert(house, 0)) as first:
            others = [asyncio.ensure_future(raise_alert(house, n)) for n in range(1, 40)]
            await asyncio.sleep(0)
            assert not any(one.done() for one in others)
        answers = [await first, *[await one for one in others]]
        assert answers == [f"n{n}" for n in range(1, 41)]
        assert [one.text for one in house.alerts().values()] == [f"alert {n}" for n in range(40)]
        assert store.commits == commits + 2, "the waiting changes form one batch"
        assert published == list(range(published[0], published[0] + 40))

    run_in_house(script)


def test_a_change_sees_the_changes_before_it() -> None:
    async def script(house: House, store: FaultyStore) -> None:
        async with hanging(store, raise_alert(house, 0)):
            added = [
                asyncio.ensure_future(house.staff.add(None, NEW, name, (Role.DEALER,), PASSWORD, START))
                for name in ("First", "Second")
            ]
        assert await added[0] is None
        refused = await added[1]
        assert refused is not None
        assert refused.refusal is HouseRefusal.NAME_IS_TAKEN
        assert house.staff.people()[NEW].name == "First"

    run_in_house(script)


def test_a_refusal_that_depends_on_an_uncommitted_change_waits_for_its_commit() -> None:
    async def script(house: House, store: FaultyStore) -> None:
        alert = await house.alert("wheel", "silent", START)
        assert not isinstance(alert, HouseRefused)
        manager = (await log_in_at(house, "pit-manager")).session
        async with hanging(store, raise_alert(house, 0)):
            twice = [asyncio.ensure_future(house.acknowledge(manager, alert, START)) for _ in range(2)]
            await asyncio.sleep(0)
            store.fault = Fault.NOT_WRITTEN
        answers = await asyncio.gather(*twice, return_exceptions=True)
        assert [type(one) for one in answers] == [JournalUnavailable] * 2, (
            "the refusal of the second depends on the first, which was not written"
        )
        store.fault = Fault.NONE
        assert await house.acknowledge(manager, alert, START) is None

    run_in_house(script)


def test_a_cancelled_caller_does_not_cancel_its_change() -> None:
    async def script(house: House, store: FaultyStore) -> None:
        async with hanging(store, raise_alert(house, 0)) as writing:
            queued = asyncio.ensure_future(raise_alert(house, 1))
            await asyncio.sleep(0)
            writing.cancel()
            queued.cancel()
            await asyncio.sleep(0)
        await raise_alert(house, 2)
        assert [one.text for one in house.alerts().values()] == ["alert 0", "alert 1", "alert 2"]

    run_in_house(script)


def test_a_bug_in_one_change_does_not_affect_the_others() -> None:
    def broken(draft: object) -> None:
        raise ZeroDivisionError

    async def script(house: House, store: FaultyStore) -> None:
        async with hanging(store, raise_alert(house, 0)):
            before, bug, after = (
                asyncio.ensure_future(one)
                for one in (raise_alert(house, 1), house.writer.record(broken), raise_alert(house, 2))
            )
        assert (await before, await after) == ("n2", "n3")
        with pytest.raises(ZeroDivisionError):
            await bug

    run_in_house(script)


def test_a_failing_listener_does_not_fail_the_change(caplog: pytest.LogCaptureFixture) -> None:
    def broken(entries: object) -> None:
        raise ZeroDivisionError

    async def script(house: House, store: FaultyStore) -> None:
        house.writer.on_recorded = broken
        assert await raise_alert(house, 0) == "n1"

    run_in_house(script)
    assert "on_recorded of the house failed" in caplog.text


def test_a_queued_sweep_does_not_lock_a_console_that_was_just_unlocked() -> None:
    async def script(house: House, store: FaultyStore) -> None:
        session = (await log_in_at(house)).session
        later = Millis(START + IDLE_LIFE)
        async with hanging(store, house.sessions.unlock(session, PASSWORD, later)) as unlocking:
            sweeping = asyncio.ensure_future(house.sessions.sweep(later))
            await asyncio.sleep(0)
        assert isinstance(await unlocking, Session)
        await sweeping
        found = house.sessions.refreshed(session, later)
        assert found is not None
        assert not found.locked

    run_in_house(script)


def test_a_password_that_changes_while_it_is_checked_is_checked_again() -> None:
    async def script(house: House, store: FaultyStore) -> None:
        checking, proceed = asyncio.Event(), asyncio.Event()

        async def delayed(function: Callable[[], object], /, known: bool) -> object:
            found = function()
            checking.set()
            await proceed.wait()
            return found

        undelayed, house.hashing.run = house.hashing.run, delayed  # type: ignore[assignment]
        guess = asyncio.ensure_future(house.sessions.log_in("dealer", PASSWORD, ROULETTE, START))
        await checking.wait()
        house.hashing.run = undelayed
        assert await house.staff.set_password(None, DEALER, "another horse", START) is None
        proceed.set()
        found = await guess
        assert isinstance(found, HouseRefused)
        assert found.refusal is HouseRefusal.WRONG_NAME_OR_PASSWORD

    run_in_house(script)


# Faults of the store.


def test_changes_after_a_failed_batch_are_decided_on_the_committed_state() -> None:
    async def script(house: House, store: FaultyStore) -> None:
        async with hanging(store, house.staff.add(None, NEW, "New", (Role.DEALER,), PASSWORD, START)) as failing:
            store.fault = Fault.NOT_WRITTEN
            waiting = asyncio.ensure_future(house.staff.lock(None, NEW, "x", START))
            await asyncio.sleep(0)
            before = house.writer.version
        with pytest.raises(JournalUnavailable, match="the disk is full"):
            await failing
        refused = await waiting
        assert refused is not None
        assert refused.refusal is HouseRefusal.NO_SUCH_PERSON, "the person was never added"
        assert house.writer.version == before
        assert house.writer.pending is None
        store.fault = Fault.NONE
        assert await house.staff.add(None, NEW, "New", (Role.DEALER,), PASSWORD, START) is None

    run_in_house(script)


def test_a_batch_written_despite_an_error_is_answered_as_committed() -> None:
    published: list[str] = []

    async def script(house: House, store: FaultyStore) -> None:
        house.writer.on_recorded = lambda entries: published.extend(type(entry.event).__name__ for entry in entries)
        store.fault = Fault.WRITTEN
        log_in = await log_in_at(house)
        assert house.sessions.find(log_in.token, START) == log_in.session
        assert await house.sessions.log_out(log_in.session, START) is None
        assert house.sessions.find(log_in.token, START) is None
        assert await raise_alert(house, 0) == "n1"

    run_in_house(script)
    assert published == ["LoggedIn", "LoggedOut", "AlertRaised"]


@pytest.mark.parametrize("fault", [Fault.WRITTEN, Fault.NOT_WRITTEN])
def test_a_batch_stays_in_doubt_until_the_journal_can_be_read(fault: Fault) -> None:
    published: list[object] = []

    async def script(house: House, store: FaultyStore) -> None:
        session = (await log_in_at(house)).session
        house.writer.on_recorded = lambda entries: published.extend(entry.event for entry in entries)
        store.fault, store.readable = fault, False
        for _ in range(3):
            with pytest.raises(JournalUnavailable):
                await raise_alert(house, 0)
            assert house.writer.pending is BatchState.IN_DOUBT
            assert house.alerts() == {}
            assert house.sessions.refreshed(session, START) == session, "readers have the last committed state"
        store.fault, store.readable = Fault.NONE, True
        expected = "n2" if fault is Fault.WRITTEN else "n1"
        assert await raise_alert(house, 1) == expected
        assert list(house.alerts())[-1] == expected
        assert len(published) == len(house.alerts()), "a batch found to be written is published once"

    run_in_house(script)


def test_a_journal_that_lost_a_committed_entry_is_damaged() -> None:
    async def script() -> None:
        store = FaultyStore()
        staffed_house(store)
        with committing(store) as house:
            store._rows[HOUSE_CHAIN].pop()
            for _ in range(2):
                with pytest.raises(JournalDamaged, match="is not the entry that was committed"):
                    await raise_alert(house, 0)
            assert house.staff.people(), "readers still work"

    asyncio.run(script())


def test_only_a_house_with_a_committer_needs_an_event_loop() -> None:
    store = FaultyStore()
    house = staffed_house(store)
    assert run_inline(house.alert("wheel", "silent", START)) == "n1"
    store.fault = Fault.WRITTEN
    assert run_inline(house.alert("wheel", "silent", START)) == "n2"
    store.fault = Fault.NOT_WRITTEN
    with pytest.raises(JournalUnavailable):
        run_inline(house.alert("wheel", "silent", START))
    assert list(house.alerts()) == ["n1", "n2"]

    async def script(house: House, store: FaultyStore) -> None:
        with pytest.raises(RuntimeError, match="await the coroutine in the event loop"):
            run_inline(house.alert("wheel", "silent", START))
        await house.alert("wheel", "working again", START)

    run_in_house(script)


def test_a_kill_inside_a_commit_leaves_the_batch_in_doubt() -> None:
    store = FaultyStore()
    house = staffed_house(store)
    store.fault = Fault.KILLED
    with pytest.raises(KeyboardInterrupt):
        run_inline(house.alert("wheel", "silent", START))
    assert house.writer.pending is BatchState.IN_DOUBT
    store.fault = Fault.NONE
    assert run_inline(house.note(e.HouseStopped("killed"), START)) is None
    assert [entry.by for entry in house.entries()][-2:] == [HOUSE, HOUSE]
    assert list(house.alerts()) == ["n1"]
    assert encode(house.writer.state) == encode(replayed(store))
