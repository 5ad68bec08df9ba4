"""A batch is decided while the one before it is being made durable: what holds when that one lands, or does not."""

from roundhouse import rulebooks
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.writer import TableWriter
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import Show
from roundhouse.table.names import Millis, Phase, RequestId
from roundhouse.table.refusals import Refusal
from tests.support.two_tables import SEAT, TwoTables, buy, cash_out, credits, redeem, ticket_of
from tests.support.writers import KEY


def test_nothing_is_answered_or_published_before_it_is_durable(house: TwoTables) -> None:
    house.stall(house.one, buy("c"))
    assert (house.answers, house.committed) == ([], [])
    assert credits(house.one) == 500, "the next batch is decided on what this one will leave"
    house.store.gate.set()
    house.one.flush()
    ((answer,),) = house.answers
    assert answer.ok
    assert [entry.request for entry in house.committed] == [buy("c")]
    house.one.flush()
    assert len(house.answers) == 1, "a flight lands once"


def test_a_request_sent_again_while_the_first_is_in_flight_gets_the_first_answer(house: TwoTables) -> None:
    house.submit(house.one, buy("c"), buy("d"))
    house.submit(house.one, buy("c"), buy("c", 501), buy("e"))
    house.one.flush()
    first, second = house.answers
    assert second[0] == first[0]
    assert second[1].refusal is Refusal.ID_IS_USED
    assert credits(house.one) == 1500


def test_when_a_flight_fails_the_batch_decided_on_it_is_decided_anew(house: TwoTables) -> None:
    house.stall(house.one, buy("c", 700))
    house.store.failures = 1
    house.store.gate.set()
    house.submit(house.one, cash_out("d"))
    house.one.flush()
    (lost,), (answer,) = house.answers
    assert (lost.ok, lost.refusal, lost.reason) == (False, Refusal.JOURNAL_UNAVAILABLE, "the disk is full")
    assert (answer.ok, answer.refusal) == (False, Refusal.NO_CREDITS), "there is no money that was not bought"
    assert credits(house.one) == 0
    assert house.one.handle([buy("c", 700)])[0].ok, "what did not happen can be asked again"
    assert credits(house.one) == 700


def test_when_both_fail_nothing_of_either_has_happened(house: TwoTables) -> None:
    house.stall(house.one, buy("c"))
    house.store.failures = 2
    house.store.gate.set()
    house.submit(house.one, buy("d"))
    house.one.flush()
    assert [answer.refusal for (answer,) in house.answers] == [Refusal.JOURNAL_UNAVAILABLE] * 2
    assert house.committed == []
    assert house.one.handle([buy("e", 3)])[0].ok
    assert credits(house.one) == 3


def test_a_request_that_cannot_wait_lands_what_flies_first(house: TwoTables) -> None:
    house.submit(house.one, buy("c", 1))
    (shown,) = house.one.handle([Show(id=RequestId("s"), by=StaffPosition.DEALER)])
    assert len(house.answers) == 1, "answers keep the order of their requests"
    assert shown.state is not None
    assert shown.state.seats[SEAT].credits == 1


def test_a_bug_in_the_second_batch_leaves_the_first_alone_and_stops_the_table(house: TwoTables) -> None:
    house.submit(house.one, buy("c"))
    del house.one.table.state.seats[SEAT].bought
    house.submit(house.one, buy("d"))
    house.one.flush()
    (first,), (second,) = house.answers
    assert first.ok
    assert second.refusal is Refusal.TABLE_IS_STOPPED
    assert house.one.table.state.phase is Phase.STOPPED
    assert credits(house.one) == 500


def test_a_ticket_that_is_issued_and_redeemed_in_flight_is_worth_its_cents_once(house: TwoTables) -> None:
    house.one.handle([buy("c", 900)])
    house.stall(house.one, cash_out("d"))
    # Its number is not known to anybody before it is durable; but the writer may meet it again at once.
    house.store.gate.set()
    house.one.flush()
    number = ticket_of(house.answers[0][0])
    house.submit(house.one, redeem("e", number))
    house.submit(house.one, redeem("f", number))
    house.one.flush()
    assert [answers[0].ok for answers in house.answers[1:]] == [True, False]
    assert house.answers[2][0].refusal is Refusal.TICKET_IS_REDEEMED
    assert credits(house.one) == 900


def test_two_tables_race_for_one_ticket_and_the_slower_one_decides_anew(house: TwoTables) -> None:
    house.one.handle([buy("c", 900)])
    number = ticket_of(house.one.handle([cash_out("d")])[0])
    house.stall(house.one, redeem("e", number))
    house.submit(house.two, redeem("e", number), buy("g", 5))
    assert (credits(house.one), credits(house.two)) == (900, 905), "both were decided on a ticket that was there"
    house.store.gate.set()
    house.one.flush()
    house.two.flush()
    (won,), (lost, bought) = house.answers
    assert won.ok
    assert (lost.ok, lost.refusal, bought.ok) == (False, Refusal.TICKET_IS_REDEEMED, True)
    assert (credits(house.one), credits(house.two)) == (900, 5)


def test_what_was_sent_behind_a_batch_that_fails_is_decided_anew_and_written_once(house: TwoTables) -> None:
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


def test_without_a_committer_each_batch_is_written_once_in_its_turn(house: TwoTables) -> None:
    house.one.committer = None
    for n, id in enumerate("cde", 1):
        house.submit(house.one, buy(id, 10**n))
        assert house.store.head(house.one.id).seq == n + 2, "each is committed at once"
    house.one.flush()
    assert [answer.ok for (answer,) in house.answers] == [True] * 3
    assert (house.store.head(house.one.id).seq, credits(house.one)) == (5, 1110)


def test_batches_of_tables_that_wait_together_are_one_transaction(house: TwoTables) -> None:
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


def test_the_journal_of_many_flights_verifies(house: TwoTables) -> None:
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
        fresh = TableWriter(house.store, writer.id, house.game, KEY, SteppingClock(Millis(10**9)))
        assert (fresh.version, fresh.table.state.seats) == (writer.version, writer.table.state.seats)
    assert len(bought) == house.one.version + house.two.version - 4
    summary = verify_journal(house.store.path, KEY)
    assert [table.entries for table in summary.tables] == [house.one.version, house.two.version]
