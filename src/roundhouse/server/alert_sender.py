"""Sends alerts out of the house, to a webhook and to a command. Nothing in the house waits for them.

Each of the two has its own queue and delivers one alert at a time, with a timeout and a bounded number of attempts.
"""

import asyncio
import logging
import os
import signal
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, Literal
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct

from roundhouse import __version__
from roundhouse.config.schema import AlertsConfig
from roundhouse.floor.alerts import Alert, Clearing, Key, severity_of
from roundhouse.logs import log
from roundhouse.people.events import AlertRaised, HouseEntry
from roundhouse.people.names import Severity
from roundhouse.table.names import Millis, TableId

PAUSES_SECONDS: Final = (1.0, 5.0, 30.0, 120.0)
"""Pauses between the attempts to deliver one alert. After the last attempt it is dropped and logged."""
MAX_QUEUED: Final = 100
"""Largest number of alerts that wait for one receiver. Beyond it the oldest is dropped and logged."""
_MAX_ANSWER_BYTES: Final = 4096
_RANKS: Final = {severity: rank for rank, severity in enumerate(Severity)}


class AlertNews(Struct, frozen=True):
    """One alert, as the webhook and the command receive it in JSON."""

    house: str
    alert: Literal["raised", "cleared"]
    about: str
    severity: Severity
    text: str
    """The message for people. Empty for a cleared alert."""
    table: TableId | None
    raised_at: str | None
    """Time in UTC, in the format of RFC 3339."""
    cleared_at: str | None


class DeliveryFailed(Exception):
    """The receiver did not take the alert."""


Deliver = Callable[[bytes], Awaitable[None]]


class AlertSender:
    def __init__(self, config: AlertsConfig, house: str, pauses: Sequence[float] = PAUSES_SECONDS) -> None:
        self._house, self._least = house, _RANKS[config.least]
        self._announced: Counter[Key] = Counter()
        """Alerts that were sent when they were raised. They are not sent again when they are recorded."""
        receivers: dict[str, Deliver] = {}
        if config.webhook:
            receivers["webhook"] = Webhook(config.webhook)
        if config.command:
            receivers["command"] = AlertCommand(config.command)
        self._outboxes = [_Outbox(name, one, config.timeout_seconds, pauses) for name, one in receivers.items()]

    def changed(self, change: Alert | Clearing) -> None:
        """Send an alert that was raised or cleared by the running house. Never blocks."""
        match change:
            case Alert(about, text, table, at):
                if self._outboxes:
                    self._announced[about, text, table] += 1
                self._raised(about, change.severity, text, table, at)
            case Clearing(about, table, at):
                severity = severity_of(about)
                self._put(AlertNews(self._house, "cleared", about, severity, "", table, None, _rfc3339(at)))

    def recorded(self, entries: Sequence[HouseEntry]) -> None:
        """Send those alerts that are new with their record, such as a locked person or the call of a terminal."""
        for entry in entries:
            if isinstance(event := entry.event, AlertRaised):
                key = (event.about, event.text, event.table)
                if self._announced[key]:
                    self._announced[key] -= 1
                else:
                    self._raised(event.about, event.severity, event.text, event.table, entry.at)
        self._announced += Counter()

    def _raised(self, about: str, severity: Severity, text: str, table: TableId | None, at: Millis) -> None:
        self._put(AlertNews(self._house, "raised", about, severity, text, table, _rfc3339(at), None))

    def _put(self, news: AlertNews) -> None:
        if _RANKS[news.severity] >= self._least:
            for outbox in self._outboxes:
                outbox.put(news)

    async def run(self) -> None:
        """Deliver until cancelled."""
        await asyncio.gather(*(outbox.run() for outbox in self._outboxes))


class _Outbox:
    """The alerts that wait for one receiver."""

    def __init__(self, name: str, deliver: Deliver, timeout_seconds: float, pauses: Sequence[float]) -> None:
        self._name, self._deliver, self._timeout, self._pauses = name, deliver, timeout_seconds, pauses
        self._queue: asyncio.Queue[AlertNews] = asyncio.Queue()

    def put(self, news: AlertNews) -> None:
        if self._queue.qsize() >= MAX_QUEUED:
            self._drop(self._queue.get_nowait(), "too many alerts wait")
        self._queue.put_nowait(news)

    async def run(self) -> None:
        while True:
            news = await self._queue.get()
            body = msgspec.json.encode(news)
            for pause in (*self._pauses, None):
                error = await self._attempt(body)
                if error is None:
                    break
                if pause is None:
                    self._drop(news, error)
                else:
                    await asyncio.sleep(pause)

    async def _attempt(self, body: bytes) -> str | None:
        """Deliver once. Return what failed, or None."""
        try:
            async with asyncio.timeout(self._timeout):
                await self._deliver(body)
        except TimeoutError:
            return f"no answer within {self._timeout:g} seconds"
        except (DeliveryFailed, OSError, ssl.SSLError, ValueError) as error:
            return str(error)
        return None

    def _drop(self, news: AlertNews, error: str) -> None:
        log("alert_not_sent", logging.ERROR, to=self._name, about=news.about, alert=news.alert, error=error)


class Webhook:
    """Posts an alert as JSON to a URL. An answer with a status from 200 to 299 means that it was taken."""

    def __init__(self, url: str) -> None:
        self._url: SplitResult = urlsplit(url)

    async def __call__(self, body: bytes) -> None:
        url = self._url
        secure = url.scheme == "https"
        reader, writer = await asyncio.open_connection(
            url.hostname, url.port or (443 if secure else 80), ssl=ssl.create_default_context() if secure else None
        )
        try:
            target = (url.path or "/") + (f"?{url.query}" if url.query else "")
            head = (
                f"POST {target} HTTP/1.1\r\nHost: {url.netloc.rpartition('@')[2]}\r\n"
                f"User-Agent: roundhouse/{__version__}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            writer.write(head.encode() + body)
            await writer.drain()
            status = (await reader.readuntil(b"\n"))[:_MAX_ANSWER_BYTES].decode("latin-1").split(" ", 2)
        except asyncio.IncompleteReadError as error:
            raise DeliveryFailed("the webhook closed the connection without an answer") from error
        except asyncio.LimitOverrunError as error:
            raise DeliveryFailed("the answer of the webhook is not HTTP") from error
        finally:
            writer.transport.abort()
        if len(status) < 2 or not status[0].startswith("HTTP/") or not status[1].startswith("2"):
            raise DeliveryFailed(f"the webhook answered {' '.join(status).strip()[:60]}")


class AlertCommand:
    """Runs a program with the alert as JSON on its standard input. Exit status 0 means that it was taken."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)

    async def __call__(self, body: bytes) -> None:
        quiet = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=asyncio.subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True
        )
        try:
            await process.communicate(body)
        finally:
            if process.returncode is None:
                # The command leads a session, so this also ends the programs that it started.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.communicate()
        if process.returncode:
            raise DeliveryFailed(f"the command ended with exit status {process.returncode}")


def _rfc3339(at: Millis) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
