"""The HTTP service of a witness: ``POST /add-checkpoint`` by c2sp.org/tlog-witness, and ``POST /announce-key``.

Requests that arrive together are decided in one transaction, so that they share one sync of the disk.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from roundhouse.tlog.note import NotANote, read_note
from roundhouse.tlog.request import MAX_REQUEST_BYTES, SIZE_TYPE, AddCheckpoint, read_request
from roundhouse.witness.answer import Status, WitnessAnswer
from roundhouse.witness.exchange import encode_answer
from roundhouse.witness.memory import MemoryUnusable
from roundhouse.witness.witness import Witness

_BODY_SECONDS: Final = 10.0
_MAX_WAITING: Final = 10_000


class _Batches:
    """Collects the requests that arrive while others are decided, and decides them together in a thread."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness
        self._waiting: list[tuple[AddCheckpoint, asyncio.Future[WitnessAnswer]]] = []
        self._running: asyncio.Task[None] | None = None

    async def add(self, request: AddCheckpoint) -> WitnessAnswer:
        answer: asyncio.Future[WitnessAnswer] = asyncio.get_running_loop().create_future()
        if len(self._waiting) >= _MAX_WAITING:
            raise MemoryUnusable("too many requests wait for the witness")
        self._waiting.append((request, answer))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._decide())
        return await answer

    async def _decide(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                answers = await asyncio.to_thread(self._witness.add_all, [request for request, _ in batch])
            except Exception as error:
                for _, answer in batch:
                    if not answer.done():
                        answer.set_exception(error)
                continue
            for (_, answer), found in zip(batch, answers, strict=True):
                if not answer.done():
                    answer.set_result(found)


def application(witness: Witness) -> Starlette:
    """Return the ASGI application of a witness."""
    batches = _Batches(witness)

    async def add_checkpoint(request: Request) -> Response:
        return await _answer(request, lambda body: batches.add(read_request(body)))

    async def announce_key(request: Request) -> Response:
        return await _answer(request, lambda body: asyncio.to_thread(witness.announce, read_note(body)))

    return Starlette(
        routes=[
            Route("/add-checkpoint", add_checkpoint, methods=["POST"]),
            Route("/announce-key", announce_key, methods=["POST"]),
            Route("/key", lambda _: PlainTextResponse(f"{witness.key}\n"), methods=["GET"]),
        ]
    )


async def _answer(request: Request, decide: Callable[[bytes], Awaitable[WitnessAnswer]]) -> Response:
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            body = b""
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_REQUEST_BYTES:
                    return PlainTextResponse("the request is too long\n", 413)
    except (TimeoutError, ClientDisconnect):
        return PlainTextResponse("the request did not arrive in time\n", 408)
    try:
        answer = await decide(body)
    except NotANote as error:
        answer = WitnessAnswer(Status.MALFORMED, str(error))
    except MemoryUnusable as error:
        return PlainTextResponse(f"{error}\n", 503)
    kind = SIZE_TYPE if answer.status is Status.CONFLICT else "text/plain; charset=utf-8"
    return Response(encode_answer(answer), int(answer.status), {"content-type": kind})
