"""How commands name a house: ``--config house.toml``, or the folder that contains it.

A file of a journal, such as a backup, is named by an argument. The spellings of earlier versions still work, but help
does not list them: ``--data FOLDER``, and a data folder as the argument.
"""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from roundhouse.config.loading import CONFIGURATION, JOURNAL, configured_data
from roundhouse.rules.errors import UserError

_HELP = "Configuration of the house: house.toml, or the folder that contains it."


class NoHouse(UserError):
    """No house was named, or there is none at the given place."""


def config_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--config``, as the parameter ``config``. It is optional for click."""
    kind = click.Path(path_type=Path)
    return click.option("--config", "config", type=kind, metavar="FILE", help=_HELP)(command)


def config_file(path: Path) -> Path:
    """Return the configuration file at a path: the file itself, or ``house.toml`` in the folder."""
    if not path.is_dir():
        return path
    if not (file := path / CONFIGURATION).is_file():
        raise NoHouse(f"the folder '{path}' has no {CONFIGURATION}; 'roundhouse house init {path}' writes one")
    return file


def data_folder(config: Path | None, data: Path | None = None) -> Path:
    """Return the data folder of a house that ``--config`` or the earlier ``--data`` names."""
    if config is not None and data is not None:
        raise NoHouse("--config and --data cannot be combined; --config is enough")
    if config is not None:
        if config.is_dir() and (config / JOURNAL).is_file() and not (config / CONFIGURATION).is_file():
            return config  # the folder of 'roundhouse play', which needs no configuration
        return configured_data(config_file(config))
    if data is None:
        raise NoHouse(f"name the house with --config, such as --config {CONFIGURATION}")
    if (data / CONFIGURATION).is_file() and not (data / JOURNAL).is_file():
        return configured_data(data / CONFIGURATION)
    return data


def belongs_to_house(data: Path) -> bool:
    """Return whether a data folder has a journal, or is that of the ``house.toml`` beside it."""
    if (data / JOURNAL).is_file():
        return True
    beside = data.absolute().parent / CONFIGURATION
    try:
        return beside.is_file() and configured_data(beside).absolute() == data.absolute()
    except UserError:
        return False


def journal_path(path: Path | None, config: Path | None) -> Path:
    """Return the file that an argument names, or the journal of the house that ``--config`` names."""
    if path is not None and config is not None:
        raise NoHouse(f"'{path}' and --config cannot be combined; name a house or a file")
    if path is not None and (path / CONFIGURATION).is_file() and not (path / JOURNAL).is_file():
        path, config = None, path
    if path is not None:
        return path
    journal = data_folder(config) / JOURNAL
    if not journal.is_file():
        raise NoHouse(f"the house of '{config}' has no journal '{journal}' yet; start the house once")
    return journal


def journal_argument(metavar: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds an argument and ``--config``, one of which names the journal as ``path``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_journal(path: Path | None, config: Path | None, **others: Any) -> Any:
            return command(path=journal_path(path, config), **others)

        named = click.argument("path", type=click.Path(path_type=Path), metavar=f"[{metavar}]", required=False)
        return named(config_option(with_journal))

    return decorate
