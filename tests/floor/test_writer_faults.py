"""Batches that are lost, written in doubt, or answered to people who are gone: no gap, no money from nowhere."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from roundhouse import rulebooks
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer
from roundhouse.journal.store import Batch, JournalDamaged, JournalUnavailable
from roundhouse.rules.loading import load
from roundhouse.rules.names import Cents, Pocket, StaffPosition
from roundhouse.table.commands import AnyCommand, Chips, CloseTable, CorrectResult, OpenBets, OpenTable, PlaceBets, Show
from roundhouse.table.names import Millis, Phase, RequestId, RoundNumber, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.requests import decode_command
from tests.support.faulty_store import Fault
from tests.support.two_tables import RED, SEAT, TwoTables, buy, cash_out, credits, redeem, spin_to, ticket_of
from tests.support.writers import KEY


def test_a_request_sent_again_is_not_answered_by_a_batch_that_was_lost(house: TwoTables) -> None:
    """The very thing a terminal does when the disk stalls: it asks again, while the first is still in flight."""
    house.stall(house.one, buy("c", 700))
    house.store.failures = 2
    house.store.gate.set()
    house.submit(house.one, buy("c", 700), Show(id=RequestId("s"), by=StaffPosition.DEALER))
    house.one.flush()
    (lost,), (again, shown) = house.answers
    assert lost.refusal is Refusal.JOURNAL_UNAVAILABLE
    assert again.refusal is Refusal.JOURNAL_UNAVAILABLE
    assert shown.refusal is Refusal.JOURNAL_UNAVAILABLE
    assert house.store.seqs_of(house.one.id, [RequestId("c")]) == {}


def test_three_batches_keep_their_order_when_the_first_is_decided_anew(house: TwoTables) -> None:
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
    house.store.fault, house.store.error = Fault.WRITTEN, RuntimeError("a bug of ours")
    house.store.affects = lambda batch: [row.request for row in batch.rows] == ["c"]
    house.stall(house.one, buy("c", 700))
    house.store.gate.set()
    house.submit(house.one, buy("d", 20))
    house.one.flush()
    assert [answer.refusal for (answer,) in house.answers] == [Refusal.TABLE_IS_STOPPED] * 2
    assert house.one.table.state.phase is Phase.STOPPED
    assert [entry.seq for entry in house.committed] == [3, 4, 5]
    assert credits(house.one) == 700


def test_a_batch_that_failed_is_never_answered_as_if_it_had_not(house: TwoTables) -> None:
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


def test_somebody_who_asks_more_while_he_is_answered_builds_on_what_is_durable(house: TwoTables) -> None:
    def more(answers: Sequence[Answer]) -> None:
        house.answers.append(answers)
        house.submit(house.one, buy("d", 20))

    house.one.submit([buy("c", 700)], more)
    (shown,) = house.one.handle([Show(id=RequestId("s"), by=StaffPosition.DEALER)])
    assert shown.version == house.store.head(house.one.id).seq == 4
    assert [answer.id for (answer,) in house.answers] == ["c", "d"]


@pytest.mark.parametrize("who", ["deliver", "listener"])
def test_what_goes_wrong_when_answers_are_given_leaves_no_gap(house: TwoTables, who: str) -> None:
    def fail(*_: object) -> None:
        raise ConnectionError("gone")

    if who == "listener":
        house.one.on_committed = fail
    house.one.submit([buy("c", 10)], fail if who == "deliver" else house.answers.append)
    if who == "deliver":
        with pytest.raises(ConnectionError):
            house.submit(house.one, buy("d", 100))
    else:
        house.submit(house.one, buy("d", 100))
    assert house.one.handle([buy("e", 1000)])[0].ok
    if who == "deliver":
        assert [answer.id for (answer,) in house.answers] == ["d"], "who asked next is answered all the same"
    fresh = TableWriter(house.store, house.one.id, house.game, KEY, SteppingClock(Millis(10**9)))
    assert (fresh.version, credits(fresh)) == (house.one.version, credits(house.one))
    assert credits(fresh) == 1110


def test_what_was_written_although_the_store_said_otherwise_is_published(house: TwoTables) -> None:
    house.store.failure = Fault.WRITTEN
    house.store.failures = 1
    house.submit(house.one, buy("c", 700))
    house.one.flush()
    assert house.answers[0][0].refusal is Refusal.JOURNAL_UNAVAILABLE
    assert house.one.handle([buy("c", 700)])[0].ok
    assert house.one.handle([buy("d", 1)])[0].ok
    assert [entry.seq for entry in house.committed] == [3, 4]
    assert credits(house.one) == 701


def test_what_follows_a_batch_that_was_written_in_doubt_stands_and_is_published_after_it(house: TwoTables) -> None:
    house.store.failure = Fault.WRITTEN
    house.store.failures = 1
    house.stall(house.one, buy("c", 700))
    house.store.gate.set()
    house.submit(house.one, buy("d", 20))
    house.one.flush()
    doubtful, standing = (answer for answers in house.answers for answer in answers)
    assert doubtful.refusal is Refusal.JOURNAL_UNAVAILABLE
    assert (standing.ok, standing.version) == (True, 4)
    assert [entry.seq for entry in house.committed] == [3, 4], "at once, and in order"
    assert house.one.handle([buy("c", 700), buy("e", 1)])[0].ok
    assert [entry.seq for entry in house.committed] == [3, 4, 5]
    assert credits(house.one) == 721


def test_a_bug_while_somebody_else_is_gone_stops_the_table_all_the_same(house: TwoTables) -> None:
    def gone(_: object) -> None:
        raise ConnectionError("gone")

    house.one.submit([buy("c", 100)], gone)
    fresh_ticket = house.one._clock.fresh_ticket
    house.one._clock.fresh_ticket = lambda: 1 // 0  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(ConnectionError):
        house.submit(house.one, buy("d", 7000), cash_out("e"))
    house.one._clock.fresh_ticket = fresh_ticket  # type: ignore[method-assign]
    house.one.flush()
    assert house.one.table.state.phase is Phase.STOPPED
    fresh = TableWriter(house.store, house.one.id, house.game, KEY, SteppingClock(Millis(10**9)))
    assert (credits(house.one), house.one.version) == (credits(fresh), fresh.version) == (100, 4)


def test_a_receiver_that_fails_while_the_state_is_reloaded_keeps_the_next_batch_from_nothing(house: TwoTables) -> None:
    def gone(_: object) -> None:
        raise ConnectionError("gone")

    house.store.failures = 1
    house.store.gate.clear()
    house.one.submit([buy("c", 100)], gone)
    house.one._invalidate()
    house.store.gate.set()
    with pytest.raises(ConnectionError):
        house.submit(house.one, buy("d", 7))
    house.submit(house.one, buy("e", 7))
    house.one.flush()
    assert [answer.ok for (answer,) in house.answers] == [True]
    assert credits(house.one) == 7


def test_what_could_not_be_read_to_be_published_is_published_later(house: TwoTables) -> None:
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


def test_nothing_of_a_landed_batch_is_kept_over_the_store(house: TwoTables) -> None:
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


def test_a_round_settled_in_one_flight_is_corrected_in_the_next_two(house: TwoTables) -> None:
    manager = StaffPosition.PIT_MANAGER
    bet = PlaceBets(id=RequestId("p"), by=StaffPosition.PLAYER, seat=SEAT, bets=(Chips(RED, Cents(100)),))
    one = RoundNumber(1)
    house.stall(house.one, buy("c", 1000), OpenBets(id=RequestId("o"), by=StaffPosition.DEALER), bet)
    house.store.gate.set()
    house.submit(house.one, *spin_to("1"))
    for id, outcome, now in (("6", "2", 900), ("7", "3", 1100), ("8", "4", 900)):
        correction = CorrectResult(id=RequestId(id), by=manager, round=one, outcome=Pocket(outcome))
        house.submit(house.one, correction)
        assert credits(house.one) == now
    house.one.flush()
    assert all(answer.ok for answers in house.answers for answer in answers), house.answers
    house.store.keep_rulebook(house.game.hash, rulebooks.shipped(house.game.id).read_bytes())
    assert verify_journal(house.store.path, KEY).tables[0].corrections == 3


def test_one_bad_batch_of_a_group_is_no_matter_of_the_others(house: TwoTables) -> None:
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


def test_a_committer_that_closes_finishes_what_was_sent_and_takes_no_more(house: TwoTables) -> None:
    house.store.gate.clear()
    house.submit(house.one, buy("c"))
    assert house.one._submitted is not None
    _, sent = house.one._submitted
    assert not sent.cancel(), "what was sent cannot be taken back"
    threading.Timer(0.05, house.store.gate.set).start()
    house.committer.close()
    assert sent.done()
    house.submit(house.one, buy("d"))
    house.one.flush()
    assert [answers[0].refusal for answers in house.answers] == [None, Refusal.JOURNAL_UNAVAILABLE]


def test_a_failed_opening_leaves_the_rulebook_in_play(house: TwoTables) -> None:
    """The close and the open of one batch are lost: the table is still open under the rules it was opened by."""
    text = rulebooks.shipped(house.game.id).read_bytes()
    newer = load(text.replace(b'version = "4"', b'version = "5"', 1))
    house.store.keep_rulebook(house.game.hash, text)
    house.store.keep_rulebook(newer.hash, text.replace(b'version = "4"', b'version = "5"', 1))
    writer = TableWriter(house.store, house.one.id, newer, KEY, SteppingClock(Millis(10**6)))
    assert writer.table.game.rulebook.version == "4"
    house.store.failures = 1
    dealer: dict[str, Any] = {"by": StaffPosition.DEALER}
    again: list[AnyCommand] = [CloseTable(id=RequestId("x"), **dealer), OpenTable(id=RequestId("y"), **dealer)]
    assert [answer.ok for answer in writer.handle(again)] == [False, False]
    (shown,) = writer.handle([Show(id=RequestId("s"), **dealer)])
    assert shown.state is not None
    assert (shown.state.rulebook["version"], shown.state.phase) == ("4", Phase.IDLE)
    assert all(answer.ok for answer in writer.handle(again))
    assert writer.table.game.rulebook.version == "5"


def test_an_id_that_cannot_be_seen_is_not_understood_and_one_in_the_store_does_no_harm(house: TwoTables) -> None:
    for id in ("x\\u0000", "a\\nb", "\\u200b"):
        refused = decode_command(f'{{"id":"{id}","by":"player","do":"take_seat","seat":"s","terminal":"t"}}'.encode())
        assert isinstance(refused, Answer)
        assert refused.refusal is Refusal.NOT_UNDERSTOOD
    assert house.one.handle([buy("nul\0nul")])[0].ok
    assert house.one.handle([buy("nul\0nul")])[0].ok
    assert credits(house.one) == 500
    assert house.one.handle([buy("nul")])[0].ok
