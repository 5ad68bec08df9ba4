"""What a handler is given: who asks, what for, and the parts of the house that can answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from roundhouse.server.callers import Caller
from roundhouse.server.service import Service
from roundhouse.server.wire.problems import STATUS, Problem

Names = TypeVar("Names")
Query = TypeVar("Query")
Body = TypeVar("Body")


@dataclass(frozen=True)
class Asking(Generic[Names, Query, Body]):
    service: Service
    caller: Caller
    names: Names
    query: Query
    body: Body
    address: str
    local: bool
    """From this very machine."""
    headers: Mapping[str, str]


class Turned(Exception):
    """A request that comes to nothing, with the word and the status for it."""

    def __init__(
        self,
        problem: Problem,
        reason: str | None = None,
        *,
        word: str | None = None,
        recorded: bool = False,
        wait: int = 1,
    ) -> None:
        self.problem = problem
        self.status = STATUS[problem]
        self.word = word or problem.value
        self.reason = reason
        self.recorded = recorded
        """Whether the house has it on record already."""
        self.wait = wait
        """Seconds, where it may be asked again later."""
        super().__init__(self.word)
