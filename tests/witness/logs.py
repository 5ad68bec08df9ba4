"""A log in memory with its key, for tests of witnesses."""

import hashlib
from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from roundhouse.tlog.checkpoint import Checkpoint, Origin, sign_checkpoint
from roundhouse.tlog.merkle import LeafTree, prove_consistency, root_of
from roundhouse.tlog.note import Ed25519Signer, KeyName, VerifierKey
from roundhouse.tlog.request import AddCheckpoint

HOUSE = KeyName("roundhouse/" + "ab" * 16)
ORIGIN = Origin(f"{HOUSE}/0/roulette-1")


def leaves(count: int, branch: str = "") -> list[bytes]:
    return [hashlib.sha256(f"{branch}{number}".encode()).digest() for number in range(count)]


class Log:
    def __init__(self, content: Sequence[bytes], signer: Ed25519Signer | None = None, origin: Origin = ORIGIN) -> None:
        self.content, self.origin = list(content), origin
        self.signer = signer or Ed25519Signer(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
        self.key = VerifierKey(HOUSE, self.signer.public)

    def request(self, old: int, size: int | None = None) -> AddCheckpoint:
        """Return the request that continues the log from ``old``. A proof beyond the log is empty."""
        tree, size = LeafTree(self.content), len(self.content) if size is None else size
        note = sign_checkpoint(Checkpoint(self.origin, size, root_of(tree, size)), self.signer)
        return AddCheckpoint(old, tuple(prove_consistency(tree, old, size)) if old <= size else (), note)
