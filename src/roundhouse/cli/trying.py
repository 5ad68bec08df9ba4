"""People for a house to be tried: somebody in each position, with passwords that only this machine's person can read.

They are made for play money alone, once; a house that has people of its own is left as it is.
"""

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from roundhouse.house.configuration import Configuration
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
"""Two of the pit and two who may decide, so that one can approve what the other asks for."""
_HEAD = "# Who can log in to this house of play money, with the passwords that were made for them.\n"
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that look like others."""


class Member(NamedTuple):
    person: str
    password: str
    position: str


def staff_it(configuration: "Configuration") -> list[Member]:
    """Makes them where the house has nobody yet. Those whom it made, now or earlier; nobody, where others did."""
    from roundhouse.house.opening import check_currency, open_house, open_store

    file = configuration.data / FILE
    store, key = open_store(configuration.journal)
    try:
        house = open_house(configuration, store, key)
        # Never in a house of real money, whatever folder was named.
        check_currency(house)
        if not file.exists():
            if house.people():
                return []
            _write(file)
        members = _read(file)
        _add(house, members)
        return members
    finally:
        store.close()


def _write(file: Path) -> None:
    """Before anybody is added: whoever is interrupted here goes on with the same passwords."""
    from roundhouse.house.opening import CannotOpen

    rows = [f"{person:<6}{_password()}  {position}\n" for person, _, position in PEOPLE]
    new = file.with_suffix(".new")
    try:
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            out.write(_HEAD + "".join(rows))
        new.replace(file)
    except OSError as error:
        raise CannotOpen(f"cannot write '{file}': {error.strerror or error}") from error


def _password() -> str:
    """Sixty bits, in groups that can be typed."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))


def _read(file: Path) -> list[Member]:
    """What cannot be read is nobody: the file is for people, and they may have done to it what they liked."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    rows = [line.split() for line in lines if not line.startswith("#")]
    return [Member(*row) for row in rows if len(row) == 3]


def _add(house: "House", members: list[Member]) -> None:
    from roundhouse.floor.world import RealWorld
    from roundhouse.people.names import PersonId, Role

    known, passwords = house.people(), {member.person: member.password for member in members}
    for person, name, position in PEOPLE:
        if person in passwords and PersonId(person) not in known:
            house.add_person(None, PersonId(person), name, (Role(position),), passwords[person], RealWorld().now())
