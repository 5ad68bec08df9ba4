"""Benchmarks of a table: durable bets per second, late and early bets of a round, settling, and reopening."""

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
from roundhouse.floor.facts import FactSource
from roundhouse.floor.queue import Committer
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import GENESIS, Answer, Seq, encode
from roundhouse.journal.seal import Key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch, Row, StoredRound
from roundhouse.rules.game import Game
from roundhouse.rules.names import GameId
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import HouseTerms
from roundhouse.table.limits import Limits
from roundhouse.table.names import PLAY_MONEY, Millis, RequestId, RoundNumber, TableId
from roundhouse.wire.requests import decode_command

SEATS = 1000
ROUNDS = 3
BATCH = 100
STRETCH = 2000
"""Number of bets in one measurement. A measurement needs many batches, because no other batch is decided while the last
one is committed."""
START = Millis(1_790_000_000_000)
SPIN = '"ball":"clockwise","wheel":"anticlockwise","revolutions":14'
TERMS = HouseTerms(Limits(), (), PLAY_MONEY)
T = TableId("bench")


def _report(name: str, ratio: float, allowed: float, *, at_least: bool) -> None:
    good = ratio >= allowed if at_least else ratio <= allowed
    print(f"{name}: {ratio:.3g} ({'at least' if at_least else 'at most'} {allowed:g}) {'ok' if good else 'TOO SLOW'}")


class _LoadedTable:
    """A table with a thousand seats, driven by JSON requests."""

    def __init__(self, folder: Path, name: str) -> None:
        self.game: Game = rulebooks.find("rws-double-zero")
        self.path = folder / name
        self.store = SqliteStore(self.path)
        self.store.keep_rulebook(self.game.hash, rulebooks.shipped(GameId("rws-double-zero")).read_bytes())
        self.store.add_table(T, self.game.hash)
        self.committer = Committer(self.store)
        self.writer = self.open()
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
        return TableWriter(
            self.store, T, self.game, Key(b"bench"), FactSource(SteppingClock(START), TERMS), self.committer
        )

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
        answers = self.writer.handle(commands)
        assert all(answer.ok for answer in answers), answers
        encode(answers)

    def send(self, *lines: bytes) -> None:
        """Submit a batch as ``roundhouse deal`` does: it is decided while the previous batch is being committed."""
        self.writer.submit([decode_command(line) for line in lines], self._check)  # type: ignore[misc]

    def _check(self, answers: Sequence[Answer]) -> None:
        assert all(answer.ok for answer in answers), answers
        encode(answers)

    def rows(self, after: int) -> list[Row]:
        return list(self.store.rows(T, after))  # type: ignore[arg-type]


class _Bare:
    """The baseline: commits the same bytes in the same batches to the same kind of store, without a table."""

    def __init__(self, folder: Path) -> None:
        self._store = SqliteStore(folder / "bare.db")
        self.rows_written, self._last = 0, GENESIS

    def write(self, rows: list[Row], batch: int) -> float:
        """Commit rows in batches and return the seconds it took."""
        first = self.rows_written + 1
        rows = [Row(Seq(n), row.body, row.hash, RequestId(f"r{n}")) for n, row in enumerate(rows, first)]
        hashes = [self._last, *(row.hash for row in rows)]
        starts = range(0, len(rows), batch)
        batches = [Batch(T, hashes[at], rows[at : at + batch], bytes(32), {}, [], []) for at in starts]
        start = perf_counter()
        for each in batches:
            self._store.commit(each)
        took = perf_counter() - start
        self.rows_written, self._last = self.rows_written + len(rows), hashes[-1]
        return took

    def close(self) -> None:
        self._store.close()


def _write_once(folder: Path, row: Row, record: StoredRound) -> float:
    """Commit the entry and the round record of a settlement in one transaction, and return the seconds it took."""
    store = SqliteStore(folder / f"once-{perf_counter()}.db")
    rows = [Row(Seq(1), row.body, row.hash, None)]
    batch = Batch(T, GENESIS, rows, bytes(32), {RoundNumber(1): record}, [], [])
    start = perf_counter()
    store.commit(batch)
    took = perf_counter() - start
    store.close()
    return took


def _write_each_bet(folder: Path, bets: int) -> float:
    """Commit a row for each settled bet in one transaction, and return the seconds it took."""
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
    """Ratios measured in one round of 20,000 bets."""

    durable: list[float]
    """For each measurement: time of the bare loop / time of the table."""
    late: float
    """Time of the last bets / time of the first bets."""
    settling: float
    """Time of the settlement / time to write a row for each bet."""
    once: float
    """Time of the settlement / time to write its entry and record."""


def _bets(folder: Path) -> None:
    table, bare = _LoadedTable(folder, "bets.db"), _Bare(folder)
    bare.write(table.rows(0), BATCH)
    tune_process()
    rounds = [_round(folder, table, bare, RoundNumber(n)) for n in range(1, ROUNDS + 1)]
    bare.close()
    table.close()
    durable = median(ratio for each in rounds for ratio in each.durable)
    _report("durable bets per second, 1,000 seats / a bare loop of the same bytes", durable, 0.4, at_least=True)
    _report("the 20,000th bet of a round / the 100th", median(each.late for each in rounds), 1.5, at_least=False)
    settling = median(each.settling for each in rounds)
    _report("settling a round of 20,000 bets / writing one row for each", settling, 2, at_least=False)
    once = median(each.once for each in rounds)
    print(f"settling a round of 20,000 bets / writing its entry and record: {once:.3g} (no limit)")


def _round(folder: Path, table: _LoadedTable, bare: _Bare, number: RoundNumber) -> _Round:
    table.ask(table.line("open_bets", "dealer"))
    bets = 20_000
    lines = [table.bet() for _ in range(bets)]
    before = table.writer.version
    bare.write(table.rows(bare.rows_written), BATCH)
    durable, singles = [], []
    for at in range(0, bets, STRETCH):
        start = perf_counter()
        for batch in range(at, at + STRETCH, BATCH):
            one = process_time()
            table.send(*lines[batch : batch + BATCH])
            singles.append(process_time() - one)
        table.writer.flush()
        took = perf_counter() - start
        # Each measurement has its own baseline, because the speed of the disk varies from second to second.
        durable.append(bare.write(table.rows(before + at), BATCH) / took)
    # Measures CPU time, because one fsync of a busy disk takes longer than a hundred bets.
    early, late = median(singles[1:31]), median(singles[-30:])

    table.ask(table.line("close_bets", "dealer"), table.line("start_spin", "dealer"))
    table.ask(
        table.line("observe_spin", "dealer", SPIN),
        table.line("ball_at_rest", "dealer", '"outcome":"17"'),
        table.line("register_result", "dealer", '"outcome":"17"'),
    )
    last = table.writer.version
    start = perf_counter()
    table.ask(table.line("confirm_result", "dealer"))
    settle = perf_counter() - start
    writing = median(_write_each_bet(folder, bets) for _ in range(5))
    (row,), record = table.rows(last), table.store.round(T, number)
    assert record is not None
    once = median(_write_once(folder, row, record) for _ in range(5))
    return _Round(durable, late / early, settle / writing, settle / once)


def _reopening(folder: Path, events: int) -> None:
    table = _LoadedTable(folder, "long.db")
    rounds = 0
    while table.writer.version < events:
        table.ask(table.line("open_bets", "dealer"))
        for _ in range(20):
            table.ask(*(table.bet() for _ in range(250)))
        table.ask(table.line("close_bets", "dealer"), table.line("start_spin", "dealer"))
        table.ask(table.line("observe_spin", "dealer", SPIN))
        table.ask(table.line("ball_at_rest", "dealer", '"outcome":"17"'))
        table.ask(table.line("register_result", "dealer", '"outcome":"17"'), table.line("confirm_result", "dealer"))
        rounds += 1
    version = table.writer.version
    start = perf_counter()
    assert table.open().version == version
    quick = perf_counter() - start
    table.store._db.execute("DELETE FROM snapshots")
    start = perf_counter()
    assert table.open().version == version
    full = perf_counter() - start
    _report(f"reopening a journal of {version:,} entries / replaying all of them", quick / full, 0.02, at_least=False)
    table.close()


def run(events: int = 1_000_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _bets(Path(folder))
        _reopening(Path(folder), events)
