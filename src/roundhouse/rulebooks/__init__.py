"""The shelf of rulebooks: finds files and reads them; what they mean is for ``rules`` to say.

Shipped rulebooks lie beside this page. A house or a designer adds a folder of their own by naming it in
``ROUNDHOUSE_RULEBOOKS``, or gives the path of a single file wherever a game is asked for.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from roundhouse.rules.errors import InvalidRulebook, UserError
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.names import GameId

SHIPPED = (
    GameId("rws-double-zero"),
    GameId("rws-triple-zero"),
    GameId("mbs-sands"),
    GameId("mbs-electronic-double-zero"),
    GameId("rws-money-wheel"),
)
"""In the order in which they are shown."""

_HERE = Path(__file__).parent
_REGISTERS = _HERE / "registers"
FOLDER = "ROUNDHOUSE_RULEBOOKS"


class NoSuchGame(UserError):
    """No rulebook goes by that name, in words for the person who asked."""


class UnreadableFile(UserError):
    """A rulebook file that the machine would not give us."""


class TwoOfOneName(UserError):
    """Two rulebooks with one id: nobody could say which of them a round was played by."""


def shipped(id: GameId) -> Path:
    return _HERE / f"{id}.toml"


def own() -> Iterator[Path]:
    """The rulebooks in the folder that the house named, if it named one."""
    if folder := os.environ.get(FOLDER):
        if not os.path.isdir(folder):
            raise NoSuchGame(f"{FOLDER} names '{folder}', which is not a folder")
        yield from sorted(Path(folder).glob("*.toml"))


def games() -> list[Game]:
    """Every game at hand, the shipped ones first."""
    found, mistakes = games_and_faults(())
    for mistake in mistakes:
        raise mistake
    return found


def games_and_faults(files: Iterable[Path]) -> tuple[list[Game], list[UserError]]:
    """Every game at hand and in ``files``, and what is wrong with those of the house's own that cannot be used."""
    found: dict[GameId, tuple[Game, Path]] = {}
    mistakes: list[UserError] = []
    for path in (*map(shipped, SHIPPED), *own()):
        try:
            _add(found, path)
        except UserError as mistake:
            mistakes.append(mistake)
    for path in files:
        _add(found, path)
    return [game for game, _ in found.values()], mistakes


def _add(found: dict[GameId, tuple[Game, Path]], path: Path) -> None:
    game = read(path)
    if game.id in found and (other := found[game.id][1]).resolve() != path.resolve():
        raise TwoOfOneName(f"'{path}' and '{other}' both call themselves '{game.id}'; give one another id")
    found[game.id] = (game, path)


def read(path: Path) -> Game:
    return read_with_content(path)[0]


def read_with_content(path: Path) -> tuple[Game, bytes]:
    """A game, and the very bytes of its file, for whoever must keep them."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"cannot read '{path}': {error.strerror or error}") from error
    try:
        return load(content), content
    except InvalidRulebook as unsound:
        unsound.file = str(path)
        raise


def find(name: str) -> Game:
    """A game by its id, or by the path of its file."""
    return find_with_content(name)[0]


def find_with_content(name: str) -> tuple[Game, bytes]:
    if name in SHIPPED:
        return read_with_content(shipped(GameId(name)))
    if name.endswith(".toml") or os.sep in name or os.path.isfile(name):
        return read_with_content(Path(name))
    for path in own():
        game, content = read_with_content(path)
        if game.id == name:
            return game, content
    known = ", ".join([*SHIPPED, *(path.stem for path in own())])
    raise NoSuchGame(f"there is no game '{name}'; there are {known}, or give the path of a rulebook file")


def written_register(game: Game) -> str | None:
    """The register file of a shipped game; a rulebook from elsewhere has none."""
    path = _REGISTERS / f"{game.id}.toml"
    return path.read_text(encoding="utf-8") if game.id in SHIPPED else None
