"""``roundhouse play``: a house of play money with one table per game, simulated wheels and automatic dealers.

It creates demo staff once, with passwords that only the user of this machine can read. A house that already has
people is left as it is.
"""

import os
import secrets
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click
import msgspec.structs

from roundhouse.cli.serve import CannotServe, grace_option, say, say_ended, seconds_option

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
"""Two people of the pit and two shift managers, so that one can approve what the other proposes."""
_HEAD = "# Who can log in to this house of play money, with the passwords that were made for them.\n"
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without letters that look alike."""


class Member(NamedTuple):
    person: str
    password: str
    position: str


def staff_it(configuration: "Configuration") -> list[Member]:
    """Create the demo staff if the house has no people yet, and return those it created now or earlier."""
    from roundhouse.floor.opening import check_currency, open_house, open_store

    file = configuration.data / FILE
    store, key = open_store(configuration.journal)
    try:
        house = open_house(configuration, store, key)
        # Never in a house of real money, whatever the folder.
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
    """Write the passwords before the people are added, so that an interrupted start continues with the same ones."""
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
    """Sixty bits, in groups that can be typed."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))


def _read(file: Path) -> list[Member]:
    """Read the passwords. The user may have edited the file, so lines that cannot be read are skipped."""
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
_LARGE = 1_000_000
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
    help="Port to listen on. 0 takes a free port.",
)
@click.option("--guests-from-anywhere", is_flag=True, help="Accept guests from other machines.")
@click.option("--speed", type=_SPEED, default=1.0, metavar="N", help="Run N times faster than real time.")
@seconds_option
@grace_option(0)
def play(
    folder: Path | None, port: int, guests_from_anywhere: bool, speed: float, seconds: float | None, grace: float
) -> None:
    """Open one table per game with a simulated wheel, an automatic dealer and play money.

    The data folder keeps everything: the next start continues from there.
    """
    from roundhouse.floor.opening import CannotOpen
    from roundhouse.server.process import CannotListen, address_of, bind, run

    kept = folder if folder is not None else _usual_folder()
    configuration = _configuration(kept, port, guests_from_anywhere, speed)
    try:
        bound = bind(configuration.plan.listen.address, port)
    except CannotListen as taken:
        raise CannotServe(f"{taken}; name another with --port, or 0 for any that is free") from taken

    with bound:
        try:
            _log_to(kept)
            members = staff_it(configuration)

            def ready(running: "RunningHouse") -> None:
                _welcome(running, address_of(configuration, bound), kept, guests_from_anywhere, members)

            ended = run(
                configuration,
                bound,
                ready=ready,
                stopping=lambda: say(_last_words(grace)),
                grace_seconds=grace,
                seconds=seconds,
            )
        except CannotOpen as error:
            raise CannotServe(f"{error}; another folder can be named with --folder") from error
    say_ended(ended)


def _configuration(folder: Path, port: int, anywhere: bool, speed: float) -> "Configuration":
    from roundhouse.config.demo import demo_configuration
    from roundhouse.config.schema import Guests, ListenConfig

    made = demo_configuration(folder, Guests.ANYWHERE if anywhere else Guests.LOOPBACK, speed)
    listen = ListenConfig(address="0.0.0.0" if anywhere else "127.0.0.1", port=port)
    return replace(made, plan=msgspec.structs.replace(made.plan, listen=listen))


def _usual_folder() -> Path:
    """Return the user's data directory (XDG), never the working directory."""
    told = Path(os.environ.get("XDG_DATA_HOME", ""))
    try:
        share = told if told.is_absolute() else Path.home() / ".local" / "share"
    except RuntimeError as error:
        raise CannotServe("this person has no home; name a folder with --folder") from error
    return share / "roundhouse"


def _log_to(folder: Path) -> None:
    """Log warnings to a file, because the terminal shows the welcome text."""
    import logging

    from roundhouse.floor.opening import CannotOpen
    from roundhouse.logs import log_to

    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / _LOG
        if file.is_file() and file.stat().st_size > _LARGE:
            file.replace(file.with_suffix(".old.log"))
        log_to(file.open("a", encoding="utf-8", buffering=1), logging.WARNING)
    except OSError as error:
        raise CannotOpen(f"Could not write in {folder}: {error.strerror or error}") from error


def _welcome(running: "RunningHouse", address: str, folder: Path, anywhere: bool, members: "list[Member]") -> None:
    tables = running.tables.values()
    say(f"{len(tables)} tables are open, with simulated wheels, automatic dealers and play money:")
    for table in tables:
        say(f"  {table.id}: {table.game.rulebook.title}, {table.game.rulebook.operator}" + _standing(table))
    say(f"Open {address} in a browser" + (", or this machine's name from another one." if anywhere else "."))
    _staff(address, next(iter(running.tables), ""), folder, members)
    say(f"Data: {folder.absolute()}. Ctrl-C stops it; started again, it goes on.")


def _staff(address: str, table: str, folder: Path, members: "list[Member]") -> None:
    """Show the passwords on a terminal only, so that they reach no log."""
    if not members:
        return
    say(f"Staff work at {address}/console/?table={table} and {address}/pit/.")
    if sys.stdout.isatty():
        for member in members:
            say(f"  {member.person:<6}{member.password}  {member.position.replace('_', ' ')}")
    say(f"Their passwords are in {folder.absolute() / FILE}, which nobody else can read.")


def _standing(table: "RunningTable | DamagedTable") -> str:
    from roundhouse.floor.alerts import describe_interruption
    from roundhouse.table.events import InterruptionRecovered

    if table.fault:
        return f"; it stands still: {table.fault}"
    recovered = [event for event in table.recovered if isinstance(event, InterruptionRecovered)]
    return "".join(f"; {describe_interruption(event)}" for event in recovered)


def _last_words(grace: float) -> str:
    return f"Stopping; rounds in progress have {grace:g} s. Again, and it ends at once." if grace else "Stopping."
