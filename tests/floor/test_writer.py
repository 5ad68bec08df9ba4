"""The writer decides a batch while the previous one is being committed. These tests cover success and failure."""

from roundhouse import rulebooks
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.facts import FactSource
from roundhouse.floor.writer import TableWriter
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import Show
from roundhouse.table.names import Phase, RequestId
from roundhouse.table.refusals import Refusal
from tests.support.two_tables import SEAT, TwoTables, buy, cash_out, credits, redeem, ticket_of
from tests.support.writers import KEY, START, TERMS


def test_answers_and_events_are_sent_only_after_the_commit(house: TwoTables) -> None:
    house.stall(house.one, buy("c"))
    assert (house.answers, house.committed) == ([], [])
    assert credits(house.one) == 500, "the next batch is decided on the uncommitted state"
    house.store.gate.set()
    house.one.flush()
    ((answer,),) = house.answers
    assert answer.ok
    assert [entry.request for entry in house.committed] == [buy("c")]
    house.one.flush()
    assert len(house.answers) == 1, "a batch is answered once"


def test_a_repeated_request_gets_the_answer_of_its_uncommitted_first_copy(house: TwoTables) -> None:
    house.submit(house.one, buy("c"), buy("d"))
    house.submit(house.one, buy("c"), buy("c", 501), buy("e"))
    house.one.flush()
    first, second = house.answers
    assert second[0] == first[0]
    assert second[1].refusal is Refusal.ID_IS_USED
    assert credits(house.one) == 1500


def test_a_batch_decided_on_a_failed_batch_is_decided_again(house: TwoTables) -> None:
    house.stall(house.one, buy("c", 700))
    house.store.failures = 1
    house.store.gate.set()
    house.submit(house.one, cash_out("d"))
    house.one.flush()
    (lost,), (answer,) = house.answers
    assert (lost.ok, lost.refusal, lost.reason) == (False, Refusal.JOURNAL_UNAVAILABLE, "the disk is full")
    assert (answer.ok, answer.refusal) == (False, Refusal.NO_CREDITS), "the lost purchase gave no credits"
    assert credits(house.one) == 0
    assert house.one.handle([buy("c", 700)])[0].ok, "a lost request can be sent again"
    assert credits(house.one) == 700


def test_two_failed_batches_leave_the_state_unchanged(house: TwoTables) -> None:
    house.stall(house.one, buy("c"))
    house.store.failures = 2
    house.store.gate.set()
    house.submit(house.one, buy("d"))
    house.one.flush()
    assert [answer.refusal for (answer,) in house.answers] == [Refusal.JOURNAL_UNAVAILABLE] * 2
    assert house.committed == []
    assert house.one.handle([buy("e", 3)])[0].ok
    assert credits(house.one) == 3


def test_a_synchronous_request_first_flushes_the_submitted_batch(house: TwoTables) -> None:
    house.submit(house.one, buy("c", 1))
    (view,) = house.one.handle([Show(id=RequestId("s"), by=StaffPosition.DEALER)])
    assert len(house.answers) == 1, "answers keep the order of their requests"
    assert view.state is not None
    assert view.state.seats[SEAT].credits == 1


def test_a_bug_in_the_second_batch_stops_the_table_and_keeps_the_first(house: TwoTables) -> None:
    house.submit(house.one, buy("c"))
    del house.one.table.state.seats[SEAT].bought
    house.submit(house.one, buy("d"))
    house.one.flush()
    (first,), (second,) = house.answers
    assert first.ok
    assert second.refusal is Refusal.TABLE_IS_STOPPED
    assert house.one.table.state.phase is Phase.STOPPED
    assert credits(house.one) == 500


def test_a_ticket_issued_just_before_is_redeemed_only_once(house: TwoTables) -> None:
    house.one.handle([buy("c", 900)])
    house.stall(house.one, cash_out("d"))
    # Clients learn the number after the commit, but the writer may receive it again at once.
    house.store.gate.set()
    house.one.flush()
    number = ticket_of(house.answers[0][0])
    house.submit(house.one, redeem("e", number))
    house.submit(house.one, redeem("f", number))
    house.one.flush()
    assert [answers[0].ok for answers in house.answers[1:]] == [True, False]
    assert house.answers[2][0].refusal is Refusal.TICKET_IS_REDEEMED
    assert credits(house.one) == 900


def test_only_one_of_two_tables_redeems_a_ticket_at_the_same_time(house: TwoTables) -> None:
    house.one.handle([buy("c", 900)])
    number = ticket_of(house.one.handle([cash_out("d")])[0])
    house.stall(house.one, redeem("e", number))
    house.submit(house.two, redeem("e", number), buy("g", 5))
    assert (credits(house.one), credits(house.two)) == (900, 905), "both were decided while the ticket was valid"
    house.store.gate.set()
    house.one.flush()
    house.two.flush()
    (won,), (lost, bought) = house.answers
    assert won.ok
    assert (lost.ok, lost.refusal, bought.ok) == (False, Refusal.TICKET_IS_REDEEMED, True)
    assert (credits(house.one), credits(house.two)) == (900, 5)


def test_commands_after_a_failed_batch_are_decided_again_and_written_once(house: TwoTables) -> None:
    house.stall(house.one, buy("c"))
    house.store.failures = 1
    house.store.gate.set()
    house.submit(house.one, buy("d", 700), cash_out("e"))
    house.one.flush()
    (lost,), (bought, cashed) = house.answers
    assert lost.refusal is Refusal.JOURNAL_UNAVAILABLE
    assert (bought.ok, cashed.ok) == (True, True)
    assert [entry.request.id for entry in house.committed if entry.request] == ["d", "e"]
    assert (credits(house.one), house.one.table.state.tickets) == (0, 700)
    assert [row.seq for row in house.store.rows(house.one.id)] == [1, 2, 3, 4]


def test_without_a_committer_each_batch_is_committed_immediately(house: TwoTables) -> None:
    house.one.committer = None
    for n, id in enumerate("cde", 1):
        house.submit(house.one, buy(id, 10**n))
        assert house.store.head(house.one.id).seq == n + 2, "each is committed at once"
    house.one.flush()
    assert [answer.ok for (answer,) in house.answers] == [True] * 3
    assert (house.store.head(house.one.id).seq, credits(house.one)) == (5, 1110)


def test_waiting_batches_of_several_tables_share_one_transaction(house: TwoTables) -> None:
    three = house.table("three")
    before = house.store.commits
    house.stall(house.one, buy("c"))
    house.submit(house.two, buy("c"))
    house.submit(three, buy("c"))
    house.store.gate.set()
    for writer in (house.one, house.two, three):
        writer.flush()
    assert house.store.commits == before + 2
    assert all(answers[0].ok for answers in house.answers)


def test_a_journal_with_failed_batches_verifies(house: TwoTables) -> None:
    house.store.keep_rulebook(house.game.hash, rulebooks.shipped(house.game.id).read_bytes())
    for n in range(300):
        writer = house.one if n % 3 else house.two
        house.store.failures = int(n % 50 == 17)
        house.submit(writer, *(buy(f"r{n}:{m}", n + m + 1) for m in range(n % 7 + 1)))
    for writer in (house.one, house.two):
        writer.flush()
    bought = [answer for answers in house.answers for answer in answers if answer.ok]
    assert len(house.answers) == 300
    for writer in (house.one, house.two):
        fresh = TableWriter(house.store, writer.id, house.game, KEY, FactSource(SteppingClock(START), TERMS))
        assert (fresh.version, fresh.table.state.seats) == (writer.version, writer.table.state.seats)
    assert len(bought) == house.one.version + house.two.version - 4
    summary = verify_journal(house.store.path, KEY)
    assert [table.entries for table in summary.tables] == [house.one.version, house.two.version]
