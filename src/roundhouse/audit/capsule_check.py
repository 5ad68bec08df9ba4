"""Verifies a capsule: checks its chain and replays its entries from the states in the capsule."""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, Struct

from roundhouse.audit.capsule import Capsule, CapsulePart, concerns, in_progress
from roundhouse.audit.chain import Chain
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import RulebookSet
from roundhouse.audit.origin import NO_KEYS, Origin, TrustedKeys, check_proof
from roundhouse.audit.replay import Replay
from roundhouse.journal.entry import ChainHash, Entry, Seq, encode
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Row
from roundhouse.rules.game import Game
from roundhouse.table.events import BetsOpened
from roundhouse.table.ledger import imbalance
from roundhouse.table.names import Phase, RoundNumber, TableId
from roundhouse.table.state import RoundRecord, TableState


class CapsuleSummary(Struct, frozen=True):
    """The result of a successful verification of a capsule."""

    verifies: bool
    table: TableId
    round: RoundNumber
    game: str
    rulebook: str
    """Hash of the rulebook."""
    outcome: str | None
    """Outcome of the round. None if the round is void or not over."""
    over: bool
    entries: int
    first: Seq
    """Number of the first entry."""
    before: str
    """Hash of the chain before the first entry."""
    head: str
    """Hash of the last entry."""
    seals: int
    seals_checked: bool
    origin: Origin = Origin.UNKNOWN
    """Whether a key shows that the house wrote every entry."""
    witnesses: list[str] = []
    """Names of the given witnesses that have cosigned every part."""


class _CapsuleArchive:
    """The archive of a part: the past rounds in the capsule, updated by the replay."""

    def __init__(self, table: TableId, records: dict[RoundNumber, RoundRecord | None], rulebooks: RulebookSet) -> None:
        self._table = table
        self._rulebooks = rulebooks
        self.records = dict(records)

    def round(self, number: RoundNumber) -> RoundRecord | None:
        if number not in self.records:
            fail("the capsule lacks a past round", expected=f"round {number}", found=None, table=self._table)
        return self.records[number]

    def keep(self, record: RoundRecord) -> None:
        self.records[record.number] = record

    def game(self, rulebook: str) -> Game | None:
        return self._rulebooks.get(rulebook)


def verify_capsule(
    capsule: Capsule, key: Key | None, noted: Iterable[str] = (), keys: TrustedKeys = NO_KEYS
) -> CapsuleSummary:
    """Verify a capsule. ``noted`` are chain heads recorded earlier, which must be in the capsule."""
    hashes = {entry.hash for part in capsule.parts for entry in part.entries}
    for hash in noted:
        if hash.lower() not in hashes:
            fail("a chain head recorded earlier is not in the capsule", expected=hash, found=None)
    return _CapsuleVerifier(capsule, key, keys).summary()


class _CapsuleVerifier:
    def __init__(self, capsule: Capsule, key: Key | None, keys: TrustedKeys) -> None:
        self._capsule = capsule
        self._key = key
        self._keys = keys
        self._signed, self._cosigners = True, {str(one.name) for one in keys.witnesses}
        self._rulebooks = RulebookSet((hash, text.encode()) for hash, text in capsule.rulebooks.items())
        self._rulebooks.check()
        self._record: RoundRecord | None = None
        self._seals = 0
        self._last = Seq(0)
        self._over = False
        if not capsule.parts or not all(part.entries for part in capsule.parts):
            fail("the capsule is empty", expected="entries", found=None)
        for part in capsule.parts:
            self._check(part)
            self._check_proof(part)

    def _check(self, part: CapsulePart) -> None:
        capsule, table = self._capsule, self._capsule.table
        game = self._rulebooks.get(part.rulebook)
        if game is None:
            fail("a rulebook is not in the capsule", expected=part.rulebook, found=None)
        if part.state.phase_before_stop is not Phase.CLOSED and part.state.rulebook != part.rulebook:
            what = "a part names another rulebook than its starting state"
            fail(what, expected=part.state.rulebook, found=part.rulebook, table=table)
        first = part.entries[0].seq
        if first <= self._last:
            fail("the parts are not in order", expected=f"after entry {self._last}", found=first, table=table)
        if wrong := imbalance(part.state):
            what = "the accounts of the state before a part do not balance"
            fail(what, expected="a balance", found=wrong, table=table, entry=first)
        archive = _CapsuleArchive(table, part.records, self._rulebooks)
        if self._last and part.records.get(capsule.round) != self._record:
            what = "the round in a later part differs from its replay"
            fail(what, expected=self._record, found=part.records.get(capsule.round))
        # A copy, because the replay changes the state.
        state = msgspec.json.decode(encode(part.state), type=TableState)
        replay = Replay(table, self._rulebooks, game, state, archive)
        for index, entry in enumerate(self._chain(part)):
            if index == 0:
                self._check_first(entry)
            replay.check(entry)
            self._last = entry.seq
        replay.check_end(self._last)
        self._record = archive.records.get(capsule.round)
        self._over = not in_progress(state, capsule.round)

    def _check_proof(self, part: CapsulePart) -> None:
        last = part.entries[-1]
        signed, cosigners = False, set[str]()
        if part.proof is not UNSET:
            signed, cosigners = check_proof(
                part.proof, self._capsule.table, last.seq, bytes.fromhex(last.hash), self._keys
            )
        self._signed &= signed
        self._cosigners &= cosigners

    def _chain(self, part: CapsulePart) -> list[Entry]:
        try:
            rows = [
                Row(entry.seq, entry.body.encode(), ChainHash(bytes.fromhex(entry.hash)), None)
                for entry in part.entries
            ]
            seals = [(entry.seq, bytes.fromhex(entry.seal)) for entry in part.entries if entry.seal is not None]
            before = ChainHash(bytes.fromhex(part.before))
        except ValueError as error:
            fail("a hash or a seal is not hexadecimal", expected="hexadecimal digits", found=error)
        chain = Chain(self._capsule.table, iter(rows), iter(seals), self._key, Seq(rows[0].seq - 1), before)
        entries = [entry for _, entry in chain]
        self._seals += chain.seals
        return entries

    def _check_first(self, entry: Entry) -> None:
        """Check that the first part begins with the opening of the round, and later parts with an entry about it."""
        number = self._capsule.round
        opens = any(isinstance(event, BetsOpened) and event.round == number for event in entry.events)
        if not (concerns(entry, number) and (self._last or opens)):
            what = "a part does not begin with the opening of bets or a later entry about the round"
            fail(what, expected=f"round {number}", found=entry.events, table=self._capsule.table, entry=entry.seq)

    def summary(self) -> CapsuleSummary:
        capsule, first = self._capsule, self._capsule.parts[0]
        game = self._rulebooks.get(first.rulebook)
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
            origin=Origin.KNOWN if self._key is not None or self._signed else Origin.UNKNOWN,
            witnesses=sorted(self._cosigners),
        )
