"""Verifies the house's own chain: checks every entry again with ``people.admit``.

This checks positions, approvals and locks as they were at each entry. Credentials are not recorded in the chain, so
only their owners are checked.
"""

import re
from collections.abc import Callable, Iterator

import msgspec
from msgspec import UNSET, Struct

from roundhouse.audit.chain import Links
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile
from roundhouse.cage.entry import CageEntry
from roundhouse.journal.entry import ChainHash, Entry, Seq
from roundhouse.journal.index import OPENING
from roundhouse.journal.seal import Key, dispute_digest, snapshot_fits
from roundhouse.journal.store import Row
from roundhouse.people.admit import admit
from roundhouse.people.apply import apply
from roundhouse.people.events import HouseEntry, HouseRestored, ProposalApproved, SettingChanged, decode, encode
from roundhouse.people.names import HOUSE_CHAIN, PASSWORD, TERMINAL_KEY, PersonId, ProposalId
from roundhouse.people.state import HouseState, lacks_access
from roundhouse.table.events import TableOpened
from roundhouse.table.names import RequestId, TableId, TicketId

_CURRENCY = re.compile(rb'"currency":"([A-Z]{3})"')
# Exceptions of admit and apply that mean an impossible entry. OSError and MemoryError are not among them.
_IMPOSSIBLE = (AssertionError, AttributeError, LookupError, TypeError, ValueError)


class HouseSummary(Struct, frozen=True):
    """The verified figures of the house's own chain."""

    entries: int
    head: str
    """Hash of the last entry."""
    seals: int
    people: int
    terminals: int
    alerts: int
    """Number of alerts that are not acknowledged."""


class HouseTimes(Struct, frozen=True):
    """The time zone and the shifts of a house."""

    time_zone: str
    shifts: tuple[str, ...]


class _Recorded(Struct, frozen=True):
    house: HouseTimes


def times_of(file: JournalFile) -> HouseTimes | None:
    """Return zone and shifts of the last configuration that the house recorded, or None if there is none."""
    row = file.last_with(HOUSE_CHAIN, b'"setting":"house.toml"')
    if row is None:
        return None
    try:
        event = decode(row.body).event
        return msgspec.json.decode(event.now, type=_Recorded).house if isinstance(event, SettingChanged) else None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fail("the entry cannot be read", expected="a configuration", found=error, table=HOUSE_CHAIN, entry=row.seq)


def currency_of(file: JournalFile) -> str:
    """Return the currency of a journal: that of its house, else of a table; empty if none is on record."""
    row = file.last_with(HOUSE_CHAIN, b'"event":"house_started.')
    if row is not None and (found := _CURRENCY.search(row.body)) is not None:
        return found[1].decode()
    openings = (file.last_about(id, OPENING) for id, _ in file.tables())
    events = (event for opening in openings if opening is not None for event in opening.events)
    return next((event.currency for event in events if isinstance(event, TableOpened) and event.currency), "")


class HouseProof:
    """The verification of the house's own chain."""

    def __init__(self, file: JournalFile, key: Key | None) -> None:
        self._file, self._key = file, key
        self._state = HouseState()
        self._chain = Links(decode, HOUSE_CHAIN, file.entries(HOUSE_CHAIN), file.seals(HOUSE_CHAIN), key)
        self._has_run = False
        """Whether a house has run from this journal. A table alone has no people, also after a restoration."""
        self._approved: set[tuple[TableId, RequestId, PersonId, PersonId | None]] = set()
        """Approved requests: table, request, the person who proposed it and the person who approved it."""
        self._snapshots = {snapshot.seq: snapshot for snapshot in file.snapshots(HOUSE_CHAIN)}

    def disputes(self, key: Key | None) -> Callable[[TicketId], bool]:
        """Return a function that tells whether the house recorded a dispute about a ticket. It needs the key."""

        def is_disputed(ticket: TicketId) -> bool:
            disputed = self._state.disputed or {}
            return key is not None and bool(disputed) and dispute_digest(key, ticket) in disputed

        return is_disputed

    def check(self) -> Iterator[ChainHash]:
        """Check every entry and yield its hash. After the last entry, check the credentials and other rows."""
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
                    self._add_approval(entry.event.proposal, entry.by.person)
                apply(self._state, entry)
                self._has_run = self._has_run or not isinstance(entry.event, HouseRestored)
                return
            reason = f"{refused.refusal}: {refused.reason}" if refused.reason else refused.refusal.value
        except _IMPOSSIBLE as error:
            reason = repr(error)
        what = "an event of the house cannot have happened"
        fail(what, expected=f"refused as {reason}", found=encode(entry), table=HOUSE_CHAIN, entry=self._chain.seq)

    def _add_approval(self, proposal: ProposalId, second: PersonId | None) -> None:
        found = self._state.proposals[proposal]
        self._approved.add((found.proposed.table, found.proposed.command.id, found.person, second))

    def check_names(self, table: TableId, entry: Entry | CageEntry) -> None:
        """Check that the house knows the sender of a table's entry and recorded the approval by the second person."""
        if (request := entry.request) is None or request.who is UNSET or not self._has_run:
            return
        if request.who not in self._state.people:
            what = "the entry names a person whom the house does not know"
            fail(what, expected=None, found=request.who, table=table, entry=Seq(entry.seq))
        if request.second is UNSET:
            return
        if (table, request.id, request.who, request.second) not in self._approved:
            names = f"{request.who} and {request.second}"
            what = "the entry names two persons, but the house recorded no approval by them"
            fail(what, expected=None, found=names, table=table, entry=Seq(entry.seq))

    def _check_snapshot(self, row: Row) -> None:
        if (snapshot := self._snapshots.pop(row.seq, None)) is None:
            return
        if snapshot.hash != row.hash:
            what = "a snapshot has a wrong hash"
            fail(what, expected=row.hash, found=snapshot.hash, table=HOUSE_CHAIN, entry=row.seq)
        state = encode(self._state)
        if lacks_access(snapshot.memory):
            fields: dict[str, object] = msgspec.json.decode(state)
            for later in ("access", "gifts", "verifiers"):
                fields.pop(later, None)
            state = encode(fields)
        if state != snapshot.memory:
            what = "a snapshot differs from the replayed state"
            fail(what, expected=state, found=snapshot.memory, table=HOUSE_CHAIN, entry=row.seq)
        if self._key is not None and self._file.names_entries and not snapshot_fits(self._key, HOUSE_CHAIN, snapshot):
            what = "the seal of a snapshot does not fit"
            fail(what, expected="the seal of the house", found=snapshot.seal.hex(), table=HOUSE_CHAIN, entry=row.seq)

    def _finish(self) -> None:
        for seq in self._snapshots:
            fail("a snapshot of a missing entry", expected=None, found=seq, table=HOUSE_CHAIN)
        for name in ("requests", "rounds"):
            if found := self._file.count(name, HOUSE_CHAIN):
                fail(f"the house's chain must have no {name}", expected=0, found=found, table=HOUSE_CHAIN)
        people = {(PASSWORD, str(id)) for id, person in self._state.people.items() if person.has_password}
        expected = people | {(TERMINAL_KEY, str(number)) for number in self._state.terminals}
        credentials = list(self._file.credentials())
        if (stored := {(kind, owner) for kind, owner, _ in credentials}) != expected:
            missing, unknown = sorted(expected - stored), sorted(stored - expected)
            what = "the credentials are not those of the people and terminals of the house"
            fail(what, expected=missing, found=unknown, table=HOUSE_CHAIN)
        for kind, owner, verifier in credentials:
            if not self._state.verifier_fits(kind, owner, verifier):
                what = "the verifier of a credential was exchanged or damaged"
                fail(what, expected="the verifier on record", found=f"{kind} of {owner}", table=HOUSE_CHAIN)

    def summary(self) -> HouseSummary | None:
        if not self._chain.seq:
            return None
        state, chain = self._state, self._chain
        people, terminals, alerts = len(state.people), len(state.terminals), len(state.alerts)
        return HouseSummary(chain.seq, chain.hash.hex(), chain.seals, people, terminals, alerts)
