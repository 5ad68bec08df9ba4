"""Decides on checkpoints, remembers those that continue what was seen, and cosigns them."""

import fcntl
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from roundhouse.tlog.announcement import read_announcement
from roundhouse.tlog.checkpoint import Origin, checkpoint_of
from roundhouse.tlog.cosignature import cosign, cosigner_key
from roundhouse.tlog.merkle import EMPTY_ROOT, BadProof, check_consistency
from roundhouse.tlog.note import Ed25519Signer, NotANote, Note, NotSigned, VerifierKey, check, read_note
from roundhouse.tlog.request import AddCheckpoint
from roundhouse.witness.answer import Status, WitnessAnswer
from roundhouse.witness.keys import create_signer, read_public_key, read_signer, write_file
from roundhouse.witness.memory import MemoryUnusable, Seen, WitnessMemory

KEY_FILE: Final = "witness.key"
PUBLIC_FILE: Final = "witness.pub"
MEMORY_FILE: Final = "memory.db"


def create_witness(folder: Path, name: str | None = None) -> None:
    """Create the key and the memory of a witness in a folder. A folder that has both is left as it is."""
    if (folder / KEY_FILE).exists() and (folder / PUBLIC_FILE).exists() and (folder / MEMORY_FILE).exists():
        return
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise MemoryUnusable(f"Could not write '{folder}': {error.strerror or error}") from error
    try:
        # Two houses of this machine may create the same witness. The public key is last, so it marks the end.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / PUBLIC_FILE).exists():
            if not (folder / KEY_FILE).exists() or not (folder / MEMORY_FILE).exists():
                raise MemoryUnusable(
                    f"the witness in '{folder}' has lost its key or its memory, so it can no longer be relied on;"
                    " restore its files, or move the folder away to begin with a new witness"
                )
            return
        for left in (KEY_FILE, MEMORY_FILE, MEMORY_FILE + "-wal", MEMORY_FILE + "-shm"):
            with suppress(FileNotFoundError):
                (folder / left).unlink()
        WitnessMemory(folder / MEMORY_FILE, create=True).close()
        signer = create_signer(folder / KEY_FILE)
        key = cosigner_key(name or f"roundhouse-witness/{secrets.token_hex(8)}", signer)
        write_file(folder / PUBLIC_FILE, f"{key}\n".encode())
    finally:
        os.close(lock)


class Witness:
    """A witness in a folder. Any thread may call it."""

    def __init__(self, folder: Path, seconds: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self._seconds = seconds
        if not (folder / PUBLIC_FILE).exists():
            raise MemoryUnusable(f"there is no witness in '{folder}'; 'roundhouse witness init' creates one")
        self.key: VerifierKey = read_public_key(folder / PUBLIC_FILE)
        try:
            self._signer: Ed25519Signer = read_signer(folder / KEY_FILE)
        except FileNotFoundError as error:
            raise MemoryUnusable(f"the key '{folder / KEY_FILE}' of the witness is missing") from error
        if self._signer.public != self.key.public:
            raise MemoryUnusable(f"'{folder / PUBLIC_FILE}' is not the public key of '{folder / KEY_FILE}'")
        self.memory = WitnessMemory(folder / MEMORY_FILE)
        self._lock = threading.Lock()

    def close(self) -> None:
        self.memory.close()

    def trust(self, key: VerifierKey) -> None:
        """Accept checkpoints of the logs below the key's name, if this key has signed them."""
        with self._lock, self.memory.changing():
            self.memory.set_key(key)

    def add(self, request: AddCheckpoint) -> WitnessAnswer:
        return self.add_all([request])[0]

    def add_all(self, requests: Sequence[AddCheckpoint]) -> list[WitnessAnswer]:
        """Decide on checkpoints and remember the good ones, in one transaction. It is on disk before this returns."""
        seconds = int(self._seconds())
        with self._lock:
            with self.memory.changing():
                answers = [self._judge(request, seconds) for request in requests]
            return [
                self._cosigned(request.note, seconds) if answer.status is Status.COSIGNED else answer
                for request, answer in zip(requests, answers, strict=True)
            ]

    def _cosigned(self, note: Note, seconds: int) -> WitnessAnswer:
        line = cosign(note, self.key.name, self._signer, seconds)
        return WitnessAnswer(Status.COSIGNED, signatures=(line,))

    def _judge(self, request: AddCheckpoint, seconds: int) -> WitnessAnswer:
        """Decide on one checkpoint, in the order of the specification. Remember it if it is good."""
        try:
            checkpoint = request.checkpoint
        except NotANote as error:
            return WitnessAnswer(Status.MALFORMED, str(error))
        origin = checkpoint.origin
        keys = self._keys_for(origin)
        if not keys:
            return WitnessAnswer(Status.UNKNOWN_LOG, f"the witness knows no key for '{origin}'")
        try:
            check(request.note, *keys)
        except NotSigned as error:
            return WitnessAnswer(Status.NOT_SIGNED, str(error))
        if request.old > checkpoint.size:
            reason = f"the old size {request.old} is above the size {checkpoint.size}"
            return WitnessAnswer(Status.MALFORMED, reason)
        seen = self.memory.seen(origin)
        size = seen.size if seen is not None else 0
        if request.old != size:
            reason = f"the last size of '{origin}' is {size}, not {request.old}"
            return WitnessAnswer(Status.CONFLICT, reason, size=size)
        root = checkpoint_of(read_note(seen.note)).root if seen is not None else EMPTY_ROOT
        if checkpoint.size == size and checkpoint.root != root:
            self.memory.keep_evidence(seconds, request.encode())
            reason = f"'{origin}' had another root at size {size}: it is forked"
            return WitnessAnswer(Status.CONFLICT, reason, size=size)
        try:
            check_consistency(size, root, checkpoint.size, checkpoint.root, request.proof)
        except BadProof as error:
            self.memory.keep_evidence(seconds, request.encode())
            return WitnessAnswer(Status.INCONSISTENT, f"'{origin}' is forked, or the proof is wrong: {error}")
        if seen is None or size != checkpoint.size:
            self.memory.keep(Seen(origin, checkpoint.size, str(request.note), seconds))
        return WitnessAnswer(Status.COSIGNED)

    def _keys_for(self, origin: Origin) -> tuple[VerifierKey, ...]:
        """Return the trusted keys of a log, named like the log. A key is trusted for its own name and all below."""
        name: str = origin
        while True:
            if keys := self.memory.keys(name):
                return tuple(key.named(origin) for key in keys)
            name, slash, _ = name.rpartition("/")
            if not slash:
                return ()

    def announce(self, note: Note) -> WitnessAnswer:
        """Replace the key of a house by a new one that the trusted key announces."""
        with self._lock, self.memory.changing():
            try:
                names = {one.name for one in note.signatures}
                known = [key for name in names for key in self.memory.keys(name)]
                if not known:
                    return WitnessAnswer(Status.UNKNOWN_LOG, "the witness knows no key of this name")
                key = read_announcement(note, *known).key
            except NotANote as error:
                return WitnessAnswer(Status.MALFORMED, str(error))
            except NotSigned as error:
                return WitnessAnswer(Status.NOT_SIGNED, str(error))
            self.memory.set_key(key)
            return WitnessAnswer(Status.COSIGNED)
