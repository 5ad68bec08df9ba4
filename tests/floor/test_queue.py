"""The queue of a table: commands form batches, the event loop never blocks, and answers keep their order."""

import asyncio
import threading
from pathlib import Path

import pytest

from roundhouse.floor.queue import MAX_BATCH_SIZE, TableQueue
from roundhouse.journal.entry import Answer
from roundhouse.journal.store import BatchState, JournalDamaged
from roundhouse.rules.game import Game
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Phase
from roundhouse.table.refusals import Refusal
from tests.support.faulty_store import Fault
from tests.support.two_tables import SEAT, TwoTables, buy, cash_out, close_bets, credits, open_bets, redeem, ticket_of


@pytest.fixture
def game(games: dict[str, Game]) -> Game:
    return games["rws-double-zero"]


def run(path: Path, game: Game, script: object) -> None:
    async def inside() -> None:
        house = TwoTables(path / "j.db", game)
        try:
            await asyncio.wait_for(script(house, TableQueue(house.one, house.committer)), 60)  # type: ignore[operator]
        finally:
            house.close()

    asyncio.run(inside())


async def ask(queue: TableQueue, command: AnyCommand) -> Answer:
    (answer,) = await queue.ask(command)
    return answer


def test_waiting_commands_form_one_batch_and_answers_keep_their_order(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        before = house.store.commits
        answers = await asyncio.gather(*(ask(queue, buy(f"r{n}")) for n in range(400)))
        assert [answer.id for answer in answers] == [f"r{n}" for n in range(400)]
        assert all(answer.ok for answer in answers)
        assert house.store.commits == before + 1
        assert credits(house.one) == 400 * 500

    run(tmp_path, game, script)


def test_the_event_loop_is_not_blocked_while_a_batch_is_written(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        house.store.gate.clear()
        first = asyncio.create_task(ask(queue, buy("x")))
        await asyncio.sleep(0.01)
        more = [asyncio.create_task(ask(queue, buy(f"r{n}"))) for n in range(50)]
        await asyncio.sleep(0.05)
        assert not first.done()
        assert not any(task.done() for task in more)
        before = house.store.commits
        house.store.gate.set()
        assert all(answer.ok for answer in await asyncio.gather(first, *more))
        assert house.store.commits == before + 2, "the commands that waited form one batch"
        await queue.wait_until_idle()

    run(tmp_path, game, script)


def test_a_command_is_executed_although_its_caller_was_cancelled(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        house.store.gate.clear()
        cancelled = asyncio.create_task(ask(queue, buy("x")))
        await asyncio.sleep(0.01)
        cancelled.cancel()
        house.store.gate.set()
        await queue.wait_until_idle()
        assert credits(house.one) == 500
        assert (await ask(queue, buy("x"))).ok

    run(tmp_path, game, script)


def test_a_failed_batch_is_answered_and_the_next_one_served(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        house.store.failures = 1
        assert (await ask(queue, buy("x"))).refusal is Refusal.JOURNAL_UNAVAILABLE
        assert (await ask(queue, buy("x"))).ok

    run(tmp_path, game, script)


def test_a_command_is_refused_if_the_table_changed_since_the_expected_version(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        based_on = queue.moved_at
        queue.put(buy("p"), lambda _: None)
        (opened,) = await queue.ask(open_bets("o"), expects=based_on)
        assert opened.ok, "an event of a single seat does not change moved_at"
        assert (queue.moved_at, queue.moved_at > based_on) == (opened.version, True)
        version = queue.version
        outdated = await queue.ask(close_bets("c"), buy("d"), expects=based_on)
        assert [(answer.ok, answer.refusal) for answer in outdated] == [(False, Refusal.STATE_HAS_CHANGED)] * 2
        assert (queue.version, credits(house.one)) == (version, 500), "the whole group is refused and not recorded"
        again = await queue.ask(close_bets("c"), buy("d"), expects=queue.moved_at)
        assert [answer.ok for answer in again] == [True, True], "a refused id can be used again"

    run(tmp_path, game, script)


def test_a_command_queued_behind_a_change_of_the_table_is_refused(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        based_on = queue.moved_at
        first, second = await asyncio.gather(queue.ask(open_bets("o")), queue.ask(close_bets("c"), expects=based_on))
        assert (first[0].ok, second[0].refusal) == (True, Refusal.STATE_HAS_CHANGED)

    run(tmp_path, game, script)


def test_the_expected_version_is_checked_behind_a_full_batch(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        based_on = queue.moved_at
        assert (await ask(queue, open_bets("o"))).ok
        for n in range(MAX_BATCH_SIZE + 100):
            queue.put(buy(f"r{n}"), lambda _: None)
        (outdated,) = await queue.ask(close_bets("c"), expects=based_on)
        assert outdated.refusal is Refusal.STATE_HAS_CHANGED

    run(tmp_path, game, script)


def test_the_expected_version_is_checked_when_a_batch_is_decided_again(tmp_path: Path, game: Game) -> None:
    """Both tables redeem one ticket in the same transaction, so the second batch is decided again."""

    class Blocking:
        """Work that keeps the committer busy until the test releases it."""

        def __init__(self) -> None:
            self.release = threading.Event()

        def prepare(self) -> None:
            assert self.release.wait(60)

        def finish(self, _: BaseException | None) -> None:
            pass

    async def script(house: TwoTables, queue: TableQueue) -> None:
        other, blocking = TableQueue(house.two, house.committer), Blocking()
        assert (await ask(queue, buy("x"))).ok
        ticket = ticket_of(await ask(queue, cash_out("t")))
        based_on = queue.moved_at
        house.committer.put(blocking)
        first = asyncio.create_task(ask(other, redeem("first", ticket)))
        await asyncio.sleep(0.01)
        second = asyncio.create_task(ask(queue, redeem("second", ticket)))
        opened = asyncio.create_task(ask(queue, open_bets("o")))
        dealer = asyncio.create_task(queue.ask(close_bets("c"), expects=based_on))
        await asyncio.sleep(0.01)
        blocking.release.set()
        assert (await first).ok
        assert (await second).refusal is Refusal.TICKET_IS_REDEEMED
        assert (await opened).ok
        (answer,) = await dealer
        assert answer.refusal is Refusal.STATE_HAS_CHANGED

    run(tmp_path, game, script)


def test_a_group_without_commands_is_answered_at_once(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        assert await queue.ask() == []

    run(tmp_path, game, script)


def test_a_group_of_commands_is_never_split_between_two_batches(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        before = house.store.commits
        for n in range(MAX_BATCH_SIZE - 1):
            queue.put(buy(f"r{n}"), lambda _: None)
        group = await queue.ask(open_bets("o"), close_bets("c"), expects=queue.moved_at)
        assert [answer.ok for answer in group] == [True, True]
        assert house.store.commits == before + 1

    run(tmp_path, game, script)


def test_after_a_failed_commit_commands_are_based_on_the_committed_version(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        based_on = queue.moved_at
        house.store.failures = 1
        (lost,) = await queue.ask(open_bets("o"), expects=based_on)
        assert lost.refusal is Refusal.JOURNAL_UNAVAILABLE
        assert queue.moved_at == based_on
        (opened,) = await queue.ask(open_bets("o"), expects=based_on)
        assert opened.ok

    run(tmp_path, game, script)


def test_the_store_is_never_used_on_the_thread_of_the_event_loop(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        threads = house.store.threads
        threads.clear()
        await asyncio.gather(*(ask(queue, buy(f"r{n}")) for n in range(20)))
        cashed = await ask(queue, cash_out("t"))
        assert (await ask(queue, redeem("u", ticket_of(cashed)))).ok
        assert (await ask(queue, buy("r1"))).ok, "a repeated request is looked up"
        house.store.failures = 1
        assert not (await ask(queue, buy("lost"))).ok
        assert (await ask(queue, buy("next"))).ok, "the journal is loaded again"
        assert threads
        assert threading.get_ident() not in threads

    run(tmp_path, game, script)


def test_a_damaged_journal_stops_the_queue_and_refuses_all_commands(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        house.store.gate.clear()
        first = asyncio.create_task(ask(queue, buy("x")))
        await asyncio.sleep(0.01)
        house.store.readable, house.store.error = False, JournalDamaged("an entry is not what was written")
        more = [asyncio.create_task(ask(queue, buy(f"r{n}"))) for n in range(600)]
        await asyncio.sleep(0.01)
        house.store.gate.set()
        assert (await first).ok
        for answer in [*await asyncio.gather(*more), await ask(queue, buy("after"))]:
            assert (answer.ok, answer.refusal) == (False, Refusal.JOURNAL_UNAVAILABLE)
            assert answer.reason == "the table has stopped: an entry is not what was written"
        await queue.wait_until_idle()
        with pytest.raises(JournalDamaged, match="not what was written"):
            queue.failed.result()

    run(tmp_path, game, script)


def test_a_batch_in_doubt_is_answered_as_such_when_its_commit_finds_a_damaged_journal(
    tmp_path: Path, game: Game
) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        house.store.gate.clear()
        first = [asyncio.create_task(ask(queue, buy(f"x{n}"))) for n in range(2)]
        await asyncio.sleep(0.01)
        waiting = asyncio.create_task(ask(queue, buy("y")))
        await asyncio.sleep(0.01)
        house.store.failures, house.store.failure = 1, Fault.WRITTEN
        house.store.error = JournalDamaged("an entry is not what was written")
        house.store.gate.set()
        for doubtful in await asyncio.gather(*first):
            assert doubtful.refusal is Refusal.JOURNAL_UNAVAILABLE
            assert doubtful.reason == (
                "the journal may or may not contain this command; send it again with the same id"
            )
        for later in (await waiting, await ask(queue, buy("after"))):
            assert later.refusal is Refusal.JOURNAL_UNAVAILABLE
            assert later.reason == "the table has stopped: an entry is not what was written"
        await queue.wait_until_idle()
        with pytest.raises(JournalDamaged, match="not what was written"):
            queue.failed.result()

    run(tmp_path, game, script)


def test_a_bug_with_an_unwritable_journal_stops_the_table_of_a_server(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        house.store.fault = Fault.NOT_WRITTEN
        del house.one.table.state.seats[SEAT].bought
        for id in ("x", "y"):
            assert (await ask(queue, buy(id))).refusal is Refusal.TABLE_IS_STOPPED
        house.store.fault = Fault.NONE
        assert (await ask(queue, buy("z"))).refusal is Refusal.TABLE_IS_STOPPED
        assert (queue.version, house.one.table.state.phase, credits(house.one)) == (3, Phase.STOPPED, 0)

    run(tmp_path, game, script)


def test_a_batch_is_submitted_while_the_committer_writes_it(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        house.store.entered.clear()
        house.store.gate.clear()
        asked = asyncio.create_task(ask(queue, buy("x")))
        while not house.store.entered.is_set():
            await asyncio.sleep(0.001)
        pending = queue._pending
        assert pending is not None
        written = pending.state
        house.store.gate.set()
        assert (await asked).ok
        assert [written, pending.state] == [BatchState.SUBMITTED, BatchState.COMMITTED]

    run(tmp_path, game, script)


def test_a_failing_callback_does_not_affect_other_callers(
    tmp_path: Path, game: Game, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise ConnectionError("gone")

    async def script(house: TwoTables, queue: TableQueue) -> None:
        answers: list[Answer] = []
        for n in range(3):
            queue.put(buy(f"r{n}"), refuse if n == 1 else answers.append)
        queue.on_committed = refuse
        assert (await ask(queue, buy("x"))).ok
        assert [answer.id for answer in answers] == ["r0", "r2"]
        assert (await ask(queue, buy("y"))).ok
        assert credits(house.one) == 2500

    run(tmp_path, game, script)
    assert "could not deliver the answer to r1" in caplog.text
    assert "on_committed of table one failed" in caplog.text


def test_waiting_until_idle_covers_several_batches(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        before, answers = house.store.commits, list[Answer]()
        house.store.gate.clear()
        for n in range(1201):
            queue.put(buy(f"r{n}", 1), answers.append)
        waiting = asyncio.create_task(queue.wait_until_idle())
        await asyncio.sleep(0.02)
        assert not waiting.done()
        house.store.gate.set()
        await waiting
        assert [answer.id for answer in answers] == [f"r{n}" for n in range(1201)]
        assert house.store.commits == before + 3
        assert credits(house.one) == 1201

    run(tmp_path, game, script)


def test_publishing_and_answering_happen_on_the_thread_of_the_event_loop(tmp_path: Path, game: Game) -> None:
    async def script(house: TwoTables, queue: TableQueue) -> None:
        threads: set[int] = set()
        queue.on_committed = lambda _, __: threads.add(threading.get_ident())
        command: AnyCommand = buy("x")
        queue.put(command, lambda _: threads.add(threading.get_ident()))
        await queue.wait_until_idle()
        assert threads == {threading.get_ident()}

    run(tmp_path, game, script)
