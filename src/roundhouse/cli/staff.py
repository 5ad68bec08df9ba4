"""``roundhouse house staff``: manage the people of a house in its data folder.

Only ``unlock`` works while the house runs. The other commands need the lock on the journal.

Passwords are read from a prompt or standard input, because other users of the machine can see command lines.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click

from roundhouse.cli.house_paths import NoHouse, belongs_to_house, config_option, data_folder
from roundhouse.cli.output import emit_json, json_option, show_table
from roundhouse.config.demo import without_tables
from roundhouse.config.loading import JOURNAL
from roundhouse.floor.clock import SystemClock
from roundhouse.floor.opening import check_time, last_entry_at, open_house, open_store
from roundhouse.house.house import House
from roundhouse.house.writer import run_inline
from roundhouse.people.names import HouseRefused, PersonId, Role
from roundhouse.rules.errors import UserError
from roundhouse.table.names import Millis

_POSITIONS = click.Choice([role.value for role in Role])


class StaffError(UserError):
    """The house refused the change, or there is no house or no password. The message names the reason."""


def _data(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--config``, and the earlier ``--data``. The command receives the data folder as ``data``."""

    @wraps(command)
    def with_data(config: Path | None, data: Path | None, **others: Any) -> Any:
        folder = data_folder(config, data)
        if config is None and not belongs_to_house(folder):
            raise NoHouse(f"there is no house in '{folder}'; name its configuration with --config house.toml")
        return command(data=folder, **others)

    text = "Data folder of the house, as in earlier versions."
    old = click.option("--data", type=click.Path(path_type=Path, file_okay=False), hidden=True, help=text)
    return config_option(old(with_data))


@contextmanager
def _house(folder: Path, *, create: bool = False) -> Iterator[tuple[House, Millis]]:
    """Open the house in a data folder, and yield it with the current time.

    With ``create`` a configured house gets its journal now, so that its first person can be added.
    """
    if not create and not (folder / JOURNAL).is_file():
        raise StaffError(f"the house in '{folder}' has no people yet; 'roundhouse house staff add' adds them")
    store, key = open_store(folder / JOURNAL)
    try:
        now = SystemClock().now()
        check_time(folder / JOURNAL, last_entry_at(store), now)
        # The tables do not matter here, so the configuration of the house is not needed.
        yield open_house(without_tables(folder), store, key), now
    finally:
        store.close()


def _finish(refused: HouseRefused | None, message: str) -> None:
    """Print the message of success, or raise the refusal."""
    if refused is not None:
        raise StaffError(f"{refused.refusal}: {refused.reason}" if refused.reason else str(refused.refusal))
    click.echo(message)


def _password() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    line = sys.stdin.readline()
    if not line.strip():
        raise StaffError("no password; write it on the first line of standard input")
    return line.rstrip("\r\n")


@click.command()
@click.argument("person")
@click.option("--name", help="Full name. Default: PERSON.")
@click.option("--position", "positions", type=_POSITIONS, multiple=True, required=True, help="Position. Repeatable.")
@_data
def add(person: str, name: str | None, positions: tuple[str, ...], data: Path) -> None:
    """Add PERSON, the name to log in with. The password is prompted for or read from standard input."""
    password = _password()
    with _house(data, create=True) as (house, at):
        roles = tuple(map(Role, positions))
        refused = run_inline(house.staff.add(None, PersonId(person), name or person, roles, password, at))
        _finish(refused, f"added {person} as {', '.join(roles)}")


@click.command("list")
@_data
@json_option
def list_(data: Path, as_json: bool) -> None:
    """List the people of the house, including those who have left."""
    with _house(data) as (house, at):
        people, acting = house.staff.people(), house.staff.appointments()
        rows = [
            {
                "person": id,
                "name": person.name,
                "positions": [role.value for role in person.positions],
                "acting": sorted(
                    a.position.value for a in acting.values() if a.person == id and a.begins <= at < a.until
                ),
                "locked": person.locked,
            }
            for id, person in sorted(people.items())
        ]
    if as_json:
        emit_json(rows)
        return
    columns = ["person", "name", "positions", "acting", "locked"]
    show_table("Staff", columns, [[_cell(row[column]) for column in columns] for row in rows])


def _cell(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


@click.command()
@click.argument("person")
@click.argument("positions", type=_POSITIONS, nargs=-1, metavar="[POSITION]...")
@_data
def position(person: str, positions: tuple[str, ...], data: Path) -> None:
    """Set all positions of PERSON. Without a position, the person has left the house."""
    with _house(data) as (house, at):
        refused = run_inline(house.staff.set_positions(None, PersonId(person), tuple(map(Role, positions)), at))
        _finish(refused, f"{person} is {', '.join(positions)}" if positions else f"{person} has left")


@click.command()
@click.argument("person")
@_data
def password(person: str, data: Path) -> None:
    """Set the password of PERSON. It is prompted for or read from standard input."""
    new = _password()
    with _house(data) as (house, at):
        refused = run_inline(house.staff.set_password(None, PersonId(person), new, at))
        _finish(refused, f"{person} has a new password")


@click.command()
@click.argument("person")
@click.option("--reason", default="by the engineer", show_default=True, help="Reason to record in the journal.")
@_data
def lock(person: str, reason: str, data: Path) -> None:
    """Lock PERSON out, until 'roundhouse house staff unlock'."""
    with _house(data) as (house, at):
        refused = run_inline(house.staff.lock(None, PersonId(person), reason, at))
        _finish(refused, f"{person} is locked")


@click.command()
@click.argument("person")
@_data
def unlock(person: str, data: Path) -> None:
    """Allow PERSON to log in again. Works on a running house too."""
    from roundhouse.server.control import NotRunning, Unlock, ask

    try:
        answer = ask(data, Unlock(PersonId(person)))
    except NotRunning:
        with _house(data) as (house, at):
            refused = run_inline(house.staff.unlock(None, PersonId(person), at))
            _finish(refused, f"{person} is unlocked")
    else:
        if answer.refusal:
            raise StaffError(f"{answer.refusal}: {answer.reason}" if answer.reason else answer.refusal)
        click.echo(f"{person} is unlocked in the running house")
