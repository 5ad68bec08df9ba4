"""The house's own chain under proof: every entry admitted over again, in its order, by the rules of the house.

Who caused it held that position then; nobody was his own second person; what was locked stayed locked. Secrets are
not history: that each has its owner is checked, what they are cannot be.
"""

from collections.abc import Iterator

import msgspec
from msgspec import UNSET, Struct

from roundhouse.audit.chain import Links
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile
from roundhouse.journal.entry import ChainHash, Entry
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Row
from roundhouse.people.admit import admit
from roundhouse.people.apply import apply
from roundhouse.people.events import HouseEntry, ProposalApproved, SettingChanged, decode, encode
from roundhouse.people.names import HOUSE_CHAIN, PASSWORD, TERMINAL_KEY, PersonId, ProposalId
from roundhouse.people.state import HouseState
from roundhouse.table.names import RequestId, TableId

# What admitting or applying something that cannot be raises; a fault of the machine is not among them.
_NONSENSE = (AssertionError, AttributeError, LookupError, TypeError, ValueError)


class HouseSummary(Struct, frozen=True):
    entries: int
    head: str
    seals: int
    people: int
    terminals: int
    alerts: int
    """Those that nobody has acknowledged."""


class HouseTimes(Struct, frozen=True):
    """The time zone and the shifts of a house."""

    time_zone: str
    shifts: tuple[str, ...]


class _Recorded(Struct, frozen=True):
    house: HouseTimes


def times_of(file: JournalFile) -> HouseTimes | None:
    """Those of the last configuration that the house recorded; nothing where the journal is of no house."""
    row = file.last_with(HOUSE_CHAIN, b'"setting":"house.toml"')
    if row is None:
        return None
    try:
        event = decode(row.body).event
        return msgspec.json.decode(event.now, type=_Recorded).house if isinstance(event, SettingChanged) else None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fail("the entry cannot be read", expected="a configuration", found=error, table=HOUSE_CHAIN, entry=row.seq)


class HouseProof:
    def __init__(self, file: JournalFile, key: Key | None) -> None:
        self._file = file
        self._state = HouseState()
        self._chain = Links(decode, HOUSE_CHAIN, file.entries(HOUSE_CHAIN), file.seals(HOUSE_CHAIN), key)
        self._approved: set[tuple[TableId, RequestId, PersonId, PersonId | None]] = set()
        """Requests that two persons stood for, and who they were."""
        self._snapshots = {snapshot.seq: snapshot for snapshot in file.snapshots(HOUSE_CHAIN)}

    def check(self) -> Iterator[ChainHash]:
        """The hash of every entry, each of them checked; after the last, what else the file keeps of the house."""
        for row, entry in self._chain:
            self._check_entry(entry)
            self._check_snapshot(row)
            yield row.hash
        self._finish()

    def _check_entry(self, entry: HouseEntry) -> None:
        try:
            refused = admit(self._state, entry)
            if refused is None:
                if isinstance(entry.event, ProposalApproved):
                    self._note_approval(entry.event.proposal, entry.by.person)
                apply(self._state, entry)
                return
            words = f"{refused.refusal}: {refused.reason}" if refused.reason else refused.refusal.value
        except _NONSENSE as bug:
            words = repr(bug)
        what = "an event of the house cannot have happened"
        fail(what, expected=f"refused as {words}", found=encode(entry), table=HOUSE_CHAIN, entry=self._chain.seq)

    def _note_approval(self, proposal: ProposalId, second: PersonId | None) -> None:
        found = self._state.proposals[proposal]
        self._approved.add((found.proposed.table, found.proposed.command.id, found.person, second))

    def check_names(self, table: TableId, entry: Entry) -> None:
        """Whoever a table names is one of the house; and two persons stood for what bears two names."""
        if (request := entry.request) is None or request.who is UNSET or not self._chain.seq:
            return
        if request.who not in self._state.people:
            fail(
                "a person of whom the house knows nothing",
                expected=None,
                found=request.who,
                table=table,
                entry=entry.seq,
            )
        if request.second is UNSET:
            return
        if (table, request.id, request.who, request.second) not in self._approved:
            names = f"{request.who} and {request.second}"
            fail("two names that no approval bears", expected=None, found=names, table=table, entry=entry.seq)

    def _check_snapshot(self, row: Row) -> None:
        if (snapshot := self._snapshots.pop(row.seq, None)) is None:
            return
        if snapshot.hash != row.hash:
            fail("a snapshot's hash", expected=row.hash, found=snapshot.hash, table=HOUSE_CHAIN, entry=row.seq)
        if (memory := encode(self._state)) != snapshot.memory:
            fail("a snapshot", expected=memory, found=snapshot.memory, table=HOUSE_CHAIN, entry=row.seq)

    def _finish(self) -> None:
        for seq in self._snapshots:
            fail("a snapshot of an entry that is not there", expected=None, found=seq, table=HOUSE_CHAIN)
        for name in ("requests", "rounds"):
            if found := self._file.count(name, HOUSE_CHAIN):
                fail(f"the house has no {name}", expected=None, found=f"{found} {name}", table=HOUSE_CHAIN)
        people = {(PASSWORD, str(id)) for id, person in self._state.people.items() if person.has_password}
        expected = people | {(TERMINAL_KEY, str(number)) for number in self._state.terminals}
        if (kept := set(self._file.credentials())) != expected:
            missing, strange = sorted(expected - kept), sorted(kept - expected)
            fail("the credentials of people and terminals", expected=missing, found=strange, table=HOUSE_CHAIN)

    def summary(self) -> HouseSummary | None:
        if not self._chain.seq:
            return None
        state, chain = self._state, self._chain
        people, terminals, alerts = len(state.people), len(state.terminals), len(state.alerts)
        return HouseSummary(chain.seq, chain.hash.hex(), chain.seals, people, terminals, alerts)
