"""Verification of journals: a sound journal passes, and every kind of forgery or damage is reported."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse import rulebooks
from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import key_path, read_key
from tests.support.clocks import ScriptedClock
from tests.support.command_line import Calling
from tests.support.forgery import edit, finding, query, rechain, reseal, rewrite, set_fact
from tests.support.journals import ROULETTE, SANDS, JournalHouse, bets, seat, spin

Edit = Callable[[dict[str, Any]], None]


def test_the_journal_of_a_day_verifies_and_its_totals_balance(day: Path, call: Calling) -> None:
    report = call.json("verify", str(day))
    roulette, sands = report["tables"]
    assert report["verifies"] is True
    assert report["seals_checked"] is True
    assert report["notes"] == []
    assert (roulette["table"], roulette["rounds"], roulette["voids"], roulette["corrections"]) == (ROULETTE, 3, 2, 1)
    assert (roulette["bought"], roulette["tickets_out"], roulette["shortfall"]) == (150_000, 203_100, 36_000)
    # Cash and tickets received minus tickets issued equal the money of seats, layout and house minus the shortfall.
    for t in (roulette, sands):
        received = t["bought"] + t["tickets_in"] - t["tickets_out"]
        assert received == t["credits"] + t["layout"] + t["house"] - t["shortfall"]
    assert (sands["bought"], sands["tickets_in"], sands["layout"]) == (20_000, 151_500, 5_000)
    issued, redeemed = (sum(t[name] for t in report["tables"]) for name in ("tickets_out", "tickets_in"))
    assert (report["tickets_outstanding"], report["tickets_outstanding_cents"]) == (1, issued - redeemed)


def test_the_printed_report_shows_the_same_totals(day: Path, call: Calling) -> None:
    status, out, err = call("verify", str(day))
    assert (status, err) == (0, "")
    for text in ("verifies", "roulette-1", "sands-1", "2,031.00", "The seals match the key of the house."):
        assert text in out


def test_a_journal_without_its_key_is_consistent_but_of_unknown_origin(
    day: Path, tmp_path: Path, call: Calling
) -> None:
    path = tmp_path / "alone.journal"
    shutil.copyfile(day, path)
    status, out, _ = call("verify", str(path))
    assert status == 3
    assert "Consistent, origin unknown" in out
    status, out, _ = call("verify", str(path), "--json")
    summary = msgspec.json.decode(out)
    assert (status, summary["verifies"], summary["seals_checked"], summary["origin"]) == (3, True, False, "unknown")
    assert call.json("verify", str(path), "--key", str(key_path(day)))["seals_checked"] is True


def test_the_key_of_another_house_does_not_match_the_seals(copy: Path) -> None:
    key_path(copy).write_bytes(bytes(32))
    found = finding(copy)
    assert found is not None
    assert (found.table, found.entry) == (ROULETTE, 5)
    assert "seal" in found.what


def test_a_journal_verifies_while_its_table_is_running(tmp_path: Path) -> None:
    house = JournalHouse(tmp_path / "live.journal")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "open_bets"})
    assert finding(house.path) is None
    house.do(ROULETTE, bets("a", red=1000), *spin("0"))
    assert finding(house.path) is None
    house.close()


def test_snapshots_are_compared_with_the_replayed_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_EVERY", 7)
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_AT_LAST", 7)
    house = JournalHouse(tmp_path / "snapshots.journal")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 100_000))
    for outcome in ("1", "2", "3", "4"):
        house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=100, straight_2=5), *spin(outcome))
    house.close()
    assert len(query(house.path, "SELECT seq FROM snapshots")) == 2
    assert finding(house.path) is None
    edit(house.path, "UPDATE snapshots SET memory = CAST(replace(memory, '\"house\":', '\"house\":1') AS BLOB)")
    found = finding(house.path)
    assert found is not None
    assert found.what == "a snapshot differs from the replayed state"


def test_a_rulebook_may_change_between_closing_and_opening(tmp_path: Path) -> None:
    path = tmp_path / "two.journal"
    shipped = rulebooks.find_with_content("rws-double-zero")[1]
    house = JournalHouse(path)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "open_bets"}, bets("a", red=10))
    house.do(ROULETTE, *spin("1"), {"do": "close_table"})
    house.open(ROULETTE, "rws-double-zero", shipped.replace(b'version = "4"', b'version = "5"', 1))
    house.ask(ROULETTE, {"by": "pit_supervisor", "do": "correct_result", "round": 7, "outcome": "3"})
    house.do(ROULETTE, {"do": "open_table"}, {"do": "open_bets"}, bets("a", red=10), *spin("3"))
    house.close()
    assert finding(path) is None
    edit(path, "DELETE FROM rulebooks WHERE hash != (SELECT rulebook FROM tables)")
    found = finding(path)
    assert found is not None
    assert "not the one that the rules give" in found.what


@pytest.mark.parametrize("more", [b" ", b"\n", b'{"stranger":1,'], ids=["a space", "a line", "a field"])
def test_extra_bytes_in_an_entry_are_detected(tmp_path: Path, more: bytes) -> None:
    """Extra bytes are detected even after the chain and the seals were recomputed with the key."""
    house = JournalHouse(tmp_path / "more.journal")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000))
    house.close()
    ((body,),) = query(house.path, "SELECT body FROM entries WHERE seq = 2")
    forged = more + body[1:] if more.startswith(b"{") else body + more
    edit(house.path, "UPDATE entries SET body = ? WHERE seq = 2", forged)
    rechain(house.path, ROULETTE)
    reseal(house.path, ROULETTE)
    found = finding(house.path)
    assert found is not None
    assert (found.entry, found.what) == (2, "the entry is not in the canonical encoding")


def test_a_refusal_is_compared_by_its_code_and_clause_not_by_its_message(tmp_path: Path) -> None:
    """Messages may change between versions; decisions do not."""
    house = JournalHouse(tmp_path / "messages.journal")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "open_bets"})
    house.ask(ROULETTE, bets("a", red=2000))
    house.close()
    ((seq,),) = query(house.path, "SELECT max(seq) FROM entries")
    for change, good in (({"reason": "another message"}, True), ({"refusal": "bad_amount"}, False)):
        rewrite(house.path, ROULETTE, seq, lambda entry, change=change: entry.update(change))  # type: ignore[misc]
        reseal(house.path, ROULETTE)
        assert (finding(house.path) is None) is good


class Broken(ScriptedClock):
    """A clock that cannot draw salts, which simulates an internal error."""

    def fresh_salt(self) -> str:
        raise RuntimeError("no dice")


def test_a_table_stopped_by_an_internal_error_verifies(tmp_path: Path) -> None:
    house = JournalHouse(tmp_path / "stopped.journal", Broken())
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000))
    (answer,) = house.ask(ROULETTE, {"by": "cashier", "do": "cash_out", "seat": "a"})
    assert answer.refusal == "table_is_stopped"
    house.ask(ROULETTE, {"do": "open_bets"})
    house.close()
    summary = verify_journal(house.path, read_key(house.path))
    assert summary.tables[0].phase == "stopped"


def change(**fields: Any) -> Edit:
    return lambda entry: entry["events"][-1].update(fields)


# Forged entries with a recomputed chain but unchanged seals. Each is detected even without the key.


MEANINGS: list[tuple[str, str, int, Edit, str]] = [
    ("a buyer gets more", ROULETTE, 3, change(cents=100_001), "not the one that the rules give"),
    ("a bet is larger", ROULETTE, 7, lambda entry: entry["events"][0]["bets"].update(red=2000), "rules give"),
    ("a bet is on another position", ROULETTE, 7, change(bets={"straight:18": 500, "red": 1000}), "rules give"),
    ("a refusal has another reason", ROULETTE, 11, lambda entry: entry.update(refusal="bad_amount"), "rules give"),
    ("a refused bet is accepted", ROULETTE, 11, lambda entry: entry.pop("refusal"), "rules give"),
    ("a late bet was less late", ROULETTE, 13, change(late_millis=1), "not the one that the rules give"),
    ("another clause", ROULETTE, 13, change(clause="5.8"), "not the one that the rules give"),
    ("a payout is larger", ROULETTE, 19, change(seats={"a": [1500, 18001], "b": [2000, 4000]}), "rules give"),
    ("the ball rested elsewhere", ROULETTE, 17, change(outcome="18"), "not the one that the rules give"),
    ("a ticket is worth more", ROULETTE, 29, change(cents=999_999), "not the one that the rules give"),
    ("a shortfall is removed", ROULETTE, 32, lambda entry: entry["events"][0].update(seats=[]), "rules give"),
    ("time goes back", ROULETTE, 20, lambda entry: entry["facts"].update(at=5), "time goes back"),
    ("an entry has another number", ROULETTE, 20, lambda entry: entry.update(seq=21), "not that of its row"),
    ("an unknown kind of event", ROULETTE, 20, change(event="bets_opened.v9"), "cannot be read"),
    (
        "an entry without its request",
        ROULETTE,
        20,
        lambda entry: entry.pop("request"),
        "not the one that the rules give",
    ),
    ("a recovery that asks", ROULETTE, 52, change(asks=True), "not the one that the rules give"),
    ("a recovery with another clause", ROULETTE, 52, lambda e: e["events"][0].update(clause="9.9"), "rules give"),
    ("a ticket's facts", SANDS, 4, lambda entry: entry["facts"]["ticket"].update(expires=1), "rules give"),
    ("a ticket that was not redeemed", SANDS, 5, lambda e: e["facts"]["ticket"].update(redeemed=False), "rules give"),
    (
        "a ticket that was never issued",
        SANDS,
        4,
        lambda e: e["facts"]["ticket"].update(number="8"),
        "no table issued or redeemed",
    ),
    (
        "a ticket number without a cash-out",
        ROULETTE,
        20,
        lambda e: e["facts"].update(fresh_ticket="7"),
        "without a cash-out",
    ),
    ("a salt without a new ticket", ROULETTE, 20, lambda e: e["facts"].update(salt="7"), "without a new ticket"),
    ("a new ticket without its salt", ROULETTE, 29, lambda e: e["facts"].pop("salt"), "without its salt"),
    ("a life without a new ticket", ROULETTE, 20, lambda e: e["facts"].update(ticket_life=7), "without a new ticket"),
    ("a ticket that lives longer", ROULETTE, 29, lambda e: set_fact(e, ticket_life=7), "rules give"),
    ("a request with another id", ROULETTE, 20, lambda e: e["request"].update(id="r1"), "register of requests"),
    ("a request from another position", ROULETTE, 32, lambda e: e["request"].update(by="player"), "rules give"),
]


@pytest.mark.parametrize(("table", "seq", "edited", "what"), [m[1:] for m in MEANINGS], ids=[m[0] for m in MEANINGS])
def test_a_forged_entry_is_detected_even_with_a_recomputed_chain(
    copy: Path, table: str, seq: int, edited: Edit, what: str
) -> None:
    rewrite(copy, table, seq, edited)
    found = finding(copy, with_key=False)
    assert found is not None
    assert (found.table, found.entry) == (table, seq)
    assert what in found.what
    # With the key, the forgery is detected, too.
    sealed = finding(copy)
    assert sealed is not None


def test_a_consistent_forgery_is_detected_only_by_the_seal(copy: Path) -> None:
    """The amount is raised in both request and event, so only the seal contradicts it."""

    def buy_more(entry: dict[str, Any]) -> None:
        entry["request"]["cents"] = entry["events"][0]["cents"] = 20_001

    rewrite(copy, SANDS, 3, buy_more)
    assert finding(copy, with_key=False) is None
    found = finding(copy)
    assert found is not None
    assert (found.table, found.entry) == (SANDS, 3)
    assert "seal" in found.what


FILES: list[tuple[str, str, str]] = [
    ("an entry removed", "DELETE FROM entries WHERE table_id = 'roulette-1' AND seq = 9", "missing"),
    ("the first entry removed", "DELETE FROM entries WHERE table_id = 'roulette-1' AND seq = 1", "missing"),
    ("the last entry removed", "DELETE FROM entries WHERE table_id = 'roulette-1' AND seq = 56", "missing"),
    ("a table emptied", "DELETE FROM entries WHERE table_id = 'sands-1'", "missing"),
    ("an entry added", "INSERT INTO entries SELECT table_id, 57, body, hash FROM entries WHERE seq = 56", "chain"),
    (
        "an entry of another table",
        "UPDATE entries SET body = (SELECT body FROM entries WHERE table_id = 'roulette-1' AND seq = 4) WHERE seq = 4",
        "chain",
    ),
    ("entries swapped", "UPDATE entries SET seq = -1 - seq WHERE table_id = 'roulette-1' AND seq IN (7, 8)", "missing"),
    ("a seal removed", "DELETE FROM seals WHERE table_id = 'roulette-1' AND seq = 56", "not sealed"),
    ("a seal forged", "UPDATE seals SET seal = zeroblob(32) WHERE table_id = 'roulette-1' AND seq = 19", "seal"),
    ("a seal added", "INSERT INTO seals VALUES ('sands-1', 99, zeroblob(32))", "missing"),
    ("a seal moved", "UPDATE seals SET seq = 18 WHERE table_id = 'roulette-1' AND seq = 19", "seal"),
    ("a rulebook changed", "UPDATE rulebooks SET content = CAST(content || x'0a' AS BLOB)", "rulebook"),
    (
        "a rulebook renamed",
        "UPDATE rulebooks SET hash = 'x' WHERE hash = (SELECT min(hash) FROM rulebooks)",
        "rulebook",
    ),
    ("a rulebook removed", "DELETE FROM rulebooks", "rulebook"),
    ("a table of another game", "UPDATE tables SET rulebook = (SELECT rulebook FROM tables WHERE id = 'sands-1')", ""),
    ("entries of no table", "INSERT INTO seals VALUES ('', 1, x'00')", "does not list"),
    ("a table removed", "DELETE FROM tables WHERE id = 'sands-1'", "does not list"),
    ("a request removed", "DELETE FROM requests WHERE id = 'r9'", "register of requests"),
    ("a request added", "INSERT INTO requests VALUES ('sands-1', 'r999', 3)", "register of requests"),
    ("a request moved", "UPDATE requests SET seq = 1 WHERE id = 'r9'", "register of requests"),
    (
        "a round changed",
        "UPDATE rounds SET record = CAST(replace(CAST(record AS TEXT), 'red', 'odd') AS BLOB)",
        "register of rounds",
    ),
    ("a round removed", "DELETE FROM rounds WHERE number = 5", "register of rounds"),
    (
        "a round added",
        "INSERT INTO rounds SELECT table_id, 9, version, seal, record FROM rounds WHERE number = 5",
        "register of rounds",
    ),
    ("a ticket changed", "UPDATE tickets SET cents = cents + 1", "register of tickets"),
    ("a ticket prolonged", "UPDATE tickets SET expires = expires + 1", "register of tickets"),
    ("a ticket freed", "UPDATE tickets SET redeemed_table = NULL, redeemed_seq = NULL", "register of tickets"),
    ("a ticket spent", "UPDATE tickets SET redeemed_table = 'sands-1', redeemed_seq = 4", "register of tickets"),
    ("a ticket issued elsewhere", "UPDATE tickets SET seq = seq + 1", "register of tickets"),
    (
        "a ticket added",
        "INSERT INTO tickets VALUES ('9', 5, 5, 'sands-1', 4, NULL, NULL)",
        "register of tickets",
    ),
    ("a ticket removed", "DELETE FROM tickets", "register of tickets"),
    (
        "a snapshot added",
        "INSERT INTO snapshots SELECT table_id, 56, hash, '{}', x'', x'' FROM entries WHERE seq = 56",
        "",
    ),
    (
        "a snapshot of nothing",
        "INSERT INTO snapshots VALUES ('sands-1', 99, x'00', x'00', x'', x'')",
        "snapshot",
    ),
    ("a column added", "ALTER TABLE entries ADD COLUMN note TEXT", "table 'entries'"),
]


@pytest.mark.parametrize(("sql", "what"), [f[1:] for f in FILES], ids=[f[0] for f in FILES])
def test_a_changed_row_or_column_is_detected(copy: Path, sql: str, what: str) -> None:
    edit(copy, sql.replace("'{}'", "CAST('{}' AS BLOB)"))
    found = finding(copy)
    assert found is not None
    assert what in found.what
    if "SET seal" not in sql and "SET seq = 18" not in sql:
        assert finding(copy, with_key=False) is not None


def test_a_recorded_head_must_be_in_the_journal(copy: Path, call: Calling) -> None:
    """Removing whole batches from the end leaves a valid older journal. Only a head recorded elsewhere reveals it."""
    head = call.json("verify", str(copy))["tables"][1]["head"]
    for sql in ("entries WHERE table_id = 'sands-1'", "seals WHERE table_id = 'sands-1'"):
        edit(copy, f"DELETE FROM {sql} AND seq > 11")
    for name in ("requests", "entry_index"):
        edit(copy, f"DELETE FROM {name} WHERE table_id = 'sands-1' AND seq > 11")
    assert finding(copy) is None
    found = finding(copy, noted=(head,))
    assert found is not None
    assert found.expected == head


def test_a_missing_trigger_is_noted(copy: Path) -> None:
    import apsw

    apsw.Connection(str(copy)).execute("DROP TRIGGER entries_are_not_edited")
    notes = verify_journal(copy, read_key(copy)).notes
    assert notes == ["the trigger or index 'entries_are_not_edited' is missing from the file"]


def test_the_first_discrepancy_is_reported_with_its_table_and_entry(copy: Path, call: Calling) -> None:
    rewrite(copy, ROULETTE, 19, change(returned=22_001))
    edit(copy, "UPDATE tickets SET cents = 1")
    status, out, err = call("verify", str(copy), "--key", str(copy))
    assert (status, err) == (1, "")
    key_path(copy).unlink()
    status, out, err = call("verify", str(copy))
    assert (status, err) == (1, "")
    for text in ("does not verify", "table:    roulette-1", "entry:    19", "expected:", '"returned":22000', "22001"):
        assert text in out
    status, out, _ = call("verify", str(copy), "--json")
    assert status == 1
    assert '"entry":19' in out
