"""Running chunks on this machine's cores or on a cluster, and handing their results on in order.

Never more chunks are on their way than the workers need, so that a run of any length holds a few results at a time.
"""

import os
import socket
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from roundhouse.rules.errors import UserError

P = TypeVar("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
Report = Callable[[int, int], None]
"""Called with chunks done and chunks in all."""


class NoCluster(UserError):
    """The cluster did not answer, or lost a worker for good."""


class Waiting(Protocol[R_co]):
    """A result that is on its way."""

    def result(self) -> R_co: ...


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_local(
    work: Callable[[P, int], R], plan: P, count: int, workers: int, report: Report | None = None
) -> Iterator[R]:
    """Results of chunks 0, 1 … in that order."""
    if workers == 1:
        for number in range(count):
            yield work(plan, number)
            if report:
                report(number + 1, count)
        return
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for number in range(count):
                waiting.append(pool.submit(work, plan, number))
                if len(waiting) >= 2 * workers:
                    yield waiting.popleft().result()
                    if report:
                        report(number + 1 - len(waiting), count)
            while waiting:
                yield waiting.popleft().result()
                if report:
                    report(count - len(waiting), count)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def run_on_cluster(
    work: Callable[[P, int], R], plan: P, count: int, address: str, report: Report | None = None
) -> Iterator[R]:
    """Run on the workers of a Dask scheduler. Each needs the extras ``lab`` and ``cluster``."""
    with _client(address) as client:
        crew = max(1, sum(client.nthreads().values()))
        sent = client.scatter(plan, broadcast=True)
        waiting: deque[Waiting[R]] = deque()
        done = 0
        for number in range(count):
            waiting.append(client.submit(work, sent, number, pure=False))
            if len(waiting) >= 2 * crew:
                yield _gather(waiting.popleft())
                done += 1
                if report:
                    report(done, count)
        while waiting:
            yield _gather(waiting.popleft())
            done += 1
            if report:
                report(done, count)


def _gather(waiting: Waiting[R]) -> R:
    from distributed import CancelledError, KilledWorker

    try:
        return waiting.result()
    except (KilledWorker, CancelledError, OSError) as error:
        raise NoCluster(f"the cluster lost its workers: {error}") from error


@contextmanager
def _client(address: str) -> Iterator[Any]:
    _knock(address)
    from distributed import Client

    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        for half_open in list(Client._instances):
            half_open.status = "closed"  # else it would complain of its own end, in many lines, when the program ends
        raise NoCluster(
            f"no cluster answers at '{address}': {(str(error) or type(error).__name__).splitlines()[0]}"
        ) from error
    try:
        if not client.nthreads():
            raise NoCluster(f"the cluster at '{address}' has no workers")
        yield client
    finally:
        client.close()


def _knock(address: str) -> None:
    """Does anybody listen there? Asked first, for it takes no time and its answer is plain."""
    scheme, _, place = address.rpartition("://")
    host, colon, port = place.rpartition(":")
    if scheme not in ("", "tcp", "tls") or not host or not colon or not port.isascii() or not port.isdigit():
        raise NoCluster(f"no cluster answers at '{address}'; an address is written tcp://HOST:PORT")
    if not 0 < int(port) < 1 << 16:
        raise NoCluster(f"no cluster answers at '{address}'; a port is a number from 1 to 65535")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, UnicodeError) as error:
        raise NoCluster(f"no cluster answers at '{address}': {getattr(error, 'strerror', None) or error}") from error
