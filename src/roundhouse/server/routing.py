"""HTTP routes as data: method and path, access, types, answers and errors.

A route is a decorated handler. The types of its path, query and body come from the handler's ``Request[...]``
annotation, the type of the answer from its return annotation, the summary from its docstring. The router, the checks,
the OpenAPI document and the TypeScript types use these declarations and nothing else.
"""

import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Final, Generic, Required, TypedDict, Union, Unpack, get_args, get_origin, get_type_hints

from roundhouse.server.auth import Access, Caller
from roundhouse.server.context import ServerContext
from roundhouse.wire.problems import ErrorCode

if sys.version_info >= (3, 13):
    from typing import TypeVar
else:
    from typing_extensions import TypeVar

JSON: Final = "application/json"
SVG: Final = "image/svg+xml"


class Method(StrEnum):
    GET = "GET"
    POST = "POST"
    PUT = "PUT"
    DELETE = "DELETE"

    @property
    def changes(self) -> bool:
        return self is not Method.GET


@dataclass(frozen=True)
class Returns:
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


PathType = TypeVar("PathType", default=None)
QueryType = TypeVar("QueryType", default=None)
BodyType = TypeVar("BodyType", default=None)


@dataclass(frozen=True)
class Request(Generic[PathType, QueryType, BodyType]):
    """A checked request: the decoded path, query and body, and the caller."""

    service: ServerContext
    caller: Caller
    path: PathType
    query: QueryType
    body: BodyType
    address: str
    local: bool
    """Whether it comes from this machine."""
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Response(Generic[BodyType]):
    """An answer with a status, headers or an ETag. A handler that needs none of them returns the body alone."""

    body: BodyType | bytes
    """A value of the declared type, or bytes that are sent as they are."""
    status: int | None = None
    """None stands for the first status that the route declares."""
    headers: tuple[tuple[str, str], ...] = ()
    etag: str | None = None
    """Names the version of the answer. A client that has this version gets 304 and no body."""


Handler = Callable[[Request[Any, Any, Any]], Awaitable[object]]
AnyHandler = TypeVar("AnyHandler", bound=Handler)


@dataclass(frozen=True, kw_only=True)
class Route:
    method: Method
    path: str
    handler: Handler
    about: str
    """The summary in the OpenAPI document."""
    access: Access
    returns: tuple[Returns, ...]
    """Every answer that is not an error; the first is the usual one."""
    path_type: Any
    query: Any
    body: Any
    problems: tuple[ErrorCode, ...]
    """The errors of this handler. ``all_problems`` adds those that follow from the declaration."""
    cost: int
    """How many plain requests it counts as."""
    counts_as_login: bool
    """Whether it is limited like a log-in, because a secret can be guessed here."""
    cacheable: bool
    """Whether a browser may keep the answer and ask whether it is still valid."""
    tag: str

    @property
    def name(self) -> str:
        return self.handler.__name__

    def all_problems(self) -> tuple[ErrorCode, ...]:
        """Every error that the route can answer with, in the order in which they are checked."""
        found = {ErrorCode.FOREIGN_HOST, ErrorCode.TOO_MANY_REQUESTS, ErrorCode.JOURNAL_UNAVAILABLE, *self.problems}
        if self.method.changes:
            found.add(ErrorCode.FOREIGN_ORIGIN)
        if self.method.changes and not self.access.anybody:
            found.add(ErrorCode.CSRF_TOKEN_MISSING)
        if not self.access.anybody:
            found |= {ErrorCode.NOT_LOGGED_IN, ErrorCode.NOT_AUTHORISED, ErrorCode.CONSOLE_IS_LOCKED}
        if self.body is not None:
            found |= {ErrorCode.WRONG_CONTENT_TYPE, ErrorCode.TOO_LARGE, ErrorCode.TOO_SLOW}
        if self.body is not None or self.path_type is not None or self.query is not None:
            found.add(ErrorCode.NOT_UNDERSTOOD)
        return tuple(problem for problem in ErrorCode if problem in found)


class RouteOptions(TypedDict, total=False):
    """What a route declares besides its handler's annotations; ``Route`` describes the fields."""

    access: Required[Access]
    problems: tuple[ErrorCode, ...]
    cost: int
    counts_as_login: bool
    cacheable: bool
    status: int
    """The status of the answer; 200 unless given."""
    media: str
    """The media type of an answer that is not JSON."""
    returns: tuple[Returns, ...]
    """Every answer, where a handler has more than one status or the answer needs a description."""


class Routes:
    """The routes of one module, in the order in which its handlers are decorated."""

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self._routes: list[Route] = []

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes)

    def get(self, path: str, **options: Unpack[RouteOptions]) -> Callable[[AnyHandler], AnyHandler]:
        return self._declare(Method.GET, path, options)

    def post(self, path: str, **options: Unpack[RouteOptions]) -> Callable[[AnyHandler], AnyHandler]:
        return self._declare(Method.POST, path, options)

    def put(self, path: str, **options: Unpack[RouteOptions]) -> Callable[[AnyHandler], AnyHandler]:
        return self._declare(Method.PUT, path, options)

    def delete(self, path: str, **options: Unpack[RouteOptions]) -> Callable[[AnyHandler], AnyHandler]:
        return self._declare(Method.DELETE, path, options)

    def _declare(self, method: Method, path: str, options: RouteOptions) -> Callable[[AnyHandler], AnyHandler]:
        def declare(handler: AnyHandler) -> AnyHandler:
            self._routes.append(_route(method, path, handler, options, self._tag))
            return handler

        return declare


def _route(method: Method, path: str, handler: Handler, options: RouteOptions, tag: str) -> Route:
    hints = get_type_hints(handler, include_extras=True)
    answer = hints.pop("return")
    (request,) = hints.values()
    given = [None if kind is NoneType else kind for kind in get_args(request)]
    path_type, query, body = given + [None] * (3 - len(given))
    about, _, _ = (handler.__doc__ or "").partition("\n\n")
    assert about, f"{handler.__name__} needs a docstring: its first paragraph is the summary of the route"
    return Route(
        method=method,
        path=path,
        handler=handler,
        about=" ".join(about.split()),
        access=options["access"],
        returns=_returns(answer, options),
        path_type=path_type,
        query=query,
        body=body,
        problems=options.get("problems", ()),
        cost=options.get("cost", 1),
        counts_as_login=options.get("counts_as_login", False),
        cacheable=options.get("cacheable", False),
        tag=tag,
    )


def _returns(annotation: Any, options: RouteOptions) -> tuple[Returns, ...]:
    body = get_args(annotation)[0] if get_origin(annotation) is Response else annotation
    types = get_args(body) if get_origin(body) in (Union, UnionType) else (body,)
    # Bytes are sent as they are and have no schema.
    types = tuple(kind for kind in types if kind is not bytes)
    if (returns := options.get("returns")) is not None:
        assert {kind for one in returns for kind in one.types} == set(types), "the annotation names the same types"
        return returns
    return (Returns(types or None, options.get("status", 200), options.get("media", JSON)),)
