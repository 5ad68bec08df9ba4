"""The server process: builds the running house and its application, and runs them in uvicorn until a signal.

The first signal finishes the rounds in progress, or refers those that do not end in time. The second exits at once:
every answer is committed, and the next start treats unfinished rounds as interrupted.
"""

import asyncio
import errno
import logging
import os
import signal
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import uvicorn
from msgspec import Struct
from starlette.applications import Starlette

import roundhouse
from roundhouse.config.loading import Configuration
from roundhouse.config.schema import TlsConfig
from roundhouse.floor.clock import Clock, tune_process
from roundhouse.floor.house import RunningHouse, UnfinishedRound
from roundhouse.floor.notary import Notary
from roundhouse.floor.opening import open_store, open_witnessed
from roundhouse.logs import log, log_bug
from roundhouse.rules.errors import UserError
from roundhouse.server.app import build_on
from roundhouse.server.context import ServerContext
from roundhouse.server.protocol import Server, connection_limits, protocols
from roundhouse.server.settings import settings_of
from roundhouse.server.sockets import Sockets
from roundhouse.wire.operations import SelfCheck

_PAGES: Final = Path(roundhouse.__file__).parent / "web" / "dist"


class Assembly:
    """The running house, its context, sockets and application. Must be created in the event loop that runs them.

    Holds the lock on the journal until the house is closed.
    """

    def __init__(self, configuration: Configuration, clock: Clock | None = None) -> None:
        store, key = open_store(configuration.journal)
        notary: Notary | None = None
        try:
            notary, findings = open_witnessed(configuration, store)
            self.running = RunningHouse(configuration, store, key, clock, notary, findings)
        except BaseException:
            if notary is not None:
                notary.close()
            store.close()
            raise
        pages = _PAGES if _PAGES.is_dir() else None
        settings, now = settings_of(configuration, pages), self.running.clock.now
        self.service = ServerContext(self.running, self.running.house, settings, clock=now)
        self.service.commit_times = store.commit_times
        self.running.on_self_check = self._show
        self.sockets = Sockets(self.service)
        self.running.house.writer.on_recorded = self.sockets.on_recorded
        self.app: Starlette = build_on(self.service, self.sockets.routes())

    async def start(self) -> None:
        await self.running.start()
        self.running.run_in_background(self.sockets.poll_access(), "sockets")

    def _show(self, found: SelfCheck) -> None:
        self.service.self_check = found


BACKLOG: Final = 2048
_HEAD_BYTES: Final = 16_384
_KEEP_ALIVE_SECONDS: Final = 15
_DRAIN_TIMEOUT_SECONDS: Final = 3
_MAX_SMALL_CONNECTIONS: Final = 1000
_SIGNAL_DEDUP_SECONDS: Final = 0.3
"""Signals within this time count as one, because Ctrl-C may arrive twice: directly and through a parent process."""


class CannotListen(UserError):
    """The port or the certificate cannot be used."""


class RunSummary(Struct, frozen=True):
    """Statistics of one run of the server."""

    seconds: float
    rounds: int
    voids: int
    left_open: tuple[UnfinishedRound, ...]


def bind(address: str, port: int) -> socket.socket:
    """Bind the port. Called first at start, so that a second server on this port fails before it opens the journal."""
    bound = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if address == "::":
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        bound.bind((address, port))
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(f"port {port} of {address} is in use by another program") from error
        raise CannotListen(f"cannot listen on port {port} of {address}: {error.strerror or error}") from error
    return bound


def check_certificate(configuration: Configuration) -> None:
    """Raise ``CannotListen`` unless the certificate and the key are readable and match."""
    if (tls := configuration.plan.tls) is None:
        return
    certificate, key = _files(configuration, tls)
    try:
        # The empty password makes OpenSSL refuse an encrypted key. Without it OpenSSL would prompt for the password.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, "")
    except (OSError, ssl.SSLError) as error:
        reason = error.strerror or getattr(error, "reason", None) or error
        raise CannotListen(f"the certificate '{certificate}' and the key '{key}' cannot be used: {reason}") from error


def _files(configuration: Configuration, tls: TlsConfig) -> tuple[Path, Path]:
    return configuration.folder / tls.certificate, configuration.folder / tls.key


def address_of(configuration: Configuration, bound: socket.socket) -> str:
    """Return the server's URL for a browser on this machine."""
    host, port = bound.getsockname()[:2]
    url_host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"{'https' if configuration.plan.tls else 'http'}://{url_host}:{port}"


def run(
    configuration: Configuration,
    bound: socket.socket,
    *,
    ready: Callable[[RunningHouse], None],
    stopping: Callable[[], None] = lambda: None,
    grace_seconds: float,
    seconds: float | None = None,
) -> RunSummary:
    """Run the server until a signal, or for ``seconds``. Calls ``ready`` when it accepts requests."""
    import uvloop

    _raise_file_limit(configuration.plan.requests.connections)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_serve(configuration, bound, ready, stopping, grace_seconds, seconds))


class _Stop:
    """Handles the signals that stop the server. ``signal`` is the name of the first one, or empty."""

    def __init__(self) -> None:
        self.signal, self._received_at = "", 0.0
        self._received = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._on_signal, number)

    def _on_signal(self, number: int) -> None:
        now = time.monotonic()
        if self.signal:
            if now - self._received_at < _SIGNAL_DEDUP_SECONDS:
                return
            # Exiting at once loses no answered command, because commands are committed before they are answered. The
            # operating system releases the lock on the journal.
            os._exit(128 + number)
        self.signal, self._received_at = signal.Signals(number).name, now
        self._received.set()

    async def wait(self, seconds: float | None, serving: "asyncio.Task[None]") -> None:
        """Wait for a signal, for ``seconds`` to pass, or for the server task to end."""
        received = asyncio.create_task(self._received.wait())
        await asyncio.wait((received, serving), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        received.cancel()


async def _serve(
    configuration: Configuration,
    bound: socket.socket,
    ready: Callable[[RunningHouse], None],
    stopping: Callable[[], None],
    grace_seconds: float,
    seconds: float | None,
) -> RunSummary:
    began = time.monotonic()
    asyncio.get_running_loop().set_exception_handler(_log_bug)
    assembly = Assembly(configuration)
    running, before = assembly.running, _counts(assembly.running)
    server, stop = Server(_config(configuration, assembly.app)), _Stop()
    serving: asyncio.Task[None] | None = None
    try:
        await assembly.start()
        tune_process()
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.005)
        ready(running)
        await stop.wait(seconds, serving)
        stopping()
        await running.finish_rounds(grace_seconds)
    finally:
        server.should_exit = True
        if serving is not None:
            await asyncio.wait([serving])
        try:
            await assembly.service.flush_refusals()
        finally:
            left = await running.close(stop.signal or "the time was over")
    serving.result()
    rounds, voids = _counts(running)
    return RunSummary(time.monotonic() - began, rounds - before[0], voids - before[1], tuple(left))


def _config(configuration: Configuration, app: Starlette) -> uvicorn.Config:
    plan = configuration.plan
    requests, proxy = plan.requests, plan.proxy
    limits = connection_limits(
        requests.connections, requests.connections_per_address, requests.silent_seconds, proxy is not None
    )
    http, sockets = protocols(limits)
    certificate, key = _files(configuration, plan.tls) if plan.tls is not None else (None, None)
    return uvicorn.Config(
        app,
        http=http,
        ws=sockets,
        ws_max_size=requests.message_bytes,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=list(proxy.trusted) if proxy is not None else [],
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_DRAIN_TIMEOUT_SECONDS,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )


def small_server(app: Starlette) -> Server:
    """Return a server for a program that is not a house, such as a witness."""
    return Server(
        uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=_MAX_SMALL_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            h11_max_incomplete_event_size=_HEAD_BYTES,
        )
    )


def _log_bug(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an exception that no task awaited. Installed as the event loop's exception handler."""
    if isinstance(bug := context.get("exception"), BaseException):
        log_bug("bug", bug)
    else:
        log("bug", logging.ERROR, error=str(context.get("message")))


def _counts(running: RunningHouse) -> tuple[int, int]:
    meters = [table.projection.state.meters for table in running.running]
    return sum(found.rounds for found in meters), sum(found.voids for found in meters)


def _raise_file_limit(connections: int) -> None:
    """Raise the limit on open files as far as the system allows. Each connection is an open file."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + 256
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
    if hard < connections:
        log(
            "the system's limit on open files is below the configured number of connections",
            logging.WARNING,
            files=hard,
        )
