"""RFC 6962 hashing against the published vectors, and every proof of small trees against another implementation."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofbundle import merkle as oracle

from roundhouse.tlog.merkle import (
    EMPTY_ROOT,
    BadProof,
    CompactRange,
    LeafTree,
    TreeHash,
    check_consistency,
    check_inclusion,
    leaf_hash,
    prove_consistency,
    prove_inclusion,
    range_of,
    root_of,
)

# The eight leaves and roots of the test data of Certificate Transparency.
LEAVES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
MANY = [hashlib.sha256(bytes([number])).digest() for number in range(70)]


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert CompactRange().root == EMPTY_ROOT


@pytest.mark.parametrize("size", range(1, 9))
def test_the_published_roots(size: int) -> None:
    tree = LeafTree(LEAVES)
    growing = CompactRange()
    for leaf in LEAVES[:size]:
        growing.add(leaf_hash(leaf))
    assert growing.root.hex() == root_of(tree, size).hex() == ROOTS[size - 1]
    assert growing.hashes == range_of(tree, size).hashes


def test_every_inclusion_proof_equals_that_of_another_implementation() -> None:
    tree = LeafTree(MANY)
    for size in range(1, len(MANY) + 1):
        root = root_of(tree, size)
        assert root == oracle.merkle_tree_hash(MANY[:size])
        for index in range(size):
            proof = prove_inclusion(tree, index, size)
            assert proof == oracle.inclusion_proof(MANY[:size], index)
            check_inclusion(leaf_hash(MANY[index]), index, size, proof, root)
            assert oracle.verify_inclusion(MANY[index], index, size, proof, root)


def test_every_consistency_proof_equals_that_of_another_implementation() -> None:
    tree = LeafTree(MANY)
    for size in range(1, len(MANY) + 1):
        root = root_of(tree, size)
        for old in range(1, size + 1):
            proof, before = prove_consistency(tree, old, size), root_of(tree, old)
            assert proof == oracle.consistency_proof(MANY[:size], old)
            check_consistency(old, before, size, root, proof)
            assert oracle.verify_consistency(old, size, proof, before, root)
        check_consistency(0, EMPTY_ROOT, size, root, prove_consistency(tree, 0, size))


class CachedTree(LeafTree):
    """A tree that computes each hash once, because the next test needs them for every example."""

    def __init__(self) -> None:
        super().__init__(MANY)
        self._hashes: dict[tuple[int, int], TreeHash] = {}

    def subtree(self, height: int, number: int) -> TreeHash:
        if (height, number) not in self._hashes:
            self._hashes[height, number] = super().subtree(height, number)
        return self._hashes[height, number]


CACHED = CachedTree()


@given(st.data())
def test_no_altered_proof_is_accepted(data: st.DataObject) -> None:
    tree, size = CACHED, data.draw(st.integers(2, len(MANY)), "size")
    old, index = data.draw(st.integers(1, size - 1), "old"), data.draw(st.integers(0, size - 1), "index")
    inclusion, consistency = prove_inclusion(tree, index, size), prove_consistency(tree, old, size)
    leaf, before, root = leaf_hash(MANY[index]), root_of(tree, old), root_of(tree, size)
    alter = data.draw(st.sampled_from(["flip", "drop", "add", "swap"]), "alter")

    def check_altered_inclusion(altered: list[TreeHash]) -> None:
        check_inclusion(leaf, index, size, altered, root)

    def check_altered_consistency(altered: list[TreeHash]) -> None:
        check_consistency(old, before, size, root, altered)

    for proof, check in ((inclusion, check_altered_inclusion), (consistency, check_altered_consistency)):
        at = data.draw(st.integers(0, len(proof) - 1), "at")
        altered = list(proof)
        if alter == "flip":
            altered[at] = TreeHash(bytes([altered[at][0] ^ 1]) + altered[at][1:])
        elif alter == "drop":
            del altered[at]
        elif alter == "add":
            altered.insert(at, TreeHash(bytes(32)))
        else:
            altered = altered[1:] + altered[:1]
        if altered != proof:
            with pytest.raises(BadProof):
                check(altered)


def test_a_fork_of_the_same_size_and_a_smaller_tree_are_refused() -> None:
    tree, fork = LeafTree(MANY), LeafTree([*MANY[:40], *MANY[41:]])
    with pytest.raises(BadProof):
        check_consistency(50, root_of(fork, 50), 50, root_of(tree, 50), [])
    with pytest.raises(BadProof):
        check_consistency(50, root_of(tree, 50), 45, root_of(tree, 45), [])
    with pytest.raises(BadProof):
        check_consistency(50, root_of(fork, 50), 60, root_of(tree, 60), prove_consistency(tree, 50, 60))
    with pytest.raises(BadProof):
        check_consistency(0, root_of(tree, 1), 60, root_of(tree, 60), [])
