"""The signing key of a house, and the names of its logs.

The private key is beside the journal, or where ``[house] key`` says. The public key is beside the journal, for anyone
to copy. It shows the origin of the journal, of its copies and of capsules.
"""

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

from roundhouse.journal.store import JournalUnavailable
from roundhouse.journal.tree import JournalId
from roundhouse.table.names import TableId
from roundhouse.tlog.checkpoint import Origin
from roundhouse.tlog.note import Ed25519Signer, KeyName, VerifierKey
from roundhouse.witness.keys import KeyUnusable, create_signer, read_public_key, read_signer, sync_folder, write_file

SIGNING_SUFFIX: Final = ".signing"
PUBLIC_SUFFIX: Final = ".pub"
_NAMESPACE: Final = "roundhouse"
EPOCHS: Final = TableId("epochs")
"""Name of the log of epochs. No chain has this name, because a chain's log is below an epoch."""


def house_name(id: JournalId) -> KeyName:
    return KeyName(f"{_NAMESPACE}/{id}")


def origin_of(name: str, epoch: int, chain: TableId) -> Origin:
    """Return the name of a chain's log. A restored backup begins a new epoch, with new logs."""
    return Origin(f"{name}/{epoch}/{quote(chain, safe='@')}")


def epochs_origin(name: str) -> Origin:
    return Origin(f"{name}/{EPOCHS}")


def signing_path(journal: Path) -> Path:
    return journal.with_name(journal.name + SIGNING_SUFFIX)


def public_path(journal: Path) -> Path:
    return journal.with_name(journal.name + PUBLIC_SUFFIX)


def next_path(key_file: Path) -> Path:
    """Return the file of a new key that is about to replace the key in ``key_file``."""
    return key_file.with_name(key_file.name + ".next")


class SigningKeyMissing(JournalUnavailable):
    """The journal has signed checkpoints, and the key that signed them is gone."""


def open_signer(
    journal: Path, key_file: Path | None, id: JournalId, *, is_signed: bool, recorded: str = ""
) -> Ed25519Signer:
    """Read the signing key of a journal. A new key is created only for a journal that has no signed checkpoint.

    ``recorded`` is the public key that the house has recorded last. If a replacement of the key was interrupted, it is
    finished. Writes the public key beside the journal.
    """
    path = key_file if key_file is not None else signing_path(journal)
    try:
        try:
            signer = read_signer(path)
        except FileNotFoundError as error:
            if is_signed:
                raise SigningKeyMissing(
                    f"the signing key '{path}' is missing; restore the key that belongs to this journal"
                ) from error
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            signer = create_signer(path)
        key = VerifierKey(house_name(id), signer.public)
        if recorded and str(key) != recorded and next_path(path).exists():
            following = read_signer(next_path(path))
            if str(VerifierKey(house_name(id), following.public)) == recorded:
                replace_key(path)
                signer = following
        write_public_key(journal, VerifierKey(house_name(id), signer.public))
    except KeyUnusable as error:
        raise JournalUnavailable(str(error)) from error
    except OSError as error:
        raise JournalUnavailable(f"Could not write '{path}': {error.strerror or error}") from error
    return signer


def replace_key(path: Path) -> None:
    """Put the next key in the place of the old one, which is kept as ``FILE.old``."""
    kept = path.with_name(path.name + ".old")
    kept.unlink(missing_ok=True)
    os.link(path, kept)
    next_path(path).replace(path)
    sync_folder(path.parent)


def write_public_key(journal: Path, key: VerifierKey) -> None:
    content = f"{key}\n".encode()
    path = public_path(journal)
    try:
        if path.read_bytes() == content:
            return
    except OSError:
        pass
    write_file(path, content)


def public_key_beside(journal: Path) -> VerifierKey | None:
    """Return the public key beside a journal, or ``None`` if there is no such file."""
    path = public_path(journal)
    return read_public_key(path) if path.exists() else None
