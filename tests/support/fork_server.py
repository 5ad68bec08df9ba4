"""Starts ``roundhouse`` processes by forking a process that has imported the program already.

Importing takes half a second of processor time or more, and the tests start some hundred processes. A forked process
runs ``roundhouse`` from its first line with its own arguments, environment and standard streams. Its password hashing
is cheap, because a log-in takes a quarter of a second of processor time otherwise.
"""

import contextlib
import functools
import importlib
import json
import os
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import IO

from argon2 import profiles

ROOT = Path(__file__).parents[2]
_PRELOADED = (
    "roundhouse.cli.audit",
    "roundhouse.cli.deal",
    "roundhouse.cli.play",
    "roundhouse.server.process",
    "roundhouse.dealer.loop",
    "roundhouse.wheel.simulator.port",
)
_STREAMS = 3
_SERVE = "import sys; from tests.support.fork_server import serve; serve(int(sys.argv[1]))"


class ForkedProcess:
    """A running ``roundhouse`` process, with the part of ``subprocess.Popen`` that tests use."""

    def __init__(
        self, *arguments: str, stdout: int | None = None, stderr: int | None = None, hidden: Sequence[str] = ()
    ) -> None:
        """``stdout`` and ``stderr`` are open files that replace the pipes. ``hidden`` modules cannot be imported."""
        stdin_read, stdin_write = os.pipe()
        stdout_read, stdout_write = os.pipe() if stdout is None else (os.open(os.devnull, os.O_RDONLY), os.dup(stdout))
        stderr_read, stderr_write = os.pipe() if stderr is None else (os.open(os.devnull, os.O_RDONLY), os.dup(stderr))
        status_read, status_write = os.pipe()
        request = {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd(), "hidden": hidden}
        passed = [stdin_read, stdout_write, stderr_write, status_write]
        server, _ = _server()
        socket.send_fds(server, [json.dumps(request).encode()], passed)
        for end in passed:
            os.close(end)
        self.pid = int(server.recv(64))
        self.stdin: IO[bytes] = os.fdopen(stdin_write, "wb")
        self.stdout: IO[bytes] = os.fdopen(stdout_read, "rb")
        self.stderr: IO[bytes] = os.fdopen(stderr_read, "rb")
        self._status: IO[bytes] = os.fdopen(status_read, "rb")
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("roundhouse", timeout or 0)
            self.returncode = int(self._status.read())
            self._status.close()
        return self.returncode

    def close(self) -> None:
        """Kill the process if it runs, and close its streams."""
        self.kill()
        self.wait()
        for stream in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def run_forked(
    *arguments: str, stdin: bytes = b"", timeout: float, hidden: Sequence[str] = ()
) -> "subprocess.CompletedProcess[bytes]":
    """Run ``roundhouse`` until it ends, as ``subprocess.run`` does, and capture its output."""
    process, output = ForkedProcess(*arguments, hidden=hidden), dict[IO[bytes], bytes]()

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), process.stdin:
            process.stdin.write(stdin)

    def read(stream: IO[bytes]) -> None:
        output[stream] = stream.read()

    threads = [Thread(target=write), *(Thread(target=read, args=(one,)) for one in (process.stdout, process.stderr))]
    for thread in threads:
        thread.start()
    try:
        status = process.wait(timeout)
    finally:
        process.kill()
        for thread in threads:
            thread.join()
        process.close()
    return subprocess.CompletedProcess(arguments, status, output[process.stdout], output[process.stderr])


@functools.cache
def _server() -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    """Start the fork server of this process. It ends when this process closes its socket."""
    own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    process = subprocess.Popen(
        (sys.executable, "-c", _SERVE, str(other.fileno())),
        pass_fds=[other.fileno()],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    other.close()
    return own, process


def serve(fd: int) -> None:
    """Fork one process for each request on this socket, and report its status when it has ended."""
    for name in _PRELOADED:
        importlib.import_module(name)
    profiles.RFC_9106_LOW_MEMORY = profiles.CHEAPEST
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    statuses: dict[int, int] = {}
    with socket.socket(fileno=fd) as requests, selectors.DefaultSelector() as selector:
        selector.register(requests, selectors.EVENT_READ)
        selector.register(wake_read, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj == wake_read:
                    os.read(wake_read, 4096)
                    _report(statuses)
                    continue
                request, fds, _, _ = socket.recv_fds(requests, 2**20, _STREAMS + 1)
                if not request:
                    return
                if (pid := os.fork()) == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for end in (requests.detach(), wake_read, wake_write, fds.pop(), *statuses.values()):
                        os.close(end)
                    _run(json.loads(request), fds)
                requests.send(str(pid).encode())
                statuses[pid] = fds.pop()
                for end in fds:
                    os.close(end)


def _report(statuses: dict[int, int]) -> None:
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = ended
            pipe = statuses.pop(pid)
            with contextlib.suppress(BrokenPipeError):
                os.write(pipe, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(pipe)


def _run(request: dict[str, object], fds: list[int]) -> None:
    """Run ``roundhouse`` as requested in this forked process. Raises ``SystemExit`` at the end."""
    for target, end in enumerate(fds):
        os.dup2(end, target)
        os.close(end)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    environment, arguments, hidden = request["environment"], request["arguments"], request["hidden"]
    assert isinstance(environment, dict)
    assert isinstance(arguments, list)
    assert isinstance(hidden, list)
    loaded = [name for name in hidden if name in sys.modules]
    assert not loaded, f"importing roundhouse imports {loaded}"
    sys.modules.update(dict.fromkeys(hidden))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(str(request["folder"]))
    sys.argv = ["roundhouse", *arguments]
    runpy.run_module("roundhouse", run_name="__main__", alter_sys=True)
    raise SystemExit(0)
