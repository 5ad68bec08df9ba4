"""Fixtures with every shipped game and a sixth game."""

from pathlib import Path

import pytest

from roundhouse import rulebooks
from roundhouse.lab.parsheet.blocks import Block
from roundhouse.lab.parsheet.contents import contents
from roundhouse.lab.parsheet.figures import Par, par_of
from roundhouse.lab.template import new_game
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load

SIXTH = "sixth"


@pytest.fixture(params=[*rulebooks.SHIPPED, SIXTH], scope="session")
def game(request: pytest.FixtureRequest) -> Game:
    return game_named(request.param)


def game_named(name: str) -> Game:
    return load(new_game("my-game", "My Game").encode()) if name == SIXTH else rulebooks.find(name)


@pytest.fixture(scope="session")
def par(game: Game) -> Par:
    return par_of(game)


@pytest.fixture(scope="session")
def blocks(par: Par) -> list[Block]:
    """The whole PAR sheet, created once because its plots are slow."""
    return list(contents(par))


@pytest.fixture
def double_zero() -> Game:
    return rulebooks.find("rws-double-zero")


@pytest.fixture
def my_game(tmp_path: Path) -> Path:
    path = tmp_path / "my-game.toml"
    path.write_text(new_game("my-game", "My Game"), encoding="utf-8")
    return path
