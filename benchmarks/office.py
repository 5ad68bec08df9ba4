"""Benchmarks of reports, exports and backups, compared with bare reading, verifying and copying of the same journal."""

import tempfile
from pathlib import Path
from random import Random
from time import perf_counter

import apsw
import msgspec

from benchmarks.timing import compare
from roundhouse import rulebooks
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.opening import open_table
from roundhouse.journal.connections import open_to_read
from roundhouse.journal.entry import Answer
from roundhouse.journal.seal import read_key
from roundhouse.office.backup import back_up
from roundhouse.office.export import Export
from roundhouse.office.report import GroupBy, ReportQuery, report
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import HouseTerms
from roundhouse.table.limits import Limits
from roundhouse.table.names import PLAY_MONEY, Millis, TableId
from roundhouse.wire.requests import decode_command

ENTRIES = 20_000
SEATS = [f"s{n}" for n in range(50)]


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "house.db"
        _play(journal)
        _measure(journal, Path(folder))


def _play(journal: Path) -> None:
    game, content = rulebooks.find_with_content("rws-double-zero")
    terms = HouseTerms(Limits(), (), PLAY_MONEY)
    clock = SteppingClock(Millis(1_790_000_000_000))
    writer, store = open_table(journal, TableId("t1"), game, content, clock, terms)
    count, dice = 0, Random(2026)

    def ask(do: str, by: str = "dealer", **fields: object) -> AnyCommand:
        nonlocal count
        count += 1
        command = decode_command(msgspec.json.encode({"id": f"r{count}", "by": by, "do": do, **fields}))
        assert not isinstance(command, Answer)
        return command

    writer.handle([ask("open_table"), *(ask("take_seat", "player", seat=s, terminal="rapid-a") for s in SEATS)])
    while writer.version < ENTRIES:
        outcome = dice.choice(["17", "0", "00", "2", "36"])
        bought = [ask("buy_credits", "player", seat=seat, cents=2_000) for seat in SEATS]
        bets = [
            ask("place_bets", "player", seat=seat, bets=[{"position": p, "cents": 100} for p in ("red", "straight:17")])
            for seat in SEATS * 4
        ]
        seen = ask("observe_spin", ball="clockwise", wheel="anticlockwise", revolutions=14)
        rest = [
            seen,
            ask("ball_at_rest", outcome=outcome),
            ask("register_result", outcome=outcome),
            ask("confirm_result"),
        ]
        writer.handle([*bought, ask("open_bets"), *bets, ask("close_bets"), ask("start_spin"), *rest])
    store.close()


def _measure(journal: Path, folder: Path) -> None:
    def decode_all() -> None:
        db = open_to_read(journal)
        for (body,) in db.execute("SELECT body FROM entries WHERE table_id = 't1' ORDER BY seq"):
            msgspec.json.decode(body)
        db.close()

    for by in GroupBy:
        name = f"a report by {by} / reading and parsing its entries"
        compare(name, lambda by=by: report(journal, ReportQuery(by)), decode_all, 4, rounds=3)  # type: ignore[misc]

    def meters() -> None:
        with Export(journal) as export:
            list(export.meters())

    compare("meters of all seats / reading and parsing the entries", meters, decode_all, 8, rounds=3)
    start = perf_counter()
    verify_journal(journal, read_key(journal))
    verified = perf_counter() - start
    start = perf_counter()
    back_up(journal, folder / "backup")
    ratio = (perf_counter() - start) / verified
    print(f"a backup / verifying the journal: {ratio:.2f} (at most 1.5) {'ok' if ratio <= 1.5 else 'TOO SLOW'}")
    _compare_copies(journal, folder)


def _compare_copies(journal: Path, folder: Path) -> None:
    copy = folder / "copy"

    def vacuum() -> None:
        copy.unlink(missing_ok=True)
        db = open_to_read(journal)
        db.execute("VACUUM INTO ?", (str(copy),)).fetchall()
        db.close()

    def pages() -> None:
        copy.unlink(missing_ok=True)
        source, target = open_to_read(journal), apsw.Connection(str(copy))
        with target.backup("main", source, "main") as backup:
            backup.step(-1)
        target.close()
        source.close()

    compare("VACUUM INTO / copying pages", vacuum, pages, 6, rounds=5)
