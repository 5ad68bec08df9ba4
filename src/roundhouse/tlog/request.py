"""The body of a request to a witness (``add-checkpoint`` of c2sp.org/tlog-witness)."""

import base64
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from roundhouse.tlog.checkpoint import Checkpoint, checkpoint_of, read_size
from roundhouse.tlog.merkle import HASH_BYTES, TreeHash
from roundhouse.tlog.note import MAX_NOTE_BYTES, NotANote, Note, decode_base64, read_note

MAX_PROOF_LINES: Final = 63
MAX_REQUEST_BYTES: Final = MAX_NOTE_BYTES + 64 * MAX_PROOF_LINES
SIZE_TYPE: Final = "text/x.tlog.size"
"""Content type of the size that a witness returns with status 409."""
_OLD: Final = "old "


class AddCheckpoint(Struct, frozen=True):
    """A checkpoint for a witness, with the proof that it continues the checkpoint of size ``old``."""

    old: int
    proof: tuple[TreeHash, ...]
    note: Note

    @property
    def checkpoint(self) -> Checkpoint:
        return checkpoint_of(self.note)

    def encode(self) -> bytes:
        return f"{_OLD}{self.old}\n{encode_proof(self.proof)}\n{self.note}".encode()


def encode_proof(proof: Sequence[TreeHash]) -> str:
    return "".join(f"{base64.b64encode(hash).decode()}\n" for hash in proof)


def decode_proof(lines: Sequence[str]) -> tuple[TreeHash, ...]:
    hashes = tuple(TreeHash(decode_base64(line)) for line in lines)
    if any(len(hash) != HASH_BYTES for hash in hashes):
        raise NotANote(f"a hash of the proof does not have {HASH_BYTES} bytes")
    return hashes


def read_request(content: bytes) -> AddCheckpoint:
    """Read the body of a request. The signatures and the proof are not verified."""
    if len(content) > MAX_REQUEST_BYTES:
        raise NotANote(f"the request has {len(content)} bytes; the limit is {MAX_REQUEST_BYTES}")
    try:
        head, separator, note = content.decode().partition("\n\n")
    except UnicodeError as error:
        raise NotANote("the request is not UTF-8 text") from error
    first, *lines = head.split("\n")
    if not separator or not first.startswith(_OLD):
        raise NotANote("the request does not begin with the old size")
    if len(lines) > MAX_PROOF_LINES:
        raise NotANote(f"the proof has {len(lines)} lines; the limit is {MAX_PROOF_LINES}")
    return AddCheckpoint(read_size(first.removeprefix(_OLD)), decode_proof(lines), read_note(note))
