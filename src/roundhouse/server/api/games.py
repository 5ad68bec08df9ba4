"""The games that this house plays: everything a terminal draws and previews from. For anybody, and kept by browsers.

What is sent follows from the rulebook's bytes and from this software, so that both together name it.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from roundhouse import __version__
from roundhouse.drawing.layout import draw_layout
from roundhouse.drawing.wheel import draw_wheel
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import LayoutId, TerminalId
from roundhouse.rules.packages import Terminal
from roundhouse.server import game_sheets
from roundhouse.server.auth import ANYBODY
from roundhouse.server.context import ServerContext
from roundhouse.server.routing import JSON, HttpRefusal, Method, Request, Response, Returns, Route
from roundhouse.wire import games as w
from roundhouse.wire.problems import ErrorCode

_SVG = "image/svg+xml"
_encode = msgspec.json.Encoder().encode


class OfGame(msgspec.Struct, frozen=True):
    game: str
    """A game's id, or the hash of its rulebook."""


class OfLayout(OfGame, frozen=True):
    layout: LayoutId


class OfTerminal(OfGame, frozen=True):
    terminal: TerminalId


async def games(asking: Request[None, None, None]) -> Response:
    found = asking.service.games()
    lines = tuple(game_sheets.line_of(game) for game in found)
    etag = f'"{"-".join(game.hash[:16] for game in found)}-{__version__}"'
    return Response(w.Games(lines), etag=etag)


async def game(asking: Request[OfGame, None, None]) -> Response:
    return _kept(asking, "", lambda found: game_sheets.sheet_of(found))


async def layout(asking: Request[OfLayout, None, None]) -> Response:
    _layout(_game(asking), asking.path.layout)
    return _kept(asking, f"layout:{asking.path.layout}", lambda found: game_sheets.layout_of(found, asking.path.layout))


async def positions(asking: Request[OfLayout, None, None]) -> Response:
    _layout(_game(asking), asking.path.layout)
    return _kept(
        asking,
        f"positions:{asking.path.layout}",
        lambda found: w.Positions(game_sheets.layout_of(found, asking.path.layout).positions),
    )


async def odds_of_positions(asking: Request[OfLayout, None, None]) -> Response:
    _layout(_game(asking), asking.path.layout)
    return _kept(
        asking, f"odds:{asking.path.layout}", lambda found: game_sheets.odds_of_layout(found, asking.path.layout)
    )


async def picture_of_layout(asking: Request[OfLayout, None, None]) -> Response:
    drawn = _layout(_game(asking), asking.path.layout)

    def draw(found: Game) -> bytes:
        rulebook = found.rulebook
        title = f"{rulebook.title}, layout {drawn.id}"
        return draw_layout(drawn, title, f"{rulebook.operator}, version {rulebook.version}").encode()

    return _kept(asking, f"picture:{drawn.id}", draw, _SVG)


async def picture_of_wheel(asking: Request[OfGame, None, None]) -> Response:
    return _kept(asking, "wheel", lambda found: draw_wheel(found.wheel, found.rulebook.title).encode(), _SVG)


async def packages(asking: Request[OfTerminal, None, None]) -> Response:
    terminal = _terminal(_game(asking), asking.path.terminal)
    return _kept(asking, f"packages:{asking.path.terminal}", lambda found: game_sheets.packages_of(terminal))


async def odds_of_packages(asking: Request[OfTerminal, None, None]) -> Response:
    terminal = _terminal(_game(asking), asking.path.terminal)
    return _kept(asking, f"package-odds:{asking.path.terminal}", lambda found: game_sheets.odds_of_terminal(terminal))


def _game(asking: Request[Any, None, None]) -> Game:
    name = asking.path.game
    found = next((game for game in asking.service.games() if name in (game.id, game.hash)), None)
    if found is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, "this house plays no such game")
    return found


def _layout(game: Game, id: LayoutId) -> Layout:
    if (found := game.layouts.get(id)) is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"the game has the layouts {', '.join(game.layouts)}")
    return found


def _terminal(game: Game, id: TerminalId) -> Terminal:
    if (found := game.terminals.get(id)) is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"the game has the terminals {', '.join(game.terminals)}")
    return found


def _kept(asking: Request[Any, None, None], what: str, make: Callable[[Game], object], media: str = JSON) -> Response:
    """Made once for each rulebook, and sent from memory ever after."""
    game = _game(asking)
    service: ServerContext = asking.service
    if (body := service.response_cache.get((game.hash, what))) is None:
        made = make(game)
        body = service.response_cache[game.hash, what] = made if isinstance(made, bytes) else _encode(made)
    return Response(body, media=media, etag=f'"{game.hash[:32]}-{__version__}"')


def _route(path: str, handler: Any, about: str, gives: Any, names: Any, media: str = JSON) -> Route:
    return Route(
        Method.GET,
        path,
        handler,
        about,
        ANYBODY,
        (Returns(gives, media=media),),
        path_type=names,
        problems=(ErrorCode.NO_SUCH_THING,) if names is not None else (),
        cacheable=True,
        tag="games",
    )


_GAME, _LAYOUT, _TERMINAL = (
    "/api/games/{game}",
    "/api/games/{game}/layouts/{layout}",
    "/api/games/{game}/terminals/{terminal}",
)

ROUTES = (
    _route("/api/games", games, "The games that this house plays.", w.Games, None),
    _route(_GAME, game, "A game: wheel, rules, irregularities, phrases, clauses.", w.GameInfo, OfGame),
    _route(f"{_GAME}/wheel.svg", picture_of_wheel, "The wheel as a picture.", None, OfGame, _SVG),
    _route(
        _LAYOUT,
        layout,
        "A layout: its cells, boxes and positions, and where they are touched.",
        w.LayoutInfo,
        OfLayout,
    ),
    _route(f"{_LAYOUT}/positions", positions, "The positions of a layout.", w.Positions, OfLayout),
    _route(f"{_LAYOUT}/odds", odds_of_positions, "Exact odds of every position.", w.OddsOfAll, OfLayout),
    _route(f"{_LAYOUT}/picture.svg", picture_of_layout, "The layout as a picture.", None, OfLayout, _SVG),
    _route(f"{_TERMINAL}/packages", packages, "What a terminal offers under one button.", w.Packages, OfTerminal),
    _route(f"{_TERMINAL}/odds", odds_of_packages, "Exact odds of its packages.", w.OddsOfAll, OfTerminal),
)
