"""Drives a real ``roundhouse deal`` process, and kills it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from tests.support.fork_server import ForkedProcess


class Deal:
    """A table in its own process."""

    def __init__(
        self,
        journal: Path,
        game: str = "rws-double-zero",
        *options: str,
        limit: Callable[[], None] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``limit`` is called in the new process. ``environment`` is added to that of this process."""
        arguments = ["deal", "--game", game, "--journal", str(journal), *options]
        self.process: ForkedProcess | subprocess.Popen[bytes]
        if limit is None and environment is None:
            self.process = ForkedProcess(*arguments)
        else:
            pipe, env = subprocess.PIPE, {**os.environ, **(environment or {})}
            command = [sys.executable, "-m", "roundhouse", *arguments]
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=limit, env=env)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin, self.process.stdout
        line = self._out.readline()
        self.ready: dict[str, Any] = json.loads(line) if line else {}

    def send(self, *requests: dict[str, Any] | bytes) -> None:
        lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in requests]
        os.write(self._in.fileno(), b"".join(line + b"\n" for line in lines))

    def answer(self) -> dict[str, Any]:
        line = self._out.readline()
        assert line, self.process.stderr.read().decode() if self.process.stderr else ""
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, *requests: dict[str, Any] | bytes) -> list[dict[str, Any]]:
        self.send(*requests)
        return [self.answer() for _ in requests]

    def state(self) -> dict[str, Any]:
        (answer,) = self.ask({"id": "show", "by": "dealer", "do": "show"})
        state: dict[str, Any] = answer["state"]
        return state

    def kill(self) -> list[dict[str, Any]]:
        """Kill the process and return the answers it had written, without an incomplete last line."""
        self.process.send_signal(signal.SIGKILL)
        rest = self._out.read()
        self._close()
        lines = rest.split(b"\n")[:-1]
        return [json.loads(line) for line in lines]

    def kill_under_load(self, requests: Iterator[list[dict[str, Any]]], seconds: float) -> list[dict[str, Any]]:
        """Kill the process after ``seconds`` while one thread sends requests and another reads answers."""
        answers: list[bytes] = []

        def feed() -> None:
            with suppress(BrokenPipeError):
                for some in requests:
                    self.send(*some)

        def drain() -> None:
            for line in self._out:
                answers.append(line)

        threads = [Thread(target=feed), Thread(target=drain)]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        self.process.send_signal(signal.SIGKILL)
        for thread in threads:
            thread.join()
        self._close()
        return [json.loads(line) for line in answers if line.endswith(b"\n")]

    def end(self) -> tuple[int, str]:
        self._in.close()
        self._out.read()
        err = self.process.stderr.read().decode() if self.process.stderr else ""
        status = self.process.wait()
        self._close()
        return status, err

    def _close(self) -> None:
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()
