"""Backups of a running house, restoring them, and backups that must be refused."""

import json
import os
import random
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import apsw
import pytest

from roundhouse import rulebooks
from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.clock import SystemClock
from roundhouse.floor.opening import open_table
from roundhouse.journal.entry import decode
from roundhouse.journal.seal import key_path, read_key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalUnavailable
from roundhouse.office import backup
from roundhouse.office.backup import CannotCopy, back_up, restore
from roundhouse.table.events import InterruptionRecovered
from roundhouse.table.names import RequestId, TableId
from tests.support.command_line import Calling
from tests.support.deal_process import Deal
from tests.support.forgery import edit, query, rewrite
from tests.support.journals import ROULETTE, SANDS, TWO_PERSONS, JournalHouse, bets, seat
from tests.support.random_script import Script
from tests.support.writers import TERMS

GAME = "rws-double-zero"


@contextmanager
def under_load(journal: Path) -> Iterator[list[str]]:
    """Run a table under load in a separate process. Yields the growing list of acknowledged request ids."""
    script = Script(GAME, random.Random(7))
    deal = Deal(journal, GAME)
    acknowledged = [answer["id"] for answer in deal.ask(*script.opening())]
    finished = Event()

    def feed() -> None:
        with suppress(BrokenPipeError):
            for batch in script.rounds():
                # Pause between batches, because the test verifies the growing journal several times.
                if finished.wait(0.005):
                    return
                deal.send(*batch)

    def drain() -> None:
        for line in deal._out:
            acknowledged.append(json.loads(line)["id"])

    threads = [Thread(target=feed), Thread(target=drain)]
    for thread in threads:
        thread.start()
    try:
        yield acknowledged
    finally:
        finished.set()
        threads[0].join()
        deal._in.close()
        threads[1].join()
        deal.process.wait()
        deal._close()


def wait_for_more(acknowledged: list[str], number: int) -> None:
    until = len(acknowledged) + number
    while len(acknowledged) < until:
        Event().wait(0.01)


def recorded(journal: Path, table: str, requests: list[str]) -> set[str]:
    store = SqliteStore(journal, read_only=True)
    found = store.seqs_of(TableId(table), [RequestId(id) for id in requests])
    store.close()
    return set(found)


def test_a_backup_under_load_contains_all_requests_acknowledged_before(tmp_path: Path) -> None:
    journal = tmp_path / "house.db"
    heads = []
    with under_load(journal) as acknowledged:
        for number in range(3):
            wait_for_more(acknowledged, 500)
            before, target = list(acknowledged), tmp_path / f"backup-{number}"
            copied = back_up(journal, target)
            assert recorded(target, GAME, before) == set(before)
            (table,) = copied.tables
            assert table.entries >= len(before)
            assert copied.seals_checked
            heads.append(table.hash)
            # The table continues after the backup, whose head must be in the final journal.
            wait_for_more(acknowledged, 100)
    assert len(set(heads)) == 3
    verify_journal(journal, read_key(journal), heads)


def test_a_killed_house_is_backed_up_with_its_log(tmp_path: Path) -> None:
    journal = tmp_path / "house.db"
    script = Script(GAME, random.Random(8))
    deal = Deal(journal, GAME)
    ids = [answer["id"] for answer in deal.ask(*script.opening())]
    deal.kill()
    log = journal.with_name("house.db-wal")
    assert log.stat().st_size
    assert back_up(journal, tmp_path / "backup").notes == []
    assert recorded(tmp_path / "backup", GAME, ids) == set(ids)
    # For an unfinished write, a note reports the commit that SQLite ignores.
    log.write_bytes(log.read_bytes()[:-100] + bytes(100))
    (note,) = back_up(journal, tmp_path / "backup-2").notes
    assert "incomplete commit" in note


def test_a_log_damaged_in_the_middle_is_not_backed_up(tmp_path: Path) -> None:
    journal = tmp_path / "house.db"
    script = Script(GAME, random.Random(9))
    deal = Deal(journal, GAME)
    deal.ask(*script.opening())
    for _ in range(3):
        deal.ask(*script.money())
    deal.kill()
    log = journal.with_name("house.db-wal")
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    log.write_bytes(content)
    with pytest.raises(DoesNotHold, match="lost committed entries"):
        back_up(journal, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def test_backup_and_restore_give_the_same_journal(day: Path, tmp_path: Path, call: Calling) -> None:
    backup, folder = tmp_path / "monday.backup", tmp_path / "new" / "house"
    report = call.json("backup", str(day.parent), str(backup))
    assert report["key"] == str(key_path(backup))
    assert [(t["table"], t["entries"], t["at"]) for t in report["tables"]] == [
        (ROULETTE, 56, 1_700_000_017_250),
        (SANDS, 13, 1_700_000_012_750),
    ]
    assert report["phases"] == {ROULETTE: "closed", SANDS: "bets_open"}
    again = call.json("restore", str(backup), str(folder))
    *restored, house_chain = again["tables"]
    assert restored == report["tables"]
    assert (house_chain["table"], house_chain["entries"]) == ("@house", 1)
    assert (again["tickets_outstanding"], again["tickets_outstanding_cents"]) == (1, 51_600)
    journal = folder / "house.db"
    for table in ("meta", "rulebooks", "tables", "entries", "seals", "requests", "rounds", "tickets", "snapshots"):
        rest = " WHERE table_id <> '@house'" if table in ("entries", "seals") else ""
        assert query(journal, f"SELECT * FROM {table}{rest}") == query(day, f"SELECT * FROM {table}"), table
    ((body,),) = query(journal, "SELECT body FROM entries WHERE table_id = '@house'")
    assert json.loads(body)["event"]["epoch"] == 1
    assert json.loads(body)["event"]["heads"] == {ROULETTE: 56, SANDS: 13, "@house": 0}
    assert key_path(journal).read_bytes() == key_path(day).read_bytes()
    for file in (backup, key_path(backup), journal, key_path(journal)):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert sorted(path.name for path in folder.iterdir()) == ["house.db", "house.db.key"]
    assert {path.name for path in tmp_path.iterdir()} == {backup.name, key_path(backup).name, "new"}


def test_restore_prints_what_was_restored_and_a_warning(day: Path, tmp_path: Path, call: Calling) -> None:
    status, out, err = call("backup", str(day), str(tmp_path / "b"))
    assert (status, err) == (0, "")
    assert "Only one house may run" in out
    status, out, err = call("restore", str(tmp_path / "b"), str(tmp_path / "house"))
    assert (status, err) == (0, "")
    for text in ("roulette-1", "56", "2023-11-14T22:13:37.250+00:00", "bets_open", "516.00", "Only one house may run"):
        assert text in out


def test_a_restored_round_in_progress_is_recovered_by_the_rules(tmp_path: Path) -> None:
    house = JournalHouse(tmp_path / "house.db")
    house.open(ROULETTE, GAME)
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "open_bets"}, bets("a", red=400))
    back_up(house.path, tmp_path / "backup")
    house.do(ROULETTE, bets("a", red=600))
    restore(tmp_path / "backup", tmp_path / "again")
    again = JournalHouse(tmp_path / "again" / "house.db", house.clock)
    again.open(ROULETTE, GAME)
    (recovered,) = again.writers[ROULETTE].recovered
    assert isinstance(recovered, InterruptionRecovered)
    assert recovered.asks
    again._requests = 100
    declared = {"do": "declare", "irregularity": "interrupted_without_outcome", **TWO_PERSONS}
    again.do(ROULETTE, {"by": "dealer", **declared})
    seats = again.writers[ROULETTE].table.state.seats
    assert [s.credits for s in seats.values()] == [1000]
    again.do(ROULETTE, {"do": "open_bets"})
    again.close()
    house.close()
    verify_journal(again.path, read_key(again.path))


def test_a_backup_without_the_key_can_be_read_but_not_run(day: Path, tmp_path: Path, call: Calling) -> None:
    backup = tmp_path / "for-the-auditor"
    report = call.json("backup", str(day), str(backup), "--without-key")
    assert (report["key"], report["seals_checked"]) == (None, False)
    assert not key_path(backup).exists()
    restored = call.json("restore", str(backup), str(tmp_path / "house"))
    assert (restored["key"], restored["seals_checked"]) == (None, False)
    _, out, _ = call("restore", str(backup), str(tmp_path / "house-2"))
    assert "To run a house from it, put the key beside it" in out
    journal = tmp_path / "house" / "house.db"
    with pytest.raises(JournalUnavailable, match="is missing"):
        open_table(journal, ROULETTE, *rulebooks.find_with_content(GAME), SystemClock(), TERMS)
    # Restore with the separately stored key.
    with_key = call.json("restore", str(backup), str(tmp_path / "house-3"), "--key", str(key_path(day)))
    assert with_key["seals_checked"] is True
    writer, store = open_table(
        Path(with_key["path"]), ROULETTE, *rulebooks.find_with_content(GAME), SystemClock(), TERMS
    )
    assert writer.version == 56
    store.close()


SECRET = b"$argon2id$a-secret-verifier"


def test_credentials_are_erased_from_a_backup_without_the_key(copy: Path, tmp_path: Path) -> None:
    """Credentials are in the journal's file, so this test searches the bytes of the copies."""
    db = apsw.Connection(str(copy))
    db.execute("CREATE TABLE IF NOT EXISTS credentials (kind TEXT, name TEXT, verifier BLOB NOT NULL)")
    db.execute("INSERT INTO credentials VALUES ('person', 'anna', ?)", (SECRET,))
    db.close()
    whole, bare = tmp_path / "whole", tmp_path / "bare"
    for target in (whole, bare):
        backup._copy(copy, target)
    backup._erase_credentials(bare)
    assert SECRET in whole.read_bytes()
    assert query(bare, "SELECT * FROM credentials") == [("person", "anna", b"")]
    assert SECRET not in bare.read_bytes()


@pytest.mark.parametrize("ending", ["", ".key", "-wal", "-shm", ".lock"])
def test_existing_files_are_not_overwritten(day: Path, tmp_path: Path, call: Calling, ending: str) -> None:
    backup = tmp_path / "backup"
    back_up(day, backup)
    existing = tmp_path / f"other{ending}"
    existing.write_bytes(b"mine")
    assert "already exists" in call.refused("backup", str(day), str(tmp_path / "other"))
    folder = tmp_path / "house"
    folder.mkdir()
    (folder / f"house.db{ending}").write_bytes(b"mine")
    assert "already exists" in call.refused("restore", str(backup), str(folder))
    assert existing.read_bytes() == (folder / f"house.db{ending}").read_bytes() == b"mine"
    assert [path.name for path in folder.iterdir()] == [f"house.db{ending}"]


def test_a_file_created_during_verification_is_not_overwritten(day: Path, tmp_path: Path) -> None:
    target, copied = tmp_path / "backup", tmp_path / "copied"
    backup._copy(day, copied)
    shutil.copyfile(key_path(day), key_path(copied))
    target.write_bytes(b"mine")
    with pytest.raises(CannotCopy, match="already exists"):
        backup._publish(copied, target)
    assert target.read_bytes() == b"mine"
    assert not key_path(target).exists()


def test_a_folder_with_other_files_can_be_restored_into(day: Path, tmp_path: Path) -> None:
    back_up(day, tmp_path / "backup")
    folder = tmp_path / "house"
    folder.mkdir()
    (folder / "house.toml").write_text("# mine")
    restore(tmp_path / "backup", folder)
    assert (folder / "house.toml").read_text() == "# mine"


def refused(backup: Path, tmp_path: Path, call: Calling) -> str:
    """Restore a bad backup, check that no folder is created, and return the printed message."""
    folder = tmp_path / "house"
    status, out, err = call("restore", str(backup), str(folder))
    assert status in (1, 2), (out, err)
    assert "Traceback" not in out + err
    assert not folder.exists()
    return out + err


def test_a_truncated_backup_is_refused(day: Path, tmp_path: Path, call: Calling) -> None:
    backup = tmp_path / "backup"
    back_up(day, backup)
    content = backup.read_bytes()
    for size in (len(content) - 1, len(content) - 4096, len(content) // 2, 5000, 100, 10, 0):
        backup.write_bytes(content[:size])
        assert refused(backup, tmp_path, call)


def test_a_backup_with_a_flipped_bit_is_refused_or_restored_completely(
    day: Path, tmp_path: Path, call: Calling
) -> None:
    """A flip in unused file space is harmless. Every other flip is detected."""
    backup, dice = tmp_path / "backup", random.Random(5)
    back_up(day, backup)
    content = backup.read_bytes()
    found = 0
    for number in range(30):
        flipped = bytearray(content)
        flipped[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        backup.write_bytes(flipped)
        folder = tmp_path / f"house-{number}"
        status, _, _ = call("restore", str(backup), str(folder))
        if status:
            found += 1
            assert not folder.exists()
        else:
            for table in ("entries", "seals", "requests", "rounds", "tickets", "rulebooks", "tables"):
                rest = " WHERE table_id <> '@house'" if table in ("entries", "seals") else ""
                restored = query(folder / "house.db", f"SELECT * FROM {table}{rest}")
                assert restored == query(day, f"SELECT * FROM {table}")
    assert found > 10


def test_a_forged_backup_is_refused(copy: Path, tmp_path: Path, call: Calling) -> None:
    rewrite(copy, ROULETTE, 3, lambda entry: entry["events"][0].update(cents=200_000))
    assert "does not verify" in refused(copy, tmp_path, call)


def test_a_backup_with_another_key_is_refused(copy: Path, tmp_path: Path, call: Calling) -> None:
    key_path(copy).write_bytes(bytes(32))
    assert "seal" in refused(copy, tmp_path, call)


def test_a_journal_that_does_not_verify_is_not_backed_up(copy: Path, tmp_path: Path, call: Calling) -> None:
    edit(copy, "UPDATE tickets SET redeemed_table = NULL, redeemed_seq = NULL WHERE redeemed_seq")
    status, out, err = call("backup", str(copy), str(tmp_path / "b"))
    assert (status, err) == (1, "roundhouse: nothing was written\n")
    assert "register of tickets" in out
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith((".", "b"))) == []


def test_a_backup_is_readable_without_creating_further_files(day: Path, tmp_path: Path, call: Calling) -> None:
    """A backup has no write-ahead log, so a single file on a read-only medium is enough."""
    backup = tmp_path / "archive" / "backup"
    backup.parent.mkdir()
    back_up(day, backup)
    assert call("verify", str(backup))[0] == 0
    assert call("report", str(backup))[0] == 0
    assert sorted(os.listdir(backup.parent)) == ["backup", "backup.key"]


def test_a_copy_without_the_latest_heads_is_refused(copy: Path, tmp_path: Path) -> None:
    """The heads that were read before copying must be in the copy."""
    heads = backup.heads_now(copy)
    older = tmp_path / "older"
    shutil.copyfile(copy, older)
    # Remove the last batch completely, as if it had never been written.
    last, before = query(copy, "SELECT seq FROM seals WHERE table_id = ? ORDER BY seq DESC LIMIT 2", SANDS)
    edit(older, "DELETE FROM entries WHERE table_id = ? AND seq > ?", SANDS, before[0])
    edit(older, "DELETE FROM seals WHERE table_id = ? AND seq = ?", SANDS, last[0])
    edit(older, "DELETE FROM entry_index WHERE table_id = ? AND seq > ?", SANDS, before[0])
    removed = query(copy, "SELECT body FROM entries WHERE table_id = ? AND seq > ?", SANDS, before[0])
    for (body,) in removed:
        request = decode(body).request
        assert request is not None
        edit(older, "DELETE FROM requests WHERE table_id = ? AND id = ?", SANDS, request.id)
    with pytest.raises(DoesNotHold, match="recorded earlier"):
        backup.copy_and_verify(older, tmp_path / "b", read_key(copy), True, heads, lambda entries: None)
    assert not (tmp_path / "b").exists()
