"""Running totals of a simulation: sums, counts and a histogram.

Sessions are not stored, so memory does not grow with the number of spins. Amounts are integers. Variances are centred
sums, which stay accurate in long runs. Chunks are added in order, so that rounding is reproducible.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.sessions import COLUMNS, ENDING, HANDLE, HIGH, LOW, MAX_STAKE, NET, ROUNDS, Ending

BINS: Final = 120
_TRACKED: Final = (NET, HANDLE, ROUNDS)


@dataclass(slots=True)
class Scatter:
    """Means and sums of centred products of net result, handle and rounds."""

    count: int = 0
    mean: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    products: NDArray[np.float64] = field(default_factory=lambda: np.zeros((3, 3)))

    def add(self, records: NDArray[np.int64]) -> None:
        values = records[:, _TRACKED].astype(np.float64)
        count, mean = len(values), values.mean(axis=0)
        centred = values - mean
        step, total = mean - self.mean, self.count + count
        self.products = self.products + centred.T @ centred + np.outer(step, step) * (self.count * count / total)
        self.mean = self.mean + step * (count / total)
        self.count = total


def even_edges(least: int, most: int, step: int, bins: int) -> NDArray[np.float64]:
    """Compute edges of equally wide bins that contain equally many of the possible results ``least`` + k·``step``.

    If one bin had fewer possible results than its neighbours, the histogram would show a gap that is not real.
    """
    width = max(1, -(-((most - least) // step + 1) // bins)) * step
    return least - step / 2 + width * np.arange(bins + 1, dtype=np.float64)


@dataclass(slots=True)
class Tally:
    """Totals of the sessions added. Amounts are cents."""

    at: int = 0
    """One possible net result of a session."""
    step: int = 1
    """All possible net results are ``at`` plus a multiple of this."""
    sessions: int = 0
    net: int = 0
    handle: int = 0
    rounds: int = 0
    ahead: int = 0
    lowest: int = 0
    highest: int = 0
    most: int = 0
    endings: list[int] = field(default_factory=lambda: [0] * len(Ending))
    by_session: Scatter = field(default_factory=Scatter)
    by_piece: Scatter = field(default_factory=Scatter)
    """Scatter of the rows added: of sessions, or of their blocks if sessions are divided into blocks."""
    edges: NDArray[np.float64] | None = None
    histogram: NDArray[np.int64] = field(default_factory=lambda: np.zeros(BINS, dtype=np.int64))
    _open: NDArray[np.int64] | None = None
    """Record of a session whose blocks are not all added yet; ``_blocks`` is the number of blocks added."""
    _blocks: int = 0

    def add(self, rows: NDArray[np.int64], blocks: int) -> None:
        """Add the records of a chunk. ``blocks`` is the number of rows per session."""
        if blocks > 1:
            self.by_piece.add(rows)
        self.net += int(rows[:, NET].sum())
        self.handle += int(rows[:, HANDLE].sum())
        self.rounds += int(rows[:, ROUNDS].sum())
        self.most = max(self.most, int(rows[:, MAX_STAKE].max()))
        records = rows if blocks == 1 else self._join(rows, blocks)
        if len(records):
            self._add_sessions(records, rows)

    def _add_sessions(self, records: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        net = records[:, NET]
        self.sessions += len(records)
        self.by_session.add(records)
        if records is rows:
            self.by_piece = self.by_session
        self.ahead += int((net > 0).sum())
        self.lowest = min(self.lowest, int(records[:, LOW].min()))
        self.highest = max(self.highest, int(records[:, HIGH].max()))
        for ending, count in enumerate(np.bincount(records[:, ENDING], minlength=len(Ending)).tolist()):
            self.endings[ending] += count
        if self.edges is None:
            least, most = int(net.min()), int(net.max())
            room = -(-(most - least) // (10 * self.step)) * self.step
            assert (least - self.at) % self.step == 0, "a result must be on the plan's grid"
            self.edges = even_edges(least - room, most + room, self.step, BINS)
        # Bins are equally wide, so one multiplication finds the bin. Results outside go into the outermost bins.
        scale = BINS / (self.edges[-1] - self.edges[0])
        bins = np.clip((net - self.edges[0]) * scale, 0, BINS - 1).astype(np.int64)
        self.histogram += np.bincount(bins, minlength=BINS)

    def _join(self, rows: NDArray[np.int64], blocks: int) -> NDArray[np.int64]:
        """Join blocks into sessions, and return the sessions that are complete."""
        done: list[NDArray[np.int64]] = []
        for row in rows:
            if self._open is None:
                self._open, self._blocks = np.zeros(COLUMNS, dtype=np.int64), 0
            whole = self._open
            whole[LOW] = min(whole[LOW], whole[NET] + row[LOW])
            whole[HIGH] = max(whole[HIGH], whole[NET] + row[HIGH])
            whole[NET] += row[NET]
            whole[HANDLE] += row[HANDLE]
            whole[ROUNDS] += row[ROUNDS]
            whole[MAX_STAKE] = max(whole[MAX_STAKE], row[MAX_STAKE])
            self._blocks += 1
            if self._blocks == blocks:
                done.append(whole)
                self._open = None
        return np.array(done, dtype=np.int64).reshape(-1, COLUMNS)
