"""A journal of an earlier version adopts the current procedure, and verify finds a forged adoption."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.table.names import TableId
from tests.support.forgery import finding, query, reseal, rewrite
from tests.support.golden_journals import DAY, archived, copy_of, deal, request, sessions_by_table, verified

GAME = "rws-double-zero"
Edit = Callable[[dict[str, Any]], None]


def continued(golden: Path, tmp_path: Path) -> tuple[Path, TableId, int]:
    """Take a seat at an old table with this version. Return the journal, the table and that entry's number."""
    journal = copy_of(golden, f"deal-{GAME}", tmp_path)
    states = {
        table: archived(golden, f"deal-{GAME}", f"state-{table}.json") for table in sessions_by_table(golden, GAME)
    }
    table = next(table for table, state in states.items() if state["phase"] == "idle")
    sessions = sessions_by_table(golden, GAME)[table]
    taken = request("on-1", "take_seat", "player", seat="new", terminal="rapid-a")
    bought = request("on-2", "buy_credits", "cashier", seat="new", cents=100)
    _, *answers = deal(journal, GAME, table, sessions[-1]["clock"] + DAY, [taken, bought])
    assert all(msgspec.json.decode(answer)["ok"] for answer in answers), answers
    ((seq,),) = query(journal, "SELECT max(seq) - 1 FROM entries WHERE table_id = ?", table)
    return journal, TableId(table), seq


def test_the_first_act_of_this_version_adopts_the_current_procedure(golden: Path, tmp_path: Path) -> None:
    journal, table, seq = continued(golden, tmp_path)
    bodies = query(journal, "SELECT body FROM entries WHERE table_id = ? AND seq >= ? ORDER BY seq", table, seq)
    first, second = (msgspec.json.decode(body) for (body,) in bodies)
    assert [event["event"] for event in first["events"]] == ["procedure_adopted.v1", "seat_taken.v1"]
    assert [event["event"] for event in second["events"]] == ["credits_bought.v1"]
    procedures = {one["table"]: one["procedure"] for one in verified(journal)["tables"]}
    assert procedures[table] == 2
    assert {number for other, number in procedures.items() if other != table} <= {1}


FORGED: list[tuple[str, int, Edit]] = [
    ("the adoption is removed", 0, lambda entry: entry["events"].pop(0)),
    ("the adoption comes later", 1, lambda entry: entry["events"].insert(0, adoption())),
    ("the terms are removed", 0, lambda entry: entry["facts"].pop("house")),
    ("another currency", 0, lambda entry: entry["events"][0].update(currency="SGD")),
    ("another procedure", 0, lambda entry: entry["events"][0].update(procedure=3)),
]


def adoption() -> dict[str, Any]:
    return {"event": "procedure_adopted.v1", "procedure": 2, "currency": "XXX"}


@pytest.mark.parametrize(("after", "forge"), [one[1:] for one in FORGED], ids=[one[0] for one in FORGED])
def test_a_forged_adoption_is_detected(golden: Path, tmp_path: Path, after: int, forge: Edit) -> None:
    journal, table, seq = continued(golden, tmp_path)
    assert finding(journal) is None
    rewrite(journal, table, seq + after, forge)
    reseal(journal, table)
    found = finding(journal)
    assert found is not None
    assert (found.table, found.entry) == (table, seq + after)


def test_an_adoption_in_an_entry_of_the_earlier_version_is_detected(golden: Path, tmp_path: Path) -> None:
    journal, table, _ = continued(golden, tmp_path)
    sql = "SELECT min(seq) FROM entries WHERE table_id = ? AND instr(body, 'result_confirmed.v1')"
    ((seq,),) = query(journal, sql, table)
    rewrite(journal, table, seq, lambda entry: entry["events"].insert(0, adoption()))
    reseal(journal, table)
    found = finding(journal)
    assert found is not None
    assert found.entry == seq
