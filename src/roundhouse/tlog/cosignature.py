"""Cosignatures (c2sp.org/tlog-cosignature): a witness states when it saw a checkpoint, consistent with all before."""

import struct
from typing import Final

from roundhouse.tlog.note import (
    KeyName,
    NotANote,
    Note,
    NotSigned,
    Signature,
    SignatureType,
    Signer,
    VerifierKey,
)

_TIME: Final = struct.Struct(">Q")
_MAX_TIME: Final = 2**63 - 1


def cosigner_key(name: str, signer: Signer) -> VerifierKey:
    return VerifierKey(KeyName(name), signer.public, SignatureType.COSIGNATURE)


def _message(note: Note, seconds: int) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{note.text}".encode()


def cosign(note: Note, name: str, signer: Signer, seconds: int) -> Signature:
    """Return a witness's signature line for a checkpoint. ``seconds`` is the time since 1970."""
    assert 0 <= seconds <= _MAX_TIME, "the time fits the format"
    key = cosigner_key(name, signer)
    return Signature(key.name, key.id, _TIME.pack(seconds) + signer.sign(_message(note, seconds)))


def cosigned_at(note: Note, key: VerifierKey) -> int | None:
    """Return when a witness cosigned the note, in seconds since 1970, or ``None`` if it did not.

    Raises ``NotSigned`` if the signature is wrong.
    """
    if key.type is not SignatureType.COSIGNATURE:
        raise NotANote(f"the key of '{key.name}' is not the key of a witness")
    times = []
    for value in note.values_of(key):
        if len(value) <= _TIME.size:
            raise NotSigned(f"the cosignature of '{key.name}' is too short")
        (seconds,) = _TIME.unpack(value[: _TIME.size])
        if seconds > _MAX_TIME or not key.has_signed(_message(note, seconds), value[_TIME.size :]):
            raise NotSigned(f"the cosignature of '{key.name}' (key {key.id.hex()}) does not match the checkpoint")
        times.append(seconds)
    return max(times, default=None)
