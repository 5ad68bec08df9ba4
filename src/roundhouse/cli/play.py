"""``roundhouse play``: a house of play money with one table per game, simulated wheels and automatic dealers.

The first start creates demo staff, with passwords in a file that only the user can read. A house that already has
people gets no demo staff.
"""

import os
import secrets
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click
import msgspec.structs

from roundhouse.cli.serve import (
    CannotServe,
    accept_time_option,
    grace_option,
    print_line,
    print_summary,
    seconds_option,
    stopping_message,
)

if TYPE_CHECKING:
    from roundhouse.config.loading import Configuration
    from roundhouse.house.house import House

FILE: Final = "staff.txt"
PEOPLE: Final = (
    ("dee", "Dee", "dealer"),
    ("cas", "Cas", "cashier"),
    ("pam", "Pam", "pit_supervisor"),
    ("max", "Max", "pit_manager"),
    ("sue", "Sue", "shift_manager"),
    ("tom", "Tom", "shift_manager"),
    ("ada", "Ada", "auditor"),
)
"""Id, name and position of the demo staff. The pit and the shift managers are two each, so that one can approve
proposals of the other."""
_HEAD = "# Staff of this play-money house: name to log in with, password, position.\n"
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters of passwords. Characters that look alike (i, l, o, 0, 1) are left out."""


class Member(NamedTuple):
    """One line of the password file."""

    person: str
    password: str
    position: str


def create_staff(configuration: "Configuration") -> list[Member]:
    """Create the demo staff if the house has no people. Return the demo staff created now or earlier."""
    from roundhouse.floor.opening import check_currency, open_house, open_store

    file = configuration.data / FILE
    store, key = open_store(configuration.journal)
    try:
        house = open_house(configuration, store, key)
        # The folder may hold a house of real money, which must not get demo staff.
        check_currency(house)
        if not file.exists():
            if house.staff.people():
                return []
            _write(file)
        members = _read(file)
        _add(house, members)
        return members
    finally:
        store.close()


def _write(file: Path) -> None:
    """Write the password file. This happens before people are added, so that an interrupted start can continue."""
    from roundhouse.floor.opening import CannotOpen

    rows = [f"{person:<6}{_password()}  {position}\n" for person, _, position in PEOPLE]
    new = file.with_suffix(".new")
    try:
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            out.write(_HEAD + "".join(rows))
        new.replace(file)
    except OSError as error:
        raise CannotOpen(f"Could not write {file}: {error.strerror or error}") from error


def _password() -> str:
    """Return a random password of about 60 bits, in three groups that are easy to type."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))


def _read(file: Path) -> list[Member]:
    """Read the password file. Malformed lines are skipped, because the user may have edited the file."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    rows = [line.split() for line in lines if not line.startswith("#")]
    return [Member(*row) for row in rows if len(row) == 3]


def _add(house: "House", members: list[Member]) -> None:
    from roundhouse.floor.clock import SystemClock
    from roundhouse.house.writer import run_inline
    from roundhouse.people.names import PersonId, Role

    known, passwords = house.staff.people(), {member.person: member.password for member in members}
    for person, name, position in PEOPLE:
        if person in passwords and PersonId(person) not in known:
            roles, at = (Role(position),), SystemClock().now()
            run_inline(house.staff.add(None, PersonId(person), name, roles, passwords[person], at))


if TYPE_CHECKING:
    from roundhouse.config.loading import Configuration
    from roundhouse.floor.damaged import DamagedTable
    from roundhouse.floor.house import RunningHouse
    from roundhouse.floor.table import RunningTable

_PORT = 8080
_LOG = "play.log"
_MAX_LOG_BYTES = 1_000_000
_SPEED = click.FloatRange(0.1, 1000)


@click.command()
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Data folder. Default: roundhouse in the user's data directory.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    help="Port to listen on. 0 chooses a free port.",
)
@click.option("--guests-from-anywhere", is_flag=True, help="Accept guests from other machines.")
@click.option("--speed", type=_SPEED, default=1.0, metavar="N", help="Run N times faster than real time.")
@seconds_option
@grace_option(0)
@accept_time_option
def play(
    folder: Path | None,
    port: int,
    guests_from_anywhere: bool,
    speed: float,
    seconds: float | None,
    grace: float,
    accept_time: bool,
) -> None:
    """Open one table per game with a simulated wheel, an automatic dealer and play money.

    All data is stored in the data folder, and the next start continues from there.
    """
    from roundhouse.floor.opening import CannotOpen
    from roundhouse.server.process import CannotListen, address_of, bind, run

    data = folder if folder is not None else _default_folder()
    configuration = _configuration(data, port, guests_from_anywhere, speed)
    try:
        bound = bind(configuration.plan.listen.address, port)
    except CannotListen as taken:
        raise CannotServe(f"{taken}; choose another with --port, or with make play OPTIONS=--port=8081") from taken

    with bound:
        try:
            _log_to(data)
            members = create_staff(configuration)

            def ready(running: "RunningHouse") -> None:
                _welcome(running, address_of(configuration, bound), data, guests_from_anywhere, members)

            summary = run(
                configuration,
                bound,
                ready=ready,
                stopping=lambda: print_line(stopping_message(grace) if grace else "Stopping."),
                grace_seconds=grace,
                seconds=seconds,
                accept_time=accept_time,
            )
        except CannotOpen as error:
            raise CannotServe(f"{error}; choose another folder with --folder") from error
    print_summary(summary)


def _configuration(folder: Path, port: int, anywhere: bool, speed: float) -> "Configuration":
    from roundhouse.config.demo import demo_configuration
    from roundhouse.config.schema import Guests, ListenConfig

    demo = demo_configuration(folder, Guests.ANYWHERE if anywhere else Guests.LOOPBACK, speed)
    listen = ListenConfig(address="0.0.0.0" if anywhere else "127.0.0.1", port=port)
    return replace(demo, plan=msgspec.structs.replace(demo.plan, listen=listen))


def _default_folder() -> Path:
    """Return the folder ``roundhouse`` in the user's data directory, as XDG defines it."""
    configured = Path(os.environ.get("XDG_DATA_HOME", ""))
    try:
        share = configured if configured.is_absolute() else Path.home() / ".local" / "share"
    except RuntimeError as error:
        raise CannotServe("this user has no home directory; choose a folder with --folder") from error
    return share / "roundhouse"


def _log_to(folder: Path) -> None:
    """Log warnings to a file, so that they do not scroll the welcome text off the terminal."""
    import logging

    from roundhouse.floor.opening import CannotOpen
    from roundhouse.logs import log_to

    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / _LOG
        if file.is_file() and file.stat().st_size > _MAX_LOG_BYTES:
            file.replace(file.with_suffix(".old.log"))
        log_to(file.open("a", encoding="utf-8", buffering=1), logging.WARNING)
    except OSError as error:
        raise CannotOpen(f"Could not write in {folder}: {error.strerror or error}") from error


def _welcome(running: "RunningHouse", address: str, folder: Path, anywhere: bool, members: "list[Member]") -> None:
    tables = running.tables.values()
    print_line(f"{len(tables)} tables are open, with simulated wheels, automatic dealers and play money:")
    for table in tables:
        print_line(f"  {table.id}: {table.game.rulebook.title}, {table.game.rulebook.operator}" + _condition(table))
    elsewhere = ", or use this machine's name from another machine" if anywhere else ""
    print_line(f"Open {address} in a browser{elsewhere}.")
    _staff(address, next(iter(running.tables), ""), folder, members)
    print_line(f"Data: {folder.absolute()}. Press Ctrl-C to stop; the next start continues from here.")


def _staff(address: str, table: str, folder: Path, members: "list[Member]") -> None:
    """Print how staff log in. Passwords are printed only on a terminal, so that they reach no log."""
    if not members:
        return
    print_line(f"Staff work at {address}/console/?table={table}, {address}/cage/ and {address}/pit/.")
    if sys.stdout.isatty():
        for member in members:
            print_line(f"  {member.person:<6}{member.password}  {member.position.replace('_', ' ')}")
    print_line(f"Their passwords are in {folder.absolute() / FILE}, which only you can read.")


def _condition(table: "RunningTable | DamagedTable") -> str:
    """Return text to append to the line of a table: its fault, or the interrupted rounds that it recovered."""
    from roundhouse.floor.alerts import describe_interruption
    from roundhouse.table.events import InterruptionRecovered, MatterReferred

    if table.fault:
        return f"; out of service: {table.fault}"
    recovered = [event for event in table.recovered if isinstance(event, InterruptionRecovered)]
    referred = any(isinstance(event, MatterReferred) for event in table.recovered)
    return "".join(f"; {describe_interruption(event, referred)}" for event in recovered)
