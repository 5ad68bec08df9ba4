"""Random faults: every answer matches the journal, and every committed entry is published once."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from roundhouse import rulebooks
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.facts import FactSource
from roundhouse.floor.queue import Committer
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry, Seq, decode, encode
from roundhouse.journal.store import JournalUnavailable
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, Pocket, StaffPosition
from roundhouse.table.commands import (
    AnyCommand,
    BallAtRest,
    Chips,
    CloseBets,
    ConfirmResult,
    CorrectResult,
    ObserveSpin,
    OpenBets,
    PlaceBets,
    RegisterResult,
    Show,
    StartSpin,
)
from roundhouse.table.events import CashedOut
from roundhouse.table.names import Phase, RequestId, RoundNumber, TableId, TicketNumber
from roundhouse.table.refusals import Refusal
from tests.support.faulty_store import Fault, FaultySqliteStore
from tests.support.soak import Counted, Tally, times
from tests.support.two_tables import RED, SEAT, SPUN, buy, cash_out, opening, redeem
from tests.support.writers import KEY, START, TERMS


@pytest.mark.parametrize("seed", range(times(12, 150)))
def test_answers_match_the_journal_under_random_store_faults(
    tmp_path: Path, games: dict[str, Game], seed: int, monkeypatch: pytest.MonkeyPatch, tally: Tally
) -> None:
    """Three tables share tickets, commits fail before or after they are written, and requests are repeated."""
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_EVERY", 9)
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_AT_LAST", 9)
    faults = RandomFaults(tmp_path / "j.db", games["rws-double-zero"], seed)
    faults.run()
    tally.add(Counted.COMMIT_FAILED, faults.store.failed, "not written")
    tally.add(Counted.COMMIT_FAILED, faults.store.written, "written, with an error")
    tally.add(Counted.READ_FAILED, faults.store.unread)


def _append(published: list[Entry], entries: Sequence[Entry], rounds: object) -> None:
    published += entries


class FlakyStore(FaultySqliteStore):
    def __init__(self, path: Path, dice: Random) -> None:
        self.dice = dice
        self.calm = True
        self.written = self.unread = 0
        """Number of commits that failed after writing, and of failed reads."""
        super().__init__(path)

    def next_fault(self) -> Fault:
        throw = 1.0 if self.calm else self.dice.random()
        if throw < 0.12:
            return Fault.NOT_WRITTEN
        if throw < 0.18:
            self.written += 1
            return Fault.WRITTEN
        return Fault.NONE

    def seqs_of(self, table: TableId, requests: Sequence[RequestId]) -> dict[RequestId, Seq]:
        if not self.calm and self.dice.random() < 0.04:
            self.unread += 1
            raise JournalUnavailable("cannot read")
        return super().seqs_of(table, requests)


class RandomFaults:
    def __init__(self, path: Path, game: Game, seed: int) -> None:
        self.dice = Random(seed)
        self.store = FlakyStore(path, Random(seed + 1))
        self.store.keep_rulebook(game.hash, rulebooks.shipped(game.id).read_bytes())
        self.committer = Committer(self.store)
        self.writers: list[TableWriter] = []
        self.requests: dict[TableId, list[AnyCommand]] = {}
        self.answers: dict[TableId, list[Answer]] = {}
        self.published: dict[TableId, list[Entry]] = {}
        self.tickets: list[TicketNumber] = []
        self.count = 0
        for name in ("one", "two", "three"):
            id = TableId(name)
            self.store.add_table(id, game.hash)
            writer = TableWriter(self.store, id, game, KEY, FactSource(SteppingClock(START), TERMS), self.committer)
            self.requests[id], self.answers[id], self.published[id] = [], [], []
            writer.on_committed = partial(_append, self.published[id])
            self.writers.append(writer)
            assert all(answer.ok for answer in writer.handle([*opening(), buy("z", 5000)]))

    def run(self) -> None:
        dice = self.dice
        self.store.calm = False
        for _ in range(120):
            writer = dice.choice(self.writers)
            batch = [self.request(writer) for _ in range(dice.randint(1, 5))]
            self.requests[writer.id] += batch
            if dice.random() < 0.8:
                writer.submit(batch, partial(self.receive, writer.id, batch))
                if dice.random() < 0.3:
                    dice.choice(self.writers).flush()
            else:
                self.receive(writer.id, batch, writer.handle(batch))
        for writer in self.writers:
            writer.flush()
        self.store.calm = True
        for writer in self.writers:
            writer.handle([Show(id=RequestId("end"), by=StaffPosition.DEALER)])
            self.check(writer)
        self.committer.close()
        verify_journal(self.store.path, KEY)
        self.store.close()

    def request(self, writer: TableWriter) -> AnyCommand:
        dice, state = self.dice, writer.table.state
        self.count += 1
        id = RequestId(f"q{self.count}")
        dealer: dict[str, Any] = {"by": StaffPosition.DEALER}
        outcome = Pocket(dice.choice(["0", "1", "2", "3"]))
        throw = dice.random()
        if throw < 0.2:
            return buy(id, dice.randint(1, 900))
        if throw < 0.33:
            return cash_out(id)
        if throw < 0.5 and self.tickets:
            return redeem(id, dice.choice(self.tickets[-6:]))
        if throw < 0.6 and self.requests[writer.id]:
            return dice.choice(self.requests[writer.id][-8:])
        bet = PlaceBets(id=id, by=StaffPosition.PLAYER, seat=SEAT, bets=(Chips(RED, Cents(dice.randint(1, 50))),))
        last = RoundNumber(max(1, state.round - dice.randint(0, 1)))
        two: dict[str, Any] = {"by": StaffPosition.PIT_MANAGER, "who": "ann", "second": "ben"}
        correction = CorrectResult(id=id, round=last, outcome=outcome, **two)
        read = state.wheel_outcome or outcome
        by_phase: dict[Phase, list[AnyCommand]] = {
            Phase.IDLE: [OpenBets(id=id, **dealer), correction],
            Phase.BETS_OPEN: [bet, bet, CloseBets(id=id, **dealer), StartSpin(id=id, **dealer)],
            Phase.SPINNING_BETS_OPEN: [bet, CloseBets(id=id, **dealer)],
            Phase.BETS_CLOSED: [StartSpin(id=id, **dealer), bet],
            Phase.SPINNING: [BallAtRest(id=id, outcome=outcome, **dealer)],
            Phase.AT_REST: [RegisterResult(id=id, outcome=read, **dealer)],
            Phase.REGISTERED: [ConfirmResult(id=id, **dealer), ObserveSpin(id=id, **SPUN, **dealer)],
        }
        return dice.choice(by_phase.get(state.phase, [bet]))

    def receive(self, table: TableId, batch: Sequence[AnyCommand], answers: Sequence[Answer]) -> None:
        assert [answer.id for answer in answers] == [command.id for command in batch]
        self.answers[table] += answers
        events = [event for answer in answers for event in answer.events or []]
        self.tickets += [TicketNumber(event.ticket) for event in events if isinstance(event, CashedOut)]

    def check(self, writer: TableWriter) -> None:
        entries = [decode(row.body) for row in self.store.rows(writer.id)]
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        assert self.published[writer.id] == entries, "every entry is published once, in order"
        sent = {command.id: command for command in reversed(self.requests[writer.id])}
        recorded = {
            entry.request.id: writer._tickets.answer(entry, sent.get(entry.request.id, entry.request))
            for entry in entries
            if entry.request is not None
        }
        for answer in self.answers[writer.id]:
            if answer.refusal is Refusal.JOURNAL_UNAVAILABLE:
                continue
            if answer.refusal is not Refusal.ID_IS_USED:
                assert answer == recorded[RequestId(str(answer.id))], "every answer is in the journal"
        answered = {answer.id for answer in self.answers[writer.id]}
        assert all(id in answered for id in recorded if id not in ("a", "b", "z"))
        order = list(_first_versions(self.answers[writer.id]))
        assert order == sorted(order), "answers have the order of the journal"
        before = encode(writer.table.state)
        writer._load()
        assert encode(writer.table.state) == before


def _first_versions(answers: Sequence[Answer]) -> Iterator[int]:
    """Yield the versions of first answers. Requests refused as unavailable may be repeated at any time."""
    seen = set()
    for answer in answers:
        if answer.id not in seen and answer.version is not None:
            yield answer.version
        seen.add(answer.id)
