"""The journal's store, with the time of every commit told to the metrics. It changes nothing else."""

import time
from collections.abc import Callable
from pathlib import Path

from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch


class MeasuredStore(SqliteStore):
    def __init__(self, path: Path, took: Callable[[float], None]) -> None:
        super().__init__(path)
        self._took = took

    def commit(self, *batches: Batch) -> None:
        began = time.perf_counter()
        super().commit(*batches)
        self._took(time.perf_counter() - began)
