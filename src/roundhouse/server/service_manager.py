"""Tells the service manager (systemd) about the state of the process, by the protocol of ``sd_notify(3)``.

Without a service manager, which sets ``NOTIFY_SOCKET``, every call does nothing.
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Mapping

from roundhouse.logs import log


class ServiceManager:
    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        watchdog = environment.get("WATCHDOG_USEC", "")
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self.watchdog_seconds = int(watchdog) / 1e6 if watchdog.isdecimal() and ours else None
        """Longest time between two signs of life that the service manager allows; ``None`` if it expects none."""

    def ready(self, status: str) -> None:
        self._send(f"READY=1\nSTATUS={status}")

    def reloading(self) -> None:
        """Report that the configuration is read again. Call ``ready`` afterwards."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self, seconds: float) -> None:
        """Report that the process stops, and that this takes up to ``seconds``."""
        self._send(f"STOPPING=1\nEXTEND_TIMEOUT_USEC={int((seconds + _MARGIN_SECONDS) * 1e6)}\nSTATUS=Finishing rounds")

    async def watch(self) -> None:
        """Send signs of life from the event loop until cancelled. A blocked event loop sends none."""
        while self.watchdog_seconds is not None:
            self._send("WATCHDOG=1")
            await asyncio.sleep(self.watchdog_seconds / 3)

    def _send(self, state: str) -> None:
        if not self._address:
            return
        # A leading "@" stands for the NUL byte of an abstract socket.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK) as out:
                out.sendto(state.encode(), address)
        except OSError as error:
            log("the service manager could not be notified", logging.WARNING, error=error.strerror or str(error))


_MARGIN_SECONDS = 15
"""Time for closing connections and the journal, after the rounds have ended."""
