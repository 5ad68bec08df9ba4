"""A witness cosigns what continues a log, and refuses everything else. Its memory outlives a killed process."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from roundhouse.tlog.announcement import announce
from roundhouse.tlog.checkpoint import Origin
from roundhouse.tlog.cosignature import cosigned_at
from roundhouse.tlog.note import Ed25519Signer, Note, VerifierKey
from roundhouse.tlog.request import AddCheckpoint
from roundhouse.witness.answer import Status
from roundhouse.witness.exchange import FolderExchange, answer_requests
from roundhouse.witness.memory import MemoryUnusable
from roundhouse.witness.remote import RemoteWitness
from roundhouse.witness.witness import MEMORY_FILE, Witness, create_witness
from tests.support.soak import Counted, Tally, times
from tests.witness.logs import ORIGIN, Log, leaves

PARTS, ATTACKS = times(1, 10), 1000
KILLED_AT = range(10, 10 * times(4, 25), 10)
"""Sizes of the log when the witness is killed."""


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    create_witness(tmp_path / "witness")
    found = Witness(tmp_path / "witness")
    found.trust(Log([]).key)
    return found


def test_a_log_that_grows_is_cosigned(witness: Witness) -> None:
    log = Log(leaves(20))
    old = 0
    for size in (1, 2, 3, 7, 7, 16, 20):
        request = log.request(old, size)
        answer = witness.add(request)
        assert answer.status is Status.COSIGNED
        note = Note(request.note.text, (*request.note.signatures, *answer.signatures))
        assert cosigned_at(note, witness.key) is not None
        old = size


@pytest.mark.parametrize("part", range(PARTS))
def test_a_thousand_roll_backs_and_forks_are_refused(witness: Witness, part: int, tally: Tally) -> None:
    """Every attack keeps the key of the house, so only the memory of the witness can find it."""
    chance = random.Random(1 + part)
    truth = Log(leaves(300))
    seen = 0
    for _ in range(ATTACKS):
        if seen < len(truth.content) and chance.random() < 0.2:
            size = min(seen + chance.randint(1, 20), len(truth.content))
            assert witness.add(truth.request(seen, size)).status is Status.COSIGNED
            seen = size
        if not seen:
            continue
        if chance.random() < 0.5:
            # A roll-back: an older head, with any old size that the attacker may name.
            size = chance.randint(0, seen - 1)
            answer = witness.add(truth.request(chance.choice([0, size, seen]), size))
            assert answer.status in (Status.CONFLICT, Status.MALFORMED)
            assert answer.status is not Status.CONFLICT or answer.size == seen
            tally.add(Counted.WITNESS_ATTACKED, detail="roll-backs")
        else:
            # A fork: the same beginning, then other entries.
            begins = chance.randint(0, seen - 1)
            fork = Log([*truth.content[:begins], *leaves(seen + 20 - begins, "forged")])
            size = chance.randint(seen, len(fork.content))
            answer = witness.add(fork.request(seen, size))
            assert answer.status in (Status.CONFLICT, Status.INCONSISTENT)
            tally.add(Counted.WITNESS_ATTACKED, detail="forks")
        assert not answer.signatures
    stored = witness.memory.seen(ORIGIN)
    assert stored is not None
    assert stored.size == seen
    assert witness.memory.evidence()


def test_each_refusal_has_its_status(witness: Witness) -> None:
    log = Log(leaves(9))
    assert witness.add(log.request(0, 5)).status is Status.COSIGNED
    stranger = Ed25519Signer(Ed25519PrivateKey.generate())
    table = [
        (Log(leaves(9), stranger).request(5), Status.NOT_SIGNED),
        (Log(leaves(9), origin=Origin("elsewhere/log")).request(0), Status.UNKNOWN_LOG),
        (Log(leaves(9), origin=Origin("roundhouse")).request(0), Status.UNKNOWN_LOG),
        (AddCheckpoint(7, (), log.request(0, 6).note), Status.MALFORMED),
        (log.request(4), Status.CONFLICT),
        (log.request(0, 3), Status.CONFLICT),
        (AddCheckpoint(5, (), log.request(5).note), Status.INCONSISTENT),
        (AddCheckpoint(5, (*log.request(5).proof, log.request(5).proof[0]), log.request(5).note), Status.INCONSISTENT),
        (Log(leaves(9, "x")).request(5, 5), Status.CONFLICT),
        (log.request(5), Status.COSIGNED),
    ]
    for request, status in table:
        assert witness.add(request).status is status, status


def test_two_requests_at_once_cannot_set_the_log_back(witness: Witness) -> None:
    log = Log(leaves(64))
    assert witness.add(log.request(0, 1)).status is Status.COSIGNED
    threads = [threading.Thread(target=witness.add, args=(log.request(1, size),)) for size in range(2, 64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = witness.memory.seen(ORIGIN)
    assert stored is not None
    # The first of them won. All others named an old size that was no longer true.
    assert witness.add(log.request(stored.size, 64)).status is Status.COSIGNED


def test_a_new_key_is_accepted_only_if_the_old_one_announces_it(witness: Witness) -> None:
    log = Log(leaves(9))
    new, stranger = (Ed25519Signer(Ed25519PrivateKey.generate()) for _ in range(2))
    key = VerifierKey(log.key.name, new.public)
    assert witness.announce(announce(key, stranger, new)).status is Status.NOT_SIGNED
    assert witness.add(Log(leaves(9), new).request(0)).status is Status.NOT_SIGNED
    note = announce(key, log.signer, new)
    assert witness.announce(note).status is Status.COSIGNED
    assert witness.announce(note).status is Status.COSIGNED
    assert witness.add(Log(leaves(9), new).request(0)).status is Status.COSIGNED
    assert witness.add(log.request(9)).status is Status.NOT_SIGNED
    # An old announcement does not bring the old key back.
    assert witness.announce(announce(log.key, log.signer, log.signer)).status is Status.NOT_SIGNED


def test_the_memory_waits_for_the_disk(witness: Witness) -> None:
    """A kill does not show a missing sync, so the setting of SQLite is compared: 2 is FULL."""
    assert witness.memory._db.execute("PRAGMA synchronous").fetchall() == [(2,)]


def test_a_witness_without_its_memory_does_not_start(witness: Witness) -> None:
    witness.close()
    for path in witness.folder.glob(f"{MEMORY_FILE}*"):
        path.unlink()
    with pytest.raises(MemoryUnusable, match="missing"):
        Witness(witness.folder)
    with pytest.raises(MemoryUnusable, match="lost its key or its memory"):
        create_witness(witness.folder)


def start(folder: Path, *options: str) -> "tuple[subprocess.Popen[str], str]":
    """Start ``roundhouse witness run`` and return it with the first line that it prints."""
    command = [sys.executable, "-m", "roundhouse", "witness", "run", str(folder), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline()


def end(process: "subprocess.Popen[str]", number: signal.Signals) -> int:
    process.send_signal(number)
    assert process.stdout is not None
    process.stdout.close()
    return process.wait(30)


def test_the_program_remembers_what_it_cosigned_before_it_was_killed(
    tmp_path: Path, witness: Witness, tally: Tally
) -> None:
    witness.close()
    log, seen = Log(leaves(KILLED_AT.stop)), 0
    for size in KILLED_AT:
        process, line = start(witness.folder, "--listen", "127.0.0.1:0")
        client = RemoteWitness(line.split()[-1], 20)
        try:
            # The first answer names the size that the witness has seen, also to a house that has forgotten it.
            if seen:
                back = client.submit([log.request(0, seen - 1)])[0]
                assert (back.status, back.size) == (Status.CONFLICT, seen)
                fork = client.submit([Log(leaves(KILLED_AT.stop, "x")).request(seen, size)])[0]
                assert fork.status is Status.INCONSISTENT
            answer = client.submit([log.request(seen, size)])[0]
            assert answer.status is Status.COSIGNED, answer
            assert answer.signatures[0].name == witness.key.name
        finally:
            client.close()
            assert end(process, signal.SIGKILL) == -signal.SIGKILL
            tally.add(Counted.WITNESS_KILLED)
        seen = size


def test_the_program_stops_on_a_signal_and_refuses_what_is_not_a_request(witness: Witness) -> None:
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    witness.close()
    process, line = start(witness.folder, "--listen", "127.0.0.1:0")
    url = line.split()[-1]
    try:
        with urlopen(f"{url}/key", timeout=20) as answer:
            assert answer.read().decode() == f"{witness.key}\n"
        for body, status in ((b"", 400), (b"old 0\n\nx\n", 400), (b"x" * 100_000, 413)):
            with pytest.raises(HTTPError) as refused:
                urlopen(Request(f"{url}/add-checkpoint", body), timeout=20)
            assert refused.value.code == status
            refused.value.close()
        log = Log(leaves(3))
        with pytest.raises(HTTPError) as conflict:
            urlopen(Request(f"{url}/add-checkpoint", log.request(2).encode()), timeout=20)
        assert (conflict.value.code, conflict.value.headers["content-type"]) == (409, "text/x.tlog.size")
        assert conflict.value.read() == b"0\n"
        conflict.value.close()
    finally:
        assert end(process, signal.SIGTERM) == 0


def test_silent_connections_of_a_stranger_do_not_shut_out_a_house(witness: Witness) -> None:
    """An address may have a hundred connections. A witness serves a thousand, and closes those that are silent."""
    witness.close()
    process, line = start(witness.folder, "--listen", "127.0.0.1:0")
    url = line.split()[-1]
    place = ("127.0.0.1", int(url.rpartition(":")[2]))
    try:
        with ExitStack() as stack:
            strangers = [stack.enter_context(socket.create_connection(place, 20, ("127.0.0.2", 0))) for _ in range(150)]
            client = RemoteWitness(url, 20)
            stack.callback(client.close)
            assert client.submit([Log(leaves(3)).request(0)])[0].status is Status.COSIGNED
            closed = 0
            for one in strangers:
                one.setblocking(False)
                with suppress(BlockingIOError):
                    try:
                        closed += one.recv(1) == b""
                    except ConnectionResetError:
                        closed += 1
            assert closed == 50
    finally:
        assert end(process, signal.SIGTERM) == 0


def test_a_witness_answers_through_a_shared_folder(tmp_path: Path, witness: Witness) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    log = Log(leaves(9))
    house = FolderExchange(folder, 0.2)
    assert house.submit([log.request(0, 5)])[0].status is Status.UNREACHABLE
    stopped = threading.Event()

    def serve() -> None:
        while not stopped.wait(0.01):
            answer_requests(folder, witness)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        house = FolderExchange(folder, 20)
        assert house.submit([log.request(0, 5)])[0].status is Status.COSIGNED
        assert house.submit([log.request(5, 9)])[0].status is Status.COSIGNED
        back = house.submit([log.request(0, 4)])[0]
        assert (back.status, back.size) == (Status.CONFLICT, 9)
        new = Ed25519Signer(Ed25519PrivateKey.generate())
        key = VerifierKey(log.key.name, new.public)
        assert house.announce(announce(key, log.signer, new)).status is Status.COSIGNED
    finally:
        stopped.set()
        thread.join()


def test_links_and_pipes_in_a_shared_folder_do_no_harm(tmp_path: Path, witness: Witness) -> None:
    """A hostile house could otherwise overwrite the memory of its witness, or stop it."""
    folder = tmp_path / "shared"
    folder.mkdir()
    house = FolderExchange(folder, 0.1)
    house.submit([Log(leaves(9)).request(0, 5)])
    (request,) = folder.iterdir()
    name = request.name.partition(".")[0]
    memory = witness.folder / MEMORY_FILE
    before = memory.read_bytes()
    (folder / f"{name}.answer.new").symlink_to(memory)
    (folder / "linked.request").symlink_to(memory)
    os.mkfifo(folder / "pipe.request")
    assert answer_requests(folder, witness) == 1
    assert memory.read_bytes() == before
    # A pipe in the place of the answer does not stop the house either.
    (folder / f"{name}.answer").unlink()
    os.mkfifo(folder / f"{name}.answer")
    assert house.submit([Log(leaves(9)).request(0, 5)])[0].status is Status.UNREACHABLE


def test_a_witness_that_does_not_answer_is_unreachable() -> None:
    answers = RemoteWitness("http://127.0.0.1:9", 1).submit([Log(leaves(3)).request(0), Log(leaves(4)).request(0)])
    assert [answer.status for answer in answers] == [Status.UNREACHABLE] * 2
