"""Checkpoints (c2sp.org/tlog-checkpoint): the origin, the size and the root hash of a log, in a signed note."""

import base64
import re
from typing import Final, NewType

from msgspec import Struct

from roundhouse.tlog.merkle import HASH_BYTES, TreeHash
from roundhouse.tlog.note import NotANote, Note, Signer, check, decode_base64, is_name, read_note, sign
from roundhouse.tlog.note import VerifierKey as VerifierKey

Origin = NewType("Origin", str)
"""The name of a log. The key that signs its checkpoints has the same name."""

MAX_SIZE: Final = 2**63 - 1
_DECIMAL: Final = re.compile("0|[1-9][0-9]{0,18}")


class Checkpoint(Struct, frozen=True):
    """The head of a log at a size."""

    origin: Origin
    size: int
    root: TreeHash

    @property
    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def read_size(text: str) -> int:
    """Read a decimal number without leading zeros."""
    if not _DECIMAL.fullmatch(text) or int(text) > MAX_SIZE:
        raise NotANote(f"'{text[:40]}' is not the size of a log")
    return int(text)


def checkpoint_of(note: Note) -> Checkpoint:
    """Read the checkpoint in the text of a note. Extension lines are refused, because they cannot be audited."""
    lines = note.text.removesuffix("\n").split("\n")
    if len(lines) != 3:
        raise NotANote(f"a checkpoint has three lines, not {len(lines)}")
    origin, size, root = lines
    if not is_name(origin):
        raise NotANote(f"'{origin[:80]}' is not the origin of a log")
    hash = decode_base64(root)
    if len(hash) != HASH_BYTES:
        raise NotANote(f"a root hash has {HASH_BYTES} bytes, not {len(hash)}")
    return Checkpoint(Origin(origin), read_size(size), TreeHash(hash))


def sign_checkpoint(checkpoint: Checkpoint, signer: Signer) -> Note:
    """Sign a checkpoint by the key of its log, which has the log's name."""
    return sign(Note(checkpoint.text), checkpoint.origin, signer)


def open_checkpoint(content: str | bytes, *keys: VerifierKey) -> tuple[Checkpoint, Note]:
    """Read a checkpoint that one of the keys has signed. Raises ``NotANote`` or ``NotSigned``."""
    note = read_note(content)
    checkpoint = checkpoint_of(note)
    check(note, *keys)
    return checkpoint, note
