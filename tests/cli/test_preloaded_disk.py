"""A real process whose disk fails: a preloaded library lets its writes and syncs fail, tear or take long."""

import errno
from collections import Counter
from pathlib import Path

import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import read_key
from tests.support.deal_process import Deal
from tests.support.preload import library, needs_compiler
from tests.support.soak import SOAK, Counted, Tally, times

PARTS, SALES = times(1, 8), 200 if SOAK else 40
HEALTHY = "0 0 0 0 0 0"
FAULTS = {
    "one sync in three fails": f"{errno.EIO} 3 0 0 0 0",
    "every sync fails": f"{errno.EIO} 1 0 0 0 0",
    "one write in three finds the disk full and is torn": f"0 0 {errno.ENOSPC} 3 1 0",
    "one write in seven fails": f"0 0 {errno.EIO} 7 0 0",
    "every write fails": f"0 0 {errno.EIO} 1 0 0",
    "syncs and writes fail and are slow": f"{errno.EIO} 11 {errno.EIO} 13 1 5",
    "syncs take 20 ms": "0 0 0 0 0 20",
}
NAMES = {"s": "failed syncs", "w": "failed or torn writes", "d": "delayed syncs"}


@needs_compiler
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("fault", FAULTS)
def test_a_process_on_a_failing_disk_refuses_or_keeps_every_request(
    tmp_path: Path, fault: str, part: int, tally: Tally
) -> None:
    path, control = tmp_path / "journal.db", tmp_path / "faults"
    control.write_text(HEALTHY)
    table = Deal(path, environment={"LD_PRELOAD": str(library("disk")), "FAULTS_FILE": str(control)})
    seat = {"by": "player", "do": "take_seat", "seat": "s1", "terminal": "rapid-a"}
    assert all(one["ok"] for one in table.ask({"id": "a", "by": "dealer", "do": "open_table"}, {"id": "b", **seat}))
    control.write_text(FAULTS[fault])
    sale = {"by": "player", "do": "buy_credits", "seat": "s1", "cents": 100}
    # The size of a batch changes the place of the failing call in a commit.
    sizes, asked, answers = [1 + part % 4, 1, 3], 0, []
    while asked < SALES:
        size = sizes[asked % len(sizes)]
        answers += table.ask(*({"id": f"r{number}", **sale} for number in range(asked, asked + size)))
        asked += size
    assert {answer.get("refusal") for answer in answers} <= {None, "journal_unavailable"}
    if fault != "syncs take 20 ms":
        assert not all(answer["ok"] for answer in answers), "the faults have hit the journal"
    control.write_text(HEALTHY)
    refused = [answer["id"] for answer in answers if not answer["ok"]]
    # The table works again without a restart, and a request in doubt is carried out once.
    assert all(table.ask({"id": id, **sale})[0]["ok"] for id in refused)
    assert table.state()["seats"]["s1"]["credits"] == 100 * asked
    table.kill()
    table = Deal(path)
    assert table.state()["seats"]["s1"]["credits"] == 100 * asked
    assert table.end()[0] == 0
    assert verify_journal(path, read_key(path)).verifies
    for letter, number in Counter(control.with_name("faults.count").read_text()).items():
        tally.add(Counted.PRELOADED, number, NAMES[letter])
