"""Passwords: Argon2id verifiers, made slowly on purpose. A password is never kept, recorded or shown.

The parameters are those of RFC 9106 for machines that cannot spare two gigabytes a log-in: 64 MiB, three passes,
four lanes. A verifier carries its own; one that was made with others is made anew at the next log-in.
"""

import unicodedata

from argon2 import PasswordHasher, profiles
from argon2.exceptions import InvalidHashError, VerificationError

from roundhouse.people.names import PersonId, Refusal, Refused

MIN_LENGTH = 10
MAX_BYTES = 1024
_LEAST_NAME = 4
"""A shorter name is part of many words."""


class Passwords:
    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher.from_parameters(profiles.RFC_9106_LOW_MEMORY)
        self._nobodys: bytes | None = None

    def fault_of(self, person: PersonId, password: str) -> Refused | None:
        """Why a password is not taken. Length is what counts; rules about signs make passwords worse."""
        if len(password) < MIN_LENGTH or len(password.encode(errors="replace")) > MAX_BYTES:
            return Refused(Refusal.BAD_PASSWORD, f"a password has at least {MIN_LENGTH} letters, digits or signs")
        named = len(person) >= _LEAST_NAME and person in password.lower()
        if named or len(set(password)) < MIN_LENGTH // 2:
            return Refused(Refusal.BAD_PASSWORD, "a password that is the name or few signs over and over is no secret")
        return None

    def verifier(self, password: str) -> bytes:
        return self._hasher.hash(_normal(password)).encode()

    def agrees(self, verifier: bytes | None, password: str) -> bool:
        """Takes as long for a name that nobody has: the time must not tell who works here."""
        if len(password) > MAX_BYTES:
            return False
        try:
            return (
                self._hasher.verify((verifier or self._nobody()).decode(), _normal(password)) and verifier is not None
            )
        except (VerificationError, InvalidHashError):
            return False

    def outdated(self, verifier: bytes) -> bool:
        return self._hasher.check_needs_rehash(verifier.decode())

    def _nobody(self) -> bytes:
        if self._nobodys is None:
            self._nobodys = self.verifier("nobody has this password")
        return self._nobodys


def _normal(password: str) -> bytes:
    """One spelling of what can be typed in several ways."""
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")
