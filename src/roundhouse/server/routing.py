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
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from roundhouse.journal.store import JournalUnavailable
from roundhouse.people.names import Refusal, Refused
from roundhouse.server.auth import Caller, Nobody, Staff, Who, is_local, means_it, same_origin, turned_away
from roundhouse.server.context import Service
from roundhouse.server.limits import TooLarge, TooSlow, is_json, read_body
from roundhouse.table.names import TableId
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.wire.problems import STATUS, Problem, Refusing

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


ROUTE, CALLER = "roundhouse.route", "roundhouse.caller"
"""Where the gate finds, for its log, what was asked and by whom."""

_encode = msgspec.json.Encoder().encode


class Endpoint:
    """One route of one house."""

    def __init__(self, route: Route, service: Service) -> None:
        self._route = route
        self._service = service

    async def serve(self, request: Request) -> Response:
        request.scope[ROUTE] = self._route.path
        address = request.client.host if request.client else ""
        caller: Caller = Nobody()
        try:
            self._check_rate(address)
            if self._route.method.changes and not same_origin(request.headers, self._service.settings.origins):
                raise Turned(Problem.FOREIGN_ORIGIN, "only this house's own pages may ask for that")
            caller = request.scope[CALLER] = self._service.caller(request.headers)
            self._check_caller(caller, request)
            asking = Asking(
                self._service,
                caller,
                _understood(dict(request.path_params), self._route.names, "the path"),
                _understood(_once(request), self._route.query, "the query"),
                await self._body(request),
                address,
                is_local(address, request.headers),
                request.headers,
            )
            reply = await self._route.handler(asking)
        except Turned as turned:
            if turned.status in (401, 403) and not turned.recorded:
                await self._service.note_refusal(self._route.name, turned.word, caller, address)
            return refusing(turned)
        except JournalUnavailable:
            return refusing(Turned(Problem.JOURNAL_UNAVAILABLE, "the journal cannot be written; nothing has happened"))
        return answer(reply, request.headers)

    def _check_rate(self, address: str) -> None:
        waits = self._service.wait(address, self._route.cost, self._route.knocks)
        if waits:
            wait = int(waits) + 1
            raise Turned(Problem.TOO_MANY_REQUESTS, f"ask again in {wait} seconds", wait=wait)

    def _check_caller(self, caller: Caller, request: Request) -> None:
        table = request.path_params.get("table")
        if problem := turned_away(self._route.who, caller, TableId(table) if table is not None else None):
            raise Turned(problem, f"this is for {self._route.who.words}")
        # Whoever logs in or sits down may still have the cookie of somebody before him.
        needs_token = self._route.method.changes and not self._route.who.anybody
        csrf = caller.csrf if not isinstance(caller, Nobody) and caller.by_cookie else None
        if needs_token and csrf is not None and not means_it(request.headers, csrf):
            raise Turned(Problem.CSRF_TOKEN_MISSING, "send the token of 'me' as X-CSRF-Token")
        # A page looks by itself, as long as it is open; only people change something.
        if isinstance(caller, Staff) and self._route.method.changes:
            self._service.touch(caller)

    async def _body(self, request: Request) -> Any:
        if self._route.takes is None:
            return None
        if not is_json(request.headers):
            raise Turned(Problem.WRONG_CONTENT_TYPE, "send application/json in UTF-8")
        settings = self._service.settings
        try:
            body = await read_body(request.headers, request.stream(), settings.body_bytes, settings.body_seconds)
        except TooLarge:
            raise Turned(Problem.TOO_LARGE, f"a body is at most {settings.body_bytes} bytes") from None
        except TooSlow:
            raise Turned(Problem.TOO_SLOW, f"a body arrives within {settings.body_seconds:g} seconds") from None
        except ClientDisconnect:
            raise Turned(Problem.NOT_UNDERSTOOD, "the body ended before it was whole") from None
        try:
            return msgspec.json.decode(body, type=self._route.takes)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Turned(Problem.NOT_UNDERSTOOD, words_of(error)) from None


def words_of(error: Exception) -> str:
    """What is wrong with a message, in words for whoever sent it. They may quote it, so they go nowhere else."""
    if isinstance(error, msgspec.ValidationError):
        return str(error)
    return "not JSON in UTF-8"


def _understood(raw: Mapping[str, str], kind: Any, where: str) -> Any:
    if kind is None:
        if where == "the query" and raw:
            raise Turned(Problem.NOT_UNDERSTOOD, "nothing can be asked in the query here")
        return None
    try:
        return msgspec.convert(raw, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise Turned(Problem.NOT_UNDERSTOOD, f"{where}: {error}") from None


def _once(request: Request) -> dict[str, str]:
    pairs = request.query_params.multi_items()
    if len({name for name, _ in pairs}) < len(pairs):
        raise Turned(Problem.NOT_UNDERSTOOD, "the query names one thing twice")
    return dict(pairs)


def answer(reply: Reply, headers: Mapping[str, str]) -> Response:
    body = reply.body if isinstance(reply.body, bytes) else _encode(reply.body)
    response = Response(body, reply.status, media_type=None)
    response.headers["content-type"] = reply.media
    for name, value in reply.headers:
        response.headers.append(name, value)
    if reply.etag is not None:
        response.headers["etag"] = reply.etag
        response.headers["cache-control"] = "no-cache"
        if reply.etag in [one.strip().removeprefix("W/") for one in headers.get("if-none-match", "").split(",")]:
            return Response(None, 304, headers={"etag": reply.etag, "cache-control": "no-cache"})
    return response


def refusing(turned: Turned) -> Response:
    response = Response(_encode(Refusing(turned.word, turned.reason)), turned.status)
    response.headers["content-type"] = JSON
    if turned.problem is Problem.TOO_MANY_REQUESTS:
        response.headers["retry-after"] = str(turned.wait)
    if turned.problem is Problem.NOT_LOGGED_IN:
        response.headers["www-authenticate"] = 'Bearer realm="roundhouse"'
    return response


_PROBLEMS: Final = {
    Refusal.NOT_LOGGED_IN: Problem.NOT_LOGGED_IN,
    Refusal.WRONG_NAME_OR_PASSWORD: Problem.WRONG_NAME_OR_PASSWORD,
    Refusal.PERSON_IS_LOCKED: Problem.ACCOUNT_IS_LOCKED,
    Refusal.CONSOLE_IS_LOCKED: Problem.CONSOLE_IS_LOCKED,
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
        Problem.NOT_AUTHORISED,
    ),
    **dict.fromkeys((one for one in Refusal if one.startswith("no_such_")), Problem.NO_SUCH_THING),
}

_OF_TABLE: Final = {
    TableRefusal.NOT_UNDERSTOOD: Problem.NOT_UNDERSTOOD,
    TableRefusal.NOT_AUTHORISED: Problem.NOT_AUTHORISED,
    TableRefusal.JOURNAL_UNAVAILABLE: Problem.JOURNAL_UNAVAILABLE,
}

Found = TypeVar("Found")


def problem_of(refusal: Refusal) -> Problem:
    return _PROBLEMS.get(refusal, Problem.REFUSED)


def problem_of_table(refusal: TableRefusal) -> Problem:
    return _OF_TABLE.get(refusal, Problem.REFUSED)


def unless_refused(found: Found | Refused) -> Found:
    """What the house gives, or its refusal. It has put on record itself that somebody had no right to it."""
    if isinstance(found, Refused):
        raise Turned(problem_of(found.refusal), found.reason or None, word=found.refusal.value, recorded=True)
    return found
