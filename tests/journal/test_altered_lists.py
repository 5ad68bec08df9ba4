"""A journal whose list of tables or whose triggers were altered pays nothing by it."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from roundhouse.floor.opening import key_for
from roundhouse.journal.heads import heads_path
from roundhouse.journal.store import JournalDamaged, TicketIsTaken
from tests.support.forgery import edit, query, rewrite
from tests.support.journals import ROULETTE, SANDS, JournalHouse, seat
from tests.support.writers import command


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed journal of two tables, each with a seat that has 10.00."""
    path = tmp_path / "house.db"
    house = opened(path)
    for table, terminal in ((ROULETTE, "rapid-a"), (SANDS, "table")):
        house.do(table, {"do": "open_table"}, *seat("a", terminal, 1000))
    house.close()
    return path


def opened(path: Path, requests_before: int = 0) -> JournalHouse:
    """Open the journal with the checks of a house that opens, each once."""
    house = JournalHouse(path, requests_before=requests_before)
    try:
        key_for(path, house.store)
        house.open(ROULETTE, "rws-double-zero")
        house.open(SANDS, "mbs-sands")
    except BaseException:
        house.close()
        raise
    return house


def test_a_table_that_was_removed_from_the_list_is_not_opened(path: Path) -> None:
    """The seals of unlisted chains are not checked, so a rewritten chain would be paid."""
    sql = "SELECT seq FROM entries WHERE table_id = ? AND instr(body, 'credits_bought')"
    ((seq,),) = query(path, sql, ROULETTE)

    def buy_more(entry: dict[str, Any]) -> None:
        entry["request"]["cents"] = 99_999_900
        (event,) = entry["events"]
        event["cents"] = 99_999_900

    rewrite(path, ROULETTE, seq, buy_more)
    edit(path, "DELETE FROM tables WHERE id = ?", ROULETTE)
    heads_path(path).unlink()
    with pytest.raises(JournalDamaged, match="was removed from the list of tables"):
        opened(path)


def test_a_ticket_is_redeemed_once_without_the_trigger_too(path: Path) -> None:
    house = opened(path, 100)
    (out,) = house.do(ROULETTE, {"by": "cashier", "do": "cash_out", "seat": "a"})
    house.close()
    db = apsw.Connection(str(path))
    db.execute("DROP TRIGGER a_ticket_is_redeemed_once")
    db.close()
    house = opened(path, 200)
    ticket = getattr((out.events or [])[0], "ticket")  # noqa: B009
    # Both tables decide before either has committed, as in a server's common transaction.
    batches = [
        house.writers[table].decide([command("x", by="cashier", do="redeem_ticket", seat="a", ticket=ticket)]).batch
        for table in (ROULETTE, SANDS)
    ]
    with pytest.raises(TicketIsTaken):
        house.store.commit(*(batch for batch in batches if batch is not None))
    house.close()
    assert query(path, "SELECT redeemed_seq FROM tickets") == [(None,)]
