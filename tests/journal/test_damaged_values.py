"""A flipped bit can give a stored value another type, or make a text invalid. The journal is refused as damaged."""

from pathlib import Path

import apsw
import pytest

from roundhouse.floor.opening import key_for
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalDamaged
from tests.support.forgery import edit
from tests.support.journals import ROULETTE, JournalHouse, seat


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    house = JournalHouse(tmp_path / "house.db")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 10_000))
    house.close()
    return tmp_path / "house.db"


@pytest.mark.parametrize("change", ["body = 7", "hash = 'ab'", "body = NULL"])
def test_a_value_of_another_type_is_damage(journal: Path, change: str) -> None:
    """SQLite checks the types of a STRICT table only when it writes. The test removes STRICT to write such a value."""
    lax = "replace(replace(sql, ' NOT NULL', ''), ' STRICT', '')"
    for statements in (
        (
            "PRAGMA writable_schema = ON",
            "DROP TRIGGER entries_are_not_edited",
            f"UPDATE sqlite_schema SET sql = {lax} WHERE name = 'entries'",
        ),
        (f"UPDATE entries SET {change} WHERE seq = 2",),
    ):
        db = apsw.Connection(str(journal))
        for statement in statements:
            db.execute(statement)
        db.close()
    store = SqliteStore(journal)
    with pytest.raises(JournalDamaged, match="wrong type"):
        list(store.rows(ROULETTE))
    store.close()


def test_a_journal_whose_text_is_not_text_is_damaged(journal: Path) -> None:
    """The id of a table is invalid UTF-8."""
    edit(journal, "INSERT INTO tables VALUES (CAST(x'ae' AS TEXT), '')")
    store = SqliteStore(journal)
    with pytest.raises(JournalDamaged, match="is damaged"):
        key_for(journal, store)
    store.close()
