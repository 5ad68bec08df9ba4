"""Private keys in files: PEM (PKCS #8), readable only by their owner. ``openssl`` reads and writes the same format."""

import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from roundhouse.rules.errors import UserError
from roundhouse.tlog.note import Ed25519Signer, NotANote, VerifierKey, read_key

_OWNER_ONLY = 0o600


class KeyUnusable(UserError):
    """A key file cannot be read or written, or has another content. The message explains why."""


def create_signer(path: Path) -> Ed25519Signer:
    """Create a key and write it to a new file."""
    key = Ed25519PrivateKey.generate()
    write_file(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), _OWNER_ONLY)
    return Ed25519Signer(key)


def read_signer(path: Path) -> Ed25519Signer:
    """Read a key. Raises ``FileNotFoundError`` if the file does not exist."""
    try:
        content = path.read_bytes()
        key = load_pem_private_key(content, None)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise KeyUnusable(f"cannot read the key '{path}': {error.strerror or error}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KeyUnusable(f"'{path}' is not a private key in PEM format without a password") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyUnusable(f"'{path}' is not an Ed25519 key; 'openssl genpkey -algorithm ed25519' makes one")
    return Ed25519Signer(key)


def read_public_key(path: Path) -> VerifierKey:
    """Read a public key from a file of one line."""
    try:
        return read_key(path.read_text(encoding="ascii"))
    except OSError as error:
        raise KeyUnusable(f"cannot read the public key '{path}': {error.strerror or error}") from error
    except (NotANote, UnicodeError) as error:
        raise KeyUnusable(f"'{path}' is not a public key: {error}") from error


def write_file(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a file as a whole and sync it, so that a power cut leaves the old content or the new one.

    The folder may be shared with others, so links in it are not followed.
    """
    fresh = path.with_name(path.name + ".new")
    try:
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        raise KeyUnusable(f"Could not write '{path}': {error.strerror or error}") from error


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
