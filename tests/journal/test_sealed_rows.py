"""Opening a journal checks what money depends on, and migrates journals of format 2, whose rows had no seals."""

import json
import os
import tarfile
from pathlib import Path
from typing import Any

import apsw
import pytest

from roundhouse import rulebooks
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.opening import CannotOpen, key_for, open_store, open_table
from roundhouse.journal.entry import link
from roundhouse.journal.files import wal_of
from roundhouse.journal.heads import heads_path, read_heads
from roundhouse.journal.schema import FORMAT
from roundhouse.journal.seal import read_key
from roundhouse.journal.store import JournalDamaged
from roundhouse.table.names import TableId
from roundhouse.table.view import view_of
from tests.support.command_line import Calling
from tests.support.forgery import edit, finding, query
from tests.support.journals import ROULETTE, SANDS, TWO_PERSONS, JournalHouse, bets, seat, spin
from tests.support.two_tables import buy, opening
from tests.support.writers import START, TERMS

ARCHIVE = Path(__file__).with_name("format-2.tar.xz")
OLD_TICKET = f"{2:020d}"
"""Number of the ticket of 51600 cents in the archived journal that is not redeemed."""


@pytest.fixture
def format_2(tmp_path: Path) -> Path:
    """A journal that the version before format 3 wrote, with two snapshots and an outstanding ticket."""
    with tarfile.open(ARCHIVE) as tar:
        tar.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # type: ignore[arg-type]
    return tmp_path / "format-2" / "house.db"


def redeem(ticket: str, at: str) -> dict[str, Any]:
    return {"by": "cashier", "do": "redeem_ticket", "seat": at, "ticket": ticket}


def reopened(path: Path) -> JournalHouse:
    """Open the two tables with all checks of a house that opens."""
    house = JournalHouse(path, requests_before=1000)
    ((last,),) = query(path, "SELECT max(CAST(body ->> '$.facts.at' AS INTEGER)) FROM entries")
    house.clock.at = last
    try:
        key_for(path, house.store)
        house.open(ROULETTE, "rws-double-zero")
        house.open(SANDS, "mbs-sands")
    except BaseException:
        house.close()
        raise
    return house


def test_a_journal_of_format_2_verifies_with_the_same_figures(format_2: Path) -> None:
    before = format_2.read_bytes()
    assert verify_journal(format_2, read_key(format_2)).verifies
    assert format_2.read_bytes() == before, "reading does not migrate"


def test_a_journal_of_format_2_is_migrated_and_its_rounds_get_seals(format_2: Path) -> None:
    entries = query(format_2, "SELECT * FROM entries ORDER BY table_id, seq")
    seals = query(format_2, "SELECT * FROM seals ORDER BY table_id, seq")
    reopened(format_2).close()
    assert query(format_2, "SELECT value FROM meta") == [(FORMAT,)]
    assert set(query(format_2, "SELECT * FROM entries")) >= set(entries)
    assert set(query(format_2, "SELECT * FROM seals")) >= set(seals)
    rounds = query(format_2, "SELECT version, length(seal) FROM rounds ORDER BY table_id, number")
    assert {length for _, length in rounds} == {32}
    assert max(version for version, _ in rounds) > 1, "a corrected round has a later version"
    found = query(format_2, "SELECT id, cents, table_id, seq, redeemed_table, redeemed_seq FROM tickets ORDER BY id")
    assert found == [
        (f"{1:020d}", 151_500, ROULETTE, 29, SANDS, 4),
        (OLD_TICKET, 51_600, ROULETTE, 55, None, None),
    ]
    assert finding(format_2) is None


def test_tickets_of_format_2_are_redeemed_once_by_their_number(format_2: Path) -> None:
    house = reopened(format_2)
    (spent, paid, again) = house.ask(SANDS, *(redeem(number, "x") for number in (f"{1:020d}", OLD_TICKET, OLD_TICKET)))
    assert (spent.refusal, again.refusal) == ("ticket_is_redeemed", "ticket_is_redeemed")
    assert paid.ok
    (out,) = house.do(SANDS, {"by": "cashier", "do": "cash_out", "seat": "x"})
    house.close()
    number = str(getattr((out.events or [])[0], "ticket"))  # noqa: B009
    assert number.isdigit()
    assert number.encode() not in format_2.read_bytes()
    assert finding(format_2) is None
    assert finding(format_2, with_key=False) is None


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE tickets SET cents = 99999999",
        "UPDATE tickets SET expires = expires + 1",
        "UPDATE tickets SET redeemed_table = NULL, redeemed_seq = NULL WHERE redeemed_seq IS NOT NULL",
        "UPDATE tickets SET redeemed_table = 'elsewhere', redeemed_seq = 5 WHERE redeemed_seq IS NULL",
        "UPDATE tickets SET redeemed_seq = 5 WHERE redeemed_seq IS NULL",
        "UPDATE tickets SET seq = seq - 1",
        "UPDATE tickets SET table_id = 'elsewhere'",
        "DELETE FROM tickets WHERE redeemed_seq IS NOT NULL",
        "DELETE FROM tickets",
        "INSERT INTO tickets SELECT '12345678901234567890', 9, expires, table_id, seq, NULL, NULL FROM tickets LIMIT 1",
    ],
)
def test_a_house_does_not_open_with_an_altered_register_of_tickets(copy: Path, sql: str) -> None:
    edit(copy, sql)
    with pytest.raises(CannotOpen, match="the register of tickets does not match the entries of table"):
        open_store(copy)


def test_entries_that_the_house_did_not_seal_are_refused(copy: Path) -> None:
    """Anyone can append entries that continue the chain. Only the house can seal them."""
    seq, body, hash = query(copy, "SELECT seq, body, hash FROM entries WHERE table_id = ? ORDER BY seq", SANDS)[-1]
    forged = body.replace(b'"seq":%d' % seq, b'"seq":%d' % (seq + 1))
    edit(copy, "INSERT INTO entries VALUES (?, ?, ?, ?)", SANDS, seq + 1, forged, link(hash, forged))
    with pytest.raises(CannotOpen, match="is not sealed"):
        open_store(copy)
    edit(copy, "DELETE FROM seals")
    with pytest.raises(CannotOpen, match="is not sealed"):
        open_store(copy)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("DELETE FROM requests WHERE id = 'r9'", "register of requests"),
        ("UPDATE requests SET seq = 1 WHERE id = 'r9'", "register of requests"),
        ("UPDATE rounds SET record = CAST(replace(CAST(record AS TEXT), 'red', 'odd') AS BLOB)", "record of round"),
        ("UPDATE rounds SET version = 7", "record of round"),
        ("UPDATE rounds SET seal = zeroblob(32)", "record of round"),
        ("DELETE FROM rounds", "record of round"),
        ("UPDATE entries SET body = CAST(body || ' ' AS BLOB) WHERE seq = 7", "does not continue the chain"),
    ],
)
def test_a_table_does_not_open_with_altered_rows_of_its_last_entries(copy: Path, sql: str, message: str) -> None:
    edit(copy, sql)
    with pytest.raises(JournalDamaged, match=message):
        reopened(copy).close()


def test_no_ticket_is_redeemed_while_the_chain_of_another_table_is_damaged(copy: Path) -> None:
    """A damaged chain cannot prove that its table redeemed a ticket, so a cleared mark must not pay elsewhere."""
    ((id,),) = query(copy, "SELECT id FROM tickets WHERE redeemed_seq IS NOT NULL")
    edit(copy, "UPDATE entries SET body = CAST(body || ' ' AS BLOB) WHERE table_id = ? AND seq = 3", SANDS)
    edit(copy, "UPDATE tickets SET redeemed_table = NULL, redeemed_seq = NULL WHERE id = ?", id)
    house = JournalHouse(copy, requests_before=1000)
    key_for(copy, house.store)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"})
    (answer,) = house.ask(ROULETTE, redeem("12345678901234567890", "a"))
    assert answer.refusal == "journal_unavailable"
    assert "entry 3 of table sands-1" in str(answer.reason)
    # The request alone is refused, also if others of its batch are accepted.
    first, refused, last = house.ask(
        ROULETTE, {"do": "open_bets"}, redeem("12345678901234567890", "a"), {"do": "close_bets"}
    )
    assert (first.ok, refused.refusal, last.ok) == (True, "journal_unavailable", True)
    house.close()
    with pytest.raises(JournalDamaged, match="entry 3 of table sands-1"):
        reopened(copy)


# Snapshots


@pytest.mark.parametrize(
    "forgery",
    [
        "hash = zeroblob(32)",
        "seq = seq + 1",
        "seal = zeroblob(32)",
        "derived = x''",
        "memory = CAST(replace(CAST(memory AS TEXT), '1000', '9000') AS BLOB)",
    ],
)
def test_a_snapshot_whose_seal_does_not_fit_is_ignored(
    tmp_path: Path, forgery: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "journal.db"
    game, content = rulebooks.find_with_content("rws-double-zero")
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_EVERY", 1)
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_AT_LAST", 1)
    writer, store = open_table(path, TableId("t"), game, content, SteppingClock(START), TERMS)
    writer.handle([*opening(), buy("c", 1000)])
    store.close()
    db = apsw.Connection(str(path))
    db.execute(f"UPDATE snapshots SET {forgery}")
    assert db.changes() > 0
    db.close()
    again, store = open_table(path, TableId("t"), game, content, SteppingClock(START), TERMS)
    assert again.ignored_snapshot
    assert "a snapshot of table t was changed and is not used" in caplog.text
    assert view_of(again.table) == view_of(writer.table)
    store.close()


def test_a_snapshot_of_another_version_of_the_program_is_replaced_by_a_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state of another version may lack fields, and verification must not compare it."""
    path = tmp_path / "journal.db"
    game, content = rulebooks.find_with_content("rws-double-zero")
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_EVERY", 1)
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_AT_LAST", 1)
    with pytest.MonkeyPatch.context() as older:
        older.setattr("roundhouse.floor.loading.state_shape", lambda: "older")
        writer, store = open_table(path, TableId("t"), game, content, SteppingClock(START), TERMS)
        writer.handle([*opening(), buy("c", 1000)])
        store.close()
    again, store = open_table(path, TableId("t"), game, content, SteppingClock(START), TERMS)
    assert (again._snapshot_seq, again.ignored_snapshot) == (0, False)
    assert view_of(again.table) == view_of(writer.table)
    store.close()
    assert verify_journal(path, read_key(path)).verifies


# Records of rounds from before the last snapshot


@pytest.fixture
def old_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal whose only round is older than its last two snapshots, with its record before a correction."""
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_EVERY", 2)
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_AT_LAST", 2)
    path = tmp_path / "house.db"
    house = JournalHouse(path)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 10_000), {"do": "open_bets"}, bets("a", red=100))
    house.do(ROULETTE, *spin("17"))
    first = query(path, "SELECT version, seal, record FROM rounds")
    house.do(ROULETTE, correction("9"))
    for _ in range(3):
        house.do(ROULETTE, *[{"by": "cashier", "do": "buy_credits", "seat": "a", "cents": 1}] * 3)
    house.close()
    assert query(path, "SELECT min(seq) FROM snapshots")[0][0] > 15
    (tmp_path / "before").write_bytes(first[0][1] + first[0][2])
    return path


def correction(outcome: str) -> dict[str, Any]:
    return {"by": "pit_manager", "do": "correct_result", "round": 1, "outcome": outcome, **TWO_PERSONS}


@pytest.mark.parametrize("version", [1, 2])
def test_a_correction_is_not_paid_by_an_earlier_record_that_was_put_back(old_round: Path, version: int) -> None:
    """The earlier record has a seal of the house, but for version 1. The snapshot names version 2."""
    before = old_round.with_name("before").read_bytes()
    edit(old_round, "UPDATE rounds SET version = ?, seal = ?, record = ?", version, before[:32], before[32:])
    house = JournalHouse(old_round, requests_before=1000)
    key_for(old_round, house.store)
    house.open(ROULETTE, "rws-double-zero")
    with pytest.raises(JournalDamaged, match="the record of round 1"):
        house.ask(ROULETTE, correction("18"))
    house.close()
    assert finding(old_round) is not None


@pytest.mark.parametrize("change", ["version = 0", "version = 0, seal = x''"])
def test_the_daily_check_finds_a_record_that_was_made_to_look_unsealed(old_round: Path, change: str) -> None:
    edit(old_round, f"UPDATE rounds SET {change}")
    found = finding(old_round)
    assert found is not None
    assert "the register of rounds differs" in str(found)


def test_a_correction_is_not_paid_by_an_altered_rulebook(old_round: Path) -> None:
    edit(
        old_round,
        "UPDATE rulebooks SET content = CAST(replace(CAST(content AS TEXT), 'pays = 35', 'pays = 99') AS BLOB)",
    )
    house = JournalHouse(old_round, requests_before=1000)
    newer = (Path("src/roundhouse/rulebooks/rws-double-zero.toml").read_text() + "\n# A new version.\n").encode()
    with pytest.raises(JournalDamaged, match="rulebook"):
        house.open(ROULETTE, "rws-double-zero", newer)
    house.close()


def test_an_untouched_old_record_is_corrected(old_round: Path) -> None:
    house = JournalHouse(old_round, requests_before=1000)
    key_for(old_round, house.store)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, correction("18"))
    house.close()
    assert query(old_round, "SELECT version FROM rounds") == [(3,)]
    assert finding(old_round) is None


# The heads file


def test_the_heads_file_has_the_last_entry_of_every_chain(copy: Path) -> None:
    assert read_heads(copy) == {}
    reopened(copy).close()
    house = reopened(copy)
    house.do(ROULETTE, {"do": "open_table"})
    heads = {table: house.store.head(table) for table in (ROULETTE, SANDS)}
    found = read_heads(copy)
    assert found[ROULETTE][0] == heads[ROULETTE]
    house.close()
    assert os.stat(heads_path(copy)).st_mode & 0o777 == 0o600


def test_a_lost_last_commit_is_noticed(tmp_path: Path) -> None:
    """A flipped bit in the last commit of the log looks like a power cut. The heads file knows better."""
    path = tmp_path / "house.db"
    house = JournalHouse(path)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000))
    house.do(ROULETTE, {"by": "cashier", "do": "buy_credits", "seat": "a", "cents": 500})
    files = {name: path.with_name(path.name + name).read_bytes() for name in ("", "-wal", ".key", ".heads")}
    house.close()
    lost = tmp_path / "lost" / "house.db"
    lost.parent.mkdir()
    for name, content in files.items():
        lost.with_name(lost.name + name).write_bytes(content)
    log = bytearray(files["-wal"])
    log[-100] ^= 1
    wal_of(lost).write_bytes(log)
    with pytest.raises(CannotOpen, match="has lost committed entries: table roulette-1 ends with entry 3, but entry 4"):
        open_store(lost)
    heads_path(lost).unlink()
    store, _ = open_store(lost)
    assert store.head(ROULETTE).seq == 3
    store.close()


def test_torn_and_foreign_heads_are_ignored(copy: Path) -> None:
    reopened(copy).close()
    house = reopened(copy)
    house.do(ROULETTE, {"do": "open_table"})
    house.close()
    whole = heads_path(copy).read_bytes()
    for changed in (whole[:-1], whole[: len(whole) // 2], bytes(len(whole)), b"x" * len(whole)):
        heads_path(copy).write_bytes(changed)
        open_store(copy)[0].close()
    # A head that stops a house from opening cannot be forged without the key.
    forged = bytearray(whole)
    forged[72] ^= 1
    heads_path(copy).write_bytes(forged)
    open_store(copy)[0].close()


# Tickets that are not redeemed


def test_unredeemed_tickets_are_exported_without_their_numbers(copy: Path, call: Calling) -> None:
    house = reopened(copy)
    house.writers[SANDS].facts.ticket_life = house.clock.tick * 10**7  # type: ignore[assignment]
    (out,) = house.do(SANDS, {"by": "cashier", "do": "cash_out", "seat": "x"})
    house.close()
    number = str(getattr((out.events or [])[0], "ticket"))  # noqa: B009
    status, printed, _ = call("house", "export", str(copy), "--what", "tickets", "--json")
    assert status == 0
    assert number not in printed
    rows = [json.loads(line) for line in printed.splitlines()]
    assert sorted((row["table"], row["seat"], row["expired"]) for row in rows) == [
        (ROULETTE, "b", True),
        (SANDS, "x", True),
    ]
    assert rows[0]["ticket"] == f"…{number[-4:]}"
    status, printed, _ = call("house", "export", str(copy), "--what", "tickets")
    assert (status, number in printed, "expired" in printed) == (0, False, True)


def test_significant_events_and_stories_show_the_last_four_digits(copy: Path, call: Calling) -> None:
    ((id,),) = query(copy, "SELECT id FROM tickets WHERE redeemed_seq IS NULL")
    status, printed, _ = call("house", "export", str(copy), "--what", "events", "--json", "--large-ticket-cents", "1")
    assert status == 0
    assert f'"ticket":"…{id[-4:]}"' in printed
    assert id not in printed


def test_a_copy_without_the_key_is_readable_by_its_owner_only(copy: Path, tmp_path: Path, call: Calling) -> None:
    target = tmp_path / "copy-without-key.db"
    status, _, _ = call("house", "backup", str(copy), str(target), "--without-key")
    assert status == 0
    assert target.stat().st_mode & 0o777 == 0o600
