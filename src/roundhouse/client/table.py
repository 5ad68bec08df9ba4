"""Client of one table: sends requests, receives changes and reconnects.

After a reconnect it resends unanswered requests with the same ids. The server executes a request id only once.
"""

import asyncio
import itertools
import random
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import quote

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from roundhouse.client.login import NotLetIn
from roundhouse.client.view import Change, View
from roundhouse.wire.messages import (
    POLICY,
    ChangeMessage,
    FromClient,
    HouseMessage,
    SnapshotMessage,
    SocketSnapshot,
    StopNotice,
    StoppingMessage,
)
from roundhouse.wire.tables import HouseAnswer, NumberedAnswer

Answered = NumberedAnswer | HouseAnswer
"""The answer to a request. If ``ok`` is false, ``refusal`` and ``reason`` say why."""

_MIN_RETRY_SECONDS, _MAX_RETRY_SECONDS = 0.05, 2.0
"""First and longest delay before a reconnect. The delay doubles after each failure."""
_MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_MAX_QUEUED_CHANGES = 10_000
"""If a caller of ``changes`` has more unread changes, they are replaced by a snapshot."""
_encode = msgspec.json.Encoder().encode


class TableClient:
    """A connection to one table, created by ``at_table``. ``view`` is the last known state of the table."""

    def __init__(self, address: str, headers: Mapping[str, str]) -> None:
        self.view = View()
        self.stopping: StopNotice | None = None
        """The planned stop of the house that is under way, or None."""
        self.reconnects = 0
        """Number of reconnects."""
        self._address, self._headers = address, headers
        self._prefix, self._count = secrets.token_hex(6), itertools.count(1)
        self._unanswered: dict[str, tuple[bytes, asyncio.Future[Answered]]] = {}
        self._followers: list[asyncio.Queue[Change | None]] = []
        self._connection: ClientConnection | None = None
        self._resuming = ""
        """Id of the resume request that has no answer yet, or empty."""
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._error: Exception | None = None
        """Set when the server has refused the client, which then no longer reconnects."""

    # Requests

    async def ask(self, do: str, **fields: object) -> Answered:
        """Send a request of the wire format and wait for its answer, which comes after the commit."""
        id = f"{self._prefix}-{next(self._count)}"
        message = _encode({"id": id, "do": do, **fields})
        # A malformed request is a bug of the calling program. Decoding it here raises the error in the caller.
        msgspec.json.decode(message, type=FromClient)
        return await self._send(id, message)

    async def take_seat(self, terminal: str) -> Answered:
        return await self.ask("take_seat", terminal=terminal)

    async def buy_credits(self, cents: int) -> Answered:
        return await self.ask("buy_credits", cents=cents)

    async def place_bets(self, bets: Mapping[str, int]) -> Answered:
        """Place bets, given in cents by position."""
        return await self.ask("place_bets", bets=_chips(bets))

    async def withdraw_bets(self, bets: Mapping[str, int]) -> Answered:
        return await self.ask("withdraw_bets", bets=_chips(bets))

    async def place_package(self, package: str, unit_cents: int) -> Answered:
        return await self.ask("place_package", package=package, unit_cents=unit_cents)

    async def undo(self) -> Answered:
        return await self.ask("undo")

    async def clear(self) -> Answered:
        return await self.ask("clear")

    async def repeat(self) -> Answered:
        return await self.ask("repeat")

    async def double(self) -> Answered:
        return await self.ask("double")

    async def cash_out(self) -> Answered:
        return await self.ask("cash_out")

    async def _send(self, id: str, message: bytes) -> Answered:
        if self._error is not None:
            raise self._error
        answer: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._unanswered[id] = (message, answer)
        try:
            if self._connection is not None:
                # If the connection is lost, the request is resent after the reconnect.
                with suppress(ConnectionClosed):
                    await self._connection.send(message.decode())
            return await answer
        finally:
            self._unanswered.pop(id, None)

    # Changes

    async def changes(self) -> AsyncIterator[Change]:
        """Yield the changes from now on, in order. A caller that falls too far behind gets a snapshot instead."""
        queue: asyncio.Queue[Change | None] = asyncio.Queue()
        self._followers.append(queue)
        try:
            while (change := await queue.get()) is not None:
                yield change
            if self._error is not None:
                raise self._error
        finally:
            self._followers.remove(queue)

    async def until(self, phase: str) -> None:
        """Wait until the table is in this phase."""
        following = self.changes()
        try:
            waiting = asyncio.ensure_future(anext(following))
            while self.view.table is None or self.view.table.phase != phase:
                await waiting
                waiting = asyncio.ensure_future(anext(following))
            waiting.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await waiting
        finally:
            await following.aclose()  # type: ignore[attr-defined]

    def _publish(self, changes: list[Change]) -> None:
        for queue in self._followers:
            for change in changes:
                queue.put_nowait(change)
            if queue.qsize() > _MAX_QUEUED_CHANGES and self.view.table is not None:
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(SocketSnapshot(self.view.table))

    # Connection

    async def run(self) -> None:
        """Keep the connection open until the task is cancelled or the server refuses the client."""
        delay = _MIN_RETRY_SECONDS
        try:
            while True:
                try:
                    async with self._connect() as connection:
                        delay = _MIN_RETRY_SECONDS
                        await self._receive_all(connection)
                except InvalidStatus as refused:
                    if refused.response.status_code in (400, 401, 403, 404):
                        raise NotLetIn(f"status {refused.response.status_code}") from None
                except (InvalidHandshake, OSError, TimeoutError, EOFError):
                    pass
                except ConnectionClosed as closed:
                    frame = closed.rcvd
                    if frame is not None and frame.code == POLICY:
                        raise NotLetIn(frame.reason) from None
                finally:
                    self._connection = None
                await asyncio.sleep(delay * random.uniform(0.5, 1.0))
                delay = min(2 * delay, _MAX_RETRY_SECONDS)
        except NotLetIn as refused:
            self._fail(refused)

    def _connect(self) -> Any:
        return connect(
            self._address,
            additional_headers=dict(self._headers),
            max_size=_MAX_MESSAGE_BYTES,
            compression=None,
            open_timeout=10,
            ping_interval=20,
            close_timeout=1,
        )

    async def _receive_all(self, connection: ClientConnection) -> None:
        first = _message(await connection.recv())
        if not isinstance(first, SnapshotMessage):
            raise NotLetIn("not_understood", "the first message is not a snapshot of a table; check the address")
        view, self._resuming, self.stopping = self.view, "", None
        if view.epoch != first.epoch:
            self._apply_snapshot(first)
        elif (view.public, view.own) != (first.public, first.own):
            # The server still has the same epoch. Request the missed changes, so that followers get all of them.
            await self._resume(connection)
        if self._ready.done():
            self.reconnects += 1
        else:
            self._ready.set_result(None)
        self._connection = connection
        for message, _ in list(self._unanswered.values()):
            await connection.send(message.decode())
        async for text in connection:
            if self._handle(_message(text)):
                await self._resume(connection)
        raise ConnectionClosed(connection.protocol.close_rcvd, connection.protocol.close_sent, None)

    async def _resume(self, connection: ClientConnection) -> None:
        if not self._resuming:
            self._resuming, view = f"{self._prefix}-{next(self._count)}", self.view
            request = {
                "id": self._resuming,
                "do": "resume",
                "epoch": view.epoch,
                "public": view.public,
                "own": view.own,
            }
            await connection.send(_encode(request).decode())

    def _handle(self, message: Any) -> bool:
        """Apply a message. Return True if changes before it are missing and must be requested."""
        match message:
            case SnapshotMessage():
                self._apply_snapshot(message)
                return False
            case ChangeMessage():
                changes, gap = self.view.apply_change(message)
                self._publish(changes)
                return gap
            case NumberedAnswer() | HouseAnswer():
                return self._handle_answer(message)
            case StoppingMessage(notice):
                self.stopping = notice
                return False
            case _:
                return False

    def _apply_snapshot(self, message: SnapshotMessage) -> None:
        self._publish([self.view.apply_snapshot(message)])

    def _handle_answer(self, answer: Answered) -> bool:
        if answer.id == self._resuming:
            self._resuming = ""
            return False
        changes, gap = self.view.apply_answer(answer) if isinstance(answer, NumberedAnswer) else ([], False)
        self._publish(changes)
        waiting = self._unanswered.get(answer.id or "")
        if waiting is not None and not waiting[1].done():
            waiting[1].set_result(answer)
        return gap

    def _fail(self, error: Exception) -> None:
        self._error = error
        waiting: list[asyncio.Future[Any]] = [self._ready, *(answer for _, answer in self._unanswered.values())]
        for future in waiting:
            if not future.done():
                future.set_exception(error)
        for queue in self._followers:
            queue.put_nowait(None)

    async def ready(self) -> None:
        """Wait for the first snapshot of the table."""
        await self._ready


class _Kind(msgspec.Struct):
    """The fields by which the type of a message is recognised."""

    id: str | msgspec.UnsetType | None = msgspec.UNSET
    snapshot: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    house: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    stopping: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_Message = SnapshotMessage | ChangeMessage | NumberedAnswer | HouseAnswer | HouseMessage | StoppingMessage


def _message(text: str | bytes) -> _Message:
    kind = msgspec.json.decode(text, type=_Kind)
    if kind.snapshot is not msgspec.UNSET:
        return msgspec.json.decode(text, type=SnapshotMessage)
    if kind.house is not msgspec.UNSET:
        return msgspec.json.decode(text, type=HouseMessage)
    if kind.stopping is not msgspec.UNSET:
        return msgspec.json.decode(text, type=StoppingMessage)
    if kind.id is msgspec.UNSET:
        return msgspec.json.decode(text, type=ChangeMessage)
    try:
        return msgspec.json.decode(text, type=NumberedAnswer)
    except msgspec.ValidationError:
        # A HouseAnswer has refusal codes that NumberedAnswer does not accept.
        return msgspec.json.decode(text, type=HouseAnswer)


def _chips(bets: Mapping[str, int]) -> list[dict[str, object]]:
    return [{"position": position, "cents": cents} for position, cents in bets.items()]


@asynccontextmanager
async def at_table(url: str, table: str, key: str) -> AsyncIterator[TableClient]:
    """Connect to a table of the server at ``url``, as the owner of the key or token.

    Raises ``NotLetIn`` if the server refuses the key. While the server is unreachable, waits and retries.
    """
    address = f"ws{url.removeprefix('http').rstrip('/')}/api/tables/{quote(table, safe='')}/socket"
    client = TableClient(address, {"authorization": f"Bearer {key}"})
    running = asyncio.create_task(client.run())
    try:
        await client.ready()
        yield client
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
