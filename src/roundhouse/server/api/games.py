"""Routes that describe the games of this house. They are public and cacheable.

A response depends only on the rulebook file and the software version, so its ETag consists of both.
"""

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from roundhouse import __version__
from roundhouse.drawing.layout import draw_layout
from roundhouse.drawing.wheel import draw_wheel
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import LayoutId, PackageId, TerminalId
from roundhouse.rules.packages import Terminal
from roundhouse.server import game_sheets
from roundhouse.server.auth import PUBLIC, TerminalCaller
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.routing import SVG, Request, Response, Routes
from roundhouse.wire import games as w
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="games")
_GAME = "/api/games/{game}"
_LAYOUT = "/api/games/{game}/layouts/{layout}"
_TERMINAL = "/api/games/{game}/terminals/{terminal}"
_encode = msgspec.json.Encoder().encode

Body = TypeVar("Body")


class GamePath(msgspec.Struct, frozen=True):
    game: str
    """Id of the game, or hash of its rulebook."""


class LayoutPath(GamePath, frozen=True):
    layout: LayoutId


class TerminalPath(GamePath, frozen=True):
    terminal: TerminalId


@routes.get("/api/games", access=PUBLIC, cacheable=True)
async def games(request: Request) -> Response[w.Games]:
    """List the games of this house."""
    found = request.service.games()
    rows = tuple(game_sheets.row_of(game) for game in found)
    etag = f'"{"-".join(game.hash[:16] for game in found)}-{__version__}"'
    return Response(w.Games(rows), etag=etag)


@routes.get(_GAME, access=PUBLIC, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def game(request: Request[GamePath]) -> Response[w.GameInfo]:
    """Return a game: its wheel, rules, irregularities, phrases and clauses."""
    return _cached(request, "", lambda found: game_sheets.info_of(found))


@routes.get(_LAYOUT, access=PUBLIC, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def layout(request: Request[LayoutPath]) -> Response[w.LayoutInfo]:
    """Return a layout: its cells, boxes and positions, with their touch areas."""
    _layout(_game(request), request.path.layout)
    return _cached(
        request, f"layout:{request.path.layout}", lambda found: game_sheets.layout_of(found, request.path.layout)
    )


@routes.get(f"{_LAYOUT}/positions", access=PUBLIC, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def positions(request: Request[LayoutPath]) -> Response[w.Positions]:
    """List the positions of a layout."""
    _layout(_game(request), request.path.layout)
    return _cached(
        request,
        f"positions:{request.path.layout}",
        lambda found: w.Positions(game_sheets.layout_of(found, request.path.layout).positions),
    )


@routes.get(f"{_LAYOUT}/odds", access=PUBLIC, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def odds_of_positions(request: Request[LayoutPath]) -> Response[w.OddsOfAll]:
    """Return the exact odds of every position of a layout."""
    _layout(_game(request), request.path.layout)
    return _cached(
        request, f"odds:{request.path.layout}", lambda found: game_sheets.odds_of_layout(found, request.path.layout)
    )


@routes.get(f"{_LAYOUT}/picture.svg", access=PUBLIC, media=SVG, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def picture_of_layout(request: Request[LayoutPath]) -> Response[bytes]:
    """Draw a layout as SVG."""
    drawn = _layout(_game(request), request.path.layout)

    def draw(found: Game) -> bytes:
        rulebook = found.rulebook
        title = f"{rulebook.title}, layout {drawn.id}"
        return draw_layout(drawn, title, f"{rulebook.operator}, version {rulebook.version}").encode()

    return _cached(request, f"picture:{drawn.id}", draw)


@routes.get(f"{_GAME}/wheel.svg", access=PUBLIC, media=SVG, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def picture_of_wheel(request: Request[GamePath]) -> Response[bytes]:
    """Draw the wheel of a game as SVG."""
    return _cached(request, "wheel", lambda found: draw_wheel(found.wheel, found.rulebook.title).encode())


@routes.get(f"{_TERMINAL}/packages", access=PUBLIC, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def packages(request: Request[TerminalPath]) -> Response[w.Packages]:
    """List the packages that a terminal offers: bets on several positions placed by one button.

    A terminal gets only the packages that the house offers there.
    """
    terminal, offers = _terminal(_game(request), request.path.terminal), _offers(request)
    return _cached(
        request,
        f"packages:{request.path.terminal}",
        lambda found: game_sheets.packages_of(_offered(terminal, offers)),
        offers,
    )


@routes.get(f"{_TERMINAL}/odds", access=PUBLIC, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def odds_of_packages(request: Request[TerminalPath]) -> Response[w.OddsOfAll]:
    """Return the exact odds of every package of a terminal."""
    terminal, offers = _terminal(_game(request), request.path.terminal), _offers(request)
    return _cached(
        request,
        f"package-odds:{request.path.terminal}",
        lambda found: game_sheets.odds_of_terminal(_offered(terminal, offers)),
        offers,
    )


def _offers(request: Request[Any]) -> tuple[PackageId, ...] | None:
    """Return the packages that the house offers at the caller's terminal; None if it offers all of its type."""
    caller = request.caller
    if not isinstance(caller, TerminalCaller):
        return None
    return request.service.house.config.offers_at(caller.terminal.table).get(caller.terminal.seat)


def _offered(terminal: Terminal, offers: tuple[PackageId, ...] | None) -> Terminal:
    if offers is None:
        return terminal
    return terminal._replace(packages=tuple(one for one in terminal.packages if one.id in offers))


def _game(request: Request[Any]) -> Game:
    name = request.path.game
    found = next((game for game in request.service.games() if name in (game.id, game.hash)), None)
    if found is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"this house has no game '{name}'; GET /api/games lists them")
    return found


def _layout(game: Game, id: LayoutId) -> Layout:
    if (found := game.layouts.get(id)) is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"the game has no layout '{id}'; it has {', '.join(game.layouts)}")
    return found


def _terminal(game: Game, id: TerminalId) -> Terminal:
    if (found := game.terminals.get(id)) is None:
        known = ", ".join(game.terminals)
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"the game has no terminal '{id}'; it has {known}")
    return found


def _cached(
    request: Request[Any], key: str, build: Callable[[Game], Body], offers: tuple[PackageId, ...] | None = None
) -> Response[Body]:
    """Return a response from the cache, which holds one copy per rulebook and key. Build it on the first request.

    Responses that depend on the packages which a terminal offers have their own copies and ETags.
    """
    game = _game(request)
    service: ServerContext = request.service
    variant = "" if offers is None else f"-{hashlib.sha256(_encode(offers)).hexdigest()[:16]}"
    key += variant
    if (body := service.response_cache.get((game.hash, key))) is None:
        built = build(game)
        body = service.response_cache[game.hash, key] = built if isinstance(built, bytes) else _encode(built)
    return Response(body, etag=f'"{game.hash[:32]}-{__version__}{variant}"')
