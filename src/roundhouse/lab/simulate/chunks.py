"""A chunk: a run of sessions, or of blocks of one long session, that one core plays from the plan alone.

How the whole is cut into chunks depends on the plan and never on how many cores there are; that is why the result
does not either.
"""

from dataclasses import dataclass
from math import gcd
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.custom import play_own
from roundhouse.lab.simulate.flat import BLOCK_ROUNDS, flat_blocks, flat_table, tuples_of_a_word
from roundhouse.lab.simulate.plan import NEVER, CustomStrategy, SimulationPlan, check_session_length
from roundhouse.lab.simulate.sessions import COLUMNS, HANDLE, HIGH, LOW, MOST, NET, ROUNDS, play_sessions
from roundhouse.lab.simulate.strategies import KIND, AtLimit, moves_of

_CHUNK_ROUNDS: Final = 1 << 24
_CHUNK_ROUNDS_OWN: Final = 1 << 16
_MAX_ROWS: Final = 1 << 14
_MIN_BLOCK: Final = 1 << 10
_BLOCKS_WANTED: Final = 64
"""A long session has at least so many blocks, so that its scatter can be told from them."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """Rows are sessions, or blocks of sessions where ``blocks`` is more than one."""

    blocks: int
    """Blocks a session."""
    block_rounds: int
    rows: int
    """All rows of the plan."""
    rows_a_chunk: int

    def __len__(self) -> int:
        return -(-self.rows // self.rows_a_chunk)

    def span(self, number: int) -> tuple[int, int]:
        """First row and number of rows."""
        first = number * self.rows_a_chunk
        return first, min(self.rows_a_chunk, self.rows - first)


def chunks_of(plan: SimulationPlan) -> Chunks:
    block = plan.rounds
    if plan.plain:
        if plan.sessions < _BLOCKS_WANTED:
            block = max(_MIN_BLOCK, plan.rounds // _BLOCKS_WANTED)
        block = min(block + block % 2, BLOCK_ROUNDS, plan.rounds)
    else:
        check_session_length(plan.rounds)
    blocks = -(-plan.rounds // block)
    rounds = _CHUNK_ROUNDS_OWN if isinstance(plan.system, CustomStrategy) else _CHUNK_ROUNDS
    rows = plan.sessions * blocks
    return Chunks(blocks, block, rows, max(1, min(_MAX_ROWS, rounds // block)))


def play_chunk(plan: SimulationPlan, number: int) -> NDArray[np.int64]:
    """The records of a chunk: a row a session or block, columns as ``play`` names them."""
    chunks = chunks_of(plan)
    first, count = chunks.span(number)
    if isinstance(plan.system, CustomStrategy):
        return play_own(plan, first, count)
    if plan.plain:
        return _plain(plan, chunks, first, count)
    out = np.zeros((count, COLUMNS), dtype=np.int64)
    # In the largest coin that makes up every result: where a slip is one coin, nothing need be divided.
    coin = gcd(plan.staked, *plan.nets)
    moves, terms = moves_of(np.array(plan.nets, dtype=np.int64) // coin), _terms(plan, coin)
    play_sessions(KIND[plan.system], terms, moves, tuples_of_a_word(len(plan.nets)), np.uint64(plan.seed), first, out)
    out[:, (NET, LOW, HIGH, HANDLE, MOST)] *= coin
    return out


def _terms(plan: SimulationPlan, coin: int) -> NDArray[np.int64]:
    """What ``play_session`` reads. Credit without end is a bankroll that no session can lose.

    Amounts are coins; ``odd`` cents of the bankroll never move, and lines are rounded to where they are crossed.
    """
    stops = plan.stops
    start = NEVER // 2 if stops.bankroll is None else stops.bankroll
    shift, odd = start if stops.bankroll is None else 0, start % coin
    return np.array(
        [
            plan.parameter,
            plan.staked // coin,
            plan.most_units,
            list(AtLimit).index(plan.at_limit),
            plan.rounds,
            start // coin,
            2 * NEVER - 1 if stops.target is None else -((odd - stops.target - shift) // coin),
            -1 if stops.stop_loss is None else (stops.stop_loss + shift - odd) // coin,
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
    out[:, MOST] = plan.staked * plan.parameter
    return out
