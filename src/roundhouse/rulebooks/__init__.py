"""Finds rulebook files and loads them.

The shipped rulebooks are in this folder. The environment variable ``ROUNDHOUSE_RULEBOOKS`` names a folder
with further rulebooks. Commands that expect a game also accept the path of a rulebook file.
"""

import os
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from roundhouse.rules.clauses import RegisterEntry, Tests, register_of
from roundhouse.rules.errors import InvalidRulebook, UserError
from roundhouse.rules.game import Game
from roundhouse.rules.loading import MAX_BYTES, load
from roundhouse.rules.names import GameId

SHIPPED = (
    GameId("rws-double-zero"),
    GameId("rws-triple-zero"),
    GameId("mbs-sands"),
    GameId("mbs-electronic-double-zero"),
    GameId("rws-money-wheel"),
)
"""Shipped games, in the order in which lists show them."""

_HERE = Path(__file__).parent
_REGISTERS = _HERE / "registers"
TESTS_FILE = _REGISTERS / "tests.toml"
"""Names of the tests that cite each clause, by game. ``make clauses`` writes it."""
FOLDER = "ROUNDHOUSE_RULEBOOKS"
"""Environment variable with the folder of the house's own rulebooks."""


class NoSuchGame(UserError):
    """No rulebook has the requested id, or the folder of rulebooks does not exist."""


class UnreadableFile(UserError):
    """A rulebook file could not be read from disk."""


class DuplicateGameId(UserError):
    """Two rulebook files have the same id, so a round could not be traced to one of them."""


def shipped(id: GameId) -> Path:
    return _HERE / f"{id}.toml"


def custom() -> Iterator[Path]:
    """List the rulebook files in the folder that ``ROUNDHOUSE_RULEBOOKS`` names, if it is set."""
    if folder := os.environ.get(FOLDER):
        if not os.path.isdir(folder):
            raise NoSuchGame(f"{FOLDER} is set to '{folder}', which is not a folder")
        yield from sorted(Path(folder).glob("*.toml"))


def games() -> list[Game]:
    """Load all games, shipped ones first. Raise the first error."""
    found, errors = games_and_errors(())
    for error in errors:
        raise error
    return found


def games_and_errors(files: Iterable[Path]) -> tuple[list[Game], list[UserError]]:
    """Load all shipped and custom games and those in ``files``.

    An invalid custom rulebook is left out and its error returned. An invalid one in ``files`` raises.
    """
    found: dict[GameId, tuple[Game, Path]] = {}
    errors: list[UserError] = []
    for path in (*map(shipped, SHIPPED), *custom()):
        try:
            _add(found, path)
        except UserError as error:
            errors.append(error)
    for path in files:
        _add(found, path)
    return [game for game, _ in found.values()], errors


def _add(found: dict[GameId, tuple[Game, Path]], path: Path) -> None:
    game = read(path)
    if game.id in found and (other := found[game.id][1]).resolve() != path.resolve():
        raise DuplicateGameId(f"'{path}' and '{other}' both have the id '{game.id}'; change one of the ids")
    found[game.id] = (game, path)


def read(path: Path) -> Game:
    return read_with_content(path)[0]


def read_with_content(path: Path) -> tuple[Game, bytes]:
    """Load a game and return it with the bytes of its file, which a journal stores."""
    try:
        with path.open("rb") as file:
            # One byte more than allowed is enough for ``load`` to refuse the file.
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableFile(f"cannot read '{path}': {error.strerror or error}") from error
    try:
        return load(content), content
    except InvalidRulebook as error:
        error.file = str(path)
        raise


def find(name: str) -> Game:
    """Load a game by its id or by the path of its file."""
    return find_with_content(name)[0]


def find_with_content(name: str) -> tuple[Game, bytes]:
    if name in SHIPPED:
        return read_with_content(shipped(GameId(name)))
    if name.endswith(".toml") or os.sep in name or os.path.isfile(name):
        return read_with_content(Path(name))
    for path in custom():
        game, content = read_with_content(path)
        if game.id == name:
            return game, content
    known = ", ".join([*SHIPPED, *(path.stem for path in custom())])
    raise NoSuchGame(f"there is no game '{name}'; use one of {known}, or the path of a rulebook file")


def register(game: Game) -> tuple[RegisterEntry, ...]:
    """Read the clause register of a game. Only a shipped game has register files; others have their citations."""
    if game.id not in SHIPPED:
        return register_of(game.rulebook, None)
    path = _REGISTERS / f"{game.id}.toml"
    return register_of(game.rulebook, path.read_text(encoding="utf-8"), _tests(game.id))


def _tests(id: GameId) -> Tests:
    """Read the tests that cite the clauses of a shipped game."""
    of_game = tomllib.loads(TESTS_FILE.read_text(encoding="utf-8")).get(id, {})
    return {clause: tuple(tests) for clause, tests in of_game.items()}
