"""Proofs for verification offline (c2sp.org/tlog-proof): index and inclusion proof of a leaf, and the checkpoint."""

from typing import Final

from msgspec import Struct

from roundhouse.tlog.checkpoint import checkpoint_of, read_size
from roundhouse.tlog.merkle import TreeHash, check_inclusion, leaf_hash
from roundhouse.tlog.note import NotANote, Note, read_note
from roundhouse.tlog.request import MAX_PROOF_LINES, decode_proof, encode_proof

_FIRST_LINE: Final = "c2sp.org/tlog-proof@v1"
_INDEX: Final = "index "
_EXTRA: Final = "extra "


class InclusionProof(Struct, frozen=True):
    index: int
    hashes: tuple[TreeHash, ...]
    note: Note
    """The signed checkpoint."""

    def __str__(self) -> str:
        return f"{_FIRST_LINE}\n{_INDEX}{self.index}\n{encode_proof(self.hashes)}\n{self.note}"

    def check(self, content: bytes) -> None:
        """Raise ``BadProof`` unless the leaf is in the tree of the checkpoint. Its signatures are not verified."""
        checkpoint = checkpoint_of(self.note)
        check_inclusion(leaf_hash(content), self.index, checkpoint.size, self.hashes, checkpoint.root)


def read_proof(text: str) -> InclusionProof:
    head, separator, note = text.partition("\n\n")
    lines = head.split("\n")
    if not separator or lines.pop(0) != _FIRST_LINE:
        raise NotANote(f"the proof does not begin with '{_FIRST_LINE}'")
    if lines and lines[0].startswith(_EXTRA):
        raise NotANote("the proof has extra data, which is not signed")
    if not lines or not lines[0].startswith(_INDEX) or len(lines) > 1 + MAX_PROOF_LINES:
        raise NotANote("the proof names no index, or is too long")
    return InclusionProof(read_size(lines[0].removeprefix(_INDEX)), decode_proof(lines[1:]), read_note(note))
