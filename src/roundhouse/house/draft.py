"""A version of the house's state, and a draft: the uncommitted entries that a change adds to it."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from roundhouse.journal.entry import ChainHash, Seq, link
from roundhouse.journal.store import Credential, Row
from roundhouse.people.admit import admit
from roundhouse.people.apply import apply
from roundhouse.people.events import Actor, AnyHouseEvent, HouseEntry, encode
from roundhouse.people.names import HouseRefused
from roundhouse.people.state import HouseState
from roundhouse.table.names import Millis

Step = tuple[Actor, AnyHouseEvent]
Verifiers = Mapping[tuple[str, str], bytes]
"""Verifiers of passwords and terminal keys, by kind and name."""


class Version(Struct, frozen=True):
    """The house after one entry of its chain. The state and the verifiers are never changed in place."""

    seq: Seq
    hash: ChainHash
    state: HouseState
    verifiers: Verifiers


class Draft:
    """The uncommitted entries of one change, and the version of the house that results. The writer commits them."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.rows: list[Row] = []
        self.entries: list[HouseEntry] = []
        self.secrets: list[Credential] = []
        self.actions: list[Callable[[], None]] = []

    @property
    def state(self) -> HouseState:
        return self.version.state

    def refusal_of(self, at: Millis, by: Actor, event: AnyHouseEvent) -> HouseRefused | None:
        """Return the refusal that ``record`` would return, without recording the event."""
        return admit(self.state, HouseEntry(Seq(self.version.seq + 1), self.state.now(at), by, event))

    def record(self, at: Millis, steps: Sequence[Step], secrets: Sequence[Credential] = ()) -> HouseRefused | None:
        """Add all these entries, or add none and return the refusal."""
        seq, hash, state = self.version.seq, self.version.hash, self.state.copy()
        rows: list[Row] = []
        entries: list[HouseEntry] = []
        at = state.now(at)
        for by, event in steps:
            seq = Seq(seq + 1)
            entry = HouseEntry(seq, at, by, event)
            if (refused := admit(state, entry)) is not None:
                return refused
            apply(state, entry)
            body = encode(entry)
            hash = link(hash, body)
            rows.append(Row(seq, body, hash, None))
            entries.append(entry)
        self.version = Version(seq, hash, state, _with_secrets(self.version.verifiers, secrets))
        self.rows += rows
        self.entries += entries
        self.secrets += secrets
        return None

    def when_committed(self, action: Callable[[], None]) -> None:
        """Register an action to call once the change is durable, before a later change is decided."""
        self.actions.append(action)


def _with_secrets(verifiers: Verifiers, secrets: Sequence[Credential]) -> Verifiers:
    if not secrets:
        return verifiers
    found = dict(verifiers)
    for one in secrets:
        found.pop((one.kind, one.name), None)
        if one.verifier is not None:
            found[one.kind, one.name] = one.verifier
    return found
