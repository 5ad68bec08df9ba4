"""Simulated power cuts on a disk that also fails: what was acknowledged is in the journal that the disk has kept."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from roundhouse import rulebooks
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.opening import key_for, writer_of
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer
from roundhouse.journal.heads import heads_path
from roundhouse.journal.seal import key_path, read_key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.table.commands import AnyCommand, Chips, PlaceBets
from roundhouse.table.names import RequestId, TableId, TicketNumber
from roundhouse.table.refusals import Refusal
from tests.support.clocks import ScriptedClock
from tests.support.history import History
from tests.support.power_cut_disk import Chances, PowerCutDisk, power_cut_disk
from tests.support.soak import Counted, Tally, times
from tests.support.two_tables import RED, SEAT, buy, cash_out, open_bets, opening, redeem, spin_to, ticket_of
from tests.support.writers import TERMS, command

NIGHTS, CUTS, STEPS = times(12, 150), 8, 30
TABLE, GAME = TableId("one"), "rws-double-zero"
COUNTED = {
    "write_failed": Counted.WRITE_FAILED,
    "disk_full": Counted.DISK_FULL,
    "sync_failed": Counted.SYNC_FAILED,
    "lost": Counted.WRITE_LOST,
    "torn": Counted.WRITE_TORN,
}
NOTHING_STANDS = command("x", "dealer", "declare", irregularity="interrupted_without_outcome", who="ann", second="ben")
"""Voids a round that the power cut has interrupted."""
KINDS = {
    "healthy": Chances(),
    "failing writes": Chances(write_fails=0.05),
    "full": Chances(disk_is_full=0.05),
    "failing syncs": Chances(sync_fails=0.1),
    "all of it": Chances(write_fails=0.02, disk_is_full=0.02, sync_fails=0.05),
}


@pytest.mark.parametrize("night", range(NIGHTS))
def test_a_power_cut_loses_nothing_that_was_acknowledged(
    tmp_path: Path, night: int, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_EVERY", 9)
    monkeypatch.setattr("roundhouse.floor.writer.SNAPSHOT_AT_LAST", 9)
    dice = Random(f"power cuts {night}")
    kind = list(KINDS)[night % len(KINDS)]
    with power_cut_disk(dice) as disk:
        Night(tmp_path, disk, dice, KINDS[kind], tally).run()
    for name, counted in COUNTED.items():
        tally.add(counted, disk.counts[name])
    tally.add(Counted.POWER_CUT, CUTS, f"disk {kind}")


class Night:
    """One table whose power is cut several times. Each time another folder has what the disk has kept."""

    def __init__(self, folder: Path, disk: PowerCutDisk, dice: Random, chances: Chances, tally: Tally) -> None:
        self.folder, self.disk, self.dice, self.chances, self.tally = folder, disk, dice, chances, tally
        self.clock = ScriptedClock()
        self.acknowledged: dict[str, Answer] = {}
        self.refused: set[str] = set()
        """Requests that were refused as not written, and were not in doubt."""
        self.tickets: list[TicketNumber] = []
        self.count = 0

    def run(self) -> None:
        path = self.folder / "0" / "house.db"
        path.parent.mkdir()
        for cut in range(CUTS):
            store = SqliteStore(path)
            store.sync_file = self.disk.sync_file
            writer = self.open(store, path)
            self.take(writer.handle(self.numbered([*opening(), NOTHING_STANDS])), required=not cut)
            heads = [heads_path(path).read_bytes()]
            self.disk.chances = self.chances
            for _ in range(self.dice.randrange(STEPS)):
                failed = self.take(writer.handle(self.numbered(self.batch(writer))))
                heads.append(heads_path(path).read_bytes())
                # A cut just after a failure is the most dangerous one.
                if failed and self.dice.random() < 0.4:
                    break
            folder = self.folder / f"{cut + 1}"
            folder.mkdir()
            following = self.disk.cut_power(path, folder)
            self.keep_files(path, following, heads)
            store.close()
            with self.disk.removed():
                self.check(following)
            shutil.rmtree(path.parent)
            path = following

    def open(self, store: SqliteStore, path: Path) -> TableWriter:
        game, content = rulebooks.find_with_content(GAME)
        return writer_of(store, key_for(path, store), TABLE, game, content, self.clock, TERMS)

    def numbered(self, commands: Sequence[AnyCommand]) -> list[AnyCommand]:
        """Give each command an id that no other command has."""
        first = self.count + 1
        self.count += len(commands)
        return [replace(command, id=RequestId(f"q{first + n}")) for n, command in enumerate(commands)]

    def batch(self, writer: TableWriter) -> list[AnyCommand]:
        dice = self.dice
        throw = dice.random()
        if throw < 0.35:
            return [buy("", dice.randint(1, 900)) for _ in range(dice.randint(1, 4))]
        if throw < 0.5:
            return [cash_out("")]
        if throw < 0.65 and self.tickets:
            return [redeem("", dice.choice(self.tickets[-4:]))]
        bet = PlaceBets(
            id=RequestId(""), by=StaffPosition.PLAYER, seat=SEAT, bets=(Chips(RED, Cents(dice.randint(1, 50))),)
        )
        round = [open_bets(""), bet, bet, *spin_to(dice.choice("123"))]
        return round[: dice.randint(1, 2 * len(round))]

    def take(self, answers: Sequence[Answer], required: bool = False) -> bool:
        """Keep the answers, and return whether any request was refused because of the disk."""
        failed = False
        for answer in answers:
            if answer.refusal is Refusal.JOURNAL_UNAVAILABLE:
                assert not required
                failed = True
                if "may or may not" not in str(answer.reason):
                    self.refused.add(str(answer.id))
                continue
            self.acknowledged[str(answer.id)] = answer
            if any(type(event).__name__.startswith("CashedOut") for event in answer.events or []):
                self.tickets.append(ticket_of(answer))
        return failed

    def keep_files(self, before: Path, after: Path, heads: list[bytes]) -> None:
        """Copy the key, and an old, new or torn state of the heads file, which is synced once a second."""
        for file in before.parent.iterdir():
            if file.name.startswith(key_path(before).name):
                shutil.copyfile(file, after.parent / file.name)
        old, new = self.dice.choice(heads), heads[-1]
        at = self.dice.choice((0, len(new), self.dice.randint(0, len(new))))
        heads_path(after).write_bytes(new[:at] + old[at:])

    def check(self, path: Path) -> None:
        history = History(path, TABLE)
        store = SqliteStore(path)
        try:
            writer = self.open(store, path)
            history.read()
            for id, answer in self.acknowledged.items():
                assert id in history.recorded, f"{id} was acknowledged and is lost"
                entry = history.recorded[id]
                assert (entry.seq, entry.refusal) == (answer.version, answer.refusal)
            assert not self.refused & set(history.recorded), "a refused request did not happen"
            seats = writer.table.state.seats
            assert {name: seat.credits for name, seat in seats.items()} == {SEAT: 0} | history.credits
        finally:
            store.close()
        assert verify_journal(path, read_key(path)).verifies
