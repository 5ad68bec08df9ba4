"""The local socket of a running house, by which the engineer lifts locks without stopping the house.

The socket is in the data folder. Only the owner of the server's process and root can use it. They can do the same with
a stopped house. A request and its answer are one line of JSON each.
"""

import asyncio
import logging
import os
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from roundhouse.house.house import House
from roundhouse.logs import log
from roundhouse.people.names import HouseRefused, PersonId
from roundhouse.table.names import Millis

SOCKET: Final = "house.sock"
_MAX_LINE: Final = 4096
_TIMEOUT_SECONDS: Final = 10.0


class Unlock(Struct, frozen=True, tag_field="do", tag="unlock"):
    person: PersonId


class Done(Struct, frozen=True, omit_defaults=True):
    refusal: str = ""
    reason: str = ""


class NotRunning(Exception):
    """No house runs on this data folder."""


_encode = msgspec.json.Encoder().encode


@contextmanager
def _path(folder: Path) -> Iterator[str]:
    """Return a short path of the socket, because the system limits its length to 107 bytes."""
    directory = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{directory}/{SOCKET}"
    finally:
        os.close(directory)


class ControlSocket:
    """Serves the local socket from ``open`` to ``close``."""

    def __init__(self, folder: Path, house: House, now: Callable[[], Millis]) -> None:
        self._folder, self._house, self._now = folder, house, now
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # The lock on the journal is held, so a socket that exists was left by a house that was killed.
            (self._folder / SOCKET).unlink(missing_ok=True)
            before = os.umask(0o177)
            try:
                with _path(self._folder) as path:
                    bound.bind(path)
            finally:
                os.umask(before)
            bound.setblocking(False)
            self._server = await asyncio.start_unix_server(self._serve, sock=bound, limit=_MAX_LINE)
        except OSError as error:
            # The house can run without it. Locks are then lifted in the pit.
            bound.close()
            log("the local socket cannot be opened", logging.WARNING, error=error.strerror or str(error))

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            with suppress(OSError):
                (self._folder / SOCKET).unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                if _is_ours(writer.get_extra_info("socket")):
                    writer.write(_encode(await self._answer(await reader.readuntil(b"\n"))) + b"\n")
                    await writer.drain()
        writer.close()

    async def _answer(self, line: bytes) -> Done:
        try:
            request = msgspec.json.decode(line, type=Unlock)
        except msgspec.DecodeError:
            return Done("not_understood", "this house does not know the request")
        refused = await self._house.staff.unlock(None, request.person, self._now())
        return Done(refused.refusal.value, refused.reason) if isinstance(refused, HouseRefused) else Done()


def _is_ours(connection: socket.socket) -> bool:
    """Return whether the client belongs to the user of this process or to root."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", credentials)
    return user in (os.geteuid(), 0)


def ask(folder: Path, request: Unlock) -> Done:
    """Send a request to the running house. Raises ``NotRunning`` if none answers."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection, _path(folder) as path:
            connection.settimeout(_TIMEOUT_SECONDS)
            connection.connect(path)
            connection.sendall(_encode(request) + b"\n")
            answer = b""
            while not answer.endswith(b"\n") and (more := connection.recv(_MAX_LINE)):
                answer += more
        return msgspec.json.decode(answer, type=Done)
    except (OSError, msgspec.DecodeError) as error:
        raise NotRunning from error
