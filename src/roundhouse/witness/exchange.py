"""The exchange of requests and answers with a witness through files of a shared folder.

The house writes ``NAME.request``, the witness ``NAME.answer``. An answer names the hash of its request, so that an old
answer is not taken for a new one. Every file is renamed into place when it is complete.
"""

import hashlib
import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from roundhouse.rules.errors import UserError
from roundhouse.tlog.checkpoint import read_size
from roundhouse.tlog.note import NotANote, Note, read_note, read_signatures
from roundhouse.tlog.request import MAX_REQUEST_BYTES, AddCheckpoint, read_request
from roundhouse.witness.answer import Status, WitnessAnswer
from roundhouse.witness.keys import KeyUnusable, write_file
from roundhouse.witness.witness import Witness

REQUEST, ANSWER, KEY = ".request", ".answer", ".key.request"
POLL_SECONDS: Final = 0.05
_TIMEOUT_SECONDS: Final = 3.0


def encode_answer(answer: WitnessAnswer) -> str:
    """Return the body of an answer: cosignatures, a size or a reason, as over HTTP."""
    match answer.status:
        case Status.COSIGNED:
            return "".join(map(str, answer.signatures))
        case Status.CONFLICT if answer.size is not None:
            return f"{answer.size}\n"
        case _:
            return f"{answer.reason}\n"


def decode_answer(status: int, body: str) -> WitnessAnswer:
    """Read the answer of a witness. A malformed answer counts as no answer."""
    try:
        known = Status(status)
        if known is Status.COSIGNED:
            return WitnessAnswer(known, signatures=read_signatures(body) if body else ())
        if known is Status.CONFLICT:
            return WitnessAnswer(known, size=read_size(body.removesuffix("\n")))
        return WitnessAnswer(known, body.strip()[:500])
    except (ValueError, NotANote):
        return WitnessAnswer(Status.UNREACHABLE, f"an answer that is not understood, status {status}")


class FolderExchange:
    """The side of the house."""

    def __init__(self, folder: Path, timeout_seconds: float = _TIMEOUT_SECONDS) -> None:
        self._folder, self._timeout = folder, timeout_seconds

    @property
    def place(self) -> str:
        return str(self._folder)

    def submit(self, requests: Sequence[AddCheckpoint]) -> list[WitnessAnswer]:
        return self._ask([(_name(request), request.encode(), REQUEST) for request in requests])

    def announce(self, note: Note) -> WitnessAnswer:
        content = str(note).encode()
        return self._ask([(hashlib.sha256(content).hexdigest()[:32], content, KEY)])[0]

    def close(self) -> None:
        pass

    def _ask(self, requests: Sequence[tuple[str, bytes, str]]) -> list[WitnessAnswer]:
        try:
            for name, content, suffix in requests:
                write_file(self._folder / (name + suffix), content)
            found: list[WitnessAnswer | None] = [None] * len(requests)
            ends = time.monotonic() + self._timeout
            while None in found and time.monotonic() < ends:
                found = [one or self._answer(name, content) for one, (name, content, _) in zip(found, requests)]
                if None in found:
                    time.sleep(POLL_SECONDS)
        except (KeyUnusable, OSError) as error:
            return [WitnessAnswer(Status.UNREACHABLE, str(error))] * len(requests)
        late = WitnessAnswer(Status.UNREACHABLE, f"the witness of '{self._folder}' does not answer")
        return [one or late for one in found]

    def _answer(self, name: str, content: bytes) -> WitnessAnswer | None:
        try:
            text = _content_of(self._folder / (name + ANSWER), MAX_REQUEST_BYTES).decode()
        except (FileNotFoundError, UnicodeError):
            return None
        head, _, body = text.partition("\n")
        digest, _, status = head.partition(" ")
        if digest != hashlib.sha256(content).hexdigest() or not status.isdecimal():
            return None
        return decode_answer(int(status), body)


def _name(request: AddCheckpoint) -> str:
    return hashlib.sha256(request.checkpoint.origin.encode()).hexdigest()[:32]


def answer_requests(folder: Path, witness: Witness) -> int:
    """Answer all requests of the folder that have no answer yet, and return their number. The side of the witness."""
    waiting: list[tuple[Path, str, AddCheckpoint | WitnessAnswer]] = []
    for path in sorted(folder.glob(f"*{REQUEST}")):
        with suppress(OSError):
            content = _content_of(path, MAX_REQUEST_BYTES + 1)
            digest = hashlib.sha256(content).hexdigest()
            answer = path.with_name(path.name.partition(".")[0] + ANSWER)
            if not _has_answer(answer, digest):
                waiting.append((answer, digest, _read(path, content, witness)))
    decided = iter(witness.add_all([one for _, _, one in waiting if isinstance(one, AddCheckpoint)]))
    for path, digest, one in waiting:
        result = next(decided) if isinstance(one, AddCheckpoint) else one
        write_file(path, f"{digest} {int(result.status)}\n{encode_answer(result)}".encode())
    return len(waiting)


def _content_of(path: Path, max_bytes: int) -> bytes:
    """Read the beginning of a file that the other side has written. A link or a pipe is not read."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"'{path}' is not a file")
        return file.read(max_bytes)


def _has_answer(path: Path, digest: str) -> bool:
    try:
        return _content_of(path, len(digest)) == digest.encode()
    except OSError:
        return False


def _read(path: Path, content: bytes, witness: Witness) -> AddCheckpoint | WitnessAnswer:
    try:
        if path.name.endswith(KEY):
            return witness.announce(read_note(content))
        return read_request(content)
    except NotANote as error:
        return WitnessAnswer(Status.MALFORMED, str(error))


class NoExchange(UserError):
    """The folder of the exchange does not exist."""
