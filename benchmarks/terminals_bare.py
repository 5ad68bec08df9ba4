"""What the house is measured against: a bare Starlette echo, and a bare broadcast, with the same server beneath."""

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
    """Every message goes to everybody who is connected to the echo."""
    await websocket.accept()
    try:
        while True:
            text = await websocket.receive_text()
            for one in listening:
                await one.send_text(text)
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
