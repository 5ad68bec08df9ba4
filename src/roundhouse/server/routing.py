"""Declarations of HTTP routes: method, path, access, types, responses and errors.

A route is a decorated handler. Its ``Request[...]`` annotation gives the types of path, query and body, the return
annotation the type of the response, and the docstring the summary. The router, the checks, the OpenAPI document and
the TypeScript types are derived from these declarations.
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
    """One response of a route."""

    type: Any = None
    """Type of a JSON body, or a tuple of possible types. None for bytes that are sent as they are."""
    status: int = 200
    media: str = JSON
    about: str = "Success."
    """Description in the OpenAPI document."""

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
    """A request that has passed the checks, with its decoded path, query and body."""

    service: ServerContext
    caller: Caller
    path: PathType
    query: QueryType
    body: BodyType
    address: str
    local: bool
    """Whether the request comes directly from this machine."""
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Response(Generic[BodyType]):
    """A response with a status, headers or an ETag. A handler that sets none of them returns only the body."""

    body: BodyType | bytes
    """A value of the declared type, or bytes that are sent as they are."""
    status: int | None = None
    """None means the first status that the route declares."""
    headers: tuple[tuple[str, str], ...] = ()
    media: str | None = None
    """None means the first media type that the route declares."""
    etag: str | None = None
    """Version of the body. A client that has this version gets 304 without a body."""


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
    """All responses that are not errors, the usual one first."""
    path_type: Any
    query: Any
    body: Any
    problems: tuple[ErrorCode, ...]
    """The errors of this handler. ``all_problems`` adds those of the checks before it."""
    cost: int
    """Cost in the rate limit. A plain request costs 1."""
    counts_as_login: bool
    """Whether the log-in rate limit also applies, because a client could guess a secret here."""
    cacheable: bool
    """Whether a browser may cache the response and revalidate it by its ETag."""
    tag: str

    @property
    def name(self) -> str:
        return self.handler.__name__

    def all_problems(self) -> tuple[ErrorCode, ...]:
        """Return all errors that the route can return, in the order of the checks."""
        found = {ErrorCode.FOREIGN_HOST, ErrorCode.TOO_MANY_REQUESTS, ErrorCode.JOURNAL_UNAVAILABLE, *self.problems}
        if self.method.changes:
            found.add(ErrorCode.FOREIGN_ORIGIN)
        if self.method.changes and not self.access.public:
            found.add(ErrorCode.CSRF_TOKEN_MISSING)
        if not self.access.public:
            found |= {ErrorCode.NOT_LOGGED_IN, ErrorCode.NOT_AUTHORISED, ErrorCode.CONSOLE_IS_LOCKED}
        if self.body is not None:
            found |= {ErrorCode.WRONG_CONTENT_TYPE, ErrorCode.TOO_LARGE, ErrorCode.TOO_SLOW}
        if self.body is not None or self.path_type is not None or self.query is not None:
            found.add(ErrorCode.NOT_UNDERSTOOD)
        return tuple(problem for problem in ErrorCode if problem in found)


class RouteOptions(TypedDict, total=False):
    """Options of a route's decorator. ``Route`` describes the fields."""

    access: Required[Access]
    problems: tuple[ErrorCode, ...]
    cost: int
    counts_as_login: bool
    cacheable: bool
    status: int
    """Status of a successful response. Default: 200."""
    media: str
    """Media type of the response. Default: JSON."""
    returns: tuple[Returns, ...]
    """All responses, for a handler with several statuses or a response that needs a description."""


class Routes:
    """The routes of one module, in the order of their handlers."""

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
    assert about, f"{handler.__name__} needs a docstring; its first paragraph is the summary of the route"
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
    # Bytes have no schema.
    types = tuple(kind for kind in types if kind is not bytes)
    if (returns := options.get("returns")) is not None:
        assert {kind for one in returns for kind in one.types} == set(types), (
            "'returns' and the return annotation must have the same types"
        )
        return returns
    return (Returns(types or None, options.get("status", 200), options.get("media", JSON)),)
