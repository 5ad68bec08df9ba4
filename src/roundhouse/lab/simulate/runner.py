"""Runs chunks on local cores or on a Dask cluster and yields their results in order.

At most two chunks per worker are pending, so that memory does not grow with the length of a run.
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
"""Progress callback. Receives the chunks done and the total number of chunks."""


class NoCluster(UserError):
    """The cluster did not answer, or lost its workers."""


class PendingResult(Protocol[R_co]):
    """A future: the result of a submitted chunk."""

    def result(self) -> R_co: ...


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_local(
    work: Callable[[P, int], R], plan: P, count: int, workers: int, report: Report | None = None
) -> Iterator[R]:
    """Run chunks 0, 1 … in threads and yield their results in this order."""
    if workers == 1:
        for number in range(count):
            yield work(plan, number)
            if report:
                report(number + 1, count)
        return
    pending: deque[Future[R]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for number in range(count):
                pending.append(pool.submit(work, plan, number))
                if len(pending) >= 2 * workers:
                    yield pending.popleft().result()
                    if report:
                        report(number + 1 - len(pending), count)
            while pending:
                yield pending.popleft().result()
                if report:
                    report(count - len(pending), count)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def run_on_cluster(
    work: Callable[[P, int], R], plan: P, count: int, address: str, report: Report | None = None
) -> Iterator[R]:
    """Run on the workers of a Dask scheduler. Each needs Roundhouse with the extras ``lab`` and ``cluster``."""
    with _client(address) as client:
        threads = max(1, sum(client.nthreads().values()))
        plan_on_workers = client.scatter(plan, broadcast=True)
        pending: deque[PendingResult[R]] = deque()
        done = 0
        for number in range(count):
            pending.append(client.submit(work, plan_on_workers, number, pure=False))
            if len(pending) >= 2 * threads:
                yield _gather(pending.popleft())
                done += 1
                if report:
                    report(done, count)
        while pending:
            yield _gather(pending.popleft())
            done += 1
            if report:
                report(done, count)


def _gather(pending: PendingResult[R]) -> R:
    from distributed import CancelledError, KilledWorker

    try:
        return pending.result()
    except (KilledWorker, CancelledError, OSError) as error:
        raise NoCluster(f"the cluster lost its workers: {error}") from error


@contextmanager
def _client(address: str) -> Iterator[Any]:
    _check_reachable(address)
    from distributed import Client

    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        for half_open in list(Client._instances):
            half_open.status = "closed"  # Without this, Dask logs many lines at exit.
        raise NoCluster(
            f"no cluster answers at '{address}': {(str(error) or type(error).__name__).splitlines()[0]}"
        ) from error
    try:
        if not client.nthreads():
            raise NoCluster(f"the cluster at '{address}' has no workers")
        yield client
    finally:
        client.close()


def _check_reachable(address: str) -> None:
    """Check the address and open a test connection, which fails faster and with a clearer error than Dask."""
    scheme, _, place = address.rpartition("://")
    host, colon, port = place.rpartition(":")
    if scheme not in ("", "tcp", "tls") or not host or not colon or not port.isascii() or not port.isdigit():
        raise NoCluster(f"no cluster answers at '{address}'; write the address as tcp://HOST:PORT")
    if not 0 < int(port) < 1 << 16:
        raise NoCluster(f"no cluster answers at '{address}'; the port must be a number from 1 to 65535")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, UnicodeError) as error:
        raise NoCluster(f"no cluster answers at '{address}': {getattr(error, 'strerror', None) or error}") from error
