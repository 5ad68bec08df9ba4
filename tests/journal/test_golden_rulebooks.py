"""Rulebooks of an older version, as the golden journals contain them, still load with today's schema."""

import hashlib
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest

from roundhouse import rulebooks
from roundhouse.rules.loading import load
from roundhouse.rules.names import IrregularityId
from roundhouse.rules.rulebook import Until
from tests.support.golden_journals import GAMES, copy_of


@pytest.mark.parametrize("game", GAMES)
def test_an_older_rulebook_loads_and_differs_only_in_its_readings(golden: Path, tmp_path: Path, game: str) -> None:
    with closing(connect(copy_of(golden, f"deal-{game}", tmp_path))) as journal:
        ((hash, content),) = journal.execute("SELECT hash, content FROM rulebooks").fetchall()
    old, new = load(content), rulebooks.find(game)
    assert old.hash == hash == hashlib.sha256(content).hexdigest() != new.hash
    assert old.rulebook.chips is None
    foreign = old.rulebook.irregularities.get(IrregularityId("foreign_object"))
    assert foreign is None or foreign.until is Until.REST, "an old round keeps the reading it was played under"
    assert list(old.rulebook.clauses) == list(new.rulebook.clauses)
    assert (old.wheel, old.rulebook.effective) == (new.wheel, new.rulebook.effective)
    for id, layout in new.layouts.items():
        assert layout.positions == old.layouts[id].positions
        assert layout.labels == old.layouts[id].labels
    assert {id: t.packages for id, t in new.terminals.items()} == {id: t.packages for id, t in old.terminals.items()}
