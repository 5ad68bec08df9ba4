"""Password verifiers by Argon2id, which is slow on purpose. A password is never stored, logged or displayed.

The parameters are the low-memory option of RFC 9106: 64 MiB, three passes, four lanes. A verifier contains its
parameters; one with outdated parameters is replaced at the next log-in.
"""

import unicodedata
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, TypeVar

from argon2 import PasswordHasher, profiles
from argon2.exceptions import InvalidHashError, VerificationError

from roundhouse.house.common_passwords import is_common
from roundhouse.people.names import HouseRefusal, HouseRefused, PersonId

MIN_LENGTH = 10
MAX_BYTES = 1024
_MIN_NAME_LENGTH = 4
"""Passwords may contain a user name shorter than this, because short names are part of many words."""


T = TypeVar("T")


class RunSlow(Protocol):
    """Runs a slow function, for example in a thread, and returns its result."""

    def __call__(self, function: Callable[[], T], /, known: bool) -> Awaitable[T]:
        """Run the function. ``known`` tells whether the request comes from a session or from a known address."""


async def _run_inline(function: Callable[[], T], /, known: bool) -> T:
    return function()


class Passwords:
    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher.from_parameters(profiles.RFC_9106_LOW_MEMORY)
        self._cached_dummy: bytes | None = None

    def fault_of(self, person: PersonId, password: str) -> HouseRefused | None:
        """Return why a new password is refused, or ``None``. There are no rules about digits and special characters."""
        if len(password) < MIN_LENGTH or len(password.encode(errors="replace")) > MAX_BYTES:
            return HouseRefused(HouseRefusal.BAD_PASSWORD, f"use a password of at least {MIN_LENGTH} characters")
        named = len(person) >= _MIN_NAME_LENGTH and person in password.lower()
        if named or len(set(password)) < MIN_LENGTH // 2:
            return HouseRefused(
                HouseRefusal.BAD_PASSWORD, "use a password without your name and without many repeated characters"
            )
        if is_common(password):
            return HouseRefused(HouseRefusal.BAD_PASSWORD, "this password is common; use four words, or a sentence")
        return None

    def verifier(self, password: str) -> bytes:
        return self._hasher.hash(_normalise(password)).encode()

    def agrees(self, verifier: bytes | None, password: str) -> bool:
        """Check a password. An unknown name takes equally long, so that the time does not reveal who works here."""
        if len(password) > MAX_BYTES:
            return False
        try:
            expected = (verifier or self._dummy_verifier()).decode()
            return self._hasher.verify(expected, _normalise(password)) and verifier is not None
        except (VerificationError, InvalidHashError):
            return False

    def outdated(self, verifier: bytes) -> bool:
        return self._hasher.check_needs_rehash(verifier.decode())

    def _dummy_verifier(self) -> bytes:
        if self._cached_dummy is None:
            self._cached_dummy = self.verifier("verifier for unknown names")
        return self._cached_dummy


class PasswordHashing:
    """Hashes the passwords of one house. A server sets ``run`` to a function that uses a thread."""

    def __init__(self, passwords: Passwords, run: RunSlow = _run_inline) -> None:
        self.passwords = passwords
        self.run = run

    async def agrees(self, verifier: bytes | None, password: str, known: bool) -> bool:
        return await self.run(partial(self.passwords.agrees, verifier, password), known)

    async def verifier(self, password: str) -> bytes:
        return await self.run(partial(self.passwords.verifier, password), known=True)


def _normalise(password: str) -> bytes:
    """Normalise the Unicode form, because the same password can be typed in several ways."""
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")
