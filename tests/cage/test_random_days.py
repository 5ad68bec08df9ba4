"""Random days at the cage against an independent sum: a plain dictionary of amounts that knows no event."""

import random
from pathlib import Path
from typing import Any

import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.cage import commands as c
from roundhouse.cage.decide import decide
from roundhouse.cage.entry import CageAnswer, CageFacts
from roundhouse.cage.ledger import balances, imbalance
from roundhouse.cage.names import CageTerms, Day, DrawerId
from roundhouse.floor.cage_writer import CageWriter
from roundhouse.floor.opening import key_for
from roundhouse.journal.seal import Key, key_of
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.table.names import Millis, PersonName, RequestId, TicketNumber
from tests.support.clocks import ScriptedClock

DRAWERS = (DrawerId("one"), DrawerId("two"))
CASHIERS = {drawer: PersonName(f"cas-{drawer}") for drawer in DRAWERS}
BOSS = PersonName("boss")
TERMS = CageTerms(DRAWERS, "SGD", Cents(5_000), Cents(20_000), Cents(8_000), Cents(300))
STEPS = 250


class RandomDay:
    """One random day: the writer, its store, and the independent sum."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.path, self.random = folder / "house.db", random.Random(seed)
        self.store = SqliteStore(self.path)
        self.key: Key = key_of(self.path)
        self.clock = ScriptedClock(1_000)
        self.open()
        pending = self.writer.set_terms(TERMS)
        assert pending is not None
        assert pending.batch is not None
        self.store.commit(pending.batch)
        self.writer.conclude(pending, None)
        self.cash: dict[DrawerId, int] = {}
        self.vault = self.variance = self.voided = 0
        self.outstanding: dict[TicketNumber, int] = {}
        self.gone: list[TicketNumber] = []
        self.count = 0

    def open(self) -> None:
        """Open another writer, as a restart does."""
        self.writer = CageWriter(self.store, self.key, self.clock, lambda at: Day(str(at // 60_000)), snapshot_every=40)

    def send(self, kind: type[c.AnyCageCommand], drawer: DrawerId, second: bool = True, **fields: Any) -> CageAnswer:
        self.count += 1
        named: dict[str, Any] = {"drawer": drawer} if "drawer" in kind.__struct_fields__ else {}
        named |= {"second": BOSS} if second else {}
        sent = kind(
            id=RequestId(str(self.count)),
            by=StaffPosition.CASHIER,
            who=CASHIERS[drawer],
            **named,
            **fields,
        )
        return self.commit(sent)

    def commit(self, sent: c.AnyCageCommand) -> CageAnswer:
        pending = self.writer.decide([(sent, None)])
        if pending.batch is not None:
            self.store.commit(pending.batch)
        self.writer.conclude(pending, None)
        return pending.answers[0]

    def step(self) -> None:
        pick, drawer = self.random, self.random.choice(DRAWERS)
        cents, is_open = pick.randrange(1, 12_000), drawer in self.cash
        match pick.choice(
            ["open", "close", "sell", "sell", "sell", "pay", "pay", "fill", "drop", "void", "gone", "new"]
        ):
            case "open":
                answer = self.send(c.OpenDrawer, drawer, cents=cents)
                assert answer.ok is not is_open
                if answer.ok:
                    self.cash[drawer], self.vault = cents, self.vault + cents
            case "close":
                counted = max(0, self.cash.get(drawer, 0) + pick.choice([0, 0, 0, -1, 250, -299, 300, 4_000]))
                answer = self.send(c.CloseDrawer, drawer, cents=counted)
                assert answer.ok is is_open
                if answer.ok:
                    self.variance += counted - self.cash.pop(drawer)
                    self.vault -= counted
            case "sell":
                alone = pick.random() < 0.5
                answer = self.send(c.SellCredits, drawer, second=not alone, cents=cents)
                assert answer.ok is (is_open and (cents < 5_000 or not alone))
                if answer.ok:
                    assert answer.ticket is not None
                    self.cash[drawer] += cents
                    self.outstanding[answer.ticket] = cents
            case "pay" if self.outstanding:
                number = pick.choice(list(self.outstanding))
                amount = self.outstanding[number]
                answer = self.send(c.PayTicket, drawer, ticket=self.writer.conceal(number))
                assert answer.ok is (is_open and amount <= self.cash[drawer])
                if answer.ok:
                    self.cash[drawer] -= self.outstanding.pop(number)
                    self.gone.append(number)
            case "fill":
                answer = self.send(c.FillDrawer, drawer, cents=cents)
                assert answer.ok is is_open
                if answer.ok:
                    self.cash[drawer], self.vault = self.cash[drawer] + cents, self.vault + cents
            case "drop":
                answer = self.send(c.DropDrawer, drawer, cents=cents)
                assert answer.ok is (is_open and cents <= self.cash[drawer])
                if answer.ok:
                    self.cash[drawer], self.vault = self.cash[drawer] - cents, self.vault - cents
            case "void" if self.outstanding:
                number = pick.choice(list(self.outstanding))
                assert self.send(c.VoidTicket, drawer, ticket=self.writer.conceal(number), reason="test").ok
                self.voided += self.outstanding.pop(number)
                self.gone.append(number)
            case "gone" if self.gone:
                number = pick.choice(self.gone)
                answer = self.send(c.PayTicket, drawer, ticket=self.writer.conceal(number))
                assert answer.refusal == ("ticket_is_redeemed" if is_open else "drawer_is_closed")
            case "new" if pick.random() < 0.2:
                self.open()
        self.compare()

    def compare(self) -> None:
        state = self.writer.state
        assert imbalance(state) is None
        cash = {id: drawer.cash for id, drawer in state.drawers.items() if drawer.is_open}
        found = (cash, state.vault, state.variance, state.voided, state.tickets)
        assert found == (self.cash, self.vault, self.variance, self.voided, sum(self.outstanding.values()))
        # The same money a second time: what left the vault is in drawers, was paid beyond sales, or is missing.
        assert self.vault == sum(self.cash.values()) - sum(self.outstanding.values()) - self.voided - self.variance
        assert sum(balances(state).values()) == 0


def check_day(folder: Path, seed: int) -> None:
    day = RandomDay(folder, seed)
    try:
        for _ in range(STEPS):
            day.step()
        day.clock.at = Millis(day.clock.at + 10**12)
        for number in day.outstanding:
            (looked,) = day.send(c.LookUpTicket, DRAWERS[0], ticket=day.writer.conceal(number)).events or ()
            assert looked.status == "expired"  # type: ignore[union-attr]  # only a look-up has a status
    finally:
        day.store.close()
    again = SqliteStore(day.path)
    try:
        assert key_for(day.path, again) == day.key, "the register of tickets fits the chain"
    finally:
        again.close()
    summary = verify_journal(day.path, day.key)
    assert summary.cage is not None
    assert (summary.cage.vault, summary.cage.cash) == (day.vault, sum(day.cash.values()))
    assert (summary.cage.variance, summary.cage.voided) == (day.variance, day.voided)
    assert summary.tickets_outstanding_cents == sum(day.outstanding.values())


@pytest.mark.parametrize("seed", range(8))
def test_a_random_day_agrees_with_an_independent_sum(tmp_path: Path, seed: int) -> None:
    check_day(tmp_path, seed)


def test_a_ticket_is_paid_once_in_one_batch(tmp_path: Path) -> None:
    day = RandomDay(tmp_path, 0)
    try:
        for drawer in DRAWERS:
            assert day.send(c.OpenDrawer, drawer, cents=1_000).ok
        number = day.send(c.SellCredits, DRAWERS[0], cents=500).ticket
        assert number is not None
        ticket = day.writer.conceal(number)
        sent = [
            c.PayTicket(id=RequestId(f"pay {drawer}"), by=StaffPosition.CASHIER, who=CASHIERS[drawer], drawer=drawer,
                        ticket=ticket)
            for drawer in DRAWERS
        ]  # fmt: skip
        pending = day.writer.decide([(one, None) for one in sent])
        assert [answer.refusal for answer in pending.answers] == [None, "ticket_is_redeemed"]
        assert pending.batch is not None
        day.store.commit(pending.batch)
    finally:
        day.store.close()


def test_a_command_is_refused_if_its_effect_is_not_the_approved_one(tmp_path: Path) -> None:
    day = RandomDay(tmp_path, 0)
    try:
        assert day.send(c.OpenDrawer, DRAWERS[0], cents=10_000).ok
        close = c.CloseDrawer(
            id=RequestId("close"), by=StaffPosition.CASHIER, who=CASHIERS[DRAWERS[0]], second=BOSS, drawer=DRAWERS[0],
            cents=Cents(9_000),
        )  # fmt: skip
        approved = decide(day.writer.state, close, CageFacts(Millis(day.clock.at))).events
        assert day.send(c.SellCredits, DRAWERS[0], cents=100).ok
        pending = day.writer.decide([(close, approved)])
        assert (pending.answers[0].refusal, pending.batch) == ("state_has_changed", None)
        now = decide(day.writer.state, close, CageFacts(Millis(day.clock.at))).events
        assert day.writer.decide([(close, now)]).answers[0].ok
    finally:
        day.store.close()
