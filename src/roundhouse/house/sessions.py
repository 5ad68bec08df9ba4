"""Logging in, locking and unlocking a console, logging out. A password is looked at outside the lock: it takes long.

Tokens are 256 bits of chance; their digests are in memory only, so that a restart ends every session.
"""

from msgspec import Struct

from roundhouse.house.part import Live, Part, Session, digest, fresh_secret, same
from roundhouse.journal.store import Credential
from roundhouse.people import events as e
from roundhouse.people.entry import HOUSE, By, Kind
from roundhouse.people.names import AT_A_CONSOLE, MOST_FAILURES, PASSWORD, AlertId, PersonId, SessionId
from roundhouse.people.refusals import Refusal, Refused
from roundhouse.table.names import Millis, TableId

# The same words whether or not the person is locked: who guesses on after a lock must not learn when he guessed right.
_WRONG = Refused(
    Refusal.WRONG_NAME_OR_PASSWORD,
    "the name or the password is wrong; after three failures in a row a pit_manager or above has to unlock",
)
_LOCKED = Refused(Refusal.PERSON_IS_LOCKED, "a pit_manager or a higher position unlocks")


class LogIn(Struct, frozen=True):
    """``token`` is shown this once."""

    token: str
    session: Session


class Sessions(Part):
    def log_in(
        self, name: str, password: str, console: TableId | None, at: Millis, address: str | None = None
    ) -> LogIn | Refused:
        """Takes some fifty milliseconds of one core on purpose: call it in a thread."""
        person = PersonId(name)
        verifier, agrees = self._looked_at(person, password)
        renewed = self._renewed(person, verifier, password) if agrees else []
        with self.chain.lock:
            if not self._still(person, verifier):
                # It was changed while we looked: what we know is about another one.
                return self.log_in(name, password, console, at, address)
            if not agrees:
                return self._failed(person, at, address)
            if refused := self._no_console(person, console, at):
                return self._refuse(person, refused, at, address)
            session = SessionId(self.chain.current().fresh("s"))
            event = e.LoggedIn(session, person, console, bool(renewed))
            by = By(Kind.PERSON, person, address=address)
            if refused := self.chain.record(at, [(by, event)], renewed):
                self._refuse(person, refused, at, address)
                return _WRONG if refused.refusal is Refusal.PERSON_IS_LOCKED else refused
            secret = fresh_secret()
            live = Live(session, person, console, fresh_secret(), digest(secret), at, at)
            self._live[session] = live
            return LogIn(f"{session}.{secret}", self._view(live, at))

    def _looked_at(self, person: PersonId, password: str) -> tuple[bytes | None, bool]:
        """Outside the lock, because it takes long."""
        verifier = self.chain.verifiers.get((PASSWORD, person))
        return verifier, self._passwords.agrees(verifier, password)

    def _still(self, person: PersonId, verifier: bytes | None) -> bool:
        """Whether the password that was looked at is the one of now."""
        self.chain.current()
        return self.chain.verifiers.get((PASSWORD, person)) == verifier

    def _renewed(self, person: PersonId, verifier: bytes | None, password: str) -> list[Credential]:
        if verifier is None or not self._passwords.outdated(verifier):
            return []
        return [Credential(PASSWORD, person, self._passwords.verifier(password))]

    def _no_console(self, person: PersonId, console: TableId | None, at: Millis) -> Refused | None:
        if console is not None and console not in self.configuration.games:
            return Refused(Refusal.NO_SUCH_TABLE, f"there is no table '{console}'")
        roles = self.chain.current().roles(person, self.chain.now(at))
        if console is None and roles and all(role in AT_A_CONSOLE for role in roles):
            return Refused(Refusal.CONSOLE_NEEDED, "a dealer or cashier logs in at the console of a table")
        return None

    def _failed(self, person: PersonId, at: Millis, address: str | None, session: SessionId | None = None) -> Refused:
        """A wrong password. The third in a row locks the person, and the pit is told, in the same transaction."""
        found = self.chain.current().people.get(person)
        if found is None:
            self.chain.record(at, [(By(Kind.NOBODY, address=address), e.LogInFailed(_WRONG.refusal, session=session))])
            return _WRONG
        if found.locked:
            # On record as what it is; but only who knows the password is told that there is such a person.
            self._refuse(person, _LOCKED, at, address, session)
            return _WRONG
        failures = found.failures + 1
        event = e.LogInFailed(_WRONG.refusal, person, failures, session)
        steps: list[tuple[By, e.AnyHouseEvent]] = [(By(Kind.NOBODY, address=address), event)]
        if failures >= MOST_FAILURES:
            why = f"{failures} failed log-ins"
            text = f"{found.name} ({person}) is locked after {why}"
            alert = AlertId(self.chain.current().fresh("n"))
            steps.append((HOUSE, e.PersonLocked(person, why)))
            steps.append((HOUSE, e.AlertRaised(alert, "lock_out", text, person=person)))
        self._must(self.chain.record(at, steps))
        return _WRONG

    def _refuse(
        self,
        person: PersonId,
        refused: Refused,
        at: Millis,
        address: str | None,
        session: SessionId | None = None,
    ) -> Refused:
        """Not let in, for another reason than a wrong password."""
        event = e.LogInFailed(refused.refusal, person, 0, session)
        self._must(self.chain.record(at, [(By(Kind.NOBODY, address=address), event)]))
        return refused

    @staticmethod
    def _must(refused: Refused | None) -> None:
        assert refused is None, f"what the house does by itself is admitted: {refused}"

    def session(self, token: str, at: Millis) -> Session | None:
        """Whoever has this token; looking does not count as touching."""
        id, _, secret = token.partition(".")
        with self.chain.lock:
            live = self._live.get(SessionId(id))
            if live is None or not same(digest(secret), live.digest):
                return None
            if live.old(at) or live.id not in self.chain.current().sessions:
                return None
            return self._view(live, at)

    def session_now(self, session: Session, at: Millis) -> Session | None:
        """The same session as it is now, for whoever holds on to one: a socket."""
        with self.chain.lock:
            live = self._live.get(session.id)
            if live is None or live.old(at) or live.id not in self.chain.current().sessions:
                return None
            return self._view(live, at)

    def touch(self, session: Session, at: Millis) -> None:
        """Somebody is at the console. One that is locked is not unlocked by this."""
        with self.chain.lock:
            live = self._live.get(session.id)
            if live is not None and not self._view(live, at).locked:
                live.touched = max(live.touched, at)

    def lock_console(self, session: Session, at: Millis) -> Refused | None:
        """At once, because somebody leaves it."""
        by = By(Kind.PERSON, session.person)
        return self.chain.record(at, [(by, e.ConsoleLocked(session.id, idle=False))])

    def unlock(self, session: Session, password: str, at: Millis, address: str | None = None) -> Session | Refused:
        """By the password of the person who left it, and to the same state. As slow as logging in."""
        verifier, agrees = self._looked_at(session.person, password)
        with self.chain.lock:
            live = self._live.get(session.id)
            if live is None or live.old(at) or live.id not in self.chain.current().sessions:
                return Refused(Refusal.NOT_LOGGED_IN)
            if not self._still(session.person, verifier):
                return self.unlock(session, password, at, address)
            if not agrees:
                return self._failed(session.person, at, address, session.id)
            by = By(Kind.PERSON, session.person, address=address)
            steps: list[tuple[By, e.AnyHouseEvent]] = [(by, e.ConsoleUnlocked(session.id))]
            if live.idle(at) and not self.chain.current().sessions[session.id].locked:
                # Nobody had looked at the clock yet: it has been locked all the same.
                steps.insert(0, (HOUSE, e.ConsoleLocked(session.id)))
            if refused := self.chain.record(at, steps):
                return self._refuse(session.person, refused, at, address, session.id)
            live.touched = at
            return self._view(live, at)

    def log_out(self, session: Session, at: Millis) -> Refused | None:
        with self.chain.lock:
            refused = self.chain.record(at, [(By(Kind.PERSON, session.person), e.LoggedOut(session.id))])
            self._live.pop(session.id, None)
            return refused

    def sweep(self, at: Millis) -> None:
        """What the clock brings: consoles that nobody touched are locked, sessions that are too old end."""
        with self.chain.lock:
            kept = self.chain.current().sessions
            steps: list[tuple[By, e.AnyHouseEvent]] = []
            for id, live in list(self._live.items()):
                if id not in kept:
                    del self._live[id]
                elif live.old(at):
                    steps.append((HOUSE, e.LoggedOut(id, e.EndedBy.AGE)))
                elif live.idle(at) and not kept[id].locked:
                    steps.append((HOUSE, e.ConsoleLocked(id)))
            if steps:
                self._must(self.chain.record(at, steps))

    def _ending_sessions(self, person: PersonId, but: SessionId | None = None) -> list[tuple[By, e.AnyHouseEvent]]:
        kept = self.chain.current().sessions
        return [
            (HOUSE, e.LoggedOut(id, e.EndedBy.LOCK)) for id, one in kept.items() if one.person == person and id != but
        ]
