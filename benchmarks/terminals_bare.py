"""Baseline of ``benchmarks.terminals``: a bare Starlette echo and broadcast, on the same server as the house."""

import asyncio
import socket
import sys

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

listening: set[WebSocket] = set()


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    listening.add(websocket)
    try:
        while True:
            await websocket.send_text(await websocket.receive_text())
    except WebSocketDisconnect:
        listening.discard(websocket)


async def broadcast(websocket: WebSocket) -> None:
    """Send every message to all clients of the echo."""
    await websocket.accept()
    try:
        while True:
            text = await websocket.receive_text()
            for client in listening:
                await client.send_text(text)
    except WebSocketDisconnect:
        pass


def main() -> None:
    app = Starlette(routes=[WebSocketRoute("/echo", echo), WebSocketRoute("/broadcast", broadcast)])
    bound = socket.socket(fileno=int(sys.argv[1]))
    config = uvicorn.Config(
        app, ws="websockets-sansio", ws_per_message_deflate=False, log_config=None, lifespan="off", backlog=2048
    )
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(uvicorn.Server(config).serve(sockets=[bound]))


if __name__ == "__main__":
    main()
