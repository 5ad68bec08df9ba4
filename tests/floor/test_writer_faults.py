"""Failed commits, commits in doubt and failing callbacks: no entry is skipped and no credits are invented."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from roundhouse import rulebooks
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.facts import FactSource
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry
from roundhouse.journal.store import Batch, BatchState, CommitInDoubt, JournalDamaged, JournalUnavailable
from roundhouse.rules.loading import load
from roundhouse.rules.names import Cents, Pocket, StaffPosition
from roundhouse.table.commands import AnyCommand, Chips, CloseTable, CorrectResult, OpenBets, OpenTable, PlaceBets, Show
from roundhouse.table.names import Phase, RequestId, RoundNumber, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.requests import decode_command
from tests.support.faulty_store import Fault
from tests.support.two_tables import RED, SEAT, TwoTables, buy, cash_out, credits, redeem, spin_to, ticket_of
from tests.support.writers import KEY, START, TERMS


def test_a_repeated_request_is_not_answered_from_a_lost_batch(house: TwoTables) -> None:
    """A terminal repeats its request while the disk stalls and the first copy is not yet committed."""
    house.stall(house.one, buy("c", 700))
    house.store.failures = 2
    house.store.gate.set()
    house.submit(house.one, buy("c", 700), Show(id=RequestId("s"), by=StaffPosition.DEALER))
    house.one.flush()
    (lost,), (reopening, view) = house.answers
    assert lost.refusal is Refusal.JOURNAL_UNAVAILABLE
    assert reopening.refusal is Refusal.JOURNAL_UNAVAILABLE
    assert view.refusal is Refusal.JOURNAL_UNAVAILABLE
    assert house.store.seqs_of(house.one.id, [RequestId("c")]) == {}


def test_three_batches_keep_their_order_when_the_first_is_decided_again(house: TwoTables) -> None:
    house.one.handle([buy("c", 900)])
    number = ticket_of(house.one.handle([cash_out("d")])[0])
    house.stall(house.one, redeem("e", number))
    house.submit(house.two, redeem("f", number), buy("g", 5))
    house.store.gate.set()
    house.submit(house.two, buy("h", 5))
    house.submit(house.two, buy("i", 5))
    house.one.flush()
    house.two.flush()
    seqs = house.store.seqs_of(house.two.id, [RequestId(id) for id in "fghi"])
    assert [seqs[RequestId(id)] for id in "fghi"] == [3, 4, 5, 6]
    assert credits(house.two) == 15


def test_a_bug_after_a_batch_was_written_stops_the_table_before_the_next_batch(house: TwoTables) -> None:
    house.store.fault, house.store.error = Fault.WRITTEN, RuntimeError("internal error")
    house.store.affects = lambda batch: [row.request for row in batch.rows] == ["c"]
    house.stall(house.one, buy("c", 700))
    house.store.gate.set()
    house.submit(house.one, buy("d", 20))
    house.one.flush()
    (first,), (second,) = house.answers
    assert first.ok, "the first request is in the journal, so it is answered as accepted"
    assert second.refusal is Refusal.TABLE_IS_STOPPED
    assert house.one.table.state.phase is Phase.STOPPED
    assert [entry.seq for entry in house.committed] == [3, 4, 5]
    assert credits(house.one) == 700


def test_a_failed_batch_is_answered_as_failed(house: TwoTables) -> None:
    house.store.error = JournalDamaged("not what was written")
    house.store.failures = 1
    house.stall(house.one, buy("c", 700))
    house.store.gate.set()
    with pytest.raises(JournalDamaged):
        house.submit(house.one, buy("d", 1))
    house.one.flush()
    assert [answer.refusal for (answer,) in house.answers] == [Refusal.JOURNAL_UNAVAILABLE]
    assert house.committed == []
    assert house.one.handle([buy("e", 3)])[0].ok
    assert credits(house.one) == 3


def test_a_command_submitted_from_a_callback_builds_on_the_committed_state(house: TwoTables) -> None:
    def submit_another(answers: Sequence[Answer]) -> None:
        house.answers.append(answers)
        house.submit(house.one, buy("d", 20))

    house.one.submit([buy("c", 700)], submit_another)
    (view,) = house.one.handle([Show(id=RequestId("s"), by=StaffPosition.DEALER)])
    assert view.version == house.store.head(house.one.id).seq == 4
    assert [answer.id for (answer,) in house.answers] == ["c", "d"]


@pytest.mark.parametrize("failing", ["deliver", "listener"])
def test_a_failing_callback_leaves_no_gap_in_the_journal(house: TwoTables, failing: str) -> None:
    def fail(*_: object) -> None:
        raise ConnectionError("gone")

    if failing == "listener":
        house.one.on_committed = fail
    house.one.submit([buy("c", 10)], fail if failing == "deliver" else house.answers.append)
    if failing == "deliver":
        with pytest.raises(ConnectionError):
            house.submit(house.one, buy("d", 100))
    else:
        house.submit(house.one, buy("d", 100))
    assert house.one.handle([buy("e", 1000)])[0].ok
    if failing == "deliver":
        assert [answer.id for (answer,) in house.answers] == ["d"], "the next caller is still answered"
    fresh = TableWriter(house.store, house.one.id, house.game, KEY, FactSource(SteppingClock(START), TERMS))
    assert (fresh.version, credits(fresh)) == (house.one.version, credits(house.one))
    assert credits(fresh) == 1110


def test_a_batch_written_despite_an_error_is_published(house: TwoTables) -> None:
    house.store.failure = Fault.WRITTEN
    house.store.failures = 1
    house.submit(house.one, buy("c", 700))
    house.one.flush()
    assert house.answers[0][0].refusal is Refusal.JOURNAL_UNAVAILABLE
    assert house.one.handle([buy("c", 700)])[0].ok
    assert house.one.handle([buy("d", 1)])[0].ok
    assert [entry.seq for entry in house.committed] == [3, 4]
    assert credits(house.one) == 701


def test_a_batch_after_one_in_doubt_is_committed_and_published_in_order(house: TwoTables) -> None:
    house.store.failure = Fault.WRITTEN
    house.store.failures = 1
    house.stall(house.one, buy("c", 700))
    house.store.gate.set()
    house.submit(house.one, buy("d", 20))
    house.one.flush()
    doubtful, committed = (answer for answers in house.answers for answer in answers)
    assert doubtful.refusal is Refusal.JOURNAL_UNAVAILABLE
    assert (committed.ok, committed.version) == (True, 4)
    assert [entry.seq for entry in house.committed] == [3, 4], "published at once and in order"
    assert house.one.handle([buy("c", 700), buy("e", 1)])[0].ok
    assert [entry.seq for entry in house.committed] == [3, 4, 5]
    assert credits(house.one) == 721


def test_a_bug_stops_the_table_although_another_callback_fails(house: TwoTables) -> None:
    def failing_callback(_: object) -> None:
        raise ConnectionError("gone")

    house.one.submit([buy("c", 100)], failing_callback)
    fresh_salt = house.one._clock.fresh_salt
    house.one._clock.fresh_salt = lambda: 1 // 0  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(ConnectionError):
        house.submit(house.one, buy("d", 7000), cash_out("e"))
    house.one._clock.fresh_salt = fresh_salt  # type: ignore[method-assign]
    house.one.flush()
    assert house.one.table.state.phase is Phase.STOPPED
    fresh = TableWriter(house.store, house.one.id, house.game, KEY, FactSource(SteppingClock(START), TERMS))
    assert (credits(house.one), house.one.version) == (credits(fresh), fresh.version) == (100, 4)


def test_a_callback_that_fails_during_a_reload_does_not_lose_the_next_batch(house: TwoTables) -> None:
    def failing_callback(_: object) -> None:
        raise ConnectionError("gone")

    house.store.failures = 1
    house.store.gate.clear()
    house.one.submit([buy("c", 100)], failing_callback)
    house.one._invalidate()
    house.store.gate.set()
    with pytest.raises(ConnectionError):
        house.submit(house.one, buy("d", 7))
    house.submit(house.one, buy("e", 7))
    house.one.flush()
    assert [answer.ok for (answer,) in house.answers] == [True]
    assert credits(house.one) == 7


def test_an_entry_that_cannot_be_read_is_published_later(house: TwoTables) -> None:
    house.store.failure = Fault.WRITTEN
    house.store.readable_rows = 1
    house.store.failures = 1
    house.stall(house.one, buy("c", 700))
    house.store.gate.set()
    house.submit(house.one, buy("d", 20))
    house.one.flush()
    assert house.committed == []
    assert [answer.refusal for (answer,) in house.answers] == [Refusal.JOURNAL_UNAVAILABLE] * 2
    assert house.one.handle([Show(id=RequestId("s"), by=StaffPosition.DEALER)])[0].ok
    assert [entry.seq for entry in house.committed] == [3]
    assert credits(house.one) == 700


def test_the_uncommitted_index_is_empty_after_the_commit(house: TwoTables) -> None:
    house.submit(house.one, buy("c", 700), OpenBets(id=RequestId("o"), by=StaffPosition.DEALER))
    house.submit(house.one, *spin_to("1"))
    house.submit(house.one, cash_out("d"))
    house.one.flush()
    number = ticket_of(house.answers[-1][0])
    house.submit(house.one, redeem("e", number))
    house.one.flush()
    assert all(answer.ok for answers in house.answers for answer in answers), house.answers
    tickets, archive = house.one._tickets, house.one._archive
    assert (house.one._uncommitted, tickets._issued, tickets._redeemed) == ({}, {}, set())
    assert (archive._uncommitted, archive.changed) == ({}, [])


def test_a_round_settled_in_one_batch_is_corrected_in_later_batches(house: TwoTables) -> None:
    manager = StaffPosition.PIT_MANAGER
    bet = PlaceBets(id=RequestId("p"), by=StaffPosition.PLAYER, seat=SEAT, bets=(Chips(RED, Cents(100)),))
    one = RoundNumber(1)
    house.stall(house.one, buy("c", 1000), OpenBets(id=RequestId("o"), by=StaffPosition.DEALER), bet)
    house.store.gate.set()
    house.submit(house.one, *spin_to("1"))
    for id, outcome, now in (("6", "2", 900), ("7", "3", 1100), ("8", "4", 900)):
        two: dict[str, Any] = {"by": manager, "who": "ann", "second": "ben"}
        correction = CorrectResult(id=RequestId(id), round=one, outcome=Pocket(outcome), **two)
        house.submit(house.one, correction)
        assert credits(house.one) == now
    house.one.flush()
    assert all(answer.ok for answers in house.answers for answer in answers), house.answers
    house.store.keep_rulebook(house.game.hash, rulebooks.shipped(house.game.id).read_bytes())
    assert verify_journal(house.store.path, KEY).tables[0].corrections == 3


def test_one_invalid_batch_of_a_group_does_not_affect_the_others(house: TwoTables) -> None:
    house.stall(house.one, buy("c"))
    good = house.two.decide([buy("c")]).batch
    assert good is not None
    bad = Batch(TableId("three"), good.follows, good.rows, b"", {}, [], [])
    waiting = [house.committer.submit(bad), house.committer.submit(good)]
    house.store.gate.set()
    house.one.flush()
    assert isinstance(waiting[0].exception(20), JournalUnavailable)
    assert waiting[1].exception(20) is None
    assert house.store.head(house.two.id).seq == 3


def test_a_closing_committer_finishes_its_batches_and_refuses_new_ones(house: TwoTables) -> None:
    house.store.gate.clear()
    house.submit(house.one, buy("c"))
    assert house.one._submitted is not None
    _, commit = house.one._submitted
    assert not commit.cancel(), "a submitted batch cannot be cancelled"
    threading.Timer(0.05, house.store.gate.set).start()
    house.committer.close()
    assert commit.done()
    house.submit(house.one, buy("d"))
    house.one.flush()
    assert [answers[0].refusal for answers in house.answers] == [None, Refusal.JOURNAL_UNAVAILABLE]


def test_a_failed_reopening_keeps_the_current_rulebook(house: TwoTables) -> None:
    """The batch with close and open is lost, so the table is still open under its earlier rulebook."""
    text = rulebooks.shipped(house.game.id).read_bytes()
    newer = load(text.replace(b'version = "4"', b'version = "5"', 1))
    house.store.keep_rulebook(house.game.hash, text)
    house.store.keep_rulebook(newer.hash, text.replace(b'version = "4"', b'version = "5"', 1))
    writer = TableWriter(house.store, house.one.id, newer, KEY, FactSource(SteppingClock(START), TERMS))
    assert writer.table.game.rulebook.version == "4"
    house.store.failures = 1
    dealer: dict[str, Any] = {"by": StaffPosition.DEALER}
    reopening: list[AnyCommand] = [CloseTable(id=RequestId("x"), **dealer), OpenTable(id=RequestId("y"), **dealer)]
    assert [answer.ok for answer in writer.handle(reopening)] == [False, False]
    (view,) = writer.handle([Show(id=RequestId("s"), **dealer)])
    assert view.state is not None
    assert (view.state.rulebook["version"], view.state.phase) == ("4", Phase.IDLE)
    assert all(answer.ok for answer in writer.handle(reopening))
    assert writer.table.game.rulebook.version == "5"


def test_invisible_characters_in_an_id_are_refused_but_readable_from_the_store(house: TwoTables) -> None:
    for id in ("x\\u0000", "a\\nb", "\\u200b"):
        refused = decode_command(f'{{"id":"{id}","by":"player","do":"take_seat","seat":"s","terminal":"t"}}'.encode())
        assert isinstance(refused, Answer)
        assert refused.refusal is Refusal.NOT_UNDERSTOOD
    assert house.one.handle([buy("nul\0nul")])[0].ok
    assert house.one.handle([buy("nul\0nul")])[0].ok
    assert credits(house.one) == 500
    assert house.one.handle([buy("nul")])[0].ok


def bug_in_deciding(house: TwoTables, id: str) -> Answer:
    """Send a command whose decision raises an unexpected exception."""
    del house.one.table.state.seats[SEAT].bought
    (answer,) = house.one.handle([buy(id)])
    return answer


def test_a_bug_stops_the_table_although_the_stop_cannot_be_recorded(house: TwoTables) -> None:
    house.store.fault = Fault.NOT_WRITTEN
    first = bug_in_deciding(house, "c")
    assert first.refusal is Refusal.TABLE_IS_STOPPED
    assert "AttributeError" in str(first.reason)
    assert str(first.reason).endswith("the stop is not recorded yet: the disk is full")
    for again in range(2):
        later = house.one.handle([buy(f"d{again}"), Show(id=RequestId(f"s{again}"), by=StaffPosition.DEALER)])
        assert [answer.refusal for answer in later] == [Refusal.TABLE_IS_STOPPED] * 2
        assert [answer.version for answer in later] == [2, 2]
    assert house.committed == []
    house.store.fault = Fault.NONE
    (recording,) = house.one.handle([buy("e")])
    assert (recording.refusal, recording.version) == (Refusal.TABLE_IS_STOPPED, 3)
    assert [entry.seq for entry in house.committed] == [3]
    (view,) = house.one.handle([Show(id=RequestId("s"), by=StaffPosition.DEALER)])
    assert view.state is not None
    assert (view.state.phase, credits(house.one)) == (Phase.STOPPED, 0)


def test_a_pending_stop_is_kept_while_the_journal_is_unreadable(house: TwoTables) -> None:
    house.store.failures = 1
    assert bug_in_deciding(house, "c").refusal is Refusal.TABLE_IS_STOPPED
    house.store.readable = False
    assert house.one.handle([buy("d")])[0].refusal is Refusal.JOURNAL_UNAVAILABLE
    house.store.readable = True
    assert house.one.handle([buy("e")])[0].refusal is Refusal.TABLE_IS_STOPPED
    assert house.one.table.state.phase is Phase.STOPPED
    assert credits(house.one) == 0


def test_a_pending_stop_applies_to_the_next_submitted_batch(house: TwoTables) -> None:
    """The commit of the first batch fails with a bug, and the stop cannot be recorded."""
    failing = [RuntimeError("internal error"), JournalUnavailable("the disk is full")]

    def next_error(batch: Batch) -> bool:
        house.store.failures, house.store.error = (1, failing.pop(0)) if failing else (0, None)
        return True

    house.store.affects = next_error
    house.stall(house.one, buy("c", 700))
    house.store.gate.set()
    house.submit(house.one, buy("d", 20))
    house.one.flush()
    (first,), (second,) = house.answers
    assert (first.refusal, second.refusal) == (Refusal.TABLE_IS_STOPPED, Refusal.TABLE_IS_STOPPED)
    assert house.one.table.state.phase is Phase.STOPPED
    assert credits(house.one) == 0


def test_a_stop_in_doubt_that_is_written_is_not_recorded_twice(house: TwoTables) -> None:
    house.store.failures, house.store.failure = 1, Fault.WRITTEN
    house.store.error = CommitInDoubt("the disk answered with an error")
    assert bug_in_deciding(house, "c").refusal is Refusal.TABLE_IS_STOPPED
    assert house.one.handle([buy("d")])[0].refusal is Refusal.TABLE_IS_STOPPED
    assert [entry.seq for entry in house.committed] == [3]
    assert house.store.head(house.one.id).seq == 3


def test_a_resent_command_gets_its_recorded_answer_while_the_stop_is_pending(house: TwoTables) -> None:
    assert house.one.handle([buy("c", 700)])[0].ok
    house.store.fault = Fault.NOT_WRITTEN
    assert bug_in_deciding(house, "d").refusal is Refusal.TABLE_IS_STOPPED
    assert house.one.handle([buy("c", 700)])[0].ok


def test_a_read_error_after_a_stop_refuses_the_commands(house: TwoTables) -> None:
    """The stop is recorded, and then the journal cannot be read to answer the commands."""
    assert house.one.handle([buy("c", 700)])[0].ok

    def unreadable(entries: Sequence[Entry], _: object) -> None:
        house.store.readable = False

    house.one.on_committed = unreadable
    answer = bug_in_deciding(house, "d")
    assert answer.refusal is Refusal.JOURNAL_UNAVAILABLE
    house.store.readable = True
    assert house.store.head(house.one.id).seq == 4, "the stop is recorded"
    refused = house.one.decide([buy("e")])
    assert (refused.bug, refused.answers[0].refusal) == ("", Refusal.TABLE_IS_STOPPED), "it is not pending"


def test_a_batch_whose_ticket_is_taken_has_failed_until_it_is_decided_again(house: TwoTables) -> None:
    house.one.handle([buy("c", 900)])
    number = ticket_of(house.one.handle([cash_out("d")])[0])
    pending = house.two.decide([redeem("e", number), buy("f")])
    assert house.one.handle([redeem("e", number)])[0].ok
    house.store.readable, house.store.error = False, JournalDamaged("an entry is not what was written")
    with pytest.raises(JournalDamaged):
        house.two.commit(pending)
    assert pending.state is BatchState.FAILED, "nothing is written, so the batch is not in doubt"
    assert [answer.refusal for answer in pending.answers] == [Refusal.JOURNAL_UNAVAILABLE] * 2
    house.store.readable = True
    again = house.two.handle([redeem("e", number), buy("f")])
    assert [answer.refusal for answer in again] == [Refusal.TICKET_IS_REDEEMED, None]
