"""Sessions: log-in, log-out, locking of consoles, and expiry.

Tokens are 256 random bits. Only their digests are stored, and only in memory, so a restart ends every session.
A password is checked before the change is queued, because the check is slow.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.config.loading import Configuration
from roundhouse.house.delays import FailureDelays, Pair
from roundhouse.house.draft import Draft, Step
from roundhouse.house.passwords import PasswordHashing
from roundhouse.house.session import LiveSession, Session, digest, digest_matches, fresh_secret
from roundhouse.house.writer import HouseWriter
from roundhouse.journal.store import Credential
from roundhouse.people import events as e
from roundhouse.people.events import HOUSE, Actor, ActorKind, AnyHouseEvent, RequestRefused
from roundhouse.people.names import (
    AT_A_CONSOLE,
    MAX_FAILURES,
    PASSWORD,
    AlertId,
    HouseRefusal,
    HouseRefused,
    PersonId,
    SessionId,
)
from roundhouse.people.rights import RIGHTS
from roundhouse.people.state import HouseState, hash_of, network_of
from roundhouse.table.evidence import same_name
from roundhouse.table.names import Millis, TableId
from roundhouse.table.names import PersonName as TablePersonName

RIGHTS_REFUSALS: Final = (
    HouseRefusal.NOT_AUTHORISED,
    HouseRefusal.ABOVE_ONESELF,
    HouseRefusal.SAME_PERSON,
    HouseRefusal.NOT_INDEPENDENT,
    HouseRefusal.PASSWORD_NOT_OWN,
)


# A locked person gets this message even for the right password, so that guesses after the lock reveal nothing.
_WRONG_PASSWORD = HouseRefused(
    HouseRefusal.WRONG_NAME_OR_PASSWORD,
    "the name or the password is wrong; after failures at a new place a pit_manager or above must unlock you",
)
_LOCKED = HouseRefused(HouseRefusal.PERSON_IS_LOCKED, "you are locked; a pit_manager or above must unlock you")


class LogIn(Struct, frozen=True):
    """A new session. ``token`` is the secret that the client sends with its requests. It is not stored."""

    token: str
    session: Session


class PasswordCheck(Struct, frozen=True):
    """The result of checking a password against a verifier."""

    verifier: bytes | None
    agrees: bool


class Sessions:
    def __init__(self, writer: HouseWriter, config: Configuration, hashing: PasswordHashing) -> None:
        self._writer, self._config, self._hashing = writer, config, hashing
        self._live: dict[SessionId, LiveSession] = {}
        self._delays = FailureDelays()

    # Readers of the committed state, without a lock

    def find(self, token: str, at: Millis) -> Session | None:
        """Find the session of a token. This does not count as use of the console."""
        id, _, secret = token.partition(".")
        live = self._live.get(SessionId(id))
        if live is None or not digest_matches(digest(secret), live.digest):
            return None
        return self._open(live, at)

    def refreshed(self, session: Session, at: Millis) -> Session | None:
        """Return the current version of a session that a WebSocket connection holds, or ``None`` if it has ended."""
        live = self._live.get(session.id)
        return self._open(live, at) if live is not None else None

    def may_act(self, session: Session, at: Millis, state: HouseState | None = None) -> Session | HouseRefused:
        """Return the current version of a session, or a refusal if the session may not act.

        ``state`` is the state of the house to check against. Default: the committed state.
        """
        state = state or self._writer.state
        live = self._live.get(session.id)
        if live is None or live.is_expired(at) or live.id not in state.sessions:
            return HouseRefused(HouseRefusal.NOT_LOGGED_IN)
        now = _view(live, state, at)
        if now.locked:
            return HouseRefused(HouseRefusal.CONSOLE_IS_LOCKED, "unlock it with your password")
        return now if now.roles else _LOCKED

    def has_left(self, name: TablePersonName, table: TableId, now: Callable[[], Millis]) -> bool:
        """Return whether a person has no session at a table any more, also no locked one. Any thread may call it."""
        at, open = now(), self._writer.state.sessions
        here = (live for live in [*self._live.values()] if live.console in (None, table) and live.id in open)
        return not any(same_name(live.person, name) and not live.is_expired(at) for live in here)

    def touch(self, session: Session, at: Millis) -> None:
        """Note that the console is in use. A locked console stays locked."""
        live = self._live.get(session.id)
        if live is not None and not _view(live, self._writer.state, at).locked:
            live.last_used = max(live.last_used, at)

    def _open(self, live: LiveSession, at: Millis) -> Session | None:
        state = self._writer.state
        return None if live.is_expired(at) or live.id not in state.sessions else _view(live, state, at)

    # Changes

    async def log_in(
        self, name: str, password: str, console: TableId | None, at: Millis, address: str | None = None
    ) -> LogIn | HouseRefused:
        """Log a person in. The password check deliberately takes about 50 ms of CPU time."""
        person = PersonId(name)
        pair = (name, network_of(address))
        if refused := self.too_soon(pair, at):
            return refused
        # Count the attempt before its password is checked, so that attempts in parallel are delayed too.
        self._delays.failed(pair, at)
        known = self._is_known(address)
        while True:
            check = await self.check_password(person, password, known)
            renewed = await self._renewed_verifier(person, check, password)
            decide = partial(
                self._log_in, person=person, check=check, renewed=renewed, console=console, at=at, address=address
            )
            result = await self._writer.record(decide)
            if result is not None:
                if isinstance(result, LogIn) or result.refusal is not HouseRefusal.WRONG_NAME_OR_PASSWORD:
                    self._delays.succeeded(pair)
                return result

    def too_soon(self, pair: Pair, at: Millis) -> HouseRefused | None:
        """Return the refusal of a password that is given too soon after wrong ones, or ``None``."""
        if not (wait := self._delays.wait(pair, at)):
            return None
        seconds = -(-wait // 1000)
        reason = f"too many wrong passwords; retry in {seconds} seconds"
        return HouseRefused(HouseRefusal.TOO_MANY_FAILURES, reason, seconds)

    def note_failure(self, pair: Pair, at: Millis) -> None:
        self._delays.failed(pair, at)

    def forget_failures(self, person: PersonId) -> None:
        self._delays.forget(person)

    def _is_known(self, address: str | None) -> bool:
        """Return whether a person has logged in from this address before."""
        network = network_of(address)
        return any(network in one.addresses for one in self._writer.state.access.values())

    def _log_in(
        self,
        draft: Draft,
        person: PersonId,
        check: PasswordCheck,
        renewed: list[Credential],
        console: TableId | None,
        at: Millis,
        address: str | None,
    ) -> LogIn | HouseRefused | None:
        """Decide a log-in. Return ``None`` if the password was changed while it was being checked."""
        if not is_current(draft, person, check):
            return None
        if not check.agrees:
            return self.record_failure(draft, person, at, address)
        if refused := self._console_refusal(draft.state, person, console, at):
            return _refuse(draft, person, refused, at, address)
        session = SessionId(draft.state.fresh("s"))
        verifier = hash_of(renewed[0].verifier) if renewed and renewed[0].verifier else ""
        event = e.LoggedIn(session, person, console, bool(renewed), verifier)
        if refused := draft.record(at, [(Actor(ActorKind.PERSON, person, address=address), event)], renewed):
            _refuse(draft, person, refused, at, address)
            return _WRONG_PASSWORD if refused.refusal is HouseRefusal.PERSON_IS_LOCKED else refused
        secret = fresh_secret()
        live = LiveSession(session, person, console, fresh_secret(), digest(secret), at, at)
        draft.when_committed(lambda: self._live.update({session: live}))
        return LogIn(f"{session}.{secret}", _view(live, draft.state, at))

    async def check_password(self, person: PersonId, password: str, known: bool = True) -> PasswordCheck:
        """Check a password. ``known`` tells whether the request comes from an address of the staff."""
        verifier = self._writer.version.verifiers.get((PASSWORD, person))
        return PasswordCheck(verifier, await self._hashing.agrees(verifier, password, known))

    async def _renewed_verifier(self, person: PersonId, check: PasswordCheck, password: str) -> list[Credential]:
        """Create a new verifier if the password is right and its verifier has outdated parameters."""
        if not check.agrees or check.verifier is None or not self._hashing.passwords.outdated(check.verifier):
            return []
        return [Credential(PASSWORD, person, await self._hashing.verifier(password))]

    def _console_refusal(
        self, state: HouseState, person: PersonId, console: TableId | None, at: Millis
    ) -> HouseRefused | None:
        if console == CAGE_CHAIN and self._config.plan.cage is not None:
            return None
        if console is not None and console not in self._config.games:
            return HouseRefused(HouseRefusal.NO_SUCH_TABLE, f"there is no table '{console}'")
        roles = state.roles(person, state.now(at))
        if console is None and roles and all(role in AT_A_CONSOLE for role in roles):
            return HouseRefused(HouseRefusal.CONSOLE_NEEDED, "a dealer or cashier logs in at the console of a table")
        return None

    def record_failure(
        self, draft: Draft, person: PersonId, at: Millis, address: str | None, session: SessionId | None = None
    ) -> HouseRefused:
        """Record a wrong password.

        The third in a row from unknown addresses restricts the person to known ones and alerts the pit, in the same
        transaction. It does not concern sessions, nor the only manager who could lift it.
        """
        nobody = Actor(ActorKind.NOBODY, address=address)
        found = draft.state.people.get(person)
        if found is None:
            draft.record(at, [(nobody, e.LogInFailed(_WRONG_PASSWORD.refusal, session=session))])
            return _WRONG_PASSWORD
        at_work = session is not None or draft.state.is_known(person, address)
        if found.locked and not at_work:
            # The journal records the lock, but the answer must not reveal that the person exists.
            _refuse(draft, person, _LOCKED, at, address, session)
            return _WRONG_PASSWORD
        access = draft.state.access_of(person)
        failures = 0 if at_work else access.unknown_failures + 1
        steps: list[Step] = [(nobody, e.LogInFailed(_WRONG_PASSWORD.refusal, person, 0, session, failures))]
        if failures == MAX_FAILURES:
            why = f"{failures} failed log-ins from unknown addresses"
            text = f"{found.name} ({person}): {why}"
            if access.addresses or draft.state.other_managers(person, draft.state.now(at)):
                text += "; only known addresses can log in"
                steps.append((HOUSE, e.PersonLocked(person, why, unknown_only=True)))
            steps.append((HOUSE, e.AlertRaised(AlertId(draft.state.fresh("n")), "lock_out", text, person=person)))
        must(draft.record(at, steps))
        return _WRONG_PASSWORD

    async def lock_console(self, session: Session, at: Millis) -> HouseRefused | None:
        """Lock the console because the person leaves it."""
        by = Actor(ActorKind.PERSON, session.person)
        return await self._writer.record(
            lambda draft: draft.record(at, [(by, e.ConsoleLocked(session.id, idle=False))])
        )

    async def unlock(
        self, session: Session, password: str, at: Millis, address: str | None = None
    ) -> Session | HouseRefused:
        """Unlock the console with the password of the logged-in person. The check is as slow as at log-in."""
        pair = (session.person, session.id)
        if refused := self.too_soon(pair, at):
            return refused
        self._delays.failed(pair, at)
        while True:
            check = await self.check_password(session.person, password)
            decide = partial(self._unlock, session=session, check=check, at=at, address=address)
            found = await self._writer.record(decide)
            if found is not None:
                if isinstance(found, Session):
                    self._delays.succeeded(pair)
                return found

    def _unlock(
        self, draft: Draft, session: Session, check: PasswordCheck, at: Millis, address: str | None
    ) -> Session | HouseRefused | None:
        live = self._live.get(session.id)
        if live is None or live.is_expired(at) or live.id not in draft.state.sessions:
            return HouseRefused(HouseRefusal.NOT_LOGGED_IN)
        if not is_current(draft, session.person, check):
            return None
        if not check.agrees:
            return self.record_failure(draft, session.person, at, address, session.id)
        by = Actor(ActorKind.PERSON, session.person, address=address)
        steps: list[Step] = [(by, e.ConsoleUnlocked(session.id))]
        if live.is_idle(at) and not draft.state.sessions[session.id].locked:
            # The console became idle after the last sweep, so its lock is not recorded yet.
            steps.insert(0, (HOUSE, e.ConsoleLocked(session.id)))
        if refused := draft.record(at, steps):
            return _refuse(draft, session.person, refused, at, address, session.id)
        draft.when_committed(lambda: setattr(live, "last_used", at))
        return _view(replace(live, last_used=at), draft.state, at)

    async def log_out(self, session: Session, at: Millis) -> HouseRefused | None:
        def decide(draft: Draft) -> HouseRefused | None:
            draft.when_committed(lambda: self._forget(session.id))
            return draft.record(at, [(Actor(ActorKind.PERSON, session.person), e.LoggedOut(session.id))])

        return await self._writer.record(decide)

    async def sweep(self, at: Millis) -> None:
        """Lock idle consoles and end expired sessions."""
        known = self._writer.state.sessions
        self._live = {id: live for id, live in self._live.items() if id in known}
        if self._due_steps(self._writer.state, at):
            await self._writer.record(lambda draft: self._sweep(draft, at))

    def _sweep(self, draft: Draft, at: Millis) -> None:
        if steps := self._due_steps(draft.state, at):
            must(draft.record(at, steps))

    def _due_steps(self, state: HouseState, at: Millis) -> list[Step]:
        steps: list[Step] = []
        for id, live in self._live.items():
            if (session := state.sessions.get(id)) is None:
                continue
            if live.is_expired(at):
                steps.append((HOUSE, e.LoggedOut(id, e.EndedBy.AGE)))
            elif live.is_idle(at) and not session.locked:
                steps.append((HOUSE, e.ConsoleLocked(id)))
        return steps

    def forget_all(self) -> None:
        self._live.clear()

    def _forget(self, session: SessionId) -> None:
        self._live.pop(session, None)

    # Called by other parts of the house while they decide a change

    def record_as(
        self,
        draft: Draft,
        session: Session,
        event: AnyHouseEvent,
        at: Millis,
        more: Sequence[Step] = (),
        secret: Credential | None = None,
    ) -> HouseRefused | None:
        """Record an event on behalf of a session. A refusal for a missing right is recorded too."""
        now = self.may_act(session, at, draft.state)
        if isinstance(now, HouseRefused):
            return now
        by = acting_as(now, event)
        refused = draft.record(at, [(by, event), *more], [secret] if secret else [])
        if refused is not None and refused.refusal in RIGHTS_REFUSALS:
            record_refusal(draft, Actor(ActorKind.PERSON, now.person), event, refused, at)
        return refused


def acting_as(session: Session, event: AnyHouseEvent) -> Actor:
    """Return the person as the actor of an event, in the highest position that may cause it, or else in the highest."""
    allowed = [role for role in session.roles if role in RIGHTS[type(event)].positions]
    position = next(iter([*allowed, *session.roles]), None)
    return Actor(ActorKind.PERSON, session.person, position)


def record_refusal(draft: Draft, by: Actor, event: AnyHouseEvent, refused: HouseRefused, at: Millis) -> None:
    what = str(type(event).__struct_config__.tag).partition(".")[0]
    draft.record(at, [(by, RequestRefused(what, refused.refusal))])


def ending_sessions(state: HouseState, person: PersonId, except_session: SessionId | None = None) -> list[Step]:
    """Return the events that end every session of a person, except ``except_session``."""
    return [
        (HOUSE, e.LoggedOut(id, e.EndedBy.LOCK))
        for id, one in state.sessions.items()
        if one.person == person and id != except_session
    ]


def is_current(draft: Draft, person: PersonId, check: PasswordCheck) -> bool:
    """Check whether the verified password is still the person's password."""
    return draft.version.verifiers.get((PASSWORD, person)) == check.verifier


def must(refused: HouseRefused | None) -> None:
    assert refused is None, f"an event of the house itself was refused: {refused}"


def _refuse(
    draft: Draft,
    person: PersonId,
    refused: HouseRefused,
    at: Millis,
    address: str | None,
    session: SessionId | None = None,
) -> HouseRefused:
    """Record a refused log-in or unlocking that does not count as a wrong password."""
    event = e.LogInFailed(refused.refusal, person, 0, session)
    must(draft.record(at, [(Actor(ActorKind.NOBODY, address=address), event)]))
    return refused


def _view(live: LiveSession, state: HouseState, at: Millis) -> Session:
    session = state.sessions.get(live.id)
    locked = live.is_idle(at) or session is None or session.locked
    name = state.people[live.person].name
    roles = state.roles(live.person, state.now(at))
    return Session(live.id, live.person, name, roles, live.console, live.csrf, locked)
