"""Terminals: enrolled once with a code from the pit, and from then on known by a key of their own.

A code lives for ten minutes and works once; a key until it is revoked. Neither is kept: only their digests are,
a code's in memory, a key's among the credentials.
"""

import ipaddress
import secrets
from typing import Final

from msgspec import Struct

from roundhouse.config.schema import Guests
from roundhouse.house.sessions import Session, digest, digest_matches, fresh_secret
from roundhouse.house.staff import StaffDirectory
from roundhouse.journal.store import Credential
from roundhouse.people import events as e
from roundhouse.people.events import HOUSE, Actor, ActorKind
from roundhouse.people.names import CODE_LIFE, MINUTE, TERMINAL_KEY, OfferId, Refusal, Refused, TerminalNumber
from roundhouse.people.state import TerminalRecord
from roundhouse.rules.names import TerminalId
from roundhouse.table.names import Millis, SeatId, TableId

_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without those that are taken for others."""
_CODE_LENGTH: Final = 8
MAX_TERMINALS: Final = 5000
_A_DAY: Final = 24 * 60 * MINUTE


class EnrolledTerminal(Struct, frozen=True):
    number: TerminalNumber
    table: TableId
    seat: SeatId
    terminal: TerminalId
    bill_acceptor: bool
    guest: bool


class TerminalKey(Struct, frozen=True):
    """``key`` is shown this once."""

    key: str
    terminal: EnrolledTerminal


class Terminals(StaffDirectory):
    _codes: dict[bytes, OfferId]

    def enrol_code(self, asking: Session, table: TableId, seat: SeatId, at: Millis) -> str | Refused:
        """A code for a seat of the configuration. Whoever uses it takes the place of the terminal that is there."""
        planned = self.configuration.terminal_at(table, seat)
        if planned is None:
            return Refused(Refusal.NO_SUCH_SEAT, f"the configuration has no terminal at seat '{seat}' of '{table}'")
        with self.chain.lock:
            code = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))
            offer = OfferId(self.chain.current().fresh("e"))
            expires = Millis(self.chain.now(at) + CODE_LIFE)
            event = e.EnrolmentOffered(offer, table, seat, planned.kind, expires, planned.bill_acceptor)
            if refused := self.record_as(asking, event, at):
                return refused
            known = self.chain.current().offers
            self._codes = {hash: id for hash, id in self._codes.items() if id in known}
            self._codes[digest(code)] = offer
            return code

    def enrol(self, code: str, at: Millis, address: str | None = None) -> TerminalKey | Refused:
        by = Actor(ActorKind.NOBODY, address=address)
        with self.chain.lock:
            offer = self._codes.get(digest(code.upper().replace("-", "").replace(" ", "")))
            found = self.chain.current().offers.get(offer) if offer is not None else None
            if offer is None or found is None:
                refused: Refused | None = Refused(Refusal.NO_SUCH_CODE, "there is no such code; ask the pit for one")
            else:
                made = self._enrol(by, (found.table, found.seat, found.terminal, found.bill_acceptor), offer, at)
                if isinstance(made, TerminalKey):
                    return made
                refused = made
            assert refused is not None
            self._must(self.chain.record(at, [(by, e.EnrolmentFailed(refused.refusal))]))
            return refused

    def _enrol(
        self, by: Actor, what: tuple[TableId, SeatId, TerminalId, bool], offer: OfferId | None, at: Millis
    ) -> TerminalKey | Refused:
        table, seat, kind, bill_acceptor = what
        state = self.chain.current()
        number, secret = TerminalNumber(state.fresh("t")), fresh_secret()
        steps: list[tuple[Actor, e.AnyHouseEvent]] = []
        forgotten = []
        if (before := state.enrolled_at(table, seat)) is not None:
            steps.append((HOUSE, e.TerminalRevoked(before, f"{number} takes its place")))
            forgotten.append(Credential(TERMINAL_KEY, before, None))
        steps.append((by, e.TerminalEnrolled(number, table, seat, kind, bill_acceptor, offer)))
        if refused := self.chain.record(at, steps, [*forgotten, Credential(TERMINAL_KEY, number, digest(secret))]):
            return refused
        return TerminalKey(f"{number}.{secret}", self._enrolled(number))

    def guest(self, table: TableId, kind: TerminalId | None, address: str, at: Millis) -> TerminalKey | Refused:
        """A seat for somebody who only wants to try: where the house was started to be tried, and nowhere else."""
        with self.chain.lock:
            by = Actor(ActorKind.NOBODY, address=address)
            refused = self._no_guest(table, kind, address) or self._make_room(at)
            if refused is not None:
                self._record_refusal(
                    by, e.TerminalEnrolled(TerminalNumber(""), table, SeatId(""), TerminalId("")), refused, at
                )
                return refused
            game = self.configuration.games[table].game
            seat = SeatId(f"guest-{self.chain.current().counts.get('t', 0) + 1}")
            return self._enrol(by, (table, seat, kind or next(iter(game.terminals)), True), None, at)

    def _no_guest(self, table: TableId, kind: TerminalId | None, address: str) -> Refused | None:
        match self.configuration.guests:
            case Guests.NOBODY:
                return Refused(Refusal.NO_GUESTS, "this house has no guest terminals; ask the pit for a code")
            case Guests.LOOPBACK if not _is_loopback(address):
                return Refused(Refusal.NO_GUESTS, "guests are welcome from this machine alone")
        if table not in self.configuration.games:
            return Refused(Refusal.NO_SUCH_TABLE, f"there is no table '{table}'")
        if kind is not None and kind not in self.configuration.games[table].game.terminals:
            return Refused(Refusal.NO_SUCH_TERMINAL, f"this game has no terminal '{kind}'")
        return None

    def _make_room(self, at: Millis) -> Refused | None:
        """Guests of another day go, the longest here first; today's stay."""
        known = self.chain.current().terminals
        if len(known) < MAX_TERMINALS:
            return None
        oldest = next((number for number, one in known.items() if one.guest and at - one.since >= _A_DAY), None)
        if oldest is None:
            return Refused(Refusal.NO_GUESTS, "every guest seat is taken")
        gone = e.TerminalRevoked(oldest, "another guest takes the seat")
        return self.chain.record(at, [(HOUSE, gone)], [Credential(TERMINAL_KEY, oldest, None)])

    def terminal(self, key: str) -> EnrolledTerminal | None:
        """Whose key it is. Without the lock, which a commit may hold: everybody who connects is asked."""
        word, _, secret = key.partition(".")
        number = TerminalNumber(word)
        # A verifier is there once its terminal is durable; a terminal is gone as soon as it is being revoked.
        known = digest_matches(digest(secret), self.chain.verifiers.get((TERMINAL_KEY, number)))
        found = self.chain.state.terminals.get(number)
        return _enrolled(number, found) if known and found is not None else None

    def revoke(self, asking: Session | None, number: TerminalNumber, reason: str, at: Millis) -> Refused | None:
        """The key opens nothing any more. The seat's money stays where it is."""
        secret = Credential(TERMINAL_KEY, number, None)
        return self._change(asking, e.TerminalRevoked(number, reason), at, None, secret)

    def terminals(self) -> dict[TerminalNumber, TerminalRecord]:
        with self.chain.lock:
            return dict(self.chain.current().terminals)

    def _enrolled(self, number: TerminalNumber) -> EnrolledTerminal:
        return _enrolled(number, self.chain.current().terminals[number])


def _enrolled(number: TerminalNumber, found: TerminalRecord) -> EnrolledTerminal:
    return EnrolledTerminal(number, found.table, found.seat, found.terminal, found.bill_acceptor, found.guest)


def _is_loopback(address: str) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return found.is_loopback or bool(mapped and mapped.is_loopback)
