"""A route, as data: its method and path, who may ask, what it takes, what it gives, and what can go wrong.

A declaration does nothing. Whatever is not declared is not taken and not given.

What a handler is given: who asks, what for, and the parts of the house that can answer.

From a declaration to an answer: the checks in their order, then the handler, then its reply as it was declared.

What the house and the tables refuse, as HTTP says it: the status for each word.

HTTP: every route declared once, as data; the router, the checks and the OpenAPI document come from that.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import msgspec
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import Response as HttpResponse

from roundhouse.journal.store import JournalUnavailable
from roundhouse.people.names import Refusal, Refused
from roundhouse.server.auth import Access, Anonymous, Caller, StaffCaller, csrf_matches, deny, is_local, same_origin
from roundhouse.server.context import ServerContext
from roundhouse.server.limits import TooLarge, TooSlow, is_json, read_body
from roundhouse.table.names import TableId
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.wire.problems import STATUS, ErrorBody, ErrorCode

if TYPE_CHECKING:
    pass

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


@dataclass(frozen=True)
class Response:
    """What a handler answers with."""

    body: Any
    status: int = 200
    media: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    etag: str | None = None
    """What the answer follows from, where it can be kept: it is sent again only when that has changed."""


Handler = Callable[["Request[Any, Any, Any]"], Awaitable[Response]]


@dataclass(frozen=True)
class Route:
    method: Method
    path: str
    handler: Handler
    about: str
    access: Access
    returns: tuple[Returns, ...]
    body: Any = None
    """The type of the body."""
    path_type: Any = None
    """The type of what the path names."""
    query: Any = None
    problems: tuple[ErrorCode, ...] = ()
    """Those of this route; what follows from the rest of the declaration is added to them."""
    cost: int = 1
    """How many plain requests it counts as."""
    counts_as_login: bool = False
    """Whether somebody could guess at it: it is counted with log-ins."""
    cacheable: bool = False
    """Whether a browser may keep the answer and ask whether it still holds."""
    tag: str = field(kw_only=True)

    @property
    def name(self) -> str:
        return self.handler.__name__

    def all_problems(self) -> tuple[ErrorCode, ...]:
        """Everything that can go wrong, in the order in which it is looked at."""
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


Names = TypeVar("Names")
Query = TypeVar("Query")
Body = TypeVar("Body")


@dataclass(frozen=True)
class Request(Generic[Names, Query, Body]):
    service: ServerContext
    caller: Caller
    path: Names
    query: Query
    body: Body
    address: str
    local: bool
    """From this very machine."""
    headers: Mapping[str, str]


class HttpRefusal(Exception):
    """A request that comes to nothing, with the word and the status for it."""

    def __init__(
        self,
        problem: ErrorCode,
        reason: str | None = None,
        *,
        word: str | None = None,
        recorded: bool = False,
        wait: int = 1,
    ) -> None:
        self.code = problem
        self.status = STATUS[problem]
        self.word = word or problem.value
        self.reason = reason
        self.recorded = recorded
        """Whether the house has it on record already."""
        self.wait = wait
        """Seconds, where it may be asked again later."""
        super().__init__(self.word)


ROUTE, CALLER = "roundhouse.route", "roundhouse.caller"
"""Where the gate finds, for its log, what was asked and by whom."""

_encode = msgspec.json.Encoder().encode


class Endpoint:
    """One route of one house."""

    def __init__(self, route: Route, service: ServerContext) -> None:
        self._route = route
        self._service = service

    async def serve(self, request: HttpRequest) -> HttpResponse:
        request.scope[ROUTE] = self._route.path
        address = request.client.host if request.client else ""
        caller: Caller = Anonymous()
        try:
            self._check_rate(address)
            if self._route.method.changes and not same_origin(request.headers, self._service.settings.origins):
                raise HttpRefusal(ErrorCode.FOREIGN_ORIGIN, "only this house's own pages may ask for that")
            caller = request.scope[CALLER] = self._service.caller(request.headers)
            self._check_caller(caller, request)
            asking = Request(
                self._service,
                caller,
                _understood(dict(request.path_params), self._route.path_type, "the path"),
                _understood(_once(request), self._route.query, "the query"),
                await self._body(request),
                address,
                is_local(address, request.headers),
                request.headers,
            )
            reply = await self._route.handler(asking)
        except HttpRefusal as turned:
            if turned.status in (401, 403) and not turned.recorded:
                await self._service.note_refusal(self._route.name, turned.word, caller, address)
            return refusal_response(turned)
        except JournalUnavailable:
            return refusal_response(
                HttpRefusal(ErrorCode.JOURNAL_UNAVAILABLE, "the journal cannot be written; nothing has happened")
            )
        return answer(reply, request.headers)

    def _check_rate(self, address: str) -> None:
        waits = self._service.throttle(address, self._route.cost, self._route.counts_as_login)
        if waits:
            wait = int(waits) + 1
            raise HttpRefusal(ErrorCode.TOO_MANY_REQUESTS, f"ask again in {wait} seconds", wait=wait)

    def _check_caller(self, caller: Caller, request: HttpRequest) -> None:
        table = request.path_params.get("table")
        if problem := deny(self._route.access, caller, TableId(table) if table is not None else None):
            raise HttpRefusal(problem, f"this is for {self._route.access.description}")
        # Whoever logs in or sits down may still have the cookie of somebody before him.
        needs_token = self._route.method.changes and not self._route.access.anybody
        csrf = caller.csrf if not isinstance(caller, Anonymous) and caller.by_cookie else None
        if needs_token and csrf is not None and not csrf_matches(request.headers, csrf):
            raise HttpRefusal(ErrorCode.CSRF_TOKEN_MISSING, "send the token of 'me' as X-CSRF-Token")
        # A page looks by itself, as long as it is open; only people change something.
        if isinstance(caller, StaffCaller) and self._route.method.changes:
            self._service.touch(caller)

    async def _body(self, request: HttpRequest) -> Any:
        if self._route.body is None:
            return None
        if not is_json(request.headers):
            raise HttpRefusal(ErrorCode.WRONG_CONTENT_TYPE, "send application/json in UTF-8")
        settings = self._service.settings
        try:
            body = await read_body(request.headers, request.stream(), settings.body_bytes, settings.body_seconds)
        except TooLarge:
            raise HttpRefusal(ErrorCode.TOO_LARGE, f"a body is at most {settings.body_bytes} bytes") from None
        except TooSlow:
            raise HttpRefusal(ErrorCode.TOO_SLOW, f"a body arrives within {settings.body_seconds:g} seconds") from None
        except ClientDisconnect:
            raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, "the body ended before it was whole") from None
        try:
            return msgspec.json.decode(body, type=self._route.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, words_of(error)) from None


def words_of(error: Exception) -> str:
    """What is wrong with a message, in words for whoever sent it. They may quote it, so they go nowhere else."""
    if isinstance(error, msgspec.ValidationError):
        return str(error)
    return "not JSON in UTF-8"


def _understood(raw: Mapping[str, str], kind: Any, where: str) -> Any:
    if kind is None:
        if where == "the query" and raw:
            raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, "nothing can be asked in the query here")
        return None
    try:
        return msgspec.convert(raw, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, f"{where}: {error}") from None


def _once(request: HttpRequest) -> dict[str, str]:
    pairs = request.query_params.multi_items()
    if len({name for name, _ in pairs}) < len(pairs):
        raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, "the query names one thing twice")
    return dict(pairs)


def answer(reply: Response, headers: Mapping[str, str]) -> HttpResponse:
    body = reply.body if isinstance(reply.body, bytes) else _encode(reply.body)
    response = HttpResponse(body, reply.status, media_type=None)
    response.headers["content-type"] = reply.media
    for name, value in reply.headers:
        response.headers.append(name, value)
    if reply.etag is not None:
        response.headers["etag"] = reply.etag
        response.headers["cache-control"] = "no-cache"
        if reply.etag in [one.strip().removeprefix("W/") for one in headers.get("if-none-match", "").split(",")]:
            return HttpResponse(None, 304, headers={"etag": reply.etag, "cache-control": "no-cache"})
    return response


def refusal_response(turned: HttpRefusal) -> HttpResponse:
    response = HttpResponse(_encode(ErrorBody(turned.word, turned.reason)), turned.status)
    response.headers["content-type"] = JSON
    if turned.code is ErrorCode.TOO_MANY_REQUESTS:
        response.headers["retry-after"] = str(turned.wait)
    if turned.code is ErrorCode.NOT_LOGGED_IN:
        response.headers["www-authenticate"] = 'Bearer realm="roundhouse"'
    return response


_PROBLEMS: Final = {
    Refusal.NOT_LOGGED_IN: ErrorCode.NOT_LOGGED_IN,
    Refusal.WRONG_NAME_OR_PASSWORD: ErrorCode.WRONG_NAME_OR_PASSWORD,
    Refusal.PERSON_IS_LOCKED: ErrorCode.ACCOUNT_IS_LOCKED,
    Refusal.CONSOLE_IS_LOCKED: ErrorCode.CONSOLE_IS_LOCKED,
    **dict.fromkeys(
        (
            Refusal.NO_POSITION,
            Refusal.NOT_AUTHORISED,
            Refusal.OTHER_TABLE,
            Refusal.OTHER_SEAT,
            Refusal.NO_BILL_ACCEPTOR,
            Refusal.NO_GUESTS,
            Refusal.TERMINAL_IS_REVOKED,
            Refusal.SAME_PERSON,
            Refusal.ABOVE_ONESELF,
        ),
        ErrorCode.NOT_AUTHORISED,
    ),
    **dict.fromkeys((one for one in Refusal if one.startswith("no_such_")), ErrorCode.NO_SUCH_THING),
}

_OF_TABLE: Final = {
    TableRefusal.NOT_UNDERSTOOD: ErrorCode.NOT_UNDERSTOOD,
    TableRefusal.NOT_AUTHORISED: ErrorCode.NOT_AUTHORISED,
    TableRefusal.JOURNAL_UNAVAILABLE: ErrorCode.JOURNAL_UNAVAILABLE,
}

Found = TypeVar("Found")


def problem_of(refusal: Refusal) -> ErrorCode:
    return _PROBLEMS.get(refusal, ErrorCode.REFUSED)


def problem_of_table(refusal: TableRefusal) -> ErrorCode:
    return _OF_TABLE.get(refusal, ErrorCode.REFUSED)


def raise_refusal(found: Found | Refused) -> Found:
    """What the house gives, or its refusal. It has put on record itself that somebody had no right to it."""
    if isinstance(found, Refused):
        raise HttpRefusal(problem_of(found.refusal), found.reason or None, word=found.refusal.value, recorded=True)
    return found
