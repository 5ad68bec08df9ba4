"""Division of a simulation into chunks. A chunk is a range of sessions, or of blocks of long sessions.

The division depends only on the plan, so the result does not depend on the number of cores.
"""

from dataclasses import dataclass
from math import gcd
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.custom import play_custom
from roundhouse.lab.simulate.flat import BLOCK_ROUNDS, draws_per_word, flat_blocks, flat_table
from roundhouse.lab.simulate.plan import NEVER, CustomStrategy, SimulationPlan, check_session_length
from roundhouse.lab.simulate.sessions import COLUMNS, HANDLE, HIGH, LOW, MAX_STAKE, NET, ROUNDS, play_sessions
from roundhouse.lab.simulate.strategies import STRATEGY_TAGS, AtLimit, moves_of

_CHUNK_ROUNDS: Final = 1 << 24
_CHUNK_ROUNDS_CUSTOM: Final = 1 << 16
_MAX_ROWS: Final = 1 << 14
_MIN_BLOCK: Final = 1 << 10
_BLOCKS_WANTED: Final = 64
"""If a plan has fewer sessions than this, each session is divided into at most about this many blocks. The variance is
estimated from the blocks."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """The division of a plan. A row is a session, or a block of a session if ``blocks`` is more than 1."""

    blocks: int
    """Blocks per session."""
    block_rounds: int
    rows: int
    """Rows of the whole plan."""
    rows_per_chunk: int

    def __len__(self) -> int:
        return -(-self.rows // self.rows_per_chunk)

    def span(self, number: int) -> tuple[int, int]:
        """Return the first row of a chunk and its number of rows."""
        first = number * self.rows_per_chunk
        return first, min(self.rows_per_chunk, self.rows - first)


def chunks_of(plan: SimulationPlan) -> Chunks:
    block = plan.rounds
    if plan.plain:
        if plan.sessions < _BLOCKS_WANTED:
            block = max(_MIN_BLOCK, plan.rounds // _BLOCKS_WANTED)
        block = min(block + block % 2, BLOCK_ROUNDS, plan.rounds)
    else:
        check_session_length(plan.rounds)
    blocks = -(-plan.rounds // block)
    rounds = _CHUNK_ROUNDS_CUSTOM if isinstance(plan.system, CustomStrategy) else _CHUNK_ROUNDS
    rows = plan.sessions * blocks
    return Chunks(blocks, block, rows, max(1, min(_MAX_ROWS, rounds // block)))


def play_chunk(plan: SimulationPlan, number: int) -> NDArray[np.int64]:
    """Play a chunk. Returns one row per session or block; ``sessions`` names the columns."""
    chunks = chunks_of(plan)
    first, count = chunks.span(number)
    if isinstance(plan.system, CustomStrategy):
        return play_custom(plan, first, count)
    if plan.plain:
        return _plain(plan, chunks, first, count)
    out = np.zeros((count, COLUMNS), dtype=np.int64)
    # Divide all amounts by their greatest common divisor. If a slip then costs 1, ``advance`` needs no division.
    divisor = gcd(plan.staked, *plan.nets)
    moves, terms = moves_of(np.array(plan.nets, dtype=np.int64) // divisor), _terms(plan, divisor)
    play_sessions(
        STRATEGY_TAGS[plan.system], terms, moves, draws_per_word(len(plan.nets)), np.uint64(plan.seed), first, out
    )
    out[:, (NET, LOW, HIGH, HANDLE, MAX_STAKE)] *= divisor
    return out


def _terms(plan: SimulationPlan, divisor: int) -> NDArray[np.int64]:
    """Collect the terms for ``play_session``, with all amounts divided by ``divisor``.

    Unlimited credit becomes a bankroll that no session can lose. ``odd`` is the remainder of the
    bankroll's division. It never changes, so target and stop-loss are rounded to the next reachable bankroll.
    """
    stops = plan.stops
    start = NEVER // 2 if stops.bankroll is None else stops.bankroll
    shift, odd = start if stops.bankroll is None else 0, start % divisor
    return np.array(
        [
            plan.parameter,
            plan.staked // divisor,
            plan.most_units,
            list(AtLimit).index(plan.at_limit),
            plan.rounds,
            start // divisor,
            2 * NEVER - 1 if stops.target is None else -((odd - stops.target - shift) // divisor),
            -1 if stops.stop_loss is None else (stops.stop_loss + shift - odd) // divisor,
        ],
        dtype=np.int64,
    )


def _plain(plan: SimulationPlan, chunks: Chunks, first: int, count: int) -> NDArray[np.int64]:
    last = plan.rounds - (chunks.blocks - 1) * chunks.block_rounds
    even = chunks.block_rounds % 2 == 0 and last % 2 == 0
    table = flat_table(np.array(plan.nets, dtype=np.int64) * plan.parameter, paired=even)
    found = np.zeros((count, 3), dtype=np.int64)
    flat_blocks(
        table.moves,
        table.tuples,
        table.power,
        table.uneven,
        np.uint64(plan.seed),
        first,
        chunks.blocks,
        chunks.block_rounds // table.rounds,
        last // table.rounds,
        found,
    )
    out = np.zeros((count, COLUMNS), dtype=np.int64)
    out[:, NET : NET + 3] = found
    rounds = np.full(count, chunks.block_rounds)
    rounds[(first + np.arange(count)) % chunks.blocks == chunks.blocks - 1] = last
    out[:, ROUNDS] = rounds
    out[:, HANDLE] = rounds * plan.staked * plan.parameter
    out[:, MAX_STAKE] = plan.staked * plan.parameter
    return out
