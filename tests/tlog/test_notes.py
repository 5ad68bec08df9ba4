"""Signed notes, checkpoints, cosignatures and proofs: published examples, and another implementation both ways."""

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from proofbundle import checkpoint as oracle
from proofbundle import tlogproof as proof_oracle

from roundhouse.tlog.checkpoint import Checkpoint, Origin, open_checkpoint, sign_checkpoint
from roundhouse.tlog.cosignature import cosign, cosigned_at, cosigner_key
from roundhouse.tlog.merkle import BadProof, LeafTree, leaf_hash, prove_inclusion, root_of
from roundhouse.tlog.note import (
    Ed25519Signer,
    KeyName,
    NotANote,
    Note,
    NotSigned,
    VerifierKey,
    check,
    read_key,
    read_note,
    sign,
)
from roundhouse.tlog.proof import InclusionProof, read_proof
from roundhouse.tlog.request import AddCheckpoint, read_request

# The example of the note package of Go's module for the checksum database.
NEUMANN = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
ANSWER = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
ORIGIN, WITNESS = Origin("example.com/log"), "example.com/witness"
LEAVES = [hashlib.sha256(bytes([number])).digest() for number in range(20)]
LOG_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
WITNESS_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32, 64)))
LOG, COSIGNER = Ed25519Signer(LOG_KEY), Ed25519Signer(WITNESS_KEY)
VKEY = VerifierKey(KeyName(ORIGIN), LOG.public)


def checkpoint(size: int = 20) -> Checkpoint:
    return Checkpoint(ORIGIN, size, root_of(LeafTree(LEAVES), size))


def test_the_example_of_go_verifies() -> None:
    key, note = read_key(NEUMANN), read_note(ANSWER)
    assert (str(key), str(note)) == (NEUMANN, ANSWER)
    check(note, key)


@pytest.mark.parametrize(
    "altered",
    [
        ANSWER.replace("cryptography", "Cryptography"),
        ANSWER.replace("x08go/Z", "x08go/a"),
        ANSWER.replace("PeterNeumann x", "PeterNewman x"),
        ANSWER.replace("PeterNeumann x08go", "PeterNeumann x08gp"),
    ],
)
def test_an_altered_note_is_not_signed(altered: str) -> None:
    with pytest.raises(NotSigned):
        check(read_note(altered), read_key(NEUMANN))


@pytest.mark.parametrize(
    "malformed",
    [
        "",
        "\n",
        "text\n",
        "text\n\n",
        "text\n\n\u2014 name\n",
        "text\n\n\u2014 name !!!!\n",
        "text\n\n\u2014 name AAAA\n",
        "text\n\n\u2014 a b AAAAAAAA\n",
        "text\n\n\u2014 a+b AAAAAAAA\n",
        "text\n\n- name AAAAAAAA\n",
        "text\n\n\u2014 name AAAAAAAA",
        "te\txt\n\n\u2014 name AAAAAAAA\n",
        b"\xff\n\n\xe2\x80\x94 name AAAAAAAA\n",
        "text\n\n" + 65 * "\u2014 name AAAAAAAA\n",
        65536 * "t" + "\n\n\u2014 name AAAAAAAA\n",
    ],
)
def test_a_malformed_note_is_refused(malformed: str | bytes) -> None:
    with pytest.raises(NotANote):
        read_note(malformed)


def test_a_signature_of_an_unknown_key_is_ignored_but_a_wrong_one_of_a_known_key_is_not() -> None:
    other = Ed25519Signer(Ed25519PrivateKey.generate())
    note = sign(sign(Note("text\n"), "other", other), "known", LOG)
    known = VerifierKey(KeyName("known"), LOG.public)
    check(note, known)
    with pytest.raises(NotSigned, match="not by a known key"):
        check(note, VerifierKey(KeyName("nobody"), LOG.public))
    wrong = note.signed(VerifierKey(KeyName("other"), other.public), bytes(64))
    check(wrong, known)
    with pytest.raises(NotSigned, match="does not match"):
        check(wrong, known, VerifierKey(KeyName("other"), other.public))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "name+00000000+AAAA",
        NEUMANN.replace("c74f20a3", "c74f20a4"),
        NEUMANN.replace("PeterNeumann", "Peter Neumann"),
        NEUMANN.replace("ARpc", "CRpc"),
    ],
)
def test_a_malformed_key_is_refused(text: str) -> None:
    with pytest.raises(NotANote):
        read_key(text)


def test_another_implementation_accepts_our_checkpoint_and_key() -> None:
    note = sign_checkpoint(checkpoint(), LOG)
    assert str(VKEY) == oracle.vkey(ORIGIN, LOG.public)
    assert str(note) == oracle.sign_checkpoint(ORIGIN, 20, checkpoint().root, LOG_KEY, ORIGIN)
    assert oracle.verify_checkpoint(str(note), str(VKEY))["ok"]
    assert open_checkpoint(str(note), VKEY)[0] == checkpoint()


def test_another_implementation_accepts_our_cosignature_and_we_accept_theirs() -> None:
    note, key = sign_checkpoint(checkpoint(), LOG), cosigner_key(WITNESS, COSIGNER)
    ours = Note(note.text, (*note.signatures, cosign(note, WITNESS, COSIGNER, 1_763_000_000)))
    theirs = oracle.cosign_checkpoint(str(note), WITNESS_KEY, WITNESS, 1_763_000_000)
    assert str(ours) == theirs
    assert str(key) == oracle.cosign_vkey(WITNESS, COSIGNER.public)
    assert oracle.verify_witnessed_checkpoint(str(ours), str(VKEY), [str(key)], threshold=1)["ok"]
    assert cosigned_at(read_note(theirs), key) == 1_763_000_000
    assert cosigned_at(note, key) is None


def test_a_cosignature_for_another_time_or_checkpoint_is_refused() -> None:
    note, key = sign_checkpoint(checkpoint(), LOG), cosigner_key(WITNESS, COSIGNER)
    line = cosign(note, WITNESS, COSIGNER, 1000)
    late = note.signed(key, (1001).to_bytes(8, "big") + line.value[8:])
    elsewhere = sign_checkpoint(checkpoint(19), LOG).signed(key, line.value)
    short = note.signed(key, line.value[:8])
    for wrong in (late, elsewhere, short):
        with pytest.raises(NotSigned):
            cosigned_at(wrong, key)


def test_another_implementation_accepts_our_proof_and_we_accept_theirs() -> None:
    note, key = sign_checkpoint(checkpoint(), LOG), cosigner_key(WITNESS, COSIGNER)
    note = Note(note.text, (*note.signatures, cosign(note, WITNESS, COSIGNER, 1000)))
    for index, leaf in enumerate(LEAVES):
        hashes = tuple(prove_inclusion(LeafTree(LEAVES), index, 20))
        proof = InclusionProof(index, hashes, note)
        assert str(proof) == proof_oracle.format_tlog_proof(index, hashes, str(note))
        assert read_proof(str(proof)) == proof
        proof.check(leaf)
        verdict = proof_oracle.verify_tlog_proof(str(proof), leaf, str(VKEY), [str(key)], threshold=1)
        assert verdict["ok"], verdict
        with pytest.raises(BadProof):
            proof.check(LEAVES[index - 1])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com/log\n20\n",
        "example.com/log\n020\nROOT\n",
        "example.com/log\n-1\nROOT\n",
        f"example.com/log\n{2**63}\nROOT\n",
        "example.com/log\n20\nROOT\nmore\n",
        "two words\n20\nROOT\n",
        "example.com/log\n20\nAAAA\n",
    ],
)
def test_a_malformed_checkpoint_is_refused(text: str) -> None:
    root = base64.b64encode(bytes(32)).decode()
    with pytest.raises(NotANote):
        open_checkpoint(str(sign(Note(text.replace("ROOT", root) or "x\n"), ORIGIN, LOG)), VKEY)


def test_a_request_is_read_as_it_was_written() -> None:
    note = sign_checkpoint(checkpoint(), LOG)
    request = AddCheckpoint(3, (leaf_hash(b"a"), leaf_hash(b"b")), note)
    assert read_request(request.encode()) == request
    assert request.encode().startswith(b"old 3\n")
    assert read_request(AddCheckpoint(0, (), note).encode()).proof == ()


@pytest.mark.parametrize(
    "change",
    [
        (b"old 3", b"old 03"),
        (b"old 3", b"new 3"),
        (b"old 3\n", b"old 3\n" + 64 * (base64.b64encode(bytes(32)) + b"\n")),
        (b"old 3\n", b"old 3\nAAAA\n"),
        (b"\n\n", b"\n"),
        (b"old 3", b"\xff"),
    ],
)
def test_a_malformed_request_is_refused(change: tuple[bytes, bytes]) -> None:
    content = AddCheckpoint(3, (), sign_checkpoint(checkpoint(), LOG)).encode()
    with pytest.raises(NotANote):
        read_request(content.replace(*change))
