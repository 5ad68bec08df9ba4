"""Signed notes (c2sp.org/signed-note): a text, and lines with signatures of it.

A key is known by its name and its key id, the first four bytes of a hash of name, type and public key. A verifier
ignores the signatures of other keys.
"""

import base64
import binascii
import hashlib
from enum import IntEnum
from typing import Final, NewType, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

KeyName = NewType("KeyName", str)
KeyId = NewType("KeyId", bytes)
PublicKey = NewType("PublicKey", bytes)
"""The 32 bytes of an Ed25519 public key."""

MAX_SIGNATURES: Final = 64
MAX_NOTE_BYTES: Final = 64 * 1024
_DASH: Final = "\u2014 "
_KEY_ID_BYTES: Final = 4
_PUBLIC_KEY_BYTES: Final = 32


class NotANote(ValueError):
    """The text is not in the format of a signed note, a key or a checkpoint."""


class NotSigned(ValueError):
    """A signature of a known key is wrong, or no known key has signed the note."""


class SignatureType(IntEnum):
    """The byte that a key id covers. It separates the uses of a key."""

    ED25519 = 0x01
    COSIGNATURE = 0x04


def is_name(name: str) -> bool:
    """Return whether a text may name a key.

    >>> is_name("example.com/log"), is_name("two words"), is_name("a+b"), is_name("")
    (True, False, False, False)
    """
    return bool(name) and name.isprintable() and "+" not in name and not any(map(str.isspace, name))


class VerifierKey(Struct, frozen=True):
    """A public key with its name. The text form is a *vkey*: name, key id in hexadecimal, type and key in Base64."""

    name: KeyName
    public: PublicKey
    type: SignatureType = SignatureType.ED25519

    @property
    def id(self) -> KeyId:
        covered = self.name.encode() + b"\n" + bytes([self.type]) + self.public
        return KeyId(hashlib.sha256(covered).digest()[:_KEY_ID_BYTES])

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(bytes([self.type]) + self.public).decode()}"

    def named(self, name: str) -> "VerifierKey":
        """Return the same public key under another name. It has another key id."""
        return VerifierKey(KeyName(name), self.public, self.type)

    def has_signed(self, message: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


def read_key(text: str) -> VerifierKey:
    """Read a vkey. Raises ``NotANote`` if it is malformed or its key id does not belong to it."""
    name, _, rest = text.strip().partition("+")
    id, _, material = rest.partition("+")
    content = decode_base64(material)
    if not is_name(name) or len(content) != 1 + _PUBLIC_KEY_BYTES:
        raise NotANote(f"'{text.strip()[:80]}' is not a public key of the form name+id+key")
    try:
        key = VerifierKey(KeyName(name), PublicKey(content[1:]), SignatureType(content[0]))
    except ValueError as error:
        raise NotANote(f"the public key of '{name}' has the unknown type {content[0]}") from error
    if key.id.hex() != id:
        raise NotANote(f"the key id of '{name}' is {id}, but the key has {key.id.hex()}")
    return key


class Signer(Protocol):
    """Holds a private key and signs with it."""

    @property
    def public(self) -> PublicKey: ...

    def sign(self, message: bytes) -> bytes: ...


class Ed25519Signer:
    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


class Signature(Struct, frozen=True):
    """One signature line of a note."""

    name: KeyName
    id: KeyId
    value: bytes

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {base64.b64encode(self.id + self.value).decode()}\n"


class Note(Struct, frozen=True):
    """A text that ends with a newline, and its signatures."""

    text: str
    signatures: tuple[Signature, ...] = ()

    def __str__(self) -> str:
        return f"{self.text}\n{''.join(map(str, self.signatures))}"

    def signed(self, key: VerifierKey, value: bytes) -> "Note":
        """Return the note with one more signature. A signature of the same key is replaced."""
        others = tuple(one for one in self.signatures if (one.name, one.id) != (key.name, key.id))
        return Note(self.text, (*others, Signature(key.name, key.id, value)))

    def values_of(self, key: VerifierKey) -> list[bytes]:
        return [one.value for one in self.signatures if (one.name, one.id) == (key.name, key.id)]


def sign(note: Note, name: str, signer: Signer) -> Note:
    """Add an Ed25519 signature of the note's text."""
    key = VerifierKey(KeyName(name), signer.public)
    return note.signed(key, signer.sign(note.text.encode()))


def check(note: Note, *keys: VerifierKey) -> None:
    """Raise ``NotSigned`` unless one of the keys has signed the note, and none of their signatures is wrong."""
    found = [(key, value) for key in keys for value in note.values_of(key)]
    for key, value in found:
        if not key.has_signed(note.text.encode(), value):
            raise NotSigned(f"the signature of '{key.name}' (key {key.id.hex()}) does not match the note")
    if not found:
        signers = ", ".join(f"'{one.name}' (key {one.id.hex()})" for one in note.signatures) or "nobody"
        raise NotSigned(f"the note is signed by {signers}, not by a known key")


def read_note(content: str | bytes) -> Note:
    """Read a signed note. Its signatures are not verified."""
    text, lines = _split(content)
    return Note(text, read_signatures(lines))


def read_signatures(lines: str) -> tuple[Signature, ...]:
    """Read signature lines, each of which ends with a newline. There is at least one."""
    if not lines.endswith("\n"):
        raise NotANote("the note has no signature, or does not end with a newline")
    rows = lines.removesuffix("\n").split("\n")
    if len(rows) > MAX_SIGNATURES:
        raise NotANote(f"the note has {len(rows)} signatures; the limit is {MAX_SIGNATURES}")
    return tuple(map(_signature, rows))


def _split(content: str | bytes) -> tuple[str, str]:
    try:
        note = content.decode() if isinstance(content, bytes) else content
        size = len(content if isinstance(content, bytes) else content.encode())
    except UnicodeError as error:
        raise NotANote("the note is not UTF-8 text") from error
    if size > MAX_NOTE_BYTES:
        raise NotANote(f"the note has {size} bytes; the limit is {MAX_NOTE_BYTES}")
    if any(character < " " and character != "\n" for character in note):
        raise NotANote("the note contains control characters")
    text, separator, lines = note.rpartition("\n\n")
    if not separator or not text:
        raise NotANote("the note has no empty line between its text and its signatures")
    return text + "\n", lines


def _signature(line: str) -> Signature:
    name, space, value = line.removeprefix(_DASH).partition(" ")
    content = decode_base64(value)
    if not line.startswith(_DASH) or not space or not is_name(name) or len(content) <= _KEY_ID_BYTES:
        raise NotANote(f"'{line[:80]}' is not a signature line")
    return Signature(KeyName(name), KeyId(content[:_KEY_ID_BYTES]), content[_KEY_ID_BYTES:])


def decode_base64(text: str) -> bytes:
    """Decode standard Base64 in its only canonical form."""
    try:
        content = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeError) as error:
        raise NotANote(f"'{text[:80]}' is not Base64") from error
    if base64.b64encode(content).decode() != text:
        raise NotANote(f"'{text[:80]}' is not canonical Base64")
    return content
