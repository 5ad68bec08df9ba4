"""A route, as data: its method and path, who may ask, what it takes, what it gives, and what can go wrong.

A declaration does nothing. Whatever is not declared is not taken and not given.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from roundhouse.server.http.who import Who
from roundhouse.server.wire.problems import Problem

if TYPE_CHECKING:
    from roundhouse.server.http.asking import Asking

JSON: Final = "application/json"


class Method(StrEnum):
    GET = "GET"
    POST = "POST"
    PUT = "PUT"
    DELETE = "DELETE"

    @property
    def changes(self) -> bool:
        return self is not Method.GET


@dataclass(frozen=True)
class Gives:
    """One kind of answer: its type, or types, where it is JSON; otherwise its media type."""

    type: Any = None
    status: int = 200
    media: str = JSON
    about: str = "As asked."

    @property
    def types(self) -> tuple[Any, ...]:
        if self.type is None:
            return ()
        return self.type if isinstance(self.type, tuple) else (self.type,)


@dataclass(frozen=True)
class Reply:
    """What a handler answers with."""

    body: Any
    status: int = 200
    media: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    etag: str | None = None
    """What the answer follows from, where it can be kept: it is sent again only when that has changed."""


Handler = Callable[["Asking[Any, Any, Any]"], Awaitable[Reply]]


@dataclass(frozen=True)
class Route:
    method: Method
    path: str
    handler: Handler
    about: str
    who: Who
    gives: tuple[Gives, ...]
    takes: Any = None
    """The type of the body."""
    names: Any = None
    """The type of what the path names."""
    query: Any = None
    problems: tuple[Problem, ...] = ()
    """Those of this route; what follows from the rest of the declaration is added to them."""
    cost: int = 1
    """How many plain requests it counts as."""
    knocks: bool = False
    """Whether somebody could guess at it: it is counted with log-ins."""
    kept: bool = False
    """Whether a browser may keep the answer and ask whether it still holds."""
    tag: str = field(kw_only=True)

    @property
    def name(self) -> str:
        return self.handler.__name__

    def all_problems(self) -> tuple[Problem, ...]:
        """Everything that can go wrong, in the order in which it is looked at."""
        found = {Problem.FOREIGN_HOST, Problem.TOO_MANY_REQUESTS, Problem.JOURNAL_UNAVAILABLE, *self.problems}
        if self.method.changes:
            found.add(Problem.FOREIGN_ORIGIN)
        if self.method.changes and not self.who.anybody:
            found.add(Problem.CSRF_TOKEN_MISSING)
        if not self.who.anybody:
            found |= {Problem.NOT_LOGGED_IN, Problem.NOT_AUTHORISED, Problem.CONSOLE_IS_LOCKED}
        if self.takes is not None:
            found |= {Problem.WRONG_CONTENT_TYPE, Problem.TOO_LARGE, Problem.TOO_SLOW}
        if self.takes is not None or self.names is not None or self.query is not None:
            found.add(Problem.NOT_UNDERSTOOD)
        return tuple(problem for problem in Problem if problem in found)
