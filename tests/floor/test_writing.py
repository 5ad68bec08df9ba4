"""The writer of a table in a loop: batches form by themselves, the loop goes on, and every request is answered."""

import asyncio
import threading
from pathlib import Path

import pytest

from roundhouse.floor.keeper import Keeper
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer
from roundhouse.journal.store import JournalDamaged
from roundhouse.rules.game import Game
from roundhouse.table.commands import AnyCommand
from roundhouse.table.refusals import Refusal
from tests.floor.flying import House, buy, credits


@pytest.fixture
def game(games: dict[str, Game]) -> Game:
    return games["rws-double-zero"]


def run(path: Path, game: Game, script: object) -> None:
    async def inside() -> None:
        house = House(path / "j.db", game)
        try:
            await asyncio.wait_for(script(house, TableWriter(house.one)), 60)  # type: ignore[operator]
        finally:
            house.close()

    asyncio.run(inside())


def test_what_waits_is_one_batch_and_answers_keep_their_order(tmp_path: Path, game: Game) -> None:
    async def script(house: House, writer: TableWriter) -> None:
        before = house.store.transactions
        answers = await asyncio.gather(*(writer.ask(buy(f"r{n}")) for n in range(400)))
        assert [answer.id for answer in answers] == [f"r{n}" for n in range(400)]
        assert all(answer.ok for answer in answers)
        assert house.store.transactions == before + 1
        assert credits(house.one) == 400 * 500

    run(tmp_path, game, script)


def test_the_loop_goes_on_while_a_batch_is_being_written(tmp_path: Path, game: Game) -> None:
    async def script(house: House, writer: TableWriter) -> None:
        house.store.gate.clear()
        first = asyncio.create_task(writer.ask(buy("x")))
        await asyncio.sleep(0.01)
        more = [asyncio.create_task(writer.ask(buy(f"r{n}"))) for n in range(50)]
        await asyncio.sleep(0.05)
        assert not first.done()
        assert not any(task.done() for task in more)
        before = house.store.transactions
        house.store.gate.set()
        assert all(answer.ok for answer in await asyncio.gather(first, *more))
        assert house.store.transactions == before + 2, "what gathered meanwhile is one batch"
        await writer.finished()

    run(tmp_path, game, script)


def test_who_asks_and_goes_away_has_asked_all_the_same(tmp_path: Path, game: Game) -> None:
    async def script(house: House, writer: TableWriter) -> None:
        house.store.gate.clear()
        gone = asyncio.create_task(writer.ask(buy("x")))
        await asyncio.sleep(0.01)
        gone.cancel()
        house.store.gate.set()
        await writer.finished()
        assert credits(house.one) == 500
        assert (await writer.ask(buy("x"))).ok

    run(tmp_path, game, script)


def test_a_failed_batch_is_answered_and_the_next_one_served(tmp_path: Path, game: Game) -> None:
    async def script(house: House, writer: TableWriter) -> None:
        house.store.failures = 1
        assert (await writer.ask(buy("x"))).refusal is Refusal.JOURNAL_UNAVAILABLE
        assert (await writer.ask(buy("x"))).ok

    run(tmp_path, game, script)


def test_the_dealer_may_ask_at_once_while_people_are_served(tmp_path: Path, game: Game) -> None:
    async def script(house: House, writer: TableWriter) -> None:
        order: list[str | None] = []
        house.one.on_landed = lambda entries: order.extend(entry.request.id for entry in entries if entry.request)
        for n in range(30):
            writer.put(buy(f"p{n}"), lambda answer: None)
            await asyncio.sleep(0)
            assert house.one.handle([buy(f"d{n}")])[0].ok
        await writer.finished()
        assert len(order) == 60
        assert [id for id in order if id and id[0] == "p"] == [f"p{n}" for n in range(30)]
        assert [id for id in order if id and id[0] == "d"] == [f"d{n}" for n in range(30)]

    run(tmp_path, game, script)


def test_a_damaged_journal_ends_the_writing_and_everybody_is_told(tmp_path: Path, game: Game) -> None:
    class Damaged(Keeper):
        def _decide(self, commands: object) -> object:  # type: ignore[override]
            raise JournalDamaged("an entry is not what was written")

    async def script(house: House, writer: TableWriter) -> None:
        house.store.gate.clear()
        first = asyncio.create_task(writer.ask(buy("x")))
        await asyncio.sleep(0.01)
        writer.keeper.__class__ = Damaged
        more = [asyncio.create_task(writer.ask(buy(f"r{n}"))) for n in range(600)]
        await asyncio.sleep(0.01)
        house.store.gate.set()
        assert (await first).ok
        for answer in [*await asyncio.gather(*more), await writer.ask(buy("after"))]:
            assert (answer.ok, answer.refusal) == (False, Refusal.JOURNAL_UNAVAILABLE)
            assert answer.reason == "the table cannot go on: an entry is not what was written"
        await writer.finished()
        with pytest.raises(JournalDamaged, match="not what was written"):
            writer.failed.result()

    run(tmp_path, game, script)


def test_who_cannot_take_an_answer_keeps_nobody_from_his(
    tmp_path: Path, game: Game, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(answer: Answer) -> None:
        raise ConnectionError("gone")

    async def script(house: House, writer: TableWriter) -> None:
        answers: list[Answer] = []
        for n in range(3):
            writer.put(buy(f"r{n}"), refuse if n == 1 else answers.append)
        house.one.on_landed = refuse  # type: ignore[assignment]
        assert (await writer.ask(buy("x"))).ok
        assert [answer.id for answer in answers] == ["r0", "r2"]
        assert (await writer.ask(buy("y"))).ok
        assert credits(house.one) == 2500

    run(tmp_path, game, script)
    assert "the answer to r1 could not be delivered" in caplog.text
    assert "a listener of table one failed" in caplog.text


def test_more_than_one_batch_waits_and_all_of_it_is_done_when_finished(tmp_path: Path, game: Game) -> None:
    async def script(house: House, writer: TableWriter) -> None:
        before, answers = house.store.transactions, list[Answer]()
        house.store.gate.clear()
        for n in range(1201):
            writer.put(buy(f"r{n}", 1), answers.append)
        waiting = asyncio.create_task(writer.finished())
        await asyncio.sleep(0.02)
        assert not waiting.done()
        house.store.gate.set()
        await waiting
        assert [answer.id for answer in answers] == [f"r{n}" for n in range(1201)]
        assert house.store.transactions == before + 3
        assert credits(house.one) == 1201

    run(tmp_path, game, script)


def test_only_the_loop_touches_the_keeper(tmp_path: Path, game: Game) -> None:
    async def script(house: House, writer: TableWriter) -> None:
        threads: set[int] = set()
        house.one.on_landed = lambda _: threads.add(threading.get_ident())
        command: AnyCommand = buy("x")
        writer.put(command, lambda _: threads.add(threading.get_ident()))
        await writer.finished()
        assert threads == {threading.get_ident()}

    run(tmp_path, game, script)
