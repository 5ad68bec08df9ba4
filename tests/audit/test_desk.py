"""Verification of disputes, the Dealer of record and floats: forged rows are found, and a capsule holds a dispute."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.audit.capsule import encode_capsule, make_capsule
from roundhouse.audit.journal_file import JournalFile
from roundhouse.journal.seal import read_key
from roundhouse.table.names import RoundNumber, TableId
from tests.support.command_line import Calling
from tests.support.desks import CASH_TABLE, CHIP_TABLE, play_desks
from tests.support.forgery import edit, finding, query, rechain, reseal, rewrite

Edit = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("desks") / "house.db"
    play_desks(path)
    return path


@pytest.fixture
def copy(night: Path, tmp_path: Path) -> Path:
    for file in night.parent.iterdir():
        shutil.copyfile(file, tmp_path / file.name)
    return tmp_path / night.name


def seq_of(path: Path, table: str, event: str) -> int:
    """Return the first entry with an event of this kind."""
    for seq, body in query(path, "SELECT seq, body FROM entries WHERE table_id = ? ORDER BY seq", table):
        if any(one["event"] == event for one in msgspec.json.decode(body).get("events", [])):
            return int(seq)
    raise AssertionError(f"{table} has no {event}")


def test_a_night_at_the_desk_verifies(night: Path, call: Calling) -> None:
    report = call.json("verify", str(night))
    cash, chips = report["tables"]
    assert (chips["goodwill"], chips["open_disputes"]) == (2_500, 1)
    assert (cash["goodwill"], cash["open_disputes"]) == (0, 0)
    received = chips["bought"] + chips["tickets_in"] - chips["tickets_out"]
    assert received == chips["credits"] + chips["layout"] + chips["house"] - chips["shortfall"] - chips["goodwill"]


def set_event(**fields: Any) -> Edit:
    return lambda entry: entry["events"][0].update(fields)


def set_fact(**fields: Any) -> Edit:
    return lambda entry: entry["facts"].update(fields)


def set_request(**fields: Any) -> Edit:
    return lambda entry: entry["request"].update(fields)


FORGERIES: dict[str, tuple[str, str, Edit]] = {
    "another amount was on record": (CHIP_TABLE, "dispute.v1", set_event(returned=100)),
    "another stake was on record": (CHIP_TABLE, "dispute.v1", set_event(staked=1)),
    "another outcome was on record": (CHIP_TABLE, "dispute.v1", set_event(outcome="5")),
    "another record was frozen": (CHIP_TABLE, "dispute.v1", set_event(record="0" * 64)),
    "another chain was frozen": (CHIP_TABLE, "dispute.v1", set_event(head="0" * 64)),
    "another position decides": (CHIP_TABLE, "dispute.v1", set_event(decides="dealer")),
    "another number": (CHIP_TABLE, "dispute.v1", set_event(dispute=7)),
    "other words than the Player's": (CHIP_TABLE, "dispute.v1", set_event(words="never mind")),
    "more goodwill than was decided": (CHIP_TABLE, "dispute_closed.v1", set_event(paid=9_999)),
    "goodwill by one person": (CHIP_TABLE, "dispute_closed.v1", lambda entry: entry["request"].pop("second")),
    "goodwill above the bound": (CHIP_TABLE, "dispute_closed.v1", set_fact(goodwill_max=10)),
    "closed by a Dealer": (CHIP_TABLE, "dispute_closed.v1", set_request(by="dealer")),
    "another reason than was given": (CHIP_TABLE, "dispute_closed.v1", set_event(reason="no")),
    "the seat was paused for another reason": (CHIP_TABLE, "seat_paused.v1", set_event(reason="nothing")),
    "paused by a Dealer": (CHIP_TABLE, "seat_paused.v1", set_request(by="dealer")),
    "another Dealer took the table": (CHIP_TABLE, "dealer_changed.v1", set_event(dealer="eve")),
    "a Dealer who was there was gone": (CHIP_TABLE, "bets_opened.v1", set_fact(dealer_gone=True)),
    "another Dealer dealt": (CHIP_TABLE, "bets_opened.v1", set_request(who="eve")),
    "another closer is due": (CHIP_TABLE, "float_counted.v1", set_event(expected=1)),
    "a larger fill": (CHIP_TABLE, "float_filled.v1", set_event(cents=1)),
    "a larger drop": (CHIP_TABLE, "drop_removed.v1", set_event(cents=1)),
    "a fill by one person": (CHIP_TABLE, "float_filled.v1", lambda entry: entry["request"].pop("second")),
    "cash that did not reach the float": (
        CASH_TABLE,
        "credits_bought.v1",
        lambda entry: entry["events"][0].pop("in_float"),
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_row_is_found(name: str, copy: Path) -> None:
    """The forger has the key, and links and seals the chain again."""
    table, event, forge = FORGERIES[name]
    seq = seq_of(copy, table, event)
    rewrite(copy, table, seq, forge)
    reseal(copy, table)
    found = finding(copy)
    assert found is not None
    assert (found.table, found.entry) == (table, seq), found


def test_a_rewritten_round_before_a_dispute_breaks_the_frozen_hash(copy: Path) -> None:
    """A forger who leaves the money alone, and changes only what a person said before the dispute."""
    seq = seq_of(copy, CHIP_TABLE, "bets_opened.v1")
    rewrite(copy, CHIP_TABLE, seq, set_request(id="another-id"))
    rechain(copy, CHIP_TABLE)
    reseal(copy, CHIP_TABLE)
    sql = "UPDATE requests SET id = 'another-id' WHERE table_id = ? AND seq = ?"
    edit(copy, sql, CHIP_TABLE, seq)
    found = finding(copy)
    assert found is not None
    assert found.entry == seq_of(copy, CHIP_TABLE, "dispute.v1")
    assert "freezes" in found.what


def test_one_file_holds_a_dispute_and_verifies_offline(night: Path, tmp_path: Path, call: Calling) -> None:
    file = JournalFile(night)
    capsule = make_capsule(file, TableId(CHIP_TABLE), RoundNumber(1), read_key(night))
    file.close()
    path = tmp_path / "round-1.json"
    path.write_bytes(encode_capsule(capsule))
    bodies = "".join(entry.body for part in capsule.parts for entry in part.entries)
    for kind in ("dispute.v1", "dispute_closed.v1", "decision_made.v1"):
        assert kind in bodies
    assert call.json("verify", str(path), "--key", str(night) + ".key")["verifies"]
    story = call.json("explain", str(path), "--round", "1")
    words = [step["did"] for step in story["steps"]]
    assert any("contests round 1" in one and "“it was 1”" in one for one in words)
    assert any("closes dispute 1" in one and "25.00 of goodwill" in one for one in words)


def test_the_story_names_who_dealt(night: Path, call: Calling) -> None:
    story = call.json("explain", str(night), "--table", CHIP_TABLE, "--round", "1")
    opened = next(step for step in story["steps"] if step["did"].startswith("bets are opened"))
    assert (opened["by"], opened["who"]) == ("Dealer", "dee")
    status, out, _ = call("explain", str(night), "--table", CHIP_TABLE, "--round", "1")
    assert status == 0
    assert "Dealer (dee)" in out
    assert "Shift Manager (mei, with arun)" in " ".join(out.split())
