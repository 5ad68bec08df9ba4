"""The games that this house plays: everything a terminal draws and previews from. For anybody, and kept by browsers.

What is sent follows from the rulebook's bytes and from this software, so that both together name it.
"""

from collections.abc import Callable
from typing import Any, TypeVar

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
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.routing import SVG, Request, Response, Routes
from roundhouse.wire import games as w
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="games")
_GAME = "/api/games/{game}"
_LAYOUT = "/api/games/{game}/layouts/{layout}"
_TERMINAL = "/api/games/{game}/terminals/{terminal}"
_encode = msgspec.json.Encoder().encode

Made = TypeVar("Made")


class GamePath(msgspec.Struct, frozen=True):
    game: str
    """A game's id, or the hash of its rulebook."""


class LayoutPath(GamePath, frozen=True):
    layout: LayoutId


class TerminalPath(GamePath, frozen=True):
    terminal: TerminalId


@routes.get("/api/games", access=ANYBODY, cacheable=True)
async def games(asking: Request) -> Response[w.Games]:
    """The games that this house plays."""
    found = asking.service.games()
    lines = tuple(game_sheets.line_of(game) for game in found)
    etag = f'"{"-".join(game.hash[:16] for game in found)}-{__version__}"'
    return Response(w.Games(lines), etag=etag)


@routes.get(_GAME, access=ANYBODY, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def game(asking: Request[GamePath]) -> Response[w.GameInfo]:
    """A game: wheel, rules, irregularities, phrases, clauses."""
    return _kept(asking, "", lambda found: game_sheets.sheet_of(found))


@routes.get(_LAYOUT, access=ANYBODY, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def layout(asking: Request[LayoutPath]) -> Response[w.LayoutInfo]:
    """A layout: its cells, boxes and positions, and where they are touched."""
    _layout(_game(asking), asking.path.layout)
    return _kept(asking, f"layout:{asking.path.layout}", lambda found: game_sheets.layout_of(found, asking.path.layout))


@routes.get(f"{_LAYOUT}/positions", access=ANYBODY, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def positions(asking: Request[LayoutPath]) -> Response[w.Positions]:
    """The positions of a layout."""
    _layout(_game(asking), asking.path.layout)
    return _kept(
        asking,
        f"positions:{asking.path.layout}",
        lambda found: w.Positions(game_sheets.layout_of(found, asking.path.layout).positions),
    )


@routes.get(f"{_LAYOUT}/odds", access=ANYBODY, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def odds_of_positions(asking: Request[LayoutPath]) -> Response[w.OddsOfAll]:
    """Exact odds of every position."""
    _layout(_game(asking), asking.path.layout)
    return _kept(
        asking, f"odds:{asking.path.layout}", lambda found: game_sheets.odds_of_layout(found, asking.path.layout)
    )


@routes.get(f"{_LAYOUT}/picture.svg", access=ANYBODY, media=SVG, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def picture_of_layout(asking: Request[LayoutPath]) -> Response[bytes]:
    """The layout as a picture."""
    drawn = _layout(_game(asking), asking.path.layout)

    def draw(found: Game) -> bytes:
        rulebook = found.rulebook
        title = f"{rulebook.title}, layout {drawn.id}"
        return draw_layout(drawn, title, f"{rulebook.operator}, version {rulebook.version}").encode()

    return _kept(asking, f"picture:{drawn.id}", draw)


@routes.get(f"{_GAME}/wheel.svg", access=ANYBODY, media=SVG, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def picture_of_wheel(asking: Request[GamePath]) -> Response[bytes]:
    """The wheel as a picture."""
    return _kept(asking, "wheel", lambda found: draw_wheel(found.wheel, found.rulebook.title).encode())


@routes.get(f"{_TERMINAL}/packages", access=ANYBODY, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def packages(asking: Request[TerminalPath]) -> Response[w.Packages]:
    """What a terminal offers under one button."""
    terminal = _terminal(_game(asking), asking.path.terminal)
    return _kept(asking, f"packages:{asking.path.terminal}", lambda found: game_sheets.packages_of(terminal))


@routes.get(f"{_TERMINAL}/odds", access=ANYBODY, problems=(ErrorCode.NO_SUCH_THING,), cacheable=True)
async def odds_of_packages(asking: Request[TerminalPath]) -> Response[w.OddsOfAll]:
    """Exact odds of its packages."""
    terminal = _terminal(_game(asking), asking.path.terminal)
    return _kept(asking, f"package-odds:{asking.path.terminal}", lambda found: game_sheets.odds_of_terminal(terminal))


def _game(asking: Request[Any]) -> Game:
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


def _kept(asking: Request[Any], what: str, make: Callable[[Game], Made]) -> Response[Made]:
    """The answer from memory. It is made once for each rulebook."""
    game = _game(asking)
    service: ServerContext = asking.service
    if (body := service.response_cache.get((game.hash, what))) is None:
        made = make(game)
        body = service.response_cache[game.hash, what] = made if isinstance(made, bytes) else _encode(made)
    return Response(body, etag=f'"{game.hash[:32]}-{__version__}"')
