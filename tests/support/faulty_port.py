"""A port to a wheel whose writes fail on demand."""

from roundhouse.wheel.ports import Port, PortConnection


class FaultyPort:
    """Passes everything on to another port."""

    def __init__(self, port: Port) -> None:
        self._port = port
        self.write_error: Exception | None = None
        """Exception raised by every write, if set."""

    @property
    def name(self) -> str:
        return self._port.name

    @property
    def comes_back(self) -> bool:
        return self._port.comes_back

    async def open(self) -> PortConnection:
        return _FaultyConnection(self, await self._port.open())


class _FaultyConnection:
    def __init__(self, port: FaultyPort, connection: PortConnection) -> None:
        self._port, self._connection = port, connection

    async def read(self) -> bytes:
        return await self._connection.read()

    async def write(self, data: bytes) -> None:
        if self._port.write_error is not None:
            raise self._port.write_error
        await self._connection.write(data)

    async def close(self) -> None:
        await self._connection.close()
