"""Checks the private parts of uvicorn that the server uses: each exists and has the expected signature."""

import ast
import asyncio
import inspect
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h11
import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

from roundhouse.server import protocol
from roundhouse.server.protocol import DIRECT_HANDLER, DIRECT_SENDER, ConnectionLimits, protocols
from roundhouse.server.settings import Rates

SOURCES = Path(protocol.__file__).parents[1]
PROJECT = Path(__file__).parents[2]
HANDSHAKE = (
    b"GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class FakeTransport(asyncio.Transport):
    """A transport without a connection, which ignores writes."""

    def __init__(self) -> None:
        super().__init__({"peername": ("192.0.2.7", 50000), "sockname": ("192.0.2.1", 80)})
        self.aborted = False

    def write(self, data: object) -> None:
        pass

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        pass


ONE = ConnectionLimits(1, 1, 1.0)


async def idle(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.Event().wait()


def create(kind: Callable[..., Any], app: Any = idle) -> Any:
    """Create a protocol object as uvicorn does."""
    config = uvicorn.Config(app, lifespan="off", log_config=None)
    config.load()
    return kind(config=config, server_state=ServerState(), app_state={})


def used_attributes(name: str) -> Iterator[str]:
    """List the attributes that a class of the module uses from its base class."""
    tree = ast.parse(Path(protocol.__file__).read_text(encoding="utf-8"))
    (found,) = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == name]
    methods = {node.name for node in found.body if isinstance(node, ast.FunctionDef)}
    declared = {
        node.target.id for node in found.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    for node in ast.walk(found):
        if isinstance(node, ast.Attribute):
            by_self = isinstance(node.value, ast.Name) and node.value.id == "self"
            by_super = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super"
            if by_super or (by_self and node.attr not in methods | declared):
                yield node.attr


def test_every_attribute_used_of_the_http_protocol_exists() -> None:
    async def check() -> None:
        found = create(H11Protocol)
        assert {name for name in used_attributes("Http") if not hasattr(found, name)} == set()
        assert isinstance(found.conn, h11.Connection)
        assert found.conn.their_state is h11.IDLE
        assert found.loop is asyncio.get_running_loop()
        assert (found.client, found.transport) == (None, None)
        found.connection_made(FakeTransport())
        assert found.client == ("192.0.2.7", 50000)

    assert {"conn", "loop", "transport", "client", "handle_websocket_upgrade"} <= set(used_attributes("Http"))
    asyncio.run(check())


def test_every_attribute_used_of_the_socket_protocol_exists() -> None:
    scopes: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        scopes.append(scope)
        await asyncio.Event().wait()

    async def check() -> None:
        found = create(WebSocketsSansIOProtocol, app)
        assert (found.frames, found.close_sent, found.queue.empty()) == ([], False, True)
        found.connection_made(FakeTransport())
        found.data_received(HANDSHAKE)
        assert {name for name in used_attributes("Socket") if not hasattr(found, name)} == set()
        assert found.client == ("192.0.2.7", 50000)
        await asyncio.sleep(0)
        assert scopes[0] is found.scope, "the application and the protocol share one scope"
        assert inspect.iscoroutinefunction(found.send), "the sender of frames runs this coroutine manually"

    assert {"frames", "close_sent", "queue", "scope", "client"} <= set(used_attributes("Socket"))
    asyncio.run(check())


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (H11Protocol.connection_made, ["self", "transport"]),
        (H11Protocol.data_received, ["self", "data"]),
        (H11Protocol.connection_lost, ["self", "exc"]),
        (H11Protocol.handle_websocket_upgrade, ["self", "event"]),
        (H11Protocol.on_response_complete, ["self"]),
        (WebSocketsSansIOProtocol.connection_made, ["self", "transport"]),
        (WebSocketsSansIOProtocol.data_received, ["self", "data"]),
        (WebSocketsSansIOProtocol.receive, ["self"]),
        (WebSocketsSansIOProtocol.connection_lost, ["self", "exc"]),
        (WebSocketsSansIOProtocol.handle_connect, ["self", "event"]),
        (WebSocketsSansIOProtocol.send_receive_event_to_app, ["self"]),
        (uvicorn.Server.capture_signals, ["self"]),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_every_overridden_method_has_the_expected_signature(method: Callable[..., Any], parameters: list[str]) -> None:
    assert list(inspect.signature(method).parameters) == parameters


def test_uvicorn_calls_the_overridden_method_for_a_whole_message() -> None:
    """A masked text frame of a client is passed to the direct handler."""
    handled: list[bytes] = []

    def handle(message: bytes) -> bool:
        handled.append(bytes(message))
        return True

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        scope[DIRECT_HANDLER] = handle
        await asyncio.Event().wait()

    async def check() -> None:
        _, socket = protocols(ConnectionLimits(1, 1, 1.0))
        found = create(socket, app)
        found.connection_made(FakeTransport())
        found.data_received(HANDSHAKE)
        await asyncio.sleep(0.01)
        found.data_received(b"\x81\x82\0\0\0\0{}")
        assert (handled, found.frames, found.queue.empty()) == ([b"{}"], [], True)

    asyncio.run(check())


class RecordingTransport(FakeTransport):
    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.closed = False

    def close(self) -> None:
        self.closed = True

    def write(self, data: object) -> None:
        assert isinstance(data, bytes)
        self.written.append(data)


async def connected(
    limits: ConnectionLimits = ONE,
) -> tuple[Any, RecordingTransport, Callable[[str], bool]]:
    """Return an open socket of the server, its transport, and its direct sender."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await asyncio.Event().wait()

    _, socket = protocols(limits)
    found, transport = create(socket, app), RecordingTransport()
    # The connection was counted when it was an HTTP connection.
    found.connection_made(transport)
    found.data_received(HANDSHAKE)
    send_now = found.scope[DIRECT_SENDER]
    assert not send_now("before the handshake is complete")
    await asyncio.sleep(0.01)
    transport.written.clear()
    return found, transport, send_now


@pytest.mark.parametrize("text", ["", "{}", "x" * 125, "x" * 126, "é" * 100, "x" * 65535, "x" * 65536])
def test_the_direct_sender_writes_the_frame_that_websockets_would_write(text: str) -> None:
    async def check() -> None:
        _, transport, send_now = await connected()
        assert send_now(text)
        assert transport.written == [Frame(Opcode.TEXT, text.encode()).serialize(mask=False)]

    asyncio.run(check())


def test_the_direct_sender_refuses_while_the_client_does_not_read_and_after_its_close_frame() -> None:
    async def check() -> None:
        found, transport, send_now = await connected()
        found.pause_writing()
        assert not send_now("{}")
        found.resume_writing()
        assert send_now("{}")
        transport.written.clear()
        found.data_received(b"\x88\x82\0\0\0\0\x03\xe8")
        assert len(transport.written) == 1, "the close frame is answered"
        assert not send_now("{}")
        assert len(transport.written) == 1

    asyncio.run(check())


def test_the_direct_sender_refuses_on_a_lost_connection() -> None:
    async def check() -> None:
        found, transport, send_now = await connected()
        found.disconnected = True
        assert not send_now("{}")
        assert transport.written == []

    asyncio.run(check())


def test_a_socket_in_debt_is_closed_with_a_reason() -> None:
    async def check() -> None:
        found, transport, send_now = await connected(ConnectionLimits(1, 1, 1.0, Rates(1.0, 8), debt_seconds=0.0))
        found.data_received(b"\x8a\x80\0\0\0\0" * 100)
        while not transport.closed:
            await asyncio.sleep(0)
        assert transport.written == [b"\x88\x0a\x03\xf5too_fast"]
        assert not send_now("{}")

    asyncio.run(check())


def test_a_frame_that_begins_behind_a_whole_frame_is_kept_whole() -> None:
    """The short cut for single frames must not be taken in the middle of a frame."""
    handled: list[bytes] = []

    def handle(message: bytes) -> bool:
        handled.append(bytes(message))
        return True

    async def check() -> None:
        found, _, _ = await connected()
        found.scope[DIRECT_HANDLER] = handle
        whole = b"\x81\x82\0\0\0\0{}"
        for data in (whole, whole + whole[:3], whole[3:], whole[:1], whole[1:] + whole, whole):
            found.data_received(data)
            await asyncio.sleep(0)

    asyncio.run(check())
    assert handled == [b"{}"] * 6


def test_no_other_module_uses_private_parts_of_uvicorn() -> None:
    users = {path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.py") if imports_uvicorn(path)}
    assert users == {"server/protocol.py", "server/process.py"}
    process = (SOURCES / "server" / "process.py").read_text(encoding="utf-8")
    found = {
        node.attr for node in ast.walk(ast.parse(process)) if _is_of_uvicorn(node) and isinstance(node, ast.Attribute)
    }
    assert found == {"Config"}, "the process uses only the public interface of uvicorn"


def imports_uvicorn(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.partition(".")[0] == "uvicorn" for name in names):
            return True
    return False


def _is_of_uvicorn(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "uvicorn"


def test_uvicorn_is_pinned_to_the_locked_version() -> None:
    dependencies = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert "uvicorn>=0.54,<0.55" in dependencies
    assert "\nuvicorn==0.54." in (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    assert uvicorn.__version__.startswith("0.54.")
