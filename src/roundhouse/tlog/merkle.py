"""Merkle trees by RFC 6962: root hashes, inclusion proofs and consistency proofs.

Proofs are built from the hashes of complete subtrees, which a ``Tree`` looks up. So a proof reads O(log n) hashes, and
the leaves are needed only where no hash is stored. ``CompactRange`` holds the few hashes that adding a leaf needs.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final, NewType, Protocol

TreeHash = NewType("TreeHash", bytes)
"""Hash of a leaf or of a subtree."""

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = TreeHash(hashlib.sha256(b"").digest())
_sha256: Final = hashlib.sha256


class BadProof(ValueError):
    """A proof does not connect the hashes that it should connect."""


def leaf_hash(content: bytes) -> TreeHash:
    return TreeHash(_sha256(b"\x00" + content).digest())


def node_hash(left: TreeHash, right: TreeHash) -> TreeHash:
    return TreeHash(_sha256(b"\x01" + left + right).digest())


class CompactRange:
    """The hashes of the complete subtrees of a growing tree, the largest first. Adding a leaf takes O(log n) hashes."""

    def __init__(self, size: int = 0, hashes: Iterable[TreeHash] = ()) -> None:
        self.size = size
        self.hashes = list(hashes)
        assert len(self.hashes) == size.bit_count(), "there is one complete subtree for each bit of the size"

    def add(self, hash: TreeHash) -> None:
        size = self.size
        while size & 1:
            hash = node_hash(self.hashes.pop(), hash)
            size >>= 1
        self.hashes.append(hash)
        self.size += 1

    @property
    def root(self) -> TreeHash:
        return _join(self.hashes)


def _join(hashes: Sequence[TreeHash]) -> TreeHash:
    """Return the root over subtrees, the largest of which is the first."""
    if not hashes:
        return EMPTY_ROOT
    root = hashes[-1]
    for left in reversed(hashes[:-1]):
        root = node_hash(left, root)
    return root


class Tree(Protocol):
    """Looks up the hashes of a tree."""

    def subtree(self, height: int, number: int) -> TreeHash:
        """Return the hash of the complete subtree of ``2**height`` leaves that begins at ``number * 2**height``."""


class LeafTree:
    """A small tree in memory. It computes every hash from the leaves."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._leaves = leaves

    def subtree(self, height: int, number: int) -> TreeHash:
        if not height:
            return leaf_hash(self._leaves[number])
        return node_hash(self.subtree(height - 1, 2 * number), self.subtree(height - 1, 2 * number + 1))


def subtrees(size: int) -> list[tuple[int, int]]:
    """Return height and number of the complete subtrees of a tree, the largest first.

    >>> subtrees(7)
    [(2, 0), (1, 2), (0, 6)]
    """
    found, begins = [], 0
    for height in reversed(range(size.bit_length())):
        if size >> height & 1:
            found.append((height, begins >> height))
            begins += 1 << height
    return found


def range_of(tree: Tree, size: int) -> CompactRange:
    return CompactRange(size, (tree.subtree(height, number) for height, number in subtrees(size)))


def root_of(tree: Tree, size: int) -> TreeHash:
    return range_of(tree, size).root


def _root_between(tree: Tree, begins: int, ends: int) -> TreeHash:
    """Return the root of the leaves from ``begins``, which is the beginning of a subtree, to before ``ends``."""
    return _join(
        [tree.subtree(height, (begins >> height) + number) for height, number in subtrees(ends - begins)],
    )


def _split(size: int) -> int:
    """Return the largest power of two below ``size``."""
    return 1 << ((size - 1).bit_length() - 1)


def prove_inclusion(tree: Tree, index: int, size: int) -> list[TreeHash]:
    """Prove that leaf ``index`` is in the tree of ``size`` leaves (RFC 6962, section 2.1.1)."""
    assert 0 <= index < size, "the leaf is in the tree"
    proof: list[TreeHash] = []
    begins, ends = 0, size
    while ends - begins > 1:
        middle = begins + _split(ends - begins)
        if index < middle:
            proof.append(_root_between(tree, middle, ends))
            ends = middle
        else:
            proof.append(_root_between(tree, begins, middle))
            begins = middle
    return proof[::-1]


def prove_consistency(tree: Tree, old: int, size: int) -> list[TreeHash]:
    """Prove that the tree of ``old`` leaves is the beginning of the tree of ``size`` (RFC 6962, section 2.1.2)."""
    assert 0 <= old <= size, "the tree has grown"
    if old in (0, size):
        return []
    proof: list[TreeHash] = []
    begins, ends, whole = 0, size, True
    while old < ends:
        middle = begins + _split(ends - begins)
        if old <= middle:
            proof.append(_root_between(tree, middle, ends))
            ends = middle
        else:
            proof.append(_root_between(tree, begins, middle))
            begins, whole = middle, False
    if not whole:
        proof.append(_root_between(tree, begins, ends))
    return proof[::-1]


def check_inclusion(leaf: TreeHash, index: int, size: int, proof: Sequence[TreeHash], root: TreeHash) -> None:
    """Raise ``BadProof`` unless the proof connects a leaf hash with the root (RFC 9162, section 2.1.3.2)."""
    if not 0 <= index < size:
        raise BadProof(f"leaf {index} is not in a tree of {size} leaves")
    node, last, hash = index, size - 1, leaf
    for other in proof:
        if not last:
            raise BadProof("the inclusion proof is too long")
        if node & 1 or node == last:
            hash = node_hash(other, hash)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            hash = node_hash(hash, other)
        node, last = node >> 1, last >> 1
    if last or hash != root:
        raise BadProof(f"the inclusion proof of leaf {index} does not lead to the root")


def check_consistency(old: int, old_root: TreeHash, size: int, root: TreeHash, proof: Sequence[TreeHash]) -> None:
    """Raise ``BadProof`` unless the old tree is the beginning of the new one (RFC 9162, section 2.1.4.2)."""
    if not 0 <= old <= size:
        raise BadProof(f"a tree of {old} leaves is not the beginning of one of {size}")
    if old in (0, size):
        if proof or (old == size and old_root != root) or (old == 0 and old_root != EMPTY_ROOT):
            raise BadProof("the roots of two trees of the same size differ, or the proof is not empty")
        return
    path = [*proof] if old & (old - 1) else [old_root, *proof]
    if not path:
        raise BadProof("the consistency proof is empty")
    node, last = old - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    before = after = path[0]
    for other in path[1:]:
        if not last:
            raise BadProof("the consistency proof is too long")
        if node & 1 or node == last:
            before, after = node_hash(other, before), node_hash(other, after)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            after = node_hash(after, other)
        node, last = node >> 1, last >> 1
    if last or before != old_root or after != root:
        raise BadProof(f"the tree of {old} leaves is not the beginning of the tree of {size}")
