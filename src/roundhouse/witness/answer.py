"""The answers of a witness, with the status codes of c2sp.org/tlog-witness, and the protocol that houses use."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol

from msgspec import Struct

from roundhouse.tlog.note import Note, Signature
from roundhouse.tlog.request import AddCheckpoint


class Status(IntEnum):
    UNREACHABLE = 0
    """There was no answer. Houses use this status; no witness sends it."""
    COSIGNED = 200
    MALFORMED = 400
    NOT_SIGNED = 403
    """No key that the witness trusts has signed the checkpoint."""
    UNKNOWN_LOG = 404
    CONFLICT = 409
    """The witness last cosigned another size, or this size with another root."""
    INCONSISTENT = 422
    """The proof does not show that the checkpoint continues the last one: a fork."""


class WitnessAnswer(Struct, frozen=True):
    status: Status
    reason: str = ""
    signatures: tuple[Signature, ...] = ()
    """Cosignatures of the checkpoint."""
    size: int | None = None
    """The size that the witness last cosigned, with ``CONFLICT``."""


class WitnessClient(Protocol):
    """A witness as a house reaches it. Its methods may block, and never raise for a fault of the witness."""

    @property
    def place(self) -> str:
        """Address or folder of the witness, for messages."""

    def submit(self, requests: Sequence[AddCheckpoint]) -> list[WitnessAnswer]:
        """Submit checkpoints of different logs, and return the answer to each."""

    def announce(self, note: Note) -> WitnessAnswer:
        """Announce a new key of a house. The old key has signed the note."""

    def close(self) -> None: ...
