"""The server process: builds the running house and its application, and runs them in uvicorn until a signal.

The first signal finishes the rounds in progress, or refers those that do not end in time. The second exits at once:
every answer is committed, and the next start treats unfinished rounds as interrupted. ``SIGHUP`` reads the
configuration again.
"""

import asyncio
import errno
import logging
import os
import signal
import socket
import ssl
import time
from collections.abc import Callable, Sequence
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
from roundhouse.people.events import HouseEntry
from roundhouse.rules.errors import UserError
from roundhouse.server.alert_sender import AlertSender
from roundhouse.server.app import build_on
from roundhouse.server.backups import BackupSchedule
from roundhouse.server.certificate import Certificate
from roundhouse.server.context import ServerContext
from roundhouse.server.control import ControlSocket
from roundhouse.server.protocol import ConnectionLimits, Server, connection_limits, protocols
from roundhouse.server.reloading import Reloading
from roundhouse.server.resource_watch import ResourceWatch
from roundhouse.server.service_manager import ServiceManager
from roundhouse.server.settings import Rates, settings_of
from roundhouse.server.sockets import Sockets
from roundhouse.table.names import Millis
from roundhouse.wire.messages import StopNotice
from roundhouse.wire.operations import SelfCheck

_PAGES: Final = Path(roundhouse.__file__).parent / "web" / "dist"


class Assembly:
    """The running house, its context, sockets and application. Must be created in the event loop that runs them.

    Holds the lock on the journal until the house is closed.
    """

    def __init__(self, configuration: Configuration, clock: Clock | None = None, accept_time: bool = False) -> None:
        store, key = open_store(configuration.journal)
        notary: Notary | None = None
        try:
            notary, findings = open_witnessed(configuration, store)
            self.running = RunningHouse(configuration, store, key, clock, accept_time, notary, findings)
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
        self.alert_sender = AlertSender(configuration.plan.alerts, configuration.plan.house.name)
        self.running.alerts.on_change = self.alert_sender.changed
        self.running.house.writer.on_recorded = self._recorded
        if (watch := self.running.clock_watch) is not None:
            self.service.clock_ahead = lambda: watch.ahead_millis
        self._backups: BackupSchedule | None = None
        if configuration.plan.backup is not None:
            backups = self._backups = BackupSchedule(configuration, self.running.alerts, self.running.clock)
            self.service.last_backup = lambda: backups.last
        self.app: Starlette = build_on(self.service, self.sockets.routes())

    async def start(self) -> None:
        await self.running.start()
        in_background = self.running.run_in_background
        in_background(self.sockets.poll_access(), "sockets")
        in_background(self.alert_sender.run(), "alert sender")
        in_background(ResourceWatch(self.service, self.running.alerts).run(), "resources")
        if self._backups is not None:
            in_background(self._backups.run(), "backups")

    def announce_stop(self, grace_seconds: float) -> None:
        """Tell clients and monitors that the house is about to stop."""
        until = Millis(self.running.clock.now() + int(grace_seconds * 1000))
        self.sockets.announce_stop(StopNotice(until))

    def _recorded(self, entries: Sequence[HouseEntry]) -> None:
        self.sockets.on_recorded(entries)
        self.alert_sender.recorded(entries)

    def _show(self, found: SelfCheck) -> None:
        self.service.self_check = found


BACKLOG: Final = 2048
_HEAD_BYTES: Final = 16_384
_CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""Cipher suites of TLS 1.2: forward secrecy and authenticated encryption, no CBC. TLS 1.3 has only such suites."""
_KEEP_ALIVE_SECONDS: Final = 15
_DRAIN_TIMEOUT_SECONDS: Final = 3
_SMALL_LIMITS: Final = ConnectionLimits(
    total=1000,
    per_address=100,
    silent_seconds=10.0,
    frames=Rates(per_second=5_000.0, at_once=40_000),
    frames_per_address=Rates(per_second=5_000.0, at_once=40_000),
)
"""A house sends the heads of all its tables twice a second over one connection."""
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
    accept_time: bool = False,
    reread: Callable[[], Configuration] | None = None,
) -> RunSummary:
    """Run the server until a signal, or for ``seconds``. Calls ``ready`` when it accepts requests.

    ``accept_time`` also opens a journal whose last entry is in the future. On ``SIGHUP``, ``reread`` reads the
    configuration again; without it the signal stops the server, as when its terminal is closed.
    """
    import uvloop

    _raise_file_limit(configuration.plan.requests.connections)
    if reread is not None:
        # Without a handler SIGHUP would end the process while it still opens the journal.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        serving = _serve(configuration, bound, ready, stopping, grace_seconds, seconds, accept_time, reread)
        return runner.run(serving)


class _Signals:
    """Handles signals. ``signal`` is the name of the first one that stops the server, or empty.

    With ``reloads``, ``SIGHUP`` calls ``on_hangup``, and is ignored until that is set. Without it, ``SIGHUP`` stops the
    server too.
    """

    def __init__(self, reloads: bool) -> None:
        self.signal, self._received_at, self._reloads = "", 0.0, reloads
        self.on_hangup: Callable[[], None] | None = None
        self._received = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self._on_signal, number)

    def _on_signal(self, number: int) -> None:
        if number == signal.SIGHUP and self._reloads:
            if self.on_hangup is not None:
                self.on_hangup()
            return
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
    accept_time: bool,
    reread: Callable[[], Configuration] | None,
) -> RunSummary:
    began = time.monotonic()
    asyncio.get_running_loop().set_exception_handler(_log_bug)
    assembly = Assembly(configuration, accept_time=accept_time)
    running, before = assembly.running, _counts(assembly.running)
    server, signals = Server(_config(configuration, assembly.app)), _Signals(reread is not None)
    manager = ServiceManager()
    control = ControlSocket(configuration.data, running.house, running.clock.now)
    serving: asyncio.Task[None] | None = None
    try:
        await assembly.start()
        await control.open()
        tune_process()
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.005)
        certificate = _certificate_of(configuration, server.config.ssl)
        if certificate is not None:
            assembly.service.certificate_ends = lambda: certificate.ends
        if reread is not None:
            signals.on_hangup = _reload_on_hangup(Reloading(running, certificate, reread), running, manager)
        running.run_in_background(manager.watch(), "watchdog")
        ready(running)
        manager.ready(_STATUS)
        await signals.wait(seconds, serving)
        log("stopping", why=signals.signal or _TIME_OVER, grace_seconds=grace_seconds)
        manager.stopping(grace_seconds)
        assembly.announce_stop(grace_seconds)
        stopping()
        await running.finish_rounds(grace_seconds)
    finally:
        await control.close()
        server.should_exit = True
        if serving is not None:
            await asyncio.wait([serving])
        try:
            await assembly.service.flush_refusals()
        finally:
            left = await running.close(signals.signal or _TIME_OVER)
    serving.result()
    rounds, voids = _counts(running)
    return RunSummary(time.monotonic() - began, rounds - before[0], voids - before[1], tuple(left))


_STATUS: Final = "The house is open"
_TIME_OVER: Final = "the time was over"


def _certificate_of(configuration: Configuration, context: ssl.SSLContext | None) -> Certificate | None:
    if (tls := configuration.plan.tls) is None or context is None:
        return None
    return Certificate(*_files(configuration, tls), context)


def _reload_on_hangup(reloading: Reloading, running: RunningHouse, manager: ServiceManager) -> Callable[[], None]:
    async def reload() -> None:
        manager.reloading()
        await reloading.reload()
        manager.ready(_STATUS)

    return lambda: running.run_in_background(reload(), "reload")


def _config(configuration: Configuration, app: Starlette) -> uvicorn.Config:
    plan = configuration.plan
    requests, proxy = plan.requests, plan.proxy
    http, sockets = protocols(connection_limits(settings_of(configuration), proxy is not None))
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
        ssl_ciphers=_CIPHERS,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )


def small_server(app: Starlette) -> Server:
    """Return a server for a program that is not a house, such as a witness. A silent connection is closed."""
    http, _ = protocols(_SMALL_LIMITS)
    return Server(
        uvicorn.Config(
            app,
            http=http,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
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
