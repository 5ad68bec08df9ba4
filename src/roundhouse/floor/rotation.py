"""Replaces the signing key of a house. The old key announces the new one on record and to the witnesses.

The new key is written to ``FILE.next`` first, then the announcement is recorded, then the file is renamed. If the
process ends in between, the next opening finishes or forgets the replacement.
"""

from msgspec import Struct

from roundhouse.config.loading import Configuration
from roundhouse.floor.opening import CannotOpen, open_witnessed
from roundhouse.house.house import House
from roundhouse.journal.signing import next_path, replace_key, signing_path
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.people.events import ENGINEER, SigningKeySet
from roundhouse.table.names import Millis
from roundhouse.tlog.announcement import announce
from roundhouse.tlog.note import VerifierKey
from roundhouse.witness.keys import create_signer, read_signer


class Rotated(Struct, frozen=True):
    key: VerifierKey
    problems: list[str]
    """Witnesses that could not be told. They must be given the new key by hand."""


async def rotate(configuration: Configuration, store: SqliteStore, house: House, at: Millis) -> Rotated:
    """Replace the signing key. The heads are checked before, as at every opening."""
    path = configuration.signing_key or signing_path(configuration.journal)
    notary, _ = open_witnessed(configuration, store)
    old_key = notary.key
    notary.close()
    if not house.writer.state.signing_key:
        await house.note(SigningKeySet(str(old_key)), at)
    old = read_signer(path)
    new = create_signer(next_path(path))
    key = VerifierKey(old_key.name, new.public)
    note = announce(key, old, new)
    refused = await house.note(SigningKeySet(str(key), str(note)), at, ENGINEER)
    if refused is not None:
        raise CannotOpen(f"the new key was refused: {refused.refusal}: {refused.reason}")
    replace_key(path)
    # Opening once more signs all heads by the new key, and tells the witnesses of it.
    notary, findings = open_witnessed(configuration, store)
    notary.close()
    return Rotated(key, findings.problems)
