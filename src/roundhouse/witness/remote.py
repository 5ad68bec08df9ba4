"""A witness on another machine, reached over HTTP (c2sp.org/tlog-witness). Connections are kept open."""

import ssl
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final
from urllib.parse import urlsplit

from roundhouse.tlog.note import Note
from roundhouse.tlog.request import AddCheckpoint
from roundhouse.witness.answer import Status, WitnessAnswer
from roundhouse.witness.exchange import decode_answer

TIMEOUT_SECONDS: Final = 3.0
_MAX_ANSWER_BYTES: Final = 64 * 1024


class RemoteWitness:
    def __init__(self, url: str, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        """Use the witness at ``url``, its submission prefix without ``/add-checkpoint``."""
        self._url = url.rstrip("/")
        parts = urlsplit(self._url)
        self._path, self._timeout = parts.path, timeout_seconds
        self._host, self._port, self._secure = parts.hostname or "", parts.port, parts.scheme == "https"
        self._connection: HTTPConnection | None = None

    @property
    def place(self) -> str:
        return self._url

    def submit(self, requests: Sequence[AddCheckpoint]) -> list[WitnessAnswer]:
        answers: list[WitnessAnswer] = []
        for request in requests:
            if answers and answers[-1].status is Status.UNREACHABLE:
                # Do not wait for the timeout once more for every chain.
                answers.append(answers[-1])
            else:
                answers.append(self._post("/add-checkpoint", request.encode()))
        return answers

    def announce(self, note: Note) -> WitnessAnswer:
        return self._post("/announce-key", str(note).encode())

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _post(self, path: str, body: bytes) -> WitnessAnswer:
        # A kept connection may have been closed by the witness. Then the request is sent once more on a new one.
        fresh = self._connection is None
        try:
            return self._send(path, body)
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            if fresh or isinstance(error, TimeoutError):
                return WitnessAnswer(Status.UNREACHABLE, f"{type(error).__name__}: {error}")
        try:
            return self._send(path, body)
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            return WitnessAnswer(Status.UNREACHABLE, f"{type(error).__name__}: {error}")

    def _send(self, path: str, body: bytes) -> WitnessAnswer:
        if self._connection is None:
            if self._secure:
                context = ssl.create_default_context()
                self._connection = HTTPSConnection(self._host, self._port, timeout=self._timeout, context=context)
            else:
                self._connection = HTTPConnection(self._host, self._port, timeout=self._timeout)
        self._connection.request("POST", self._path + path, body, {"Content-Type": "text/plain; charset=utf-8"})
        response = self._connection.getresponse()
        content = response.read(_MAX_ANSWER_BYTES)
        if not response.isclosed():
            self.close()
        return decode_answer(response.status, content.decode())
