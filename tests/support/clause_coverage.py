"""Ties tests to clauses: which clauses have a test that passed, and which citations lead nowhere.

Pure, so that it can be tried out on planted mistakes; ``conftest`` feeds it from the test run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Game = str
Clause = str


@dataclass(frozen=True)
class Cited:
    test: str
    game: Game
    clause: Clause


def complaints(
    needed: Mapping[Game, Iterable[Clause]],
    known: Mapping[Game, Iterable[Clause]],
    cited: Iterable[Cited],
    passed: Iterable[str] | None,
) -> list[str]:
    """What is wrong. ``passed`` is the tests that passed in a whole run, or ``None`` for a part of one."""
    cited = list(cited)
    wrong = [
        f"{cite.test} cites {cite.game} {cite.clause}, which no register has"
        for cite in cited
        if cite.clause not in set(known.get(cite.game, ()))
    ]
    if passed is not None:
        tests = set(passed)
        shown = {(cite.game, cite.clause) for cite in cited if cite.test in tests}
        wrong += [
            f"{game} {clause} is said to be met by code or data, but no test that passed shows it"
            for game, clauses in needed.items()
            for clause in clauses
            if (game, clause) not in shown
        ]
    return wrong
