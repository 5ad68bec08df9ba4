"""Random alterations of a journal without its key, and a script that tries to gain money by them."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import apsw

from roundhouse import rulebooks
from roundhouse.floor.opening import key_for, writer_of
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer
from roundhouse.journal.files import FILE_SUFFIXES
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.rules.errors import InvalidRulebook
from roundhouse.table.names import TableId
from tests.support.clocks import ScriptedClock
from tests.support.forgery import rechain
from tests.support.journals import TWO_PERSONS, JournalHouse, bets, seat, spin
from tests.support.writers import TERMS, command

ONE, TWO = TableId("one"), TableId("two")
GAME = "rws-double-zero"
TABLES = (
    "meta",
    "rulebooks",
    "tables",
    "entries",
    "seals",
    "requests",
    "entry_index",
    "rounds",
    "tickets",
    "snapshots",
)
REFUSED = (JournalDamaged, JournalUnavailable, InvalidRulebook)
"""Exceptions by which a table or a house shows that it does not trust its journal."""


class Original:
    """A journal with snapshots, corrected rounds and tickets: redeemed, outstanding and expired ones."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "house.db"
        self.tickets: list[str] = []
        house = self.house = JournalHouse(self.path)
        for table in (ONE, TWO):
            house.open(table, GAME)
            house.do(table, {"do": "open_table"}, *seat("a", "rapid-a", 50_000), *seat("b", "rapid-b", 20_000))
        house.writers[TWO].facts.ticket_life = house.clock.tick  # type: ignore[assignment]
        self._cash_out(TWO, "b")
        house.writers[TWO].facts.ticket_life = None
        for number, outcome in enumerate(("17", "18", "20"), 1):
            for table in (ONE, TWO):
                house.do(table, {"do": "open_bets"}, bets("a", red=1000, straight_17=100))
                house.do(table, *spin(outcome))
            house.do(ONE, {"by": "pit_manager", "do": "correct_result", "round": number, "outcome": "9", **TWO_PERSONS})
        redeemed = self._cash_out(ONE, "b")
        house.do(TWO, {"by": "cashier", "do": "redeem_ticket", "seat": "b", "ticket": redeemed})
        house.do(TWO, {"by": "cashier", "do": "buy_credits", "seat": "a", "cents": 777})
        self._cash_out(TWO, "a")
        house.do(ONE, {"by": "cashier", "do": "buy_credits", "seat": "a", "cents": 900})
        self.requests = house._requests
        self.clock_at = house.clock.at

    def _cash_out(self, table: TableId, name: str) -> str:
        (answer,) = self.house.do(table, {"by": "cashier", "do": "cash_out", "seat": name})
        self.tickets.append(str(getattr((answer.events or [])[0], "ticket")))  # noqa: B009
        return self.tickets[-1]

    def copy_to(self, folder: Path) -> Path:
        """Copy all files of the journal, the write-ahead log too if the journal is still open."""
        folder.mkdir()
        for ending in ("", *FILE_SUFFIXES):
            file = self.path.with_name(self.path.name + ending)
            if file.exists() and not ending.endswith(("-shm", ".lock")):
                shutil.copyfile(file, folder / file.name)
        return folder / self.path.name

    def gain(self, path: Path) -> int | None:
        """Open an altered copy, take out all the money that it gives, and return it. ``None`` if it does not open."""
        clock = ScriptedClock()
        clock.at = self.clock_at
        try:
            store = SqliteStore(path)
        except REFUSED:
            return None
        try:
            try:
                writers = [self._open(store, table, clock) for table in (ONE, TWO)]
            except REFUSED:
                return None
            return sum(self._take(writer) for writer in writers)
        finally:
            store.close()

    def _open(self, store: SqliteStore, table: TableId, clock: ScriptedClock) -> TableWriter:
        game, content = rulebooks.find_with_content(GAME)
        return writer_of(store, key_for(self.path, store), table, game, content, clock, TERMS)

    def _take(self, writer: TableWriter) -> int:
        """Redeem every ticket, correct every round, cash out every seat, and return the cents on the new tickets."""
        asked: list[dict[str, Any]] = [
            {"by": "cashier", "do": "redeem_ticket", "seat": "a", "ticket": ticket} for ticket in self.tickets
        ]
        asked += [
            {"by": "pit_manager", "do": "correct_result", "round": number, "outcome": "17", **TWO_PERSONS}
            for number in (1, 2, 3)
        ]
        asked += [{"by": "cashier", "do": "cash_out", "seat": name} for name in ("a", "b")]
        answers: list[Answer] = []
        for number, request in enumerate(asked):
            try:
                answers += writer.handle([command(f"take-{number}", **request)])
            except REFUSED:
                break
        events = [event for answer in answers for event in answer.events or []]
        return sum(getattr(event, "cents") for event in events if "CashedOut" in type(event).__name__)  # noqa: B009


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]] | None:
    """Return all rows of a journal and its schema, or ``None`` if it cannot be read."""
    db = apsw.Connection(str(path))
    try:
        found = {name: sorted(db.execute(f"SELECT * FROM {name}"), key=repr) for name in TABLES}
        found["meta"] = [row for row in found["meta"] if row[0] == "format"]
        return found | {"schema": sorted(db.execute("SELECT type, name, sql FROM sqlite_schema"), key=repr)}
    except (apsw.Error, UnicodeDecodeError):
        return None
    finally:
        db.close()


# Alterations of bytes


def flip_bits(file: Path, dice: Random) -> None:
    content = bytearray(file.read_bytes())
    for _ in range(dice.choice((1, 1, 1, 2, 8))):
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    file.write_bytes(content)


def overwrite(file: Path, dice: Random) -> None:
    content = bytearray(file.read_bytes())
    at, length = dice.randrange(len(content)), dice.choice((4, 64, 512, 4096))
    content[at : at + length] = dice.choice((bytes(length), dice.randbytes(length)))[: len(content) - at]
    file.write_bytes(content)


def exchange_pages(file: Path, dice: Random) -> None:
    content = bytearray(file.read_bytes())
    one, two = (dice.randrange(len(content) // 4096) * 4096 for _ in range(2))
    content[one : one + 4096], content[two : two + 4096] = content[two : two + 4096], content[one : one + 4096]
    file.write_bytes(content)


def cut(file: Path, dice: Random) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: dice.randrange(len(content))])


BYTES: Sequence[Callable[[Path, Random], None]] = (flip_bits, flip_bits, flip_bits, overwrite, exchange_pages, cut)


# Alterations of rows, which SQLite cannot notice


def alter_rows(path: Path, dice: Random) -> None:
    """Change, remove, copy or exchange rows, sometimes recomputing the hash chain, which needs no key."""
    db = apsw.Connection(str(path))
    triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid").fetchall()
    for trigger, _ in triggers:
        db.execute(f"DROP TRIGGER {trigger}")
    # The register of tickets and the snapshots are altered most often, because money depends on them.
    name = dice.choice((*TABLES, "tickets", "tickets", "tickets", "snapshots", "rounds", "entries"))
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
    rows = db.execute(f"SELECT {', '.join(columns)} FROM {name}").fetchall()
    if rows:
        with suppress(apsw.ConstraintError):
            _alter(db, name, columns, dice.choice(rows), dice.choice(rows), dice)
    for _, statement in triggers:
        db.execute(str(statement))
    db.close()
    if name == "entries" and dice.random() < 0.5:
        for table in (ONE, TWO):
            rechain(path, table)


def _alter(
    db: apsw.Connection, name: str, columns: list[str], row: tuple[Any, ...], other: tuple[Any, ...], dice: Random
) -> None:
    where = " AND ".join(f"{column} IS ?" for column in columns)
    at = dice.randrange(len(columns))
    match dice.choice(("change", "change", "change", "take", "remove", "copy")):
        case "change":
            db.execute(f"UPDATE {name} SET {columns[at]} = ? WHERE {where}", (_changed(row[at], dice), *row))
        case "take":
            db.execute(f"UPDATE {name} SET {columns[at]} = ? WHERE {where}", (other[at], *row))
        case "remove":
            db.execute(f"DELETE FROM {name} WHERE {where}", row)
        case "copy":
            values = list(row)
            values[at] = _changed(row[at], dice)
            db.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(values))})", values)


def _changed(value: Any, dice: Random) -> Any:
    match value:
        case int():
            return dice.choice((value + 1, value - 1, 0, value * 100, value ^ 1 << dice.randrange(40)))
        case str() if value:
            at = dice.randrange(len(value))
            return value[:at] + dice.choice("0123456789abcdef-") + value[at + 1 :]
        case bytes() if value:
            return _changed_bytes(value, dice)
        case None:
            return dice.choice((ONE, TWO, 1, 5))
    return value


def _changed_bytes(value: bytes, dice: Random) -> bytes:
    digits = [at for at, byte in enumerate(value) if 0x30 <= byte <= 0x39]
    if digits and dice.random() < 0.7:
        # Another digit keeps JSON readable: a larger amount, another number.
        at = dice.choice(digits)
        return value[:at] + str(dice.randrange(10)).encode() + value[at + 1 :]
    at = dice.randrange(len(value))
    return value[:at] + bytes([value[at] ^ 1 << dice.randrange(8)]) + value[at + 1 :]
