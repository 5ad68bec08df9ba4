"""Ports to a wheel: a serial port, a TCP socket or a recording, all with the same interface.

Reads and writes do not block the event loop. Every connection error raises ``PortLost``.
"""

import asyncio
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from roundhouse.rules.errors import UserError

CHUNK: Final = 4096


class UnusablePort(UserError):
    """A name that is not a serial port, address or recording."""


class PortLost(Exception):
    """The connection to the wheel was lost or could not be opened."""


class PortConnection(Protocol):
    """An open connection to a wheel."""

    async def read(self) -> bytes:
        """Wait for data and return it; may return b"". Raises ``PortLost`` when the connection has ended."""
        ...

    async def write(self, data: bytes) -> None: ...
    async def close(self) -> None: ...


class Port(Protocol):
    """A place where a wheel can be connected."""

    @property
    def name(self) -> str: ...
    @property
    def comes_back(self) -> bool:
        """Whether the listener reconnects after the connection is lost. False for a recording."""
        ...

    async def open(self) -> PortConnection: ...


class _Descriptor:
    """A connection over a file descriptor that supports polling: a serial port or a pseudo-terminal."""

    def __init__(self, descriptor: int) -> None:
        self._fd = descriptor
        self._waiting: set[asyncio.Event] = set()
        self._closed = False
        os.set_blocking(descriptor, False)

    async def read(self) -> bytes:
        await self._ready(reading=True)
        try:
            chunk = os.read(self._fd, CHUNK)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise PortLost(error.strerror or str(error)) from error
        if not chunk:
            raise PortLost("the connection was closed")
        return chunk

    async def write(self, data: bytes) -> None:
        while data:
            await self._ready(reading=False)
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise PortLost(error.strerror or str(error)) from error

    async def close(self) -> None:
        self._unregister()
        with suppress(OSError):
            os.close(self._fd)

    def _unregister(self) -> None:
        """Remove the descriptor from the event loop before closing it, because its number may be reused at once."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._fd)
        loop.remove_writer(self._fd)
        for ready in self._waiting:
            ready.set()

    async def _ready(self, reading: bool) -> None:
        if self._closed:
            raise PortLost("the connection was closed")
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        add, remove = (loop.add_reader, loop.remove_reader) if reading else (loop.add_writer, loop.remove_writer)
        add(self._fd, ready.set)
        self._waiting.add(ready)
        try:
            await ready.wait()
        finally:
            self._waiting.discard(ready)
            if not self._closed:
                remove(self._fd)
        if self._closed:
            raise PortLost("the connection was closed")


class _SerialConnection(_Descriptor):
    def __init__(self, path: str, rtscts: bool) -> None:
        import serial

        try:
            self._port = serial.Serial(path, 9600, rtscts=rtscts, timeout=0, exclusive=True)
        except (serial.SerialException, ValueError) as error:
            raise PortLost(f"cannot open {path}: {error}") from error
        super().__init__(self._port.fileno())

    async def close(self) -> None:
        self._unregister()
        with suppress(OSError):
            self._port.close()


@dataclass(frozen=True, slots=True)
class SerialPort:
    """A serial port: 9600 baud, 8N1, with RTS/CTS unless the cable lacks those wires."""

    path: str
    rtscts: bool = True
    comes_back: bool = True

    @property
    def name(self) -> str:
        return self.path

    async def open(self) -> PortConnection:
        return _SerialConnection(self.path, self.rtscts)


class _TcpConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def read(self) -> bytes:
        try:
            chunk = await self._reader.read(CHUNK)
        except OSError as error:
            raise PortLost(error.strerror or str(error)) from error
        if not chunk:
            raise PortLost("the other side closed the connection")
        return chunk

    async def write(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise PortLost(error.strerror or str(error)) from error

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


@dataclass(frozen=True, slots=True)
class TcpPort:
    host: str
    port: int
    comes_back: bool = True

    @property
    def name(self) -> str:
        return f"tcp://{self.host}:{self.port}"

    async def open(self) -> PortConnection:
        try:
            return _TcpConnection(*await asyncio.open_connection(self.host, self.port))
        except OSError as error:
            raise PortLost(f"cannot reach {self.name}: {error.strerror or error}") from error


class _FileConnection:
    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")

    async def read(self) -> bytes:
        chunk = self._file.read(CHUNK)
        if not chunk:
            raise PortLost("end of file")
        return chunk

    async def write(self, data: bytes) -> None:
        raise PortLost("a recording accepts no commands")

    async def close(self) -> None:
        self._file.close()


@dataclass(frozen=True, slots=True)
class FilePort:
    path: Path
    comes_back: bool = False

    @property
    def name(self) -> str:
        return str(self.path)

    async def open(self) -> PortConnection:
        try:
            return _FileConnection(self.path)
        except OSError as error:
            raise UnusablePort(f"cannot read '{self.path}': {error.strerror or error}") from error


def port_at(name: str, rtscts: bool = True) -> Port:
    """Create the port for ``tcp://host:port``, a serial device or a recording.

    >>> port_at("tcp://wheel-7:4001").name, type(port_at("/dev/ttyUSB0")).__name__
    ('tcp://wheel-7:4001', 'SerialPort')
    """
    if name.startswith("tcp://"):
        host, _, port = name.removeprefix("tcp://").rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise UnusablePort(f"'{name}' is not an address; write tcp://host:port")
        return TcpPort(host.strip("[]"), int(port))
    path = Path(name)
    if path.is_file():
        return FilePort(path)
    if path.is_char_device() or name.startswith("/dev/"):
        return SerialPort(name, rtscts)
    raise UnusablePort(f"'{name}' is not a serial device, a recording or tcp://host:port")
