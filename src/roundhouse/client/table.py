"""A client at one table: requests with their answers, changes as they come, and a line that is mended by itself.

A request that has no answer when the line breaks is sent again under the same name; the house answers it once and
for all, so nothing is done twice. Whatever the house says is typed as the wire has it.
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
from roundhouse.wire.messages import POLICY, ChangeMessage, FromClient, HouseMessage, SnapshotMessage, SocketSnapshot
from roundhouse.wire.tables import HouseAnswer, NumberedAnswer

Answered = NumberedAnswer | HouseAnswer
"""``ok`` says whether it was done; otherwise ``refusal`` and ``reason`` say why not."""

_REST_SECONDS = (0.05, 2.0)
"""How long to wait before trying again: at first, and at most."""
_LARGEST = 64 * 1024 * 1024
_MOST_CHANGES = 10_000
_encode = msgspec.json.Encoder().encode


class TableClient:
    """Made by ``at_table``. ``view`` is the table as the house has told it."""

    def __init__(self, address: str, headers: Mapping[str, str]) -> None:
        self.view = View()
        self.reconnects = 0
        """How often the line was mended."""
        self._address, self._headers = address, headers
        self._prefix, self._count = secrets.token_hex(6), itertools.count(1)
        self._unanswered: dict[str, tuple[bytes, asyncio.Future[Answered]]] = {}
        self._followers: list[asyncio.Queue[Change | None]] = []
        self._line: ClientConnection | None = None
        self._resuming = ""
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._over: Exception | None = None

    # asking

    async def ask(self, do: str, **fields: object) -> Answered:
        """Any request of the wire. Its answer has come when the house has it on record."""
        id = f"{self._prefix}-{next(self._count)}"
        message = _encode({"id": id, "do": do, **fields})
        # A request that is not one of the wire's is a mistake in the program, and is said at once.
        msgspec.json.decode(message, type=FromClient)
        return await self._send(id, message)

    async def take_seat(self, terminal: str) -> Answered:
        return await self.ask("take_seat", terminal=terminal)

    async def buy_credits(self, cents: int) -> Answered:
        return await self.ask("buy_credits", cents=cents)

    async def place_bets(self, bets: Mapping[str, int]) -> Answered:
        """Cents by position."""
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
        if self._over is not None:
            raise self._over
        answered: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._unanswered[id] = (message, answered)
        try:
            if self._line is not None:
                # A line that has just broken is mended, and the request is sent then.
                with suppress(ConnectionClosed):
                    await self._line.send(message.decode())
            return await answered
        finally:
            self._unanswered.pop(id, None)

    # following

    async def changes(self) -> AsyncIterator[Change]:
        """What changes from now on, in order. Whoever is too slow to follow is shown the whole again."""
        queue: asyncio.Queue[Change | None] = asyncio.Queue()
        self._followers.append(queue)
        try:
            while (change := await queue.get()) is not None:
                yield change
            if self._over is not None:
                raise self._over
        finally:
            self._followers.remove(queue)

    async def until(self, phase: str) -> None:
        """Until the table stands in this phase."""
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

    def _tell(self, news: list[Change]) -> None:
        for queue in self._followers:
            for change in news:
                queue.put_nowait(change)
            if queue.qsize() > _MOST_CHANGES and self.view.table is not None:
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(SocketSnapshot(self.view.table))

    # the line

    async def run(self) -> None:
        """Until it is cancelled, or the house does not let us in any more."""
        rest = _REST_SECONDS[0]
        try:
            while True:
                try:
                    async with self._connected() as line:
                        rest = _REST_SECONDS[0]
                        await self._listen(line)
                except InvalidStatus as refused:
                    if refused.response.status_code in (400, 401, 403, 404):
                        raise NotLetIn(f"status {refused.response.status_code}") from None
                except (InvalidHandshake, OSError, TimeoutError, EOFError):
                    pass
                except ConnectionClosed as closed:
                    why = closed.rcvd
                    if why is not None and why.code == POLICY:
                        raise NotLetIn(why.reason) from None
                finally:
                    self._line = None
                await asyncio.sleep(rest * random.uniform(0.5, 1.0))
                rest = min(2 * rest, _REST_SECONDS[1])
        except NotLetIn as over:
            self._end(over)

    def _connected(self) -> Any:
        return connect(
            self._address,
            additional_headers=dict(self._headers),
            max_size=_LARGEST,
            compression=None,
            open_timeout=10,
            ping_interval=20,
            close_timeout=1,
        )

    async def _listen(self, line: ClientConnection) -> None:
        shown = _message(await line.recv())
        if not isinstance(shown, SnapshotMessage):
            raise NotLetIn("not_understood", "this is no house that speaks this wire")
        view, self._resuming = self.view, ""
        if view.epoch != shown.epoch:
            self._take(shown)
        elif (view.public, view.own) != (shown.public, shown.own):
            # The house is the same and something was missed: it is told in its order, and nobody has to guess it.
            await self._resume(line)
        if self._ready.done():
            self.reconnects += 1
        else:
            self._ready.set_result(None)
        self._line = line
        for message, _ in list(self._unanswered.values()):
            await line.send(message.decode())
        async for text in line:
            if self._heard(_message(text)):
                await self._resume(line)
        raise ConnectionClosed(line.protocol.close_rcvd, line.protocol.close_sent, None)

    async def _resume(self, line: ClientConnection) -> None:
        if not self._resuming:
            self._resuming, view = f"{self._prefix}-{next(self._count)}", self.view
            said = {"id": self._resuming, "do": "resume", "epoch": view.epoch, "public": view.public, "own": view.own}
            await line.send(_encode(said).decode())

    def _heard(self, message: Any) -> bool:
        """Whether something is missing, so that it has to be asked for."""
        match message:
            case SnapshotMessage():
                self._take(message)
                return False
            case ChangeMessage():
                news, gap = self.view.changed(message)
                self._tell(news)
                return gap
            case NumberedAnswer() | HouseAnswer():
                return self._answered(message)
            case _:
                return False

    def _take(self, message: SnapshotMessage) -> None:
        self._tell([self.view.shown(message)])

    def _answered(self, answer: Answered) -> bool:
        if answer.id == self._resuming:
            self._resuming = ""
            return False
        news, gap = self.view.answered(answer) if isinstance(answer, NumberedAnswer) else ([], False)
        self._tell(news)
        waiting = self._unanswered.get(answer.id or "")
        if waiting is not None and not waiting[1].done():
            waiting[1].set_result(answer)
        return gap

    def _end(self, over: Exception) -> None:
        self._over = over
        waiting: list[asyncio.Future[Any]] = [self._ready, *(answered for _, answered in self._unanswered.values())]
        for one in waiting:
            if not one.done():
                one.set_exception(over)
        for queue in self._followers:
            queue.put_nowait(None)

    async def ready(self) -> None:
        """Until the house has shown the table for the first time."""
        await self._ready


class _Kind(msgspec.Struct):
    """By what is in it a message is known."""

    id: str | msgspec.UnsetType | None = msgspec.UNSET
    snapshot: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    house: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def _message(text: str | bytes) -> SnapshotMessage | ChangeMessage | NumberedAnswer | HouseAnswer | HouseMessage:
    kind = msgspec.json.decode(text, type=_Kind)
    if kind.snapshot is not msgspec.UNSET:
        return msgspec.json.decode(text, type=SnapshotMessage)
    if kind.house is not msgspec.UNSET:
        return msgspec.json.decode(text, type=HouseMessage)
    if kind.id is msgspec.UNSET:
        return msgspec.json.decode(text, type=ChangeMessage)
    try:
        return msgspec.json.decode(text, type=NumberedAnswer)
    except msgspec.ValidationError:
        # The house's own refusals are other words than the table's.
        return msgspec.json.decode(text, type=HouseAnswer)


def _chips(bets: Mapping[str, int]) -> list[dict[str, object]]:
    return [{"position": position, "cents": cents} for position, cents in bets.items()]


@asynccontextmanager
async def at_table(url: str, table: str, key: str) -> AsyncIterator[TableClient]:
    """At a table of the house at ``url``, as whoever the key or token belongs to.

    Raises ``NotLetIn`` where the house does not know it; while the house is away, waits for it.
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
