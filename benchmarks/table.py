"""The table: durable bets under load, the cost of the twenty-thousandth, re-opening, settling a full layout."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

import apsw

from roundhouse import rulebooks
from roundhouse.floor.clock import SteppingClock, tune_process
from roundhouse.floor.queue import Committer
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import GENESIS, Answer, Seq, encode
from roundhouse.journal.seal import Key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch, Row
from roundhouse.rules.game import Game
from roundhouse.rules.names import GameId
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Millis, RequestId, RoundNumber, TableId
from roundhouse.wire.requests import decode_command

SEATS = 1000
ROUNDS = 3
BATCH = 100
STRETCH = 2000
"""How many bets are measured at a time: long enough that the one batch at its end, which is made durable while nothing
else is to do, is not what is measured."""
T = TableId("bench")


def _say(name: str, ratio: float, allowed: float, *, at_least: bool) -> None:
    good = ratio >= allowed if at_least else ratio <= allowed
    print(f"{name}: {ratio:.3g} ({'at least' if at_least else 'at most'} {allowed:g}) {'ok' if good else 'TOO SLOW'}")


class _Night:
    """A table with a thousand seats, driven by lines of JSON."""

    def __init__(self, folder: Path, name: str) -> None:
        self.game: Game = rulebooks.find("rws-double-zero")
        self.path = folder / name
        self.store = SqliteStore(self.path)
        self.store.keep_rulebook(self.game.hash, rulebooks.shipped(GameId("rws-double-zero")).read_bytes())
        self.store.add_table(T, self.game.hash)
        self.committer = Committer(self.store)
        self.keeper = self.open()
        self.count = 0
        self.dice = Random(2020)
        self.positions = [position.id for position in self.game.layouts["A"].positions]  # type: ignore[index]
        self.ask(self.line("open_table", "dealer"))
        for n in range(SEATS):
            self.ask(
                self.line("take_seat", "player", f'"seat":"s{n}","terminal":"rapid-a"'),
                self.line("buy_credits", "player", f'"seat":"s{n}","cents":100000000'),
            )

    def open(self) -> TableWriter:
        return TableWriter(self.store, T, self.game, Key(b"bench"), SteppingClock(Millis(0)), self.committer)

    def close(self) -> None:
        self.committer.close()
        self.store.close()

    def line(self, do: str, by: str, fields: str = "") -> bytes:
        self.count += 1
        return f'{{"id":"r{self.count}","by":"{by}","do":"{do}"{"," if fields else ""}{fields}}}'.encode()

    def bet(self) -> bytes:
        chips = f'{{"position":"{self.dice.choice(self.positions)}","cents":{self.dice.randrange(100, 5000)}}}'
        return self.line("place_bets", "player", f'"seat":"s{self.dice.randrange(SEATS)}","bets":[{chips}]')

    def ask(self, *lines: bytes) -> None:
        commands: list[AnyCommand] = [decode_command(line) for line in lines]  # type: ignore[misc]
        answers = self.keeper.handle(commands)
        assert all(answer.ok for answer in answers), answers
        encode(answers)

    def send(self, *lines: bytes) -> None:
        """As ``roundhouse deal`` does: decided while the batch before is being made durable, answered when it is."""
        self.keeper.submit([decode_command(line) for line in lines], self._good)  # type: ignore[misc]

    def _good(self, answers: Sequence[Answer]) -> None:
        assert all(answer.ok for answer in answers), answers
        encode(answers)

    def rows(self, after: int) -> list[Row]:
        return list(self.store.rows(T, after))  # type: ignore[arg-type]


class _Bare:
    """The same bytes in the same batches by the same store, in a loop with no logic."""

    def __init__(self, folder: Path) -> None:
        self._store = SqliteStore(folder / "bare.db")
        self.written, self._last = 0, GENESIS

    def write(self, rows: list[Row], batch: int) -> float:
        """Seconds for these rows, after all those before them."""
        first = self.written + 1
        rows = [Row(Seq(n), row.body, row.hash, RequestId(f"r{n}")) for n, row in enumerate(rows, first)]
        hashes = [self._last, *(row.hash for row in rows)]
        starts = range(0, len(rows), batch)
        batches = [Batch(T, hashes[at], rows[at : at + batch], bytes(32), {}, [], []) for at in starts]
        start = perf_counter()
        for one in batches:
            self._store.commit(one)
        took = perf_counter() - start
        self.written, self._last = self.written + len(rows), hashes[-1]
        return took

    def close(self) -> None:
        self._store.close()


def _write_once(folder: Path, row: Row, record: bytes) -> float:
    """One transaction with the one entry and the one record that a settlement leaves, and no logic."""
    store = SqliteStore(folder / f"once-{perf_counter()}.db")
    rows = [Row(Seq(1), row.body, row.hash, None)]
    batch = Batch(T, GENESIS, rows, bytes(32), {RoundNumber(1): record}, [], [])
    start = perf_counter()
    store.commit(batch)
    took = perf_counter() - start
    store.close()
    return took


def _write_each_bet(folder: Path, bets: int) -> float:
    """One transaction with a row for each settled bet, and no logic: seat, position, stake, what came back, clause."""
    db = apsw.Connection(str(folder / f"settled-{perf_counter()}.db"))
    db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE settled (at INTEGER PRIMARY KEY, body BLOB)")
    body = b'{"seat":"s123","position":"corner:25-26-28-29","stake":2500,"returned":0,"clause":"3.9"}'
    start = perf_counter()
    db.execute("BEGIN IMMEDIATE")
    db.executemany("INSERT INTO settled VALUES (?, ?)", [(n, body) for n in range(bets)])
    db.execute("COMMIT")
    return perf_counter() - start


class _Round(NamedTuple):
    """What one round of 20,000 bets showed."""

    durable: list[float]
    """Of each stretch: the bare loop's time to the table's."""
    late: float
    settling: float
    once: float


def _bets(folder: Path) -> None:
    night, bare = _Night(folder, "bets.db"), _Bare(folder)
    bare.write(night.rows(0), BATCH)
    tune_process()
    rounds = [_round(folder, night, bare, RoundNumber(n)) for n in range(1, ROUNDS + 1)]
    bare.close()
    night.close()
    durable = median(ratio for one in rounds for ratio in one.durable)
    _say("durable bets a second, 1,000 seats, to a bare loop of the same bytes", durable, 0.4, at_least=True)
    _say("the 20,000th bet of a round, to the 100th", median(one.late for one in rounds), 1.5, at_least=False)
    settling = median(one.settling for one in rounds)
    _say("settling a round of 20,000 bets, durably, to writing one row for each", settling, 2, at_least=False)
    once = median(one.once for one in rounds)
    print(f"the same, to writing the one entry and the one record that it leaves: {once:.3g} (no bar)")


def _round(folder: Path, night: _Night, bare: _Bare, number: RoundNumber) -> _Round:
    night.ask(night.line("open_bets", "dealer"))
    bets = 20_000
    lines = [night.bet() for _ in range(bets)]
    before = night.keeper.version
    bare.write(night.rows(bare.written), BATCH)
    durable, singles = [], []
    for at in range(0, bets, STRETCH):
        start = perf_counter()
        for batch in range(at, at + STRETCH, BATCH):
            one = process_time()
            night.send(*lines[batch : batch + BATCH])
            singles.append(process_time() - one)
        night.keeper.flush()
        took = perf_counter() - start
        # Each stretch beside its own baseline: the disk is not the same from one second to the next.
        durable.append(bare.write(night.rows(before + at), BATCH) / took)
    # In time of the processor, because one sync of a busy disk costs more than a hundred bets.
    early, late = median(singles[1:31]), median(singles[-30:])

    night.ask(night.line("close_bets", "dealer"), night.line("start_spin", "dealer"))
    night.ask(
        night.line("ball_at_rest", "dealer", '"outcome":"17"'),
        night.line("register_result", "dealer", '"outcome":"17"'),
    )
    last = night.keeper.version
    start = perf_counter()
    night.ask(night.line("confirm_result", "dealer"))
    settle = perf_counter() - start
    writing = median(_write_each_bet(folder, bets) for _ in range(5))
    (row,), record = night.rows(last), night.store.round(T, number)
    assert record is not None
    once = median(_write_once(folder, row, record) for _ in range(5))
    return _Round(durable, late / early, settle / writing, settle / once)


def _reopening(folder: Path, events: int) -> None:
    night = _Night(folder, "long.db")
    rounds = 0
    while night.keeper.version < events:
        night.ask(night.line("open_bets", "dealer"))
        for _ in range(20):
            night.ask(*(night.bet() for _ in range(250)))
        night.ask(night.line("close_bets", "dealer"), night.line("start_spin", "dealer"))
        night.ask(night.line("ball_at_rest", "dealer", '"outcome":"17"'))
        night.ask(night.line("register_result", "dealer", '"outcome":"17"'), night.line("confirm_result", "dealer"))
        rounds += 1
    version = night.keeper.version
    start = perf_counter()
    assert night.open().version == version
    quick = perf_counter() - start
    night.store._db.execute("DELETE FROM snapshots")
    start = perf_counter()
    assert night.open().version == version
    full = perf_counter() - start
    _say(f"re-opening a journal of {version:,} entries, to a full replay", quick / full, 0.02, at_least=False)
    night.close()


def run(events: int = 1_000_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _bets(Path(folder))
        _reopening(Path(folder), events)
