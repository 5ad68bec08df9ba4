"""Checking a capsule: the same chain, the same replay, from the states that the capsule brings."""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from roundhouse.audit.capsule import Capsule, CapsulePart, touches
from roundhouse.audit.chain import Chain
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import RulebookSet
from roundhouse.audit.replay import Replay
from roundhouse.journal.entry import ChainHash, Entry, Seq, encode
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Row
from roundhouse.table.decision import IN_ROUND
from roundhouse.table.events import BetsOpened
from roundhouse.table.ledger import imbalance
from roundhouse.table.names import Phase, RoundNumber, TableId
from roundhouse.table.state import RoundRecord, TableState


class CapsuleSummary(Struct, frozen=True):
    verifies: bool
    table: TableId
    round: RoundNumber
    game: str
    rulebook: str
    outcome: str | None
    """Nothing when the round is void, or not over."""
    over: bool
    entries: int
    first: Seq
    before: str
    head: str
    seals: int
    seals_checked: bool


class _Brought:
    """The past rounds that a part brings, and what it makes of them."""

    def __init__(self, table: TableId, records: dict[RoundNumber, RoundRecord | None]) -> None:
        self._table = table
        self.records = dict(records)

    def round(self, number: RoundNumber) -> RoundRecord | None:
        if number not in self.records:
            fail("the capsule lacks a past round", expected=f"round {number}", found=None, table=self._table)
        return self.records[number]

    def keep(self, record: RoundRecord) -> None:
        self.records[record.number] = record


def verify_capsule(capsule: Capsule, key: Key | None, noted: Iterable[str] = ()) -> CapsuleSummary:
    hashes = {line.hash for part in capsule.parts for line in part.entries}
    for hash in noted:
        if hash.lower() not in hashes:
            fail("a hash that was noted down earlier is not in the capsule", expected=hash, found=None)
    return _Checking(capsule, key).summary()


class _Checking:
    def __init__(self, capsule: Capsule, key: Key | None) -> None:
        self._capsule = capsule
        self._key = key
        self._shelf = RulebookSet((hash, text.encode()) for hash, text in capsule.rulebooks.items())
        self._shelf.check()
        self._record: RoundRecord | None = None
        self._seals = 0
        self._last = Seq(0)
        self._over = False
        if not capsule.parts or not all(part.entries for part in capsule.parts):
            fail("the capsule is empty", expected="entries", found=None)
        for part in capsule.parts:
            self._check(part)

    def _check(self, part: CapsulePart) -> None:
        capsule, table = self._capsule, self._capsule.table
        game = self._shelf.get(part.rulebook)
        if game is None:
            fail("a rulebook is not in the capsule", expected=part.rulebook, found=None)
        if part.state.phase_before_stop is not Phase.CLOSED and part.state.rulebook != part.rulebook:
            fail("the rulebook is not the one in play", expected=part.state.rulebook, found=part.rulebook, table=table)
        first = part.entries[0].seq
        if first <= self._last:
            fail("the parts are not in order", expected=f"after entry {self._last}", found=first, table=table)
        if wrong := imbalance(part.state):
            fail("the state before does not balance", expected="a balance", found=wrong, table=table, entry=first)
        archive = _Brought(table, part.records)
        if self._last and part.records.get(capsule.round) != self._record:
            fail("the round as a later entry met it", expected=self._record, found=part.records.get(capsule.round))
        # A copy: the capsule keeps the state as it was before.
        state = msgspec.json.decode(encode(part.state), type=TableState)
        replay = Replay(table, self._shelf, game, state, archive)
        for index, entry in enumerate(self._chain(part)):
            if index == 0:
                self._check_begins(entry)
            replay.check(entry)
            self._last = entry.seq
        replay.check_end(self._last)
        self._record = archive.records.get(capsule.round)
        self._over = not (state.round == capsule.round and state.phase_before_stop in (*IN_ROUND, Phase.REFERRED))

    def _chain(self, part: CapsulePart) -> list[Entry]:
        try:
            rows = [
                Row(line.seq, line.body.encode(), ChainHash(bytes.fromhex(line.hash)), None) for line in part.entries
            ]
            seals = [(line.seq, bytes.fromhex(line.seal)) for line in part.entries if line.seal is not None]
            before = ChainHash(bytes.fromhex(part.before))
        except ValueError as error:
            fail("a hash is no hash", expected="hexadecimal digits", found=error)
        chain = Chain(self._capsule.table, iter(rows), iter(seals), self._key, Seq(rows[0].seq - 1), before)
        entries = [entry for _, entry in chain]
        self._seals += chain.seals
        return entries

    def _check_begins(self, entry: Entry) -> None:
        number = self._capsule.round
        opens = any(isinstance(event, BetsOpened) and event.round == number for event in entry.events)
        if not (touches(entry, number) and (self._last or opens)):
            what = "a part does not begin with what concerns the round"
            fail(what, expected=f"round {number}", found=entry.events, table=self._capsule.table, entry=entry.seq)

    def summary(self) -> CapsuleSummary:
        capsule, first = self._capsule, self._capsule.parts[0]
        game = self._shelf.get(first.rulebook)
        assert game is not None
        return CapsuleSummary(
            verifies=True,
            table=capsule.table,
            round=capsule.round,
            game=game.rulebook.title,
            rulebook=game.hash,
            outcome=self._record.outcome if self._record else None,
            over=self._over,
            entries=sum(len(part.entries) for part in capsule.parts),
            first=first.entries[0].seq,
            before=first.before,
            head=capsule.parts[-1].entries[-1].hash,
            seals=self._seals,
            seals_checked=self._key is not None,
        )
