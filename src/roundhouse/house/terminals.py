"""Terminals: enrolled once with a code from the pit, and identified by their key afterwards.

A code is valid for ten minutes and for one use; a key is valid until it is revoked. Only their digests are kept: the
digest of a code in memory, the digest of a key in the journal's credentials.
"""

import ipaddress
import secrets
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from roundhouse.config.loading import Configuration
from roundhouse.config.schema import Guests
from roundhouse.house.draft import Draft, Step
from roundhouse.house.session import Session, digest, digest_matches, fresh_secret
from roundhouse.house.sessions import Sessions, must, record_refusal
from roundhouse.house.staff import Requester, record_for
from roundhouse.house.writer import HouseWriter
from roundhouse.journal.store import Credential
from roundhouse.people import events as e
from roundhouse.people.events import HOUSE, Actor, ActorKind
from roundhouse.people.names import CODE_LIFE, MINUTE, TERMINAL_KEY, HouseRefusal, HouseRefused, OfferId, TerminalNumber
from roundhouse.people.state import TerminalRecord, hash_of
from roundhouse.rules.names import TerminalId
from roundhouse.table.names import Millis, SeatId, TableId

_CODE_ALPHABET: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Characters of a code. I, O, 0 and 1 are left out, because they are easily confused."""
_CODE_LENGTH: Final = 8
MAX_TERMINALS: Final = 5000
_DAY: Final = 24 * 60 * MINUTE


_HAS_MONEY: Final = HouseRefused(
    HouseRefusal.NEEDS_SECOND_PERSON, "the seat has credits or bets; two persons first allow another terminal there"
)


NeedsAllowance = Callable[[TableId, SeatId, Millis, Millis | None], bool]
"""Takes the table, the seat, the time, and when the last terminal was enrolled there."""


class EnrolledTerminal(Struct, frozen=True):
    number: TerminalNumber
    table: TableId
    seat: SeatId
    terminal: TerminalId
    bill_acceptor: bool
    guest: bool


class TerminalKey(Struct, frozen=True):
    """The key of a newly enrolled terminal. It is not stored and cannot be read again."""

    key: str
    terminal: EnrolledTerminal


class Terminals:
    def __init__(self, writer: HouseWriter, config: Configuration, sessions: Sessions) -> None:
        self._writer, self._config, self._sessions = writer, config, sessions
        self._codes: dict[bytes, OfferId] = {}
        self.needs_allowance: NeedsAllowance = lambda *_: False
        """Tells whether two persons must first allow another terminal at a seat, because the seat has money."""
        self._enrolled: dict[tuple[TableId, SeatId], Millis] = {}
        """When this process last enrolled a terminal at a seat. The state forgets a terminal that is revoked."""

    # Readers of the committed state, without a lock

    def find(self, key: str) -> EnrolledTerminal | None:
        """Find the terminal of a key."""
        id, _, secret = key.partition(".")
        number, version = TerminalNumber(id), self._writer.version
        known = digest_matches(digest(secret), version.verifiers.get((TERMINAL_KEY, number)))
        found = version.state.terminals.get(number)
        return _enrolled(number, found) if known and found is not None else None

    def is_enrolled(self, number: TerminalNumber) -> bool:
        return number in self._writer.state.terminals

    def all(self) -> Mapping[TerminalNumber, TerminalRecord]:
        return self._writer.state.terminals

    # Changes

    async def enrol_code(self, session: Session, table: TableId, seat: SeatId, at: Millis) -> str | HouseRefused:
        """Create a code for a configured seat. The terminal that uses the code replaces the terminal at that seat."""
        planned = self._config.terminal_at(table, seat)
        if planned is None:
            return HouseRefused(
                HouseRefusal.NO_SUCH_SEAT, f"the configuration has no terminal at seat '{seat}' of '{table}'"
            )
        code = "".join(secrets.choice(_CODE_ALPHABET) for _ in range(_CODE_LENGTH))

        def decide(draft: Draft) -> str | HouseRefused:
            offer = OfferId(draft.state.fresh("e"))
            expires = Millis(draft.state.now(at) + CODE_LIFE)
            event = e.EnrolmentOffered(offer, table, seat, planned.kind, expires, planned.bill_acceptor)
            if self._has_money(draft, table, seat, at):
                record_refusal(draft, Actor(ActorKind.PERSON, session.person), event, _HAS_MONEY, at)
                return _HAS_MONEY
            if refused := self._sessions.record_as(draft, session, event, at):
                return refused
            draft.when_committed(lambda: self._store_code(code, offer))
            return code

        return await self._writer.record(decide)

    def _store_code(self, code: str, offer: OfferId) -> None:
        known = self._writer.state.offers
        self._codes = {hash: id for hash, id in self._codes.items() if id in known}
        self._codes[digest(code)] = offer

    async def enrol(self, code: str, at: Millis, address: str | None = None) -> TerminalKey | HouseRefused:
        by = Actor(ActorKind.NOBODY, address=address)
        hash = digest(code.upper().replace("-", "").replace(" ", ""))

        def decide(draft: Draft) -> TerminalKey | HouseRefused:
            offer = self._codes.get(hash)
            found = draft.state.offers.get(offer) if offer is not None else None
            if offer is None or found is None:
                result: TerminalKey | HouseRefused = HouseRefused(
                    HouseRefusal.NO_SUCH_CODE, "the code is wrong or has expired; ask the pit for a new one"
                )
            else:
                place = (found.table, found.seat, found.terminal, found.bill_acceptor)
                # The seat may have got credits after the code was given out.
                has_money = self._has_money(draft, found.table, found.seat, at)
                result = _HAS_MONEY if has_money else _enrol(draft, by, place, offer, at)
                if isinstance(result, TerminalKey):
                    self._enrolled[found.table, found.seat] = at
            if isinstance(result, HouseRefused):
                must(draft.record(at, [(by, e.EnrolmentFailed(result.refusal))]))
            return result

        return await self._writer.record(decide)

    def _has_money(self, draft: Draft, table: TableId, seat: SeatId, at: Millis) -> bool:
        """Return whether a seat has money for which two persons have not allowed a further terminal."""
        last = self._enrolled.get((table, seat))
        if last is None and (number := draft.state.enrolled_at(table, seat)) is not None:
            last = draft.state.terminals[number].since
        return self.needs_allowance(table, seat, at, last)

    async def guest(
        self, table: TableId, kind: TerminalId | None, address: str, at: Millis
    ) -> TerminalKey | HouseRefused:
        """Enrol a guest terminal, in a house that was started with guests."""
        by = Actor(ActorKind.NOBODY, address=address)

        def decide(draft: Draft) -> TerminalKey | HouseRefused:
            refused = self._guest_refusal(table, kind, address) or _make_room(draft, at)
            if refused is not None:
                event = e.TerminalEnrolled(TerminalNumber(""), table, SeatId(""), TerminalId(""))
                record_refusal(draft, by, event, refused, at)
                return refused
            game = self._config.games[table].game
            seat = SeatId(f"guest-{draft.state.counts.get('t', 0) + 1}")
            return _enrol(draft, by, (table, seat, kind or next(iter(game.terminals)), True), None, at)

        return await self._writer.record(decide)

    def _guest_refusal(self, table: TableId, kind: TerminalId | None, address: str) -> HouseRefused | None:
        match self._config.guests:
            case Guests.NOBODY:
                return HouseRefused(HouseRefusal.NO_GUESTS, "this house accepts no guests; ask the pit for a code")
            case Guests.LOOPBACK if not _is_loopback(address):
                return HouseRefused(HouseRefusal.NO_GUESTS, "guests may connect from this machine only")
        if table not in self._config.games:
            return HouseRefused(HouseRefusal.NO_SUCH_TABLE, f"there is no table '{table}'")
        if kind is not None and kind not in self._config.games[table].game.terminals:
            return HouseRefused(HouseRefusal.NO_SUCH_TERMINAL, f"this game has no terminal '{kind}'")
        return None

    async def revoke(
        self, requester: Requester, number: TerminalNumber, reason: str, at: Millis
    ) -> HouseRefused | None:
        """Revoke a terminal's key. The credits of its seat remain."""
        event, secret = e.TerminalRevoked(number, reason), Credential(TERMINAL_KEY, number, None)
        return await self._writer.record(
            lambda draft: record_for(self._sessions, draft, requester, event, at, None, secret)
        )


def _enrol(
    draft: Draft, by: Actor, place: tuple[TableId, SeatId, TerminalId, bool], offer: OfferId | None, at: Millis
) -> TerminalKey | HouseRefused:
    table, seat, kind, bill_acceptor = place
    number, secret = TerminalNumber(draft.state.fresh("t")), fresh_secret()
    steps: list[Step] = []
    forgotten = []
    if (before := draft.state.enrolled_at(table, seat)) is not None:
        steps.append((HOUSE, e.TerminalRevoked(before, f"{number} takes its place")))
        forgotten.append(Credential(TERMINAL_KEY, before, None))
    verifier = digest(secret)
    steps.append((by, e.TerminalEnrolled(number, table, seat, kind, bill_acceptor, offer, hash_of(verifier))))
    if refused := draft.record(at, steps, [*forgotten, Credential(TERMINAL_KEY, number, verifier)]):
        return refused
    return TerminalKey(f"{number}.{secret}", _enrolled(number, draft.state.terminals[number]))


def _make_room(draft: Draft, at: Millis) -> HouseRefused | None:
    """Revoke the oldest guest terminal if there are too many terminals. Guests of the last 24 hours stay."""
    known = draft.state.terminals
    if len(known) < MAX_TERMINALS:
        return None
    oldest = next((number for number, one in known.items() if one.guest and at - one.since >= _DAY), None)
    if oldest is None:
        return HouseRefused(HouseRefusal.NO_GUESTS, "all guest seats are taken; try again tomorrow")
    revoked = e.TerminalRevoked(oldest, "another guest takes the seat")
    return draft.record(at, [(HOUSE, revoked)], [Credential(TERMINAL_KEY, oldest, None)])


def _enrolled(number: TerminalNumber, found: TerminalRecord) -> EnrolledTerminal:
    return EnrolledTerminal(number, found.table, found.seat, found.terminal, found.bill_acceptor, found.guest)


def _is_loopback(address: str) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return found.is_loopback or bool(mapped and mapped.is_loopback)
